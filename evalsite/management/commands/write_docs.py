"""`manage.py write_docs`: writes what the documents say of settings, routes, error codes and evaluators from the code.

`make docs` calls it; `make lint` calls it with `--check`.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evalsite.environment import SETTINGS
from evaluations.api import routes_page
from evaluations.api.codes import explained
from evaluations.proof import catalogue_page


class Command(BaseCommand):
    help = "Write the tables of settings, routes and error codes, and the page of the evaluators, into docs/."
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
    settings = (f"| `{each.name}` | {each.default_shown} | {each.meaning} |" for each in SETTINGS)
    codes = (f"| `{code}` | {meaning} | {remedy} |" for code, meaning, remedy in explained())
    for name, head, rows in (
        ("configuration.md", "| variable | default | what it does |", settings),
        ("routes.md", routes_page.HEAD, routes_page.rows()),
        ("troubleshooting.md", "| code | what it means | what to do |", codes),
    ):
        yield folder / name, with_table((folder / name).read_text(encoding="utf-8"), head, rows)
    yield folder / "evaluators.md", catalogue_page.page()


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
