"""The filter of a comparison by metadata and split."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluations.comparisons.comparison import Comparison
from evaluations.datasets import splits
from evaluations.models import Split

from ...page_tools.paging import RESET, address
from ...page_tools.request import HttpRequest


@dataclass(frozen=True)
class ActiveFilter:
    """`remaining` of `examples` match these values (column, value, and the address without it) and the split."""

    conditions: list[tuple[str, str, str]]
    split: Split | None
    without_split: str
    remaining: int
    examples: int
    cleared: str


def active_filter(request: HttpRequest, comparison: Comparison) -> ActiveFilter | None:
    """The active filter; None if there is none."""
    if not comparison.example_filter:
        return None
    names = {f"metadata[{column}]": None for column, _ in comparison.example_filter.metadata} | {
        "split": None
    }
    return ActiveFilter(
        conditions=[
            (column, value, _without(request, column, value))
            for column, value in comparison.example_filter.metadata
        ],
        split=comparison.example_filter.split,
        without_split=address(request, **(RESET | {"split": None})),
        remaining=comparison.figures.size,
        examples=comparison.figures.full_size,
        cleared=address(request, **(RESET | names)),
    )


def _without(request: HttpRequest, column: str, value: str) -> str:
    name = f"metadata[{column}]"
    remaining_values: Sequence[str] = [text for text in request.GET.getlist(name) if text != value]
    return address(request, **(RESET | {name: list(remaining_values) or None}))


def split_choices(request: HttpRequest, comparison: Comparison) -> list[tuple[str, str, bool]]:
    """The splits of the dataset: name, address, and whether it is the current one; all examples first."""
    chosen = comparison.example_filter.split
    live_splits = list(splits.live(comparison.sides.dataset))
    if not live_splits:
        return []
    whole = ("all examples", address(request, **(RESET | {"split": None})), chosen is None)
    return [
        whole,
        *(
            (split.name, address(request, **(RESET | {"split": split.pk})), split == chosen)
            for split in live_splits
        ),
    ]
