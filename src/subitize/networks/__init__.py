"""Loads trained networks from a folder or by name, in one way for models and judges."""
