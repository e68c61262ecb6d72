"""Of how many images of a prompt how many are right, and what was voted on groups of them."""

from dataclasses import replace

import pytest

from subitize.analysis.score import PromptResult, Unusable, gather_attempts, gather_decided
from subitize.frame import NO_JUDGE, FrameRow, Status, frame_seen, judges_of_refusals
from subitize.records import Ask, Confirm, Count, Design, Draw, Item, MatchesPrompt, Scalar

COUNT = Ask(Count("apple"), "How many apples are in the image?", (3,))
RED = Ask(Confirm("the apples are red", is_informed=True), "Are the apples red?", (True,))
VOTE = Ask(MatchesPrompt(), "Does at least one show exactly 3 apples?", (True,), group=4)
ITEM = Item("fruit/apples/3", Draw("3 apples"), (COUNT, VOTE), {"category": "fruit", "number": 3})


def see(
    value: Scalar | None, repeat: int = 0, *, ask: Ask = COUNT, status: Status = "eligible", item: Item = ITEM
) -> FrameRow:
    return FrameRow(item, ask, status, value, "painter", "someone", repeat)


def gather(*seen: FrameRow, unusable: Unusable = "wrong") -> PromptResult:
    (found,) = gather_attempts(frame_seen(seen), unusable=unusable)
    return found


def test_images_and_right_ones_are_counted_with_the_numbers_that_were_read() -> None:
    found = gather(see(3, 0), see(4, 1), see(3, 2), see(2, 3))
    assert (found.images, found.right, found.numbers, found.most) == (4, 2, (3, 4, 3, 2), 4)
    assert [found.pass_at(k) for k in range(1, 6)] == pytest.approx([1 / 2, 5 / 6, 1, 1, None])


def test_a_refusal_is_an_image_that_is_not_right_and_has_no_number() -> None:
    found = gather(see(3), see(None, 1, status="refused"))
    assert (found.images, found.right, found.numbers) == (2, 1, (3,))


def test_an_image_without_a_usable_answer_is_wrong_as_in_the_accuracy() -> None:
    found = gather(see(3), see(None, 1, status="discarded"), see(0, 2, status="discarded"))
    assert (found.images, found.right, found.numbers) == (3, 1, (3, 0))


def test_a_paper_may_leave_such_an_image_out_but_nothing_drawn_is_wrong() -> None:
    found = gather(see(3), see(None, 1, status="discarded"), see(0, 2, status="discarded"), unusable="left out")
    assert (found.images, found.right) == (2, 1)


def test_an_image_is_right_if_all_that_was_asked_about_it_is() -> None:
    item = replace(ITEM, asks=(COUNT, RED))
    found = gather(*(see(3, repeat, item=item) for repeat in (0, 1)), *_see_red(item, True, False))
    assert (found.images, found.right) == (2, 1)


def _see_red(item: Item, *answers: bool) -> list[FrameRow]:
    return [see(answer, repeat, ask=item.asks[1], item=item) for repeat, answer in enumerate(answers)]


def test_an_image_of_which_a_relevant_question_is_not_answered_is_left_out() -> None:
    both = replace(ITEM, asks=(COUNT, RED, VOTE))
    asides = replace(ITEM, asks=(COUNT, replace(RED, is_relevant=False), VOTE))
    found = gather(*(see(3, repeat, item=both) for repeat in (0, 1)), *_see_red(both, True))
    assert (found.images, found.right, found.numbers) == (1, 1, (3,))
    found = gather(*(see(3, repeat, item=asides) for repeat in (0, 1)))
    assert (found.images, found.right) == (2, 2)


def test_of_several_counts_there_is_no_one_number() -> None:
    other = replace(COUNT, question=Count("cat"))
    item = replace(ITEM, asks=(COUNT, other))
    assert gather(see(3, item=item), see(3, ask=other, item=item)).numbers == ()


def test_a_vote_on_a_group_is_pass_at_its_size_and_says_nothing_of_fewer_images() -> None:
    found = gather(see(True, ask=VOTE), see(False, 4, ask=VOTE))
    assert (found.images, found.votes, found.group, found.most) == (0, (True, False), 4, 4)
    assert [found.pass_at(k) for k in (1, 3, 4)] == [None, None, 0.5]
    assert (found.choices(4), found.is_voted(4), found.is_voted(3)) == (2, True, False)


def test_votes_count_before_images_at_their_size_only() -> None:
    found = gather(*(see(4, repeat) for repeat in range(4)), see(True, ask=VOTE))
    assert [found.pass_at(k) for k in range(1, 5)] == [0, 0, 0, 1]
    assert found.choices(2) == 2


def test_votes_on_groups_of_two_sizes_are_not_mixed() -> None:
    pair = replace(VOTE, group=2)
    item = replace(ITEM, asks=(VOTE, pair))
    found = gather(see(True, ask=VOTE, item=item), *(see(False, repeat, ask=pair, item=item) for repeat in (0, 2)))
    assert (found.votes, found.group) == ((True,), 4)


def test_a_tie_is_no_attempt_unless_it_is_to_be_counted() -> None:
    tie = frame_seen([see(None, ask=VOTE, status="discarded")])
    assert gather_attempts(tie) == []
    (kept,) = gather_attempts(tie, keep_empty=True)
    assert (kept.most, kept.pass_at(4)) == (0, None)


def test_an_attempt_tells_the_levels_that_the_design_fixes() -> None:
    observed = replace(frame_seen([see(3)]), designs={"fruit": Design(strata=("number", "colour"))})
    assert [one.stratum for one in gather_attempts(observed)] == [(3,)]


def test_what_was_excluded_by_hand_is_left_out() -> None:
    assert gather_attempts(frame_seen([see(3)._replace(is_excluded=True)]), keep_empty=True) == []


def test_items_models_and_judges_are_kept_apart() -> None:
    others = [see(3)._replace(model="other"), see(3)._replace(judge="other")]
    others.append(see(3, item=replace(ITEM, id="fruit/apples/4")))
    assert len(gather_attempts(frame_seen([see(3), see(2, 1), *others]))) == 4


def test_what_was_only_ever_refused_has_no_votes() -> None:
    shown = [see(None, repeat, status="refused") for repeat in range(4)]
    shown.append(see(None, ask=VOTE, status="refused"))
    refused = gather(*(one._replace(judge=NO_JUDGE, model="shy") for one in shown))
    assert (refused.images, refused.right, refused.votes, refused.pass_at(4)) == (4, 0, (), 0)


def test_what_no_judge_saw_goes_to_every_judge_of_its_suite() -> None:
    nobody, someone, other = ("fruit", NO_JUDGE), ("fruit", "someone"), ("fruit", "other")
    assert judges_of_refusals([nobody, someone, other, someone]) == {
        nobody: ["someone", "other"],
        someone: ["someone"],
        other: ["other"],
    }
    assert judges_of_refusals([nobody]) == {nobody: [NO_JUDGE]}
    assert judges_of_refusals([nobody, ("cats", "someone")])[nobody] == [NO_JUDGE]


def test_ties_and_exclusions_are_what_attempts_omit() -> None:
    tie = see(None, ask=VOTE, status="discarded")
    excluded = see(3, item=replace(ITEM, id="fruit/apples/4"))._replace(is_excluded=True)
    _, found = gather_decided(frame_seen([tie, excluded, see(3)._replace(model="other")]))
    assert found.undecided == {("painter", "fruit/apples/3")}
    assert found.excluded == {("painter", "fruit/apples/4")}
