"""Draws pictures of a known number of things from a recipe, and sees them again by classical vision.

Things are our own vector clip-art, placed and rasterised; vision works on pixels alone."""
