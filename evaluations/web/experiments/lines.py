"""Experiments in lists: those of a series, of which none is better or worse, stand in one line."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.utils.safestring import SafeString

from evaluations import numerals
from evaluations.comparisons.overviews import Overview
from evaluations.comparisons.rows import computed
from evaluations.launches.going import Going
from evaluations.models import Run

from ..comparisons.verdicts import listing
from ..comparisons.verdicts.changes import Change
from ..page_tools import series
from ..page_tools.request import HttpRequest
from ..page_tools.series import Line
from .choice import VERDICTS, verdict_of

ALIKE = ("cannot_tell", "none")  # verdicts that a series is told by


@dataclass(frozen=True)
class ListedLine:
    """A line of the list, and the rows of the experiments that are shown in it: none while a series is closed."""

    line: Line[Overview]
    rows: list[listing.Row]

    @property
    def says(self) -> str:
        """How many there are, and their verdict."""
        words = VERDICTS[verdict_of(self.line.things[0])]
        return f"{numerals.plural(len(self.line.things), 'experiment')}, {words}"

    @property
    def spread(self) -> str:
        """The lowest and the highest difference, if all have one in the same unit."""
        found = [_change(overview) for overview in self.line.things]
        changes = [change for change in found if change and change.difference is not None]
        differences = [change.difference or 0.0 for change in changes]
        units = {change.is_share for change in changes}
        if len(changes) < len(found) or len(units) > 1:
            return ""
        low, high = min(differences), max(differences)
        ends = Change(low, low, high, "cannot_tell", None, is_share=True in units).bounds
        return "between " + ends.replace(" to ", " and ")

    @property
    def example_count(self) -> int | None:
        """How many examples each has, if all have the same number."""
        counts = {overview.example_count for overview in self.line.things}
        return counts.pop() if len(counts) == 1 else None

    @property
    def ended_at(self) -> datetime | None:
        return max((one.ended_at for one in self.line.things if one.ended_at), default=None)


@dataclass(frozen=True)
class Listed:
    lines: list[ListedLine]
    axis: SafeString

    @property
    def shown(self) -> list[int]:
        """The experiments with a row of their own."""
        return [row.overview.experiment.pk for line in self.lines for row in line.rows]


def listed(
    request: HttpRequest,
    overviews: Sequence[Overview],
    in_progress: Mapping[int, Going] | None = None,
    most: int | None = None,
) -> Listed:
    """The first lines of the list; `in_progress` by experiment, if it was read before."""
    found = series.lines(request, overviews, lambda one: one.experiment.name, _likeness)[:most]
    alone = [overview for line in found for overview in line.things if not line.name]
    table = listing.table([overview for line in found for overview in line.shown], in_progress, alone)
    rows = iter(table.rows)
    return Listed([ListedLine(line, [next(rows) for _ in line.shown]) for line in found], table.axis)


def _change(overview: Overview) -> Change | None:
    where = f"experiment {overview.experiment.pk}"
    return computed(partial(listing.change_of, overview), lambda: None, where)


def _likeness(overview: Overview) -> Hashable:
    """None for what stands alone: in progress, failed, better or worse."""
    if overview.going or any(run.status == Run.Status.FAILED for run in overview.shown):
        return None
    verdict = verdict_of(overview)
    return verdict if verdict in ALIKE else None
