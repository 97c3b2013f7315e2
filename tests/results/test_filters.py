"""Conditions on several evaluators, metadata and texts, which must all hold."""

import numpy as np
import pytest

from evaluations.datasets import datasets
from evaluations.datasets.metadata import with_metadata
from evaluations.experiments import experiments
from evaluations.models import Run, Scoring
from evaluations.results import results
from evaluations.results.filters import Filters, ScoreFilter
from evaluations.results.shown import scorings_of
from evaluations.scoring import coverage
from evaluations.values import Status
from tests import factories

pytestmark = pytest.mark.django_db
ROWS = [("Paris", "legal"), ("Rome", "Legal"), ("Oslo", 7), ("Bonn", {"topic": "legal"})]


@pytest.fixture
def run(project) -> Run:
    """A run with a right, a wrong, a nearly right and a missing output."""
    examples = [{"reference": {"a": text}, "metadata": {"topic": topic}} for text, topic in ROWS]
    dataset = datasets.create(project, None, "mixed", examples)
    evaluators = [factories.evaluator(project, kind) for kind in ("exact_match", "levenshtein_distance")]
    experiment = experiments.create(project, None, "mixed", dataset, evaluators)
    return factories.scored_run(experiment, ("Paris", "Lyon", "Osla", None))


def positions(run: Run, conditions: Filters, **query: object) -> list[int]:
    return [row.position for row in results.page(run, results.Query(more=conditions, **query), 10).rows]


def scorings(run: Run) -> list[Scoring]:
    return scorings_of(run)


def test_conditions_on_two_evaluators_hold_together(run):
    exact, distance = scorings(run)
    failing, near = ScoreFilter(exact, passed=False), ScoreFilter(distance, high=1)

    assert positions(run, Filters(scores=(failing,))) == [2, 3, 4]
    assert positions(run, Filters(scores=(failing, near))) == [3]


def test_a_condition_on_another_evaluator_applies_too(run):
    exact, distance = scorings(run)
    unanswered = Filters(scores=(ScoreFilter(distance, statuses=(Status.MISSING_ACTUAL,)),))

    assert positions(run, unanswered, scoring=exact, passed=False) == [4]


@pytest.mark.parametrize(
    ("value", "expected"),
    [("legal", [1]), ("Legal", [2]), ("7", [3]), ('{"topic": "legal"}', [4]), ("le", [])],
)
def test_a_metadata_value_is_that_of_its_own_column_and_no_other(run, value, expected):
    assert positions(run, Filters(metadata=(("topic", value),))) == expected


def test_a_metadata_name_that_nobody_has_chooses_nothing(run):
    assert not with_metadata(run.examples, "colour", "red", coverage.positions(run)).any()


def test_texts_and_metadata_hold_together(run):
    assert positions(run, Filters(metadata=(("topic", "legal"),), search="Paris")) == [1]
    assert positions(run, Filters(metadata=(("topic", "legal"),), search="Rome")) == []


def test_without_a_condition_every_row_is_chosen(run):
    assert np.count_nonzero(results.chosen(run, results.Query())) == 4
    assert not Filters()
