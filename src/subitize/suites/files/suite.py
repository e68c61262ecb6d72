"""`SuiteFile`, the suite defined by a YAML file (docs/suite-files.md), and how it makes its items."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from subitize import records
from subitize.errors import SubitizeError
from subitize.interfaces import Suite
from subitize.language.clauses import read_scene
from subitize.language.nouns import plural, singular
from subitize.language.questions import scene_asks
from subitize.language.scene import Entity, NotUnderstood, Scene
from subitize.networks.detectors.classes import COCO_CLASSES
from subitize.stimuli.clipart import GLYPHS, PALETTE
from subitize.stimuli.recipes import check
from subitize.suites.checks import interleave
from subitize.suites.files.definition import Definition, check_definition, read_definition
from subitize.suites.files.questions import Question
from subitize.suites.files.words import Combination, Template, combine, count_combinations, draw
from subitize.suites.files.yaml import Text

SINGLE = "single"
_IMAGE = re.compile(r".+\.(?:png|jpe?g|webp|gif)", re.IGNORECASE)
_LONGEST_WORD = 40  # in an id
_SHOWN_QUESTIONS = (records.Count, records.Confirm, records.Choose)


class ItemMaker:
    """Makes a file's items: each template with every combination of its words."""

    def __init__(self, definition: Definition, suite: str, folder: Path) -> None:
        self._said, self._suite, self._folder = definition, suite, folder
        self._ids: set[str] = set()
        words = (word for own in definition.lists.values() for word in own if isinstance(word, str))
        own_nouns = (_as_noun(word.lower()) for word in words if word not in PALETTE)
        self._nouns = tuple(dict.fromkeys([*GLYPHS, *COCO_CLASSES, *own_nouns]))

    def make(self) -> list[records.Item]:
        """Make all items; an error in any of them is raised at once."""
        cells = [(name, words) for name in self._said.prompts for words in self._combine(name)]
        self._check_different(cells)
        singles = dict(self._singles([words for _, words in cells]))
        wholes = [self._whole(*cell, index, singles) for index in range(self._said.pictures) for cell in cells]
        return _name_categories([*wholes, *singles.values()], self._said.lists)

    def _combine(self, name: str) -> Sequence[Combination]:
        """Combine a template's words, or draw its share of the sample; a remainder goes to the first templates."""
        said, groups = self._said, self._said.groups(self._said.prompts[name])
        if not said.sample:
            return list(combine(groups))
        each, more = divmod(said.sample, len(said.prompts))
        share, count = each + (list(said.prompts).index(name) < more), count_combinations(groups)
        if share > count:
            raise said.place_of("sample").error(
                f"sample {said.sample:,}: prompt {said.prompts[name].text} has {count:,} combinations; take at most "
                f"{len(said.prompts) * count:,}, or leave it out"
            )
        return draw(groups, said.number_lists if said.strata is None else said.strata, share, f"{said.seed} {name}")

    def _whole(self, name: str, words: Combination, index: int, singles: Mapping[str, records.Item]) -> records.Item:
        template = self._said.prompts[name]
        prompt = template.fill(words)
        factors: dict[str, records.Scalar] = {"task": self._said.name} if singles else {}
        factors |= {"template": name} if name else {}
        factors |= {**words, **{key: _typed(one.fill(words)) for key, one in self._said.factors.items()}}
        if singles:
            linked = (singles[str(words[one])].id for one in self._said.singles if one in words)
            factors["linked"] = ",".join(id.partition("/")[2] for id in linked)
        parts = [name, *map(str, words.values()), *([str(index + 1)] if self._said.pictures > 1 else [])]
        id = self._id([part for part in parts if part] or [prompt])
        if self._said.show is None:
            return records.Item(id, records.Draw(prompt), self._asks(template, words, prompt), factors)
        picture, ask = self._show(self._said.show, words)
        asks = self._asks(template, words, prompt) if self._said.ask else (ask,) if ask else ()
        if len(asks) != 1 or not isinstance(asks[0].question, _SHOWN_QUESTIONS):
            raise self._said.place_of("ask").error(
                "about a picture one question is asked, and its answer is checked: add ask with one of count, "
                'confirm, choose, shown or absent, as in ask: {count: "{noun}", is: "{number}"}'
            )
        return records.Item(id, records.Answer(picture, prompt), (replace(asks[0], wording=prompt),), factors)

    def _singles(self, cells: Sequence[Combination]) -> Iterator[tuple[str, records.Item]]:
        """Make an item for each single thing, by its word."""
        found = {str(words[name]): name for words in cells for name in self._said.singles if name in words}
        for word, name in found.items():
            about = Template(Text("", self._said.place_of("singles")), (word,))
            shown = Question("shown", (about,), place=about.text.place).ask({}, word)
            asks = [one.ask({}, word) for one in self._said.ask if one.kind == "match"]
            joined = (*asks, replace(shown, is_relevant=not asks))
            yield word, records.Item(self._id([SINGLE, word]), records.Draw(word), joined, {"task": SINGLE, name: word})

    def _asks(self, template: Template, words: Combination, prompt: str) -> tuple[records.Ask, ...]:
        """Ask the file's questions, else what follows from the prompt; with a match, the others are its parts."""
        if not self._said.ask:
            return self._understand(template, prompt)
        asks: dict[str, records.Ask] = {}
        for question in self._said.ask:
            ask = question.ask(words, "" if self._said.show else prompt)
            if ask.question.id in asks:
                raise question.place.error(f"two questions about {prompt!r} are the same: {ask.wording!r}")
            asks[ask.question.id] = ask
        if records.MatchesPrompt().id not in asks:
            return tuple(asks.values())
        match = asks.pop(records.MatchesPrompt().id)
        return (match, *(replace(ask, is_relevant=False) for ask in asks.values()))

    def _understand(self, template: Template, prompt: str) -> tuple[records.Ask, ...]:
        scene = self._read(prompt)
        asks = () if isinstance(scene, NotUnderstood) else scene_asks(scene)
        if asks:
            return asks
        why = scene.reason.partition(";")[0] if isinstance(scene, NotUnderstood) else "no question tells things apart"
        raise template.text.place.error(
            f"prompt {prompt!r} is not understood ({why}): say what to ask about its picture, as in "
            'ask: [match, {shown: "{noun}"}]'
        )

    def _read(self, text: str) -> Scene | NotUnderstood:
        """Read a text with the nouns of our drawings, else also with those of detectors and the file."""
        scene = read_scene(text, GLYPHS, PALETTE)
        return read_scene(text, self._nouns, PALETTE) if isinstance(scene, NotUnderstood) else scene

    def _show(self, show: Template, words: Combination) -> tuple[records.Picture, records.Ask | None]:
        """Find the image file, or make a picture's recipe, which determines the right answer."""
        text = show.fill(words)
        if _IMAGE.fullmatch(text):
            path = self._folder / text
            if not path.is_file():
                raise show.text.place.error(f"show {text!r}: no such file; paths begin where the suite's file lies")
            return records.Filed(str(path)), None
        match read_scene(text, GLYPHS, PALETTE):
            case Scene(entities=(Entity(noun=noun, number=int() as number, colour=None, form=None),)) as scene:
                return self._recipe(show, records.Stimulus(noun, number, 0)), scene_asks(scene)[0]
        raise show.text.place.error(
            f"show {text!r}: should be a number of one kind of things, as in {{number}} {{nouns}}, of those that "
            "`subitize list glyphs` lists, or an image file"
        )

    def _recipe(self, show: Template, stimulus: records.Stimulus) -> records.Stimulus:
        try:
            check(stimulus)
        except SubitizeError as error:
            raise show.text.place.error(f"show: {error}") from None
        return stimulus

    def _id(self, parts: Sequence[str]) -> str:
        """Make an id from words; a hash separates ids that would be equal."""
        key = "/".join(re.sub(r"[^\w]+", "-", part.lower()).strip("-")[:_LONGEST_WORD] or "-" for part in parts)
        key = f"{key}-{records.digest(*parts)[:6]}" if key in self._ids else key
        self._ids.add(key)
        return f"{self._suite}/{key}"

    def _check_different(self, cells: Sequence[tuple[str, Combination]]) -> None:
        seen: dict[tuple[str, str], Combination] = {}
        for name, words in cells:
            template = self._said.prompts[name]
            text = template.fill(words), self._said.show.fill(words) if self._said.show else ""
            if text in seen:
                raise template.text.place.error(
                    f"prompt {text[0]!r} is made twice: of {_write(seen[text])}, and of {_write(words)}"
                )
            seen[text] = words


def _name_categories(items: list[records.Item], lists: Mapping[str, object]) -> list[records.Item]:
    """Add number and category to items that ask for one number of one thing, and drop an equivalent list."""
    counted = {item.id: found for item in items if (found := _find_counted(item))}
    named = [
        replace(item, factors={**counted[item.id], **item.factors}) if item.id in counted else item for item in items
    ]
    same = {
        name
        for name in lists
        if len(counted) == len(items)
        and all(_as_noun(str(one.factors.get(name)).lower()) == one.factors["category"] for one in named)
    }
    return [replace(one, factors={key: own for key, own in one.factors.items() if key not in same}) for one in named]


def _find_counted(item: records.Item) -> dict[str, records.Scalar]:
    counts = [ask for ask in item.asks if isinstance(ask.question, records.Count)]
    if len(counts) != 1 or len(counts[0].expects) != 1 or not isinstance(counts[0].question, records.Count):
        return {}
    return {"number": counts[0].expects[0], "category": counts[0].question.noun}


def _as_noun(word: str) -> str:
    """Make a word singular, unless it only looks like a plural: "tegumen"."""
    return word if singular(plural(word)) == word else singular(word)


def _typed(text: str) -> records.Scalar:
    return int(text) if re.fullmatch("0|[1-9][0-9]{0,8}", text) else text


def _write(words: Combination) -> str:
    return ", ".join(f"{name} {word}" for name, word in words.items())


class SuiteFile(Suite):
    """Ask what a YAML file of yours says, file:my-suite.yaml or just my-suite.yaml (docs/suite-files.md)."""

    def __init__(self, file: str, /) -> None:
        path = Path(file).expanduser()
        said = read_definition(path)
        check_definition(said)
        name = f"{said.name}{records.OF_FILE}"
        items = ItemMaker(said, name, path.parent).make()
        self.title = records.title_of_file(name)
        self.judge = said.judge or ("parser" if said.show else "observer")
        self._place_of_judge = said.place_of("judge")
        self.repeats = said.repeats
        self.strata = _choose_strata(said, items)
        self.sampled = {name: name for name in said.sampled}
        is_mixed = self.strata and all(self.strata[0] in item.factors for item in items)
        self._items = interleave(items, self.strata[0]) if is_mixed else items
        meaning = records.digest(repr(said) + repr(said.sampled) * bool(said.sampled))[:12]
        shown = f"{name} version {said.version} ({meaning})"
        self.spec = records.Spec(name, {"version": said.version, "meaning": meaning}, shown)

    def check_judge(self, check: Callable[[str], None], /) -> None:
        """Check the judge; an error gives its position in the file."""
        try:
            check(self.judge)
        except SubitizeError as error:
            raise self._place_of_judge.error(f"judge: {error}") from None

    def items(self, seed: int) -> Iterator[records.Item]:
        """Iterate over the items; the seed changes only the drawn pictures."""
        return (_reseed(item, seed) for item in self._items)


def _choose_strata(said: Definition, items: Sequence[records.Item]) -> tuple[str, ...]:
    """Take the file's strata; by default the task, the template and the numbers."""
    known = list(dict.fromkeys(name for item in items for name in item.factors))
    for key, names in (("strata", said.strata or ()), ("sampled", said.sampled)):
        for name in names:
            if name not in known:
                raise said.place_of(key).error(f"{key} {name!r}: no such factor; known: {', '.join(known)}")
    if len(said.sampled) > _MOST_SAMPLED:
        listed = ", ".join(said.sampled)
        raise said.place_of("sampled").error(f"sampled {listed}: at most {_MOST_SAMPLED} factors can be sampled")
    if both := set(said.strata or ()) & set(said.sampled):
        raise said.place_of("sampled").error(f"sampled {min(both)!r}: strata are fixed; name it under one of both")
    if said.strata is None:
        usual = ("task", "template", *said.number_lists)
        return tuple(name for name in usual if name in known and name not in said.sampled)
    return said.strata


_MOST_SAMPLED = 3


def _reseed(item: records.Item, seed: int) -> records.Item:
    match item.task:
        case records.Answer(picture=records.Stimulus() as picture) as task:
            own = replace(picture, seed=int(records.digest(seed, item.id)[:8], 16))
            return replace(item, task=replace(task, picture=own))
    return item
