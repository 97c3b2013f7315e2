"""Finds lists and objects that text evaluators compare as JSON text: accepted answers, messages, parts of an output."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db.models.functions import Substr

from evaluations import jsonpath
from evaluations.conversations.messages import conversation
from evaluations.evaluators.recipe import Recipe
from evaluations.mapping.sources import Matched
from evaluations.models import EvaluatorVersion, Example, Output, Run
from evaluations.statistics.wording import names, text
from evaluations.values import by_column

from .figures.figures import Figures

SEARCHING = {"contains", "regex_match"}  # they find a phrase in the JSON text of an output as in any other
SAMPLE = 20  # examples
EMPTY = ("[]", "{}")
WHOLE = {"expected": (("expected",), ("reference",)), "actual": (("actual",), ("output",))}


def warnings(figures: Figures, versions: Sequence[EvaluatorVersion]) -> Iterator[str]:
    """A sentence for each side that most of the first examples have as a list or an object."""
    recipes = {version.evaluator.name: Recipe.from_version(version) for version in versions}
    readers = {
        side: [name for name, recipe in recipes.items() if _reads_whole(recipe, side)] for side in WHOLE
    }
    experiment = figures.sides.experiment
    if not any(readers.values()):
        return
    examples = Example.objects.of_version(figures.sides.dataset.pk, experiment.dataset_version)
    references = dict(examples.order_by("position").values_list("position", "reference")[:SAMPLE])
    columns = figures.sides.dataset.columns.get("reference", [])
    if readers["expected"] and len(columns) == 1:
        values = [
            by_column("reference", json.loads(reference)).get(columns[0]) for reference in references.values()
        ]
        structured = [value for value in values if isinstance(value, list | dict) and value]
        if len(structured) * 2 > len(values):
            yield _sentence("References", *_structure(structured[0]), readers["expected"], "expected")
    if readers["actual"]:
        yield from _of_outputs(figures, [*references], readers["actual"])


def _of_outputs(figures: Figures, positions: list[int], evaluators: list[str]) -> Iterator[str]:
    """Reads how outputs begin, and only one of them whole, because each may have a million characters."""
    outputs = Output.objects.filter(run__in=figures.sides.runs, position__in=positions, is_json=True)
    beginnings = outputs.exclude(text=None).annotate(beginning=Substr("text", 1, 2)).order_by("position")
    by_run: dict[int, list[int]] = {}
    for run_id, position, beginning in beginnings.values_list("run_id", "position", "beginning"):
        if beginning[0] in "[{" and beginning not in EMPTY:
            by_run.setdefault(run_id, []).append(position)
    structured = [run for run in figures.sides.runs if len(by_run.get(run.pk, ())) * 2 > len(positions)]
    if structured:
        output = Output.objects.get(run=structured[0], position=by_run[structured[0].pk][0])
        subject = f"Outputs of {text(names(_labels(figures, structured)))}"
        yield _sentence(subject, *_structure(json.loads(output.text or "null")), evaluators, "actual")


def _labels(figures: Figures, runs: Iterable[Run]) -> list[str]:
    return list(dict.fromkeys(map(figures.sides.label, runs)))


def _reads_whole(recipe: Recipe, side: str) -> bool:
    source = recipe.mapping.sources.get(side)
    is_plain = isinstance(source, Matched) and source.path.plain and source.path.prefix in WHOLE[side]
    takes_members = side == "expected" and (recipe.reads_several or recipe.mapping.accepts_any)
    searches = side == "actual" and recipe.kind.key in SEARCHING
    return recipe.kind.reads_text and is_plain and not takes_members and not searches


def _structure(value: list[Any] | dict[str, Any]) -> tuple[str, list[str | int]]:
    """What the value is, in words, and the steps to the first text inside."""
    if isinstance(value, dict):
        texts = [name for name, member in value.items() if isinstance(member, str) and name != "role"]
        return "objects", [next(iter([*texts, *value]))]
    return ("lists of messages", [-1, "content"]) if conversation(value) else ("lists", [0])


def _sentence(subject: str, noun: str, steps: list[str | int], evaluators: list[str], parameter: str) -> str:
    verb = "compares" if len(evaluators) == 1 else "compare"
    advice = f"Set “{parameter}” of the evaluator to one value, such as {jsonpath.from_names([parameter, *steps])}."
    if parameter == "expected" and noun == "lists":
        advice += " BLEU and chrF can use each value of a list as a separate reference."
    readers = text(names(evaluators))
    return f"{subject} are {noun}, and {readers} {verb} their JSON text: these scores mean little. {advice}"
