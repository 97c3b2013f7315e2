"""Agreement of evaluators on the outputs of a comparison."""

import numpy as np
import pytest
from scipy import stats

from evaluations.comparisons import evaluator_agreement
from evaluations.comparisons.comparison import Comparison
from tests.comparisons import columns

SIZE = 120


@pytest.fixture
def scores():
    """Scores of each variant by a similarity, and by edits: with noise, few edits where the similarity is high."""
    chance = np.random.default_rng(8)
    similar = [chance.uniform(0, 1, SIZE) for _ in "ab"]
    edits = [np.round(20 * (1 - similarity) + chance.uniform(0, 6, SIZE)) for similarity in similar]
    return {"a": [similar[0], edits[0]], "b": [similar[1], edits[1]]}


def compared(project, scores, metadata=()) -> Comparison:
    experiment = columns.experiment(project, SIZE, ["rouge_l", "levenshtein_distance"], metadata)
    runs = [columns.run(experiment, name, run_scores) for name, run_scores in scores.items()]
    return Comparison(runs, runs[0])


@pytest.mark.long
def test_evaluators_are_correlated_over_all_outputs(project, scores):
    comparison = compared(project, scores)

    correlations = evaluator_agreement.pair(comparison, *comparison.evaluators).scores

    x, y = (np.concatenate([scores[name][n] for name in "ab"]) for n in (0, 1))
    assert correlations.n == 2 * SIZE
    assert correlations.pearson.value == pytest.approx(-stats.pearsonr(x, y).statistic, abs=1e-12)
    assert correlations.kendall.value == pytest.approx(-stats.kendalltau(x, y).statistic, abs=1e-12)
    assert correlations.kendall.interval[0] < correlations.kendall.value < correlations.kendall.interval[1]


@pytest.mark.long
def test_differences_from_the_baseline_are_correlated_apart(project, scores):
    comparison = compared(project, scores)

    correlations = evaluator_agreement.pair(comparison, *comparison.evaluators).differences

    x, y = (scores["b"][n] - scores["a"][n] for n in (0, 1))
    assert correlations.spearman.value == pytest.approx(-stats.spearmanr(x, y).statistic, abs=1e-12)


def test_an_unanswered_example_counts_nowhere(project, scores):
    for values in scores["b"]:
        values[:50] = np.nan

    comparison = compared(project, scores)

    assert evaluator_agreement.matrix(comparison).pairs[0][2].n == 2 * SIZE - 50


@pytest.mark.long
def test_the_largest_disagreement_comes_first(project, scores):
    scores["b"][0][6], scores["b"][1][6] = 0.999, 500  # the most similar, with the most edits
    comparison = compared(project, scores)

    first = evaluator_agreement.pair(comparison, *comparison.evaluators).disagreements[0]

    assert (first.position, comparison.sides[first.side_index].run.variant) == (7, "b")
    assert first.scores == (0.999, 500)
    assert first.gap > 0.9
    assert first.ranks == (1, 2 * SIZE)


def test_of_many_outputs_a_sample_is_looked_at(project, scores, monkeypatch):
    monkeypatch.setattr(evaluator_agreement, "MOST_SCORES", 100)

    matrix = evaluator_agreement.matrix(compared(project, scores))

    assert (matrix.examples, matrix.total, matrix.pairs[0][2].n) == (50, SIZE, 100)


@pytest.mark.long
def test_examples_of_a_cluster_are_drawn_together(project, scores):
    metadata = [{"page": n // 6} for n in range(SIZE)]
    for values in (column for run_scores in scores.values() for column in run_scores):
        values[:] = np.repeat(values[::6], 6)
    alone = compared(project, scores)
    together = compared(project, scores, metadata)

    widths = [
        np.ptp(evaluator_agreement.pair(comparison, *comparison.evaluators).scores.pearson.interval)
        for comparison in (alone, Comparison(together.sides.runs, together.sides.runs[0], cluster="page"))
    ]

    assert widths[1] > 1.5 * widths[0]


def test_words_say_how_much_one_tells_about_the_other(project, scores):
    comparison = compared(project, scores)
    correlations = evaluator_agreement.pair(comparison, *comparison.evaluators).scores

    assert " tell you almost everything about those of Y: r +0.9" in evaluator_agreement.words(
        "X", "Y", correlations
    )


def test_unrelated_scores_tell_nothing_certain(project, scores):
    chance = np.random.default_rng(9)
    scores = {name: [chance.random(SIZE), chance.integers(0, 9, SIZE)] for name in "ab"}
    comparison = compared(project, scores)
    correlations = evaluator_agreement.pair(comparison, *comparison.evaluators).scores

    assert "nothing certain" in evaluator_agreement.words("X", "Y", correlations)
