"""Scoring of batches with nulls, errors and long texts."""

import numpy as np
import pytest

from evaluations import kinds
from evaluations.kinds import Column, Scores, Status
from tests.kinds.test_catalogue import configured

NEEDS_NOTHING = [
    kind for kind in kinds.CATALOGUE.values() if "expected" in kind.parameters and not kind.needs_connection
]
every_offline_kind = pytest.mark.parametrize("kind", NEEDS_NOTHING, ids=lambda kind: kind.key)


def columns(actual, expected):
    return {"actual": Column(actual), "expected": Column(expected)}


@every_offline_kind
def test_a_null_side_is_missing_and_the_expected_one_is_named_first(kind):
    scores = kind.evaluate(configured(kind), columns([None, "1", None], ["1", None, None]))

    words = [Status(status).word for status in scores.status]
    assert words == ["missing_actual", "missing_expected", "missing_expected"]


@every_offline_kind
def test_a_column_without_a_value_gives_its_status_and_message(kind):
    failures = {0: (Status.UNMAPPED, "unmapped: $.a matched nothing."), 1: (Status.ERROR, "bad: No.")}
    sides = {"actual": Column([None, None, "1"], failures), "expected": Column(["1", None, "1"])}
    if kind.key == "tool_calls":  # Its reference is a list of calls.
        sides["expected"] = Column([[], None, []])
    if kind.key == "checks":  # Its reference is a list of checks.
        sides["expected"] = Column([None, None, [{"type": "equals", "value": "1"}]])

    scores = kind.evaluate(configured(kind), sides)

    assert scores.status.tolist() == [Status.UNMAPPED, Status.ERROR, Status.SCORED]
    assert scores.messages == {0: "unmapped: $.a matched nothing.", 1: "bad: No."}
    assert np.isnan(scores.values[:2]).all()
    assert scores.passed[:2].tolist() == [-1, -1]


@every_offline_kind
def test_a_batch_of_no_rows_gives_no_scores(kind):
    assert len(kind.evaluate(configured(kind), columns([], []))) == 0


@every_offline_kind
def test_a_batch_in_which_nothing_can_be_compared_is_no_error(kind):
    scores = kind.evaluate(configured(kind), columns([None], ["1"]))

    assert scores.status.tolist() == [Status.MISSING_ACTUAL]


@pytest.mark.parametrize("kind", [kind for kind in NEEDS_NOTHING if kind.key != "levenshtein_similarity"])
@pytest.mark.parametrize("side", ["actual", "expected"])
def test_a_text_over_100_000_characters_is_an_error_where_nothing_is_cut(kind, side):
    sides = columns(["1"], ["1"]) | {side: Column(["1" * 100_001])}

    scores = kind.evaluate(configured(kind), sides)

    assert scores.status.tolist() == [Status.ERROR]
    assert scores.messages[0].startswith("too_long: ")


def test_cutting_counts_rows_not_texts(evaluate):
    scores = evaluate("levenshtein_distance", [("abc", "abd"), ("ab", "abx"), ("a", "b")], max_characters=2)

    assert scores.values.tolist() == [0, 0, 1]
    assert scores.truncated == 2


def test_kinds_that_share_a_batch_give_the_scores_they_give_alone():
    long_text = "the quick brown fox " * 100
    too_long = "x" * 100_001  # where it is not cut
    sides = columns(
        [long_text, long_text.upper(), "Ab", None, long_text[:-7], too_long],
        [long_text[5:], long_text, "aB", "x", long_text, long_text],
    )
    shared = {}
    for key in ("levenshtein_similarity", "levenshtein_distance", "similarity_match", "content_similarity"):
        kind = kinds.get(key)

        together = kind.evaluate(kind.parse({}), sides, shared=shared)

        alone = kind.evaluate(kind.parse({}), sides)
        np.testing.assert_array_equal(together.values, alone.values)


def test_an_evaluator_that_cuts_does_not_disturb_one_that_does_not():
    sides, shared = columns(["abcdefgh" * 200], ["abcdxfgh" * 200]), {}
    kind = kinds.get("levenshtein_distance")

    kind.evaluate(kind.parse({"max_characters": 3}), sides, shared=shared)

    assert kind.evaluate(kind.parse({}), sides, shared=shared).values.tolist() == [200]


def test_scores_refuse_infinity():
    with pytest.raises(ValueError, match="infinite"):
        Scores.scored([1.0, float("inf")])


def test_scores_refuse_a_scored_row_without_a_value():
    with pytest.raises(ValueError, match="must have a value"):
        Scores.scored([1.0, float("nan")])


def test_groups_are_put_back_in_their_order():
    scores = Scores.empty(4)
    part = Scores.scored([0.5, 0.0], np.array([True, False]), errors={1: "bad: No."})

    scores.put([3, 0], part)

    assert scores.values[3] == 0.5
    assert scores.status.tolist() == [Status.ERROR, Status.ABSENT, Status.ABSENT, Status.SCORED]
    assert scores.passed.tolist() == [-1, -1, -1, 1]
    assert scores.messages == {0: "bad: No."}


def test_taking_rows_takes_their_messages_along():
    scores = Scores.scored([0.1, 0.2, 0.3], errors={2: "bad: No."})

    two_rows = scores.take([2, 0])

    assert two_rows.messages == {0: "bad: No."}
    assert two_rows.values[1] == 0.1
