"""Exports people's answers in the formats of other tools, and imports them again."""
