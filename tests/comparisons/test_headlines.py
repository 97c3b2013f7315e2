"""Comparisons by run statistics: differences are those of the statistics, silence is an empty answer."""

import numpy as np
import pytest

from evaluations.comparisons import subsets
from evaluations.comparisons.comparison import Comparison
from evaluations.datasets import datasets
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from evaluations.metrics import label_tables
from tests import factories

pytestmark = pytest.mark.django_db
LABELS = ["ham", "spam", "news"]
CHANCE = np.random.default_rng(2)
SIZE = 90
REFERENCES = CHANCE.choice(3, SIZE, p=[0.5, 0.3, 0.2])
ANSWERS = [np.where(CHANCE.random(SIZE) < right, REFERENCES, CHANCE.choice(4, SIZE)) for right in (0.4, 0.9)]


def macro_f1(answers, chosen=slice(None), references=REFERENCES) -> float:
    rows = label_tables.cells(references[chosen], np.asarray(answers)[chosen], 3)
    return float(label_tables.macro_f1(rows.sum(axis=0)[None, :])[0])


def texts(answers) -> list[str]:
    return [[*LABELS, "something else"][answer] for answer in answers]


def compared(project, outputs, references=REFERENCES, repeats=False, **config):
    rows = [
        {
            "inputs": {"n": n},
            "reference": LABELS[reference],
            "metadata": {"part": "ab"[n % 2], "talk": n // 3},
        }
        for n, reference in enumerate(references)
    ]
    dataset = datasets.create(project, None, "mails", rows)
    used = evaluators.create(project, None, "label", "label", {"headline": "macro_f1"} | config, {})
    experiment = experiments.create(project, None, "e", dataset, [used])
    runs = [factories.scored_run(experiment, answers, name) for name, answers in outputs]
    return Comparison(runs, runs[0], cluster="none", repeats=repeats), used


def test_means_and_difference_are_those_of_the_statistic(project):
    comparison, _ = compared(project, [("a", texts(ANSWERS[0])), ("b", texts(ANSWERS[1]))])

    [entry] = comparison.figures.entries
    first, second = (macro_f1(answers) for answers in ANSWERS)
    assert (entry.paired.baseline_mean, entry.paired.mean) == pytest.approx((first, second))
    assert entry.paired.difference == pytest.approx(second - first)
    assert (entry.statistic, entry.paired.verdict) == ("macro_f1", "better")
    assert "label (Macro-F1)" in comparison.sentence.text
    right = [answers == REFERENCES for answers in ANSWERS]
    assert entry.paired.wins == np.count_nonzero(right[1] & ~right[0])
    assert entry.paired.losses == np.count_nonzero(right[0] & ~right[1])
    assert entry.paired.changed == np.count_nonzero(ANSWERS[0] != ANSWERS[1])


def test_silence_has_the_counts_of_an_empty_answer(project):
    outputs = [text if n % 4 else None for n, text in enumerate(texts(ANSWERS[1]))]
    silent = np.where(np.arange(SIZE) % 4 > 0, ANSWERS[1], 3)

    comparison, _ = compared(project, [("a", texts(ANSWERS[0])), ("b", outputs)])

    assert comparison.figures.entries[0].paired.mean == pytest.approx(macro_f1(silent))


def test_repetitions_are_averaged(project):
    outputs = [("a", texts(ANSWERS[0])), ("b", texts(ANSWERS[0])), ("b", texts(ANSWERS[1]))]

    comparison, _ = compared(project, outputs, repeats=True)

    assert comparison.figures.entries[0].paired.mean == pytest.approx(sum(map(macro_f1, ANSWERS)) / 2)


def test_subsets_have_their_own_statistic(project):
    comparison, used = compared(project, [("a", texts(ANSWERS[0])), ("b", texts(ANSWERS[1]))])

    found = subsets.search(comparison.figures, used)

    part = next(subset for subset in found.subsets if (subset.column, subset.name) == ("part", "a"))
    chosen = np.arange(SIZE) % 2 == 0
    assert part.difference == pytest.approx(macro_f1(ANSWERS[1], chosen) - macro_f1(ANSWERS[0], chosen))
    page = comparison.figures.within("part", "a").entries[0].paired
    assert page.difference == pytest.approx(part.difference)


def test_clusters_widen_the_interval_without_moving_the_difference(project):
    comparison, _ = compared(project, [("a", texts(ANSWERS[0])), ("b", texts(ANSWERS[1]))])
    alone = comparison.figures.entries[0].paired

    clustered = Comparison(comparison.sides.runs, comparison.sides.runs[0], cluster="talk").figures

    paired = clustered.entries[0].paired
    assert paired.difference == pytest.approx(alone.difference)
    assert paired.clusters == 30
    assert paired.interval[1] - paired.interval[0] >= alone.interval[1] - alone.interval[0]


def test_a_label_with_few_references_gives_no_verdict(project):
    references = np.where(np.arange(SIZE) < 9, 2, np.arange(SIZE) % 2)

    comparison, _ = compared(
        project, [("a", texts(references)), ("b", texts(ANSWERS[0]))], references=references
    )

    entry = comparison.figures.entries[0]
    assert (entry.paired.verdict, "9 references" in entry.paired.reason) == (None, True)
    assert comparison.figures.ranking == []


def test_accuracy_as_a_statistic_is_the_mean(project):
    """MCC has no rule for rare labels; a mean and the same share as a statistic agree to the last digits shown."""
    comparison, _ = compared(project, [("a", texts(ANSWERS[0])), ("b", texts(ANSWERS[1]))], headline="mcc")

    paired = comparison.figures.entries[0].paired
    assert (paired.verdict, paired.overturned_by) == ("better", None)


def test_a_secondary_headline_is_compared_too(project):
    rows = [{"inputs": {"n": n}, "reference": LABELS[reference]} for n, reference in enumerate(REFERENCES)]
    dataset = datasets.create(project, None, "mails", rows)
    used = [
        evaluators.create(project, None, "exact", "exact_match", {}, {}),
        evaluators.create(project, None, "label", "label", {"headline": "macro_f1"}, {}),
    ]
    experiment = experiments.create(project, None, "e", dataset, used)
    runs = [
        factories.scored_run(experiment, texts(answers), name)
        for name, answers in zip("ab", ANSWERS, strict=True)
    ]

    entry = Comparison(runs, runs[0]).figures.entry(runs[1].pk, used[1].pk)

    assert (entry.role, entry.statistic) == ("secondary", "macro_f1")
    assert entry.paired.difference == pytest.approx(macro_f1(ANSWERS[1]) - macro_f1(ANSWERS[0]))
