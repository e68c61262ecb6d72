"""Networks of Hugging Face's transformers on this machine: they answer questions, score texts and fill gaps."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from subitize.errors import BadFileError, BadValueError, UnusableModelError
from subitize.interfaces import Model, Reply, Request, RuntimeOption
from subitize.networks import joint, weights
from subitize.networks.detectors.hub import is_detector, name_detector
from subitize.networks.encoders import DualEncoder, LazyImage, refuse_regions
from subitize.networks.generators import GenerationOptions, Generator, open_generator
from subitize.networks.weights import Device, is_pipeline
from subitize.records import Provenance, Said, Scalar, Scored, TaskKind


class Transformers(Model):
    """Run a vision-language network of transformers on this machine, from a folder or the hub.

    Args:
        prompt: how a question is put where there is no chat template, with {question} in it
        regions: file of region features, for networks that take no pixels
    """

    def __init__(
        self,
        model: str,
        /,
        *,
        max_tokens: int = 32,
        temperature: float | None = None,
        system: str | None = None,
        prompt: str | None = None,
        regions: str | None = None,
        dtype: str = "auto",
        device: Annotated[str, RuntimeOption] = "auto",
        batch_size: Annotated[int, RuntimeOption] = 8,
    ) -> None:
        self.batch_size = batch_size
        self._who = f"transformers:{model}"
        self._model = model
        self._options = GenerationOptions(max_tokens, temperature or 0.0, system, prompt)
        with weights.naming(self._who):
            weights.check_at_least(1, batch_size=batch_size, max_tokens=max_tokens)
            weights.check_at_least(0, temperature=temperature)
            if prompt is not None and "{question}" not in prompt:
                raise BadValueError(f"prompt={prompt!r}: should have {{question}} where the question goes")
            self._placement = Device(device, dtype)
        self._regions = None if regions is None else Path(regions).expanduser()
        weights.require(self._who, "torch", "transformers")
        if is_pipeline(model):
            raise BadFileError(f"{model} is a pipeline that draws, and answers nothing; write diffusers:{model}")
        if weights.find_folder(model) is not None:
            self._refuse_detectors()

    @cached_property
    def tasks(self) -> frozenset[TaskKind]:  # type: ignore[override]
        """What the network can do, by the architecture in its config; only the config is fetched from the hub."""
        self._refuse_detectors()
        tasks: set[TaskKind] = set()
        if self._architecture in joint.MATCHERS:
            tasks.add("match")
        if self._architecture in joint.FILLERS:
            tasks.add("fill")
        if not tasks:
            tasks.add("answer")
            # To score a text, yes must be among its answers.
            if self._architecture not in joint.HEADS or joint.can_say_yes(self._config):
                tasks.add("match")
        return frozenset(tasks)

    def check(self) -> None:
        """Load all that the network's tasks need, once."""
        with weights.naming(self._who):
            weights.require_transformers(self._architecture, self._who)
            self._refuse_idle_options()
            _ = self._seen
            for kind in sorted(self.tasks):
                _ = self._filler if kind == "fill" else self._answerer if self._asks else self._matcher

    def _refuse_idle_options(self) -> None:
        """Refuse options of generation where no text is generated: they would do nothing, yet name another model."""
        if "answer" in self.tasks and self._architecture not in joint.HEADS:
            return
        options, usual = self._options, GenerationOptions()
        idle = {
            "max_tokens": options.max_tokens if options.max_tokens != usual.max_tokens else None,
            "temperature": options.temperature or None,
            "system": options.system,
            "prompt": options.form,
        }
        for name, value in idle.items():
            if value is not None:
                raise BadValueError(f"{name}={value}: {self._architecture} writes no text; leave {name} out")

    def _refuse_detectors(self) -> None:
        """Refuse a detector, and name the model that runs it."""
        if is_detector(self._architecture):
            name = name_detector(self._architecture)
            remedy = f"write {name}:{self._model}" if name else "take another model"
            raise UnusableModelError(
                f"{self._who} is a detector ({self._architecture}) and answers no questions; {remedy}"
            )

    def compute_all(self, asked: Sequence[Request], /) -> list[Reply]:
        """Do all tasks; those of one kind go through the network together."""
        self.check()
        contents: dict[int, Said | Scored] = {}
        for kind in dict.fromkeys(request.task.kind for request in asked):
            places = [place for place, request in enumerate(asked) if request.task.kind == kind]
            contents |= zip(places, self._do(kind, [asked[place] for place in places]), strict=True)
        return [self._reply(request, contents[place]) for place, request in enumerate(asked)]

    def _do(self, kind: TaskKind, requests: Sequence[Request]) -> Sequence[Said | Scored]:
        if kind not in self.tasks:
            raise BadValueError(f"{self._who} cannot do the task {kind!r}; it can {', '.join(sorted(self.tasks))}")
        views = [LazyImage.of_task(request) for request in requests]
        texts = [request.text for request in requests]
        if kind == "match" and self._asks:
            return [
                Scored({"match": yes}) for yes in self._answerer.probability_of_yes(views, list(map(joint.ask, texts)))
            ]
        if kind == "match":
            return [Scored(scores) for scores in self._matcher.match(views, texts)]
        if kind == "fill":
            return [Scored(scores) for scores in self._filler.fill(views, texts)]
        return self._answerer.answer(views, texts, [request.seed for request in requests])

    def _reply(self, request: Request, content: Said | Scored) -> Reply:
        dtype = str(self._placement.torch_dtype()).removeprefix("torch.")
        parameters: dict[str, Scalar] = {"dtype": dtype, **self._seen}
        provenance = request.provenance()
        if isinstance(content, Said):
            parameters |= self._describe(content)
        elif request.task.kind == "match" and self._asks:
            parameters |= {"wording": joint.VQASCORE_PROMPT} | self._answerer.describe()
            provenance = replace(provenance, prompt_sent=joint.ask(request.text))
        return Reply(content, self._complete(provenance, parameters))

    def _describe(self, said: Said) -> dict[str, Scalar]:
        """Describe how an answer was generated, and whether it was cut short."""
        if isinstance(self._answerer, joint.Head):
            return {}
        options = self._options
        told: dict[str, Scalar] = {"max_tokens": options.max_tokens, "temperature": options.temperature}
        is_cut = len(said.tokens) >= options.max_tokens
        return told | self._answerer.describe() | ({"finish": "length"} if is_cut else {})

    @cached_property
    def _seen(self) -> dict[str, Scalar]:
        """Hash the file of regions: another may be at its path later."""
        if self._regions is None or not self._regions.is_file():
            return {}
        return {"regions_sha256": weights.hash_weights(self._regions)}

    def _complete(self, provenance: Provenance, parameters: Mapping[str, Scalar]) -> Provenance:
        # Where torchvision is installed, it resizes pictures instead of Pillow, to other pixels.
        more = [name for name in ("torchvision",) if find_spec(name) is not None]
        is_fetched = weights.find_folder(self._model) is None
        return replace(
            provenance,
            parameters=dict(parameters),
            revision=self._folder.name if is_fetched else None,
            weights_hash=weights.hash_weights(self._folder),
            parameter_count=self._parameter_count,
            versions={**provenance.versions, **weights.name_versions("torch", "transformers", *more)},
        )

    @cached_property
    def _parameter_count(self) -> int:
        loaded = self._filler if "fill" in self.tasks else self._answerer if self._asks else self._matcher
        return weights.count_parameters(loaded.network)

    @property
    def _asks(self) -> bool:
        return "answer" in self.tasks

    @cached_property
    def _folder(self) -> Path:
        return weights.locate(self._model)

    @cached_property
    def _config(self) -> dict[str, Any]:
        folder = weights.find_folder(self._model)
        if folder is None:
            otherwise = f"name another, or write diffusers:{self._model} for a pipeline"
            with weights.fetching(self._who, otherwise), weights.quiet():
                from huggingface_hub import hf_hub_download

                repository, revision = weights.split_name(self._model)
                folder = Path(hf_hub_download(repository, "config.json", revision=revision)).parent
        return weights.read_config(folder)

    @cached_property
    def _architecture(self) -> str:
        return weights.name_architecture(self._config, self._model)

    @cached_property
    def _answerer(self) -> Generator | joint.Head:
        if self._architecture in joint.HEADS:
            return joint.open_head(self._folder, self._architecture, self._placement, self._regions)
        refuse_regions(self._folder, self._architecture, self._regions)
        return open_generator(self._folder, self._architecture, self._placement, self._options)

    @cached_property
    def _matcher(self) -> joint.Matcher | DualEncoder:
        return joint.open_matcher(self._folder, self._architecture, self._placement, self._regions)

    @cached_property
    def _filler(self) -> joint.Filler:
        return joint.open_filler(self._folder, self._architecture, self._placement, self._regions)
