"""What the commands on probes do: read, make, look for the images, write."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from subitize.papers.seeing_past_words.building import SPLITS, Recipe, build_probes, find_images
from subitize.papers.seeing_past_words.captions import pair_captions, read_captions
from subitize.papers.seeing_past_words.foils import FOIL_RULES, FoilRule
from subitize.papers.seeing_past_words.probes import write_records
from subitize.papers.seeing_past_words.sources import Omissions
from subitize.papers.seeing_past_words.statements import MODES, Mode
from subitize.suites.checks import check_known

_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Written:
    """What was written, in words, and what to know of it."""

    summary: str
    warnings: Sequence[str]


def write_probes(
    files: Sequence[Path],
    out: Path,
    *,
    splits: Sequence[str] | None = None,
    mode: Mode | None = None,
    foils: FoilRule = "symmetric",
    images: Path | None = None,
    **more: int,
) -> Written:
    """Make counting probes of files of questions; `more` are the cap, the largest answer in training, and the seed."""
    check_known("split", splits or (), SPLITS)
    check_known("kind of foils", [foils], FOIL_RULES)
    check_known("kind of statements", [mode] if mode else [], MODES)
    built = build_probes(files, Recipe(splits or SPLITS, mode, foils, **more))
    warnings = [*built.omitted.lines(), *_name_missing([probe.image for probe in built.probes], images)]
    write_records(out, built.probes)
    statements = sum(1 for probe in built.probes for _ in probe.candidates())
    invalid = sum(probe.count_invalid() for probe in built.probes)
    if invalid:
        warnings.append(f"foils that equal the answer or one another, never asked about: {invalid:,}")
    right = len(built.probes)
    of_each = f"{right:,} right and {statements - right:,} foiled statements"
    return Written(f"{right:,} probe{'s' * (right != 1)}, {of_each}", warnings)


def write_pairs(file: Path, out: Path, *, source: str, number: int, images: Path | None, seed: int) -> Written:
    """Pair the images of a file of captions."""
    omitted = Omissions()
    captions = read_captions(file, omitted)
    pairs = pair_captions(captions, source, images=number, seed=seed)
    warnings = [*omitted.lines(), *_name_missing([pair.image for pair in pairs], images)]
    if len(pairs) < number:
        warnings.append(f"{file.name} has captions of {len(pairs):,} images, not of {number:,}: all are taken")
    write_records(out, pairs)
    return Written(f"{len(pairs):,} images, {2 * len(pairs):,} pairs", warnings)


def _name_missing(names: Collection[str], folder: Path | None) -> list[str]:
    """Count and name the images that a folder does not have."""
    if folder is None:
        return []
    wanted = dict.fromkeys(names)
    found = find_images(wanted, folder)
    missing = [name for name in wanted if name not in found]
    some = ", ".join(missing[:_EXAMPLES]) + (", …" if len(missing) > _EXAMPLES else "")
    return [f"images that are not in {folder}: {len(missing):,} of {len(wanted):,} ({some})"] if missing else []
