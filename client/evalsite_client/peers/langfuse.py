"""`get_client().run_experiment` and `Evaluation` as Langfuse has them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..plan import Evaluation as Evaluated
from .running import evaluated, rows_of


@dataclass(frozen=True)
class Evaluation:
    """What an evaluator returns."""

    name: str
    value: Any
    comment: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


class Langfuse:
    def run_experiment(
        self,
        *,
        name: str,
        data: Any,
        task: Callable[..., Any],
        evaluators: Iterable[Any] = (),
        run_name: str | None = None,
        description: str | None = None,
        max_concurrency: int | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Evaluated:
        """Run a task over items with `input` and `expected_output`. The task gets `item`, evaluators `output` too."""
        about = {**({"notes": description} if description else {}), **(metadata or {})}
        rows = rows_of(data, "expected_output")
        return evaluated(
            name, rows, task, evaluators, run_name or name, about=about, concurrency=max_concurrency
        )


def get_client() -> Langfuse:
    return Langfuse()
