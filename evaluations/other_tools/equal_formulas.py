"""Finds graders that can become evaluators, because a formula gives the tool's score for every answer in the file.

A name proves nothing: a candidate formula is computed with the kind's own code and compared answer by answer. Failed
answers have no output to compare, so they are skipped.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evaluations import kinds
from evaluations.numerals import grouped
from evaluations.values import Column

from .evaluation import Answer, Evaluation, Formula, Grader, Item, Score

TOLERANCE = 1e-9
NO_SCORE = Score(None)


def proven(evaluation: Evaluation) -> Evaluation:
    """The evaluation; graders that no formula reproduces have a reason instead.

    A configuration has no answers, so its formulas are taken from the definitions.
    """
    if not evaluation.variants:
        return evaluation
    return evaluation.with_graders([_proven(grader, evaluation) for grader in evaluation.graders])


def _proven(grader: Grader, evaluation: Evaluation) -> Grader:
    if grader.formula is None:
        return grader
    total = different = failed = 0
    for items, answers in _repetitions(evaluation):
        total += sum(grader.name in answer.scores for answer in answers)
        rows = _different(grader.name, grader.formula, items, answers)
        different += len(rows)
        failed += sum(answers[row].output is None for row in rows)
    if different > failed:
        title = grader.formula.title
        why = f"{title} gives a different score for {grouped(different)} of its {grouped(total)} answers"
    elif not total:
        why = "no answer in the file has a score from it, so no evaluator can be checked against it"
    elif _strips(grader.formula, evaluation.items):
        why = "Contains strips its references, and some begin or end with a blank"
    else:
        return replace(grader, failed=failed)
    return replace(grader, formula=None, why=why)


def _repetitions(evaluation: Evaluation) -> Iterator[tuple[list[Item], list[Answer]]]:
    """For each repetition, its answered items and their answers."""
    for variant in evaluation.variants:
        for answers in variant.repetitions:
            yield [evaluation.items[index] for index in answers], list(answers.values())


def _different(name: str, formula: Formula, items: list[Item], answers: list[Answer]) -> list[int]:
    """The rows with a different score, or with a score on one side only."""
    kind = kinds.get(formula.kind)
    columns = {
        "actual": Column([answer.output for answer in answers]),
        "expected": Column([item.reference.get(formula.column) for item in items]),
    }
    scores = kind.evaluate(kind.parse(formula.config), columns)
    tool_scores = [answer.scores.get(name, NO_SCORE) for answer in answers]
    passed = np.array([np.nan if score.passed is None else float(score.passed) for score in tool_scores])
    values = np.array([np.nan if score.value is None else score.value for score in tool_scores])
    ours_passed = np.where(scores.passed < 0, np.nan, scores.passed.astype(float))
    different = _unequal(ours_passed, passed) & ~np.isnan(passed)
    different |= np.isnan(scores.values) != np.isnan(values)
    if not formula.judges_only:
        different |= _unequal(scores.values, values)
    rows: list[int] = np.flatnonzero(different).tolist()
    return rows


def _unequal(evalsite_scores: NDArray[np.float64], tool_scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    return ~np.isclose(evalsite_scores, tool_scores, rtol=0, atol=TOLERANCE, equal_nan=True)


def _strips(formula: Formula, items: list[Item]) -> bool:
    """Whether `contains` would search for less than the tool does, because it strips blanks."""
    texts = [item.reference.get(formula.column) for item in items] if formula.kind == "contains" else []
    return any(isinstance(text, str) and text != text.strip() for text in texts)
