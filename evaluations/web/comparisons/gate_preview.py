"""What existing runs would get from a gate that is being written, drawn on one scale for each criterion."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from evaluations.charts import criteria
from evaluations.models import GateCheck


@dataclass(frozen=True)
class DrawnChecks:
    """`rows` are the checks, each with its results and their drawings; `axes` the scales, each with its criterion.

    Of one scale alone the criterion is not named. `has_limit` says whether a drawing has a limit other than 0.
    """

    rows: Sequence[tuple[GateCheck, list[tuple[dict[str, Any], SafeString | None]]]]
    axes: Sequence[tuple[str, SafeString]]
    has_limit: bool

    @property
    def names_scales(self) -> bool:
        return len(self.axes) > 1


def drawn_checks(checks: Sequence[GateCheck]) -> DrawnChecks:
    """The intervals of each check against their limits, those of one criterion on one scale."""
    plots: dict[int, list[tuple[dict[str, Any], SafeString | None]]] = {id(check): [] for check in checks}
    axes: list[tuple[str, SafeString]] = []
    for place in range(max((len(check.results) for check in checks), default=0)):
        judged = [check for check in checks if place < len(check.results)]
        drawings, axis = criteria([check.results[place] for check in judged])
        for check, plot in zip(judged, drawings, strict=True):
            plots[id(check)].append((check.results[place], plot))
        if axis:
            axes.append((judged[0].results[place]["title"], axis))
    has_limit = any(plot and result["margin"] for row in plots.values() for result, plot in row)
    return DrawnChecks([(check, plots[id(check)]) for check in checks], axes, has_limit)
