"""Models behind an OpenAI-compatible server: its images endpoint draws, its chat endpoint does the rest."""

import asyncio
import base64
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from subitize.errors import BadImageError, BadValueError
from subitize.interfaces import Pixels, Reply, Request, RuntimeOption, TransientError, Usage
from subitize.io.images import decode
from subitize.io.prices import estimate_text_tokens
from subitize.models import chat
from subitize.models.http import DeclinedError, Limits, ServedModel, Server, check_url, read_usage
from subitize.records import Draw, Failed, Scalar, Task

DEFAULT_URL = "https://api.openai.com/v1"
URL_VARIABLE = "OPENAI_BASE_URL"
_NEWER_LIMIT = "max_completion_tokens"


class OpenAi(ServedModel):
    """Ask a model of OpenAI, or of any server that speaks its language; the key is read from the environment.

    `extra` is a JSON object of further parameters to send. What has no value is not sent.

    Args:
        quality: of a picture, as the server names it
        n: pictures of one prompt in one call, from 1 to 10
        detail: how closely the server looks at a picture, as it names it
    """

    name, usual_url, usual_key_variable = "openai", DEFAULT_URL, "OPENAI_API_KEY"
    tasks = frozenset({"draw", "answer", "match", "fill"})

    def __init__(
        self,
        model: str,
        /,
        *,
        base_url: Annotated[str | None, RuntimeOption] = None,
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
        concurrency: Annotated[int, RuntimeOption] = 32,
        requests_per_minute: Annotated[float | None, RuntimeOption] = None,
        tokens_per_minute: Annotated[float | None, RuntimeOption] = None,
        timeout_seconds: Annotated[float, RuntimeOption] = 120.0,
        key_variable: Annotated[str, RuntimeOption] = "OPENAI_API_KEY",
        allow_private: Annotated[bool, RuntimeOption] = False,
    ) -> None:
        from_environment = os.environ.get(URL_VARIABLE, "").strip() or DEFAULT_URL
        address = base_url or check_url(from_environment, URL_VARIABLE, takes_version=True)
        limits = Limits(concurrency, requests_per_minute, tokens_per_minute, timeout_seconds)
        self.connect(model, Server(address, key_variable, limits, allow_private=allow_private))
        if not 1 <= n <= 10:
            raise BadValueError(f"n={n}: a call gives 1 to 10 images")
        self.repeats_per_call = n
        self._sends_seed, self._system, self._detail = sends_seed, system, detail
        self._size, self._quality = size or "", quality or ""
        taken = {"model", "messages", "prompt", "n", "stream", "seed", "size", "quality"}
        more = chat.read_extra(extra, taken, self.server.state.key)
        self._drawing = chat.given(size=size, quality=quality) | more
        self._answering = chat.given(temperature=temperature, max_tokens=max_tokens) | more
        if logprobs:
            self._answering |= {"logprobs": True, "top_logprobs": logprobs}
        self._answer_tokens = min(max_tokens or chat.ANSWER_TOKENS, chat.ANSWER_TOKENS)

    def expect(self, task: Task, /) -> Usage:
        """Estimate the usage of one answer; a shown picture's tokens depend on the price list."""
        if isinstance(task, Draw):
            return Usage(estimate_text_tokens(task.prompt), 0, 1, self._size, self._quality)
        tokens_in = estimate_text_tokens((self._system or "") + chat.as_question(task))
        return Usage(tokens_in, self._answer_tokens, is_low_detail=self._detail == "low")

    async def respond(self, request: Request, /) -> Reply:
        """Send the task as it is."""
        (reply,) = await self.respond_all([request])
        return reply

    async def respond_all(self, requests: Sequence[Request], /) -> Sequence[Reply]:
        """Draw several pictures of one prompt in one call; ask questions one by one."""
        if isinstance(requests[0].task, Draw):
            return await self._draw(requests)
        return [chat.score_answer(request.task, await self._chat(request, request.picture())) for request in requests]

    async def write(self, request: Request, /) -> Reply:
        """Send the words of the task to the chat endpoint, without a picture."""
        return await self._chat(request, None)

    async def _draw(self, requests: Sequence[Request]) -> list[Reply]:
        """Draw all pictures in one call; if some are broken or missing, the others are kept."""
        first, count = requests[0], len(requests)
        body = {"model": self.served_name, "prompt": first.text, "n": count} | self._drawing
        # An images endpoint takes no seed.
        parameters = {"base_url": self.base_url, "sends_seed": False, **chat.scalars(self._drawing)}
        parameters |= {"n": count} if count > 1 else {}
        sent = [replace(request.provenance(), parameters=parameters) for request in requests]
        tokens = estimate_text_tokens(first.text) + 1
        try:
            content, seconds = await self.post("/images/generations", body, requests, tokens)
        except DeclinedError as error:
            declined = self.server.state.read_decline(error)
            return [Reply(declined, one) for one in sent]
        made = content.get("data")
        entries = [one for one in made if isinstance(one, dict)][:count] if isinstance(made, list) else []
        pictures = [await self._picture(one) for one in entries]
        if not any(isinstance(picture, Pixels) for picture in pictures):
            faults = [picture.reason for picture in pictures if isinstance(picture, Failed)]
            raise TransientError(next(iter(faults), f"the server gave no images: {made!r:.100}"), is_unsettled=True)
        missing = Failed(f"the server gave {len(entries)} of {count} images; n=1 asks for one at a time", True)
        pictures += [missing] * (count - len(entries))
        entries += [{}] * (count - len(entries))
        usages = self._share(read_usage(content), count)
        replies, revision = [], chat.text_or_none(content.get("model"))
        for picture, entry, provenance, usage in zip(pictures, entries, sent, usages, strict=True):
            rewritten = chat.text_or_none(entry.get("revised_prompt"))
            used = replace(provenance, tokens_in=usage.tokens_in or None, tokens_out=usage.tokens_out or None)
            told = replace(used, prompt_rewritten=rewritten, revision=revision)
            replies.append(Reply(picture, told, seconds, usage))
        return replies

    def _share(self, used: Usage | None, count: int) -> list[Usage]:
        """Spread a call's usage over its pictures; the remainder falls to the first."""
        tokens_in, tokens_out = (used.tokens_in, used.tokens_out) if used else (0, 0)
        rest = [(tokens_in % count, tokens_out % count)] + [(0, 0)] * (count - 1)
        each = ((tokens_in // count + more_in, tokens_out // count + more_out) for more_in, more_out in rest)
        return [Usage(*tokens, 1, self._size, self._quality) for tokens in each]

    async def _picture(self, made: Mapping[str, Any]) -> Pixels | Failed:
        """Get an image and check that it can be decoded: a broken one is asked for again, never kept."""
        encoded, url = made.get("b64_json"), made.get("url")
        if not isinstance(encoded, str) and isinstance(url, str) and url.startswith("data:"):
            encoded = url
        try:
            if isinstance(encoded, str):
                data = base64.b64decode("".join(encoded.rpartition(",")[2].split()), validate=True)
            elif isinstance(url, str):
                data = await self.server.fetch(url)
            else:
                return Failed(f"the server gave no image: {made!r:.100}", is_transient=True)
            await asyncio.to_thread(decode, data)
        except BadImageError as error:
            return Failed(f"the server's image cannot be used: {error}", is_transient=True)
        except TransientError as error:
            return Failed(str(error), is_transient=True)
        except ValueError:
            return Failed("the server's image is cut short: its base64 cannot be read", is_transient=True)
        return Pixels(data)

    async def _chat(self, request: Request, picture: bytes | None) -> Reply:
        question = chat.as_question(request.task)
        messages = chat.write_messages(question, picture, system=self._system, detail=self._detail)
        body = {"model": self.served_name, "messages": messages} | self._answering
        parameters: dict[str, Scalar] = {"base_url": self.base_url, **chat.scalars(self._answering)}
        parameters |= chat.given(system=self._system, detail=self._detail)
        if "max_tokens" in body and self.base_url == DEFAULT_URL:
            # OpenAI's newer models refuse max_tokens, and most other servers do not know its new name; those that do,
            # such as Azure, refuse the old one below.
            body = _rename_limit(body)
        parameters["sends_seed"] = self._sends_seed
        if self._sends_seed:
            body["seed"] = request.seed
        provenance = replace(request.provenance(), parameters=parameters, prompt_sent=question)
        tokens = self.expect(request.task).tokens_in + self._answer_tokens
        try:
            answered = await self.post("/chat/completions", body, [request], tokens)
        except DeclinedError as error:
            if "max_tokens" in body and _NEWER_LIMIT in str(error):
                self._answering = _rename_limit(self._answering)
                return await self._chat(request, picture)
            return Reply(self.server.state.read_decline(error), provenance)
        return chat.read_chat(answered, provenance)


def _rename_limit(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Rename the limit of an answer's tokens as newer models take it."""
    return {_NEWER_LIMIT if name == "max_tokens" else name: value for name, value in parameters.items()}
