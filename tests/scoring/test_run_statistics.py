"""Statistics of a run: counted while scoring, read from what is stored, silence as an empty answer."""

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF
from scipy.stats import pearsonr

from evaluations.experiments import experiments
from evaluations.models import Block
from evaluations.results.shown import scorings_of
from evaluations.scoring import run_counts, run_statistics
from tests import factories

pytestmark = pytest.mark.django_db
REFERENCES = ["Ham", "ham", "spam", "spam", "spam", "news"]
ANSWERS = ["ham", "spam", "spam", "SPAM", None, "something else"]


def scored(project, references, outputs, kind="label", mapping=None, **config):
    used = factories.evaluators.create(project, None, "judge", kind, config, mapping or {})
    experiment = experiments.create(project, None, "e", factories.dataset(project, references), [used])
    [scoring] = scorings_of(factories.scored_run(experiment, outputs))
    return scoring


def values(figures) -> dict[str, float]:
    return {shown.name: shown.value for shown in figures.statistics}


def test_labels_are_those_of_the_references_the_most_frequent_first(project):
    scoring = scored(project, REFERENCES, ANSWERS)

    table = run_statistics.of_scoring(scoring).table

    assert list(table.labels) == ["spam", "Ham", "news"]
    assert table.counts == [[2, 0, 0, 1], [1, 1, 0, 0], [0, 0, 0, 1]]


def test_labels_of_the_evaluator_keep_their_order(project):
    scoring = scored(project, REFERENCES, ANSWERS, labels=["news", "ham", "spam"])

    assert run_statistics.of_scoring(scoring).table.counts == [[0, 0, 0, 1], [0, 1, 1, 0], [0, 0, 2, 1]]


def test_statistics_and_figures_of_labels(project):
    figures = run_statistics.of_scoring(scored(project, REFERENCES, ANSWERS))

    assert values(figures) == pytest.approx(
        {
            "accuracy": 3 / 6,
            "macro_f1": (4 / 6 + 2 / 3 + 0) / 3,
            "weighted_f1": (3 * 4 / 6 + 2 * 2 / 3 + 0) / 6,
            "balanced_accuracy": (2 / 3 + 1 / 2 + 0) / 3,
            "mcc": (6 * 3 - 11) / ((36 - 9 - 1 - 4) * (36 - 9 - 4 - 1)) ** 0.5,
            "kappa": (3 - 11 / 6) / (6 - 11 / 6),
        }
    )
    spam = figures.labels[0]
    assert (spam.precision, spam.recall, spam.f1) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert (spam.support, spam.answered, spam.hits) == (3, 3, 2)


def test_one_of_several_right_answers_is_booked_where_it_was_hit(project):
    mapping = {"expected": {"path": "$.reference.answer", "many": "any"}}
    scoring = scored(
        project,
        [["ham", "news"], ["spam", "ham"], "spam", "news"],
        ["news", "x", "spam", "x"],
        "label",
        mapping,
    )

    table = run_statistics.of_scoring(scoring).table

    assert (list(table.labels), table.counts) == (["news", "spam"], [[1, 0, 1], [0, 1, 1]])


def test_labels_found_are_frozen_in_the_scoring(project):
    scoring = scored(project, REFERENCES, ANSWERS)

    assert list(scoring.summary["labels"]) == ["spam", "Ham", "news"]


def test_a_headline_is_in_the_summary(project):
    scoring = scored(project, REFERENCES, ANSWERS, headline="f1", headline_label="HAM")

    headline = scoring.summary["headline"]
    assert (headline["name"], headline["value"]) == ("f1:HAM", pytest.approx(2 / 3))
    low, high = headline["interval"]
    assert 0 <= low < 2 / 3 < high <= 1


def test_scores_without_stored_counts_are_read_again(project, monkeypatch):
    scoring = scored(project, REFERENCES, ANSWERS)
    before = run_statistics.of_scoring(scoring)
    Block.objects.update(counts=None)

    assert run_statistics.of_scoring(scoring) == before
    monkeypatch.setattr(run_counts, "MOST_READ", 3)
    with pytest.raises(run_counts.NoCounts, match="score the run again"):
        run_statistics.of_scoring(scoring)


def test_references_with_too_many_labels_have_no_statistics(project, monkeypatch):
    monkeypatch.setattr(run_counts, "MOST_LABELS", 2)
    scoring = scored(project, REFERENCES, ANSWERS)

    with pytest.raises(run_counts.NoCounts, match="more than"):
        run_statistics.of_scoring(scoring)


TEXTS = ["the cat sat on the mat", "a dog ran home today", "they saw a house"]
OUTPUTS = ["the cat sat on a mat", None, "they saw a big house"]


@pytest.mark.parametrize(
    ("kind", "headline", "oracle"),
    [("sentence_bleu", "corpus_bleu", BLEU()), ("chrf", "corpus_chrf", CHRF())],
)
def test_corpus_scores_are_sacrebleus_with_silence_as_an_empty_text(project, kind, headline, oracle):
    scoring = scored(project, TEXTS, OUTPUTS, kind, headline=headline)

    figures = run_statistics.of_scoring(scoring)

    expected = oracle.corpus_score([text or "" for text in OUTPUTS], [TEXTS]).score / 100
    assert values(figures) == {headline: pytest.approx(expected, abs=1e-9)}
    assert figures.signature == oracle.get_signature().format()
    assert scoring.summary["headline"]["value"] == pytest.approx(expected, abs=1e-9)


def test_the_corpus_error_rate_is_jiwers(project):
    """jiwer 4.0.0: wer(references, answers) is 0.5, with the second answer empty 0.583…"""
    references = ["the cat sat on the mat", "a b c", "hello world", "one"]
    answers = ["the cat sat on mat", "a x c d", "hello", "two three"]

    first = scored(project, references, answers, "error_rate", headline="corpus_error_rate")

    assert first.summary["headline"]["value"] == pytest.approx(0.5, abs=1e-12)
    answers[1] = None
    run = factories.scored_run(first.run.experiment, answers, "v2")
    assert scorings_of(run)[0].summary["headline"]["value"] == pytest.approx(0.5833333333333334, abs=1e-12)


def test_the_correlation_is_scipys_and_silence_is_ordered_the_wrong_way_round(project):
    grades = [0.0, 1.2, 2.4, 3.0, 4.4, 5.0]
    cosines = ["0.1", "0.35", "-0.2", "0.8", "0.7", "0.95"]
    config = {"highest": 5.0, "output_lowest": 0.0, "output_highest": 1.0, "headline": "correlation"}

    first = scored(project, grades, cosines, "number_closeness", **config)

    numbers = [float(cosine) for cosine in cosines]
    assert first.summary["headline"]["value"] == pytest.approx(pearsonr(numbers, grades).statistic, abs=1e-6)

    run = factories.scored_run(first.run.experiment, [*cosines[:-1], None], "v2")

    x, y = np.array(numbers[:-1]), np.array(grades[:-1])
    turned = [*x, x.mean() - x.std() / y.std() * (grades[-1] - y.mean())]
    value = scorings_of(run)[0].summary["headline"]["value"]
    assert value == pytest.approx(pearsonr(turned, grades).statistic, abs=1e-6)


def test_the_weighted_kappa_is_that_of_the_table_of_grades(project):
    grades, said = [2, 3, 8, 8, 9, 12, 4], [2, 4, 7, 8, 12, 10, 6]

    first = scored(
        project,
        grades,
        [str(one) for one in said],
        "number_closeness",
        lowest=2,
        highest=12,
        headline="weighted_kappa",
    )

    table = np.zeros((13, 13))
    np.add.at(table, (grades, said), 1)
    weights = np.subtract.outer(np.arange(13), np.arange(13)) ** 2
    by_chance = np.outer(table.sum(axis=1), table.sum(axis=0)) / len(grades)
    kappa = 1 - (weights * table).sum() / (weights * by_chance).sum()
    assert first.summary["headline"]["value"] == pytest.approx(kappa, abs=1e-9)


def test_the_mean_absolute_error_is_in_the_unit_of_the_references(project):
    said = ["120", "260.5", "", "310"]

    first = scored(
        project,
        [100, 250, 300, 200],
        said,
        "number_closeness",
        lowest=100,
        highest=300,
        headline="mean_absolute_error",
    )

    assert first.summary["headline"]["value"] == pytest.approx((20 + 10.5 + 200 + 110) / 4)


@pytest.mark.parametrize("headline", ["correlation", "weighted_kappa"])
def test_outputs_that_are_all_the_same_agree_with_no_grades(project, headline):
    grades = [0.1, 0.2, 0.4, 1.0]

    same = scored(project, grades, ["0.7"] * 4, "number_closeness", headline=headline)

    assert same.summary["headline"]["value"] == 0
