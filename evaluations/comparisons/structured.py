"""Finds lists and objects that text evaluators compare as JSON text: accepted answers, messages, parts of an output."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from evaluations import jsonpath
from evaluations.conversations.messages import conversation
from evaluations.evaluators.recipe import Recipe
from evaluations.mapping.sources import Matched
from evaluations.models import EvaluatorVersion, Example, Output, Run
from evaluations.statistics.wording import names, text

from .figures.figures import ComparisonFigures

SAMPLE = 20  # examples
WHOLE = {"expected": (("expected",), ("reference",)), "actual": (("actual",), ("output",))}


def warnings(comparison: ComparisonFigures, versions: Sequence[EvaluatorVersion]) -> Iterator[str]:
    """A sentence for each side that most of the first examples have as a list or an object."""
    recipes = {version.evaluator.name: Recipe.from_version(version) for version in versions}
    readers = {
        side: [name for name, recipe in recipes.items() if _reads_whole(recipe, side)] for side in WHOLE
    }
    experiment = comparison.experiment
    if not any(readers.values()):
        return
    examples = Example.objects.of_version(comparison.dataset.pk, experiment.dataset_version)
    references = dict(examples.order_by("position").values_list("position", "reference")[:SAMPLE])
    columns = comparison.dataset.columns.get("reference", [])
    if readers["expected"] and len(columns) == 1:
        values = [json.loads(reference).get(columns[0]) for reference in references.values()]
        if structure := _structure(values, len(values)):
            yield _sentence("References", *structure, readers["expected"], "expected")
    if readers["actual"]:
        yield from _of_outputs(comparison, [*references], readers["actual"])


def _of_outputs(comparison: ComparisonFigures, positions: list[int], evaluators: list[str]) -> Iterator[str]:
    outputs = Output.objects.filter(run__in=comparison.runs, position__in=positions, is_json=True)
    by_run: dict[int, list[Any]] = {}
    for run, output in outputs.order_by("position").values_list("run_id", "text"):
        by_run.setdefault(run, []).append(json.loads(output))
    structures = {
        run: structure
        for run in comparison.runs
        if (structure := _structure(by_run.get(run.pk, []), len(positions)))
    }
    if structures:
        subject = f"Outputs of {text(names(_labels(comparison, structures)))}"
        yield _sentence(subject, *next(iter(structures.values())), evaluators, "actual")


def _labels(comparison: ComparisonFigures, runs: Iterable[Run]) -> list[str]:
    return list(dict.fromkeys(map(comparison.label, runs)))


def _reads_whole(recipe: Recipe, side: str) -> bool:
    source = recipe.mapping.sources.get(side)
    is_plain = isinstance(source, Matched) and source.path.plain and source.path.prefix in WHOLE[side]
    return recipe.kind.reads_text and is_plain and not (side == "expected" and recipe.reads_several)


def _structure(values: Sequence[Any], count: int) -> tuple[str, list[str | int]] | None:
    """What most of the values are, in words, and the steps to the first text inside; None if most have no structure."""
    structured = [value for value in values if isinstance(value, list | dict) and value]
    if not structured or len(structured) * 2 <= count:
        return None
    first = structured[0]
    if isinstance(first, dict):
        texts = [name for name, value in first.items() if isinstance(value, str) and name != "role"]
        return "objects", [next(iter([*texts, *first]))]
    return ("lists of messages", [-1, "content"]) if conversation(first) else ("lists", [0])


def _sentence(subject: str, noun: str, steps: list[str | int], evaluators: list[str], parameter: str) -> str:
    verb = "compares" if len(evaluators) == 1 else "compare"
    advice = f"Set “{parameter}” of the evaluator to one value, such as {jsonpath.from_names([parameter, *steps])}."
    if parameter == "expected" and noun == "lists":
        advice += " BLEU and chrF can use each value of a list as a separate reference."
    readers = text(names(evaluators))
    return f"{subject} are {noun}, and {readers} {verb} their JSON text: these scores mean little. {advice}"
