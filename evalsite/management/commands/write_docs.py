"""`manage.py write_docs`: writes what the documents say of settings, fixed figures, routes, error codes and evaluators
from the code.

`make docs` calls it; `make lint` calls it with `--check`.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from evalsite.environment import SETTINGS
from evaluations.access import invitations
from evaluations.api import routes_page
from evaluations.api.codes import explained
from evaluations.labelling import links
from evaluations.linear import Pattern
from evaluations.proof import catalogue_page
from evaluations.reports import sharing
from evaluations.statistics import intervals
from evaluations.undo import UNDO
from evaluations.webhooks import sending

# Fixed figures that documents mention: a link to their table whose title is one of these names shows its figure.
FIGURES = {
    "time to undo": (
        f"{UNDO.days} days",
        "for which a deleted object, or the file of a failed import, is kept",
    ),
    "invitation": (f"{invitations.DAYS} days", "for which the link of an invitation works"),
    "link without account": (f"{sharing.DAYS} days", "for which it works, unless its maker says otherwise"),
    "link of a rater": (f"{links.DAYS} days", "for which it works, unless its maker says otherwise"),
    "deliveries": (f"{sending.KEPT_FOR.days} days", "for which the deliveries of a webhook are listed"),
    "sweep": (f"{settings.SWEEP_EVERY:g} seconds", "from one sweep to the next"),
    "level": (
        f"{100 * intervals.LEVEL:g} %",
        "the level of every interval; what is left of 100 decides about a p",
    ),
}
FIGURE = Pattern(r"""\[[^\]]*(\]\(configuration\.md#fixed-figures "([^"]+)"\))""")


class Command(BaseCommand):
    help = "Write the tables of settings, figures, routes and error codes, and the page of the evaluators, into docs/."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, nargs="?", default=Path("docs"))
        parser.add_argument(
            "--check", action="store_true", help="Change nothing; fail if a document is stale."
        )

    def handle(self, *, folder: Path, check: bool, **options: Any) -> None:
        stale = {file: text for file, text in _documents(folder) if file.read_text(encoding="utf-8") != text}
        if check and stale:
            names = ", ".join(file.name for file in stale)
            raise CommandError(f"Stale: {names}. Run `make docs`.")
        for file, text in stale.items():
            file.write_text(text, encoding="utf-8")
            self.stdout.write(f"Wrote {file}.")


def _documents(folder: Path) -> Iterator[tuple[Path, str]]:
    pages = {file: with_figures(file.read_text(encoding="utf-8")) for file in folder.glob("*.md")}
    for name, head, rows in _tables():
        pages[folder / name] = with_table(pages[folder / name], head, rows)
    yield from (pages | {folder / "evaluators.md": catalogue_page.page()}).items()


def _tables() -> Iterator[tuple[str, str, Iterable[str]]]:
    """The document, the head of a table of it, and what its rows are."""
    variables = (f"| `{each.name}` | {each.default_shown} | {each.meaning} |" for each in SETTINGS)
    figures = (f"| {name} | {figure} | {meaning} |" for name, (figure, meaning) in FIGURES.items())
    codes = (f"| `{code}` | {meaning} | {remedy} |" for code, meaning, remedy in explained())
    yield "configuration.md", "| variable | default | what it does |", variables
    yield "configuration.md", "| name | figure | what it is |", figures
    yield "routes.md", routes_page.HEAD, routes_page.rows()
    yield "troubleshooting.md", "| code | what it means | what to do |", codes


def with_figures(page: str) -> str:
    """The page with the present figure as the text of every link to the table of figures, which names it in its title.

    >>> with_figures('for [many days](configuration.md#fixed-figures "time to undo").')
    'for [7 days](configuration.md#fixed-figures "time to undo").'
    """
    return FIGURE.sub(lambda link: f"[{_figure(link[2])}{link[1]}", page)


def _figure(name: str) -> str:
    if name not in FIGURES:
        raise CommandError(f"No fixed figure is called {name}. They are: {', '.join(FIGURES)}.")
    return FIGURES[name][0]


def with_table(page: str, head: str, rows: Iterable[str]) -> str:
    """The page with these rows in the table under `head`.

    >>> print(with_table("Text\\n\\n| a |\\n| --- |\\n| old |\\n\\nmore", "| a |", ["| new |"]))
    Text
    <BLANKLINE>
    | a |
    | --- |
    | new |
    <BLANKLINE>
    more
    """
    before, found, after = page.partition(f"{head}\n")
    if not found:
        raise CommandError(f"No table begins with {head}")
    line, *lines = after.split("\n")
    while lines and lines[0].startswith("|"):
        lines.pop(0)
    return before + found + "\n".join([line, *rows, *lines])
