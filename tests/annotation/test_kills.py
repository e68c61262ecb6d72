"""A server that is killed loses no answer that it has acknowledged, and stores none twice."""

import json
import random
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from http.client import HTTPException
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import pytest

from subitize.records import Count, Known
from subitize.store import Database, Location, Run
from tests.annotation.studies import item, make_run
from tests.annotation.visitors import served_by_process

pytestmark = pytest.mark.web

PEOPLE = ("anna", "ben", "chris")


class Browser:
    """Somebody who sends each answer until it is acknowledged, as our page does."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        self.acknowledged: dict[str, int] = {}
        self.pending: tuple[str, dict[str, object]] | None = None

    def work(self, link: str) -> None:
        """Answer until nothing is left, or the server is gone."""
        try:
            self._opener.open(link, timeout=10).read()
            address = link.partition("/join")[0]
            csrf = self._get(f"{address}/api/me")["csrf_token"]
            while self._send(address, csrf):
                pass
        except (OSError, ValueError, HTTPException):  # it was killed
            return

    def _send(self, address: str, csrf: str) -> bool:
        if self.pending is None:
            pages = self._get(f"{address}/api/pages")["pages"]
            if not pages:
                return False
            count = random.randrange(100)
            self.pending = pages[0]["id"], {"key": f"{self.name}-{len(self.acknowledged):05}", "text": str(count)}
        page, body = self.pending
        request = urllib.request.Request(
            f"{address}/api/pages/{page}/questions/0",
            json.dumps(body).encode(),
            {"Content-Type": "application/json", "X-CSRF-Token": csrf},
            method="PUT",
        )
        time.sleep(0.02)  # nobody is quicker
        self._opener.open(request, timeout=10).read()
        self.acknowledged[page] = int(str(body["text"]))
        self.pending = None
        return True

    def _get(self, url: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._opener.open(url, timeout=10).read())
        return found


def list_arguments(location: Location) -> list[object]:
    people = [option for name in PEOPLE for option in ("--person", name)]
    if isinstance(location, Database):
        return [location.run_id, "--database", location.url, "--images", location.images, *people]
    return [location.path, *people]


def check_kills(location: Location, kills: int, pages: int) -> None:
    make_run(location, [item(f"cats/{place}", Count("cat"), "How many cats?") for place in range(pages)])
    browsers = [Browser(name) for name in PEOPLE]
    for kill in range(kills + 1):
        with served_by_process(*list_arguments(location)) as (server, links):
            threads = [threading.Thread(target=browser.work, args=(links[browser.name],)) for browser in browsers]
            for thread in threads:
                thread.start()
            if kill < kills:
                time.sleep(random.uniform(0.05, 0.5))
                server.kill()
            for thread in threads:
                thread.join(60)
    with Run(location) as run:
        readings = [stored.reading for stored in run.readings("human")]
    said = Counter((reading.annotator, reading.subject.id) for reading in readings)
    assert set(said.values()) == {1}
    values: dict[str, list[object]] = {name: [] for name in PEOPLE}
    for reading in readings:
        assert isinstance(reading.value, Known)
        values[reading.annotator].append(reading.value.value)
    for browser in browsers:
        assert sorted(map(str, values[browser.name])) == sorted(map(str, browser.acknowledged.values()))
        assert len(browser.acknowledged) == pages


@pytest.mark.slow
def test_a_killed_server_loses_no_answer(location: Location, tmp_path: Path) -> None:
    check_kills(location, kills=1, pages=30)


@pytest.mark.proof("subitize.annotation", "subitize.store")
def test_ten_kills_lose_no_answer(location: Location, tmp_path: Path) -> None:
    check_kills(location, kills=10, pages=60)
