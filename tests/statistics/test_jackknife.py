"""Contributions to run statistics: the jackknife computed by leaving out, one after the other."""

import math

import numpy as np
import pytest
from sacrebleu.metrics import BLEU

from evaluations.kinds import get
from evaluations.metrics import label_tables
from evaluations.statistics import jackknife
from evaluations.values import Column

CHANCE = np.random.default_rng(5)
REFERENCES = CHANCE.choice(3, 60, p=[0.6, 0.3, 0.1])
ANSWERS = np.where(CHANCE.random(60) < 0.7, REFERENCES, CHANCE.choice(4, 60))
VECTORS = label_tables.cells(REFERENCES, ANSWERS, 3)
EVERY = np.arange(60)
CLUSTERS = CHANCE.choice(9, 60)


def macro_f1(chosen) -> float:
    return float(label_tables.macro_f1(VECTORS[chosen].sum(axis=0)[None, :])[0])


def test_contributions_are_those_of_leaving_out_one_example_after_the_other():
    whole = macro_f1(EVERY)
    without = [macro_f1(n != EVERY) for n in EVERY]
    middle = sum(without) / 60

    expected = [whole + 59 * (middle - one) for one in without]

    computed = jackknife.contributions(VECTORS, EVERY, label_tables.macro_f1)
    assert computed == pytest.approx(expected, abs=1e-12)
    assert computed.mean() == pytest.approx(whole, abs=1e-12)


def test_the_spread_of_contributions_is_the_jackknifes():
    without = [macro_f1(n != EVERY) for n in EVERY]
    variance = 59 / 60 * sum((one - sum(without) / 60) ** 2 for one in without)

    estimate = jackknife.estimate(VECTORS, EVERY, label_tables.macro_f1)

    assert estimate.sd / math.sqrt(60) == pytest.approx(math.sqrt(variance), abs=1e-12)


def test_equal_examples_may_share_a_vector():
    distinct, index = np.unique(VECTORS, axis=0, return_inverse=True)

    shared = jackknife.contributions(distinct, index.ravel(), label_tables.macro_f1)

    assert shared == pytest.approx(jackknife.contributions(VECTORS, EVERY, label_tables.macro_f1), abs=1e-12)
    first, second = (
        jackknife.estimate(vectors, rows, label_tables.macro_f1)
        for vectors, rows in ((VECTORS, EVERY), (distinct, index.ravel()))
    )
    assert (first.sd, first.skewness) == pytest.approx((second.sd, second.skewness))


def test_contributions_to_a_mean_are_the_scores():
    computed = jackknife.contributions(VECTORS, EVERY, label_tables.accuracy, CLUSTERS)

    assert computed == pytest.approx((REFERENCES == ANSWERS).astype(float), abs=1e-12)


def test_contributions_of_clusters_are_those_of_leaving_out_whole_clusters():
    sizes = np.bincount(CLUSTERS)
    without = np.array([macro_f1(cluster != CLUSTERS) for cluster in range(9)])
    middle = ((60 - sizes) * without).sum() / (60 - sizes).sum()

    computed = jackknife.contributions(VECTORS, EVERY, label_tables.macro_f1, CLUSTERS)

    sums = np.bincount(CLUSTERS, computed)
    expected = sizes * macro_f1(EVERY) + (60 - sizes) * (middle - without)
    assert sums == pytest.approx(expected, abs=1e-10)
    assert computed.mean() == pytest.approx(macro_f1(EVERY), abs=1e-12)


def test_corpus_bleu_is_left_out_sentence_by_sentence_as_sacrebleu_would():
    references = ["the cat sat on the mat today", "a dog ran home in the rain", "they saw a small red house"]
    answers = ["the cat sat on a mat today", "the dog ran home in rain", "they saw a small house"]
    kind = get("sentence_bleu")
    config = kind.parse({"headline": "corpus_bleu"})
    counting = kind.counting(config, ())
    counts = kind.evaluate(config, {"actual": Column(answers), "expected": Column(references)}).counts
    tallies = counting.tallies(counts)

    computed = jackknife.contributions(tallies.vectors, tallies.index, counting.statistic("corpus_bleu").of)

    def bleu(chosen):
        texts = [[side[n] for n in chosen] for side in (answers, references)]
        return BLEU(force=True).corpus_score(texts[0], [texts[1]]).score / 100

    without = [bleu([m for m in range(3) if m != n]) for n in range(3)]
    expected = [bleu(range(3)) + 2 * (sum(without) / 3 - one) for one in without]
    assert computed == pytest.approx(expected, abs=1e-9)


def test_nothing_has_no_statistic():
    assert jackknife.estimate(VECTORS, EVERY[:0], label_tables.macro_f1) is None
    assert len(jackknife.contributions(VECTORS, EVERY[:0], label_tables.macro_f1)) == 0


def test_batches_do_not_change_the_figures(monkeypatch):
    before = jackknife.contributions(VECTORS, EVERY, label_tables.macro_f1, CLUSTERS)
    monkeypatch.setattr(jackknife, "AT_ONCE", 40)

    assert jackknife.contributions(VECTORS, EVERY, label_tables.macro_f1, CLUSTERS) == pytest.approx(before)
