"""Stacked filters as parameters of an address, the same for pages, API and exports.

`min[3]=0.8&passed[exact match]=false&status[3]=error&metadata[topic]=law`: the brackets contain an evaluator, by id or
name, or a metadata column. For an evaluator of labels `reference[3]=spam&read[3]=ham` are the examples with the label
spam that were read as ham, `outside[3]=true` those whose answer is none of the labels. All conditions must hold; if a
status or a metadata column is repeated, one of its values must.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from evaluations.errors import Invalid
from evaluations.evaluators.evaluators import by_id_or_name
from evaluations.evaluators.recipe import Recipe
from evaluations.models import Scoring
from evaluations.numerals import is_number
from evaluations.statistics.ordering import Verdict

from .filters import Filters, ScoreFilter
from .results import WORDS

MOST_FILTERS = 50  # parameters of one address
VERDICTS: dict[str, Verdict] = {"true": True, "false": False, "neither": "neither"}
CONDITIONS = ("min", "max", "passed", "status", "reference", "read", "outside", "metadata")

Pairs = Sequence[tuple[str, str]]


def is_filter(name: str) -> bool:
    """Whether a parameter is one of these filters.

    >>> is_filter("min[3]"), is_filter("metadata[a]b]"), is_filter("min"), is_filter("mean[3]")
    (True, True, False, False)
    """
    condition, bracket, subject = name.partition("[")
    return condition in CONDITIONS and bool(bracket) and subject.endswith("]") and len(subject) > 1


def is_metadata(name: str) -> bool:
    """Whether it filters by a metadata column.

    >>> is_metadata("metadata[topic]"), is_metadata("min[3]")
    (True, False)
    """
    return is_filter(name) and name.startswith("metadata")


def parse(pairs: Pairs, scorings: Sequence[Scoring], *, strict: bool = True) -> Filters:
    """Parse the filters among these parameters. Raises `Invalid`; without `strict`, invalid ones are skipped."""
    filter_pairs = [(name, value) for name, value in pairs if is_filter(name)]
    if len(filter_pairs) > MOST_FILTERS:
        raise Invalid("invalid", f"At most {MOST_FILTERS} filters at once.")
    filters = Filters()
    for name, value in filter_pairs:
        try:
            filters = _with(filters, name, value, scorings)
        except Invalid:
            if strict:
                raise
    return filters


def _with(filters: Filters, name: str, value: str, scorings: Sequence[Scoring]) -> Filters:
    condition, _, subject = name.removesuffix("]").partition("[")
    if condition == "metadata":
        return replace(filters, metadata=(*filters.metadata, (subject, value)))
    scoring = _scoring(name, subject, scorings)
    before = next(
        (score_filter for score_filter in filters.scores if score_filter.scoring.pk == scoring.pk),
        ScoreFilter(scoring),
    )
    unchanged = tuple(score_filter for score_filter in filters.scores if score_filter is not before)
    return replace(filters, scores=(*unchanged, _narrowed(before, name, condition, value)))


def _scoring(name: str, subject: str, scorings: Sequence[Scoring]) -> Scoring:
    by_evaluator = {scoring.evaluator_version.evaluator: scoring for scoring in scorings}
    if evaluator := by_id_or_name(by_evaluator, subject):
        return by_evaluator[evaluator]
    names = ", ".join(scoring.evaluator_version.evaluator.name for scoring in scorings) or "none"
    raise _refusal(name, "unknown_evaluator", f"The run has no scores by “{subject[:200]}”; it has: {names}.")


def _narrowed(score_filter: ScoreFilter, name: str, condition: str, value: str) -> ScoreFilter:
    if condition == "status":
        if value not in WORDS:
            raise _refusal(name, "invalid_choice", f"A status must be one of {', '.join(WORDS)}.")
        return replace(score_filter, statuses=(*score_filter.statuses, WORDS[value]))
    if condition == "passed":
        if value not in VERDICTS:
            raise _refusal(name, "invalid_choice", "passed must be true, false or neither.")
        if score_filter.passed not in (None, VERDICTS[value]):
            raise _refusal(name, "invalid", "One score has only one of pass, fail and neither.")
        return replace(score_filter, passed=VERDICTS[value])
    if condition in ("reference", "read", "outside"):
        return _in_cell(score_filter, name, condition, value)
    number = float(value) if is_number(value) else math.nan
    if not math.isfinite(number):
        raise _refusal(name, "invalid", f"{condition} must be a finite number.")
    if condition == "min":
        return replace(
            score_filter, low=max(number, number if score_filter.low is None else score_filter.low)
        )
    return replace(score_filter, high=min(number, number if score_filter.high is None else score_filter.high))


def _in_cell(score_filter: ScoreFilter, name: str, condition: str, value: str) -> ScoreFilter:
    recipe = Recipe.from_version(score_filter.scoring.evaluator_version)
    if not (recipe.kind.reads_labels and recipe.has_statistics):
        raise _refusal(name, "invalid", f"{condition} filters by a label, and this evaluator has none.")
    if condition == "outside":
        if value != "true":
            raise _refusal(name, "invalid_choice", "outside must be true.")
        return replace(score_filter, cell=replace(score_filter.cell, is_outside=True))
    if condition == "reference":
        return replace(score_filter, cell=replace(score_filter.cell, reference=value))
    return replace(score_filter, cell=replace(score_filter.cell, answer=value))


def _refusal(name: str, code: str, message: str) -> Invalid:
    return Invalid(code, message, fields={name[:100]: [message]})


def pairs_of(filters: Filters) -> list[tuple[str, str]]:
    """The parameters from which `parse` would read these filters, with evaluators by id."""
    return [pair for score_filter in filters.scores for pair in _pairs_of_score(score_filter)] + [
        (f"metadata[{column}]", value) for column, value in filters.metadata
    ]


def _pairs_of_score(score_filter: ScoreFilter) -> Iterable[tuple[str, str]]:
    evaluator = score_filter.scoring.evaluator_version.evaluator_id
    if score_filter.low is not None:
        yield f"min[{evaluator}]", repr(score_filter.low)
    if score_filter.high is not None:
        yield f"max[{evaluator}]", repr(score_filter.high)
    if score_filter.passed is not None:
        yield f"passed[{evaluator}]", str(score_filter.passed).lower()
    cell = score_filter.cell
    for name, label in (("reference", cell.reference), ("read", cell.answer)):
        if label is not None:
            yield f"{name}[{evaluator}]", label
    if cell.is_outside:
        yield f"outside[{evaluator}]", "true"
    for status in score_filter.statuses:
        yield f"status[{evaluator}]", status.word
