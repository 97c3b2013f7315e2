"""`evalsite launch`: runs prompts on examples and scores the answers."""

import json
from typing import Any

import click

from .. import lines
from ..session import Session, connected, waits


@click.command("launch")
@click.option(
    "--prompt",
    "prompts",
    multiple=True,
    required=True,
    metavar="PROMPT[@VERSION]",
    help="Name or id of a prompt; repeatable.",
)
@click.option("--model", "models", multiple=True, help="A model instead of the prompts' own; repeatable.")
@click.option("--experiment", help="Name or id of the experiment to add runs to.")
@click.option("--dataset", help="Name or id of the dataset of a new experiment.")
@click.option("--name", help="Name of the new experiment.")
@click.option(
    "--evaluator", "evaluators", multiple=True, help="An evaluator of the new experiment; repeatable."
)
@click.option(
    "--repetitions",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Number of runs of each variant.",
)
@click.option("--budget", metavar="AMOUNT", help="Maximum cost of the launch, in the project's currency.")
@click.option(
    "--max-calls", type=click.IntRange(min=1), help="Maximum number of calls, for models without a price."
)
@click.option(
    "--split", metavar="SPLIT", help="Use only the examples of this split of the dataset, by name or id."
)
@click.option(
    "--sample", type=click.IntRange(min=1), metavar="N", help="Use a random sample of this many examples."
)
@click.option("--seed", type=click.IntRange(min=0), help="The same seed draws the same sample.")
@click.option(
    "--stop-early",
    type=click.FloatRange(min=0, min_open=True),
    metavar="MARGIN",
    help="Stop a variant once it is better, worse, or equivalent within this margin.",
)
@click.option(
    "--trial", is_flag=True, help="Run 20 examples first, then stop so that you can check the answers."
)
@click.option(
    "--for-gate",
    is_flag=True,
    help="A pipeline asks for these answers to have them checked by a gate: they are kept apart from the variants.",
)
@click.option("--estimate", is_flag=True, help="Print the estimate without calling a model.")
@waits
@connected
def command(
    session: Session,
    prompts: tuple[str, ...],
    models: tuple[str, ...],
    sample: int | None,
    seed: int | None,
    stop_early: float | None,
    estimate: bool,
    for_gate: bool,
    **options: Any,
) -> None:
    """Run prompts on the examples of an experiment or a dataset, and score the answers."""
    if (options["experiment"] is None) == (options["dataset"] is None):
        raise click.UsageError("Give either --experiment, or --dataset for a new experiment.")
    if options["dataset"] is not None and not options["name"]:
        raise click.UsageError("Give the new experiment a --name.")
    chosen = None if sample is None else {"size": sample} | ({} if seed is None else {"seed": seed})
    if stop_early is not None:
        options["stop"] = {"when": "decided", "margin": stop_early}
    if for_gate:
        options["for_gate"] = True
    launch = session.client.launch(
        variants(prompts, models),
        sample=chosen,
        estimate_only=estimate,
        on_state=session.state_shown("Launch"),
        **options,
    )
    if estimate:
        session.answer(launch, *json.dumps(launch, ensure_ascii=False, indent=2).splitlines())
    else:
        session.page("launch", launch["id"])
        session.answer(launch, *lines.launch(launch))


def variants(prompts: tuple[str, ...], models: tuple[str, ...]) -> list[dict[str, Any]]:
    """Every prompt by every model.

    >>> variants(("Plain", "Short@2"), ())
    [{'prompt': 'Plain'}, {'prompt': 'Short', 'version': 2}]
    """
    return [
        _prompt(prompt) | ({"model": model} if model else {})
        for prompt in prompts
        for model in models or ("",)
    ]


def _prompt(text: str) -> dict[str, Any]:
    name, at, version = text.rpartition("@")
    return {"prompt": name, "version": int(version)} if at and version.isdecimal() else {"prompt": text}
