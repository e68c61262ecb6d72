"""Our own clip-art, one module per group of things, each with its GLYPHS."""
