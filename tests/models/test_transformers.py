"""Networks of transformers as models: tiny ones, saved to a folder and loaded as a user's are."""

import hashlib
import io
import json
import math
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from subitize.errors import BadFileError, BadValueError, SubitizeError, UnusableModelError
from subitize.interfaces import ComputesSeveral, Request
from subitize.io.images import decode
from subitize.models.transformers import Transformers
from subitize.networks.generators import YES, place_row
from subitize.networks.joint import ask
from subitize.networks.processors import PromptFormat
from subitize.networks.weights import is_out_of_memory, quiet
from subitize.records import Answer, Elsewhere, Failed, Fill, Match, Said, Scored, Task
from subitize.registry import make_model, make_suite
from subitize.store import Folder, Run
from tests.commands import call
from tests.models.little_memory import little_memory
from tests.networks import tiny_matchers, tiny_vlms
from tests.networks.tiny_weights import find_tiny
from tests.runs import run_suite

pytestmark = pytest.mark.torch

MOST_TOKENS = 6
QUESTIONS = (
    "How many dots are there in the picture?",
    "What?",
    "Combien d'élèves — «deux» ou ☃ {question} \\n %s?",
    "How many apples are there in this image, and how many of them are to the left of the dots?",
)
GENERATORS = (
    "blip-vqa", "blip2-opt", "blip2-t5", "idefics3", "instructblip", "llava", "molmo2-chat", "paligemma",
    "qwen2.5-vl",
)  # fmt: skip
HEADS = ("lxmert-vqa", "vilt-vqa")


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a tiny network by its name."""
    return partial(find_tiny, folders=tmp_path_factory)


@pytest.fixture
def copied(shelf: Callable[[str], Path], tmp_path: Path) -> Callable[[str], Path]:
    """A copy of a tiny network, to be spoilt."""

    def copy(name: str) -> Path:
        shutil.copytree(shelf(name), tmp_path / name)
        return tmp_path / name

    return copy


@pytest.fixture(scope="module")
def regions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("regions") / "regions.npz"
    return tiny_matchers.write_regions(path, [*PICTURES], width=tiny_vlms.REGION_FEATURES)


@pytest.fixture(scope="module")
def opened(shelf: Callable[[str], Path], regions: Path) -> Callable[[str], Transformers]:
    """A tiny network as a model, loaded once; LXMERT has its regions."""
    return cache(lambda name: make(shelf(name), **({"regions": regions} if "lxmert" in name else {})))


def draw(mode: str, width: int, height: int, seed: int) -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 4), dtype=np.uint8)
    written = io.BytesIO()
    Image.fromarray(pixels, "RGBA").convert(mode).save(written, "PNG")
    return written.getvalue()


PICTURES = {
    "colours": draw("RGB", 60, 40, 1),
    "grey": draw("L", 48, 48, 2),
    "transparent": draw("RGBA", 30, 90, 3),
    "palette": draw("P", 64, 64, 4),
}


def make(folder: Path, **options: object) -> Transformers:
    """Make a model as a user does, by its name."""
    writes = not re.search(r"Vilt|Lxmert|CLIPModel|Retrieval", (folder / "config.json").read_text())
    given = ({"max_tokens": MOST_TOKENS} if writes else {}) | options
    written = "".join(f",{key}={value}" for key, value in given.items())
    model = make_model(f"transformers:{folder}{written}").obj
    assert isinstance(model, Transformers)
    return model


def request(task: Task, seed: int = 0) -> Request:
    return Request("item", task, 0, 0, seed, lambda picture: PICTURES[getattr(picture, "name", "")])


def questions() -> list[Request]:
    pairs = zip(PICTURES, QUESTIONS, strict=True)
    return [request(Answer(Elsewhere(name), text), seed) for seed, (name, text) in enumerate(pairs)]


def texts() -> list[Request]:
    return [request(Match(Elsewhere(name), text)) for name, text in zip(PICTURES, QUESTIONS, strict=True)]


def said(model: Transformers, requests: Sequence[Request]) -> list[Said]:
    contents = [reply.content for reply in model.compute_all(requests)]
    assert all(isinstance(content, Said) for content in contents)
    return [content for content in contents if isinstance(content, Said)]


def scores(model: Transformers, requests: Sequence[Request]) -> list[float]:
    contents = [reply.content for reply in model.compute_all(requests)]
    return [content.scores["match"] for content in contents if isinstance(content, Scored)]


@pytest.mark.parametrize("name", [*GENERATORS, *HEADS])
class TestEveryNetwork:
    """What holds for all that answer."""

    @pytest.fixture
    def model(self, name: str, opened: Callable[[str], Transformers]) -> Transformers:
        return opened(name)

    def test_it_is_loaded_once_in_this_process_and_can_be_checked(self, model: Transformers) -> None:
        assert isinstance(model, ComputesSeveral)
        assert not model.is_stand_in
        assert model.tasks == {"answer", "match"}
        model.check()

    def test_a_batch_of_all_tasks_gives_what_each_gives_alone(self, model: Transformers) -> None:
        mixed = [one for pair in zip(questions(), texts(), strict=True) for one in pair]
        together = [reply.content for reply in model.compute_all(mixed)]
        alone = [model.compute_all([one])[0].content for one in mixed]
        for one, other in zip(together, alone, strict=True):
            assert type(one) is type(other)
            if isinstance(one, Said) and isinstance(other, Said):
                assert one.text == other.text
                assert [token.logprob for token in one.tokens] == pytest.approx(
                    [token.logprob for token in other.tokens], abs=1e-4
                )
            if isinstance(one, Scored) and isinstance(other, Scored):
                assert one.scores == pytest.approx(other.scores, rel=1e-3)

    def test_what_it_says_depends_on_what_it_is_shown_and_asked(self, model: Transformers) -> None:
        about_pictures = [request(Match(Elsewhere(name), "two dots")) for name in PICTURES]
        about_texts = [request(Match(Elsewhere("grey"), text)) for text in ("two dots", "three dots", "apples")]
        assert len(set(scores(model, about_pictures))) == len(about_pictures)
        assert len(set(scores(model, about_texts))) == len(about_texts)

    def test_tokens_have_log_probabilities_and_alternatives(self, model: Transformers) -> None:
        for one in said(model, questions()):
            assert one.tokens
            for token in one.tokens:
                assert token.logprob <= 0
                assert all(logprob <= token.logprob + 1e-6 for logprob in token.others.values())

    def test_provenance_says_how_it_came_about(self, model: Transformers, shelf: Callable[[str], Path]) -> None:
        answer, match = (model.compute_all(asked)[0].provenance for asked in (questions()[:1], texts()[:1]))
        for provenance in (answer, match):
            assert provenance.weights_hash is not None
            assert len(provenance.weights_hash) == 64
            assert {"subitize", "torch", "transformers"} <= set(provenance.versions)
            assert provenance.parameters["dtype"] == "float32"
            assert provenance.revision is None
        assert answer.prompt_sent == QUESTIONS[0]
        assert match.prompt_sent == f'Does this figure show "{QUESTIONS[0]}"? Please answer yes or no.'
        assert "{text}" in str(match.parameters["wording"])

    def test_half_floats_are_computed_with_and_told(
        self, name: str, shelf: Callable[[str], Path], regions: Path
    ) -> None:
        seen = {"regions": regions} if "lxmert" in name else {}
        model = make(shelf(name), dtype="bfloat16", **seen)
        reply = model.compute_all([questions()[0], texts()[0]])[1]
        assert isinstance(reply.content, Scored)
        assert 0 <= reply.content.scores["match"] <= 1
        assert reply.provenance.parameters["dtype"] == "bfloat16"

    def test_a_question_that_is_too_long_is_refused_and_not_cut(self, model: Transformers, name: str) -> None:
        if name == "blip2-t5":  # T5 knows distances, not places, and reads texts of any length
            assert said(model, [request(Answer(Elsewhere("grey"), "how many dots " * 200))])
            return
        endless = request(Answer(Elsewhere("grey"), "how many dots " * 5000))
        with pytest.raises(BadValueError, match=r"^the question 'how many dots .* shorten it$"):
            model.compute_all([endless])


@pytest.mark.parametrize("name", GENERATORS)
def test_lots_are_drawn_by_the_trials_own_seed_wherever_it_stands(name: str, shelf: Callable[[str], Path]) -> None:
    model = make(shelf(name), temperature=1)
    asked = questions()
    together = [one.text for one in said(model, asked)]
    assert [one.text for one in said(model, asked[::-1])] == together[::-1]
    assert [said(model, [one])[0].text for one in asked] == together
    same = [request(asked[0].task, seed) for seed in range(4)]
    assert len({one.text for one in said(model, same)}) > 1


def test_lots_are_drawn_as_often_as_they_are_probable(shelf: Callable[[str], Path]) -> None:
    model = make(shelf("blip-vqa"), temperature=1, max_tokens=1)
    likeliest = said(make(shelf("blip-vqa"), max_tokens=1), questions()[:1])[0]
    draws = [said(model, [request(questions()[0].task, seed) for seed in range(k, k + 50)]) for k in range(0, 400, 50)]
    share = np.mean([one.text == likeliest.text for batch in draws for one in batch])
    probability = math.exp(likeliest.tokens[0].logprob)
    assert share == pytest.approx(probability, abs=4 * math.sqrt(probability * (1 - probability) / 400))


@pytest.mark.parametrize("name", GENERATORS)
def test_an_answer_ends_where_the_network_ends_it(name: str, copied: Callable[[str], Path]) -> None:
    folder = copied(name)
    whole = make(folder).compute_all(questions()[:1])[0]
    assert isinstance(whole.content, Said)
    assert whole.provenance.parameters["finish"] == "length"
    words = [token.text for token in whole.content.tokens]
    assert len(words) == MOST_TOKENS
    # The first word that it has not said before is now what ends an answer, or else the one word that it says.
    place = next((place for place in range(1, MOST_TOKENS) if words[place] not in words[:place]), 0)
    tokenizer = PromptFormat(folder, architecture(folder), system=None, form=None).tokenizer
    end_with(folder, [id for id in range(len(tokenizer)) if tokenizer.decode([id]) == words[place]])
    cut = make(folder).compute_all(questions()[:1])[0]
    assert isinstance(cut.content, Said)
    assert "finish" not in cut.provenance.parameters
    assert [token.text for token in cut.content.tokens] == words[:place]
    assert whole.content.text.startswith(cut.content.text.rstrip("\ufffd"))


def architecture(folder: Path) -> str:
    return str(json.loads((folder / "config.json").read_text())["architectures"][0])


def end_with(folder: Path, ids: list[int]) -> None:
    change(folder / "generation_config.json", eos_token_id=ids)
    if "blip-vqa" in folder.name:
        config = json.loads((folder / "config.json").read_text())
        config["text_config"]["sep_token_id"] = ids[0]
        (folder / "config.json").write_text(json.dumps(config))


def change(path: Path, **values: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


@pytest.mark.parametrize("name", GENERATORS)
def test_vqascore_is_the_probability_of_the_whole_answer(
    name: str, shelf: Callable[[str], Path], opened: Callable[[str], Transformers]
) -> None:
    expected = brute_force(shelf(name), [one.text for one in texts()])
    assert scores(opened(name), texts()) == pytest.approx(expected, rel=1e-3)


def test_vqascore_is_not_that_of_the_first_token(shelf: Callable[[str], Path]) -> None:
    whole, first = (brute_force(shelf("llava"), ["two dots"], is_whole=is_whole) for is_whole in (True, False))
    assert whole[0] < 0.01 * first[0]


def brute_force(folder: Path, texts: Sequence[str], *, is_whole: bool = True) -> list[float]:
    """Add up the products of the tokens' probabilities, one picture, one form and one token at a time."""
    import torch
    import transformers

    with quiet(), torch.no_grad():
        network = getattr(transformers, architecture(folder)).from_pretrained(folder).eval()
        asking = PromptFormat(folder, architecture(folder), system=None, form=None)
        end = json.loads((folder / "generation_config.json").read_text()).get("eos_token_id")
        end = network.config.text_config.sep_token_id if "blip-vqa" in folder.name else end
        forms = {tuple(asking.tokenizer(form, add_special_tokens=False)["input_ids"]) for form in YES}
        totals = []
        for picture, text in zip(PICTURES.values(), texts, strict=False):
            inputs = {key: value for key, value in asking.inputs(decode(picture), ask(text)).items() if key != "labels"}
            totals.append(0.0)
            for form in forms:
                said = [*form, end] if is_whole else form[:1]
                logits = [next_logits(network, inputs, form[:place]) for place in range(len(said))]
                each = [float(torch.softmax(row.double(), -1)[id]) for row, id in zip(logits, said, strict=True)]
                totals[-1] += math.prod(each)
    return totals


def next_logits(network: Any, inputs: dict[str, Any], before: Sequence[int]) -> Any:  # noqa: ANN401
    """Compute the scores of the next token after a prompt and what was said, in one plain pass without a cache."""
    import torch

    told = torch.tensor([list(before)], dtype=torch.long)
    if type(network).__name__ == "BlipForQuestionAnswering":
        seen = network.vision_model(pixel_values=inputs["pixel_values"])[0]
        read = network.text_encoder(
            input_ids=inputs["input_ids"],
            attention_mask=inputs["attention_mask"],
            encoder_hidden_states=seen,
            encoder_attention_mask=torch.ones(seen.shape[:2]),
        )[0]
        begun = torch.cat([torch.tensor([[network.decoder_start_token_id]]), told], 1)
        return network.text_decoder(input_ids=begun, encoder_hidden_states=read, use_cache=False).logits[0, -1]
    if network.config.get_text_config().is_encoder_decoder:
        begun = torch.cat([torch.tensor([[0]]), told], 1)
        return network(**inputs, decoder_input_ids=begun).logits[0, -1]
    fillers = {"input_ids": told, "token_type_ids": torch.ones_like(told), "mm_token_type_ids": torch.zeros_like(told)}
    fillers["attention_mask"] = torch.ones_like(told)
    longer = {key: torch.cat([value, fillers[key]], 1) if key in fillers else value for key, value in inputs.items()}
    return network(**longer, use_cache=False).logits[0, -1]


@pytest.mark.parametrize("name", HEADS)
def test_a_head_of_answers_gives_its_likeliest_label(name: str, opened: Callable[[str], Transformers]) -> None:
    for one in said(opened(name), questions()):
        (token,) = one.tokens
        assert one.text == token.text
        assert one.text in tiny_vlms.LABELS
        assert len(token.others) == 5
        assert set(token.others) < set(tiny_vlms.LABELS)


def test_a_head_without_a_yes_cannot_score_texts(copied: Callable[[str], Path]) -> None:
    folder = copied("vilt-vqa")
    change(folder / "config.json", id2label={number: f"answer {number}" for number in range(len(tiny_vlms.LABELS))})
    model = make(folder)
    assert model.tasks == {"answer"}
    with pytest.raises(BadValueError, match="cannot do the task 'match'; it can answer"):
        model.compute_all(texts())


@pytest.mark.parametrize(
    ("architecture", "tasks"),
    [
        ("CLIPModel", {"match"}),
        ("ViltForImageAndTextRetrieval", {"match"}),
        ("Blip2ForImageTextRetrieval", {"match"}),
        ("LxmertForPreTraining", {"match", "fill"}),
        ("LxmertModel", {"match", "fill"}),
        ("ViltForMaskedLM", {"fill"}),
        ("LlavaForConditionalGeneration", {"answer", "match"}),
    ],
)
def test_its_tasks_are_known_by_its_config_alone(architecture: str, tasks: set[str], tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"architectures": [architecture]}))
    assert make(tmp_path).tasks == tasks


def test_networks_that_match_and_fill_are_run_by_the_same_name(shelf: Callable[[str], Path], tmp_path: Path) -> None:
    names = [*PICTURES]
    folder, file = shelf("lxmert"), tmp_path / "seen.npz"
    model = make(folder)
    with pytest.raises(BadValueError, match="write regions="):
        model.check()
    tiny_matchers.write_regions(file, names)
    both = make_model(f"transformers:{folder},regions={file}").obj
    assert isinstance(both, Transformers)
    fill, match = (
        request(Fill(Elsewhere(names[0]), "there are [GAP] dots")),
        request(Match(Elsewhere(names[1]), "there are two dots")),
    )
    filled, matched = (reply.content for reply in both.compute_all([fill, match]))
    assert isinstance(filled, Scored)
    assert "two" in filled.scores
    assert isinstance(matched, Scored)
    assert 0 <= matched.scores["match"] <= 1


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What was fetched from the hub before, on a machine that is offline now."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    return tmp_path


def test_a_network_of_the_hub_is_known_by_its_revision(hub: Path, shelf: Callable[[str], Path]) -> None:
    revision, fetched = "0123456789" * 4, hub / "models--owner--tiny"
    shutil.copytree(shelf("llava"), fetched / "snapshots" / revision)
    (fetched / "refs").mkdir()
    (fetched / "refs" / "main").write_text(revision)
    model = make_model("transformers:owner/tiny,max_tokens=6").obj
    assert isinstance(model, Transformers)
    reply, same = (one.compute_all(questions()[:1])[0] for one in (model, make(shelf("llava"))))
    assert reply.content == same.content
    assert reply.provenance.revision == revision
    assert reply.provenance.weights_hash == same.provenance.weights_hash


@pytest.mark.usefixtures("hub")
def test_a_network_of_the_hub_that_cannot_be_fetched_says_so() -> None:
    model = make_model("transformers:owner/tiny").obj
    with pytest.raises(
        UnusableModelError,
        match=r"^transformers:owner/tiny is no folder here, and the hub is not asked while HF_HUB_OFFLINE is set; name",
    ):
        _ = model.tasks


def test_a_system_prompt_and_a_form_of_ones_own_change_what_is_asked(shelf: Callable[[str], Path]) -> None:
    plain, told = make(shelf("llava")), make(shelf("llava"), system="be brief")
    formed = make(shelf("llava"), prompt="<image>Question: {question} Answer:")
    answers = [scores(model, texts()) for model in (plain, told, formed)]
    assert answers[0] != answers[1] != answers[2]
    parameters = [model.compute_all(questions()[:1])[0].provenance.parameters for model in (plain, told, formed)]
    assert "prompt" not in parameters[0]
    assert parameters[1]["system"] == "be brief"
    assert parameters[2]["prompt"] == "<image>Question: {question} Answer:"


def test_settings_of_generation_that_come_with_a_folder_change_nothing(copied: Callable[[str], Path]) -> None:
    folder = copied("llava")
    before = said(make(folder), questions())
    change(folder / "generation_config.json", do_sample=True, temperature=0.5, repetition_penalty=3.0, num_beams=2)
    assert said(make(folder), questions()) == before


def test_a_question_cannot_hold_what_stands_for_the_picture(shelf: Callable[[str], Path]) -> None:
    for token in ("<image>", "</s>"):
        with pytest.raises(BadValueError, match=f"the question has '{token}' in it"):
            make(shelf("llava")).compute_all([request(Answer(Elsewhere("grey"), f"How many {token}?"))])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("max_tokens=0", "max_tokens=0: should be at least 1"),
        ("batch_size=0", "batch_size=0: should be at least 1"),
        ("temperature=-1", r"temperature=-1: should be at least 0"),
        ("prompt=What?", r"prompt='What\?': should have {question} where the question goes"),
        ("dtype=int8", "dtype='int8': should be auto, float32, bfloat16, float16"),
        ("device=tpu", "device='tpu': should be auto, cpu"),
    ],
)
def test_options_that_cannot_be_are_refused_at_once(options: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(BadValueError, match=f"^transformers:{tmp_path}: {message}"):
        make_model(f"transformers:{tmp_path},{options}")


@pytest.mark.parametrize("name", ["llava", "qwen2.5-vl", "blip-vqa"])
def test_an_answer_longer_than_the_network_holds_is_refused_before_a_run(
    name: str, shelf: Callable[[str], Path]
) -> None:
    model: Any = make_model(f"transformers:{shelf(name)},max_tokens=1000000").obj
    with pytest.raises(BadValueError, match=r"^transformers:\S+: max_tokens=1000000: .*; lower max_tokens$"):
        model.check()


def test_a_device_that_is_not_here_is_told_with_whose_it_is(shelf: Callable[[str], Path]) -> None:
    import torch

    if torch.cuda.device_count() > 9:
        pytest.skip("this machine has the device")
    model: Any = make_model(f"transformers:{shelf('llava')},device=cuda:9").obj
    with pytest.raises(BadValueError, match=r"^transformers:\S+: device=cuda:9: this machine has none"):
        model.check()


@pytest.mark.parametrize(
    ("architecture", "remedy"),
    [
        ("DetrForObjectDetection", "write detr:"),
        ("YolosForObjectDetection", "write detr:"),
        ("RTDetrV2ForObjectDetection", "write rt-detr:"),
        ("MMGroundingDinoForObjectDetection", "write mm-grounding-dino:"),
        ("RfDetrForInstanceSegmentation", "write rf-detr:"),
        ("Sam3VideoModel", "write sam3:"),
        ("Owlv2ForObjectDetection", "write owlv2:"),
        ("OwlViTForObjectDetection", "take another model"),
    ],
)
def test_a_detector_is_told_by_which_name_it_is_run(architecture: str, remedy: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"architectures": [architecture]}))
    whole = f"{remedy}{tmp_path}" if remedy.endswith(":") else remedy
    ended = call("run", "production", "--model", f"transformers:{tmp_path}", "--out", tmp_path / "run")
    assert ended.code == 2
    assert ended.err.endswith(f"is a detector ({architecture}) and answers no questions; {whole}\n")


def test_a_pipeline_is_told_by_which_name_it_is_run(tmp_path: Path) -> None:
    (tmp_path / "model_index.json").write_text("{}")
    with pytest.raises(
        BadFileError, match=f"is a pipeline that draws, and answers nothing; write diffusers:{tmp_path}"
    ):
        make_model(f"transformers:{tmp_path}")


@pytest.mark.parametrize("temperature", [math.nan, math.inf])
def test_a_temperature_is_a_number(temperature: float) -> None:
    with pytest.raises(BadValueError, match="should be at least 0"):
        Transformers("owner/name", temperature=temperature)


def truncate(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:2000])


def unname_architecture(folder: Path) -> None:
    change(folder / "config.json", architectures=["NoSuchForAnything"])


def unname_kind(folder: Path) -> None:
    change(folder / "config.json", architectures=["NoSuchForAnything"], model_type="no_such")


def forget_architectures(folder: Path) -> None:
    change(folder / "config.json", architectures=None)


def lose_words(folder: Path) -> None:
    for name in ("tokenizer.json", "tokenizer_config.json", "processor_config.json"):
        (folder / name).unlink()


def lose_backend(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()


def lose_second_tokenizer(folder: Path) -> None:
    shutil.rmtree(folder / "qformer_tokenizer")


def forget_picture(folder: Path) -> None:
    path = folder / "chat_template.jinja"
    path.write_text(path.read_text().replace("<image>", ""))


def write_content_as_it_is(folder: Path) -> None:
    (folder / "chat_template.jinja").write_text("{% for m in messages %}USER: {{ m['content'] }}{% endfor %}")


def lose_heads(folder: Path) -> None:
    rewrite(folder, lambda name: None if name.startswith("cls.") else name)


def lose_template(folder: Path) -> None:
    (folder / "chat_template.jinja").unlink()


def unname_labels(folder: Path) -> None:
    change(folder / "config.json", id2label={number: f"LABEL_{number}" for number in range(len(tiny_vlms.LABELS))})


@pytest.mark.parametrize(
    ("name", "spoil", "error", "message"),
    [
        ("llava", truncate, UnusableModelError, "cannot be loaded: its weights are damaged .*; copy or download"),
        ("llava", unname_architecture, UnusableModelError, "is a NoSuchForAnything, which neither answers nor scores"),
        ("llava", unname_kind, UnusableModelError, "its architecture is not known to transformers"),
        ("llava", forget_architectures, BadFileError, "names no architectures; copy the model again"),
        ("llava", lose_words, UnusableModelError, "llava"),
        ("llava", lose_backend, UnusableModelError, "lacks the files of its tokenizer; copy .*, with all files"),
        ("qwen2.5-vl", lose_backend, UnusableModelError, "lacks the files of its tokenizer; copy .*, with all files"),
        ("instructblip", lose_second_tokenizer, UnusableModelError, r"second tokenizer \(qformer_tokenizer/\); copy"),
        ("llava", forget_picture, UnusableModelError, "template of .* has no place for the picture; write how"),
        ("idefics3", forget_picture, UnusableModelError, "template of .* has no place for the picture; write how"),
        ("llava", write_content_as_it_is, UnusableModelError, "template of .* has no place for the picture; write how"),
        ("qwen2.5-vl", lose_template, UnusableModelError, "has no chat template; write how it is asked, as in prompt="),
        ("vilt-vqa", unname_labels, UnusableModelError, "does not name its 10 answers; add them as id2label"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_folder_that_cannot_be_used_says_what_to_do(
    name: str,
    spoil: Callable[[Path], None],
    error: type[SubitizeError],
    message: str,
    copied: Callable[[str], Path],
) -> None:
    folder = copied(name)
    spoil(folder)
    with pytest.raises(error, match=message) as caught:
        make(folder).check()
    assert "\n" not in str(caught.value)


def test_weights_of_another_size_are_refused_and_not_filled_up(copied: Callable[[str], Path]) -> None:
    folder = copied("blip-vqa")
    config = json.loads((folder / "config.json").read_text())
    config["text_config"]["num_hidden_layers"] = 3
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(UnusableModelError, match="its weights lack"):
        make(folder).check()


def test_a_system_prompt_without_a_place_for_it_is_refused(shelf: Callable[[str], Path]) -> None:
    with pytest.raises(BadValueError, match="has no chat template with a place for it"):
        make(shelf("paligemma"), system="be brief").check()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{% for message in messages %}", "{% for message in messages if message['role'] == 'user' %}"),
        ("{{ message['role'] }}", "{% if message['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}"),
    ],
    ids=["drops", "refuses"],
)
def test_a_system_prompt_that_the_template_has_no_place_for_is_refused(
    old: str, new: str, copied: Callable[[str], Path]
) -> None:
    path = copied("llava") / "chat_template.jinja"
    path.write_text(path.read_text().replace(old, new))
    make(path.parent).check()
    with pytest.raises(BadValueError, match=r"system='be brief': .* has no chat template with a place for it"):
        make(path.parent, system="be brief").check()


def test_a_system_prompt_that_the_template_has_anyway_is_taken(copied: Callable[[str], Path]) -> None:
    path = copied("llava") / "chat_template.jinja"
    usual = "{% if messages[0]['role'] != 'system' %}system : be brief {% endif %}"
    path.write_text(usual + path.read_text())
    assert scores(make(path.parent, system="be brief"), texts()) == scores(make(path.parent), texts())


@pytest.mark.parametrize("name", ["llava", "idefics3", "qwen2.5-vl"])
def test_a_form_without_a_place_for_the_picture_is_refused(name: str, shelf: Callable[[str], Path]) -> None:
    token = "<|image_pad|>" if "qwen" in name else "<image>"
    told = rf"prompt='{{question}} Answer:': has no place for the picture; write {re.escape(token)} in prompt="
    with pytest.raises(BadValueError, match=told):
        make(shelf(name), prompt="{question} Answer:").check()
    make(shelf(name), prompt=f"{token}{{question}} Answer:").check()


@pytest.mark.parametrize("name", ["paligemma", "blip2-opt"])
def test_a_form_needs_no_place_for_a_picture_that_the_processor_puts_itself(
    name: str, shelf: Callable[[str], Path]
) -> None:
    make(shelf(name), prompt="{question} Answer:").check()


@pytest.mark.parametrize("option", ["temperature=0.5", "system=be brief", "prompt={question}", "max_tokens=6"])
def test_what_writes_nothing_takes_no_options_of_writing(option: str, shelf: Callable[[str], Path]) -> None:
    for folder in (shelf("vilt-vqa"), shelf("clip")):
        model: Any = make_model(f"transformers:{folder},{option}").obj
        with pytest.raises(BadValueError, match=r"^transformers:\S+: \w+=.* writes no text; leave \w+ out$"):
            model.check()


def test_provenance_knows_the_file_of_regions_by_its_content(shelf: Callable[[str], Path], tmp_path: Path) -> None:
    file = tmp_path / "seen.npz"

    def seen(*names: str) -> str:
        tiny_matchers.write_regions(file, names, width=tiny_vlms.REGION_FEATURES)
        reply = make(shelf("lxmert-vqa"), regions=file).compute_all(questions()[:1])[0]
        return str(reply.provenance.parameters["regions_sha256"])

    first = seen("colours")
    assert first == hashlib.sha256(file.read_bytes()).hexdigest()
    assert seen("colours", "grey") != first


def test_provenance_knows_the_chat_template_by_its_content(copied: Callable[[str], Path]) -> None:
    for name in ("llava", "qwen2.5-vl"):
        folder = copied(name)
        for task in (questions(), texts()):
            told = make(folder).compute_all(task[:1])[0].provenance.parameters["chat_template_sha256"]
            assert told == hashlib.sha256((folder / "chat_template.jinja").read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ({"pixel_values": [1.0]}, "gives pixel_values in a form that is not known here"),
        ({"image_patches": [[1.0]], "rows": 3}, "gives image_patches and rows in a form"),
        ({"labels": [1]}, "makes no numbers of a picture"),
    ],
    ids=["list", "two", "no-picture"],
)
def test_what_a_processor_makes_is_never_dropped(made: dict[str, object], told: str) -> None:
    import torch

    inputs = {"input_ids": torch.ones((1, 3), dtype=torch.long)} | made
    with pytest.raises(UnusableModelError, match=told):
        place_row(inputs, torch.nn.Linear(1, 1))


def rewrite(folder: Path, rename: Callable[[str], str | None], **others: Any) -> dict[str, Any]:  # noqa: ANN401
    """Write weights with other names; those without one are left out."""
    from safetensors.torch import load_file, save_file

    path = folder / "model.safetensors"
    state = {new: values for name, values in load_file(path).items() if (new := rename(name)) is not None} | others
    save_file(state, path, {"format": "pt"})
    return state


def shard(folder: Path, state: dict[str, Any]) -> None:
    """Write weights as two files and their index."""
    from safetensors.torch import save_file

    (folder / "model.safetensors").unlink()
    names = sorted(state)
    places = {name: f"model-0000{1 + place % 2}-of-00002.safetensors" for place, name in enumerate(names)}
    for file in sorted(set(places.values())):
        save_file({name: state[name] for name in names if places[name] == file}, folder / file, {"format": "pt"})
    index = {"metadata": {"total_size": 1}, "weight_map": places}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def write_as_llava_15(folder: Path) -> None:
    """As llava-hf/llava-1.5-7b-hf lies on the hub: an older tower's names, shards, a feature extractor, a template."""
    import torch

    positions = {"vision_tower.vision_model.embeddings.position_ids": torch.arange(5)[None]}
    shard(folder, rewrite(folder, lambda name: name.replace("_tower.", "_tower.vision_model."), **positions))
    settings = json.loads((folder / "processor_config.json").read_text())
    images = settings.pop("image_processor")
    images.pop("image_processor_type", None)
    images |= {"feature_extractor_type": "CLIPFeatureExtractor", "processor_class": "LlavaProcessor"}
    (folder / "preprocessor_config.json").write_text(json.dumps(images))
    (folder / "processor_config.json").write_text(json.dumps(settings))
    template = folder / "chat_template.jinja"
    (folder / "chat_template.json").write_text(json.dumps({"chat_template": template.read_text()}))
    template.unlink()


def write_as_paligemma(folder: Path) -> None:
    """As google/paligemma-3b-mix-224 lies on the hub."""
    shard(folder, rewrite(folder, lambda name: name.replace("_tower.", "_tower.vision_model.")))


def write_as_qwen25_vl(folder: Path) -> None:
    """As Qwen/Qwen2.5-VL-3B-Instruct lies on the hub: the config of its language is not apart."""
    config = json.loads((folder / "config.json").read_text())
    words = config.pop("text_config")
    words.pop("model_type")
    config = words | config
    config["vision_config"].pop("model_type")
    rope = config.pop("rope_parameters")
    config |= {
        "rope_theta": rope["rope_theta"],
        "rope_scaling": {"type": "mrope", "mrope_section": rope["mrope_section"]},
        "torch_dtype": "bfloat16",
    }
    config.pop("dtype", None)
    (folder / "config.json").write_text(json.dumps(config))
    shard(folder, rewrite(folder, lambda name: name))


def write_as_vilt(folder: Path) -> None:
    """As dandelin/vilt-b32-finetuned-vqa lies on the hub: pickled weights."""
    import torch

    torch.save(rewrite(folder, lambda name: name), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("llava", write_as_llava_15),
        ("paligemma", write_as_paligemma),
        ("qwen2.5-vl", write_as_qwen25_vl),
        ("vilt-vqa", write_as_vilt),
    ],
)
def test_an_older_layout_is_the_same_network(
    name: str, write: Callable[[Path], None], copied: Callable[[str], Path], opened: Callable[[str], Transformers]
) -> None:
    folder = copied(name)
    write(folder)
    asked = [*questions(), *texts()]
    older, newer = (model.compute_all(asked) for model in (make(folder), opened(name)))
    assert [reply.content for reply in older] == [reply.content for reply in newer]
    assert len(str(older[0].provenance.weights_hash)) == 64


def test_lxmert_without_its_heads_is_refused(copied: Callable[[str], Path], tmp_path: Path) -> None:
    folder = copied("lxmert")
    assert architecture(folder) == "LxmertModel"
    lose_heads(folder)
    file = tiny_matchers.write_regions(tmp_path / "seen.npz", [*PICTURES])
    with pytest.raises(UnusableModelError, match=r"its weights lack cls\..* which would be random"):
        make(folder, regions=file).check()


def test_pixels_do_not_go_with_regions(shelf: Callable[[str], Path], regions: Path) -> None:
    for name in ("vilt-vqa", "llava"):
        with pytest.raises(BadValueError, match="looks at pixels; leave regions out"):
            make(shelf(name), regions=regions).check()


@pytest.mark.parametrize(
    ("target", "message"),
    [("./nowhere/at/all", "there is no folder"), (".", "is no model: it has no config.json")],
)
def test_what_is_no_model_is_refused_at_once(
    target: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadFileError, match=message):
        make_model(f"transformers:{target}")


def test_the_command_line_ends_with_one_line_before_a_run_is_begun(
    copied: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = copied("vilt-vqa")
    truncate(folder)
    ended = call("run", "naming", "--model", f"transformers:{folder}", "--out", tmp_path / "run")
    assert ended.code == 2
    assert "its weights are damaged" in ended.err
    assert "Traceback" not in ended.err
    assert not (tmp_path / "run").exists()


SUITE = "naming:images=1,numbers=1-3,categories=apples+dots,size_px=256,max_attempts=1"


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    with Run(Folder(tmp_path / "run"), create=True) as opened:
        yield opened


def test_a_run_goes_on_where_it_stopped_whatever_the_batch(run: Run, shelf: Callable[[str], Path]) -> None:
    def go(batch_size: int, limit: int | None = None) -> tuple[int, int]:
        model = make_model(f"transformers:{shelf('llava')},max_tokens=3,batch_size={batch_size}")
        done = run_suite(run, make_suite(SUITE), model, repeats=1, seed=5, limit=limit)
        assert not done.failed
        return done.answered, done.already_done

    assert go(4, 5) == (5, 0)
    total = len(list(make_suite(SUITE).obj.items(5)))
    assert go(3) == (total - 5, 5)
    assert go(8) == (0, total)
    assert {stored.response.outcome.kind for stored in run.responses()} == {"said"}


def test_one_that_fails_costs_no_more_than_itself(run: Run, shelf: Callable[[str], Path], regions: Path) -> None:
    """LXMERT has no regions of the suite's pictures: every trial fails by itself, and says why."""
    model = make_model(f"transformers:{shelf('lxmert-vqa')},regions={regions},batch_size=4")
    assert model.obj.sees_regions
    done = run_suite(run, make_suite(SUITE), model, repeats=1, seed=5, limit=6)
    assert (done.answered, done.failed) == (0, 6)
    for stored in run.responses():
        assert isinstance(stored.response.outcome, Failed)
        assert "regions.npz has no picture" in stored.response.outcome.reason


def test_too_little_memory_is_raised_as_what_it_is(tmp_path: Path) -> None:
    """The runner asks for each half of a batch, and says what to do where one is too much."""
    model = make(tiny_vlms.write_vilt_vqa(tmp_path / "large", image_px=768))
    model.check()
    with little_memory(), pytest.raises(Exception, match="memory") as caught:
        model.compute_all(questions()[:1])
    assert is_out_of_memory(caught.value)
