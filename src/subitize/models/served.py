"""The base class of models behind a server that speaks JSON."""

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Annotated, Any

from subitize.interfaces import Model, Pixels, Reply, Request, RuntimeOption
from subitize.models.chat import read_usage
from subitize.models.http import Answered, DeclinedError, Limits, Server
from subitize.records import Draw, Said, TaskKind, digest


class ServedModel(Model):
    """Asks a server, at a pace that it can bear; what goes wrong becomes a reply, or an error that says what to do.

    A class for one server gives its address, the variable that holds its key, and a method for each task: `answer`,
    `draw` or both. Each method sends with `post` and reads what comes back.
    """

    name: str
    """Its name in specs, NAME:MODEL."""
    usual_url: str
    """The server's address, unless `base_url` gives another; there it needs a key."""
    usual_key_variable: str

    def __init__(
        self,
        model: str,
        /,
        *,
        base_url: Annotated[str | None, RuntimeOption] = None,
        concurrency: Annotated[int, RuntimeOption] = 32,
        requests_per_minute: Annotated[float | None, RuntimeOption] = None,
        tokens_per_minute: Annotated[float | None, RuntimeOption] = None,
        timeout_seconds: Annotated[float, RuntimeOption] = 120.0,
        key_variable: Annotated[str | None, RuntimeOption] = None,
    ) -> None:
        limits = Limits(concurrency, requests_per_minute, tokens_per_minute, timeout_seconds)
        self.server = Server(base_url or self.usual_url, key_variable or self.usual_key_variable, limits)
        self.base_url, self.served_name, self.concurrency = self.server.base_url, model, concurrency

    def __init_subclass__(cls) -> None:
        """Find the tasks: those for which there is a method."""
        if "tasks" not in vars(cls):
            both: tuple[TaskKind, ...] = ("answer", "draw")
            cls.tasks = frozenset(task for task in both if getattr(cls, task) is not getattr(ServedModel, task))

    def opened(self) -> AbstractAsyncContextManager[object]:
        """Keep the connections to the server open."""
        return self.server.opened()

    def check(self) -> None:
        """Raise BadValueError if a key is needed and missing."""
        if self.base_url == self.usual_url:
            self.server.state.need_key(f"{self.name}:{self.served_name}")

    async def answer(self, picture: bytes, question: str, request: Request) -> tuple[str, Answered]:
        """Answer a question about a picture: return the words, and what `post` gave."""
        raise NotImplementedError

    async def draw(self, prompt: str, request: Request) -> tuple[bytes, Answered]:
        """Draw a prompt: return the encoded picture, and what `post` gave."""
        raise NotImplementedError

    async def respond(self, request: Request, /) -> Reply:
        """Send the task; a refusal is a reply, too."""
        provenance = replace(request.provenance(), parameters={"base_url": self.base_url})
        content: Pixels | Said
        try:
            if isinstance(request.task, Draw):
                data, (came, seconds) = await self.draw(request.text, request)
                content = Pixels(data)
            else:
                words, (came, seconds) = await self.answer(request.picture(), request.text, request)
                content = Said(words)
        except DeclinedError as error:
            return Reply(self.server.state.read_decline(error), provenance)
        return Reply(content, provenance, seconds, read_usage(came))

    async def post(self, path: str, body: Mapping[str, Any], requests: Sequence[Request], tokens: int = 0) -> Answered:
        """Send what some requests ask for, which is expected to use so many tokens.

        By an idempotency key the server recognises a repeated call. It includes a hash of the body: a run with another
        seed has trials of the same ids, with other pictures.
        """
        ids, sent = [request.trial_id for request in requests], json.dumps(body)
        key = f"{ids[0] if len(ids) == 1 else digest(*ids)}-{digest(sent)[:8]}"
        return await self.server.post(path, sent.encode(), tokens=tokens, idempotency_key=key)
