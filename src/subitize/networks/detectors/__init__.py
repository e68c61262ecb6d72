"""Detectors: networks that find things in pictures and say how sure they are of each."""
