"""Small valid records for tests to start from."""

from subitize.records import (
    Answer,
    Ask,
    Count,
    Draw,
    Item,
    Known,
    Outcome,
    Provenance,
    Question,
    Reading,
    Response,
    Said,
    Scalar,
    Spec,
    Stimulus,
    Subject,
    Trial,
    Words,
)

SUITE = Spec("naming", {"images": "3"}, "naming:images=3")
MODEL = Spec("random", {"low": "1", "high": "20"}, "random")
HOW_MANY = "How many apples are there in the picture?"


def naming_item(index: int = 0, number: int = 3) -> Item:
    task = Answer(Stimulus("apples", number, seed=index), HOW_MANY)
    factors: dict[str, Scalar] = {"category": "apples", "number": number, "wording": "category"}
    return Item(f"naming/apples/{number}/{index}/category", task, (Ask(Count("apple"), HOW_MANY, (number,)),), factors)


def drawing_item(number: int = 3) -> Item:
    ask = Ask(Count("apple"), "How many apples are in the image?", (number,))
    factors: dict[str, Scalar] = {"category": "apples", "number": number}
    return Item(f"production/apples/{number}", Draw(f"An image with {number} apples"), (ask,), factors)


def trial(item: Item, *, model: Spec = MODEL, repeat: int = 0, attempt: int = 0) -> Trial:
    return Trial(item.id, model.text, model.options, repeat, attempt)


def response(of: Trial, outcome: Outcome | None = None) -> Response:
    return Response(of, outcome or Said("3"), Provenance(seed=7, prompt_sent=HOW_MANY))


def reading(of: Trial, text: str = "3", *, annotator: str = "", question: Question | None = None) -> Reading:
    value = Known(int(text))
    judge = "human" if annotator else "parser"
    return Reading(Subject((of.id,)), question or Count("apple"), judge, Words(text), "strict@1", value, annotator)
