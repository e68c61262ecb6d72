"""The engine for a Ray cluster: workers compute there; this process plans, waits for servers, and alone writes the run.

Each worker makes its model or judge again from the spec and loads the weights once. Requests travel with their
pictures, as bytes or recipes. What a lost worker had begun is done again by another."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from itertools import count
from types import TracebackType
from typing import Any, Self

import ray
from ray import exceptions

from subitize import __version__
from subitize.evaluate.engines import Called, Caller, Failure, Kind, LocalEngine, Method, failure_of
from subitize.evaluate.pictures import ship
from subitize.evaluate.ray_cluster import (
    RayWorker,
    WorkerSize,
    count_room,
    describe_error,
    describe_want,
    join_cluster,
    load_worker,
    perform,
)
from subitize.interfaces import Computes, ComputesSeveral, Responds
from subitize.registry import Resolved

# A request that takes so many workers down would take down all of them.
_MOST_LOSSES = 5
_CALLS_PER_WORKER = 2
"""One waits at the worker while the other is computed."""


class RayEngine:
    """Computes on a Ray cluster: at the address, else the one that this machine belongs to.

    The workers are those of one model or judge at a time, so that no two compete for a GPU.
    """

    def __init__(self, address: str | None, size: WorkerSize) -> None:
        self._address, self._size, self._local = address, size, LocalEngine()
        self._crews: dict[tuple[Kind, str], _Crew] = {}
        self._has_connected = False

    def __enter__(self) -> Self:
        if not ray.is_initialized():
            join_cluster(self._address)
            self._has_connected = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._local.__exit__(kind, error, trace)
        self._keep_only(None)
        if self._has_connected:
            ray.shutdown()

    def submit(self, function: Callable[..., Any], *given: object) -> Any:  # noqa: ANN401
        """Call a function in a process of this machine, as to draw what models behind servers are shown."""
        return self._local.submit(function, *given)

    @contextmanager
    def start(self, kind: Kind, made: Resolved[Any]) -> Iterator[Caller]:
        """Call a model or judge on the cluster if it computes; what waits for a server waits in this process."""
        if not _computes(made.obj):
            with self._local.start(kind, made) as caller:
                yield caller
            return
        crew = self._crew(kind, made)
        batch_size = getattr(made.obj, "batch_size", 1)
        yield Caller(crew.call, _CALLS_PER_WORKER * crew.most, batch_size, opened=crew.opened)

    def invoke(self, kind: Kind, made: Resolved[Any], method: Method) -> Any:  # noqa: ANN401
        """Call a method of a model or judge on a worker, which has its weights."""
        if not _computes(made.obj):
            return self._local.invoke(kind, made, method)
        crew = self._crew(kind, made)

        async def ask() -> Any:  # noqa: ANN401
            async with crew.opened():
                return await crew.ask(lambda worker: worker.invoke.remote(method))

        return _value(asyncio.run(ask()))

    def spread(self, function: Callable[..., Any], jobs: Iterable[Sequence[object]]) -> Iterator[tuple[int, Any]]:
        """Call a function for each job; yield the places of the jobs with their results, as they come.

        What a lost node had begun is done again. Only so many jobs are under way at once.
        """
        task = ray.remote(num_cpus=self._size.cpus)(perform)
        most = self._size.workers or _CALLS_PER_WORKER * count_room(self._size, 0)
        under_way: dict[Any, int] = {}
        for place, job in enumerate(jobs):
            if len(under_way) >= most:
                yield _first_done(under_way)
            under_way[task.remote(__version__, function, *job)] = place
        while under_way:
            yield _first_done(under_way)

    def _crew(self, kind: Kind, made: Resolved[Any]) -> "_Crew":
        key = kind, made.spec_text
        if key not in self._crews:
            gpus = self._size.gpus
            if gpus is None:
                gpus = min(1.0, ray.cluster_resources().get("GPU", 0.0)) if isinstance(made.obj, ComputesSeveral) else 0
            size = replace(self._size, workers=count_room(self._size, gpus), gpus=gpus)
            self._crews[key] = _Crew(kind, made.spec_text, size, self._keep_only)
        return self._crews[key]

    def _keep_only(self, wanted: "_Crew | None") -> None:
        for crew in self._crews.values():
            if crew is not wanted:
                crew.dismiss()


class _Crew:
    """The workers of one model or judge: they start as there are calls for them, and live until they are dismissed."""

    def __init__(self, kind: Kind, text: str, size: WorkerSize, keep_only: Callable[["_Crew"], None]) -> None:
        self._given, self._size, self._keep_only = (kind, text), size, keep_only
        self.most = size.workers or 1
        self._workers: list[Any] = []
        self._starting: set[asyncio.Task[None]] = set()
        self._numbers = count()
        # A worker is in it once for each call that it can take, or a failure to start one.
        self._free: asyncio.PriorityQueue[tuple[int, int, Any]]

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Have workers meanwhile, in place of those of another model or judge."""
        self._keep_only(self)
        self._free = asyncio.PriorityQueue()
        for worker in self._workers:
            self._add(worker)
        try:
            yield
        finally:
            for task in self._starting:
                task.cancel()

    async def call(self, asked: Sequence[Any]) -> Called | Failure:
        """Have a worker compute the answers of a call."""
        try:
            shipped = await asyncio.get_running_loop().run_in_executor(None, ship, asked)
        except Exception as error:
            return failure_of(error)
        given: Called | Failure = await self.ask(lambda worker: worker.compute.remote(shipped))
        return given

    async def ask(self, call: Callable[[Any], Any]) -> Any:  # noqa: ANN401
        """Call a worker; if it is lost, call another."""
        lost = 0
        while lost < _MOST_LOSSES:
            if self._free.empty() and len(self._workers) + len(self._starting) < self.most:
                self._start_one()
            *_, worker = token = await self._free.get()
            if isinstance(worker, Failure):
                self._free.put_nowait(token)  # for those that wait, too
                return worker
            if worker not in self._workers:
                continue
            try:
                given = await call(worker)
            except (exceptions.RayActorError, exceptions.ObjectLostError):
                self._lose(worker)
                lost += 1
                continue
            except exceptions.RayError as error:
                given = describe_error(error)
            except Exception as error:  # as of a request that cannot be sent
                given = failure_of(error)
            self._free.put_nowait(token)
            return given
        return Failure(
            f"{lost} workers died at one call, perhaps for want of memory; what was stored is safe: run the same "
            "command again, with fewer workers per node, as by `engine` ray:cpus=4",
            ends_run="run",
        )

    def dismiss(self) -> None:
        """End the workers; later calls start others."""
        for worker in self._workers:
            ray.kill(worker)
        self._workers = []

    def _start_one(self) -> None:
        task = asyncio.create_task(self._start())
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)

    async def _start(self) -> None:
        """Start a worker; another if it is lost meanwhile, as with its node."""
        failure: Failure | None = None
        for _ in range(_MOST_LOSSES):
            actor = _ACTOR.options(num_cpus=self._size.cpus, num_gpus=self._size.gpus)
            worker = actor.remote(*self._given, os.getcwd())
            try:
                failure = await load_worker(worker)
            except TimeoutError:
                failure = None if self._workers else describe_want(self._size)
            except exceptions.RayActorError as error:
                failure = describe_error(error)
                if not failure.ends_run:
                    continue
            else:
                if failure is None:
                    self._workers.append(worker)
                    self._add(worker)
            finally:
                if worker not in self._workers:
                    ray.kill(worker)
            break
        if failure is not None:
            self._free.put_nowait((-1, next(self._numbers), replace(failure, ends_run=failure.ends_run or "run")))

    def _add(self, worker: Any) -> None:  # noqa: ANN401
        for rank in range(_CALLS_PER_WORKER):
            self._free.put_nowait((rank, next(self._numbers), worker))

    def _lose(self, worker: Any) -> None:  # noqa: ANN401
        if worker in self._workers:
            self._workers.remove(worker)
        ray.kill(worker)


_ACTOR: Any = ray.remote(RayWorker)


def _computes(it: Any) -> bool:  # noqa: ANN401
    """Return whether it computes; what waits for a server stays in one process, which keeps to its limits."""
    does_wait = it.repeats_per_call > 1 or isinstance(it, Responds)
    return not does_wait and isinstance(it, Computes | ComputesSeveral)


def _first_done(under_way: dict[Any, int]) -> tuple[int, Any]:
    (done,), _ = ray.wait(list(under_way))
    try:
        return under_way.pop(done), _value(ray.get(done))
    except exceptions.RayError as error:
        raise replace(describe_error(error), ends_run="run").error() from None


def _value(given: Any) -> Any:  # noqa: ANN401
    if isinstance(given, Failure):
        raise given.error()
    return given
