"""Agreement of evaluators on the order of a dataset's variants."""

import numpy as np
import pytest

from evaluations.comparisons.over_time.system_agreement import system_agreement
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from evaluations.statistics import systems
from tests.comparisons import columns

pytestmark = pytest.mark.django_db
CHANCE = np.random.default_rng(8)
HUMAN = np.clip(np.arange(4)[:, None] * 0.15 + CHANCE.normal(0.3, 0.1, (4, 80)), 0, 1)
CLOSE = np.clip(HUMAN + CHANCE.normal(0, 0.05, HUMAN.shape), 0, 1)
NOISE = CHANCE.random(HUMAN.shape)


@pytest.fixture
def experiment(project):
    return columns.experiment(project, 80, ["value", "rouge_l", "chrf"])


def fill(experiment, human=HUMAN, close=CLOSE, noise=NOISE):
    for number in range(len(human)):
        columns.run(experiment, f"v{number}", [human[number], close[number], noise[number]])


def ids(experiment):
    return [version.evaluator_id for version in experiments.versions_of(experiment)]


def test_the_figures_equal_the_definitions(experiment):
    fill(experiment)
    human, close, noise = ids(experiment)

    agreement = system_agreement(experiment.dataset, str(human))

    by_evaluator = {row.evaluator: row for row in agreement.rows}
    means = HUMAN.mean(axis=1)
    for pk, scores in ((close, CLOSE), (noise, NOISE)):
        assert by_evaluator[pk].accuracy == systems.pairwise_accuracy(means, scores.mean(axis=1))
        assert by_evaluator[pk].correlation == pytest.approx(systems.correlation(means, scores.mean(axis=1)))
    assert agreement.rows[0].evaluator == close
    assert by_evaluator[noise].p is not None


def test_an_evaluator_of_which_less_is_better_is_turned_round(project):
    experiment = columns.experiment(project, 80, ["value", "levenshtein_distance"])
    for number in range(4):
        columns.run(experiment, f"v{number}", [HUMAN[number], 1 - HUMAN[number]])

    [row] = system_agreement(experiment.dataset, str(ids(experiment)[0])).rows

    assert (row.accuracy, row.soft_accuracy) == (1, 1)


def test_examples_that_one_variant_lacks_are_left_out(experiment):
    close = CLOSE.copy()
    close[0, :5] = np.nan
    fill(experiment, close=close)
    human, better, noise = ids(experiment)

    rows = {row.evaluator: row for row in system_agreement(experiment.dataset, str(human)).rows}

    assert (rows[better].examples, rows[noise].examples) == (75, 80)


def test_evaluators_are_compared_over_examples_scored_by_both(experiment):
    close = CLOSE.copy()
    close[0, :5] = np.nan
    fill(experiment, close=close)
    human, _, noise = ids(experiment)

    rows = {row.evaluator: row for row in system_agreement(experiment.dataset, str(human)).rows}

    means = [scores[:, 5:].mean(axis=1) for scores in (HUMAN, CLOSE, NOISE)]
    behind = systems.correlation(means[0], means[1]) - systems.correlation(means[0], means[2])
    assert rows[noise].behind == pytest.approx(behind)
    assert rows[noise].p < 1


def test_of_many_examples_a_sample_is_looked_at_that_evaluators_share(experiment, monkeypatch):
    monkeypatch.setattr("evaluations.comparisons.over_time.system_agreement.MOST_EXAMPLES", 40)
    close = CLOSE.copy()
    close[0, :5] = np.nan
    fill(experiment, close=close)
    human, _, noise = ids(experiment)

    rows = {row.evaluator: row for row in system_agreement(experiment.dataset, str(human)).rows}

    assert {row.examples for row in rows.values()} == {40}
    assert rows[noise].p is not None


def test_an_evaluator_that_gives_all_the_same_score_agrees_with_nothing(experiment):
    fill(experiment, noise=np.full(HUMAN.shape, 0.5))
    human, _, constant = ids(experiment)

    rows = {row.evaluator: row for row in system_agreement(experiment.dataset, str(human)).rows}

    assert (rows[constant].accuracy, rows[constant].correlation) == (0, 0)


def test_variants_with_the_same_scores_are_tied_for_everybody(experiment):
    fill(experiment, *(np.repeat(scores[:1], 3, axis=0) for scores in (HUMAN, CLOSE, NOISE)))
    human = ids(experiment)[0]

    rows = system_agreement(experiment.dataset, str(human)).rows

    assert {(row.accuracy, row.soft_accuracy) for row in rows} == {(1, 1)}


def test_an_evaluator_that_scored_only_some_variants_is_left_out(experiment):
    fill(experiment, HUMAN[:3], CLOSE[:3], NOISE[:3])
    human, close, _ = ids(experiment)
    changed = evaluators.change(experiments.versions_of(experiment)[2].evaluator, None, config={"beta": 3})
    experiments.link(experiment, experiments.newest([changed]))
    columns.run(experiment, "v3", [HUMAN[3], CLOSE[3], NOISE[3]])

    assert [row.evaluator for row in system_agreement(experiment.dataset, str(human)).rows] == [close]


def test_two_variants_are_too_few(experiment):
    fill(experiment, HUMAN[:2], CLOSE[:2], NOISE[:2])

    agreement = system_agreement(experiment.dataset, str(ids(experiment)[0]))

    assert agreement.rows == []
    assert agreement.reason
