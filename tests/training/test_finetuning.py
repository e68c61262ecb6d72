"""Finetuning of tiny networks: what they learn, what stays the same, and what is refused."""

import json
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from subitize.errors import BadFileError, BadValueError, ConflictError, RunError, StorageError, SubitizeError
from subitize.interfaces import NoEvents
from subitize.networks.encoders import LazyImage
from subitize.registry import make_model
from tests.cases import Case
from tests.conftest import ROOT
from tests.networks.tiny_weights import find_tiny
from tests.training.tiny_probes import make_probe, write_captions, write_probes

pytestmark = pytest.mark.torch

KINDS = {"vilbert": "vilbert", "vilbert-12-in-1": "vilbert", "lxmert": "transformers"}
EVENTS = NoEvents()


@pytest.fixture(scope="module")
def find(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    return partial(find_tiny, folders=tmp_path_factory)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write_probes(tmp_path_factory.mktemp("probes"))


@pytest.fixture
def spec(find: Callable[[str], Path], data: tuple[Path, Path]) -> Callable[[str], str]:
    return lambda kind: f"{KINDS[kind]}:{find(kind)},regions={data[1]}"


def finetune(model: str, probes: Path, out: Path, **given: Any) -> Any:  # noqa: ANN401
    from subitize.api import train_probe

    options: dict[str, Any] = {"epochs": 2, "seeds": "0", "device": "cpu"} | given
    return train_probe(model, probes, out=out, events=EVENTS, **options)


@pytest.mark.parametrize(("kind", "epochs"), [("vilbert", 100), ("lxmert", 40)])
def test_a_tiny_network_learns_32_pairs_by_heart(
    kind: str, epochs: int, find: Callable[[str], Path], data: tuple[Path, Path], tmp_path: Path
) -> None:
    from subitize.training.recipes import find_recipe
    from tests.training.tiny_training import make_pairs, train_tiny

    folder = Path(shutil.copytree(find(kind), tmp_path / kind))
    name = "config.json" if kind == "lxmert" else "bert_base_6layer_6conect.json"
    config = json.loads((folder / name).read_text())
    # With so few numbers, dropout leaves nothing to learn from.
    (folder / name).write_text(json.dumps({key: 0.0 if "dropout" in key else one for key, one in config.items()}))
    recipe = find_recipe("seeing-past-words").changed(epochs=epochs, rate=3e-4)
    spec = f"{KINDS[kind]}:{folder},regions={data[1]}"
    progress = train_tiny(spec, tmp_path / "out", recipe, evaluations=0.1)
    assert len(make_pairs()) == 32
    assert progress.best("accuracy")["accuracy"] >= 0.95
    assert progress.history[-1]["loss"] < progress.history[1]["loss"]


def test_killed_in_its_second_epoch_and_resumed_it_comes_to_the_same_bits(
    spec: Callable[[str], str], tmp_path: Path
) -> None:
    from tests.training.tiny_training import train_tiny

    command = [sys.executable, "-m", "tests.training.killed_training", spec("vilbert"), str(tmp_path / "killed")]
    killed = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert sorted(path.name for path in (tmp_path / "killed").iterdir()) == ["best.pt", "checkpoint.pt"]
    resumed, undisturbed = (train_tiny(spec("vilbert"), tmp_path / name) for name in ("killed", "undisturbed"))
    assert resumed.history == undisturbed.history
    for name in ("best", "last"):
        one, other = ((tmp_path / run / name / "model.safetensors").read_bytes() for run in ("killed", "undisturbed"))
        assert one == other
    left = sorted(path.name for path in (tmp_path / "killed").iterdir())
    assert left == ["best", "history.json", "last"]


def test_one_seed_gives_the_same_weights_again_and_three_seeds_differ(
    spec: Callable[[str], str], data: tuple[Path, Path], tmp_path: Path
) -> None:
    model = f"{spec('vilbert')},head=vil_logit"
    finetune(model, data[0], tmp_path / "one", seeds="0,1,2")
    finetune(model, data[0], tmp_path / "two", seeds="0,1,2")
    weights = [
        (tmp_path / out / f"seed-{seed}" / "last" / "model.safetensors").read_bytes()
        for out in ("one", "two")
        for seed in range(3)
    ]
    assert weights[:3] == weights[3:]
    assert len(set(weights)) == 3


@pytest.mark.parametrize("kind", KINDS)
def test_the_finetuned_folder_is_a_model_at_once_with_provenance(
    kind: str, spec: Callable[[str], str], data: tuple[Path, Path], find: Callable[[str], Path], tmp_path: Path
) -> None:
    from subitize.networks.weights import hash_weights

    model = spec(kind) + {"vilbert": ",head=vil_logit", "vilbert-12-in-1": ",task=3"}.get(kind, "")
    finetune(model, data[0], tmp_path / "out", rate=1e-3)
    folder = tmp_path / "out" / "seed-0" / "last"
    made: Any = make_model(f"{KINDS[kind]}:{folder},regions={data[1]}").obj
    probes = [make_probe(number, "test", number + 1) for number in range(4)]
    texts = [(probe.image, one) for probe in probes for one in probe.candidates()]
    views = [LazyImage(image, lambda: pytest.fail("no pixels")) for image, _ in texts]
    scores = made.score(views, [one.statement for _, one in texts])
    right = [(score["match"] > 0.5) == one.is_right for score, (_, one) in zip(scores, texts, strict=True)]
    history = json.loads((tmp_path / "out" / "seed-0" / "history.json").read_text())["history"]
    assert 100 * np.mean(right) == pytest.approx(history[-1]["test · accuracy"])
    told = json.loads((folder / "finetuning.json").read_text())
    assert told["parent_weights_sha256"] == hash_weights(find(kind))
    assert hash_weights(folder) != hash_weights(find(kind))
    assert (told["seed"], told["epoch"], told["recipe"]["rate"], len(told["data_sha256"])) == (0, 2, 1e-3, 64)
    assert told["head"] == {"vilbert": "vil_logit", "vilbert-12-in-1": "bi_seq_relationship"}.get(
        kind, "LxmertForPreTraining"
    )


def test_figures_are_of_both_parts_of_odd_answers_and_of_matching_before_and_after(
    spec: Callable[[str], str], data: tuple[Path, Path], tmp_path: Path
) -> None:
    found = finetune(
        spec("lxmert"), data[0], tmp_path / "out", seeds="3,4", numbers="even", alignment=write_captions(tmp_path)
    )
    rows = {(one["data"], one["measure"]): one for one in found.records}
    for place in (
        ("validation + test", "accuracy"),
        ("test", "accuracy"),
        ("validation + test, odd", "pairwise_accuracy"),
        ("alignment", "accuracy"),
    ):
        assert (rows[place]["before_n"], rows[place]["last_n"], rows[place]["best_n"]) == (2, 2, 2)
        assert rows[place]["last_sd"] is not None
    page = (tmp_path / "out" / "report.html").read_text()
    assert "validation + test · accuracy, by epoch and seed" in page
    assert json.loads((tmp_path / "out" / "settings.json").read_text())["numbers"] == "even"


def test_training_on_even_answers_takes_no_odd_ones(data: tuple[Path, Path]) -> None:
    from subitize.papers.seeing_past_words.finetuning import ProbeTraining, _read_pairs
    from subitize.training.recipes import find_recipe

    train_on, tests = _read_pairs(data[0], ProbeTraining(find_recipe("seeing-past-words"), numbers="even"))
    assert {int(pair.group.split()[1]) % 2 for pair in train_on} == {0}
    assert {int(pair.group.split()[1]) % 2 for pair in tests} == {0, 1}
    assert sum(pair.is_right for pair in train_on) * 4 == len(train_on)


def test_the_papers_recipe_stands_beside_the_printed_cell(
    spec: Callable[[str], str], data: tuple[Path, Path], tmp_path: Path
) -> None:
    from subitize.papers.seeing_past_words.finetuning import ProbeTraining, _find_printed
    from subitize.training.recipes import find_recipe

    training = ProbeTraining(find_recipe("seeing-past-words"), split="hard", form="qa")
    assert _find_printed("ViLBERT 12-in-1", training) == {
        "accuracy": "64.3 (4.2)",
        "precision_right": "38.7 (3.3)",
        "precision_foiled": "86.0 (2.7)",
        "pairwise_accuracy_ties_win": "69.8 (2.6)",
    }


def test_an_early_stop_keeps_the_best_and_the_last(
    spec: Callable[[str], str], data: tuple[Path, Path], tmp_path: Path
) -> None:
    finetune(spec("lxmert"), data[0], tmp_path / "out", epochs=9, patience=2, rate=1e-8)
    rows = json.loads((tmp_path / "out" / "seed-0" / "history.json").read_text())["history"]
    assert [row["epoch"] for row in rows] == [0, 1, 2, 3]
    told = json.loads((tmp_path / "out" / "seed-0" / "best" / "finetuning.json").read_text())
    assert told["epoch"] == 1


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Let no file grow beyond a size, as on a disk that is nearly full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_leaves_the_checkpoint_before(tmp_path: Path) -> None:
    import torch

    from subitize.training.checkpoints import load_tensors, save_tensors

    path = tmp_path / "checkpoint.pt"
    save_tensors(path, {"step": 1, "weights": torch.ones(10)})
    with largest_file(20_000), pytest.raises(StorageError, match=r"cannot write .*checkpoint\.pt"):
        save_tensors(path, {"step": 2, "weights": torch.ones(100_000)})
    assert load_tensors(path)["step"] == 1
    assert [one.name for one in tmp_path.iterdir()] == ["checkpoint.pt"]


def test_a_model_that_does_not_fit_on_the_disk_leaves_no_half_folder(
    spec: Callable[[str], str], tmp_path: Path
) -> None:
    from subitize.training.checkpoints import write_model
    from subitize.training.matching import Parent

    parent = Parent.load(spec("vilbert"), 0)
    with largest_file(20_000), pytest.raises(StorageError, match="cannot write"):
        write_model(tmp_path / "last", parent.write, {})
    assert list(tmp_path.iterdir()) == []


def test_a_checkpoint_cut_short_or_hostile_is_refused_in_one_line(tmp_path: Path, case: Case) -> None:
    import pickle

    import torch

    from subitize.training.checkpoints import load_tensors, save_tensors

    path = tmp_path / "checkpoint.pt"
    save_tensors(path, {"weights": torch.ones(1000)})
    whole = path.read_bytes()
    hostile = pickle.dumps(Hostile(tmp_path / "run"), protocol=2)
    for name, found in {"cut": whole[:-200], "empty": b"", "hostile": hostile}.items():
        path.write_bytes(found)
        with case(name), pytest.raises(BadFileError, match="cannot be read") as caught:
            load_tensors(path)
        assert "\n" not in str(caught.value)
    assert not (tmp_path / "run").exists()


class Hostile:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


def test_a_loss_that_is_no_number_stops_and_names_the_batch(
    find: Callable[[str], Path], data: tuple[Path, Path], tmp_path: Path
) -> None:
    with np.load(data[1]) as archive:
        arrays = dict(archive)
    arrays["train-3.jpg.features"] = arrays["train-3.jpg.features"] * np.float32(1e38)
    np.savez(tmp_path / "r.npz", **arrays)
    with pytest.raises(RunError, match=r"loss of step \d is nan: seed 0, a batch of 16 .*train\d on train-\d.jpg"):
        finetune(f"vilbert:{find('vilbert')},regions={tmp_path / 'r.npz'}", data[0], tmp_path / "out")


def test_pictures_that_are_trained_and_tested_on_are_refused_by_name_and_by_content(
    find: Callable[[str], Path], tmp_path: Path, case: Case
) -> None:
    same = make_probe(9, "test", 2, image="TRAIN-1.jpg")
    copy = make_probe(9, "test", 2, image="other.jpg")
    for name, extra in (("name", same), ("content", copy)):
        folder = tmp_path / name
        folder.mkdir()
        file, regions = write_probes(folder, [extra])
        with np.load(regions) as archive:
            arrays = dict(archive)
        for part in ("features", "boxes"):
            arrays[f"{extra.image}.{part}"] = arrays[f"train-1.jpg.{part}"] + (0.001 if name == "name" else 0)
        np.savez(regions, **arrays)
        with (
            case(name),
            pytest.raises(BadValueError, match=f"1 pictures to train on .* by their {name}: .*'train-1.jpg'"),
        ):
            finetune(f"vilbert:{find('vilbert')},regions={regions}", file, folder / "out")
        assert not (folder / "out").exists()


def test_what_cannot_be_trained_is_refused_in_one_line(
    spec: Callable[[str], str], find: Callable[[str], Path], data: tuple[Path, Path], tmp_path: Path, case: Case
) -> None:
    probes = data[0]
    few = tmp_path / "few"
    few.mkdir()
    lacking = write_probes(few, train=2)[1]
    vilbert = spec("vilbert")
    for model, options, told in (
        (f"transformers:{find('vilt-mlm')}", {}, "is ViltForMaskedLM, which has no head for matches"),
        (f"transformers:{find('clip')}", {}, "is CLIPModel, which has no head for matches"),
        (f"transformers:{find('vilt-itm')}", {}, "looks at pixels; name the folder of the pictures: `images`"),
        ("openai:gpt", {}, "transformers:FOLDER or vilbert:FOLDER"),
        (f"{vilbert},batch_size=3", {}, "training has no option 'batch_size'"),
        (f"{vilbert},head=vil_binary_prediction", {}, "should be bi_seq_relationship or vil_logit"),
        (f"vilbert:{find('vilbert')}", {}, "write regions=FILE"),
        (f"vilbert:{find('vilbert')},regions={lacking}", {}, "lacks 6 of 16 pictures; the first is 'train-2.jpg'"),
        (vilbert, {"split": "hard"}, "no split named 'hard'"),
        (vilbert, {"numbers": "prime"}, "no numbers named 'prime'"),
        (vilbert, {"seeds": "1,1"}, "should be different numbers"),
        (vilbert, {"seeds": "one"}, "should be whole numbers"),
        (vilbert, {"recipe": "mine"}, "no recipe named 'mine'"),
        (vilbert, {"precision": "fp8"}, "`precision` fp8"),
    ):
        with case(f"{model} {options}"):
            with pytest.raises(SubitizeError) as caught:
                finetune(model, probes, tmp_path / "out", **options)
            assert told in str(caught.value)
            assert "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_a_folder_with_other_settings_is_not_gone_on_with(
    spec: Callable[[str], str], data: tuple[Path, Path], tmp_path: Path
) -> None:
    finetune(spec("lxmert"), data[0], tmp_path / "out")
    again = finetune(spec("lxmert"), data[0], tmp_path / "out")
    assert again.records == finetune(spec("lxmert"), data[0], tmp_path / "out").records
    with pytest.raises(ConflictError, match=r"begun with other settings \(format declarative, now qa\)"):
        finetune(spec("lxmert"), data[0], tmp_path / "out", format="qa")


def test_regions_in_a_database_are_trained_on(
    find: Callable[[str], Path], data: tuple[Path, Path], tmp_path: Path
) -> None:
    from tests.networks.tiny_matchers import write_region_database

    images = {json.loads(line)["image"] for line in data[0].read_text().splitlines()}
    regions = write_region_database(tmp_path / "r.lmdb", sorted(images))
    finetune(f"vilbert:{find('vilbert')},regions={regions}", data[0], tmp_path / "out", seeds="0,1", epochs=1)
    assert (tmp_path / "out" / "seed-1" / "best" / "finetuning.json").is_file()


def test_a_network_that_looks_at_pixels_is_trained_on_a_folder_of_pictures(
    find: Callable[[str], Path], data: tuple[Path, Path], tmp_path: Path
) -> None:
    from PIL import Image

    pictures = tmp_path / "pictures"
    pictures.mkdir()
    random = np.random.default_rng(0)
    for part, count in (("train", 8), ("validation", 4), ("test", 4)):
        for number in range(count):
            pixels = random.integers(0, 256, (32, 32, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(pictures / f"{part}-{number}.jpg")
    model = f"transformers:{find('vilt-itm')}"
    finetune(model, data[0], tmp_path / "out", images=pictures, epochs=1)
    assert make_model(f"transformers:{tmp_path / 'out' / 'seed-0' / 'best'}").obj.tasks == {"match"}
