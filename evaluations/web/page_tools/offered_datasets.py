"""Which dataset a form proposes for a prompt: what people brought themselves goes before the sample's."""

from collections.abc import Iterable

from evaluations.experiments import samples
from evaluations.models import Dataset, Prompt
from evaluations.prompts import versions


def own_first(datasets: Iterable[Dataset]) -> list[Dataset]:
    """The datasets in their order, that of the sample last."""
    return sorted(datasets, key=samples.is_of_sample)


def last_of(prompt: Prompt, offered: Iterable[Dataset]) -> Dataset | None:
    """The offered dataset last used with the prompt. A preview on the sample does not count beside own datasets."""
    known = list(offered)
    last = versions.last_dataset(prompt)
    found = next((dataset for dataset in known if dataset.pk == last), None)
    if found and samples.is_of_sample(found) and len(known) > 1 and not versions.has_run(prompt):
        return None
    return found
