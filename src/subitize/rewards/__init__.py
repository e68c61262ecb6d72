"""Counts as rewards, over HTTP, for whoever trains a model that draws."""
