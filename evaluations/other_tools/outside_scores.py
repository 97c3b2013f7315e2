"""Outside scores for graders without a formula: one number for each answer, and the threshold."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from evaluations.kinds.value import ONE_AND_ZERO, TRUE_AND_FALSE
from evaluations.values import JSON

from .evaluation import Evaluation, Grader, Score


@dataclass(frozen=True)
class OutsideScore:
    """The config of the kind `value`. If a grader gives only verdicts, the scores are 1 and 0.

    `is_verdict`: each score is 1 or 0, so that its mean is a share of answers.
    `threshold` separates passes from failures as in the tool; None if no number separates them.
    """

    grader: str
    has_values: bool
    is_verdict: bool
    threshold: float | None
    minimum: float | None
    maximum: float | None

    @property
    def config(self) -> dict[str, JSON]:
        words = ONE_AND_ZERO if self.has_values else TRUE_AND_FALSE
        bounds: dict[str, JSON] = {"minimum": self.minimum, "maximum": self.maximum}
        return bounds | {"labels": words if self.is_verdict else None, "threshold": self.threshold}

    def kept_value(self, score: Score) -> JSON:
        """The value stored with an output."""
        return score.value if self.has_values else score.passed


def outside_scores(evaluation: Evaluation) -> Iterator[OutsideScore]:
    """An outside score for each grader that has scores and no formula."""
    for grader in evaluation.graders:
        scores = list(_scores(grader, evaluation))
        if not grader.formula and scores:
            yield _outside_score(grader.name, scores)


def _scores(grader: Grader, evaluation: Evaluation) -> Iterator[Score]:
    for variant in evaluation.variants:
        for answers in variant.repetitions:
            yield from (
                answer.scores[grader.name] for answer in answers.values() if grader.name in answer.scores
            )


def _outside_score(name: str, scores: list[Score]) -> OutsideScore:
    if any(score.value is None and score.passed is not None for score in scores):
        return OutsideScore(name, False, True, 0.5, 0.0, 1.0)
    values = [score.value for score in scores if score.value is not None]
    is_share = bool(values) and min(values) >= 0 and max(values) <= 1
    low, high = (0.0, 1.0) if is_share else (None, None)
    is_verdict = {*values} == {0.0, 1.0}
    threshold = 0.5 if is_verdict and all(score.passed is None for score in scores) else _threshold(scores)
    return OutsideScore(name, True, is_verdict, threshold, low, high)


def _threshold(scores: Iterable[Score]) -> float | None:
    """The lowest passing number, if all failing ones are lower; halfway if the scores are 1 and 0."""
    judged = [(score.value, score.passed) for score in scores if score.value is not None]
    passed = [value for value, verdict in judged if verdict is True]
    failed = [value for value, verdict in judged if verdict is False]
    if not passed and not failed:
        return None
    if {*passed} <= {1.0} and {*failed} <= {0.0}:
        return 0.5
    if not passed or max(failed, default=min(passed) - 1) >= min(passed):
        return None
    return min(passed)
