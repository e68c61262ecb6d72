"""Classical vision: what is in a picture, from its pixels alone."""
