"""The command `evalsite`. Verbs are imported when they are used, so that the command starts at once."""

import json
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

import click

from . import __version__
from .errors import EvalsiteError, Mistaken
from .lines import printable

USAGE, INTERRUPTED, BROKEN_PIPE = 64, 130, 141
VERBS = {
    "login": "Store the address and the API key of a site.",
    "upload": "Create a dataset from a file, and runs from its output columns.",
    "update": "Update a dataset from a file: append, merge or mirror.",
    "import": "Import results of other tools; the server recognises the format.",
    "run": "Add the outputs of a variant to an experiment, and score them.",
    "evaluate": "Run a function of your own over a dataset, and score what it returns.",
    "score": "Score the outputs of a run with functions of your own.",
    "launch": "Run prompts on a dataset.",
    "prompt": "Fetch, label, export and import prompts.",
    "wait": "Wait until runs, a launch or a dataset are ready.",
    "judge": "Let judges read answers, and check them against people.",
    "labels": "Ask people, add labels, and read how far people agree.",
    "compare": "Compare runs with a baseline.",
    "gate": "Check a run against a gate; the exit code is the verdict.",
    "gates": "Create and list gates.",
    "report": "Write a report of a comparison to one file.",
    "share": "Make a link to a comparison that needs no account.",
    "export": "Write a dataset, an experiment or a run to a file.",
    "open": "Show a page in the browser.",
    "mcp": "Serve read-only tools to an agent over stdio.",
}
EXIT_CODES = """\b
Exit codes:
  0   done; of `gate`: pass
  1   `gate`: fail
  2   `gate`: inconclusive
  3   `gate`: changed
  4   the work failed, was cancelled or reached a limit
  5   the server refused the request
  6   the server could not be reached
  7   --timeout passed; the work on the server continues
  64  invalid command or settings
  130 interrupted"""


class Verbs(click.Group):
    """Commands, each imported from its module on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command: click.Command = import_module(f".verbs.{cmd_name}_verb", __package__).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


@click.group(cls=Verbs, epilog=EXIT_CODES, context_settings={"max_content_width": 100})
@click.version_option(__version__, prog_name="evalsite")
def evalsite() -> None:
    """Upload outputs of prompts and models, score and compare them, and check them in a pipeline.

    Settings come from options, from EVALSITE_URL and EVALSITE_KEY, or from `evalsite login`. Results go to standard
    output, progress and errors to standard error.
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command and exit with its code."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    sys.exit(_code(words))


def _code(words: list[str]) -> int:
    try:
        _check_text(words)
        return evalsite.main(words, prog_name="evalsite", standalone_mode=False) or 0
    except click.ClickException as error:
        error.show()
        return USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        return INTERRUPTED
    # click exits like this when a reader of the output closes it; its exit code would look like a verdict
    except SystemExit:
        return BROKEN_PIPE
    except EvalsiteError as error:
        as_json = "--json" in words
        text = (
            json.dumps(error.as_dict(), ensure_ascii=False) if as_json else f"Error: {printable(str(error))}"
        )
        click.echo(text, err=True)
        return error.exit_code


def _check_text(words: Sequence[str]) -> None:
    """Refuse an argument whose bytes are no text in the encoding of this console: no name can be sent so."""
    for word in words:
        if not word.isascii() and word.encode(errors="ignore").decode() != word:
            raise Mistaken(
                f"The argument {printable(word)} is no text in the encoding {sys.getfilesystemencoding()}. "
                "Set PYTHONUTF8=1, or rename the file."
            )
