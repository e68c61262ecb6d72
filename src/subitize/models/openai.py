"""Models behind an OpenAI-compatible server: drawing by its images endpoint, answering by its chat endpoint."""

import asyncio
import base64
import binascii
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Annotated, Any

from subitize.errors import BadImageError, BadValueError
from subitize.interfaces import Handling, Pixels, Reply, Request, TransientError, Usage
from subitize.models.chats import (
    ANSWER_TOKENS,
    given,
    read_chat,
    read_extra,
    read_usage,
    scalars,
    text_or_none,
    write_messages,
)
from subitize.models.serving import Answered, DeclinedError, Limits, Server, load_picture
from subitize.prices import estimate_text_tokens
from subitize.records import Draw, Scalar, Task, TaskKind, task_text
from subitize.vision.pixels import decode

DEFAULT_URL = "https://api.openai.com/v1"


class OpenAi:
    """Ask a model of OpenAI, or of any server that speaks its language; the key is read from the environment.

    `extra` is a JSON object of further parameters to send. What has no value is not sent.
    """

    tasks: frozenset[TaskKind] = frozenset({"draw", "answer"})
    is_stand_in = False

    def __init__(
        self,
        model: str,
        /,
        *,
        base_url: str | None = None,
        size: str | None = None,
        quality: str | None = None,
        n: int = 1,
        temperature: float | None = None,
        max_tokens: int | None = None,
        system: str | None = None,
        detail: str | None = None,
        logprobs: int = 0,
        sends_seed: bool = False,
        extra: str | None = None,
        concurrency: Annotated[int, Handling] = 32,
        requests_per_minute: Annotated[float | None, Handling] = None,
        tokens_per_minute: Annotated[float | None, Handling] = None,
        timeout_seconds: Annotated[float, Handling] = 120.0,
        key_variable: Annotated[str, Handling] = "OPENAI_API_KEY",
    ) -> None:
        address = base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT_URL
        limits = Limits(concurrency, requests_per_minute, tokens_per_minute, timeout_seconds)
        self._server = Server(address, key_variable, limits)
        self.base_url, self.served_name = self._server.base_url, model
        if self.base_url == DEFAULT_URL and not self._server.has_key:
            raise BadValueError(f"openai:{model} needs a key: set the environment variable {key_variable}")
        if not 1 <= n <= 10:
            raise BadValueError(f"n={n}: a call gives 1 to 10 images")
        self.concurrency, self.repeats_per_call = concurrency, n
        self._sends_seed, self._system, self._detail = sends_seed, system, detail
        more = read_extra(extra)
        self._drawing = given(size=size, quality=quality) | more
        # OpenAI's newer models refuse max_tokens, and other servers do not know its new name.
        longest = "max_completion_tokens" if self.base_url == DEFAULT_URL else "max_tokens"
        told = given(temperature=temperature, **{longest: max_tokens})
        self._answering = told | (given(logprobs=True, top_logprobs=logprobs) if logprobs else {}) | more
        self._answer_tokens = min(max_tokens or ANSWER_TOKENS, ANSWER_TOKENS)

    def opened(self) -> AbstractAsyncContextManager[None]:
        """Keep connections to the server."""
        return self._server.opened()

    def expect(self, task: Task, /) -> Usage:
        """Guess what one answer uses; the tokens of a picture that is shown depend on the price list."""
        if isinstance(task, Draw):
            size, quality = (str(self._drawing.get(name, "")) for name in ("size", "quality"))
            return Usage(estimate_text_tokens(task.prompt), 0, 1, size, quality)
        return Usage(estimate_text_tokens((self._system or "") + task_text(task)), self._answer_tokens)

    async def respond(self, request: Request, /) -> Reply:
        """Send the task as it stands."""
        if isinstance(request.task, Draw):
            (reply,) = await self._draw([request])
            return reply
        return await self._answer(request)

    async def respond_all(self, requests: Sequence[Request], /) -> Sequence[Reply]:
        """Have several pictures of one prompt drawn in one call; questions are put one by one."""
        if isinstance(requests[0].task, Draw):
            return await self._draw(requests)
        return await asyncio.gather(*(self._answer(request) for request in requests))

    async def _draw(self, requests: Sequence[Request]) -> list[Reply]:
        first, count = requests[0], len(requests)
        body = {"model": self.served_name, "prompt": first.text, "n": count} | self._drawing
        parameters = {"base_url": self.base_url, **scalars(self._drawing)} | ({"n": count} if count > 1 else {})
        sent = [replace(request.provenance(), parameters=parameters) for request in requests]
        tokens = count * (estimate_text_tokens(first.text) + 1)
        try:
            answered = await self._post("/images/generations", body, first, tokens)
        except DeclinedError as error:
            return [Reply(self._server.contact.decline(error), one) for one in sent]
        made = answered.content.get("data")
        if not isinstance(made, list) or len(made) != count or not all(isinstance(one, dict) for one in made):
            raise TransientError(f"the server did not give {count} images: {made!r:.100}", is_unsettled=True)
        pictures = [await self._picture(one) for one in made]
        used = read_usage(answered.content, count)
        size, quality = (str(self._drawing.get(name, "")) for name in ("size", "quality"))
        return [
            Reply(
                Pixels(picture),
                replace(
                    provenance,
                    prompt_rewritten=text_or_none(one.get("revised_prompt")),
                    revision=text_or_none(answered.content.get("model")),
                    tokens_in=used and used[0],
                    tokens_out=used and used[1],
                ),
                answered.seconds,
                Usage(*(used or (0, 0)), 1, size, quality),
            )
            for picture, one, provenance in zip(pictures, made, sent, strict=True)
        ]

    async def _picture(self, made: Mapping[str, Any]) -> bytes:
        """Get the pixels, and make sure that they are some: a broken image is asked for again, never kept."""
        encoded, url = made.get("b64_json"), made.get("url")
        try:
            if isinstance(encoded, str):
                data = base64.b64decode(encoded, validate=True)
            elif isinstance(url, str) and url.startswith("data:"):
                data = base64.b64decode(url.partition(",")[2], validate=True)
            elif isinstance(url, str):
                data = await self._server.fetch(url)
            else:
                raise TransientError(f"the server gave no image: {made!r:.100}", is_unsettled=True)
            await asyncio.to_thread(decode, data)
        except binascii.Error:
            raise TransientError(
                "the server's image is cut short: its base64 cannot be read", is_unsettled=True
            ) from None
        except BadImageError as error:
            raise TransientError(f"the server's image cannot be used: {error}", is_unsettled=True) from None
        return data

    async def _answer(self, request: Request) -> Reply:
        picture = await load_picture(request)
        messages = write_messages(request.text, picture, system=self._system, detail=self._detail)
        body = {"model": self.served_name, "messages": messages} | self._answering
        parameters: dict[str, Scalar] = {"base_url": self.base_url, **scalars(self._answering)}
        parameters |= given(system=self._system, detail=self._detail)
        if self._sends_seed:
            body["seed"] = request.seed
            parameters["sends_seed"] = True
        provenance = replace(request.provenance(), parameters=parameters)
        tokens = self.expect(request.task).tokens_in + self._answer_tokens
        try:
            answered = await self._post("/chat/completions", body, request, tokens)
        except DeclinedError as error:
            return Reply(self._server.contact.decline(error), provenance)
        return read_chat(answered, provenance)

    async def _post(self, path: str, body: Mapping[str, object], request: Request, tokens: int) -> Answered:
        return await self._server.post(path, json.dumps(body).encode(), tokens=tokens, idempotency_key=request.trial_id)
