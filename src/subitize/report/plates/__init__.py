"""Plates: what several models made of the same prompts, with what is right and wrong marked on the pictures."""
