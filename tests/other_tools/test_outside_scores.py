"""Outside scores for graders without a formula."""

import pytest

from evaluations import other_tools
from evaluations.kinds.value import ValueConfig
from evaluations.other_tools import Answer, Evaluation, Grader, Item, Score, Variant


def outside(*scores: Score):
    answers = {index: Answer("a", scores={"judge": score}) for index, score in enumerate(scores)}
    variant = Variant("v", {}, [answers])
    evaluation = Evaluation("tool", "1", "e", [Item({})] * len(scores), [variant], [Grader("judge", "llm")])
    [only] = other_tools.outside_scores(evaluation)
    return only


@pytest.mark.parametrize(
    ("scores", "threshold"),
    [
        ([Score(0.9, True), Score(0.7, True), Score(0.4, False)], 0.7),
        ([Score(1.0, True), Score(0.0, False)], 0.5),
        ([Score(0.3, False), Score(0.2, False)], None),
        ([Score(0.3, True), Score(0.6, False)], None),
        ([Score(0.3), Score(0.6)], None),
    ],
)
def test_the_threshold_divides_as_the_tool_did(scores, threshold):
    assert outside(*scores).threshold == threshold


def test_verdicts_alone_are_kept_as_they_are():
    score = outside(Score(None, True), Score(None, False))

    assert (score.kept_value(Score(None, True)), score.threshold) == (True, 0.5)


@pytest.mark.parametrize(("high", "bounds"), [(1.0, (0.0, 1.0)), (7.0, (None, None))])
def test_shares_have_bounds(high, bounds):
    score = outside(Score(0.2), Score(high))

    assert (score.minimum, score.maximum) == bounds


@pytest.mark.parametrize(
    ("scores", "is_share"),
    [
        ([Score(1.0), Score(0.0)], True),
        ([Score(None, True), Score(None, False)], True),
        ([Score(1.0), Score(0.5), Score(0.0)], False),
        ([Score(1.0), Score(1.0)], False),
    ],
)
def test_scores_of_only_one_and_zero_are_shares(scores, is_share):
    score = outside(*scores)

    assert (ValueConfig(**score.config).is_pass_fail, score.threshold == 0.5) == (is_share, is_share)
