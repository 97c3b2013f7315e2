"""`evalsite gate`: checks a run against a gate."""

from pathlib import Path

import click

from .. import lines
from ..names import run_ids
from ..session import Session, connected

CODES = {"pass": 0, "fail": 1, "inconclusive": 2, "changed": 3}


@click.command("gate")
@click.argument("gate", metavar="GATE")
@click.argument("run", metavar="RUN")
@click.option("--experiment", help="Name or id of the experiment, if RUN is the name of a variant.")
@click.option(
    "--hash",
    metavar="HASH",
    help="The hash that you expect the gate to have; if it differs, the verdict is `changed`.",
)
@click.option(
    "--junit", type=click.Path(dir_okay=False, path_type=Path), help="Write JUnit XML to this file."
)
@click.option(
    "--markdown", type=click.Path(dir_okay=False, path_type=Path), help="Write a comment for a pull request."
)
@connected
def command(
    session: Session,
    gate: str,
    run: str,
    experiment: str | None,
    hash: str | None,
    junit: Path | None,
    markdown: Path | None,
) -> int:
    """Check a run against a gate. The exit code is the verdict: 0 pass, 1 fail, 2 inconclusive, 3 changed.

    GATE is a name or an id. If the gate accepts inconclusive checks, their exit code is 0. A pipeline sends the run by
    `evalsite run --for-gate`, so that it is no variant of the experiment.
    """
    [number] = run_ids(session.client.transport, [run], experiment, for_gate=True)
    check = session.client.gate(gate, number, hash)
    for form, target in (("junit", junit), ("markdown", markdown)):
        if target:
            session.client.save_check(check, target, form)
    session.answer(check, *lines.check(check))
    return 0 if check["green"] else CODES[check["verdict"]]
