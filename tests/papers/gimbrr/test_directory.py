"""The authors' prompt directory: what is read of it, its known errors, and files that are not it."""

from pathlib import Path

import pytest

from subitize.errors import BadFileError
from subitize.papers.gimbrr.prompts import ALL, CONTROLLED, SINGLE, TASKS
from subitize.papers.gimbrr.suite import DirectoryRow, correct, count_img2img, find_error, read_directory
from tests.cases import Case

HEADER = "ID,Prompt,Representations,Auto_assessment,Task,Task_specific_label,img2img_instructions,Linked_prompts"
CATS = "801,two cats,cat,True,Counting,2,,1847"
CAT = "1847,cat,cat,True,Single object,,,"


def write(path: Path, *rows: str, header: str = HEADER) -> Path:
    path.write_text("\n".join((header, *rows)) + "\n", encoding="utf-8")
    return path


def test_a_row_is_read_as_typed_values(tmp_path: Path) -> None:
    path = write(tmp_path / "directory.csv", CATS, CAT)
    assert read_directory(path) == [
        DirectoryRow(801, "two cats", ALL["counting"], ("cat",), "2", (1847,)),
        DirectoryRow(1847, "cat", SINGLE, ("cat",), "", ()),
    ]


def test_extra_variables_are_read_where_the_file_has_them(tmp_path: Path) -> None:
    extra = ",Object_num,Extra_characteristic,Num_features,Common,Num_objects"
    rows = [
        "7,A red cup or a fork - only render cutlery,fork,True,Conditional generation,cup,,,2.0,True,,,",
        '751,a cat with the tail of a fox,"cat, fox",False,Chimeras,,,,,,2.0,,',
        '1201,"cup, fork","cup, fork",True,Multiple objects,,,,,,,False,2.0',
    ]
    conditional, chimera, multiple = read_directory(write(tmp_path / "extra.csv", *rows, header=HEADER + extra))
    assert (conditional.target_position, conditional.has_adjective, conditional.label) == (2, True, "cup")
    assert (chimera.features, chimera.classes, chimera.is_common) == (2, ("cat", "fox"), None)
    assert (multiple.is_common, multiple.objects) == (False, 2)


def test_rows_that_edit_pictures_are_counted_and_left_out(tmp_path: Path) -> None:
    path = write(
        tmp_path / "directory.csv", "1001,cat on a street,cat,False,img2img: Environments,,https://a.b/c,", CATS
    )
    assert [prompt.id for prompt in read_directory(path)] == [801]
    assert count_img2img(path) == 1


BAD: dict[str, tuple[list[str], str, str]] = {
    "another version": (
        ["901,two cats,cat,True,Counting,2,,1847"],
        HEADER,
        "line 2: ID 901 is none of 'Counting', which has 801 to 900: the directory of another version",
    ),
    "an unknown task": ([CAT, "801,two cats,cat,True,Sums,2,,1847"], HEADER, "line 3: no task named 'Sums'; known: "),
    "a missing column": ([CATS], HEADER.replace("Task_", "Label_"), "line 1: no column Task_specific_label in "),
    "an ID twice": ([CATS, CAT, CATS], HEADER, "line 4: ID 801 stands in line 2 already"),
    "the ratings": ([f"True,{CATS}"], f"annotation,{HEADER}", "line 1: people's ratings, not prompts; take Prompt_dir"),
    "no ID": (["x,two cats,cat,True,Counting,2,,1847"], HEADER, "line 2: ID 'x': should be a whole number"),
    "no prompt": (["801,,cat,True,Counting,2,,1847"], HEADER, "line 2: no prompt of ID 801"),
    "a link elsewhere": (["801,two cats,cat,True,Counting,2,,12"], HEADER, "line 2: Linked_prompts '12': should be "),
    "nothing": ([], HEADER, "no prompts; Prompt_dir_230228.csv has a row for each"),
    "a row cut off": (["801,two cats,cat"], HEADER, "line 2: should have 8 fields, not 3"),
}  # fmt: skip


def test_what_is_wrong_with_a_file_is_told_with_its_line(case: Case, tmp_path: Path) -> None:
    for name, (rows, header, message) in BAD.items():
        with case(name), pytest.raises(BadFileError) as caught:
            read_directory(write(tmp_path / "bad.csv", *rows, header=header))
        assert message in str(caught.value)
        assert str(caught.value).startswith("bad.csv")


def test_an_error_that_is_no_longer_there_is_not_reported(tmp_path: Path) -> None:
    rows = [
        f'489,a fork to the left of a cake,"fork, cake",False,Spatial relationships,to the {side} of,,"1869,1892"'
        for side in ("right", "left")
    ]
    wrong, right = (read_directory(write(tmp_path / "one.csv", row))[0] for row in rows)
    assert find_error(wrong)
    assert not find_error(right)
    assert correct([right]) == [right]
    assert correct([wrong])[0].label == "to the left of"


def test_the_released_directory_is_read_whole(shared_data: Path) -> None:
    plain, extra = (
        read_directory(shared_data / "gimbrr" / name)
        for name in ("Prompt_dir_230228.csv", "Prompt_dir_230228_extraVars.csv")
    )
    assert [prompt.id for prompt in plain] == [prompt.id for prompt in extra]
    assert [(prompt.text, prompt.classes, prompt.linked) for prompt in plain] == [
        (prompt.text, prompt.classes, prompt.linked) for prompt in extra
    ]
    sizes = {task.key: sum(prompt.task == task for prompt in extra) for task in ALL.values()}
    assert sizes == {task.key: 100 for task in (*TASKS, *CONTROLLED)} | {"single": 502}
    assert count_img2img(shared_data / "gimbrr" / "Prompt_dir_230228.csv") == 200


def test_the_released_directorys_errors_are_found_and_corrected(shared_data: Path) -> None:
    prompts = read_directory(shared_data / "gimbrr" / "Prompt_dir_230228_extraVars.csv")
    wrong = {prompt.id for prompt in prompts if find_error(prompt)}
    assert wrong == {4, 49, 71, *range(489, 496), 545, 704, 717}
    corrected = {prompt.id: prompt for prompt in correct(prompts)}
    assert not any(find_error(prompt) for prompt in corrected.values())
    assert {prompt.id for prompt in set(corrected.values()) - set(prompts)} == wrong
    assert corrected[704].linked == (2024, 2132)
    assert corrected[4].linked == ()  # no single object is a floor
    assert (corrected[49].classes, corrected[49].target_position) == (("elephant",), 2)
