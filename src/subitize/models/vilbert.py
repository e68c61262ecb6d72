"""ViLBERT and 12-in-1 on this machine, from the files of their authors: they score texts and fill gaps."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from subitize.errors import BadFileError, BadValueError
from subitize.interfaces import RuntimeOption
from subitize.networks import weights
from subitize.networks.encoders import LazyImage
from subitize.networks.joint import hash_regions
from subitize.networks.local import LocalModel
from subitize.records import Scalar

if TYPE_CHECKING:
    from subitize.networks.vilbert import ViLBertNetwork


class Vilbert(LocalModel):
    """Run ViLBERT or 12-in-1 on this machine, from a folder with the authors' weights and configuration.

    Args:
        regions: file of region features, of the authors' detector
        task: the task's token of 12-in-1, from 0 to 19 [that of finetuning, or 7, retrieval of COCO's captions]
        head: the head a match is read from, bi_seq_relationship or vil_logit [the one that was finetuned, or the first]
    """

    name = "vilbert"
    packages = ("torch", "transformers")

    def __init__(
        self,
        folder: str,
        /,
        *,
        regions: str | None = None,
        task: int | None = None,
        head: str | None = None,
        dtype: str = "auto",
        device: Annotated[str, RuntimeOption] = "auto",
        batch_size: Annotated[int, RuntimeOption] = 8,
    ) -> None:
        super().__init__(folder, dtype=dtype, device=device, batch_size=batch_size)
        self._regions = None if regions is None else Path(regions).expanduser()
        self._task, self._head = task, head

    @cached_property
    def folder(self) -> Path:
        """The folder of its weights; they are on no hub."""
        from subitize.networks.vilbert import find_config

        folder = Path(self.given).expanduser()
        if not folder.is_dir():
            raise BadFileError(f"there is no folder {folder}; name that of the authors' weights, see docs/matching.md")
        find_config(folder)
        return folder

    def load(self) -> None:
        """Load the network and hash its regions."""
        _ = self._network, self._hash

    def parameters(self) -> dict[str, Scalar]:
        """List what was in effect."""
        network = self._network
        told: dict[str, Scalar] = {"regions_sha256": self._hash, "head": network.head}
        return super().parameters() | told | ({} if network.task is None else {"task": network.task})

    def score(self, images: Sequence[LazyImage], texts: Sequence[str]) -> Sequence[Mapping[str, float]]:
        """Score texts by the head for matches."""
        return self._network.match(images, texts)

    def fill(self, images: Sequence[LazyImage], texts: Sequence[str]) -> Sequence[Mapping[str, float]]:
        """Give the probabilities of words in each gap."""
        return self._network.fill(images, texts)

    @cached_property
    def parameter_count(self) -> int:
        """How many parameters the network has."""
        return weights.count_parameters(self._network.network)

    @cached_property
    def _hash(self) -> str:
        return hash_regions(self._find_regions())

    def _find_regions(self) -> Path:
        if self._regions is None:
            raise BadValueError("it sees regions, not pixels; write regions=FILE")
        return self._regions

    @cached_property
    def _network(self) -> "ViLBertNetwork":
        from subitize.networks.vilbert import ViLBertNetwork, ViLBertOptions

        options = ViLBertOptions(self._task, self._head)
        return ViLBertNetwork(self.folder, self.device, self._find_regions(), options)
