"""`evalsite share`: makes a link to a comparison that needs no account."""

import click

from ..session import Session, compares, connected


@click.command("share")
@compares
@click.option("--current", is_flag=True, help="Keep the figures up to date, instead of as they are now.")
@click.option("--texts", is_flag=True, help="Also show the largest regressions with their texts.")
@click.option("--note", default="", help="A sentence for readers, above the verdict.")
@click.option(
    "--days", type=click.IntRange(1, 365), default=30, show_default=True, help="How long the link works."
)
@connected
def command(
    session: Session,
    baseline: str,
    runs: tuple[str, ...],
    experiment: str | None,
    split: str | None,
    current: bool,
    texts: bool,
    note: str,
    days: int,
) -> None:
    """Make a link by which anyone reads the comparison, without an account. It is printed once."""
    made = session.client.share(
        baseline,
        *runs,
        experiment=experiment,
        split=split,
        kept=not current,
        texts=texts,
        note=note,
        days=days,
    )
    session.answer(made, made.get("url") or "The link was made before; its address is shown only once.")
