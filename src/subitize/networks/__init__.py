"""Networks that somebody trained, loaded from a folder or by name: one way to load them, for models and judges."""
