"""`evalsite open`: opens a page in the browser."""

from typing import Literal

import click

from ..answers import Kind
from ..session import Session, connected

Page = Kind | Literal["comparison"]


@click.command("open")
@click.argument("kind", type=click.Choice(["dataset", "experiment", "run", "launch", "comparison"]))
@click.argument("references", metavar="ID_OR_NAME...", nargs=-1, required=True)
@click.option("--print", "only_printed", is_flag=True, help="Print the address without opening it.")
@connected
def command(session: Session, kind: Page, references: tuple[str, ...], only_printed: bool) -> None:
    """Open the page of an object in the browser. For a comparison, give its runs, the baseline first."""
    address = _address(session, kind, references)
    session.answer({"address": address}, address)
    if not only_printed:
        click.launch(address)


def _address(session: Session, kind: Page, references: tuple[str, ...]) -> str:
    if kind == "comparison":
        if not all(text.isdecimal() for text in references):
            raise click.UsageError("To open a comparison, give the ids of its runs.")
        return session.client.comparison_address(*map(int, references))
    if len(references) > 1:
        raise click.UsageError(f"Name one {kind}.")
    return session.client.address(kind, references[0])
