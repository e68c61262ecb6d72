"""Models behind Hugging Face's client: at any provider it knows, or at an endpoint's address."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated, Any

from PIL import UnidentifiedImageError
from PIL.ImageFile import ImageFile

from subitize.errors import BadImageError, BadValueError, UnusableModelError
from subitize.interfaces import Pixels, Reply, Request, RuntimeOption, TransientError, Usage
from subitize.io.images import decode
from subitize.io.prices import estimate_text_tokens
from subitize.models import http
from subitize.models.chat import ANSWER_TOKENS, given, read_chat, read_extra, scalars, write_messages
from subitize.models.pacing import Turn
from subitize.networks.pipelines import parse_size
from subitize.networks.weights import require
from subitize.records import Draw, Provenance, Task, task_text

if TYPE_CHECKING:
    from huggingface_hub import AsyncInferenceClient

ROUTER_URL = "https://router.huggingface.co"
# The most connections that the client's HTTP library keeps.
_MOST_AT_ONCE = 100


class HfInference(http.ServedModel):
    """Ask a model through Hugging Face, at any provider or endpoint; the key is read from the environment.

    The model is a name on the hub, or the address of an endpoint. `extra` is a JSON object of further parameters to
    send. What has no value is not sent.

    Args:
        provider: who runs the model; none: Hugging Face's choice
    """

    name, usual_url = "hf-inference", ROUTER_URL
    tasks = frozenset({"draw", "answer"})

    def __init__(
        self,
        model: str,
        /,
        *,
        provider: str | None = None,
        base_url: Annotated[str | None, RuntimeOption] = None,
        size: str | None = None,
        steps: int | None = None,
        guidance: float | None = None,
        negative_prompt: str | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        system: str | None = None,
        logprobs: int = 0,
        sends_seed: bool = True,
        extra: str | None = None,
        concurrency: Annotated[int, RuntimeOption] = 32,
        requests_per_minute: Annotated[float | None, RuntimeOption] = None,
        tokens_per_minute: Annotated[float | None, RuntimeOption] = None,
        timeout_seconds: Annotated[float, RuntimeOption] = 120.0,
        key_variable: Annotated[str, RuntimeOption] = "HF_TOKEN",
    ) -> None:
        limits = http.Limits(concurrency, requests_per_minute, tokens_per_minute, timeout_seconds)
        is_address = model.startswith(("http://", "https://"))
        if is_address and base_url:
            raise BadValueError(f"{model} is an address already; leave base_url out, or name a model")
        address = model if is_address else base_url
        if address and provider:
            raise BadValueError(f"provider={provider}: no provider is asked, but {address}; leave one of them out")
        self._client = _Client(model, provider, address, key_variable, limits)
        # In Hugging Face's notation: a model's price depends on its provider.
        self.connect(f"{model}:{provider}" if provider else model, self._client)
        self._sends_seed, self._system, self._size = sends_seed, system, size or ""
        self._reached = given(provider=provider, base_url=self._client.address)
        width, height = parse_size(size) or (None, None)
        self._drawing = given(
            width=width,
            height=height,
            num_inference_steps=steps,
            guidance_scale=guidance,
            negative_prompt=negative_prompt,
        )
        self._answering = given(temperature=temperature, max_tokens=max_tokens)
        self._answering |= given(logprobs=True, top_logprobs=logprobs) if logprobs else {}
        self._model = given(model=None if is_address or not address else model)
        taken = {"model", "messages", "inputs", "stream", "seed"}
        self._extra = read_extra(extra, taken, self._client.state.key)
        self._versions = {"huggingface_hub": version("huggingface_hub")}
        self._answer_tokens = min(max_tokens or ANSWER_TOKENS, ANSWER_TOKENS)

    def expect(self, task: Task, /) -> Usage:
        """Estimate the usage of one answer; a shown picture's tokens depend on the price list."""
        if isinstance(task, Draw):
            return Usage(estimate_text_tokens(task.prompt), 0, 1, self._size)
        return Usage(estimate_text_tokens((self._system or "") + task_text(task)), self._answer_tokens)

    async def respond(self, request: Request, /) -> Reply:
        """Send the task as it is."""
        is_drawing = isinstance(request.task, Draw)
        sent = self._drawing if is_drawing else self._answering | given(system=self._system)
        parameters = self._reached | scalars(sent | self._extra) | ({"sends_seed": True} if self._sends_seed else {})
        provenance = request.provenance()
        provenance = replace(provenance, parameters=parameters, versions={**provenance.versions, **self._versions})
        try:
            return await (self._draw if is_drawing else self._answer)(request, provenance)
        except http.DeclinedError as error:
            return Reply(self._client.state.read_decline(error), provenance)

    async def _draw(self, request: Request, provenance: Provenance) -> Reply:
        options = self._drawing | self._seed(request)

        async def ask(client: "AsyncInferenceClient") -> object:
            return _take_file(await client.text_to_image(request.text, **options, extra_body=self._extra))

        async def read(data: bytes, seconds: float) -> Reply:
            await asyncio.to_thread(decode, data)
            return Reply(Pixels(data), provenance, seconds, Usage(0, 0, 1, self._size))

        return await self._client.make(ask, read, estimate_text_tokens(request.text) + 1)

    async def _answer(self, request: Request, provenance: Provenance) -> Reply:
        messages: list[Any] = write_messages(request.text, request.picture(), system=self._system)
        options = self._model | self._answering | self._seed(request)

        async def ask(client: "AsyncInferenceClient") -> object:
            return await client.chat_completion(messages, **options, extra_body=self._extra)

        async def read(content: dict[str, Any], seconds: float) -> Reply:
            return read_chat((content, seconds), provenance)

        tokens = self.expect(request.task).tokens_in + self._answer_tokens
        return await self._client.make(ask, read, tokens)

    def _seed(self, request: Request) -> dict[str, Any]:
        return {"seed": request.seed} if self._sends_seed else {}


class _Client(http.Server):
    """The router or an endpoint, asked by Hugging Face's client at our pace, without retries."""

    def __init__(
        self, model: str, provider: str | None, address: str | None, key_variable: str, limits: http.Limits
    ) -> None:
        require(f"model 'hf-inference:{model}'", "huggingface_hub", extra="hub")
        self.address = None if address is None else http.check_url(address)
        super().__init__(self.address or ROUTER_URL, key_variable, limits)
        self.state.where = self.address or f"Hugging Face ({provider or 'its choice of providers'})"
        self._model, self._provider, self._key_variable = model, provider, key_variable
        if limits.concurrency > _MOST_AT_ONCE:
            at_once = limits.concurrency
            raise BadValueError(f"concurrency={at_once}: huggingface_hub makes {_MOST_AT_ONCE} calls at most")
        self._client: AsyncInferenceClient | None = None

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Keep connections open within the context."""
        from huggingface_hub import AsyncInferenceClient

        asked: dict[str, Any] = (
            {"base_url": self.address} if self.address else {"model": self._model, "provider": self._provider}
        )
        # Without a token the client would look for one in the user's home: it gets a dummy that is not sent.
        headers: dict[str, Any] = {} if self.state.key else {"authorization": None}
        client = AsyncInferenceClient(
            token=self.state.key or "none", headers=headers, timeout=self.limits.timeout_seconds, **asked
        )
        try:
            async with client as self._client:
                # The only public way to the client's session would change every other client's.
                session: Any = await client._get_async_client()  # type: ignore[no-untyped-call, unused-ignore]
                hooks = session.event_hooks
                session.event_hooks = hooks | {"response": [*hooks.get("response", ()), self._check_redirect]}
                yield
        finally:
            self._client = None

    async def _check_redirect(self, answer: Any) -> None:  # noqa: ANN401
        """Refuse redirects of requests to another server; finished images may be fetched from anywhere."""
        if answer.has_redirect_location and answer.request.method == "POST":
            self.state.follow(str(answer.request.url), answer.headers["location"])

    async def make(
        self,
        ask: "Callable[[AsyncInferenceClient], Awaitable[object]]",
        read: Callable[[Any, float], Awaitable[Reply]],
        tokens: int,
    ) -> Reply:
        """Make a call that is expected to use so many tokens, and read its answer with the key redacted."""
        if self._client is None:
            raise TypeError("the client is called while it is not opened")
        async with self.pacer.turn(tokens) as turn:
            start = time.perf_counter()
            try:
                async with asyncio.timeout(self.limits.timeout_seconds):
                    came = await ask(self._client)
            except Exception as error:  # providers' code in the client may raise anything
                raise self._explain(error, turn) from None
            try:
                reply = await read(self.state.redact(came), time.perf_counter() - start)
            except (TransientError, BadImageError) as error:
                raise self._explain_misreading(error) from None
            self.state.answer()
            told = reply.provenance
            self.pacer.accept(turn, tokens if told.tokens_in is None else told.tokens_in + (told.tokens_out or 0))
        return reply

    def _explain(self, error: Exception, turn: Turn) -> Exception:
        """Turn an error of the client into one of ours."""
        from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled, RepositoryNotFoundError

        if isinstance(error, UnusableModelError):
            return error
        if isinstance(error, OfflineModeIsEnabled):
            return UnusableModelError("huggingface_hub is offline; unset the environment variable HF_HUB_OFFLINE")
        if isinstance(error, RepositoryNotFoundError):
            return UnusableModelError(
                f"the hub shows no model {self._model!r} to the key in {self._key_variable}; check the name and the key"
            )
        if isinstance(error, HfHubHTTPError):
            answer = error.response
            return self._explain_status(answer.status_code, answer.headers, self.state.redact(answer.content), turn)
        if isinstance(error, UnidentifiedImageError):
            return self._explain_misreading(BadImageError("what came is no image"))
        if isinstance(error, TimeoutError):
            seconds = self.limits.timeout_seconds
            return TransientError(f"no answer within {seconds:g} s; timeout_seconds=… waits longer", is_unsettled=True)
        # The client's HTTP library, by its names in old and new versions.
        is_of_network = type(error).__module__ in ("httpx", "httpx2")
        return self._explain_network(error) if is_of_network else self._explain_misreading(error)

    def _explain_status(self, status: int, told: Mapping[str, str], data: bytes, turn: Turn) -> Exception:
        content = http.parse_json(data)
        code, message = http.read_error(content, data.decode("utf-8", "replace"))
        wait_seconds = http.retry_after_seconds(told, time.time())
        if status == 429:
            self.pacer.reject(turn, wait_seconds)
        loading_seconds = _read_loading_seconds(content) if status == 503 else None
        if loading_seconds is not None:
            reason = f"{self.state.where} answered {status}: {message}"
            return TransientError(reason, retry_after_seconds=loading_seconds, is_busy=True)
        return self.state.error_of(status, code, message, wait_seconds)

    def _explain_network(self, error: Exception) -> Exception:
        reason = self._describe(error)
        if type(error).__name__ != "ConnectError":
            return TransientError(f"the connection broke: {reason}", is_unsettled=True)
        if self.address:
            return TransientError(f"cannot reach {self.address}: {reason}; is the server running, and base_url right?")
        reason = f"cannot reach Hugging Face ({reason}); mend the network, or give base_url=http://… of another server"
        return TransientError(reason) if self.state.has_answered else UnusableModelError(reason)

    def _describe(self, error: Exception) -> str:
        text = http.one_line(self.state.redact(str(error)))
        return text if isinstance(error, TransientError | BadImageError) else f"{type(error).__name__}: {text}"

    def _explain_misreading(self, error: Exception) -> Exception:
        """Distinguish an unreadable answer from a request that the client could not even make."""
        reason = self._describe(error)
        if not self.state.has_answered and not self.address and type(error) in (ValueError, RuntimeError):
            # RuntimeError means that the hub lists no provider at all.
            asked = f"provider={self._provider}" if self._provider else "any provider"
            return UnusableModelError(f"huggingface_hub cannot ask {asked} for {self._model}: {reason}")
        where = self.state.where
        return self.state.failure(f"{where} gave what cannot be read ({reason}); check the name and base_url")


def _take_file(image: object) -> bytes:
    """Read the image as the server sent it: the client gives an open file, not yet read."""
    if not isinstance(image, ImageFile) or image.fp is None:
        raise TypeError(f"{type(image).__name__} is no image file")
    image.fp.seek(0)
    return image.fp.read()


def _read_loading_seconds(content: object) -> float | None:
    """Read how long a model will still be loading; the request was not begun."""
    seconds = content.get("estimated_time") if isinstance(content, dict) else None
    return max(0.0, seconds) if isinstance(seconds, int | float) and math.isfinite(seconds) else None
