"""The kind `value`, for outside scores."""

import numpy as np
import pytest

from evaluations import kinds
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds import Column, ConfigError, Status
from evaluations.mapping import Contexts


@pytest.fixture
def kind():
    return kinds.get("value")


def scored(kind, values, **config):
    return kind.evaluate(kind.parse(config), {"actual": Column(values)})


def test_a_number_is_the_score_to_the_last_bit(kind):
    values = [0.1, -25.0, 3, 1e12]

    assert scored(kind, values).values.tolist() == values


def test_a_value_without_a_reference_has_a_score(kind):
    scores = kind.evaluate(kind.parse({}), {"actual": Column([0.5]), "expected": Column([None])})

    assert scores.values.tolist() == [0.5]


def test_what_several_raters_said_counts_by_its_mean(kind):
    numbers = scored(kind, [[4, "5"], [1, None, ""]])
    words = scored(kind, [["good", "bad"]], labels="good = 1, bad = 0")

    assert [*numbers.values, *words.values] == [4.5, 1, 0.5]


def test_a_score_that_is_missing_is_no_error(kind):
    scores = scored(kind, [None, " ", 1])

    assert scores.status.tolist() == [Status.MISSING_ACTUAL, Status.MISSING_ACTUAL, Status.SCORED]
    assert scores.messages == {}


@pytest.mark.parametrize(
    "value", ["good", "nan", "-inf", "1e400", 1e13, [], [1, "much"], {"a": 1}, "1_000", "٣"]
)
def test_a_value_that_is_no_number_is_an_error_with_a_code(kind, value):
    scores = scored(kind, [value, 1])

    assert scores.status.tolist() == [Status.ERROR, Status.SCORED]
    assert scores.messages[0].startswith("not_a_number: ")
    assert np.isnan(scores.values[0])


@pytest.mark.parametrize("value", [-0.01, 1.01, "7"])
def test_a_number_beyond_a_bound_is_an_error_and_never_cut(kind, value):
    scores = scored(kind, [value, 0, 1], minimum=0.0, maximum=1.0)

    assert scores.messages[0].startswith("out_of_bounds: ")
    assert scores.values[1:].tolist() == [0, 1]


def test_one_bound_alone_holds(kind):
    scores = scored(kind, [-1, 5_000], minimum=0.0)

    assert scores.status.tolist() == [Status.ERROR, Status.SCORED]


def test_labels_are_the_numbers_they_were_given(kind):
    scores = scored(kind, ["Good", "bad ", "0.7", "poor"], labels="good = 1, bad = -1")

    assert scores.values[:3].tolist() == [1, -1, 0.7]
    assert list(scores.messages) == [3]


@pytest.mark.parametrize("labels", ["good", "good = much", "= 1", "good = 1, bad"])
def test_labels_without_numbers_are_refused(kind, labels):
    with pytest.raises(ConfigError) as refused:
        kind.parse({"labels": labels})

    assert refused.value.problems[0][0] == "/labels"


def test_bounds_in_the_wrong_order_are_refused(kind):
    with pytest.raises(ConfigError):
        kind.parse({"minimum": 1.0, "maximum": 0.0})


def test_the_config_says_whether_less_is_better(kind):
    assert kind.better(kind.parse({"direction": "minimize"})) == "minimize"
    assert kind.better(kind.parse({})) == "maximize"


@pytest.mark.parametrize(("direction", "passed"), [("maximize", [0, 1, 1]), ("minimize", [1, 1, 0])])
def test_a_threshold_passes_on_the_better_side_and_at_itself(kind, direction, passed):
    scores = scored(kind, [1, 2, 3], direction=direction, threshold=2.0)

    assert scores.passed.tolist() == passed


def test_an_outside_score_needs_no_reference_mapping():
    recipe = Recipe.compile("value", {}, {"actual": {"path": "$.metadata.mqm"}})
    contexts = Contexts(output=["a", "b"], metadata=[{"mqm": "-1.5"}, {}])

    scores = recipe.scores(contexts)

    assert recipe.needs == {"metadata"}
    assert scores.values[0] == -1.5
    assert scores.status[1] == Status.UNMAPPED
    assert recipe.explain(contexts, 0)["formula"] == "−1.5000"
