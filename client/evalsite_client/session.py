"""The session of a command: common options, the client, and output."""

import functools
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .lines import printable
from .progress import Progress

if TYPE_CHECKING:
    from .answers import Kind
    from .client import Client

Verb = Callable[..., int | None]


class Session:
    """One invocation of the command line. Answers go to standard output, everything else to standard error."""

    def __init__(self, url: str | None, key: str | None, as_json: bool) -> None:
        self.url, self.key, self.as_json = url, key, as_json

    @functools.cached_property
    def client(self) -> "Client":
        """The client, created on demand, because importing HTTP and TLS takes longer than everything else."""
        client: Client = import_module(".client", __package__).Client(self.url, self.key, on_retry=note)
        return client

    def answer(self, value: Any, *lines: str) -> None:
        """The answer as JSON with --json, else as lines for people."""
        if self.as_json:
            click.echo(json.dumps(value, ensure_ascii=False, indent=2))
        else:
            click.echo("\n".join(map(printable, lines)))

    def page(self, kind: "Kind", number: int) -> None:
        """Say where the page of a new object is, on standard error."""
        note(self.client.address(kind, number))

    def upload_page(self, dataset: Mapping[str, Any]) -> None:
        """Say where the experiment of an upload is, or its dataset."""
        kind: Kind = "experiment" if dataset["experiment"] else "dataset"
        self.page(kind, dataset["experiment"] or dataset["id"])

    def bytes_shown(self, label: str) -> Callable[[int, int], None]:
        """A callback that shows the number of transferred bytes."""
        progress = self._progress(label, " bytes")
        return lambda done, total: progress.update(done, total)

    def state_shown(self, label: str) -> Callable[[Mapping[str, Any]], None]:
        """A callback that shows the state and progress of awaited work."""
        progress = self._progress(label, "")

        def show(answer: Mapping[str, Any]) -> None:
            amount = answer.get("progress") or {"done": 0, "total": 0}
            progress.update(amount["done"], amount["total"], answer["status"])

        return show

    def _progress(self, label: str, unit: str) -> Progress:
        progress = Progress(label, sys.stderr, unit=unit)
        click.get_current_context().call_on_close(progress.close)
        return progress


def written(session: Session, target: Path, write: Callable[[Path], object]) -> None:
    """Write a file with `write` and answer with its name; `-` is standard output, which then has nothing else."""
    if str(target) != "-":
        write(target)
        session.answer({"file": str(target)}, str(target))
        return
    with tempfile.TemporaryDirectory() as folder:
        write(path := Path(folder) / "answer")
        with path.open("rb") as content:
            shutil.copyfileobj(content, sys.stdout.buffer)


def note(text: str) -> None:
    """Print a line that is not part of the answer."""
    click.echo(printable(text), err=True)


def connected(function: Verb) -> Verb:
    """Give a command the options --url, --key and --json, and a `Session` as its first argument."""

    @click.option("--url", metavar="ADDRESS", help="Address of the site, instead of EVALSITE_URL.")
    @click.option("--key", metavar="KEY", help="API key. EVALSITE_KEY is safer: other users can see options.")
    @click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
    @functools.wraps(function)
    def wrapped(url: str | None, key: str | None, as_json: bool, **arguments: Any) -> int | None:
        return function(Session(url, key, as_json), **arguments)

    return wrapped


def waits(function: Verb) -> Verb:
    """Give a command the options --wait/--no-wait and --timeout."""

    @click.option("--wait/--no-wait", default=True, show_default=True, help="Wait until it is ready.")
    @click.option("--timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="Maximum waiting time.")
    @functools.wraps(function)
    def wrapped(**arguments: Any) -> int | None:
        return function(**arguments)

    return wrapped


def refuses_rows(function: Verb) -> Verb:
    """Give a command the options --on-error and --duplicates."""

    @click.option(
        "--on-error",
        type=click.Choice(["reject", "skip"]),
        default="reject",
        show_default=True,
        help="What to do if rows cannot be imported: import nothing, or skip them.",
    )
    @click.option(
        "--duplicates",
        type=click.Choice(["keep", "skip", "fail"]),
        default="keep",
        show_default=True,
        help="What to do with rows that have the same contents as another example.",
    )
    @functools.wraps(function)
    def wrapped(**arguments: Any) -> int | None:
        return function(**arguments)

    return wrapped


def reads(function: Verb) -> Verb:
    """Give a command the options that say how a file is read, as the argument `reading`."""

    @click.option(
        "--no-header", is_flag=True, help="The first row is data: columns are column_1, column_2, …."
    )
    @click.option("--delimiter", help="Of CSV: a sign, or comma, semicolon, tab, pipe.")
    @click.option("--encoding", help="Of a text file, such as utf-8 or cp1252.")
    @click.option(
        "--escape",
        type=click.Choice(["backslash", "letters", "none"]),
        help="How CSV writes quotes inside cells.",
    )
    @click.option("--sheet", help="The sheet of a workbook.")
    @click.option("--rows", metavar="PATH", help="The list of rows in a JSON object, such as data.items.")
    @click.option(
        "--decimal", type=click.Choice(["comma", "point"]), help="The sign before decimals of scores."
    )
    @click.option(
        "--long",
        metavar="JSON",
        help='Several rows for each example: {"id": COLUMN, "variant", "repetition" or "rater": COLUMN}.',
    )
    @functools.wraps(function)
    def wrapped(no_header: bool, **arguments: Any) -> int | None:
        names = ("delimiter", "encoding", "escape", "sheet", "rows", "decimal", "long")
        chosen = {name: arguments.pop(name) for name in names}
        reading = {name: value for name, value in chosen.items() if value is not None}
        return function(reading=reading | ({"header": False} if no_header else {}), **arguments)

    return wrapped


def compares(function: Verb) -> Verb:
    """Give a command the arguments BASELINE and RUN..., and the options --experiment and --split."""

    @click.argument("baseline")
    @click.argument("runs", metavar="RUN...", nargs=-1, required=True)
    @click.option("--experiment", help="Name or id of the experiment that has the named variants.")
    @click.option("--split", help="Only the examples of this split of the dataset, by name or id.")
    @functools.wraps(function)
    def wrapped(**arguments: Any) -> int | None:
        return function(**arguments)

    return wrapped


def pairs(texts: tuple[str, ...]) -> dict[str, str]:
    """Parse options such as `v2=$.v2.text` by name; a plain name stands for itself."""
    split = [text.partition("=") for text in texts]
    return {name: value if equals else name for name, equals, value in split}


def mapping_of(text: str | None) -> dict[str, Any] | str | None:
    """Parse the option `--mapping`: JSON, @ and the name of a JSON file, or the name or id of a saved mapping."""
    is_json = text is None or text.lstrip()[:1] in ("", "{", "[", "@")
    return json_object(text, "--mapping") if is_json else text


def json_object(text: str | None, option: str) -> dict[str, Any] | None:
    """Parse an option with a JSON object: JSON, or @ and the name of a JSON file."""
    if text is None:
        return None
    try:
        if text.startswith("@"):
            with open(text[1:], encoding="utf-8") as file:
                text = file.read()
        value = json.loads(text)
    except (OSError, ValueError) as error:
        raise click.BadParameter(f"This is not JSON: {error}", param_hint=option) from error
    if not isinstance(value, dict):
        raise click.BadParameter("This is not a JSON object.", param_hint=option)
    return value
