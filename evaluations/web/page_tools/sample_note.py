"""Whether a page of some datasets or experiments leads to the removal of the sample."""

from collections.abc import Iterable

from evaluations.access import permissions
from evaluations.experiments import samples
from evaluations.models import Dataset, Experiment

from .request import HttpRequest


def offers_removal(request: HttpRequest, shown: Iterable[Dataset | Experiment]) -> bool:
    """Whether one of them is of the sample, and the reader may remove it."""
    of_sample = (one for one in shown if _is_of_sample(one))
    return any("remove" in permissions.allowed_with(request.user, one) for one in of_sample)


def _is_of_sample(one: Dataset | Experiment) -> bool:
    return samples.is_sample(one) if isinstance(one, Experiment) else samples.is_of_sample(one)
