"""Turns pictures and questions into inputs of networks, without torchvision.

Holds the form in which each network expects a question, and image processors for networks whose own need
torchvision."""

import hashlib
import inspect
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from subitize.errors import BadValueError, SubitizeError, UnusableModelError
from subitize.io.files import read_text
from subitize.io.images import Rgb
from subitize.networks.weights import Untyped, brief, read_config, refuse_wordless
from subitize.records import Scalar

if TYPE_CHECKING:
    import torch
    from transformers import ProcessorMixin


def make_rf_detr_processor() -> type["ProcessorMixin"]:
    """Make the class of RF-DETR's processor: Deformable DETR's, with pictures resized in another way."""
    from transformers.models.deformable_detr.image_processing_pil_deformable_detr import DeformableDetrImageProcessorPil

    class RfDetrImageProcessor(DeformableDetrImageProcessorPil):  # type: ignore[misc]
        def resize(
            self, image: NDArray[np.uint8], size: object, resample: object = None, **_: object
        ) -> NDArray[np.float32]:
            import torch

            height, width = super().resize(image, size, resample).shape[-2:]
            resized: NDArray[np.float32] = _resize(torch.from_numpy(image)[None], height, width)[0].numpy()
            return resized

    return RfDetrImageProcessor


def make_molmo2_processor() -> type["ProcessorMixin"]:
    """Make the class of Molmo 2's processor, which cuts pictures into overlapping tiles."""
    from transformers.models.molmo2.image_processing_molmo2 import Molmo2ImageProcessor

    class Molmo2ImageProcessorTorch(Molmo2ImageProcessor):  # type: ignore[misc]
        def resize(self, image: "torch.Tensor", size: Untyped, **_: object) -> "torch.Tensor":
            return _resize(image, size.height, size.width)

        def normalize(self, image: "torch.Tensor", mean: Untyped, std: Untyped, **_: object) -> "torch.Tensor":
            import torch

            channels = (torch.as_tensor(values, dtype=image.dtype)[:, None, None] for values in (mean, std))
            return (image - next(channels)) / next(channels)

    return Molmo2ImageProcessorTorch


def _resize(pixels: "torch.Tensor", height: int, width: int) -> "torch.Tensor":
    """Resize pictures as torchvision does without antialiasing: both networks were trained so."""
    from torch.nn.functional import interpolate

    return interpolate(pixels.float(), (height, width), mode="bilinear", align_corners=False)


# How the documentation of transformers (for PaliGemma, Google's) asks networks without a chat template.
FORMS = {
    "Blip2ForConditionalGeneration": "Question: {question} Answer:",
    "InstructBlipForConditionalGeneration": "{question}",
    "LlavaForConditionalGeneration": "USER: <image>\n{question} ASSISTANT:",
    "PaliGemmaForConditionalGeneration": "<image>answer en {question}",
    "BlipForQuestionAnswering": "{question}",
}


class PromptFormat:
    """Puts questions in a network's own form: by its chat template, by a given form, or by a known one."""

    def __init__(self, folder: Path, architecture: str, *, system: str | None, form: str | None) -> None:
        self._folder, self._system = folder, system
        self.processor = open_processor(folder)
        self.tokenizer: Any = getattr(self.processor, "tokenizer", None)
        if self.tokenizer is None or getattr(self.processor, "image_processor", None) is None:
            raise UnusableModelError(
                f"{folder} has no processor for pictures and words; copy its preprocessor_config.json and tokenizer too"
            )
        self._template = getattr(self.processor, "chat_template", None) if form is None else None
        self._is_own_form = form is not None
        self.form = None if self._template is not None else form or FORMS.get(architecture)
        if self.form is None and self._template is None:
            raise UnusableModelError(f"{folder} ({architecture}) has no chat template; {_SAY_HOW}")
        if system is not None and not self._reads_system(system):
            reason = "this network has no chat template with a place for it; leave it out"
            raise BadValueError(f"system={system!r}: {reason}")

    def describe(self) -> dict[str, Scalar]:
        """Describe how questions are put: the form or the template's hash, and the system prompt."""
        found = {"prompt": self.form, "chat_template_sha256": self._hash_template(), "system": self._system}
        return {name: text for name, text in found.items() if text is not None}

    def try_out(self, image_token_id: int | None) -> Untyped:
        """Prepare one small picture; refuse a form or template that has no place for it or fails."""
        reason = "has no place for the picture"
        try:
            inputs = self.inputs(np.full((64, 64, 3), 200, np.uint8), "How many?")
            if image_token_id is None or bool((inputs["input_ids"] == image_token_id).any()):
                return inputs
        except (SubitizeError, ImportError):
            raise
        except Exception as error:
            if self._has_place():
                reason = f"cannot be filled ({brief(str(error))})"
        if self._is_own_form:
            where = f"write {self._placeholder} in prompt=, where the picture is"
            raise BadValueError(f"prompt={self.form!r}: {reason}; {where}")
        raise UnusableModelError(f"the chat template of {self._folder} {reason}; {_SAY_HOW}")

    def inputs(self, pixels: Rgb, question: str) -> Untyped:
        """Prepare one question about one picture."""
        self._refuse_placeholders(question)
        image = Image.fromarray(pixels)
        if self.form is None:
            return self.processor.apply_chat_template(
                _write_chat(image, question, self._system),
                add_generation_prompt=True,
                tokenize=True,
                return_dict=True,
                return_tensors="pt",
            )
        return self.processor(images=[image], text=[self.form.replace("{question}", question)], return_tensors="pt")

    def _has_place(self) -> bool:
        """Return whether the form or template has a place for the picture; one that raises may have."""
        if self.form is not None:
            return self._placeholder in self.form
        try:
            words = self.processor.apply_chat_template(
                _write_chat(Image.new("RGB", (64, 64)), "How many?", self._system), tokenize=False
            )
        except Exception:
            return True
        return self._placeholder in str(words)

    @property
    def _placeholder(self) -> str:
        return str(getattr(self.processor, "image_token", None) or "<image>")

    def _hash_template(self) -> str | None:
        if self.form is not None:
            return None
        text = self._template if isinstance(self._template, str) else json.dumps(self._template, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def _reads_system(self, system: str) -> bool:
        """Return whether the template uses the system prompt; some drop it, others raise."""
        if self.form is not None:
            return False
        try:
            chats = (_write_chat(None, "How many?", text) for text in (system, f"- {system}"))
            fill = self.processor.apply_chat_template
            one, other = (fill(chat, add_generation_prompt=True, tokenize=False) for chat in chats)
        except Exception as error:
            if type(error).__name__ != "TemplateError":
                raise
            return False
        return bool(one != other)

    def _refuse_placeholders(self, question: str) -> None:
        tokens = getattr(self.tokenizer, "all_special_tokens", [])
        for token in {*tokens, self._placeholder}:
            if token in question:
                raise BadValueError(f"the question has {token!r} in it, which means something else to this network")


_SAY_HOW = "write how it is asked, as in prompt='<image>Question: {question} Answer:'"


def _write_chat(image: Image.Image | None, question: str, system: str | None) -> list[dict[str, Any]]:
    content = [{"type": "image", "image": image}, {"type": "text", "text": question}]
    asked = {"role": "user", "content": content}
    return [asked] if system is None else [{"role": "system", "content": [{"type": "text", "text": system}]}, asked]


def open_processor(folder: Path) -> Untyped:
    """Load a folder's processor; build one that also takes videos without that part, which needs more packages."""
    from transformers import AutoProcessor

    if _settings(folder).get("processor_class") == _MOLMO2:
        processor = _without_videos(folder)
    else:
        try:
            processor = AutoProcessor.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        except ImportError:
            processor = _without_videos(folder)
            if processor is None:
                raise
    refuse_wordless(processor, str(folder))
    _refuse_borrowed_tokenizers(processor, folder)
    return processor


_MOLMO2 = "Molmo2Processor"  # which needs torchvision for pictures, too


def _refuse_borrowed_tokenizers(processor: Untyped, folder: Path) -> None:
    """Refuse a second tokenizer without files of its own: transformers would use the first one instead."""
    names = processor.get_attributes() if hasattr(processor, "get_attributes") else []
    for name in names:
        if name.endswith("_tokenizer") and not any((folder / name).glob("*")):
            remedy = "copy or download the model again, with all files and folders"
            raise UnusableModelError(f"{folder} lacks the files of its second tokenizer ({name}/); {remedy}")


def _without_videos(folder: Path) -> Untyped:
    import transformers
    from transformers import AutoImageProcessor, AutoTokenizer

    settings = _settings(folder)
    kind = getattr(transformers, str(settings.get("processor_class")), None)
    if kind is None:
        return None
    image_class = make_molmo2_processor() if kind.__name__ == _MOLMO2 else AutoImageProcessor
    parts = {
        "image_processor": image_class.from_pretrained(folder, local_files_only=True, trust_remote_code=False),
        "tokenizer": AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False),
    }
    unneeded = [name for name in kind.get_attributes() if name not in parts]
    if any("video" not in name for name in unneeded):
        return None

    def check(self: Untyped, name: str, part: object) -> object:
        return type(None) if name in unneeded else kind.check_argument_for_proper_class(self, name, part)

    without_videos = type(kind.__name__, (kind,), {"check_argument_for_proper_class": check})
    known = inspect.signature(kind.__init__).parameters.keys() - {"self", "kwargs", "chat_template", *parts}
    others = {name: value for name, value in settings.items() if name in known}
    template = _read_template(folder, parts["tokenizer"])
    return without_videos(**others | parts | dict.fromkeys(unneeded), chat_template=template)


def _settings(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in ("tokenizer_config.json", "preprocessor_config.json", "processor_config.json"):
        path = folder / name
        if path.is_file():
            found |= read_config(folder, name)
    return found


def _read_template(folder: Path, tokenizer: Untyped) -> str | None:
    if (folder / "chat_template.jinja").is_file():
        return read_text(folder / "chat_template.jinja")
    if (folder / "chat_template.json").is_file():
        return str(read_config(folder, "chat_template.json")["chat_template"])
    template: str | None = tokenizer.chat_template
    return template
