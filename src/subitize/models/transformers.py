"""Networks of Hugging Face's transformers on this machine: they answer questions, score texts and fill gaps."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from subitize.errors import BadFileError, BadValueError, UnusableModelError
from subitize.interfaces import RuntimeOption
from subitize.io.specs import check_range
from subitize.networks import joint, weights
from subitize.networks.detectors.hub import is_detector, name_detector
from subitize.networks.encoders import LazyImage
from subitize.networks.generators import GenerationOptions
from subitize.networks.local import Described, LocalModel
from subitize.records import Scalar, Scored, TaskKind


class Transformers(LocalModel):
    """Run a vision-language network of transformers on this machine, from a folder or the hub.

    Args:
        prompt: how a question is put where there is no chat template, with {question} in it
        regions: file of region features, for networks that take no pixels
    """

    name = "transformers"
    # Where torchvision is installed, it resizes pictures instead of Pillow, to other pixels.
    packages = ("torch", "transformers", *(["torchvision"] if find_spec("torchvision") else []))

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
        super().__init__(model, dtype=dtype, device=device, batch_size=batch_size)
        self._options = GenerationOptions(max_tokens, temperature or 0.0, system, prompt)
        check_range(self.who, 1, max_tokens=max_tokens)
        check_range(self.who, 0, temperature=temperature)
        if prompt is not None and "{question}" not in prompt:
            raise BadValueError(f"{self.who}: prompt={prompt!r}: should have {{question}} where the question goes")
        self._regions = None if regions is None else Path(regions).expanduser()
        self.sees_regions = regions is not None
        if weights.is_pipeline(model):
            raise BadFileError(f"{model} is a pipeline that draws, and answers nothing; write diffusers:{model}")
        if weights.find_folder(model) is not None:
            self._refuse_detectors()

    @cached_property
    def tasks(self) -> frozenset[TaskKind]:  # type: ignore[override]
        """What the network can do, by the architecture in its config; only the config is fetched from the hub."""
        self._refuse_detectors()
        return joint.tasks_of(self._architecture, self._config)

    def load(self) -> None:
        """Load the network; refuse options that it does not heed."""
        weights.require_transformers(self._architecture, self.who)
        self._refuse_idle_options()
        _ = self._hashed_regions, self._network

    def _refuse_idle_options(self) -> None:
        """Refuse options of generation where no text is generated: they would do nothing, yet name another model."""
        if self._generates:
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
            remedy = f"write {name}:{self.given}" if name else "take another model"
            held = f"a detector ({self._architecture})"
            raise UnusableModelError(f"{self.who} is {held} and answers no questions; {remedy}")

    def parameters(self) -> dict[str, Scalar]:
        """List what was in effect."""
        return super().parameters() | self._hashed_regions

    def answer(self, images: Sequence[LazyImage], questions: Sequence[str], seeds: Sequence[int]) -> list[Described]:
        """Answer each question, and note how it was generated and whether it was cut short."""
        options, found = self._options, self._network.answer(images, questions, seeds)
        if not self._generates:
            return [Described(said) for said in found]
        told: dict[str, Scalar] = {"max_tokens": options.max_tokens, "temperature": options.temperature}
        told |= self._network.describe()
        cut: dict[str, Scalar] = {"finish": "length"}
        return [Described(said, told | (cut if len(said.tokens) >= options.max_tokens else {})) for said in found]

    def score(self, images: Sequence[LazyImage], texts: Sequence[str]) -> Sequence[Mapping[str, float] | Described]:
        """Score texts by a head or a similarity, else by the probability of a yes."""
        if "answer" not in self.tasks:
            scores: Sequence[Mapping[str, float]] = self._network.match(images, texts)
            return scores
        asked = list(map(joint.ask, texts))
        told: dict[str, Scalar] = {"wording": joint.VQASCORE_PROMPT} | self._network.describe()
        found = zip(self._network.probability_of_yes(images, asked), asked, strict=True)
        return [Described(Scored({"match": yes}), told, question) for yes, question in found]

    def fill(self, images: Sequence[LazyImage], texts: Sequence[str]) -> Sequence[Mapping[str, float]]:
        """Give the probabilities of words in each gap."""
        words: Sequence[Mapping[str, float]] = self._network.fill(images, texts)
        return words

    @cached_property
    def parameter_count(self) -> int:
        """How many parameters the network has."""
        return weights.count_parameters(self._network.network)

    @property
    def _generates(self) -> bool:
        return "answer" in self.tasks and self._architecture not in joint.HEADS

    @cached_property
    def _hashed_regions(self) -> dict[str, Scalar]:
        """Hash the file of regions: another may be at its path later."""
        if self._regions is None or not self._regions.exists():
            return {}
        return {"regions_sha256": joint.hash_regions(self._regions)}

    @cached_property
    def _config(self) -> dict[str, Any]:
        folder = weights.find_folder(self.given)
        if folder is None:
            otherwise = f"name another, or write diffusers:{self.given} for a pipeline"
            with weights.fetching(self.who, otherwise), weights.quiet():
                from huggingface_hub import hf_hub_download

                repository, revision = weights.split_name(self.given)
                folder = Path(hf_hub_download(repository, "config.json", revision=revision)).parent
        return weights.read_config(folder)

    @cached_property
    def _architecture(self) -> str:
        return weights.name_architecture(self._config, self.given)

    @cached_property
    def _network(self) -> Any:  # noqa: ANN401
        return joint.open_network(self.folder, self._architecture, self.device, self._regions, self._options)
