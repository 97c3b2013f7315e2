"""The three parts of a label set: labels to write by, labels to tune by, and sealed ones that say what came of it.

Choosing the best of twenty rubrics by fifty labels makes it look ten points better than it is. So half of the labels
stay sealed, until they are opened for one version of an evaluator; every opening is counted. A part belongs to an
example: all answers to it are in the same one.
"""

from hashlib import blake2b

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from numpy.typing import NDArray

from evaluations.errors import Conflict, Invalid
from evaluations.models import Evaluator, EvaluatorVersion, Opening, Unsealing
from evaluations.statistics.people import more

WRITE, TUNE, SEALED = range(3)
ENDS = (0.2, 0.5)  # of the first two parts
SHARE = 1 - ENDS[1]  # of the sealed one
LONGEST_REASON = 500
FEWEST = 30  # sealed labels without which an evaluator is not checked against people


def part(label_set: int, dataset: int, example: int) -> int:
    """The part of an example, by its identity in a dataset: the same at any time."""
    digest = blake2b(f"{label_set}:{dataset}:{example}".encode(), digest_size=8).digest()
    share = int.from_bytes(digest, "big") / 2**64
    return WRITE if share < ENDS[0] else TUNE if share < ENDS[1] else SEALED


def parts(label_set: Evaluator, dataset: int, examples: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.array([part(label_set.pk, dataset, example) for example in examples.tolist()], np.int64)


def openings(evaluator: Evaluator, label_set: Evaluator) -> QuerySet[Opening]:
    """All openings for any version of an evaluator, oldest first."""
    found = Opening.objects.filter(version__evaluator=evaluator, label_set=label_set)
    return found.select_related("version").order_by("pk")


def is_open(version: EvaluatorVersion, label_set: Evaluator) -> bool:
    return Opening.objects.filter(version=version, label_set=label_set).exists()


def open_for(
    version: EvaluatorVersion, label_set: Evaluator, user: User | None, labels: int, agreed: float
) -> Opening:
    """Open the sealed labels for a version; raises `Conflict` if there are too few, or if they are unsealed."""
    if unsealing_of(label_set):
        raise Conflict(
            "labels_unsealed",
            f"The labels of {label_set.name} were unsealed: they measure no further version.",
            hint="Ask people about other answers, in another label set.",
        )
    if labels < FEWEST:
        raise Conflict(
            "too_few_labels",
            f"{labels} sealed answers are labelled that {version} scored; a passport needs {FEWEST}.",
            hint=f"Label {more.to_hold(FEWEST - labels, SHARE)} more answers: about half of them are sealed.",
        )
    return Opening.objects.create(
        version=version, label_set=label_set, opened_by=user, labels=labels, agreed=agreed
    )


# ---- the end of the seal ---------------------------------------------------------------------------------------


def unsealing_of(label_set: Evaluator) -> Unsealing | None:
    return Unsealing.objects.filter(label_set=label_set).select_related("unsealed_by").first()


def unseal(label_set: Evaluator, user: User | None, reason: str) -> Unsealing:
    """Let everybody read what judges said about sealed labels, for good; raises `Conflict` if that was done before."""
    reason = reason.strip()
    if not 1 <= len(reason) <= LONGEST_REASON:
        message = f"Say why, in at most {LONGEST_REASON} characters: every passport shows it."
        raise Invalid("reason_required", message, fields={"reason": [message]})
    with transaction.atomic():
        Evaluator.objects.select_for_update().get(pk=label_set.pk)
        if unsealing_of(label_set):
            raise Conflict("labels_unsealed", f"The labels of {label_set.name} are unsealed already.")
        return Unsealing.objects.create(label_set=label_set, reason=reason, unsealed_by=user)
