"""Finds a run's responses as people refer to them: by item, model and repeat, or by image name."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from subitize.io.files import CsvRow
from subitize.records import Attached, Drawn, Elsewhere, Failed, Refused, Stored
from subitize.store import Run, StoredResponse, latest_attempts


class ResponseLookup:
    """The responses of a run, to be found by item or image."""

    def __init__(self, run: Run) -> None:
        self._by_item: dict[str, list[StoredResponse]] = defaultdict(list)
        self._by_image: dict[str, list[StoredResponse]] = defaultdict(list)
        self._by_shorter_name: dict[str, list[StoredResponse]] = defaultdict(list)
        self._by_model: dict[str, dict[str, list[StoredResponse]]] = defaultdict(lambda: defaultdict(list))
        for stored in run.responses():
            outcome, trial = stored.response.outcome, stored.response.trial
            self._by_model[trial.item_id][trial.model].append(stored)
            if not isinstance(outcome, Failed | Refused):
                self._by_item[trial.item_id].append(stored)
            if isinstance(outcome, Drawn):
                names = _image_names(stored, outcome)
                for name in names:
                    self._by_image[name].append(stored)
                for shorter in {shorter for name in names for shorter in _shorten(name)} - names:
                    self._by_shorter_name[shorter].append(stored)

    def has(self, item_id: str) -> bool:
        """Tell whether an item has a response that is none of refusal or failure."""
        return item_id in self._by_item

    def by_model(self, item_id: str) -> Mapping[str, list[StoredResponse]]:
        """List the responses to an item, by model."""
        return self._by_model[item_id]

    def find(self, line: CsvRow) -> StoredResponse:
        """Find the one response that a line names, in the column `image` or by `item`, `model` and `repeat`."""
        column = "image" if line.get("image") else "item"
        name = line.get(column)
        found = self._by_item.get(name, []) if column == "item" else self._responses_with_image(name)
        if not found:
            raise line.error(f"no response with {column} {name!r} in this run; `subitize export` lists what it has")
        fitting = latest_attempts(stored for stored in found if _fits(line, stored))
        if len(fitting) != 1:
            have = ", ".join(f"{s.response.trial.model} repeat {s.response.trial.repeat}" for s in found[:4])
            raise line.error(
                f"{column} {name!r} has {len(found)} responses ({have}{', …' if len(found) > 4 else ''}), of which "
                f"{len(fitting)} fit; name one by the columns item, model and repeat"
            )
        return fitting[0]

    def _responses_with_image(self, name: str) -> list[StoredResponse]:
        """Find an image by its whole name, by more than that, or by less; folders that differ are never passed over."""
        whole = PurePosixPath(name).as_posix()
        longest = next((known for known in (name, whole, *_shorten(whole)) if known in self._by_image), "")
        return self._by_image[longest] if longest else self._by_shorter_name.get(whole, [])


def _fits(line: CsvRow, stored: StoredResponse) -> bool:
    trial = stored.response.trial
    named = {"item": trial.item_id, "model": trial.model, "repeat": str(trial.repeat)}
    return all(line.get(column) in ("", value) for column, value in named.items())


def _image_names(stored: StoredResponse, outcome: Drawn) -> set[str]:
    """List what people may call an image: its hash, its file here, the file it was read from, its published name."""
    picture = outcome.picture
    names = {picture.name} if isinstance(picture, Elsewhere | Attached) else set()
    if isinstance(picture, Stored):
        names |= {picture.hash, f"{picture.hash}.{picture.format}"}
    file = stored.response.provenance.parameters.get("file")
    return names | ({str(file)} if file else set())


def _shorten(name: str) -> Iterator[str]:
    """Take folders off the front of a name, one by one, down to the bare name of the file."""
    parts = PurePosixPath(name).parts
    return ("/".join(parts[start:]) for start in range(1, len(parts)))
