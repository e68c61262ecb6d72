"""Region features in ViLBERT's databases: the same as from other files, and nothing that is pickled in them is run."""

import datetime
import pickle
import subprocess
from collections import OrderedDict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from subitize.errors import BadFileError, BadValueError
from subitize.networks.joint import Regions, hash_regions
from subitize.networks.region_databases import load_plain
from tests.cases import Case
from tests.networks.tiny_matchers import write_region_database, write_regions

pytestmark = pytest.mark.torch

IDS = ["17", "18", "230"]


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("is_encoded", [True, False], ids=["base64", "arrays"])
def test_a_database_holds_what_other_files_do(protocol: int, is_encoded: bool, tmp_path: Path) -> None:
    path = write_region_database(tmp_path / "r.lmdb", IDS, protocol=protocol, is_encoded=is_encoded)
    found = Regions.open(path).of(["v7w_18.jpg", "17"])
    wanted = Regions.open(write_regions(tmp_path / "r.npz", IDS)).of(["18", "17"])
    for one, other in zip(found, wanted, strict=True):
        assert np.allclose(one, other, atol=1e-6)
    assert Regions.open(path).names == set(IDS)  # a second time, while it is open
    assert hash_regions(path) == hash_regions(path / "data.mdb")


class Runs:
    """What calls a function when it is unpickled."""

    def __init__(self, call: Any, *given: Any) -> None:  # noqa: ANN401
        self.call, self.given = call, given

    def __reduce__(self) -> tuple[Any, ...]:
        return self.call, self.given


def hostile(path: Path) -> dict[str, object]:
    """Values whose pickles would make a file, or are no plain data."""
    touched = f"open({str(path)!r}, 'w')"
    objects = np.empty(1, object)
    objects[0] = Runs(eval, touched)
    return {
        "call": Runs(subprocess.run, ["touch", str(path)]),
        "eval": Runs(eval, touched),
        "partial": Runs(partial, print),
        "getattr": Runs(getattr, "", "join"),
        "import": Runs(__import__, "os"),
        "array of objects": objects,
        "within an array": [np.ones(2), {"a": Runs(eval, touched)}],
        "date": datetime.date(2020, 1, 1),
        "ordered": OrderedDict(a=1),
        "structure": np.zeros(2, [("a", "O")]),
        "matrix": np.ma.masked_array([1.0], [False]),
        "class": Path,
    }


@pytest.mark.parametrize("protocol", [0, 2, 4, 5])
def test_a_hostile_pickle_is_refused_and_not_run(protocol: int, tmp_path: Path, case: Case) -> None:
    for name, value in hostile(tmp_path / "made").items():
        with case(name), pytest.raises(pickle.UnpicklingError, match="it holds"):
            load_plain(pickle.dumps(value, protocol))
    assert not (tmp_path / "made").exists()


def test_plain_data_are_read(case: Case) -> None:
    for value in (
        1,
        2.5,
        "a",
        b"\xff",
        [1, [2]],
        {"a": {"b": None}},
        np.float32(2),
        np.arange(6.0).reshape(2, 3),
        True,
    ):
        for protocol in (0, 2, 5):
            with case(f"{value!r} {protocol}"):
                assert repr(load_plain(pickle.dumps(value, protocol))) == repr(value)


def test_a_hostile_record_is_one_line(tmp_path: Path) -> None:
    import lmdb

    path = write_region_database(tmp_path / "r.lmdb", IDS)
    with lmdb.open(str(path)) as environment, environment.begin(write=True) as transaction:
        transaction.put(b"18", pickle.dumps(Runs(eval, f"open({str(tmp_path / 'made')!r}, 'w')")))
        transaction.put(b"230", pickle.dumps({"boxes": 1}))
    regions = Regions.open(path)
    assert regions.of(["17"])[0].shape == (1, 2, 20)
    for name, told in (
        ("18", "holds builtins.eval, which is no plain data and is never run"),
        ("230", "has no 'features'"),
    ):
        with pytest.raises(BadFileError, match=told) as caught:
            regions.of([name])
        assert "\n" not in str(caught.value)
    assert not (tmp_path / "made").exists()
    with pytest.raises(BadValueError, match="has no picture '5'"):
        regions.of(["5"])


def test_a_damaged_database_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "r.lmdb"
    path.mkdir()
    (path / "data.mdb").write_bytes(b"no database" * 1000)
    with pytest.raises(BadFileError, match=r"r\.lmdb cannot be read as region features"):
        Regions.open(path)


def test_the_regions_of_another_detector_are_refused(tmp_path: Path) -> None:
    from types import SimpleNamespace

    from subitize.networks.joint import LXMERT_DETECTOR, prepare_regions
    from subitize.networks.vilbert import DETECTOR

    with np.load(write_regions(tmp_path / "r.npz", IDS)) as archive:
        arrays: dict[str, Any] = dict(archive)
    np.savez(tmp_path / "r.npz", detector=np.array(DETECTOR), **arrays)
    regions, config = Regions.open(tmp_path / "r.npz"), SimpleNamespace(visual_feat_dim=20)
    prepare_regions(regions, config, DETECTOR)
    with pytest.raises(BadFileError, match=f"detector '{DETECTOR}'; this network was trained with '{LXMERT_DETECTOR}'"):
        prepare_regions(regions, config)
