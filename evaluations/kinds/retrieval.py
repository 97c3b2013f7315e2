"""The kind `retrieval`: a ranked list of ids against the relevant ones."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from evaluations.kinds import explain
from evaluations.kinds.config import Config, Threshold
from evaluations.kinds.kind import Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import Scores
from evaluations.metrics import ranking
from evaluations.values import JSON, Status, opened_json, text_or_json

LARGEST_GRADE = 100.0


class RetrievalConfig(Config):
    measure: Annotated[
        Literal["ndcg", "recall", "precision", "hit", "mrr", "map"],
        Field(
            title="Measure",
            description="nDCG, recall, precision, hit (any relevant), reciprocal rank, average precision.",
        ),
    ] = "ndcg"
    k: Annotated[
        Annotated[int, Field(ge=1, le=10_000)] | None,
        Field(title="First", description="How many items of the list count; empty for all."),
    ] = 10
    gain: Annotated[
        Literal["linear", "exponential"],
        Field(
            title="Gain", description="Of nDCG: the grade itself, as in trec_eval, or 2 to its power minus 1."
        ),
    ] = "linear"
    threshold: Threshold = None


class Unread(ValueError):
    """The expected side is no list of ids and no object of grades; the message is a code and a sentence."""


def score(config: RetrievalConfig, pairs: Pairs) -> Scores:
    """The measure of each list; 0.0 for an output that is no list, no score where nothing is relevant."""
    values = np.zeros(len(pairs))
    errors: dict[int, str] = {}
    missing: dict[int, Status] = {}
    for row, (actual, expected) in enumerate(zip(pairs.actual, pairs.expected, strict=True)):
        try:
            grades = judged(expected)
        except Unread as error:
            errors[row] = str(error)
            continue
        if not any(grade >= 1 for grade in grades.values()):
            missing[row] = Status.MISSING_EXPECTED
        else:
            values[row] = _value(config, ranked(actual), grades)
    passed = None if config.threshold is None else values >= config.threshold
    return Scores.scored(values, passed, errors=errors, missing=missing)


def _value(config: RetrievalConfig, items: Sequence[str], grades: ranking.Grades) -> float:
    return ranking.measure(config.measure, items, grades, config.k, exponential=config.gain == "exponential")


def ranked(value: JSON) -> list[str]:
    """The ids of a list, or of a text with one on each line; the first of equal ones counts."""
    opened = opened_json(value)
    if isinstance(opened, list):
        items = [_id(item) for item in opened]
    else:
        items = [line.strip() for line in text_or_json(opened).splitlines()]
    return list(dict.fromkeys(item for item in items if item))


def judged(value: JSON) -> dict[str, float]:
    """The grade of each judged id: 1 for the members of a list, else as an object says."""
    opened = opened_json(value)
    if isinstance(opened, dict):
        numbers = [grade for grade in opened.values() if isinstance(grade, int | float)]
        if len(numbers) < len(opened) or any(not 0 <= grade <= LARGEST_GRADE for grade in numbers):
            raise Unread("invalid_grades: The expected grades must be numbers from 0 to 100.")
        return {item: float(grade) for item, grade in opened.items()}
    return dict.fromkeys(ranked(value), 1.0)


def _id(item: JSON) -> str:
    """The id of an item: the item itself, or the member `id` of an object."""
    return text_or_json(item["id"] if isinstance(item, dict) and "id" in item else item)


def detail(config: RetrievalConfig, actual: JSON, expected: JSON) -> dict[str, Any]:
    items = ranked(actual)
    blocks: dict[str, Any] = {"compared": explain.compared("\n".join(items), text_or_json(expected))}
    try:
        grades = judged(expected)
    except Unread as error:
        return blocks | {"note": str(error)}
    if not any(grade >= 1 for grade in grades.values()):
        return blocks | {"note": "Nothing is relevant for this example."}
    value = _value(config, items, grades)
    relevant = sum(grade >= 1 for grade in grades.values())
    hits = [rank for rank, item in enumerate(items[: config.k], 1) if grades.get(item, 0) >= 1]
    where = ", ".join(map(str, hits[:20])) or "none"
    cut = f" in the first {config.k}" if config.k else ""
    formula = (
        f"{len(hits)} of {relevant} relevant{cut} (at {where}): {config.measure} = {explain.number(value)}"
    )
    return blocks | {"formula": formula + explain.against(value, config.threshold)}


retrieval = Kind(
    key="retrieval",
    title="Retrieval",
    family=Family.STRUCTURE,
    summary="A ranked list against the relevant ids",
    description="How well a ranked list of ids finds the relevant ones: recall, precision, hit, reciprocal rank, "
    "average "
    "precision or nDCG of its first k. The output is a list (JSON, or an id a line), the reference a list or grades.",
    source="trec_eval, as ir_measures gives it: R@k, P@k, Success@k, RR@k, AP@k, nDCG@k.",
    version=1,
    Config=RetrievalConfig,
    score=score,
    detail=detail,
    reads_text=False,
    reads_json=True,
)
