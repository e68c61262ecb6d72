"""GeckoNum's annotated images as questions to vision-language models (section D of the paper)."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl

from subitize.errors import BadFileError, BadValueError
from subitize.interfaces import Suite
from subitize.papers.geckonum.files import MANY, MODELS, RATERS, GeckonumRelease, read_release, released_items
from subitize.records import Answer, Ask, Count, Filed, Item, TaskKind
from subitize.suites.checks import check_known, interleave

_FORMATS = (".png", ".jpg", ".jpeg", ".webp")
_MOST = 200


class GeckonumVqa(Suite):
    """Say how many there are in an image of which at least 4 of 5 people said the same (GeckoNum).

    It is given the folder of the release, and that of its images: `geckonum_00012_3.png` and so on, in folders named
    like the models (or directly, where there is but one model). Images that are not there are left out. Where people
    saw more than ten, any number above is right.

    Args:
        models: only images of these models; none: all
        agreeing: how many of the five people must have said the same
    """

    title = "GeckoNum as visual question answering"
    tasks: frozenset[TaskKind] = frozenset({"answer"})
    judge = "parser"

    def __init__(self, release: str, /, *, images: str = "", models: tuple[str, ...] = (), agreeing: int = 4) -> None:
        check_known("model", models, MODELS)
        if not images:
            raise BadValueError("suite 'geckonum-vqa' needs the folder of the images: geckonum-vqa:DIR,images=DIR")
        if not 1 <= agreeing <= RATERS:
            raise BadValueError(f"suite 'geckonum-vqa': agreeing={agreeing}: should be from 1 to {RATERS}")
        self._release = read_release(Path(release), tasks=(1,), models=models)
        self._files = _find_images(Path(images), self._release)
        self._labels = _agreed_labels(self._release, agreeing)
        if self._labels.is_empty():
            raise BadValueError(f"suite 'geckonum-vqa': no image has {agreeing} equal answers; take a lower agreeing")

    def items(self, seed: int) -> Iterator[Item]:
        """Yield the questions, all numbers mixed; the seed changes nothing."""
        asks = {(item.id, ask.wording): ask for item in released_items(self._release) for ask in item.asks}
        types = {prompt.id: prompt.type for prompt in self._release.prompts}
        return iter(interleave(self._make_items(asks, types), "type"))

    def _make_items(self, asks: Mapping[tuple[str, str], Ask], types: Mapping[str, str]) -> Iterator[Item]:
        for model, prompt, seed, wording, number in self._labels.iter_rows():
            ask = asks[f"geckonum/{prompt}", wording]
            file = self._files.get((model, f"{prompt}_{seed}"))
            if file is None or not isinstance(ask.question, Count) or ask.question.place is not None:
                continue
            key = f"geckonum-vqa/{model}/{prompt}_{seed}/{ask.question.id.partition(':')[2]}"
            right = tuple(range(MANY, _MOST + 1)) if number == MANY else (int(number),)
            factors = {"number": int(number), "source": model, "type": types[prompt]}
            yield Item(key, Answer(Filed(str(file)), wording), (Ask(ask.question, wording, right),), factors)


def _agreed_labels(release: GeckonumRelease, agreeing: int) -> pl.DataFrame:
    """List the questions to which enough people gave the same answer, with that answer, rounded half to even."""
    unit = ["model", "prompt", "seed", "question"]
    people = release.answers[1].unique([*unit, "annotator"], maintain_order=True)
    votes = people.group_by(*unit, "value", maintain_order=True).len()
    agreed = votes.sort("len", descending=True, maintain_order=True).unique(unit, keep="first", maintain_order=True)
    rounded = pl.col("value").map_batches(lambda values: pl.Series(values.to_numpy().round()), pl.Float64)
    return agreed.filter(pl.col("len") >= agreeing).select(*unit, rounded).sort(unit)


def _find_images(folder: Path, release: GeckonumRelease) -> dict[tuple[str, str], Path]:
    """Find image files by model and name, leaving out missing ones."""
    if not folder.is_dir():
        raise BadFileError(f"images={folder}: no such folder; name that of GeckoNum's images")
    wanted = release.answers[1].select("model", "prompt", "seed").unique(maintain_order=True)
    names: dict[str, list[str]] = {}
    for model, prompt, seed in wanted.iter_rows():
        names.setdefault(model, []).append(f"{prompt}_{seed}")
    files = [path for path in sorted(folder.rglob("geckonum_*")) if path.suffix.lower() in _FORMATS]
    found: dict[tuple[str, str], Path] = {}
    for path in files:
        inner = set(path.relative_to(folder).parts[:-1])
        for model in [name for name in names if name in inner] or (list(names) if len(names) == 1 else []):
            found[model, path.stem] = path
    if not found:
        raise BadFileError(
            f"images={folder}: no image of {', '.join(names)}; they are called {names[next(iter(names))][0]}.png"
        )
    return found
