"""Changes of a dataset since the last comparison: examples added, changed and removed between versions."""

from dataclasses import dataclass

from evaluations.datasets import differences
from evaluations.models import Dataset, Experiment

MOST_COUNTED = 5_000  # rows; counting more would delay the page


@dataclass(frozen=True)
class NewSince:
    """Two versions and how they differ; `earlier` is an experiment on the older version, None if it is this one.

    `counts` by kind; None if too many rows differ to count them here.
    """

    source: int
    target: int
    earlier: Experiment | None
    counts: dict[str, int] | None

    @property
    def told(self) -> list[tuple[str, int]]:
        """What was added, changed and removed, as far as anything was."""
        return [(word, number) for word, number in (self.counts or {}).items() if number]


def new_since(experiment: Experiment) -> list[NewSince]:
    """The changes from this experiment's version to the newest, and from the previous experiment's to this one.

    Versions with equal examples, such as after an undo, are left out.
    """
    dataset, number = experiment.dataset, experiment.dataset_version
    earlier = _earlier(experiment)
    stretches: list[tuple[int, int, Experiment | None]] = [(number, dataset.version, None)]
    if earlier:
        stretches.append((earlier.dataset_version, number, earlier))
    news = [
        NewSince(source, target, earlier_experiment, _counts(dataset, source, target))
        for source, target, earlier_experiment in stretches
        if source < target
    ]
    return [new for new in news if new.counts is None or any(new.counts.values())]


def _earlier(experiment: Experiment) -> Experiment | None:
    """The last experiment with runs before this one on the same dataset, if it used an older version."""
    if experiment.dataset_version == 1:
        return None
    before = Experiment.objects.live().filter(dataset=experiment.dataset, pk__lt=experiment.pk)
    last = before.filter(runs__deleted_at=None, runs__isnull=False).order_by("-pk").first()
    return last if last and last.dataset_version < experiment.dataset_version else None


def _counts(dataset: Dataset, source: int, target: int) -> dict[str, int] | None:
    if differences.rows_between(dataset, source, target) > MOST_COUNTED:
        return None
    return differences.counts(differences.between(dataset, source, target))
