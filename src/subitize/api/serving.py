"""The verb that serves counts as rewards."""

import os
from typing import TYPE_CHECKING, Annotated, get_args

from subitize.api import options
from subitize.api.calls import AS_WARNINGS, choose, make_budget, verb
from subitize.api.options import Opt
from subitize.errors import BadValueError

if TYPE_CHECKING:
    from subitize.interfaces import Events


@verb
def serve(
    judge: Annotated[str, Opt("Who counts: name or name:key=value,…", "JUDGE")],
    *,
    reward: Annotated[
        str, Opt("exact: 1 if every count is right, else 0; graded: by how far off.", "exact|graded")
    ] = "exact",
    rule: options.JudgeRule = None,
    host: Annotated[
        str, Opt("The address to listen at; for others than this machine see docs/reward-endpoint.md.", "ADDRESS")
    ] = "127.0.0.1",
    port: Annotated[int, Opt("The port to listen at; 0: any free one.", "N")] = 8420,
    token_variable: Annotated[
        str | None, Opt("The environment variable that holds the token which requests must send.", "NAME")
    ] = None,
    max_body: Annotated[int, Opt("The largest request, in megabytes.", "MB")] = 64,
    tries: options.Tries = 5,
    max_cost: options.MaxCost = None,
    prices: options.Prices = None,
    events: "Events" = AS_WARNINGS,
) -> None:
    """Serve counts as rewards over HTTP, for training a model.

    It answers GET /health and POST /compute. Ctrl-C ends it.
    """
    from subitize.analysis.reader import rule_for
    from subitize.evaluate.looks import RewardKind
    from subitize.registry import make_judge
    from subitize.training import endpoint
    from subitize.web.hosting import address_at, is_loopback, listen

    made = make_judge(judge)
    kind: RewardKind = choose("reward", reward, get_args(RewardKind))
    token = _read_token(token_variable)
    read_by, budget = rule_for(made, rule, events.warn), make_budget(prices, max_cost)
    settings = endpoint.RewardSettings(made, kind, read_by, tries, max_body * 1_000_000, token, budget)
    with listen(host, port) as listening:
        admission = endpoint.admit_judge(made)
        events.warn(*filter(None, [admission.note, admission.fault]))
        if not is_loopback(host) and token is None:
            events.warn(f"`host` {host}: whoever reaches this address may use it; `token_variable` keeps others out")
        address = address_at(host, listening)

        def announce() -> None:
            events.say(f"{made} rewards {reward} counts at {address}; Ctrl-C ends it. To try it:")
            print(_example(address, token_variable), flush=True)

        endpoint.serve(settings, admission, listening, announce)
    events.say("stopped; every request that was under way has its answer")


def _read_token(variable: str | None) -> str | None:
    if variable is None:
        return None
    token = os.environ.get(variable, "").strip()
    if not token:
        raise BadValueError(f"`token_variable` {variable}: there is no token in it; set it, or leave the option out")
    return token


def _example(address: str, token_variable: str | None) -> str:
    bearer = f' -H "Authorization: Bearer ${token_variable}"' if token_variable else ""
    return (
        """printf '{"prompts": ["3 apples"], "images": ["%s"]}' "$(base64 -w0 picture.png)" | """
        f"curl -s {address}/compute -H 'Content-Type: application/json'{bearer} -d @-"
    )
