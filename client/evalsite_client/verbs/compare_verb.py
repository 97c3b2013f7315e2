"""`evalsite compare`: compares runs with a baseline."""

from typing import Any

import click

from .. import lines
from ..session import Session, compares, connected


@click.command("compare")
@compares
@click.option("--missing", type=click.Choice(["worst", "exclude"]), help="How unanswered examples count.")
@click.option("--cluster", metavar="COLUMN", help="Group examples by a metadata column; or: auto, none.")
@click.option("--repeats", type=click.Choice(["mean"]), help="Average repeated runs of the same variant.")
@connected
def command(session: Session, baseline: str, runs: tuple[str, ...], **how: Any) -> None:
    """Compare the runs RUN... with the run BASELINE.

    Runs are ids. With --experiment they can also be names of its variants; the newest run of each is used.
    """
    compared = session.client.compare(baseline, *runs, **how)
    session.answer(compared, *lines.comparison(compared))
