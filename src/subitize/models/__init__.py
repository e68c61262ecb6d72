"""The models, one module per backend."""
