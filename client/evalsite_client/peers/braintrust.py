"""`Eval` as Braintrust has it."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..plan import Evaluation
from .running import evaluated, rows_of


def Eval(
    name: str,
    data: Any,
    task: Callable[..., Any],
    scores: Iterable[Any],
    experiment_name: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    trial_count: int = 1,
    max_concurrency: int | None = None,
) -> Evaluation:
    """Run a task over rows with `input`, `expected` and `metadata`; scores are functions, or scorers of autoevals."""
    return evaluated(
        name,
        rows_of(data, "expected"),
        task,
        scores,
        experiment_name or name,
        about=metadata,
        repetitions=trial_count,
        concurrency=max_concurrency,
    )
