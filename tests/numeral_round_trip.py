"""The part of the round trip that a process of its own must be able to import."""

from subitize.numerals import in_words, value


def find_misread(numbers: range) -> list[int]:
    """The numbers that do not survive being written in words and read."""
    return [n for n in numbers if value(in_words(n)) != n]
