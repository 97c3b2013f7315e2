"""`Client` with `datasets` and `experiments`, and the function `run_experiment`, as Phoenix has them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..plan import Evaluation
from ..scorers import Scorer, name_of, scorer
from .running import by_column, evaluated, key_of


@dataclass(frozen=True)
class Dataset:
    """A dataset by its name, with its new rows, if it has any."""

    name: str
    rows: list[dict[str, Any]] | None = None


class Datasets:
    def create_dataset(
        self,
        *,
        name: str,
        inputs: Sequence[Mapping[str, Any]] = (),
        outputs: Sequence[Mapping[str, Any]] = (),
        metadata: Sequence[Mapping[str, Any]] = (),
        dataframe: Any = None,
        input_keys: Sequence[str] = (),
        output_keys: Sequence[str] = (),
        metadata_keys: Sequence[str] = (),
        dataset_description: str = "",
    ) -> Dataset:
        """A dataset from inputs, outputs (the reference) and metadata, each a list of objects, or from columns of a
        dataframe of pandas."""
        if dataframe is not None:
            parts_of = [input_keys, output_keys, metadata_keys]
            inputs, outputs, metadata = (dataframe[list(names)].to_dict("records") for names in parts_of)
        rows = []
        for number, columns in enumerate(inputs):
            reference = dict(outputs[number]) if number < len(outputs) else {}
            parts = {"inputs": dict(columns), "reference": reference}
            further = dict(metadata[number]) if number < len(metadata) else {}
            rows.append({"key": key_of(parts), **parts, "metadata": further})
        return Dataset(name, rows)

    def get_dataset(self, *, dataset: str) -> Dataset:
        return Dataset(dataset)


class Experiments:
    def run_experiment(
        self,
        *,
        dataset: Dataset,
        task: Callable[..., Any],
        evaluators: Any = (),
        experiment_name: str | None = None,
        experiment_metadata: Mapping[str, Any] | None = None,
        repetitions: int = 1,
        concurrency: int | None = None,
    ) -> Evaluation:
        return run_experiment(
            dataset, task, evaluators, experiment_name=experiment_name, experiment_metadata=experiment_metadata,
            repetitions=repetitions, concurrency=concurrency,
        )  # fmt: skip


class Client:
    """The two groups of calls that the first example uses."""

    def __init__(self) -> None:
        self.datasets, self.experiments = Datasets(), Experiments()


def run_experiment(
    dataset: Dataset,
    task: Callable[..., Any],
    evaluators: Any = (),
    *,
    experiment_name: str | None = None,
    experiment_metadata: Mapping[str, Any] | None = None,
    repetitions: int = 1,
    concurrency: int | None = None,
) -> Evaluation:
    """Run a task over a dataset. Task and evaluators name what they want: `input`, `output`, `expected`, `metadata`."""
    chosen: Iterable[Any] = [evaluators] if callable(evaluators) else evaluators
    if isinstance(evaluators, Mapping):
        chosen = evaluators.values()
    return evaluated(
        dataset.name,
        dataset.rows,
        by_column(task),
        [_evaluator(part) for part in chosen],
        experiment_name or name_of(task),
        about=experiment_metadata,
        repetitions=repetitions,
        concurrency=concurrency,
    )


def _evaluator(given: Any) -> Scorer:
    made = given() if isinstance(given, type) else given
    return made if isinstance(made, Scorer) else scorer(name=name_of(made))(by_column(made))
