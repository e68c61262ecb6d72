"""A Ray cluster of two nodes on this machine, each with one core, for tests and benchmarks."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

from subitize.evaluate.engines import make_engine
from tests.commands import python_path


class TwoNodes:
    """A cluster on loopback addresses: 127.0.0.2 is its head, 127.0.0.3 another node, and more may come."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        # No node may use its disk where its object store is full.
        head = {"_system_config": {"local_fs_capacity_threshold": 0.0001}}
        self._cluster = Cluster(initialize_head=True, head_node_args={**self._size(2), **head})
        self.second = self.add(3)
        self.address: str = self._cluster.address

    def add(self, place: int, **options: Any) -> Any:  # noqa: ANN401
        return self._cluster.add_node(**self._size(place), **options)

    def kill(self, node: Any) -> None:  # noqa: ANN401
        self._cluster.remove_node(node, allow_graceful=False)

    def close(self) -> None:
        self._cluster.shutdown()

    def engine(self, spec: str = "ray") -> Any:  # noqa: ANN401
        return make_engine(spec, self.address)

    @staticmethod
    def _size(place: int) -> dict[str, Any]:
        return {"node_ip_address": f"127.0.0.{place}", "object_store_memory": 100_000_000, "include_dashboard": False}


@contextmanager
def two_nodes() -> Iterator[TwoNodes]:
    """Start a cluster, and end it; it keeps its files apart from those of a user's own cluster."""
    own = {"PYTHONPATH": python_path(), "RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}
    with (
        TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as folder,  # sockets have short paths
        mock.patch.dict(os.environ, own, RAY_TMPDIR=folder),
    ):
        os.environ.pop("RAY_ADDRESS", None)
        nodes = TwoNodes()
        try:
            yield nodes
        finally:
            nodes.close()
