"""Measures how well text-to-image and vision-language models understand number."""

__version__ = "0.1.0"
