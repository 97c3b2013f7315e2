"""A rubric tried on a few rows: what the judge has said of them so far, and what it costs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404

from evaluations.experiments import experiments
from evaluations.judges import judgings, progress, rubrics
from evaluations.judges.progress import Progress
from evaluations.judges.sources import Source
from evaluations.labelling import seal
from evaluations.models import Chunk, Judging, Output, Project, Verdict
from evaluations.results import rows
from evaluations.scoring import records

from ..page_tools.frame import object_or_404
from ..page_tools.paging import number_of
from ..page_tools.request import HttpRequest


@dataclass(frozen=True)
class TriedRow:
    """One answer with what the judge says about it; `verdicts` are those of its samples and orders so far."""

    name: str
    asked: str
    output: str
    reference: str
    verdicts: list[Verdict]


@dataclass(frozen=True)
class Tried:
    """A rubric tried on a few rows; `messages` is the whole prompt for the first of them."""

    judging: Judging
    rows: list[TriedRow]
    messages: list[dict[str, Any]]
    progress: Progress
    of_experiment: int
    each: int | None
    asked: int  # rows about which the judge has said something, also what could not be read at first

    @property
    def is_running(self) -> bool:
        return self.judging.status == Judging.Status.RUNNING

    @property
    def waits(self) -> bool:
        """Whether nobody asks yet, because all workers that ask models are at others."""
        if not self.is_running or self.asked:
            return False
        return not Chunk.objects.filter(job__judging=self.judging, state="leased").exists()

    @property
    def reads_none(self) -> bool:
        """Whether the judge answered, and no verdict could be read in any of its answers."""
        return not self.is_running and 0 < self.progress.none == self.progress.done

    @property
    def cost(self) -> int | None:
        """What these rows cost: nothing if all verdicts were known before; None without a price."""
        if self.progress.done and self.progress.cached == self.progress.done:
            return 0
        return self.progress.cost

    @property
    def for_all(self) -> int | None:
        """The cost of all answers of the experiment, at the mean cost of these."""
        return None if self.each is None else self.each * self.of_experiment


def judgings_shown() -> Any:
    """The requests that a page can show."""
    return Judging.objects.live().select_related(
        "run__experiment__dataset", "run__project", "budget", "version", "against", "connection"
    )


def stopped(request: HttpRequest, project: Project) -> Judging:
    """The trial that the page shows, which asks no further."""
    judging: Judging = object_or_404(
        request, judgings_shown(), number_of(request.POST, "judging") or 0, "run"
    )
    if judging.project != project:
        raise Http404
    judgings.stop(judging, Judging.Status.CANCELLED)
    judging.refresh_from_db(fields=["status"])
    return judging


def tried_of(judging: Judging) -> Tried:
    """What a judge says about the rows of a request."""
    positions: Sequence[int] = judging.positions or []
    now = records.answered(judging.run, positions)
    said: dict[int, list[Verdict]] = {}
    readable = seal.readable_of(judging).exclude(state=Verdict.State.UNREAD)
    for verdict in readable.order_by("sample", "swapped"):
        said.setdefault(verdict.example, []).append(verdict)
    shown = [
        TriedRow(
            row.name,
            _text(row.inputs),
            _text(row.output),
            _text(row.reference),
            said.get(now[row.position].example, []),
        )
        for row in rows.rows_at(judging.run, positions, [])
    ]
    so_far = progress.of(judging)
    paid = [
        costs for of_row in said.values() if (costs := [one.cost for one in of_row if one.cost is not None])
    ]
    each = sum(map(sum, paid)) // len(paid) if paid else None  # of the rows that were asked
    asked = judging.verdicts.values("example").distinct().count()
    return Tried(judging, shown, _whole_prompt(judging), so_far, _answers(judging), each, asked)


def _answers(judging: Judging) -> int:
    """The answers of all variants of the experiment."""
    runs = experiments.scorable_runs(judging.run.experiment)
    return Output.objects.filter(run__in=runs, text__isnull=False).count()


def _whole_prompt(judging: Judging) -> list[dict[str, Any]]:
    """The messages for the first row, as they are sent."""
    source = Source(judging)
    first = next(source.judged((judging.positions or [])[:1]), None)
    if first is None:
        return []
    answers = dict(zip(source.config.judged, first.texts, strict=True))
    row = rubrics.row_of(**first.values, answers=answers)
    listed: list[dict[str, Any]] = rubrics.body(source.config, source.paths, row)["messages"]
    return listed


def _text(value: Any) -> str:
    if isinstance(value, dict) and len(value) == 1:
        [value] = value.values()
    return value if isinstance(value, str) else "" if value is None else str(value)
