"""The score from which an evaluator without a threshold passes, chosen on labels that are not sealed."""

import numpy as np

from evaluations.statistics.people.agreement import kappa
from evaluations.statistics.people.draws import Codes
from evaluations.statistics.terms import Values

MOST_TRIED = 200
FEWEST = 4  # labels to choose by


def best(scores: Values, labels: Values, *, is_better_low: bool) -> float | None:
    """The threshold with the best κ on these scores and labels of pass (1) and fail (0); None from too few."""
    judged = labels != 0.5
    scores, good = scores[judged], labels[judged] > 0.5
    candidates = np.unique(scores)
    if len(scores) < FEWEST or len(candidates) < 2 or good.all() or not good.any():
        return None
    if len(candidates) > MOST_TRIED:
        candidates = np.unique(np.quantile(candidates, np.linspace(0, 1, MOST_TRIED)))
    passes = scores <= candidates[:, None] if is_better_low else scores >= candidates[:, None]
    rightly, wrongly = (passes & good).sum(axis=1), (passes & ~good).sum(axis=1)
    table = np.stack(
        [
            np.stack([(~good).sum() - wrongly, wrongly], axis=1),
            np.stack([good.sum() - rightly, rightly], axis=1),
        ],
        axis=1,
    ).astype(np.float64)
    return float(candidates[np.argmax(np.nan_to_num(kappa(table), nan=-1.0))])


def codes(scores: Values, threshold: float | None, *, is_better_low: bool) -> Codes:
    """Pass (1) or fail (0) of each score; −1 without a score or a threshold."""
    if threshold is None:
        return np.full(len(scores), -1)
    passes = scores <= threshold if is_better_low else scores >= threshold
    return np.where(np.isfinite(scores), passes.astype(np.int64), -1)
