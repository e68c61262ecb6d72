"""Chats in OpenAI's form, mostly about a picture: writes messages and reads replies."""

import json
import math
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from subitize import records
from subitize.errors import BadValueError
from subitize.interfaces import Reply, TransientError
from subitize.io.images import data_url
from subitize.labels import interpret, parse_rule
from subitize.language.answers import drop_reasoning
from subitize.language.numbers import NUMERALS
from subitize.models.http import SHORTEST_SECRET, Answered, read_usage
from subitize.networks.joint import GAP, ask

# Names of secrets, letters only; parameters about a text's tokens are not secrets.
_SECRET = re.compile(
    "apikey|authori[sz]ation|bearer|secret|passw(or)?d|passphrase|credential|cookie|(access|private|subscription|"
    "signing)key|^auth$|(?<!bos|eos|pad|unk)(?<!stop|mask)token$"
)
# The expected length of an answer, unless max_tokens is lower: a number, or a short sentence around it.
ANSWER_TOKENS = 5

_FILLING = f'Which number belongs in the place of {GAP} in "{{text}}"? Answer with the number only.'
_YES_OR_NO = ("yes", "no")
_THINKING = ("thinking", "redacted_thinking", "reasoning")


def as_question(task: records.Task) -> str:
    """Turn a task into a question: whether the picture shows what a text says, or which number belongs in its gap."""
    match task:
        case records.Match(text=text):
            return ask(text)
        case records.Fill(text=text):
            return _FILLING.replace("{text}", text)
    return records.task_text(task)


def score_answer(task: records.Task, reply: Reply) -> Reply:
    """Turn the answer to such a question into scores; its words are kept among the parameters.

    Scores are probabilities where the answer is a single token and the server gives its probability. Otherwise the
    answer given scores 1, so that many texts score the same. Anything that is not an answer counts as a refusal.
    """
    said = reply.content
    if not isinstance(task, records.Match | records.Fill) or not isinstance(said, records.Said):
        return reply
    provenance = replace(reply.provenance, parameters={**reply.provenance.parameters, "said": said.text})
    content = _score_text(said) if isinstance(task, records.Match) else _score_numerals(said)
    return replace(reply, content=content, provenance=provenance)


def _score_text(said: records.Said) -> records.Scored | records.Refused:
    if shares := _share_words(said, _YES_OR_NO):
        return records.Scored({"match": min(1.0, shares.get("yes", 0.0))})
    answer = _read(said, records.Confirm("", is_informed=True))
    return answer if isinstance(answer, records.Refused) else records.Scored({"match": float(answer)})


def _score_numerals(said: records.Said) -> records.Scored | records.Refused:
    if shares := _share_words(said, NUMERALS):
        return records.Scored(shares)
    answer = _read(said, records.Count("thing"))
    return answer if isinstance(answer, records.Refused) else records.Scored({f"{answer:g}": 1.0})


def _share_words(said: records.Said, words: Collection[str]) -> dict[str, float]:
    """Add up the probabilities of words as the first token, in any spelling; empty if the answer is longer."""
    first = next(iter(said.tokens), None)
    if first is None or _bare(said.text) != _bare(first.text) or _bare(first.text) not in words:
        return {}
    found: dict[str, float] = {}
    for text, logprob in ({first.text: first.logprob} | dict(first.others)).items():
        if _bare(text) in words:
            found[_bare(text)] = found.get(_bare(text), 0.0) + math.exp(logprob)
    return found


def _bare(text: str) -> str:
    return text.strip(" \n\t.!\"'*").lower()


def _read(said: records.Said, question: records.Question) -> float | records.Refused:
    value = interpret(records.Words(drop_reasoning(said.text)), question, parse_rule("strict"))
    if isinstance(value, records.Discarded):
        return records.Refused(f"no answer to the question: {value.reason}")
    return float(value.value)


def write_messages(
    text: str, picture: bytes | None, *, system: str | None = None, detail: str | None = None
) -> list[dict[str, object]]:
    """Write the messages for a question, with or without a picture."""
    asked: dict[str, object] = {"role": "user", "content": text}
    if picture is not None:
        image = {"url": data_url(picture)} | given(detail=detail)
        asked["content"] = [{"type": "image_url", "image_url": image}, {"type": "text", "text": text}]
    return [asked] if system is None else [{"role": "system", "content": system}, asked]


def read_chat(answered: Answered, provenance: records.Provenance) -> Reply:
    """Read a chat completion; raise TransientError if it has no message."""
    content, seconds = answered
    choices = content.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    message, finish = choice.get("message"), text_or_none(choice.get("finish_reason"))
    if not isinstance(message, dict) or choice.get("error") or finish == "error":
        raise TransientError("the server's answer has no message; does it speak OpenAI's chat?", is_unsettled=True)
    model, system = (text_or_none(content.get(name)) for name in ("model", "system_fingerprint"))
    usage = read_usage(content)
    provenance = replace(
        provenance,
        revision=" ".join(filter(None, [model, system])) or None,
        tokens_in=None if usage is None else usage.tokens_in,
        tokens_out=None if usage is None else usage.tokens_out,
        # Kept only where the answer did not simply end: one cut short is incomplete.
        parameters=provenance.parameters if finish in (None, "stop") else {**provenance.parameters, "finish": finish},
    )
    return Reply(_read_message(message, finish, choice.get("logprobs")), provenance, seconds, usage)


def read_extra(text: str | None, taken: Collection[str], key: str) -> dict[str, object]:
    """Read the option `extra`; refuse parameters that subitize sets or that are options themselves.

    Secrets are refused, too, because options are stored: the server's key, or anything with the name of a secret.
    """
    try:
        extra = json.loads(text or "{}")
        json.dumps(extra, allow_nan=False)  # Python also reads NaN and infinity, which JSON cannot hold
    except ValueError:
        extra = None
    if not isinstance(extra, dict):
        raise BadValueError('extra should be a JSON object, as in extra={"top_p":0.9}')
    for name in extra:
        if name in taken:
            raise BadValueError(f"extra has {name!r}, which is set by subitize or an option of its own; leave it out")
    for where in _find_secrets(extra, key):
        raise BadValueError(
            f"extra would be stored, and has a secret in {where}; leave it out: a key is read from the environment only"
        )
    return extra


def given(**values: Any) -> dict[str, Any]:  # noqa: ANN401
    """Drop options without a value."""
    return {name: value for name, value in values.items() if value is not None}


def scalars(values: Mapping[str, object]) -> dict[str, records.Scalar]:
    """Convert parameters to what a provenance can hold."""
    return {name: value if isinstance(value, records.Scalar) else json.dumps(value) for name, value in values.items()}


def text_or_none(value: object) -> str | None:
    """Return a nonempty text, else None."""
    return value if isinstance(value, str) and value else None


def _find_secrets(value: object, key: str, within: str = "it") -> Iterator[str]:
    """Name the places that hold the key or look like a secret, without showing it."""
    if isinstance(value, str) and len(key) >= SHORTEST_SECRET and key in value:
        yield within
    for one in value if isinstance(value, list) else ():
        yield from _find_secrets(one, key, within)
    for name, one in value.items() if isinstance(value, dict) else ():
        yield from _find_secrets(name, key, within)
        if isinstance(one, str | list | dict) and _SECRET.search(re.sub("[^a-z]", "", name.lower())):
            yield repr(name)
        yield from _find_secrets(one, key, repr(name))


def _read_message(message: Mapping[str, Any], finish: str | None, logprobs: object) -> records.Said | records.Refused:
    refusal, text = text_or_none(message.get("refusal")), _content(message.get("content"))
    if refusal or finish == "content_filter":
        return records.Refused(refusal or "content filter")
    if text is None and finish != "length":
        raise TransientError("the server's answer has no text in it; does the model see pictures?", is_unsettled=True)
    return records.Said(text or "", _tokens(logprobs))


def _content(content: object) -> str | None:
    """Join the text of a message, which some servers give in parts; those marked as thinking are no part of it."""
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict) and part.get("type") not in _THINKING]
        return "\n".join(str(part.get("text", "")) for part in parts)
    return content if isinstance(content, str) else None


def _tokens(logprobs: object) -> tuple[records.Token, ...]:
    """Read the log-probabilities of an answer's tokens, if given; malformed ones are left out."""
    listed = logprobs.get("content") if isinstance(logprobs, dict) else None
    tokens = []
    for one in listed if isinstance(listed, list) else []:
        try:
            others = {str(other["token"]): float(other["logprob"]) for other in one.get("top_logprobs") or ()}
            token = records.Token(str(one["token"]), float(one["logprob"]), others)
        except (KeyError, TypeError, ValueError, AttributeError):
            continue
        if all(map(math.isfinite, [token.logprob, *others.values()])):
            tokens.append(token)
    return tuple(tokens)
