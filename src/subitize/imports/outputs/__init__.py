"""Reads the files of other evaluation programs into one shape, and imports them."""
