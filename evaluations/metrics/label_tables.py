"""Statistics of label tables (which label was read for which reference), from sums over examples.

A row of sums has for L labels 3 L + 1 numbers: hits, references and answers of every label, and the examples. Answers
outside the labels are in the examples only, and are one more label for MCC. All functions take rows of sums and return
one value per row, or per row and label. What is undefined (0 / 0) is 0. The formulas are those of scikit-learn with
`labels` the labels that occur as references.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Labels = NDArray[np.intp]


class Sums(NamedTuple):
    """The parts of rows of sums: three arrays (rows, labels), and the examples of each row."""

    hits: Values
    references: Values
    answers: Values
    examples: Values

    @classmethod
    def of(cls, rows: Values) -> "Sums":
        labels = (rows.shape[1] - 1) // 3
        hits, references, answers = (rows[:, part * labels : (part + 1) * labels] for part in range(3))
        return cls(hits, references, answers, rows[:, -1])


def cells(references: Labels, answers: Labels, labels: int) -> Values:
    """The sums of single examples, a row for each; an answer `labels` is outside the labels."""
    rows = np.zeros((len(references), 3 * labels + 1))
    number = np.arange(len(references))
    rows[number, labels + references] = rows[:, -1] = 1
    inside = answers < labels
    rows[number[inside], 2 * labels + answers[inside]] = 1
    hits = references == answers
    rows[number[hits], references[hits]] = 1
    return rows


def accuracy(rows: Values) -> Values:
    sums = Sums.of(rows)
    return ratio(sums.hits.sum(axis=1), sums.examples)


def precision(rows: Values) -> Values:
    """By label: hits / answers."""
    sums = Sums.of(rows)
    return ratio(sums.hits, sums.answers)


def recall(rows: Values) -> Values:
    """By label: hits / references."""
    sums = Sums.of(rows)
    return ratio(sums.hits, sums.references)


def f1(rows: Values) -> Values:
    """By label: 2 hits / (references + answers)."""
    sums = Sums.of(rows)
    return ratio(2 * sums.hits, sums.references + sums.answers)


def macro_f1(rows: Values) -> Values:
    """The mean F1 of the labels that occur as references."""
    return _over_occurring(f1(rows), rows)


def weighted_f1(rows: Values) -> Values:
    """The mean F1, each label weighted by its references."""
    references = Sums.of(rows).references
    return ratio((f1(rows) * references).sum(axis=1), references.sum(axis=1))


def balanced_accuracy(rows: Values) -> Values:
    """The mean recall of the labels that occur as references."""
    return _over_occurring(recall(rows), rows)


def mcc(rows: Values) -> Values:
    """Matthews' correlation coefficient for several labels (Gorodkin 2004)."""
    sums = Sums.of(rows)
    n, outside = sums.examples, sums.examples - sums.answers.sum(axis=1)
    covariance = n * sums.hits.sum(axis=1) - _products(sums)
    answers = n**2 - np.square(sums.answers).sum(axis=1) - np.square(outside)
    references = n**2 - np.square(sums.references).sum(axis=1)
    return ratio(covariance, np.sqrt(np.maximum(answers * references, 0)))


def kappa(rows: Values) -> Values:
    """Cohen's κ: agreement beyond what the frequencies of labels would give by chance."""
    sums = Sums.of(rows)
    by_chance = ratio(_products(sums), sums.examples)
    return ratio(sums.hits.sum(axis=1) - by_chance, sums.examples - by_chance)


def _products(sums: Sums) -> Values:
    return np.asarray((sums.references * sums.answers).sum(axis=1))


def _over_occurring(by_label: Values, rows: Values) -> Values:
    occurs = Sums.of(rows).references > 0
    return ratio((by_label * occurs).sum(axis=1), occurs.sum(axis=1).astype(float))


def ratio(upper: Values, lower: Values) -> Values:
    """The quotients; 0 where the denominator is 0."""
    return np.divide(upper, lower, out=np.zeros(np.broadcast(upper, lower).shape), where=lower != 0)
