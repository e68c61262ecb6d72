"""The judges, one module per way of looking."""
