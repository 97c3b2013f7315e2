"""Answers that say another number than the reference, beside an evaluator of prose, which hardly counts that."""

from collections.abc import Sequence

import orjson
from django.db.models.functions import Length

from evaluations import linear
from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import reading_steps
from evaluations.metrics import numbers
from evaluations.models import EvaluatorVersion, Output, Run
from evaluations.numerals import grouped
from evaluations.process_cache import ProcessCache
from evaluations.statistics.wording import Part

LOOKED = 20_000  # characters of an answer; the numbers of longer ones are not told
FEWEST, SHARE = (
    5,
    0.1,
)  # answers with another number that are worth a word, and their share of the references with one
MARK = linear.Pattern(r"\[\d+\]")  # of a source, as in "39 visitors [1]"

counted: ProcessCache[str, tuple[int, list[int]]] = ProcessCache("answers with another number", 500)


def told(version: EvaluatorVersion, runs: Sequence[Run], labels: Sequence[str]) -> list[Part]:
    """How many answers of each run say only other numbers than their reference; empty if hardly any do."""
    if not Recipe.from_version(version).kind.measures_likeness:
        return []
    key = repr([(run.pk, run.revision) for run in runs])
    found = counted.get(key)
    if found is None:
        counted.put(key, found := _counted(runs))
    known, others = found
    if max(others) < max(FEWEST, SHARE * known):
        return []
    said = [
        part
        for count, label in zip(others, labels, strict=True)
        for part in (("", " and "), ("number", grouped(count)), ("", " of "), ("name", label))
    ]
    return [
        ("", "Of "),
        ("number", grouped(known)),
        ("", " references with a number that were looked at, "),
        *said[1:],
        ("", " say only others; "),
        ("evaluator", version.evaluator.name),
        ("", " hardly counts that."),
    ]


def _counted(runs: Sequence[Run]) -> tuple[int, list[int]]:
    """The references with a number among the first examples, and for each run the answers that say only others."""
    examples = runs[0].experiment.examples.filter(position__lte=reading_steps.SEEN)
    expected = {
        position: known
        for position, reference in examples.values_list("position", "reference")
        if (known := _numbers(" ".join(_texts(orjson.loads(reference)))))
    }
    return len(expected), [_others(run, expected) for run in runs]


def _others(run: Run, expected: dict[int, set[str]]) -> int:
    seen = Output.objects.filter(run=run, position__in=expected, text__isnull=False)
    whole = seen.alias(length=Length("text")).filter(length__lte=LOOKED)
    texts = whole.values_list("position", "text")
    return sum(
        bool(said := _numbers(text or "")) and not said & expected[position] for position, text in texts
    )


def _numbers(text: str) -> set[str]:
    """The numbers of a text without their commas, but not the marks of sources."""
    return {number.rstrip(".").replace(",", "") for number in numbers.NUMBER.findall(MARK.sub("", text))}


def _texts(value: object) -> list[str]:
    if isinstance(value, dict | list):
        return [
            text for one in (value.values() if isinstance(value, dict) else value) for text in _texts(one)
        ]
    return [] if value is None or isinstance(value, bool) else [str(value)]
