"""Compares the working tree with another commit: how long our side of each benchmark takes in either.

The commit is checked out in a folder of its own, and each tree runs its own benchmarks, as ours_alone.py says. In each
round both start a fresh process, and take turns claim by claim, so that a noisy machine is noisy for both. What a
benchmark compares ours with is not run, unless the benchmark cannot do without or times both in one go.
"""

import compileall
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import IO, Any

OURS_ALONE = Path(__file__).with_name("ours_alone.py")
ENVIRONMENTS = ".venv-against"
# It puts our memory in relation to what the other took.
_NEEDS_OTHER = frozenset({"geckonum"})
_SECONDS_TO_END = 60


class NotComparableError(Exception):
    """Why two commits cannot be compared."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is compared with which revision, in how many rounds, and the most that ours may take of its time."""

    names: Sequence[str]
    revision: str
    rounds: int
    most: float
    is_tiny: bool


@dataclass(frozen=True, slots=True)
class Tree:
    """A checked out commit and the Python that runs it."""

    folder: Path
    python: str
    name: str


@dataclass(frozen=True, slots=True)
class Claim:
    """What one claim took in each round: here and in the other tree."""

    what: str
    unit: str
    is_rate: bool
    pairs: list[tuple[float, float]]

    @property
    def ratios(self) -> list[float]:
        """How many times as much was taken here, by round; of a rate, how many times as much was done there."""
        pairs = ((there, here) for here, there in self.pairs) if self.is_rate else self.pairs
        return [1.0 if top == bottom else top / bottom if bottom else float("inf") for top, bottom in pairs]

    @property
    def ratio(self) -> float:
        """The median of the rounds."""
        return statistics.median(self.ratios)

    def describe(self, other: str, most: float) -> str:
        """Say the ratio with its range, and both medians."""
        here, there = (f"{statistics.median(side):.3f} {self.unit}".rstrip() for side in zip(*self.pairs, strict=True))
        rounds = "1 round" if len(self.pairs) == 1 else f"{len(self.pairs)} rounds"
        limit = f"at most {most:g}" if self.ratio <= most else f"at most {most:g}, EXCEEDED"
        way = " (its rate in times of ours)" if self.is_rate else ""
        return (
            f"{self.what}: {self.ratio:.2f} times that of {other}{way} (range {min(self.ratios):.2f} to "
            f"{max(self.ratios):.2f}, {rounds}; {limit}); here {here}, there {there}"
        )


def compare(root: Path, task: Task) -> bool:
    """Print each claim's ratio, and return whether none is above the most, even when measured again."""
    commit = _find_commit(root, task.revision)
    is_kept = True
    with _check_out(root, commit) as folder:
        trees = (Tree(root, sys.executable, "the working tree"), _make_tree(root, folder, commit, task.revision))
        for tree in trees:  # neither may be the one that has to compile
            for name in ("src", "benchmarks"):
                compileall.compile_dir(tree.folder / name, quiet=2)
        for name in task.names:
            if not (folder / "benchmarks" / f"{name}.py").exists():
                print(f"{name}: not compared, {task.revision} does not have it", flush=True)
                continue
            for claim in _measure_again_if_slow(trees, name, task):
                is_kept &= claim.ratio <= task.most
    return is_kept


def _measure_again_if_slow(trees: Sequence[Tree], name: str, task: Task) -> Iterator[Claim]:
    """Print and give the claims of a benchmark; in place of those above the most, what a repetition gives."""
    claims, remarks = _match(_run_rounds(trees, name, task), trees)
    for text in [*(claim.describe(task.revision, task.most) for claim in claims.values()), *remarks]:
        print(text, flush=True)
    slow = [key for key, claim in claims.items() if claim.ratio > task.most]
    yield from (claim for key, claim in claims.items() if key not in slow)
    if slow:
        print(f"{name}: measured again, as {len(slow)} of {len(claims)} took more than {task.most:g}", flush=True)
        last = max((key + 1 for key in slow if isinstance(key, int)), default=None)
        again, _ = _match(_run_rounds(trees, name, task, last), trees)
        for key in slow:
            claim = again.get(key, claims[key])
            print(f"again: {claim.describe(task.revision, task.most)}", flush=True)
            yield claim


Described = dict[str, Any]
"""A claim as ours_alone.py describes it."""


def _run_rounds(
    trees: Sequence[Tree], name: str, task: Task, last: int | None = None
) -> list[tuple[list[Described], ...]]:
    flags = [*(["tiny"] if task.is_tiny else []), *(["both"] if name in _NEEDS_OTHER else [])]
    return [_run_round(trees, name, flags, number, last) for number in range(task.rounds)]


def _run_round(
    trees: Sequence[Tree], name: str, flags: Sequence[str], number: int, last: int | None
) -> tuple[list[Described], ...]:
    """Let both trees measure a benchmark in turn, claim by claim, to the last; which begins changes by round."""
    with ExitStack() as stack:
        runners = [stack.enter_context(_start(tree, name, flags, number)) for tree in trees]
        turns = runners if number % 2 else runners[::-1]
        while not all(runner.has_ended for runner in turns):
            for runner in turns:
                runner.measure_next()
            if len(runners[0].found) == last:
                break
    return tuple(runner.found for runner in runners)


class _Runner:
    """A process that measures the claims of a benchmark one by one."""

    def __init__(self, process: "subprocess.Popen[str]", errors: IO[str], what: str) -> None:
        self.found: list[Described] = []
        self.has_ended = False
        self._process, self._errors, self._what = process, errors, what

    def measure_next(self) -> None:
        """Have the next claim measured, if there is one."""
        if self.has_ended:
            return
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):
            print(file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            code = self._process.wait()
            self._errors.seek(0)
            raise NotComparableError(f"{self._what} ended with {code}:\n{self._errors.read()[-2000:].strip()}")
        found: Described | None = json.loads(line)
        if found is None:
            self.has_ended = True
        else:
            self.found.append(found)


@contextmanager
def _start(tree: Tree, name: str, flags: Sequence[str], number: int) -> Iterator[_Runner]:
    source = tree.folder / "src"
    command = [tree.python, "-c", OURS_ALONE.read_text(encoding="utf-8"), name, str(source), *flags]
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as errors,
        subprocess.Popen(
            command,
            cwd=tree.folder,
            env=_make_variables(source, number),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        try:
            yield _Runner(process, errors, f"{name} in {tree.name}")
        finally:
            assert process.stdin is not None
            with suppress(OSError):
                process.stdin.close()
            try:
                process.wait(_SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                process.kill()


def _make_variables(source: Path, number: int) -> dict[str, str]:
    """Make the environment variables of a tree: its modules come first, and hashes are those of the other tree."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    others = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    paths = [str(source), *(str(Path(path).resolve()) for path in others)]
    return kept | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONHASHSEED": str(number)}


def _match(
    rounds: Sequence[tuple[list[Described], ...]], trees: Sequence[Tree]
) -> tuple[dict[object, Claim], list[str]]:
    """Pair the claims of two trees: by their places if all have as many, else by their names; and say which are left.

    A name may hold a figure that was measured.
    """
    has_places = len({len(side) for sides in rounds for side in sides}) == 1
    keyed = [
        [{place if has_places else one["what"]: one for place, one in enumerate(side)} for side in sides]
        for sides in rounds
    ]
    claims, remarks = {}, list[str]()
    for key in dict.fromkeys(key for side in keyed[0] for key in side):
        found = [[side[key] for side in sides if key in side] for sides in keyed]
        first = found[0][0]
        if all(len(sides) == 2 and all(map(_has_value, sides)) for sides in found):
            pairs = [(float(here["value"]), float(there["value"])) for here, there in found]
            claims[key] = Claim(first["what"], first["unit"], first["is_rate"], pairs)
        else:
            where = [tree.name for tree, side in zip(trees, keyed[0], strict=True) if _has_value(side.get(key))]
            remarks.append(f"{first['what']}: not compared, measured in {' and '.join(where) or 'neither'}")
    return claims, remarks


def _has_value(one: Described | None) -> bool:
    return one is not None and one["value"] is not None


def _find_commit(root: Path, revision: str) -> str:
    if shutil.which("git") is None:
        raise NotComparableError("--against needs git")
    try:
        is_top = Path(_git(root, "rev-parse", "--show-toplevel").strip()).resolve() == root.resolve()
    except NotComparableError as error:
        raise NotComparableError(f"--against needs a git repository: {error}") from None
    if not is_top:
        raise NotComparableError(f"--against needs a git repository: {root} is none of its own")
    try:
        return _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}").strip()
    except NotComparableError:
        raise NotComparableError(f"no commit {revision!r}") from None


@contextmanager
def _check_out(root: Path, commit: str) -> Iterator[Path]:
    """Check out a commit for a while, beside what the tree has beside it: data that is not ours to ship."""
    with tempfile.TemporaryDirectory(prefix="subitize-against-") as place:
        folder = Path(place).resolve() / "tree"
        if (root.parent / "shared").is_dir():
            (folder.parent / "shared").symlink_to(root.parent / "shared")
        _git(root, "worktree", "add", "--quiet", "--detach", str(folder), commit)
        try:
            yield folder
        finally:
            _git(root, "worktree", "remove", "--force", str(folder))


def _git(root: Path, *arguments: str) -> str:
    variables = {name: value for name, value in os.environ.items() if name not in _OF_ANOTHER_REPOSITORY}
    command = ["git", "-c", f"core.hooksPath={os.devnull}", *arguments]
    done = subprocess.run(
        command, cwd=root, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise NotComparableError(done.stderr.strip() or f"git {arguments[0]} ended with {done.returncode}")
    return done.stdout


# Set while git runs a hook.
_OF_ANOTHER_REPOSITORY = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"})


def _make_tree(root: Path, folder: Path, commit: str, revision: str) -> Tree:
    """Run the other tree by this Python if both have the same dependencies, else in an environment that is kept."""
    if _read_dependencies(root) == _read_dependencies(folder):
        print(f"{revision} has the same dependencies: both trees run in this environment", file=sys.stderr)
        return Tree(folder, sys.executable, revision)
    environment = root / ENVIRONMENTS / commit
    print(f"{revision} has other dependencies: it runs in {environment}", file=sys.stderr)
    if not (environment / ".made").exists():
        _make_environment(environment, folder)
        (environment / ".made").touch()
    return Tree(folder, str(environment / "bin" / "python"), revision)


def _read_dependencies(folder: Path) -> Described:
    """Read what a tree says it needs: nothing if it does not say."""
    file = folder / "pyproject.toml"
    project = tomllib.loads(file.read_text(encoding="utf-8")).get("project", {}) if file.exists() else {}
    return {key: project.get(key) for key in ("dependencies", "optional-dependencies")}


def _make_environment(environment: Path, folder: Path) -> None:
    """Install what a tree needs, with the extras that this environment has; the tree itself goes away again."""
    extras = _read_dependencies(folder)["optional-dependencies"] or {}
    found = [extra for extra, requirements in extras.items() if all(map(_is_installed, requirements))]
    constraints = folder / ".ci" / "constraints.txt"
    pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    pip += ["--constraint", str(constraints)] if constraints.exists() else []
    for command in (
        [sys.executable, "-m", "venv", "--clear", str(environment)],
        [*pip, f"{folder}[{','.join(found)}]"],
    ):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NotComparableError(
                f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:].strip()}"
            )


def _is_installed(requirement: str) -> bool:
    name = re.match(r"[\w.-]+", requirement)
    try:
        return name is not None and bool(distribution(name[0]))
    except PackageNotFoundError:
        return False
