"""The judges, grouped by how they look."""
