"""What turns a picture and a question into a network's inputs, and the form a question is put in."""

import json
from pathlib import Path
from typing import Any

from PIL import Image

from subitize.errors import BadValueError, UnusableModelError
from subitize.vision.pixels import Rgb

# How those without a chat template are asked in the documentation of transformers, and PaliGemma in that of Google.
FORMS = {
    "Blip2ForConditionalGeneration": "Question: {question} Answer:",
    "InstructBlipForConditionalGeneration": "{question}",
    "LlavaForConditionalGeneration": "USER: <image>\n{question} ASSISTANT:",
    "PaliGemmaForConditionalGeneration": "<image>answer en {question}",
    "BlipForQuestionAnswering": "{question}",
}


class Asking:
    """Puts questions in a network's own form: by its chat template, by a given form, or by a known one."""

    def __init__(self, folder: Path, architecture: str, *, system: str | None, form: str | None) -> None:
        self.processor = open_processor(folder)
        self.tokenizer: Any = getattr(self.processor, "tokenizer", None)
        if self.tokenizer is None or getattr(self.processor, "image_processor", None) is None:
            raise UnusableModelError(
                f"{folder} has no processor for pictures and words; copy its preprocessor_config.json and tokenizer too"
            )
        self._has_template = form is None and getattr(self.processor, "chat_template", None) is not None
        self.form = None if self._has_template else form or FORMS.get(architecture)
        self._system = system
        if system is not None and not self._has_template:
            raise BadValueError(f"system={system!r}: {folder} has no chat template with a place for it; leave it out")
        if self.form is None and not self._has_template:
            raise UnusableModelError(
                f"{folder} ({architecture}) has no chat template; write how it is asked, as in "
                "prompt='<image>Question: {question} Answer:'"
            )

    def inputs(self, pixels: Rgb, question: str) -> Any:  # noqa: ANN401
        """Prepare one question about one picture."""
        self._refuse_placeholders(question)
        image = Image.fromarray(pixels)
        if self._has_template:
            content = [{"type": "image", "image": image}, {"type": "text", "text": question}]
            chat = [{"role": "user", "content": content}]
            if self._system is not None:
                chat.insert(0, {"role": "system", "content": [{"type": "text", "text": self._system}]})
            return self.processor.apply_chat_template(
                chat, add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt"
            )
        assert self.form is not None
        return self.processor(images=[image], text=[self.form.replace("{question}", question)], return_tensors="pt")

    def _refuse_placeholders(self, question: str) -> None:
        tokens = getattr(self.tokenizer, "all_special_tokens", [])
        placeholder = str(getattr(self.processor, "image_token", None) or "<image>")
        for token in {*tokens, placeholder}:
            if token in question:
                raise BadValueError(f"the question has {token!r} in it, which means something else to this network")


def open_processor(folder: Path) -> Any:  # noqa: ANN401
    """Load a folder's processor; one that also takes videos is put together without that part, which needs more."""
    from transformers import AutoProcessor

    try:
        return AutoProcessor.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except ImportError:
        made = _without_videos(folder)
        if made is None:
            raise
        return made


def _without_videos(folder: Path) -> Any:  # noqa: ANN401
    import transformers
    from transformers import AutoImageProcessor, AutoTokenizer

    settings = _settings(folder)
    kind = getattr(transformers, str(settings.get("processor_class")), None)
    if kind is None:
        return None
    parts = {
        "image_processor": AutoImageProcessor.from_pretrained(folder, local_files_only=True, trust_remote_code=False),
        "tokenizer": AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False),
    }
    unneeded = [name for name in kind.get_attributes() if name not in parts]
    if any("video" not in name for name in unneeded):
        return None

    def check(self: Any, name: str, part: object) -> object:  # noqa: ANN401
        return type(None) if name in unneeded else kind.check_argument_for_proper_class(self, name, part)

    without_videos = type(kind.__name__, (kind,), {"check_argument_for_proper_class": check})
    others = {name: value for name, value in settings.items() if name in _parameters(kind) and name not in parts}
    return without_videos(
        **others | parts | dict.fromkeys(unneeded), chat_template=_read_template(folder, parts["tokenizer"])
    )


def _parameters(kind: Any) -> set[str]:  # noqa: ANN401
    import inspect

    return set(inspect.signature(kind.__init__).parameters) - {"self", "kwargs", "chat_template"}


def _settings(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in ("tokenizer_config.json", "preprocessor_config.json", "processor_config.json"):
        path = folder / name
        if path.is_file():
            found |= json.loads(path.read_text(encoding="utf-8"))
    return found


def _read_template(folder: Path, tokenizer: Any) -> str | None:  # noqa: ANN401
    if (folder / "chat_template.jinja").is_file():
        return (folder / "chat_template.jinja").read_text(encoding="utf-8")
    if (folder / "chat_template.json").is_file():
        kept = json.loads((folder / "chat_template.json").read_text(encoding="utf-8"))
        return str(kept["chat_template"])
    template: str | None = tokenizer.chat_template
    return template
