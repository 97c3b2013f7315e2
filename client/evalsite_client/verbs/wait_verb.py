import click

from .. import lines
from ..answers import Kind
from ..session import Session, connected

LINES = {"run": lines.run, "launch": lines.launch, "dataset": lines.dataset}


@click.command("wait")
@click.argument("kind", type=click.Choice(list(LINES)))
@click.argument("numbers", metavar="ID...", type=click.IntRange(min=1), nargs=-1, required=True)
@click.option(
    "--timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="Wait no longer than this for each."
)
@connected
def command(session: Session, kind: Kind, numbers: tuple[int, ...], timeout: float | None) -> None:
    """Wait until runs, launches or datasets are ready. The server may restart meanwhile."""
    things = [
        session.client.wait(kind, number, timeout=timeout, on_state=session.state_shown(f"{kind} {number}"))
        for number in numbers
    ]
    texts = [line for thing in things for line in LINES[kind](thing)]
    session.answer(things[0] if len(things) == 1 else things, *texts)
