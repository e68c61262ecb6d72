"""Chats about a picture in OpenAI's form: what is sent, and what an answer says."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from subitize.errors import BadValueError
from subitize.interfaces import Reply, TransientError, Usage
from subitize.models.serving import Answered
from subitize.records import Provenance, Refused, Said, Scalar, Token
from subitize.vision.pixels import data_url

# What an answer is expected to use where max_tokens does not say: a number, or a short sentence around it.
ANSWER_TOKENS = 5


def write_messages(
    text: str, picture: bytes, *, system: str | None = None, detail: str | None = None
) -> list[dict[str, object]]:
    """Put a question about a picture."""
    image = {"url": data_url(picture)} | given(detail=detail)
    asked: dict[str, object] = {
        "role": "user",
        "content": [{"type": "image_url", "image_url": image}, {"type": "text", "text": text}],
    }
    return [asked] if system is None else [{"role": "system", "content": system}, asked]


def read_chat(answered: Answered, provenance: Provenance) -> Reply:
    """Make a reply of a chat completion; one without a message is of no use."""
    choices = answered.content.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    message = choice.get("message")
    if not isinstance(message, dict):
        raise TransientError(f"the server's answer has no message: {answered.content!r:.100}", is_unsettled=True)
    used = read_usage(answered.content)
    finish, model, system = (
        text_or_none(it.get(name))
        for it, name in (
            (choice, "finish_reason"),
            (answered.content, "model"),
            (answered.content, "system_fingerprint"),
        )
    )
    provenance = replace(
        provenance,
        revision=" ".join(filter(None, [model, system])) or None,
        tokens_in=used and used[0],
        tokens_out=used and used[1],
        # Only where it says more than that the answer ended: one cut short is no whole answer.
        parameters=provenance.parameters if finish in (None, "stop") else {**provenance.parameters, "finish": finish},
    )
    refusal = text_or_none(message.get("refusal"))
    text = _content(message.get("content"))
    is_refused = finish == "content_filter" or (refusal and not text)
    content = Refused(refusal or "content filter") if is_refused else Said(text, _tokens(choice.get("logprobs")))
    return Reply(content, provenance, answered.seconds, Usage(*used) if used else None)


def read_usage(content: Mapping[str, Any], share: int = 1) -> tuple[int, int] | None:
    """Read the tokens of a call, for one of so many answers."""
    usage = content.get("usage")
    if not isinstance(usage, dict):
        return None
    tokens_in = usage.get("prompt_tokens", usage.get("input_tokens"))
    tokens_out = usage.get("completion_tokens", usage.get("output_tokens"))
    if not isinstance(tokens_in, int) or not isinstance(tokens_out, int):
        return None
    return tokens_in // share, tokens_out // share


def read_extra(text: str | None) -> dict[str, object]:
    """Read the option of further parameters."""
    try:
        extra = json.loads(text or "{}")
    except ValueError:
        extra = None
    if not isinstance(extra, dict):
        raise BadValueError(f'extra={text!r}: should be a JSON object, as in extra={{"top_p":0.9}}')
    return extra


def given(**values: Any) -> dict[str, Any]:  # noqa: ANN401
    """Keep what has a value."""
    return {name: value for name, value in values.items() if value is not None}


def scalars(values: Mapping[str, object]) -> dict[str, Scalar]:
    """Write parameters as a provenance holds them."""
    return {name: value if isinstance(value, Scalar) else json.dumps(value) for name, value in values.items()}


def text_or_none(value: object) -> str | None:
    """Take a text that says something."""
    return value if isinstance(value, str) and value else None


def _content(content: object) -> str:
    """Take the text of a message, which some servers give in parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _tokens(logprobs: object) -> tuple[Token, ...]:
    """Take the probabilities of an answer's tokens where they are given; what is damaged is left out."""
    listed = logprobs.get("content") if isinstance(logprobs, dict) else None
    tokens = []
    for one in listed if isinstance(listed, list) else []:
        try:
            others = {str(other["token"]): float(other["logprob"]) for other in one.get("top_logprobs") or ()}
            tokens.append(Token(str(one["token"]), float(one["logprob"]), others))
        except (KeyError, TypeError, ValueError, AttributeError):
            continue
    return tuple(tokens)
