"""GIMBRR's released ratings as a run: images as responses known by their files' names, people's ratings as readings."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from subitize.errors import ConflictError
from subitize.imports.releases import Importable, ReleaseSummary
from subitize.labels import Rule, interpret
from subitize.papers.gimbrr.items import MATCH, NAME, make_item
from subitize.papers.gimbrr.release import LICENCE, Rating, Release, read_release, take_released
from subitize.papers.gimbrr.rows import make_prompt
from subitize.papers.gimbrr.tasks import STRATA
from subitize.records import (
    Design,
    Drawn,
    Elsewhere,
    Provenance,
    Reading,
    Response,
    Spec,
    Subject,
    Trial,
    Words,
)
from subitize.store import Run

JUDGE = "gimbrr-annotators"
ANNOTATOR = "unnamed"
"""Who rated: the release does not tell."""
_SPEC = Spec(NAME, {"prompts": "as released"}, f"{NAME} (as released)")
_RULE = Rule("votes")


def read_importable(folder: Path) -> Importable:
    """Read a release: what is wrong with its files leaves no run behind."""
    release = read_release(folder)
    warnings = (*take_released(release).warnings(), *release.warnings, LICENCE)
    return Importable(warnings, lambda run: import_gimbrr(run, release))


def import_gimbrr(run: Run, release: Release) -> ReleaseSummary:
    """Add the ratings of a release to a run, all or none; those of a model that it has are left alone."""
    items = [make_item(make_prompt(prompt)) for prompt in release.prompts.values()]
    with run.lease(f"judge {JUDGE}") as lease:
        run.add_suite(_SPEC, 0, items, Design(strata=STRATA))
        run.add_judge(Spec(JUDGE, {}, JUDGE), is_stand_in=False)
        new = _find_new(run, release.ratings)
        specs = {one.model: Spec(one.model, {"released": NAME}, one.model) for one in new}
        for spec in specs.values():
            run.add_model(spec, is_stand_in=False)
        trials = {_image(one): _trial(specs[one.model], one) for one in new}
        stored = run.add_judged(lease, _responses(new, trials, release), _readings(new, trials))
    return ReleaseSummary(*stored, len(release.ratings) - len(new))


def _find_new(run: Run, ratings: Sequence[Rating]) -> list[Rating]:
    """Find the ratings of models that the run has none of; it must have just the same ones of the others."""
    trials = {stored.trial_id: stored.response.trial for stored in run.responses()}
    there: Counter[tuple[str, str, int, bool]] = Counter()
    for stored in run.readings(JUDGE):
        trial = trials[stored.reading.subject.trial_ids[0]]
        there[trial.model, trial.item_id, trial.repeat, stored.reading.evidence == Words("True")] += 1
    known = {model for model, *_ in there}
    given = Counter((one.model, f"{NAME}/{one.id}", one.repeat, one.says_yes) for one in ratings)
    for model in dict.fromkeys(one.model for one in ratings):
        of_run, of_release = ({key: n for key, n in of.items() if key[0] == model} for of in (there, given))
        if model in known and of_run != of_release:
            raise ConflictError(f"{run.location} has other ratings of {model} than the release; import into a new run")
    return [one for one in ratings if one.model not in known]


_Image = tuple[str, int, int]


def _image(one: Rating) -> _Image:
    return one.model, one.id, one.repeat


def _trial(spec: Spec, one: Rating) -> Trial:
    return Trial(f"{NAME}/{one.id}", spec.shown, spec.options, one.repeat)


def _responses(ratings: Iterable[Rating], trials: Mapping[_Image, Trial], release: Release) -> Iterator[Response]:
    names = {_image(one): one.file_name for one in ratings}
    for image, name in names.items():
        sent = release.prompts[image[1]].text
        yield Response(trials[image], Drawn(Elsewhere(name)), Provenance(0, sent))


def _readings(ratings: Iterable[Rating], trials: Mapping[_Image, Trial]) -> Iterator[Reading]:
    question, rule = MATCH.question, str(_RULE)
    values = {yes: (Words(str(yes)), interpret(Words(str(yes)), question, _RULE)) for yes in (True, False)}
    for one in ratings:
        subject = Subject((trials[_image(one)].id,))
        evidence, value = values[one.says_yes]
        yield Reading(subject, question, JUDGE, evidence, rule, value, ANNOTATOR)
