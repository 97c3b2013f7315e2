"""Which evaluator to take for a dataset: the one that decided there last, else one for the shapes of its data."""

from dataclasses import dataclass

import orjson

from evaluations.datasets import datasets
from evaluations.kinds.advising import Advised, advise
from evaluations.models import Dataset, Evaluator, Experiment

LOOKED_AT = 200  # examples


@dataclass(frozen=True)
class Advice:
    """An evaluator that exists, or a kind of one, and the reason."""

    evaluator: Evaluator | None
    kind: str
    reason: str

    @classmethod
    def of_data(cls, advised: Advised | None) -> "Advice | None":
        return cls(None, advised.kind, advised.reason) if advised else None


def of_dataset(dataset: Dataset) -> Advice | None:
    """The advice for new outputs of a dataset; None if it has no references and decided nothing yet."""
    if primary := _last_primary(dataset):
        return Advice(primary, "", "it decided in the last experiment on this dataset")
    texts = datasets.examples(dataset).values_list("reference", flat=True)[:LOOKED_AT]
    references = [next(iter(orjson.loads(text).values()), None) for text in texts]
    return Advice.of_data(advise(references, ()))


def evaluator_of(dataset: Dataset) -> Evaluator | None:
    """An evaluator of the project that the advice means; None if there is none yet."""
    advised = of_dataset(dataset)
    if advised is None or advised.evaluator:
        return advised.evaluator if advised else None
    of_kind = Evaluator.objects.live().filter(project=dataset.project, versions__kind=advised.kind)
    return of_kind.order_by("pk").first()


def _last_primary(dataset: Dataset) -> Evaluator | None:
    with_primary = Experiment.objects.live().filter(dataset=dataset, primary__deleted_at=None)
    newest = with_primary.exclude(primary=None).select_related("primary").order_by("-pk").first()
    return newest.primary if newest else None
