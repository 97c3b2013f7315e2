"""Runs of different datasets side by side: a file uploaded again, in another order and with changes."""

import pytest

from evaluations.access import projects
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.examples import examples
from evaluations.comparisons.examples.examples import Question
from evaluations.datasets import datasets
from evaluations.errors import Invalid
from evaluations.experiments import experiments
from evaluations.models import Run
from tests import factories

pytestmark = pytest.mark.django_db

# Without keys and in another order, as uploaded again; the first dataset has them as k1 to k4.
FIRST = ("Paris", "Rome", "Oslo", "Bern")
REORDERED = ((4, "Bern"), (9, "Riga"), (1, "Paris"), (3, "Oslo"))


@pytest.fixture
def both(project) -> list[Run]:
    """Two runs: the first is right on Paris and Oslo, the second on Bern, Riga and Oslo of its own dataset."""
    old = factories.experiment(project, "exact_match", references=FIRST)
    rows = [{"inputs": {"question": f"q{n}"}, "reference": {"answer": name}} for n, name in REORDERED]
    dataset = datasets.create(project, None, "again", rows)
    evaluators = [version.evaluator for version in old.evaluator_versions.all()]
    new = experiments.create(project, None, "again", dataset, evaluators)
    first = factories.scored_run(old, ("Paris", "Lyon", "Oslo", "Basel"), "first")
    second = factories.scored_run(new, ("Bern", "Riga", "Lyon", "Oslo"), "second")
    return [first, second]


@pytest.fixture
def comparison(both) -> Comparison:
    return Comparison(both, both[0])


def test_examples_are_compared_with_their_counterparts(comparison):
    # Paris 1-0, Oslo 1-1, Bern 0-1; nobody answered Rome in the second dataset.
    [entry] = comparison.figures.entries

    assert (entry.paired.n, entry.paired.baseline_mean, entry.paired.mean) == (3, 2 / 3, 2 / 3)
    assert (entry.paired.wins, entry.paired.losses, entry.paired.ties) == (1, 1, 1)
    assert (entry.leftover.only_baseline, entry.leftover.only_run) == (1, 0)


def test_the_other_way_round_the_other_dataset_is_the_measure(both):
    [entry] = Comparison(both, both[1]).figures.entries

    assert (entry.paired.n, entry.leftover.only_baseline) == (3, 1)


def test_examples_show_each_run_at_its_own_position(comparison):
    shown = examples.rows_at(comparison, [1, 2, 4])

    outputs = [[row.output for row in example.rows] for example in shown]
    assert outputs == [["Paris", "Lyon"], ["Lyon", None], ["Basel", "Bern"]]
    assert [len(example.rows[1].scores) for example in shown] == [1, 0, 1]


def test_filters_look_at_the_counterparts(comparison):
    evaluator = comparison.evaluators[0]

    different = examples.examples(comparison, Question(evaluator, different=True, order="position"), 50)
    with_text = examples.examples(comparison, Question(evaluator, search="Bern", order="position"), 50)
    worse = examples.examples(comparison, Question(evaluator, outcome="worse"), 50)

    assert [row.position for row in different.rows] == [1, 2, 4]
    assert [row.position for row in with_text.rows] == [4]
    assert [row.position for row in worse.rows] == [1]


def test_answers_are_counted_where_the_run_was_asked(comparison):
    answers = next(measure for measure in comparison.figures.measures.measures if measure.name == "answers")

    assert answers.comparisons[1].n == 3


def test_a_warning_says_how_examples_were_matched(comparison):
    [message] = [warning["message"] for warning in comparison.warnings if warning["code"] == "other_datasets"]

    assert "0 by key and 3 by contents" in message
    assert "1 is excluded" in message


def test_runs_of_two_projects_are_not_compared(both, alice):
    elsewhere = factories.experiment(projects.create("Second", alice))
    stranger = factories.run(elsewhere)

    with pytest.raises(Invalid) as refusal:
        Comparison([both[0], stranger], both[0])

    assert refusal.value.code == "not_comparable"
