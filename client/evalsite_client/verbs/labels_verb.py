"""`evalsite labels`: asks people, adds labels, and says how far people agree."""

import json
from pathlib import Path
from typing import Literal

import click

from .. import lines
from ..names import run_ids
from ..session import Session, connected, written


@click.group("labels")
def command() -> None:
    """Ask people about answers, add labels that exist, and read them.

    People label on the pages of the site. A label set is a question with its guideline: make one on the page of an
    experiment (Ask people), or by `POST label-sets/`.
    """


@command.command("ask")
@click.argument("label_set")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--experiment", help="Name or id of the experiment, if runs are names of its variants.")
@click.option("--size", type=click.IntRange(min=1), required=True, help="How many examples are drawn.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="It draws the sample.")
@click.option("--raters", type=click.IntRange(min=1), default=1, show_default=True, help="People an answer.")
@click.option(
    "--overlap",
    type=click.FloatRange(min=0, max=1),
    default=0.2,
    show_default=True,
    help="The share of answers that one more person labels, so that agreement is known.",
)
@click.option(
    "--by", metavar="COLUMN", help="Each value of this metadata column has its share of the sample."
)
@click.option(
    "--drawn",
    type=click.Choice(["random", "groups", "evenly", "differing", "trial"]),
    help="Evenly: equally many of each value of --by. Differing: more of those on which scores differ. A trial "
    "never counts. Default: random, or with --by groups.",
)
@click.option(
    "--only",
    metavar="COLUMN=VALUE",
    multiple=True,
    help="Only examples with this value, or this member of a list, in a metadata column.",
)
@click.option("--no-reference", is_flag=True, help="Hide the reference from raters.")
@connected
def ask(
    session: Session,
    label_set: str,
    runs: tuple[str, ...],
    experiment: str | None,
    size: int,
    seed: int,
    raters: int,
    overlap: float,
    by: str | None,
    drawn: Literal["random", "groups", "evenly", "differing", "trial"] | None,
    only: tuple[str, ...],
    no_reference: bool,
) -> None:
    """Ask people the question of LABEL_SET about the answers of RUN... to a random sample of examples."""
    numbers = run_ids(session.client.transport, runs, experiment)
    task = session.client.ask_people(
        label_set,
        numbers,
        size,
        seed=seed,
        raters=raters,
        overlap=overlap,
        by=by,
        drawn=drawn,
        metadata=dict(_condition(one) for one in only),
        reference=not no_reference,
    )
    session.answer(task, *lines.label_task(task))


def _condition(text: str) -> tuple[str, str]:
    column, found, value = text.partition("=")
    if not found:
        raise click.BadParameter(f"{text}: write COLUMN=VALUE.", param_hint="--only")
    return column.strip(), value.strip()


@command.command("task")
@click.argument("task", type=click.IntRange(min=1))
@click.option("--close", is_flag=True, help="End the task, and put its last labels into the columns.")
@connected
def show_task(session: Session, task: int, close: bool) -> None:
    """Print how far a task is, or end it."""
    found = session.client.close_label_task(task) if close else session.client.label_task(task)
    session.answer(found, *lines.label_task(found))


@command.command("add")
@click.argument("label_set")
@click.argument("run")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--experiment", help="Name or id of the experiment, if RUN is the name of a variant.")
@click.option(
    "--random", is_flag=True, help="The labelled examples are a random sample of the answered ones."
)
@connected
def add(session: Session, label_set: str, run: str, file: Path, experiment: str | None, random: bool) -> None:
    """Add the labels in FILE to the answers of RUN: a row each, with key or position, label, rater and note."""
    [number] = run_ids(session.client.transport, [run], experiment)
    shown = session.bytes_shown(f"Sending {file}")
    sent = session.client.add_label_file(label_set, number, file, random=random, on_bytes=shown)
    session.answer(sent, *lines.sent_labels(sent))


@command.command("export")
@click.argument("label_set")
@click.option("--task", type=click.IntRange(min=1), help="Only the labels of this task.")
@click.option(
    "-o",
    "--to",
    "target",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="The file to write, as JSON Lines; - for standard output.",
)
@connected
def export(session: Session, label_set: str, task: int | None, target: Path) -> None:
    """Write every label of LABEL_SET, also those that were taken back. Raters are numbers."""

    def write(path: Path) -> None:
        with path.open("w", encoding="utf-8") as file:
            for label in session.client.labels(label_set, task):
                file.write(json.dumps(label, ensure_ascii=False) + "\n")

    written(session, target, write)


@command.command("agreement")
@click.argument("label_set")
@click.option("--experiment", help="Only labels of this experiment, by name or id.")
@connected
def agreement(session: Session, label_set: str, experiment: str | None) -> None:
    """Print how far people agree on LABEL_SET, and which evaluator agrees best with them."""
    found = session.client.agreement(label_set, experiment)
    session.answer(found, *lines.agreement(found))


@command.command("mean")
@click.argument("run")
@click.option("--experiment", help="Name or id of the experiment, if RUN is the name of a variant.")
@click.option("--label-set", help="Only what people say by this label set; default: all with labels of RUN.")
@click.option("--alone", is_flag=True, help="The labels alone: no judge helps them.")
@connected
def mean(session: Session, run: str, experiment: str | None, label_set: str | None, alone: bool) -> None:
    """Print what people say of RUN: the mean of their labels, helped by a judge that is checked against them."""
    [number] = run_ids(session.client.transport, [run], experiment)
    found = session.client.opinions(number, label_set, estimate="labels" if alone else "helped")
    session.answer(found, *lines.opinions(found))
