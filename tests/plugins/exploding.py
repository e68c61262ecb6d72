"""A module that cannot be imported."""

raise RuntimeError("boom")
