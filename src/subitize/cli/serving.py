"""The command that serves counts as rewards."""

import os
from typing import TYPE_CHECKING, Annotated

import typer

from subitize.cli import options
from subitize.cli.options import app, rule_for
from subitize.cli.running import Tries
from subitize.errors import BadValueError, UnknownNameError
from subitize.report.terminal import print_line, print_warnings
from subitize.web.hosting import address_at, is_loopback, listen

if TYPE_CHECKING:
    from subitize.evaluate.looks import RewardKind


@app.command("serve")
def serve_(
    judge: Annotated[str, typer.Option(metavar="JUDGE", help="Who counts: name or name:key=value,…")],
    reward: Annotated[
        str,
        typer.Option(metavar="exact|graded", help="exact: 1 if every count is right, else 0; graded: by how far off."),
    ] = "exact",
    rule: options.JudgeRule = None,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="The address to listen at; for others than this machine see docs/reward-endpoint.md.",
        ),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", help="The port to listen at; 0: any free one.")] = 8420,
    token_variable: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The environment variable that holds the token which requests must send."),
    ] = None,
    max_body: Annotated[int, typer.Option(metavar="MB", help="The largest request, in megabytes.")] = 64,
    tries: Tries = 5,
    max_cost: options.MaxCost = None,
    prices: options.PricesFile = None,
) -> None:
    """Serve counts as rewards over HTTP, for training a model.

    It answers GET /health and POST /compute. Ctrl-C ends it.
    """
    from subitize.registry import make_judge
    from subitize.training.endpoint import RewardSettings, admit_judge, serve

    made = make_judge(judge)
    token = _read_token(token_variable)
    ledger = options.make_ledger(prices, max_cost)
    settings = RewardSettings(made, _kind(reward), rule_for(made, rule), tries, max_body * 1_000_000, token, ledger)
    with listen(host, port) as listening:
        admission = admit_judge(made)
        print_warnings(*filter(None, [admission.note, admission.fault]))
        if not is_loopback(host) and token is None:
            print_warnings(f"--host {host}: whoever reaches this address may use it; --token-variable keeps others out")
        address = address_at(host, listening)

        def announce() -> None:
            print_line(f"{made} rewards {reward} counts at {address}; Ctrl-C ends it. To try it:")
            print(_example(address, token_variable), flush=True)

        serve(settings, admission, listening, announce)
    print_line("stopped; every request that was under way has its answer")


def _kind(text: str) -> "RewardKind":
    if text not in ("exact", "graded"):
        raise UnknownNameError("reward", text, ("exact", "graded"))
    return "exact" if text == "exact" else "graded"


def _read_token(variable: str | None) -> str | None:
    if variable is None:
        return None
    token = os.environ.get(variable, "").strip()
    if not token:
        raise BadValueError(f"--token-variable {variable}: there is no token in it; set it, or leave the option out")
    return token


def _example(address: str, token_variable: str | None) -> str:
    bearer = f' -H "Authorization: Bearer ${token_variable}"' if token_variable else ""
    return (
        """printf '{"prompts": ["3 apples"], "images": ["%s"]}' "$(base64 -w0 picture.png)" | """
        f"curl -s {address}/compute -H 'Content-Type: application/json'{bearer} -d @-"
    )
