"""The metadata that the examples of a comparison are filtered by."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest

from evaluations.comparisons.comparison import Comparison

from ..paging import RESET, address


@dataclass(frozen=True)
class Among:
    """`remaining` of `examples` have these values: column, value, and the address without it."""

    conditions: list[tuple[str, str, str]]
    remaining: int
    examples: int
    cleared: str


def among(request: HttpRequest, comparison: Comparison) -> Among | None:
    """None without a filter."""
    if not comparison.among:
        return None
    names = {f"metadata[{column}]": None for column, _ in comparison.among}
    return Among(
        conditions=[(column, value, _without(request, column, value)) for column, value in comparison.among],
        remaining=comparison.size,
        examples=comparison.full_size,
        cleared=address(request, **(RESET | names)),
    )


def _without(request: HttpRequest, column: str, value: str) -> str:
    name = f"metadata[{column}]"
    rest: Sequence[str] = [other for other in request.GET.getlist(name) if other != value]
    return address(request, **(RESET | {name: list(rest) or None}))
