"""Maps names to suites, models, judges, refinements and papers; options come from their signatures."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from subitize import papers as plugins
from subitize.errors import BadValueError, SubitizeError, UnknownNameError
from subitize.interfaces import Answerer, Judge, Model, NotInOldIds, Paper, Reference, RuntimeOption, Suite
from subitize.io import specs
from subitize.records import OF_FILE, REFINED, Item, Spec, base_suite, title_of_file

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Kind = Literal["suites", "models", "judges", "refinements", "papers"]
KINDS: tuple[Kind, ...] = ("suites", "models", "judges", "refinements", "papers")
T = TypeVar("T")
RULE_OPTION = "policy"
"""The judge option that sets the rule for reading answers in words."""
_DEFAULT_RULE = "final"
TRAINED_WITH = "trained_with"
"""The model option that names the judge that rewarded the model in training."""
TRAINED_ON = "trained_on"
"""The model option that names its training data sets, joined by +."""

# Each detector is a model and a judge.
_DETECTORS = {
    "detr": "subitize.networks.detectors.hub:Detr",
    "grounding-dino": "subitize.networks.detectors.hub:GroundingDino",
    "mm-grounding-dino": "subitize.networks.detectors.hub:MmGroundingDino",
    "molmo2": "subitize.networks.detectors.hub:Molmo2",
    "owlv2": "subitize.networks.detectors.hub:Owlv2",
    "rf-detr": "subitize.networks.detectors.hub:RfDetr",
    "rt-detr": "subitize.networks.detectors.hub:RtDetr",
    "sam3": "subitize.networks.detectors.hub:Sam3",
    "ssd": "subitize.networks.detectors.opencv:Ssd",
    "yolo": "subitize.networks.detectors.opencv:Yolo",
}
_DETECTING: dict[Kind, str] = {
    "models": "subitize.models.counting:DetectorModel",
    "judges": "subitize.judges.counting:DetectorJudge",
}
# Most suites belong to papers, which subitize.papers lists.
_BUILT_IN: dict[Kind, dict[str, str]] = {
    "suites": {
        "file": "subitize.suites.files.suite:SuiteFile",
        "geneval": "subitize.suites.geneval:GenEval",
        "geneval2": "subitize.suites.geneval:GenEval2",
        "prompts": "subitize.suites.own_data:Prompts",
        "questions": "subitize.suites.own_data:Questions",
    },
    "models": {
        "counter": "subitize.models.counting:CounterModel",
        "diffusers": "subitize.models.diffusers:Diffusers",
        "folder": "subitize.models.folder:FolderModel",
        "hf-inference": "subitize.models.hf_inference:HfInference",
        "ideal-human": "subitize.models.stand_ins:IdealHuman",
        "observer": "subitize.models.stand_ins:ObserverModel",
        "openai": "subitize.models.openai:OpenAi",
        "painter": "subitize.models.stand_ins:Painter",
        "random": "subitize.models.random:Random",
        "transformers": "subitize.models.transformers:Transformers",
        "vilbert": "subitize.models.vilbert:Vilbert",
    },
    "judges": {
        "clip": "subitize.judges.clip:Clip",
        "clipscore": "subitize.judges.clip:ClipScore",
        "counter": "subitize.judges.counting:CounterJudge",
        "dsg": "subitize.judges.asking:Dsg",
        "fit": "subitize.judges.asking:FitJudge",
        "observer": "subitize.judges.observer:ObserverJudge",
        "ocr": "subitize.judges.ocr:Ocr",
        "parser": "subitize.judges.parser:Parser",
        "parts": "subitize.judges.asking:Parts",
        "vlm": "subitize.judges.asking:Vlm",
    },
    "refinements": {
        "additive": "subitize.suites.refined:additive",
        "grid": "subitize.suites.refined:grid",
        "list": "subitize.suites.refined:spell_out",
        "multiplicative": "subitize.suites.refined:multiplicative",
        "position": "subitize.suites.refined:position",
        "positions": "subitize.suites.refined:positions",
        "rewritten": "subitize.suites.refined:Rewritten",
    },
}


_IN_PROGRAM: dict[tuple[Kind, str], Callable[[], Any]] = {}
"""What makes the objects that the calling program brought, by kind and name."""


@dataclass(frozen=True, slots=True, eq=False)
class Resolved(Generic[T]):
    """A loaded suite, model or judge with its spec and the text it was loaded from.

    A model or judge may have a name given by the user, addresses that serve it, and a label unique in its run.
    """

    spec: Spec
    obj: T
    spec_text: str
    name: str = ""
    addresses: tuple[str, ...] = ()
    label: str = ""

    def __str__(self) -> str:
        return self.label or self.name or self.spec.text

    def sets(self, option: str) -> bool:
        """Return whether the spec sets an option, even to its default."""
        return option in specs.parse_spec(self.spec_text)[2]


def register(kind: Kind, given: object, name: str | None = None) -> str:
    """Let a suite, model or judge of the calling program be found by a name, and return the name.

    A function becomes a model. What computes does so in this process, as another could not make the object again.
    """
    made: Any = given
    name = name or str(getattr(given, "__name__", type(given).__name__))
    if not re.fullmatch(r"\w[\w.-]*", name):
        raise BadValueError(f"{kind.removesuffix('s')} {name!r}: give it a `name` of letters, digits, _, . and -")
    if name in _known(kind):
        raise BadValueError(f"{kind.removesuffix('s')} {name!r} is there already: give yours another `name`")
    if kind == "models" and not any(hasattr(made, shape) for shape in _SHAPES) and callable(made):
        from subitize.models.functions import FunctionModel

        made = FunctionModel(made, name)
    if hasattr(made, "compute") and not any(hasattr(made, shape) for shape in ("respond", "compute_all")):
        from asyncio import to_thread  # slow to import

        made = copy(made)
        made.concurrency, made.respond = 1, partial(to_thread, made.compute)
    _IN_PROGRAM[kind, name] = lambda: made
    return name


def make_suite(text: str) -> Resolved[Suite]:
    """Make the suite of a spec; `production~grid` is `production` with refined prompts."""
    text = _name_file(text)
    name, target, given = specs.parse_spec(text)
    base_name, *refinements = name.split(REFINED)
    if not refinements:
        return _make("suites", text)
    if len(refinements) > 1:
        raise BadValueError(
            f"suite {name!r}: a refinement of a refinement is none; take {base_name}{REFINED}{refinements[0]}"
        )
    base, refinement = Factory("suites", base_name), Factory("refinements", refinements[0])
    own = {key: refinement.key_beside(base, key) for key in refinement.defaults}
    known = [*base.defaults, *own.values()]
    for key in given:
        if key not in known:
            raise BadValueError(f"suite {name!r} has no option {key!r}; known options: {', '.join(known) or 'none'}")
    for_base = {key: value for key, value in given.items() if key not in own.values()}
    for_refinement = {key: given[written] for key, written in own.items() if written in given}
    return _refine(text, (base, target, for_base), (refinement, for_refinement))


def make_refined(suite: str, refinement: str) -> Resolved[Suite]:
    """Make the suite of a spec, with its prompts refined by a refinement given as a second spec."""
    name, target, given = specs.parse_spec(_name_file(suite))
    refiner, no_target, own = specs.parse_spec(refinement)
    if REFINED in name:
        raise BadValueError(f"suite {name!r} is refined already; take {name.partition(REFINED)[0]!r}")
    factory = Factory("refinements", refiner)
    factory.check_target(no_target)
    return _refine("", (Factory("suites", name), target, given), (factory, own))


def make_model(text: str, **runtime_options: str) -> Resolved[Model]:
    """Make the model of a spec; runtime options apply where the model has them and the spec does not set them."""
    return _make("models", text, runtime_options)


def trained_with(model: Resolved[Model], judge: str) -> Resolved[Model]:
    """Record which judge rewarded a model in training, as part of its identity."""
    options = {**model.spec.options, TRAINED_WITH: make_judge(judge).spec.text}
    return replace(model, spec=replace(model.spec, options=options))


def trained_on(model: Resolved[Model], corpora: str) -> Resolved[Model]:
    """Record which data sets a model was trained on, as part of its identity."""
    named = "+".join(sorted(filter(None, corpora.lower().split("+"))))
    return replace(model, spec=replace(model.spec, options={**model.spec.options, TRAINED_ON: named}))


def same_target(one: str, other: str) -> bool:
    """Return whether two specs name the same thing, ignoring options."""
    return specs.parse_spec(one)[:2] == specs.parse_spec(other)[:2]


def make_judge(text: str) -> Resolved[Judge]:
    """Make the judge of a spec."""
    return _make("judges", text)


def make_items(suite: Resolved[Suite], seed: int) -> Iterator[Item]:
    """Make a suite's items; those of outside packages are checked one by one."""
    if not is_outside(suite):
        return iter(suite.obj.items(seed))
    from subitize.suites.checks import check_items

    return check_items(suite.spec.name, suite.obj, seed)


def is_outside(suite: Resolved[Suite]) -> bool:
    """Return whether a suite, refined or not, comes from an outside package."""
    made = getattr(suite.obj, "base", suite.obj)
    return not type(made).__module__.startswith("subitize.")


def find_paper(name: str) -> Paper:
    """Find a paper by its name."""
    reference = _find("papers", name)
    paper = plugins.load(reference, f"paper {name!r} ({reference})")
    if not isinstance(paper, Paper):
        raise BadValueError(f"paper {name!r} ({reference}) should be a Paper, not {paper!r:.80}")
    return paper


def paper_of(suite: str) -> Paper | None:
    """Find the paper of a suite, refined or not."""
    return next((paper for paper in plugins.papers() if base_suite(suite) in paper.suites), None)


def find_suite_rule(name: str) -> str | None:
    """Find the rule for reading a suite's answers: its own, else `final`; None leaves it to the judge.

    Papers' suites default to None, since their protocols are published. So do suites that are no longer installed.
    """
    suite = _load_suite(name)
    rule: str | None = getattr(suite, "rule", Suite.rule)
    if rule != Suite.rule:
        return rule
    return None if suite is None or paper_of(name) else _DEFAULT_RULE


def find_suite_title(name: str) -> str | None:
    """Find a suite's title, even for a YAML suite without its file; None if the suite is not installed."""
    if name.endswith(OF_FILE):
        return title_of_file(name)
    try:
        title = getattr(_load("suites", name), "title", None)
        return title if isinstance(title, str) else make_suite(name).obj.title
    except SubitizeError:
        return None


def find_references(suite: str) -> Sequence[Reference]:
    """List the works to cite for a suite, refined or not: its paper's, else its own."""
    paper = paper_of(suite)
    return paper.references if paper else tuple(getattr(_load_suite(suite), "references", ()))


def _load_suite(name: str) -> Any:  # noqa: ANN401
    """Load what makes a suite, refined or not; None if it is not installed."""
    try:
        return _load("suites", base_suite(name))
    except SubitizeError:
        return None


def names(kind: Kind) -> list[str]:
    """List all names of a kind, without importing anything."""
    return sorted(_known(kind))


def _name_file(text: str) -> str:
    """Expand the bare path of a YAML suite, my-suite.yaml, to file:my-suite.yaml."""
    found = re.fullmatch(rf"(?P<path>[^:]+\.ya?ml)(?P<refined>{REFINED}[^:]+)?(?::(?P<options>.*))?", text)
    if found is None:
        return text
    options = f",{found['options']}" if found["options"] else ""
    return f"file{found['refined'] or ''}:{found['path']}{options}"


def _refine(
    text: str, suite: "tuple[Factory, str, Mapping[str, str]]", refinement: "tuple[Factory, Mapping[str, str]]"
) -> Resolved[Suite]:
    """Make a suite and a refinement, and combine them; the refinement's source becomes an option."""
    from subitize.suites.refined import Refined, Rewritten

    base, base_target, base_given = suite
    by, by_given = refinement
    base_spec, base_suite = base.build(base_target, base_given)
    by_spec, refine = by.build("", by_given)
    name = f"{base_spec.name}{REFINED}{by_spec.name}"
    kept = dict(refine.source) if isinstance(refine, Rewritten) else {}
    options = {by.key_beside(base, key): value for key, value in {**by_spec.options, **kept}.items()}
    own = {**by_spec.options, **{key: value for key, value in kept.items() if key in by.defaults}}
    changed = {by.key_beside(base, key): value for key, value in by.changed(own).items()}
    shown = specs.write_spec(name + base_spec.text.removeprefix(base_spec.name), changed)
    # A file may have rows for items that the options leave out.
    others = {item.id for item in base.build(base_target, {})[1].items(0)} if isinstance(refine, Rewritten) else ()
    made = Refined(base_suite, by_spec.name, refine, others=others)
    return Resolved(Spec(name, {**base_spec.options, **options}, shown), made, text or shown)


def _make(kind: Kind, text: str, runtime_options: Mapping[str, str] | None = None) -> Resolved[Any]:
    given_name, spec = ("", text) if kind == "suites" else specs.split_name(text)
    kind_name, target, given = specs.parse_spec(spec)
    factory = Factory(kind, kind_name)
    known = {key: value for key, value in (runtime_options or {}).items() if key in factory.runtime_options}
    made, it = factory.build(target, known | given)
    return Resolved(made, it, spec, given_name, (it.base_url,) if isinstance(it, Answerer) and it.base_url else ())


def _check(kind: Kind, text: str) -> None:
    """Refuse a spec with an unknown name, target or option, without making the object."""
    name, target, given = specs.parse_spec(specs.split_name(text)[1])
    Factory(kind, name).check(target, given)


def _check_judge(text: str) -> None:
    if text != "none":
        _check("judges", text)


def _known(kind: Kind) -> dict[str, str]:
    """List everything of a kind as `module:object`; outside packages cannot replace built-in entries."""
    installed = {point.name: point.value for point in _installed(kind)}
    if kind == "papers":
        return installed | plugins.PAPERS
    detectors = _DETECTORS if kind in _DETECTING else {}
    return installed | (plugins.list_all("suites") if kind == "suites" else {}) | detectors | _BUILT_IN[kind]


def _installed(kind: Kind) -> "list[EntryPoint]":
    """List what installed packages bring of a kind: detectors are models and judges, too."""
    groups = [kind, "detectors"] if kind in _DETECTING else [kind]
    return [point for group in groups for point in plugins.installed(f"subitize.{group}")]


def _find(kind: Kind, name: str) -> str:
    """Find one by name; built-in names skip the slow search of installed packages."""
    if kind == "suites" and name.endswith(OF_FILE):
        name = "file"
    found = _BUILT_IN.get(kind, {}).get(name) or (plugins.find("suites", name) if kind == "suites" else None)
    if found is None and kind in _DETECTING:
        found = _DETECTORS.get(name)
    if found:
        return found
    known = _known(kind)
    if name not in known:
        raise UnknownNameError(kind.removesuffix("s"), name, known)
    several = {point.value for point in _installed(kind) if point.name == name}
    if len(several) > 1 and known[name] in several:
        who, by = f"{kind.removesuffix('s')} {name!r}", ", ".join(sorted(several))
        raise BadValueError(f"{who} is brought by several packages: {by}; uninstall all but one")
    return known[name]


def _load(kind: Kind, name: str) -> Any:  # noqa: ANN401
    """Load what makes one of a kind; of an object of the calling program, the object."""
    if (kind, name) in _IN_PROGRAM:
        return _IN_PROGRAM[kind, name]()
    return plugins.load(_find(kind, name))


def _as_counting(kind: Kind, name: str, reference: str, found: Any) -> Any:  # noqa: ANN401
    """Return what makes a thing: of a detector, what makes its model or judge."""
    if kind not in _DETECTING or name in _BUILT_IN[kind]:
        return found
    if name not in _DETECTORS and reference not in {one.value for one in plugins.installed("subitize.detectors")}:
        return found
    from subitize.networks.detectors.detector import Detector, detector_factory

    if not (inspect.isclass(found) and issubclass(found, Detector)):
        raise TypeError(f"a detector is a subclass of {Detector.__module__}.Detector")
    return detector_factory(plugins.load(_DETECTING[kind]), found)


class Factory:
    """The constructor behind a name: one optional positional parameter, the target, and keyword options."""

    def __init__(self, kind: Kind, name: str) -> None:
        in_program = _IN_PROGRAM.get((kind, name))
        reference = "the calling program" if in_program else _find(kind, name)
        self.name, self.kind, self._is_ours = name, kind, reference.startswith("subitize.")
        self.who = f"{kind.removesuffix('s')} {name!r}"
        found = in_program or plugins.load(reference, f"{self.who} ({reference})")
        try:
            self.make = _as_counting(kind, name, reference, found)
            parameters = inspect.signature(self.make, eval_str=True).parameters.values()
        except Exception as error:  # annotations may not resolve
            raise BadValueError(f"{self.who} ({reference}) should be a class or a function: {error}") from error
        # A refinement is a function of the prompt with its options bound, or a class that makes one.
        self._is_bound = kind == "refinements" and not inspect.isclass(self.make)
        targets = [p for p in parameters if p.kind is p.POSITIONAL_ONLY and not self._is_bound]
        self.target = targets[0].name if targets else None
        self.needs_model = any(p.annotation is Model for p in targets)
        options = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
        self.defaults = {p.name: p.default for p in options}
        self.types = {p.name: specs.unwrap_annotation(p.annotation) for p in options}
        notes = {p.name: getattr(p.annotation, "__metadata__", ()) for p in options}
        self.runtime_options = {name for name, own in notes.items() if RuntimeOption in own}
        self._added_later = {name for name, own in notes.items() if NotInOldIds in own}
        self.stands_for = {name: note for name, own in notes.items() for note in own if isinstance(note, str)}

    def key_beside(self, base: "Factory", key: str) -> str:
        """Return an option's key beside a suite's options; on a clash, the plain key is the suite's."""
        taken = {*base.defaults, base.target}
        return f"{self.name.replace('-', '_')}_{key}" if key in taken else key

    def changed(self, written: Mapping[str, str]) -> dict[str, str]:
        """Keep the options that differ from their defaults."""
        return {key: text for key, text in written.items() if text != specs.format_value(self.defaults[key])}

    def check_target(self, target: str) -> None:
        """Refuse a target where there is none to set."""
        if target and not self.target:
            raise BadValueError(f"{self.who} takes options as key=value, not {target!r}; {self._options_known()}")

    def build(self, target: str, given: Mapping[str, str]) -> tuple[Spec, Any]:
        """Make the object, and its spec with all options that are part of its identity."""
        asked, values = self._read_spec(target, given)
        model = make_model(asked) if asked else None
        made = self._construct(model.obj if model else target, values)
        if not self._is_ours:  # some built-in ones read their files on first use only
            made = adapt(self.kind, self.who, made)
        if isinstance(made, Suite):
            made.check_judge(_check_judge)
            if made.spec:
                return made.spec, made
        written = {key: specs.format_value(value) for key, value in values.items() if self._is_identity(key, value)}
        # The target is part of the identity: with another path it is another suite or model.
        whole = ({self.target: target} if self.target else {}) | written
        if model:
            target = model.spec.text
            whole = {"model": target} | {f"model {key}": text for key, text in model.spec.options.items()} | written
        text = specs.write_spec(":".join(filter(None, [self.name, target])), self.changed(written))
        return Spec(self.name, whole, text), made

    def check(self, target: str, given: Mapping[str, str]) -> None:
        """Refuse a bad target or option, without making the object."""
        asked, _ = self._read_spec(target, given)
        if asked:
            _check("models", asked)

    def _read_spec(self, target: str, given: Mapping[str, str]) -> tuple[str, dict[str, object]]:
        """Read the parts of a spec: the spec of the model that a judge asks, if any, and the options' values."""
        self.check_target(target)
        if self.target and not target:
            needed = self.target.upper()
            raise BadValueError(f"{self.who} needs {needed}: write {self.name}:{needed}")
        # Options that the judge does not have go to the model that it asks.
        others = {key: value for key, value in given.items() if self.needs_model and key not in self.defaults}
        own = {key: value for key, value in given.items() if key not in others}
        return specs.write_spec(target, others) if self.needs_model else "", self.defaults | self._read(own)

    def _is_identity(self, key: str, value: object) -> bool:
        """Return whether an option, with this value, is part of the identity."""
        if key in self._added_later:
            return specs.format_value(value) != specs.format_value(self.defaults[key])
        return key not in self.runtime_options

    def _construct(self, target: object, values: Mapping[str, object]) -> Any:  # noqa: ANN401
        try:
            if self._is_bound:
                return partial(self.make, **values)
            return self.make(*([target] if target else []), **values)
        except SubitizeError:
            raise
        except Exception as error:  # an outside package may fail in any way
            raise BadValueError(f"{self.who} cannot be made: {type(error).__name__}: {error}") from error

    def _read(self, given: Mapping[str, str]) -> dict[str, object]:
        for key in given:
            if key not in self.defaults:
                raise BadValueError(f"{self.who} has no option {key!r}; {self._options_known()}")
        return {key: specs.parse_value(f"{self.who}: {key}", text, self.types[key]) for key, text in given.items()}

    def _options_known(self) -> str:
        return f"known options: {', '.join(self.defaults) or 'none'}"


_SHAPES = ("respond", "respond_all", "compute", "compute_all")
_NEEDS: Mapping[Kind, tuple[type, Mapping[str, type], tuple[str, ...]]] = {
    "suites": (Suite, {"title": str, "judge": str, "max_attempts": int, "repeats": int}, ("items",)),
    "models": (Model, {"tasks": frozenset, "is_stand_in": bool}, _SHAPES),
    "judges": (Judge, {"rule": str, "is_stand_in": bool, "asks_together": bool}, _SHAPES),
}
"""Each role's base class, attributes with their types, and methods of which it needs one."""
_ABILITIES = {"is_ready_made": "match", "is_self_tested": "self_test", "asks_model": "put"}
"""What base classes say of a class, and the method by which a class that inherits from none shows it."""


def adapt(kind: Kind, who: str, made: Any) -> Any:  # noqa: ANN401
    """Check an outside object before it is used; give it its role's defaults if its class does not inherit them."""
    if kind not in _NEEDS:
        return made
    role, attributes, methods = _NEEDS[kind]
    if not any(callable(getattr(made, name, None)) for name in methods):
        raise BadValueError(f"{who} has none of {', '.join(methods)}; it needs one")
    it = made if isinstance(made, role) else _with_defaults(role, made)
    for name, wanted in attributes.items():
        value = getattr(it, name, None)
        if not isinstance(value, wanted):
            raise BadValueError(f"{who}: {name} should be of type {wanted.__name__}, not {value!r:.60}")
    return it


def _with_defaults(role: type, made: object) -> object:
    """Make an object of a role with all that another has; what that lacks is the role's default."""
    kind = type(made)
    it = type(kind.__name__, (role,), {"__module__": kind.__module__})()
    known = {*dir(role), *role.__annotations__, "concurrency", "batch_size"}
    for name in dir(made):
        # An unknown property may load a network.
        is_lazy = isinstance(getattr(kind, name, None), property | cached_property) and name not in known
        if not (is_lazy or name.startswith("_")):
            setattr(it, name, getattr(made, name))
    for ability, method in _ABILITIES.items():
        if hasattr(role, ability) and hasattr(made, method):
            setattr(it, ability, True)
    return it
