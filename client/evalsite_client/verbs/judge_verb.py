"""`evalsite judge`: lets judges read answers, and says what they are worth."""

from collections.abc import Callable
from typing import Any, Literal

import click

from .. import lines
from ..names import run_ids
from ..session import Session, connected, waits

Verb = Callable[..., int | None]


def paid(function: Verb) -> Verb:
    """Give a command the options of a judge that reads a run."""
    for option in (
        click.option("--against", metavar="RUN", help="The run of the other variant, for a judge of pairs."),
        click.option("--max-calls", type=click.IntRange(min=1), help="At most this many calls."),
        click.option("--budget", metavar="AMOUNT", help="Maximum cost, in the project's currency."),
        click.option("--experiment", help="Name or id of the experiment, if runs are names of its variants."),
    ):
        function = option(function)
    return function


def _runs(session: Session, run: str, against: str | None, experiment: str | None) -> dict[str, Any]:
    named = run_ids(session.client.transport, [run, *filter(None, [against])], experiment)
    return {"run": named[0], "against": named[1] if against else None}


@click.group("judge")
def command() -> None:
    """Let judges read answers of runs, for money that you name, and check them against people.

    Judges are evaluators: write them on the page Evaluators, or by `POST evaluators/`.
    """


@command.command("run")
@click.argument("judge")
@click.argument("run")
@paid
@click.option("--estimate", is_flag=True, help="Print what it would cost, without asking anything.")
@waits
@connected
def judge_run(
    session: Session,
    judge: str,
    run: str,
    experiment: str | None,
    against: str | None,
    estimate: bool,
    **options: Any,
) -> None:
    """Let JUDGE read the answers of RUN that it has not read. An equal request is never paid twice."""
    named = _runs(session, run, against, experiment)
    if estimate:
        cost = session.client.judge_cost(judge, named["run"])
        session.answer(cost, *lines.judge_cost(cost))
        return
    done = session.client.judge(judge, **named, on_state=session.state_shown("Judge"), **options)
    session.answer(done, *lines.judging(done))


@command.command("check")
@click.argument("judge")
@click.argument("run")
@click.argument("purpose", type=click.Choice(["repeats", "attacks"]))
@click.option(
    "--position",
    "positions",
    multiple=True,
    type=click.IntRange(min=1),
    required=True,
    help="The position of an example to ask about; repeatable.",
)
@paid
@waits
@connected
def judge_check(
    session: Session,
    judge: str,
    run: str,
    purpose: Literal["repeats", "attacks"],
    positions: tuple[int, ...],
    experiment: str | None,
    against: str | None,
    **options: Any,
) -> None:
    """Ask JUDGE about the same answers of RUN again (repeats), or try ten attacks on it (attacks)."""
    named = _runs(session, run, against, experiment)
    shown = session.state_shown("Judge")
    done = session.client.check_judge(
        judge, purpose=purpose, positions=positions, on_state=shown, **named, **options
    )
    session.answer(done, *lines.judging(done))


@command.command("verdicts")
@click.argument("judge")
@click.argument("run")
@click.option("--experiment", help="Name or id of the experiment, if RUN is the name of a variant.")
@connected
def verdicts(session: Session, judge: str, run: str, experiment: str | None) -> None:
    """Print what JUDGE said about the answers of RUN, but for answers with sealed labels."""
    [number] = run_ids(session.client.transport, [run], experiment)
    said = list(session.client.verdicts(number, judge))
    session.answer(said, *map(lines.verdict, said))


@command.command("passport")
@click.argument("evaluator")
@click.option("--label-set", help="Name or id of the labels. Default: the set with the most of its runs.")
@connected
def passport(session: Session, evaluator: str, label_set: str | None) -> None:
    """Print what the newest version of EVALUATOR is worth, checked against people."""
    found = session.client.passport(evaluator, label_set)
    session.answer(found, *lines.passport(found))


@command.command("open")
@click.argument("evaluator")
@click.argument("label_set")
@connected
def open_sealed(session: Session, evaluator: str, label_set: str) -> None:
    """Open the sealed labels of LABEL_SET for the newest version of EVALUATOR.

    Every opening is counted and shown in the passport, and cannot be taken back.
    """
    found = session.client.open_passport(evaluator, label_set)
    session.answer(found, *lines.passport(found))
