"""Suites defined by YAML files: reading a file, checking it, and making its items."""
