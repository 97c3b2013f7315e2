"""Which example of an experiment a key names."""

from collections.abc import Sequence
from functools import cached_property

from evaluations.datasets import datasets
from evaluations.models import Dataset, Example, Experiment


class Keys:
    """The positions of an experiment's examples by their keys."""

    def __init__(self, experiment: Experiment):
        self.examples = Example.objects.filter(
            dataset=experiment.dataset_id, added_in__lte=experiment.dataset_version
        )
        self.experiment = experiment

    def positions(self, keys: Sequence[str | None]) -> dict[str, int]:
        """The positions of those keys that exist."""
        wanted = [key for key in keys if key is not None]
        positions = datasets.places(self.examples.filter(removed_in=None), "key", wanted)
        if any(key not in positions for key in wanted):
            positions.update((key, self._retired[key]) for key in wanted if key in self._retired)
        return positions

    @cached_property
    def _retired(self) -> dict[str, int]:
        """Examples that later versions removed, by key. Their keys have no index, so all are read, once."""
        version = self.experiment.dataset_version
        if not Dataset.objects.filter(pk=self.experiment.dataset_id, version__gt=version).exists():
            return {}
        retired = self.examples.filter(removed_in__gt=version, key__isnull=False)
        return dict(retired.values_list("key", "position"))
