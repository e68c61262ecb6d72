"""Detectors: networks that find things in pictures, each with a score."""
