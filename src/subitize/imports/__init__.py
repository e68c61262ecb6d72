"""Imports data made elsewhere into a run: people's answers, pictures, releases, other programs' outputs."""
