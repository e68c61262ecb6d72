"""Phrases by which a text declines to answer."""

from subitize.numerals.amounts import Refusal
from subitize.numerals.phrases import Phrases, same_meaning
from subitize.numerals.tokens import Token

_REFUSALS = Phrases(
    same_meaning(
        "refusal",
        "i can't, i cannot, i can not, i could not, i couldn't, i'm sorry, i am sorry, sorry, i apologize,"
        "i apologise, apologies, my apologies, i'm unable, i am unable, unable to, i'm not able, i am not able,"
        "not able to, as an ai, as a language model, as a text - based, i'm just an ai,"
        "i don't see, i do not see, i don't have, i do not have, i didn't receive, i don't know, i do not know,"
        "i'm not sure, i am not sure, not sure, i have no idea, no idea, i won't, i will not, i'm afraid,"
        "i am afraid, i must decline, can't be determined, cannot be determined, can't determine,"
        "cannot determine, can't tell, cannot tell, can't see, cannot see, can't count, cannot count, can't answer,"
        "cannot answer, it is impossible, it's impossible, impossible to, it is not possible, it's not possible,"
        "not possible to, no image, no picture, no photo, unanswerable, please upload, please provide,"
        "please share, please attach, it is unclear, it's unclear, unclear, difficult to determine,"
        "hard to determine, difficult to say, hard to say, hard to tell, difficult to tell, need to see, i refuse,"
        "unsure, too blurry, not comfortable, not feel comfortable, be an image attached",
    )
)


def find_refusal(text: str, tokens: list[Token]) -> Refusal | None:
    """The first refusal in the text, as it is written there."""
    for i, token in enumerate(tokens):
        phrase = _REFUSALS.match(tokens, i) if token.text in _REFUSALS.openers else None
        if phrase is not None:
            return Refusal(text[tokens[i].start : tokens[phrase[1] - 1].end])
    return None
