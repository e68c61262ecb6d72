"""Refinements: other words for the same number of things, in the prompts of any suite that asks for one."""
