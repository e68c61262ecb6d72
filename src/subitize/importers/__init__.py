"""Data that others made → a run."""
