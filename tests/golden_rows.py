"""What seeded runs store, row by row; the ids of all items of every suite; the pixels of stimuli and the painter."""

from tests.golden_texts import Golden

GOLDENS: dict[str, Golden] = {}
