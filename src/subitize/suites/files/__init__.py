"""Suites that a YAML file defines: how it is read, what it may say, and the items that are made of it."""
