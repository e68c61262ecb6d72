"""The released files are read whole, and what is wrong with them is told with file and line."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from subitize.errors import BadFileError, SubitizeError
from subitize.papers.geckonum.files import MODELS, read_release, released_items
from tests.cases import Case
from tests.papers.geckonum.geckonum_release import SOME, write_prompts, write_release

TASK_1, TASK_2, TASK_3 = (f"task_{task}_dalle_3.csv" for task in (1, 2, 3))


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of a few prompts, and its own prompts only: all of them take longer to read than the rest."""
    prompts = SOME[:40] + SOME[-70:]
    folder = write_release(tmp_path_factory.mktemp("written") / "release", prompts=prompts)
    write_prompts(folder, prompts)
    return folder


@pytest.fixture
def folder(release: Path, tmp_path: Path) -> Path:
    return shutil.copytree(release, tmp_path / "release")


def edit(path: Path, change: Callable[[list[str]], list[str]]) -> None:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(change(lines)), encoding="utf-8")


def with_line(number: int, change: Callable[[str], str]) -> Callable[[list[str]], list[str]]:
    def changed(lines: list[str]) -> list[str]:
        return [*lines[: number - 1], change(lines[number - 1]), *lines[number:]]

    return changed


def with_field(number: int, column: int, value: str) -> Callable[[list[str]], list[str]]:
    def changed(line: str) -> str:
        fields = line.rstrip("\n").split(",")
        fields[column] = value
        return ",".join(fields) + "\n"

    return with_line(number, changed)


def test_all_tasks_and_models_of_a_folder_are_read(folder: Path) -> None:
    release = read_release(folder)
    assert set(release.answers) == {1, 2, 3}
    assert set(release.answers[1]["model"]) == {"dalle_3", "imagen_c"}
    assert release.warnings == ()


def test_answers_may_lie_in_a_folder_of_their_own(folder: Path) -> None:
    flat = read_release(folder)
    (folder / "annotations").mkdir()
    for path in folder.glob("task_*.csv"):
        path.rename(folder / "annotations" / path.name)
    nested = read_release(folder)
    assert all(nested.answers[task].equals(flat.answers[task]) for task in (1, 2, 3))


def test_any_subset_of_models_and_tasks_is_read(folder: Path) -> None:
    for name in (TASK_2, TASK_3, "task_1_imagen_c.csv"):
        (folder / name).unlink()
    release = read_release(folder)
    assert set(release.answers[1]["model"]) == {"dalle_3"}
    assert set(release.answers[2]["model"]) == {"imagen_c"}


def test_identical_rows_are_kept_with_a_warning(folder: Path) -> None:
    before = read_release(folder).answers[1].height
    edit(folder / TASK_1, lambda lines: [*lines, *lines[1:6]])
    release = read_release(folder)
    assert release.answers[1].height == before + 5
    (warning,) = release.warnings
    assert TASK_1 in warning
    assert "5 rows" in warning


def test_raw_answers_are_kept_as_they_are(folder: Path) -> None:
    raws = set(read_release(folder).answers[1]["raw"])
    assert {"3-4", "1, 10+", "o", "10+"} <= raws


WRONG: dict[str, tuple[str, Callable[[list[str]], list[str]], str]] = {
    "missing column": (
        TASK_1,
        with_line(1, lambda line: line.replace("annot_id", "who")),
        "line 1: no column annot_id",
    ),
    "web page": (TASK_2, lambda _: ["<!DOCTYPE html>\n", "<html></html>\n"], "line 1: .*web page"),
    "another model": (TASK_1, with_field(4, 1, "sdxl"), "line 4: model 'sdxl'"),
    "unknown image": (TASK_1, with_field(3, 0, "geckonum_09999_0"), "line 3: image_id 'geckonum_09999_0'"),
    "strange image": (TASK_1, with_field(3, 0, "cat.png"), "line 3: image_id 'cat.png'"),
    "another prompt": (TASK_3, with_field(5, 4, "2 dogs."), "line 5: prompt '2 dogs.'"),
    "no number": (TASK_1, with_field(6, 6, "many"), "line 6: raw_answer 'many' is no number"),
    "answer is no number": (TASK_1, with_field(6, 7, "lots"), "line 6: answer 'lots' is no number"),
    "another value": (TASK_1, with_field(6, 7, "7"), "line 6: answer '7'"),
    "no annotator": (TASK_1, with_field(7, 5, "x"), "line 7: annot_id 'x'"),
    "cut in a row": (TASK_1, lambda lines: [*lines[:20], lines[20][:30]], "line 21: .*cut"),
    "cut in a text": (TASK_2, lambda lines: [*lines[:9], '"An image'], "line 10: "),
    "row too long": (TASK_3, with_line(8, lambda line: line.rstrip("\n") + ",1,2\n"), "line 8: should have 7 fields"),
    "code out of range": (TASK_2, with_field(3, 6, "9"), "line 3: answer_num '9'"),
    "neither yes nor no": (TASK_3, with_field(3, 6, "2"), "line 3: answer '2'"),
    "two opinions": (
        TASK_1,
        lambda lines: [*lines, ",".join([*lines[1].split(",")[:6], "5", "5\n"])],
        r"line \d+: annotator \d+ answers '5', and '",
    ),
}


@pytest.mark.slow
def test_a_wrong_file_is_named_with_its_line(release: Path, tmp_path: Path, case: Case) -> None:
    for what, (name, change, message) in WRONG.items():
        folder = shutil.copytree(release, tmp_path / what)
        edit(folder / name, change)
        with case(what), pytest.raises(BadFileError, match=rf"^{name} {message}"):
            read_release(folder)


HARMLESS: dict[str, Callable[[bytes], bytes]] = {
    "byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "line ends of Windows": lambda data: data.replace(b"\n", b"\r\n"),
    "blank lines": lambda data: data.replace(b"\n", b"\n\n", 3) + b"\n\n",
    "no line end at the end": lambda data: data.rstrip(b"\n"),
    "a header in quotes": lambda data: data.replace(b"image_id,model", b'"image_id","model"', 1),
}


@pytest.mark.slow
def test_what_does_not_change_the_answers_does_not_matter(folder: Path, case: Case) -> None:
    before, data = read_release(folder).answers[1].drop("row"), (folder / TASK_1).read_bytes()
    for what, change in HARMLESS.items():
        with case(what):
            (folder / TASK_1).write_bytes(change(data))
            assert read_release(folder).answers[1].drop("row").equals(before)


def test_whole_numbers_may_be_written_with_a_point(folder: Path) -> None:
    before = {task: read_release(folder).answers[task].drop("row") for task in (2, 3)}
    for name in (TASK_2, TASK_3):
        edit(folder / name, lambda lines: [lines[0], *(line.rstrip("\n") + ".0\n" for line in lines[1:])])
    after = read_release(folder).answers
    for task, answers in before.items():
        assert after[task].drop("row", "raw").equals(answers.drop("raw"))


def test_a_line_is_named_rightly_after_a_blank_one(folder: Path) -> None:
    edit(folder / TASK_1, lambda lines: with_field(6, 6, "many")([*lines[:3], "\n", *lines[3:]]))
    with pytest.raises(BadFileError, match=r"line 6: raw_answer 'many'"):
        read_release(folder)


def test_an_answer_about_a_prompt_of_another_task_is_refused(folder: Path) -> None:
    prompt = next(prompt for prompt in SOME if prompt.type == "fractional-simple")
    row = f'{prompt.id}_0,dalle_3,0,How many apples are in the image?,"{prompt.text}",1,2,2\n'
    edit(folder / TASK_1, lambda lines: [*lines, row])
    with pytest.raises(BadFileError, match=rf"^{TASK_1} line \d+: {prompt.id} is a prompt of Task 3"):
        released_items(read_release(folder))


def test_a_file_without_answers_is_refused(folder: Path) -> None:
    edit(folder / TASK_1, lambda lines: lines[:1])
    with pytest.raises(BadFileError, match=rf"^{TASK_1}: no answers in it"):
        read_release(folder)


def test_a_line_counts_as_the_file_has_it_even_after_a_field_over_two_lines(folder: Path) -> None:
    def broken(lines: list[str]) -> list[str]:
        fields = lines[2].rstrip("\n").split(",")
        two_lines = ",".join([*fields[:6], '"4\n4"', "4.0\n"])
        return [*lines[:2], two_lines, lines[3], *with_field(1, 6, "few")(lines[4:5]), *lines[5:]]

    edit(folder / TASK_1, broken)
    with pytest.raises(BadFileError, match=r"line 6: raw_answer 'few'"):
        read_release(folder)


def test_an_unknown_model_is_refused_with_the_known_ones(folder: Path) -> None:
    (folder / TASK_1).rename(folder / "task_1_sdxl.csv")
    with pytest.raises(SubitizeError, match=r"'sdxl'; known: dalle_3, imagen_a"):
        read_release(folder)


def test_a_folder_without_prompts_or_answers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match=r"no prompts\.csv"):
        read_release(tmp_path)
    folder = write_release(tmp_path / "release", models=())
    with pytest.raises(BadFileError, match="no answers in"):
        read_release(folder)


def test_a_file_that_is_no_utf_8_is_refused(folder: Path) -> None:
    path = folder / TASK_1
    path.write_bytes(path.read_bytes() + b"geckonum_00000_0,dalle_3,0,\xff\xfe,a,1,2,2\n")
    with pytest.raises(BadFileError, match="not UTF-8"):
        read_release(folder)


def test_a_question_that_does_not_follow_from_its_prompt_is_refused(folder: Path) -> None:
    edit(folder / TASK_1, lambda lines: [line.replace("How many dogs are", "How many wolves are") for line in lines])
    with pytest.raises(BadFileError, match=r"line \d+: question 'How many wolves are in the image\?'"):
        released_items(read_release(folder))


def test_a_line_that_is_none_of_its_prompt_is_refused(folder: Path) -> None:
    edit(
        folder / TASK_2,
        lambda lines: [lines[0], *(line.replace("There are more", "There were more") for line in lines[1:])],
    )
    with pytest.raises(BadFileError, match=rf"^{TASK_2} line \d+: "):
        released_items(read_release(folder))


def test_the_paper_names_seven_models() -> None:
    assert len(MODELS) == 7
