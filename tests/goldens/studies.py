"""What studies with people store and write: scripted people answer on the page that `subitize annotate` serves."""

import csv
import json
import re
import shutil
import urllib.request
from collections.abc import Iterator, Mapping
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.annotation.visitors import served
from tests.goldens.dumps import dump
from tests.goldens.texts import Golden, Texts, printed, read_files, sha256
from tests.suites.own_tables import png, write_lines

RUN = "pictures"
QUESTIONS = (
    "How many cats are there?",
    "What is written on the wall?",
    "Is the cat asleep?",
    "no cats | some cats | many cats",
)
ANSWERS: Mapping[str, tuple[str, ...]] = {
    "count": ("2", "three", "2", "about 4", "12"),
    "click": ("[[1, 2], [3.5, 4]]", "[]", "[[7, 7]]"),
    "yes-no": ("yes", "no", "yes"),
    "choose": ("no cats", "many cats", "some cats", "some cats"),
    "text": ("STOP", '=1+1 says "x",\nor so', ""),
    "match": ("yes", "no"),
}
RIGHT = {
    "count:cat": "2",
    'choose:["no cats", "some cats", "many cats"]': "no cats",
}
WRONG_PAGES = {"anna": 0, "ben": 2, "chris": 4, "dan": 0}
"""How many pages of the training each gets wrong: Ben passes at the second chance, Chris fails."""
REMARKS: Mapping[int, Mapping[str, object]] = {
    2: {"is_unsure": True, "comment": "hm", "seconds": 2.5},
    4: {"is_skipped": True, "text": "=too dark"},
    7: {"is_flagged": True, "comment": "a knife"},
}
"""What is special about somebody's answers, by their ordinals."""


class Visitor:
    """Somebody with a link, who answers by a script: what comes next of each form, with a remark now and then."""

    def __init__(self, link: str, start: int = 0, *, wrong_pages: int = 0) -> None:
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        self._opener.open(link, timeout=60).read()
        self._address, self._given, self._start = link.partition("/join")[0], 0, start
        self._wrong_pages = wrong_pages
        me = self.get("api/me")
        self._csrf, self.shown = me["csrf_token"], list[dict[str, Any]]()

    def get(self, path: str) -> Any:  # noqa: ANN401
        """Ask for something."""
        return json.loads(self._opener.open(f"{self._address}/{path}", timeout=60).read())

    def send(self, method: str, path: str, body: object) -> Any:  # noqa: ANN401
        """Change something."""
        headers = {"Content-Type": "application/json", "X-CSRF-Token": self._csrf}
        url = f"{self._address}/{path}"
        request = urllib.request.Request(url, json.dumps(body).encode(), headers, method=method)
        answer = self._opener.open(request, timeout=60).read()
        return json.loads(answer) if answer else None

    def work(self, most: int = 100) -> None:
        """Answer pages until none is left, or so many are answered."""
        for _ in range(most):
            pages = self.get("api/pages")["pages"]
            if not pages:
                return
            self._note(pages[0])
            place = self._train() if pages[0]["purpose"] == "training" else None
            for number, question in enumerate(pages[0]["questions"]):
                if question["is_asked"]:
                    self.say(pages[0]["id"], number, self._next(question["form"], place))

    def say(self, page: str, number: int, given: Mapping[str, object]) -> None:
        """Answer a question of a page."""
        self.shown.append(self.send("PUT", f"api/pages/{page}/questions/{number}", given))

    def change(self) -> None:
        """Change what was said first: sent twice, it is stored once."""
        for _ in range(2):
            self.say(self.get("api/me")["finished"][0], 0, {"key": "changed-mind", "text": "9", "comment": "again"})

    def _train(self) -> int:
        """Choose what is answered on a page of the training: the first of the answers is right, the second wrong."""
        self._wrong_pages -= 1
        return int(self._wrong_pages >= 0)

    def _next(self, form: str, fixed: int | None) -> Mapping[str, object]:
        answers, place = ANSWERS[form], self._given
        self._given += 1
        if fixed is not None:
            return {"key": f"answer-{place:03}", "text": answers[fixed]}
        text = answers[(place + self._start) % len(answers)]
        if not text:
            return {"key": f"answer-{place:03}", "text": "nothing is written", "is_skipped": True}
        return {"key": f"answer-{place:03}", "text": text, **REMARKS.get(place, {})}

    def _note(self, page: Mapping[str, Any]) -> None:
        """Note what was shown; names of pages and pictures are secret, and others each time."""
        told = {name: value for name, value in page.items() if name not in ("id", "pictures", "linked")}
        self.shown.append(told | {"pictures": len(page["pictures"]), "linked": len(page["linked"])})


def make_study() -> Texts:
    """A study with training, second looks, a reviewer who adjudicates, people who leave, pictures held back."""
    _make_run()
    people = [f"--person={name}" for name in WRONG_PAGES]
    reviewer = ("--reviewer", "ruth", "--adjudicator", "reviewer")
    checks = ("--gold", "gold", "--training", 2, "--pass-mark", 0.5, "--second-look", 0.3, "--review", 0.25)
    wanted = ("--people-per-image", 3, "--hold-flagged", "--form=count", "--form=choose")
    with served(Path(RUN).resolve(), *people, *reviewer, *checks, *wanted) as links:
        visitors = {
            name: Visitor(links[name], start, wrong_pages=wrong)
            for start, (name, wrong) in enumerate(WRONG_PAGES.items())
        }
        for visitor in visitors.values():
            visitor.work(7)
        visitors["anna"].change()
        owner = Visitor(links["owner"])
        _decide(owner)
        for name in ("anna", "ben"):  # the other links are closed by now
            visitors[name].work()
        visitors["ruth"] = Visitor(links["ruth"])
        visitors["ruth"].work()
        visitors["ruth"].change()
        study = owner.get("api/study")
    for name in ("ben", "chris", "ruth"):  # who passes late, who fails, and who reviews
        yield f"shown-{name}.jsonl", "".join(f"{json.dumps(one)}\n" for one in visitors[name].shown)
    left_out = ("agreement", "agreement_age_seconds", "disagreements", "hours_left", "making_link", "per_hour")
    for person in study["people"]:
        del person["link"], person["agreement"]  # which is computed meanwhile
    yield "owner.json", json.dumps({name: one for name, one in study.items() if name not in left_out}, indent=1)
    printed("show", RUN, "--exclude", _item(5), "--reason", "blurred")
    yield from dump(RUN, is_ordered=True)
    yield from _exchange(RUN)
    for command in ("score", "agree", "annotate screen"):
        yield f"{command.split()[-1]}.json", printed(*command.split(), RUN, "--json")


def make_made_study() -> Texts:
    """A study that is made in the browser, of a sample and with clicks, and a pilot of votes on groups of drawings."""
    _make_run()
    with served(Path(RUN).resolve(), "--person", "carl", "--form", "click", "--study", "clicks") as links:
        maker = Visitor(links["make a study"])
        plan = {"name": "made", "forms": ["count"], "people": ["anna"], "consent": "We keep it.", "images_per_model": 7}
        made = maker.send("POST", "api/studies", {"run": RUN, "plan": plan, "draw": {"size": 5, "by": []}})
        anna, carl = Visitor(made["links"]["anna"]), Visitor(links["carl"], 1)
        anna.send("POST", "api/consent", {})
        anna.work()
        carl.work(4)
    yield from dump(RUN, is_ordered=True)
    suite = ("t2icountbench:objects=apple,numbers=2-3,scenes=home,styles=plain", "--model", "painter:size_px=128")
    printed("run", *suite, "--judge", "none", "--concurrency", 1, "--out", "drawn")
    for study, pilot in (("trial", ["--pilot"]), ("study", [])):
        with served(Path("drawn").resolve(), "--form", "match", "--study", study, *pilot) as links:
            annotator = Visitor(links["annotator"])
            annotator.work()
    yield from dump("drawn", is_ordered=True)
    yield from _exchange("drawn")


def _make_run() -> None:
    """Make a run of pictures with questions; some have known answers, one is held back, a sample is drawn."""
    for shade in range(16):
        path = Path("files", f"{shade:02}.png")
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(png(shade * 10))
    questions = [f"--question={question}" for question in QUESTIONS]
    printed("import", "images", "files", "--out", RUN, "--model", "camera", *questions)
    rows = [("author", _item(shade), question, right) for shade in range(5) for question, right in RIGHT.items()]
    with Path("gold.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("annotator", "item", "question", "answer"), *rows])
    printed("import", "readings", "gold.csv", "--run", RUN, "--judge", "gold")
    printed("annotate", "sample", RUN, "--n", 6, "--name", "six", "--seed", 4)
    held = write_lines(Path("held.csv"), "item,reason", f"{_item(14)},blood", f"{_item(15)},")
    printed("annotate", "screen", RUN, "--list", held, "--reason", "as agreed")


def _item(shade: int) -> str:
    return f"images-files/{shade:02}.png"


def _decide(owner: Visitor) -> None:
    """Decide what is shown, and who takes part."""
    held = owner.get("api/study/screening")["held"]
    owner.send("POST", "api/study/screening", {"image": held[0]["image"], "is_held": False})
    owner.send("POST", "api/study/people", {"name": "eve"})
    people = {person["name"]: person["id"] for person in owner.get("api/study")["people"]}
    owner.send("POST", f"api/study/people/{people['dan']}/withdraw", {"reason": "a robot"})
    for name in ("chris", "eve"):
        owner.send("POST", f"api/study/people/{people[name]}/withdraw", {})


def _exchange(run: str) -> Iterator[tuple[str, str]]:
    """Write people's answers in every format, and bring in again what was written, into a copy of the run."""
    again = shutil.copytree(run, f"{run}-again")
    for format, suffix in (("csv", ".csv"), ("parquet", ".parquet"), ("label-studio", ""), ("potato", "")):
        for with_people in ([], ["--with-people"]) if run != RUN else (["--with-people"],):
            out = Path("named" if with_people else "numbered", run, format) / f"out{suffix}"
            out.parent.mkdir(parents=True)
            pictures = ["--pictures", "all"] if with_people and not suffix else []
            told = printed(
                "export", "ratings", run, "--judge", "human", "--format", format, "--out", out, *with_people, *pictures
            )
            yield f"{out.parent.as_posix().replace('/', '~')}.txt", told
        people = out / "people.csv" if not suffix else out.with_name("out-people.csv")
        printed("import", "readings", out, "--run", again, "--judge", format, "--people", people)
    for folder in (Path("named", run), Path("numbered", run)):
        for table in folder.rglob("out.parquet"):
            table.write_text(sha256(mask_moments(pl.read_parquet(table).write_csv())), encoding="utf-8")
        for file, text in read_files(folder):
            yield f"{folder.as_posix().replace('/', '~')}~{file}", mask_moments(text)
    for file, text in dump(str(again), is_ordered=True):
        if run != RUN and file.endswith(("readings.jsonl", "remarks.jsonl")):
            yield file, text


def mask_moments(text: str) -> str:
    """Mask when something was answered or exported, as a date with its time or as seconds since 1970."""
    text = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?", "<time>", text)
    return re.sub(r"\b\d{10}\.\d+", "<time>", text)


ANNOTATE = (pytest.mark.web,)
GOLDENS: dict[str, Golden] = {
    "rows-study": Golden(make_study, ANNOTATE),
    "rows-made-study": Golden(make_made_study, ANNOTATE),
}
