"""Imports data made elsewhere into a run."""
