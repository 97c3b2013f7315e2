"""The variant that the others of a launch are compared with."""

from collections.abc import Sequence

from evaluations.experiments import experiments
from evaluations.models import Dataset, Experiment

from .plans import Variant, invalid


def settle(experiment: Experiment, variants: Sequence[Variant], named: str) -> None:
    """Make the baseline of a launch, whose runs follow, the default of its experiment; one with a baseline or runs
    keeps what it has.

    Raises `Invalid` if `named` is not the name of a variant.
    """
    labels = [variant.label for variant in variants]
    if named and named not in labels:
        raise invalid("baseline", f"No variant of this launch is called “{named[:200]}”.")
    if named or (len(variants) > 1 and not (experiment.baseline or experiments.runs_of(experiment).exists())):
        experiment.baseline = named or proposed(experiment.dataset, variants, experiment)
        experiment.save(update_fields=["baseline"])


def proposed(dataset: Dataset, variants: Sequence[Variant], experiment: Experiment | None = None) -> str:
    """The baseline of the dataset's last other experiment if it is among the variants, else the oldest version."""
    others = Experiment.objects.live().filter(dataset=dataset).order_by("-pk")
    if experiment is not None:
        others = others.exclude(pk=experiment.pk)
    last = others.values_list("baseline", flat=True).first()
    if last and last in [variant.label for variant in variants]:
        return last
    return min(variants, key=lambda variant: variant.version.pk).label
