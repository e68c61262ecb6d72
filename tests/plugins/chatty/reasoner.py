"""Models that write at length: one marks its reasoning, one does not say so and corrects itself."""

from subitize.interfaces import Model, Reply, Request
from subitize.records import Said


class Reasoner(Model):
    """Think in a marked block, and answer right: the number is the last part of the item's id but one."""

    tasks = frozenset({"answer"})
    concurrency = 1

    async def respond(self, request: Request, /) -> Reply:
        """Answer without a look."""
        number = int(request.item_id.split("/")[2])
        return Reply(Said(f"<think>{number + 1} … no, {number + 2}?</think>There are {number}."), request.provenance())


class Talker(Reasoner):
    """Answer right after other numbers."""

    async def respond(self, request: Request, /) -> Reply:
        """Answer without a look."""
        number = int(request.item_id.split("/")[2])
        text = f"I see {number + 1} at first, or {number + 2}. The answer is {number}."
        return Reply(Said(text), request.provenance())
