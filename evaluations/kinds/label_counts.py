"""What the kind `label` stores for each example, and the statistics of a run that come from it.

A row of counts is the reference and the answer as read, each as a 62-bit digest in two numbers, so that no list of
labels is needed while scoring; an answer of 0 is silence. The labels are those of the config, else those of the
references.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluations.kinds.statistic import Counting, Counts, Statistic, Tallies, Values
from evaluations.metrics import label_tables
from evaluations.values import text_of

SILENCE = "\0"  # no label can be this text
HALF = 31
ACCURACY = "accuracy"
F1 = "f1:"  # begins the name of the F1 of one label
Codes = NDArray[np.int64]

STATISTICS = (
    Statistic(ACCURACY, "Accuracy", "share of right answers", label_tables.accuracy),
    Statistic(
        "macro_f1",
        "Macro-F1",
        "mean F1 of the labels",
        label_tables.macro_f1,
        rare=lambda sums: _fewest(sums),
    ),
    Statistic("weighted_f1", "Weighted F1", "mean F1 by references", label_tables.weighted_f1),
    Statistic(
        "balanced_accuracy",
        "Balanced",
        "mean recall",
        label_tables.balanced_accuracy,
        rare=lambda sums: _fewest(sums),
    ),
    Statistic("mcc", "MCC", "0 is chance", label_tables.mcc, low=-1.0),
    Statistic("kappa", "Cohen’s κ", "beyond chance", label_tables.kappa, low=-1.0),
)


def digest(text: str) -> tuple[int, int]:
    """The digest of a label as two numbers of 31 bits; (0, 0) for silence alone."""
    if text == SILENCE:
        return 0, 0
    number = int.from_bytes(blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()) >> 2
    return (number or 1) >> HALF, (number or 1) & ((1 << HALF) - 1)


def counts(references: Sequence[str], answers: Sequence[str]) -> Counts:
    """A row of four numbers for each example, from the labels as read."""
    digests = {text: digest(text) for text in {*references, *answers}}
    halves = [digests[text] for text in references], [digests[text] for text in answers]
    return np.hstack([np.array(side, np.int32).reshape(-1, 2) for side in halves])


def reference_codes(counted: Counts) -> Codes:
    """The digest of the reference of each row of counts."""
    return _codes(counted[:, :2])


def spelled(reference: Any, code: int, read: Callable[[str], str]) -> str:
    """The label with this digest as a reference spells it; of several right answers, the one with the digest."""
    texts = [text_of(value) or "" for value in (reference if isinstance(reference, tuple) else (reference,))]
    return next(text.strip() for text in texts if _code(*digest(read(text))) == code)


def counting(labels: Sequence[str], read: Iterable[str]) -> Counting:
    """How counts become sums for these labels; `read` has each as the config reads it."""
    order = np.array([_code(*digest(text)) for text in read], np.int64)
    by_label = tuple(_f1_of(index, label) for index, label in enumerate(labels))
    return Counting(
        statistics=(*STATISTICS, *by_label),
        tallies=partial(_tallies, order),
        silent=_silent,
        labels=tuple(labels),
    )


def table(tallies: Tallies, labels: int) -> NDArray[np.int64]:
    """The examples by label of the reference and by answer; the last column is outside the labels."""
    rows = np.bincount(tallies.index, minlength=len(tallies.vectors))
    references = tallies.vectors[:, labels : 2 * labels].argmax(axis=1)
    answered = tallies.vectors[:, 2 * labels : 3 * labels]
    answers = np.where(answered.any(axis=1), answered.argmax(axis=1), labels)
    counted = np.zeros((labels, labels + 1), np.int64)
    np.add.at(counted, (references, answers), rows)
    return counted


def within(counted: Counts, reference: str | None, answer: str | None) -> NDArray[np.bool_]:
    """The rows whose reference and answer are these labels as read; None for any."""
    chosen = np.asarray(counted[:, 0] >= 0)
    for label, halves in ((reference, counted[:, :2]), (answer, counted[:, 2:4])):
        if label is not None:
            chosen &= _codes(halves) == _code(*digest(label))
    return chosen


def outside(counted: Counts, labels: Iterable[str]) -> NDArray[np.bool_]:
    """The rows whose answer is none of the labels as read."""
    codes = np.array([_code(*digest(label)) for label in labels], np.int64)
    return np.asarray((counted[:, 0] >= 0) & ~np.isin(_codes(counted[:, 2:4]), codes))


def _tallies(order: Codes, counted: Counts) -> Tallies:
    labels = len(order)
    references, answers = _indices(order, counted)
    cells, index = np.unique(references * (labels + 1) + answers, return_inverse=True)
    return Tallies(label_tables.cells(cells // (labels + 1), cells % (labels + 1), labels), index.ravel())


def _indices(order: Codes, counted: Counts) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The labels of references and answers by number; their number for anything else."""
    ascending = np.argsort(order)
    found = []
    for codes in (_codes(counted[:, :2]), _codes(counted[:, 2:4])):
        places = np.minimum(np.searchsorted(order, codes, sorter=ascending), max(len(order) - 1, 0))
        numbers = ascending[places] if len(order) else np.zeros(len(codes), np.intp)
        is_label = order[numbers] == codes if len(order) else np.zeros(len(codes), np.bool_)
        found.append(np.where(is_label, numbers, len(order)))
    return found[0], found[1]


def _silent(counted: Counts) -> Counts:
    silent = counted.copy()
    silent[counted[:, 0] >= 0, 2:4] = 0
    return silent


def _f1_of(index: int, label: str) -> Statistic:
    return Statistic(
        f"{F1}{label}",
        f"F1 of {label}",
        "precision and recall of one label",
        lambda sums: label_tables.f1(sums)[:, index],
        rare=lambda sums: float(label_tables.Sums.of(sums).references[0, index]),
    )


def _fewest(sums: Values) -> float:
    """The least number of references of a label that occurs."""
    [references] = label_tables.Sums.of(sums).references
    return float(references[references > 0].min(initial=np.inf))


def _codes(halves: NDArray[np.int32]) -> Codes:
    return (halves[:, 0].astype(np.int64) << HALF) | halves[:, 1]


def _code(high: int, low: int) -> int:
    return high << HALF | low
