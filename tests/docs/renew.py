"""Writes the printed samples of the documentation again: python -m tests.docs.renew [PAGE ...].

It runs the pages that show what commands print, as their test does. A sample that the test accepts stays as it is. In
another, lines are replaced by what is printed now, and what the page leaves out stays left out. Lines for which that
cannot be decided stay, are listed, and make the exit code 1.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from tests.docs.pages import PAGES, ROOT, find_samples, fits, is_compared, is_shown, print_samples

# Of two lines less alike than this, neither is the other with a change.
_LEAST_LIKENESS = 0.5


@dataclass(frozen=True, slots=True)
class Renewed:
    """A page or sample, and the places of its lines that are left to be changed by hand."""

    lines: list[str]
    left: list[int]


def main() -> int:
    """Renew the pages that are named, or all."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.docs.renew", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", nargs="*", metavar="PAGE", type=Path, help="a page, such as docs/outputs.md; else all")
    named = [page.resolve() for page in parser.parse_args().pages]
    for page in named:
        if not page.is_file():
            parser.error(f"no page {page}")
    are_done = [_renew_file(page) for page in named or PAGES]
    return int(not all(are_done))


def _renew_file(file: Path) -> bool:
    """Renew a page in place, say so, and return whether nothing is left to be changed by hand."""
    page = file.read_bytes().decode()
    if not find_samples(page):
        return True
    name = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file
    try:
        renewed = renew(page)
    except AssertionError as error:  # a command failed: so will the test of the page
        print(f"{name}: {error}", file=sys.stderr)
        return False
    old = page.split("\n")
    changed = sum(one != other for one, other in zip(old, renewed.lines, strict=True))
    if changed:
        file.write_bytes("\n".join(renewed.lines).encode())
        print(f"{name}: {changed} {'line' if changed == 1 else 'lines'} renewed")
    for place in renewed.left:
        print(f"{name}:{place + 1}: change this line by hand: {old[place].strip()}", file=sys.stderr)
    return not renewed.left


def renew(page: str) -> Renewed:
    """Run the commands of a page and renew its samples."""
    lines, left = page.split("\n"), list[int]()
    with tempfile.TemporaryDirectory() as folder:
        printed = print_samples(page, Path(folder).resolve())
    for sample, texts in zip(find_samples(page), printed, strict=True):
        renewed = renew_sample(sample.lines, [text.splitlines() for text in texts])
        lines[sample.first : sample.first + len(renewed.lines)] = renewed.lines
        left += [sample.first + place for place in renewed.left]
    return Renewed(lines, left)


def renew_sample(sample: Sequence[str], texts: Sequence[Sequence[str]]) -> Renewed:
    """Renew a sample by the text that is most like it."""
    if any(is_shown(sample, text) for text in texts):
        return Renewed([*sample], [])
    pairs = max((_pair(sample, text) for text in texts), key=lambda found: sum(found[0].values()), default=({}, {}))[1]
    lines, left = [*sample], list[int]()
    for paragraph in _find_paragraphs(sample):
        own = [place for place in paragraph if is_compared(sample[place])]
        wrong = [place for place in own if place not in pairs or not fits(sample[place], pairs[place])]
        for place in own if wrong else ():
            printed = pairs.get(place)
            if printed is not None and sample[place].count("…") <= printed.count("…"):
                lines[place] = printed.rstrip() + "\r" * sample[place].endswith("\r")
            elif place in wrong:
                left.append(place)
    return Renewed(lines, left)


def _find_paragraphs(sample: Sequence[str]) -> Iterator[range]:
    """Find runs of lines without a blank one: a table's columns move when one line changes."""
    start = 0
    for place, line in enumerate([*sample, ""]):
        if not line.strip():
            yield range(start, place)
            start = place + 1


def _pair(sample: Sequence[str], printed: Sequence[str]) -> tuple[dict[int, float], dict[int, str]]:
    """Pair lines of a sample with printed ones in the same order, as alike as can be; give likenesses and lines."""
    best: list[tuple[float, tuple[tuple[int, float, str], ...]]] = [(0, ())] * (len(printed) + 1)
    for place, line in enumerate(sample):
        if not is_compared(line):
            continue
        above = best
        best = [above[0]]
        for number, other in enumerate(printed):
            likeness = _compare(line, other)
            total, pairs = above[number]
            paired = (total + likeness, (*pairs, (place, likeness, other))) if likeness else (0.0, ())
            best.append(max(above[number + 1], best[-1], paired, key=lambda found: found[0]))
    return {place: likeness for place, likeness, _ in best[-1][1]}, {place: other for place, _, other in best[-1][1]}


def _compare(line: str, printed: str) -> float:
    """Give how alike two lines are: 2 if one shows the other, 0 if they are too different."""
    if fits(line, printed):
        return 2
    likeness = SequenceMatcher(None, line.split(), printed.split(), autojunk=False).ratio()
    by_letters = SequenceMatcher(None, line.strip(), printed.strip(), autojunk=False).ratio()
    return found if (found := max(likeness, by_letters)) >= _LEAST_LIKENESS else 0


if __name__ == "__main__":
    sys.exit(main())
