"""`evalsite wait`: waits for runs, launches or datasets."""

import click

from .. import lines
from ..answers import Kind
from ..session import Session, connected

LINES = {"run": lines.run, "launch": lines.launch, "dataset": lines.dataset}


@click.command("wait")
@click.argument("kind", type=click.Choice(list(LINES)))
@click.argument("references", metavar="ID|NAME...", nargs=-1, required=True)
@click.option("--experiment", help="Name or id of the experiment that has the named variants.")
@click.option(
    "--timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="Maximum waiting time for each."
)
@connected
def command(
    session: Session,
    kind: Kind,
    references: tuple[str, ...],
    experiment: str | None,
    timeout: float | None,
) -> None:
    """Wait until runs, launches or datasets are ready. The server can restart in the meantime."""
    jobs = [
        session.client.wait(
            kind,
            reference,
            experiment=experiment,
            timeout=timeout,
            on_state=session.state_shown(f"{kind} {reference}"),
        )
        for reference in references
    ]
    texts = [line for job in jobs for line in LINES[kind](job)]
    session.answer(jobs[0] if len(jobs) == 1 else jobs, *texts)
