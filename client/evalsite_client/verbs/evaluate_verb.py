"""`evalsite evaluate`: runs a function of the user's own over a dataset."""

import sys
from importlib import import_module
from typing import Any

import click

from ..session import Session, connected, json_object, waits


@click.command("evaluate")
@click.argument("task", metavar="MODULE:FUNCTION")
@click.option("--dataset", required=True, help="Name or id of the dataset.")
@click.option(
    "--scorer",
    "scorers",
    multiple=True,
    metavar="MODULE:FUNCTION|EVALUATOR",
    help="A function of your own, or the name, id or kind of an evaluator of the site; repeatable.",
)
@click.option("--variant", help="Name of the variant. Default: the name of the function.")
@click.option("--experiment", help="Name or id of the experiment. Default: the name of the dataset.")
@click.option(
    "--repetitions", type=click.IntRange(min=1), default=1, show_default=True, help="Runs of the variant."
)
@click.option(
    "--concurrency", type=click.IntRange(min=1), default=8, show_default=True, help="Examples at once."
)
@click.option("--split", help="Only the examples of this split, by name or id.")
@click.option(
    "--about", metavar="JSON", help="Description of the variant as JSON (model, commit, notes), or @FILE."
)
@click.option("--resume/--no-resume", default=True, show_default=True, help="Go on where it was stopped.")
@waits
@connected
def command(
    session: Session,
    task: str,
    scorers: tuple[str, ...],
    about: str | None,
    variant: str | None,
    **options: Any,
) -> None:
    """Run a function over the examples of a dataset, and score what it returns.

    The function gets an example, or by the names of its parameters: input, inputs, expected, metadata. After Ctrl-C or
    a crash the same command goes on where it stopped.
    """
    function = loaded(task)
    done = session.client.evaluate(
        task=function,
        scorers=[loaded(part) if ":" in part else part for part in scorers],
        variant=variant or task.rpartition(":")[2],
        about=json_object(about, "--about"),
        **options,
    )
    session.page("experiment", done.runs[0]["experiment"])
    session.answer(list(done.runs), *done.format().split("\n"))


def loaded(text: str) -> Any:
    """The function that `module:function` names; modules of the present folder are found too."""
    module, colon, path = text.partition(":")
    if not colon or not path:
        raise click.BadParameter(f"{text!r} is not written as module:function.")
    if "" not in sys.path and "." not in sys.path:
        sys.path.insert(0, "")
    try:
        found: Any = import_module(module)
        for name in path.split("."):
            found = getattr(found, name)
    except (ImportError, AttributeError) as error:
        raise click.BadParameter(f"{text!r} cannot be imported: {error}") from error
    return found
