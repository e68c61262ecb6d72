"""A model that cannot be loaded is refused in one line that says what to do, and never half loaded."""

import json
import logging
import os
import re
import shutil
import subprocess
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from subitize.errors import BadFileError, BadValueError, MissingPartError, UnusableModelError
from subitize.networks import weights
from subitize.networks.weights import Device
from subitize.registry import make_judge, make_model
from tests.cases import Case
from tests.networks.tiny_weights import find_tiny

CPU = Device("cpu", "float32")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a network that loads."""
    return find_tiny("detr", tmp_path_factory)


@pytest.fixture
def folder(sound: Path, tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    return Path(shutil.copytree(sound, tmp_path / "detr"))


def _load(folder: Path, may_lack: tuple[str, ...] = ()) -> object:
    from transformers import AutoModelForObjectDetection

    return weights.load_model(AutoModelForObjectDetection, folder, CPU, f"detr:{folder.name}", may_lack=may_lack)


@pytest.mark.parametrize("device", ["auto", "cpu", "mps", "cuda", "cuda:1", "xpu:0"])
def test_a_device_that_torch_has_a_name_for_is_taken(device: str) -> None:
    assert Device(device).device == device


@pytest.mark.parametrize("device", ["gpu", "cuda:", "cuda:-1", "cpu:0:1", "", "tpu", "cuda:٣"])
def test_another_device_is_refused_before_anything_is_loaded(device: str) -> None:
    with pytest.raises(BadValueError, match=r"device=.*should be auto, cpu, cuda"):
        Device(device)


def test_another_kind_of_numbers_is_refused() -> None:
    with pytest.raises(BadValueError, match=r"dtype='int8': should be auto, float32"):
        Device(dtype="int8")


@pytest.mark.torch
def test_on_a_cpu_numbers_are_float32_unless_others_are_named() -> None:
    import torch

    assert Device("cpu").torch_dtype() is torch.float32
    assert Device("cpu", "bfloat16").torch_dtype() is torch.bfloat16


@pytest.mark.torch
@pytest.mark.parametrize("device", ["cuda", "mps", "xpu"])
def test_a_device_that_is_absent_is_refused_with_the_one_that_is_there(device: str) -> None:
    import torch

    if torch.cuda.is_available() or torch.backends.mps.is_available():
        pytest.skip("this machine has such a device")
    with pytest.raises(BadValueError, match=rf"device={device}: this machine has none .* write device=cpu"):
        Device(device).torch_device()


def test_a_missing_extra_is_named_with_the_command_that_installs_it() -> None:
    with pytest.raises(MissingPartError) as told:
        weights.require("transformers", "json", "no_such_package")
    assert str(told.value) == "transformers needs no_such_package; run: pip install 'subitize[local]'"


def test_a_folder_with_its_index_is_found_and_a_name_is_left_to_the_hub(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    assert weights.find_folder(str(tmp_path)) == tmp_path
    assert weights.find_folder("owner/some-model.v2") is None
    assert weights.find_folder("gpt2") is None


def test_a_folder_without_its_index_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(BadFileError, match=r"is no model: it has no config\.json \(it has notes\.txt\)"):
        weights.find_folder(str(tmp_path))
    with pytest.raises(BadFileError, match=r"it has no model_index\.json"):
        weights.find_folder(str(tmp_path), "model_index.json")


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_text("")
    with pytest.raises(BadFileError, match=r"is a file; name the folder of a model, the one with config\.json"):
        weights.find_folder(str(tmp_path / "model.safetensors"))


@pytest.mark.parametrize(
    "name", ["/no/such", "./no", "../no/such", "~/no-such-folder", "a/b/c", "~nobody-of-that-name/x", "a b", "x" * 5000]
)
def test_a_path_to_nothing_is_not_looked_for_on_the_hub(name: str) -> None:
    with pytest.raises(BadFileError, match=r"name the folder of a model"):
        weights.locate(name)


@pytest.mark.parametrize("content", [b"{broken", b"\xff\xfe", b"", b"[1]", b"null"])
def test_a_config_that_is_no_json_object_is_told_with_its_path(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes(content)
    with pytest.raises(BadFileError, match=r"config\.json (cannot be read|holds no JSON object).*copy the model again"):
        weights.read_config(tmp_path)


@pytest.mark.torch
def test_what_is_whole_is_loaded_ready_to_compute(sound: Path) -> None:
    import torch

    model = _load(sound)
    assert type(model).__name__ == "DetrForObjectDetection"
    assert not getattr(model, "training", True)
    assert getattr(model, "dtype", None) is torch.float32


def _truncate(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _empty(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"")


def _point_elsewhere(folder: Path) -> None:
    text = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    (folder / "model.safetensors").write_text(text)


def _remove(folder: Path) -> None:
    (folder / "model.safetensors").unlink()


def _replace_by_garbage(folder: Path) -> None:
    _remove(folder)
    (folder / "pytorch_model.bin").write_bytes(b"garbage" * 99)


def _replace_by_half(folder: Path) -> None:
    import torch

    _remove(folder)
    path = folder / "pytorch_model.bin"
    torch.save({"weight": torch.zeros(999)}, path)
    path.write_bytes(path.read_bytes()[:1500])


def _configure(**changes: object) -> Callable[[Path], None]:
    def configure(folder: Path) -> None:
        config = json.loads((folder / "config.json").read_text()) | changes
        (folder / "config.json").write_text(json.dumps(config))

    return configure


@pytest.mark.torch
@pytest.mark.parametrize(
    ("damage", "told"),
    [
        pytest.param(_truncate, r"weights are damaged .*copy or download", id="cut short"),
        pytest.param(_empty, r"weights are damaged .*copy or download", id="empty"),
        pytest.param(_point_elsewhere, r"weights are damaged .*copy or download", id="a pointer of git-lfs"),
        pytest.param(_remove, r"lacks the files of its weights; copy or download", id="no weights"),
        pytest.param(_replace_by_garbage, r"weights are damaged .*copy or download", id="garbage for torch"),
        pytest.param(_replace_by_half, r"weights are damaged .*copy or download", id="half a file for torch"),
        pytest.param(
            _configure(model_type="unheard-of"),
            r"architecture is not known to transformers [\d.]+ \(unheard-of\); upgrade it$",
            id="unknown",
        ),
        pytest.param(_configure(model_type="bert"), r"is a model for something else", id="something else"),
        pytest.param(_configure(d_model="large"), r"expected int, got str", id="a value that cannot be"),
        pytest.param(_configure(d_model=10**9), r"not enough memory for it; write dtype=bfloat16", id="too large"),
        pytest.param(
            _configure(encoder_ffn_dim=48),
            r"do not fit its config\.json \(model\.encoder\.layers\.0\.\S+ is 32, should be 48\)",
            id="another shape",
        ),
        pytest.param(
            _configure(decoder_layers=3),
            r"weights lack model\.decoder\.layers\.2\.\S+ and \d+ more",
            id="a layer short",
        ),
    ],
)
def test_a_damaged_model_is_refused_in_one_line(damage: Callable[[Path], None], told: str, folder: Path) -> None:
    damage(folder)
    with pytest.raises(UnusableModelError, match=rf"^detr:detr cannot be loaded: .*{told}") as refused:
        _load(folder)
    assert "\n" not in str(refused.value)
    assert refused.value.exit_code == 2


@pytest.mark.torch
def test_weights_that_pickle_more_than_numbers_are_not_run(folder: Path, tmp_path: Path) -> None:
    import torch

    _remove(folder)
    torch.save({"weight": _Touch(str(tmp_path / "ran"))}, folder / "pytorch_model.bin")
    with pytest.raises(UnusableModelError, match="hold more than numbers, which is never run"):
        _load(folder)
    assert not (tmp_path / "ran").exists()


class _Touch:
    def __init__(self, path: str) -> None:
        self._path = path

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (Path(self._path),)


@pytest.mark.torch
@pytest.mark.parametrize("model_type", ["unheard-of", "vilt"])
def test_code_that_comes_with_a_model_is_not_run(model_type: str, folder: Path) -> None:
    names = {"AutoConfig": "own.Config", "AutoModelForObjectDetection": "own.Model"}
    _configure(model_type=model_type, auto_map=names)(folder)
    (folder / "own.py").write_text(f"open({str(folder / 'ran')!r}, 'w')")
    with pytest.raises(UnusableModelError, match="comes with code of its own, which is never run"):
        _load(folder)
    assert not (folder / "ran").exists()


@pytest.mark.torch
def test_a_known_architecture_is_computed_by_our_code_even_if_it_brings_its_own(folder: Path) -> None:
    _configure(auto_map={"AutoModelForObjectDetection": "own.Model"})(folder)
    (folder / "own.py").write_text(f"open({str(folder / 'ran')!r}, 'w')")
    assert type(_load(folder)).__module__.startswith("transformers.")
    assert not (folder / "ran").exists()


def _rewrite(folder: Path, drop: str) -> None:
    from safetensors.torch import load_file, save_file

    path = folder / "model.safetensors"
    kept = {name: tensor for name, tensor in load_file(path).items() if not re.search(drop, name)}
    save_file(kept, path, {"format": "pt"})


@pytest.mark.torch
def test_what_is_missing_may_be_allowed_by_name_only(folder: Path) -> None:
    _rewrite(folder, r"^class_labels_classifier\.bias$")
    with pytest.raises(UnusableModelError, match=r"lack class_labels_classifier\.bias, which would be random"):
        _load(folder)
    with pytest.raises(UnusableModelError, match="which would be random"):
        _load(folder, ("bbox_predictor",))
    assert _load(folder, ("class_labels_classifier.bias",)) is not None


@pytest.mark.torch
def test_counters_that_older_files_lack_are_not_missed(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(find_tiny("rt-detr", tmp_path_factory), tmp_path / "rt-detr"))
    before = (folder / "model.safetensors").stat().st_size
    _rewrite(folder, r"num_batches_tracked$")
    assert (folder / "model.safetensors").stat().st_size < before
    assert _load(folder) is not None


@pytest.mark.torch
def test_tensors_that_are_stored_once_for_two_are_not_missed(tmp_path: Path) -> None:
    from transformers import BertConfig, BertForMaskedLM

    config = BertConfig(vocab_size=30, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8)
    with weights.quiet():
        BertForMaskedLM(config).save_pretrained(tmp_path)
    assert weights.load_model(BertForMaskedLM, tmp_path, CPU, "bert") is not None


@pytest.mark.torch
def test_a_tokenizer_without_words_is_refused(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    folder = Path(shutil.copytree(find_tiny("grounding-dino", tmp_path_factory), tmp_path / "model"))
    assert len(weights.load_part(AutoTokenizer, folder, "who")) > 20
    (folder / "tokenizer.json").write_text("{broken")
    with pytest.raises(UnusableModelError, match="one of its files is damaged"):
        weights.load_part(AutoTokenizer, folder, "who")
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").unlink()
    with pytest.raises(UnusableModelError, match="lacks the files of its tokenizer; copy"):
        weights.load_part(AutoTokenizer, folder, "who")


@pytest.mark.torch
def test_loading_says_nothing_and_leaves_logging_as_it_was(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from transformers.utils import logging as bars

    before = logging.root.manager.disable, bars.is_progress_bar_enabled()
    _configure(auto_map={}, unheard_of=1)(folder)
    _load(folder)
    with weights.loading("who"):
        logging.getLogger("transformers.some").warning("advice")
        logging.getLogger("diffusers").warning("advice")
        warnings.warn("advice", stacklevel=1)
    with pytest.raises(UnusableModelError, match="who cannot be loaded: KeyError: 'x'"), weights.loading("who"):
        raise KeyError("x")
    assert (logging.root.manager.disable, bars.is_progress_bar_enabled()) == before
    assert capfd.readouterr() == ("", "")


def test_an_error_that_says_what_to_do_is_left_as_it_is() -> None:
    with pytest.raises(BadValueError, match=r"^write device=cpu$"), weights.loading("who"):
        raise BadValueError("write device=cpu")


NO_MEMORY: Mapping[str, Exception] = {
    "python": MemoryError(),
    "cpu": RuntimeError("[enforce fail at alloc_cpu.cpp:114] DefaultCPUAllocator: can't allocate memory: you tried to"),
    "cuda": RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB"),
    "cublas": RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
    "mps": RuntimeError("MPS backend out of memory (MPS allocated: 9.05 GB)"),
    "opencv": ValueError("error: (-4:Insufficient memory) Failed to allocate 99 bytes in function 'OutOfMemoryError'"),
}


@pytest.mark.parametrize("error", NO_MEMORY.values(), ids=NO_MEMORY)
def test_want_of_memory_is_known_on_every_device(error: Exception) -> None:
    assert weights.is_out_of_memory(error)
    with (
        pytest.raises(
            UnusableModelError, match="not enough memory for it; write dtype=bfloat16, as another model of the run"
        ),
        weights.loading("who"),
    ):
        raise error


@pytest.mark.parametrize("error", [ValueError("no memory of it"), RuntimeError("shape '[2]' is invalid")])
def test_other_errors_are_no_want_of_memory(error: Exception) -> None:
    assert not weights.is_out_of_memory(error)


def test_the_hash_tells_weights_apart_and_not_what_lies_beside_them(tmp_path: Path) -> None:
    def write(name: str, **files: str) -> Path:
        (tmp_path / name / "unet").mkdir(parents=True)
        for stem, content in files.items():
            (tmp_path / name / stem.replace("__", "/").replace("_safe", ".safetensors")).write_text(content)
        return tmp_path / name

    one = weights.hash_weights(write("one", a_safe="1", unet__b_safe="2"))
    assert re.fullmatch("[0-9a-f]{64}", one)
    assert weights.hash_weights(write("same", unet__b_safe="2", a_safe="1", README="!")) == one
    assert weights.hash_weights(write("swapped", a_safe="2", unet__b_safe="1")) != one
    assert weights.hash_weights(write("moved", a_safe="1", b_safe="2")) != one
    with pytest.raises(BadFileError, match="has no weights"):
        weights.hash_weights(write("none", README="!"))


def test_the_hash_is_of_the_weights_that_are_loaded(tmp_path: Path) -> None:
    def write(**files: str) -> str:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        names = {"_index": ".index", "_safetensors": ".safetensors", "_bin": ".bin", "_json": ".json"}
        for stem, content in files.items():
            for old, new in names.items():
                stem = stem.replace(old, new)
            (folder / stem).write_text(content)
        return weights.hash_weights(folder)

    alone = write(model_safetensors="1")
    assert write(model_safetensors="1", pytorch_model_bin="2", training_args_bin="3", other_safetensors="4") == alone
    assert write(model_safetensors="2") != alone
    index = '{"weight_map": {"x": "a.safetensors", "y": "b.safetensors", "z": "a.safetensors"}}'
    shards = write(model_safetensors_index_json=index, a_safetensors="1", b_safetensors="2")
    assert write(model_safetensors_index_json=index, a_safetensors="1", b_safetensors="2", c_bin="3") == shards
    assert write(model_safetensors_index_json=index, a_safetensors="1", b_safetensors="3") != shards


def test_an_architecture_is_the_first_that_a_config_names() -> None:
    assert weights.name_architecture({"architectures": ["CLIPModel", "Other"]}, "x") == "CLIPModel"
    assert weights.name_architecture({"architectures": ["LxmertModel"]}, "x") == "LxmertForPreTraining"
    strange: tuple[object, ...] = ([], None, "CLIPModel")
    for named in strange:
        with pytest.raises(BadFileError, match=r"^the config\.json of x names no architectures; copy the model again$"):
            weights.name_architecture({"architectures": named, "model_type": "clip"}, "x")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Have another version of transformers come first among what is installed."""

    def install(version: str) -> None:
        about = tmp_path / version / f"transformers-{version}.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: transformers\nVersion: {version}\n")
        monkeypatch.syspath_prepend(about.parent)

    return install


@pytest.mark.torch
@pytest.mark.parametrize(
    ("architecture", "kind", "older", "first"),
    [
        ("Molmo2ForConditionalGeneration", "molmo2", "5.19.0", "5.20"),
        ("RfDetrForObjectDetection", "rf-detr", "5.8.1", "5.9"),
    ],
)
def test_a_network_that_transformers_has_only_later_names_the_release(
    architecture: str, kind: str, older: str, first: str, tmp_path: Path, installed: Callable[[str], None]
) -> None:
    config = {"architectures": [architecture], "model_type": kind.replace("-", "_")}
    (tmp_path / "config.json").write_text(json.dumps(config | {"auto_map": {"AutoConfig": "own.Config"}}))
    detector = make_judge(f"{kind}:{tmp_path}").obj
    installed(older)
    told = f"needs transformers {first} or later, and {older} is installed; run: pip install --upgrade transformers"
    with pytest.raises(UnusableModelError, match=f"{kind}:{tmp_path} {told}$"):
        detector.check()
    if kind == "molmo2":
        with pytest.raises(UnusableModelError, match=f"transformers:{tmp_path} {told}$"):
            make_model(f"transformers:{tmp_path}").obj.check()


@pytest.mark.torch
@pytest.mark.parametrize("release", ["5.20.0", "5.20.0.dev0", "5.100.2", "6.0.0rc1"])
def test_a_later_release_of_transformers_is_taken(release: str, installed: Callable[[str], None]) -> None:
    installed(release)
    weights.require_transformers("Molmo2ForConditionalGeneration", "molmo2:x")


def test_the_hash_of_a_file_is_its_sha256_and_a_link_of_the_hubs_cache_names_it(tmp_path: Path) -> None:
    (tmp_path / "w.onnx").write_bytes(b"abc")
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert weights.hash_weights(tmp_path / "w.onnx") == digest
    (tmp_path / digest).write_bytes(b"abc")
    (tmp_path / "link.onnx").symlink_to(tmp_path / digest)
    assert weights.hash_weights(tmp_path / "link.onnx") == digest


def test_versions_are_those_that_are_installed() -> None:
    assert weights.name_versions("numpy").keys() == {"numpy"}


SHA = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Hub:
    """As much of the hub as a model is fetched by, on a free port."""

    models: Mapping[str, list[str]]
    url: str = ""
    fetched: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    revisions: set[str] = field(default_factory=set)

    @contextmanager
    def opened(self) -> Iterator["Hub"]:
        server = ThreadingHTTPServer(("127.0.0.1", 0), _answer_for(self))
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()


def _answer_for(hub: Hub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._answer(is_head=True)

        def do_GET(self) -> None:
            self._answer(is_head=False)

        def log_message(self, *_: object) -> None:
            pass

        def _answer(self, *, is_head: bool) -> None:
            path = self.path.partition("?")[0].removeprefix("/").removeprefix("api/models/")
            owner, name, *rest = path.split("/")
            files = hub.models.get(f"{owner}/{name}")
            if files is None:
                code = "GatedRepo" if name == "gated" else "RepoNotFound"
                return self._send(403 if name == "gated" else 404, b"{}", {"X-Error-Code": code}, is_head=is_head)
            if rest[0] == "revision":
                hub.revisions.add(rest[1])
            if rest[0] == "resolve":
                file = "/".join(rest[2:])
                if not is_head:
                    hub.fetched[f"{owner}/{name}"].append(file)
                about = {"ETag": f'"{abs(hash(file)):x}"', "X-Repo-Commit": SHA}
                return self._send(200, b"{}", about, is_head=is_head)
            listed = [{"type": "file", "path": file, "size": 2, "oid": f"{abs(hash(file)):x}"} for file in files]
            told = listed if rest[0] == "tree" else {"id": f"{owner}/{name}", "sha": SHA, "siblings": []}
            return self._send(200, json.dumps(told).encode(), {}, is_head=is_head)

        def _send(self, status: int, body: bytes, headers: Mapping[str, str], *, is_head: bool) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if not is_head:
                self.wfile.write(body)

    return Handler


def _locate(names: Iterable[str], home: Path, **environment: str) -> list[str]:
    """Locate models in a process of its own, as the hub's library reads its settings when it is imported."""
    code = (
        "import sys; from subitize.errors import SubitizeError; from subitize.networks.weights import locate\n"
        "for name in sys.argv[1:]:\n"
        "    try: print(locate(name))\n"
        "    except SubitizeError as error: print(type(error).__name__, error)"
    )
    settings = {key: value for key, value in os.environ.items() if not key.startswith("HF_")}
    settings |= {"HF_HOME": str(home), "HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_XET": "1", **environment}
    done = subprocess.run(
        [sys.executable, "-c", code, *names], env=settings, capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout.splitlines()


LISTED = ["config.json", "tokenizer.json", "vocab.txt", "README.md", "tf_model.h5", "flax_model.msgpack",
          "onnx/model.onnx", "own.py", "open_clip_model.safetensors", "open_clip_pytorch_model.bin",
          "consolidated.safetensors", "adapter_model.safetensors", "model.fp16.safetensors", "training_args.bin",
          "optimizer.bin", "step-5/model.safetensors", "step-5/pytorch_model.bin", "step-5/a/b.json"]  # fmt: skip
MODELS = {
    "o/both": [*LISTED, "model.safetensors", "pytorch_model.bin"],
    "o/old": [*LISTED, "pytorch_model.bin"],
    "o/shards": [*LISTED, "model.safetensors.index.json", "model-00001-of-00002.safetensors",
                 "model-00002-of-00002.safetensors", "pytorch_model.bin"],
    "o/old-shards": [*LISTED, "pytorch_model.bin.index.json", "pytorch_model-00001-of-00001.bin"],
    "o/two-tokenizers": [*LISTED, "model.safetensors", "second_tokenizer/vocab.txt", "second_tokenizer/a.json",
                         "second_tokenizer/pieces.model"],
    "o/no-model": ["README.md", "data.json"],
}  # fmt: skip
ALWAYS = ["config.json", "tokenizer.json", "vocab.txt"]


FETCHED = {
    "o/both": ["model.safetensors"],
    "o/old": ["pytorch_model.bin"],
    "o/shards": MODELS["o/shards"][-4:-1],
    "o/old-shards": MODELS["o/old-shards"][-2:],
    "o/two-tokenizers": MODELS["o/two-tokenizers"][-4:],
}


@pytest.mark.hub
def test_a_model_of_the_hub_is_fetched_once_in_one_format_and_found_without_it(tmp_path: Path, case: Case) -> None:
    with Hub(MODELS).opened() as hub:
        folders = _locate(FETCHED, tmp_path, HF_ENDPOINT=hub.url)
    assert _locate(FETCHED, tmp_path, HF_ENDPOINT=hub.url, HF_HUB_OFFLINE="1") == folders
    for (name, fetched), folder in zip(FETCHED.items(), map(Path, folders), strict=True):
        with case(name):
            wanted = sorted([*ALWAYS, *fetched])
            assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*")) == wanted
            assert sorted(hub.fetched[name]) == wanted


@pytest.mark.hub
def test_a_revision_is_named_after_an_at_sign(tmp_path: Path) -> None:
    with Hub(MODELS).opened() as hub:
        (folder,) = _locate(["o/both@no_timm"], tmp_path, HF_ENDPOINT=hub.url)
    assert hub.revisions == {"no_timm"}
    assert folder.endswith(SHA)


@pytest.mark.hub
def test_what_the_hub_does_not_give_is_told_in_one_line(tmp_path: Path, case: Case) -> None:
    told = {
        "o/absent": "UnusableModelError o/absent is no folder here, and the hub has no model of that name",
        "o/gated": "UnusableModelError o/gated is no folder here, and on the hub its owner asks for consent",
        "o/no-model": "BadFileError .* is no model: it has no config.json",
    }
    with Hub(MODELS).opened() as hub:
        printed = _locate(told, tmp_path, HF_ENDPOINT=hub.url)
    for (name, words), line in zip(told.items(), printed, strict=True):
        with case(name):
            assert re.match(words, line)


@pytest.mark.hub
@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({"HF_HUB_OFFLINE": "1"}, "the hub is not asked while HF_HUB_OFFLINE is set; name a folder, or unset it"),
        (
            {"HF_ENDPOINT": "http://127.0.0.1:9"},
            "the hub cannot be asked for it; name a folder, or try again when online",
        ),
    ],
)
def test_a_name_without_a_hub_is_told_in_one_line(environment: dict[str, str], told: str, tmp_path: Path) -> None:
    printed = _locate(["owner/model"], tmp_path, **environment)
    assert printed == [f"UnusableModelError owner/model is no folder here, and {told}"]


@pytest.mark.hub
@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("RevisionNotFoundError", "the hub has no such revision of it; check what is written after the @"),
        ("EntryNotFoundError", "what the hub has of that name is no such model; write diffusers:o/m"),
        ("GatedRepoError", "on the hub its owner asks for consent"),
        ("ProxyError", r"the hub cannot be asked for it \(OSError: no answer\); name a folder"),
    ],
)
def test_what_a_library_wraps_is_told_as_what_it_is(error: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    with (
        pytest.raises(UnusableModelError, match=f"^transformers:o/m is no folder here, and {told}"),
        weights.fetching("transformers:o/m", "write diffusers:o/m"),
    ):
        raise OSError("no answer") from type(error, (Exception,), {})()


def test_what_a_library_says_is_cut_between_sentences_or_words() -> None:
    assert weights.brief("all\n of it", 20) == "all of it"
    assert weights.brief("One is whole. Another is too long for it", 20) == "One is whole"
    assert weights.brief("one that is too long for it", 20) == "one that is too …"


def test_an_option_that_cannot_be_is_told_with_whose_it_is() -> None:
    with (
        pytest.raises(BadValueError, match=r"^transformers:w: device='tpu': should be auto"),
        weights.naming("transformers:w"),
    ):
        Device("tpu")
