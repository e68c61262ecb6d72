"""Serves counts as rewards over HTTP, for people who train image models."""
