"""VQAScore (Lin et al. 2024): how well a text fits a picture, as the probability that the answer is yes.

It is that of the whole answer: where the first token alone is read, "Yes" and "Yesterday" may count the same. The
authors' code for CLIP-FlanT5 takes the geometric mean over the answer's tokens; here it is their product, which is
a probability.
"""

from collections.abc import Mapping, Sequence

from subitize.networks.answers.generators import Generator
from subitize.networks.answers.heads import Head
from subitize.networks.views import View

WORDING = 'Does this figure show "{text}"? Please answer yes or no.'


class VqaScore:
    """Scores texts by asking a network that answers."""

    def __init__(self, network: Generator | Head) -> None:
        self._network = network

    def match(self, views: Sequence[View], texts: Sequence[str], /) -> list[Mapping[str, float]]:
        """Score each text against its picture, from 0 to 1."""
        return [{"match": yes} for yes in self._network.affirm(views, [ask(text) for text in texts])]


def ask(text: str) -> str:
    """Ask whether a picture shows what a text says."""
    return WORDING.replace("{text}", text)
