"""Pictures of a known number of things: our own vector clip-art, placed and rasterised from a recipe."""
