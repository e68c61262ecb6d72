"""Output never takes the place of a device, a pipe or a link."""

import contextlib
import os
import re
import stat
import threading
from pathlib import Path

import pytest

import subitize as subitize_package
from subitize.errors import StorageError
from subitize.io.outputs import write_atomic
from tests.cases import Case
from tests.commands import call, subitize
from tests.goldens.kept_runs import copy_run
from tests.store.disks import read_only

# The numbers of /dev/null and /dev/full. Tests name copies of their own, never the machine's: without the guard that is
# tested here, root would replace those.
_NULL, _FULL = (1, 3), (1, 7)


@pytest.fixture
def full(tmp_path: Path) -> Path:
    """Make a device of our own that is always full."""
    path = tmp_path / "full"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(*_FULL))
        path.open("wb").close()
    except OSError:
        pytest.skip("needs the right to make devices")
    return path


def _leftovers(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.endswith(".partial")]


def test_a_file_is_replaced_whole_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"before")
    path.chmod(0o640)
    with pytest.raises(ZeroDivisionError):
        write_atomic(path, (b"half" * (1 // left) for left in (1, 0)))
    assert path.read_bytes() == b"before"
    assert write_atomic(path, [b"af", b"ter"]) == path
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"after", 0o640)
    assert _leftovers(tmp_path) == []


def test_an_error_about_a_file_that_is_read_meanwhile_names_that_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="gone"):
        write_atomic(tmp_path / "a.txt", (name.read_bytes() for name in [tmp_path / "gone"]))
    assert list(tmp_path.iterdir()) == []


def test_a_link_stays_one_and_what_it_points_to_is_written(tmp_path: Path, case: Case) -> None:
    (tmp_path / "folder").mkdir()
    for name, target in (("link", "there"), ("dangling", "new")):
        with case(name):
            (tmp_path / "folder" / "there").write_bytes(b"before")
            (tmp_path / name).symlink_to(Path("folder") / target)
            write_atomic(tmp_path / name, [b"after"])
            assert (tmp_path / name).is_symlink()
            assert (tmp_path / "folder" / target).read_bytes() == b"after"
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(StorageError, match="circle: Too many levels of symbolic links"):
        write_atomic(tmp_path / "circle", [b"x"])
    (tmp_path / "lost").symlink_to("no-folder/x")
    with pytest.raises(StorageError, match="lost: No such file or directory"):
        write_atomic(tmp_path / "lost", [b"x"])


def test_a_pipe_is_written_through(tmp_path: Path) -> None:
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_atomic(pipe, [b"all", b" of it" * 100_000])
    reader.join(60)
    assert got == [b"all" + b" of it" * 100_000]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_device_is_written_through_and_stays(full: Path, tmp_path: Path, case: Case) -> None:
    (tmp_path / "link").symlink_to(full)
    for path in (full, tmp_path / "link"):
        with case(path.name), pytest.raises(StorageError, match=f"cannot write .*{path.name}: No space left on device"):
            write_atomic(path, [b"x"])
    assert stat.S_ISCHR(full.stat().st_mode)
    assert (tmp_path / "link").is_symlink()


def test_what_cannot_be_written_is_refused_before_any_work(tmp_path: Path, full: Path, case: Case) -> None:
    disk = tmp_path / "disk"
    os.mknod(disk, stat.S_IFBLK | 0o600, os.makedev(0, 0))
    for path, why in ((tmp_path, "is a folder; name a file in it"), (disk, "is a disk; name a file")):
        with case(why), pytest.raises(StorageError, match=why):
            write_atomic(path, [b"x"])
    assert stat.S_ISBLK(disk.stat().st_mode)


def test_what_may_not_be_written_to_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    (folder / "old").write_bytes(b"before")
    with read_only(folder) as could:
        if not could:
            pytest.skip("needs the right to mount, or not to be root")
        with pytest.raises(StorageError, match=r"cannot write .*new: (Read-only file system|Permission denied)"):
            write_atomic(folder / "new", [b"x"])
        if os.geteuid() == 0:  # the mode of the folder does not bind the file in it
            with pytest.raises(StorageError, match="old may not be written to; name another file"):
                write_atomic(folder / "old", [b"after"])
    assert (folder / "old").read_bytes() == b"before"


def test_every_file_that_a_user_asks_for_is_written_by_the_one_writer() -> None:
    # A run's images, the observer's memory, the pictures that a counter program is shown, and rows added one by one.
    own = {"store/images.py", "stimuli/references.py", "networks/command.py", "evaluate/rewriting.py", "io/outputs.py"}
    writes = re.compile(r"""write_text\(|write_bytes\(|os\.replace\(|\.replace\(\w*path\)|open\(["'][wax]b?["']""")
    package = Path(subitize_package.__file__).parent
    found = {path.relative_to(package).as_posix() for path in package.rglob("*.py") if writes.search(path.read_text())}
    # These write to what the writer gives them.
    given = {"analysis/export.py", "stimuli/export.py", "training/checkpoints.py", "training/matching.py"}
    assert found - given == own


@pytest.mark.slow
def test_no_command_takes_the_place_of_a_device(tmp_path: Path, full: Path, case: Case) -> None:
    run, captions = tmp_path / "run", tmp_path / "captions.csv"
    ran = call("run", "geckonum", "--limit", 2, "--model", "painter", "--judge", "observer", "--out", run)
    assert ran.code == 0, ran.err
    captions.write_text("image,caption\n1.png,two dogs\n2.png,three cats\n")
    for name in ("a.png", "a.svg", "a.html", "a.csv", "a.jsonl", "export/items.csv", "export/items.parquet"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        os.mknod(tmp_path / name, stat.S_IFCHR | 0o666, os.makedev(*_FULL))
    commands: list[list[object]] = [
        ["list", "glyphs", "-o", "a.png"],
        ["make", "prompts", "geckonum", "--sheet", "a.csv"],
        ["report", run, "-o", "a.html"],
        ["report", "plate", run, "-o", "a.svg"],
        ["export", run, "--format", "csv", "-o", "export"],
        ["export", run, "--format", "parquet", "-o", "export"],
        ["make", "caption-probes", captions, "-o", "a.jsonl"],
    ]
    for place, command in enumerate(commands):
        with case(f"{place} {command[0]}"), contextlib.chdir(tmp_path):
            finished = call(*command)
            assert (finished.code, finished.err.count("\n")) == (2, 1), finished
            assert "No space left on device" in finished.err
    devices = [path for path in (*tmp_path.iterdir(), *(tmp_path / "export").iterdir()) if path.is_char_device()]
    assert len(devices) == 8


@pytest.mark.slow
def test_standard_output_is_refused(tmp_path: Path) -> None:
    link = tmp_path / "stdout"  # of our own, as /dev/stdout is: as root, code without the guard would replace that
    link.symlink_to("/proc/self/fd/1")
    finished = subitize("list", "glyphs", "-o", link)
    assert (finished.code, finished.out) == (2, "")
    assert finished.err == f"subitize: {link} is standard output, where results are printed; name a file\n"
    assert link.is_symlink()


@pytest.mark.slow
def test_a_null_device_is_written_to_and_stays_one(tmp_path: Path, full: Path) -> None:
    null = tmp_path / "null"
    os.mknod(null, stat.S_IFCHR | 0o666, os.makedev(*_NULL))
    assert call("list", "glyphs", "-o", null).code == 0
    assert null.is_char_device()


def test_a_file_to_go_on_with_is_no_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    finished = call(
        "make", "rewrites", "geckonum", "--model", "openai:m,base_url=http://127.0.0.1:9", "-o", tmp_path / "pipe.csv"
    )
    assert (finished.code, finished.err) == (2, f"subitize: cannot go on with {tmp_path / 'pipe.csv'}: not a file\n")


def test_a_link_to_itself_is_refused_in_one_line(tmp_path: Path, case: Case) -> None:
    loop, run = tmp_path / "loop", copy_run("schema_5", tmp_path)
    loop.symlink_to(loop)
    commands: list[list[object]] = [
        ["list", "glyphs", "-o", loop],
        ["report", run, "-o", loop],
        ["report", run, "-o", tmp_path / "page.html", "--figures", loop],
        ["report", run, "-o", tmp_path / "page.html", "--tables", loop],
        ["compare", loop, run],
        ["export", run, "-o", loop],
        ["run", "production", "--model", "painter", "--out", loop],
    ]
    for place, command in enumerate(commands):
        with case(f"{place} {command[0]}"):
            finished = call(*command)
            assert (finished.code, finished.out, finished.err.count("\n")) == (2, "", 1), finished
    assert sorted(path.name for path in tmp_path.iterdir()) == ["loop", "schema_5"]
