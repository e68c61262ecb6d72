"""Draws pictures of a known number of things, and recognises them again by classical vision.

Things are our own vector clip-art, placed and rasterised; vision sees only pixels."""
