"""`Client` with datasets and `evaluate`, and the function `evaluate`, as LangSmith has them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..plan import Evaluation
from ..scorers import name_of
from .running import by_inputs, evaluated, key_of


@dataclass(frozen=True)
class Dataset:
    """A dataset by its name, which is also its id here."""

    name: str

    @property
    def id(self) -> str:
        return self.name


class Client:
    """Keeps new examples until they are evaluated."""

    def __init__(self) -> None:
        self.rows: dict[str, list[dict[str, Any]]] = {}

    def create_dataset(self, dataset_name: str, *, description: str = "") -> Dataset:
        self.rows.setdefault(dataset_name, [])
        return Dataset(dataset_name)

    def create_examples(
        self,
        *,
        dataset_id: str | None = None,
        dataset_name: str | None = None,
        examples: Sequence[Mapping[str, Any]] | None = None,
        inputs: Sequence[Mapping[str, Any]] = (),
        outputs: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Add examples with `inputs`, `outputs` (the reference) and `metadata`."""
        given = examples or [
            {"inputs": one, "outputs": two} for one, two in zip(inputs, outputs, strict=True)
        ]
        rows = self.rows.setdefault(dataset_id or dataset_name or "", [])
        for example in given:
            parts = {"inputs": dict(example["inputs"]), "reference": dict(example.get("outputs") or {})}
            rows.append({"key": key_of(parts), **parts, "metadata": dict(example.get("metadata") or {})})

    def evaluate(
        self,
        target: Callable[..., Any],
        /,
        data: str | Dataset,
        evaluators: Iterable[Any] = (),
        *,
        experiment_prefix: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        max_concurrency: int | None = None,
        num_repetitions: int = 1,
    ) -> Evaluation:
        """Run a target over a dataset. It gets the inputs by column; evaluators get `reference_outputs` too."""
        name = data if isinstance(data, str) else data.name
        return evaluated(
            name,
            self.rows.get(name),
            by_inputs(target),
            evaluators,
            experiment_prefix or name_of(target),
            about=metadata,
            repetitions=num_repetitions,
            concurrency=max_concurrency,
        )


def evaluate(
    target: Callable[..., Any], /, data: str, evaluators: Iterable[Any] = (), **options: Any
) -> Evaluation:
    """`Client().evaluate`."""
    return Client().evaluate(target, data, evaluators, **options)
