"""Recipes whose settings come from the examples."""

import pytest

from evaluations.evaluators.recipe import Recipe
from evaluations.kinds import Status
from evaluations.mapping import Contexts

TEXTS = {"actual": {"path": "output"}, "expected": {"path": "reference"}}
CASES = Contexts(
    output=["Paris", "Paris", "paris", "Paris", "Paris"],
    reference=["paris", "paris", "paris", "paris", "paris"],
    metadata=[{"strict": True}, {"strict": False}, {"strict": True}, {"strict": "perhaps"}, {}],
)


@pytest.fixture
def scores():
    mapped = TEXTS | {"case_sensitive": {"path": "metadata.strict"}}
    return Recipe.compile("exact_match", {}, mapped).scores(CASES)


def test_each_example_is_scored_with_its_own_setting(scores):
    assert scores.values[:3].tolist() == [0.0, 1.0, 1.0]


def test_a_setting_of_a_wrong_type_is_an_error_of_its_example_alone(scores):
    assert scores.status[3] == Status.ERROR
    assert scores.messages[3].startswith("invalid_config")


def test_an_example_without_the_setting_has_no_score(scores):
    assert [code == Status.SCORED for code in scores.status] == [True, True, True, False, False]


def test_the_explanation_of_an_example_uses_its_setting():
    mapped = TEXTS | {"case_sensitive": {"path": "metadata.strict"}}
    recipe = Recipe.compile("exact_match", {}, mapped)
    assert recipe.explain(CASES, 0) != recipe.explain(CASES, 1)


def test_settings_of_single_examples_leave_no_corpus_score():
    mapped = TEXTS | {"lowercase": {"path": "metadata.strict"}}
    are_corpora = [Recipe.compile("sentence_bleu", {}, used).is_corpus for used in (mapped, TEXTS)]
    assert are_corpora == [False, True]


def test_counts_of_examples_with_different_settings_are_not_stored():
    mapped = TEXTS | {"lowercase": {"path": "metadata.strict"}}
    assert Recipe.compile("sentence_bleu", {}, mapped).scores(CASES).counts is None
