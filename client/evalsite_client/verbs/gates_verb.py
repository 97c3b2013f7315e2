"""`evalsite gates`: creates and lists gates."""

import shlex
from typing import Any

import click

from .. import lines
from ..session import Session, connected, json_object

NUMBERS = ("value", "margin")


@click.group("gates")
def command() -> None:
    """Create and list the gates of the project. `evalsite gate` checks a run against one."""


@command.command("list")
@connected
def list_gates(session: Session) -> None:
    """List the gates with their criteria and hashes."""
    gates = list(session.client.gates())
    session.answer(gates, *(line for gate in gates for line in lines.gate(gate)))


@command.command("create")
@click.argument("name", required=False)
@click.option("--baseline", metavar="RUN", help="The baseline: the run that others are compared with.")
@click.option("--experiment", help="Name or id of the experiment, if the baseline is the name of a variant.")
@click.option(
    "--criterion",
    "criteria",
    multiple=True,
    metavar='"RULE FIELD=VALUE…"',
    help='A criterion, such as "not_worse evaluator=3 margin=0.02"; repeatable.',
)
@click.option("--dataset", help="Name or id of the dataset. Default: the baseline's.")
@click.option("--split", help="Only the examples of this split count; its name or id.")
@click.option("--missing", type=click.Choice(["worst", "exclude"]), help="How unanswered examples count.")
@click.option(
    "--accepts-inconclusive", is_flag=True, default=None, help="An inconclusive check counts as passed."
)
@click.option(
    "--from",
    "body",
    metavar="JSON",
    help="The gate as JSON, as in `POST gates/`, or @FILE. Options override it.",
)
@connected
def create(
    session: Session, criteria: tuple[str, ...], body: str | None, experiment: str | None, **options: Any
) -> None:
    """Create a gate: criteria for runs against a baseline. `evalsite gate` refers to it by NAME.

    The rules are not_worse, better, at_least, at_most, no_new_failures, answered, cost, latency,
    examples; see docs/gate.md. `evaluator` is a name or an id.
    """
    chosen = {name: value for name, value in options.items() if value is not None}
    if criteria:
        chosen["criteria"] = [criterion(text) for text in criteria]
    parts = (json_object(body, "--from") or {}) | chosen
    if absent := [name for name in ("name", "baseline", "criteria") if not parts.get(name)]:
        raise click.UsageError(f"A gate needs {' and '.join(absent)}.")
    gate = session.client.create_gate(**parts, experiment=experiment)
    session.answer(gate, *lines.gate(gate))


def criterion(text: str) -> dict[str, Any]:
    """The criterion in an option of the command line.

    >>> criterion("at_least evaluator='Last number' value=0.8 figure=mean")
    {'rule': 'at_least', 'evaluator': 'Last number', 'value': 0.8, 'figure': 'mean'}
    """
    try:
        rule, *fields = shlex.split(text)
        pairs = (field.split("=", 1) for field in fields)
        return {"rule": rule} | {name: float(value) if name in NUMBERS else value for name, value in pairs}
    except ValueError as error:
        raise click.BadParameter(f"{text!r}: {error}", param_hint="--criterion") from error
