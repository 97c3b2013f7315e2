"""`evalsite score`: scores the outputs of a run with functions of the user's own."""

import click

from .. import lines
from ..names import run_ids
from ..session import Session, connected
from .evaluate_verb import loaded


@click.command("score")
@click.argument("run", metavar="RUN")
@click.option(
    "--scorer",
    "scorers",
    multiple=True,
    required=True,
    metavar="MODULE:FUNCTION",
    help="A function; repeatable.",
)
@click.option("--experiment", help="Name or id of the experiment, if RUN is the name of a variant.")
@click.option(
    "--concurrency", type=click.IntRange(min=1), default=8, show_default=True, help="Outputs at once."
)
@connected
def command(
    session: Session, run: str, scorers: tuple[str, ...], experiment: str | None, concurrency: int
) -> None:
    """Score the outputs of a run, also of a finished one, with functions of your own."""
    functions = [loaded(part) for part in scorers]
    [number] = run_ids(session.client.transport, [run], experiment)
    scored = session.client.score(number, functions, concurrency=concurrency)
    session.answer(scored, *lines.run(scored))
