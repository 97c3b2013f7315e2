"""Finds the examples of an experiment by their keys."""

from collections.abc import Sequence
from typing import Any

from evaluations.datasets import datasets
from evaluations.models import Dataset, Example, Experiment, Import


class Keys:
    """Looks up positions of an experiment's examples by key."""

    def __init__(self, experiment: Experiment):
        self.examples = Example.objects.filter(
            dataset=experiment.dataset_id, added_in__lte=experiment.dataset_version
        )
        self.experiment = experiment
        self._retired: dict[str, int] = {}
        self._read_at = experiment.dataset_version  # because later versions may have removed examples

    def positions(self, keys: Sequence[str | None]) -> dict[str, int]:
        """The positions by key; unknown keys are absent."""
        present_keys = [key for key in keys if key is not None]
        positions = datasets.positions_by(self.examples.filter(removed_in=None), "key", present_keys)
        if any(key not in positions for key in present_keys):
            self._read_retired()
            positions.update((key, self._retired[key]) for key in present_keys if key in self._retired)
        return positions

    def _read_retired(self) -> None:
        """Read the keys of examples that were removed later, or by an import in progress.

        These keys have no index, so all are read, and read again only if their number may have grown.
        """
        dataset = self.experiment.dataset_id
        version = Dataset.objects.values_list("version", flat=True).get(pk=dataset)
        if version == self._read_at and not Import.objects.filter(dataset=dataset).exists():
            return
        removed_later = self.examples.filter(removed_in__gt=self.experiment.dataset_version)
        retired = removed_later.filter(key__isnull=False).order_by("position")
        self._retired, self._read_at = dict[Any, int](retired.values_list("key", "position")), version
