"""Numerosity in caption corpora: how often captions name each number of things."""
