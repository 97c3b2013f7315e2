"""The versions of a prompt as its page lists them, with their runs and scores."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import F

from evaluations.models import PromptLabel, PromptVersion, Run, Scoring
from evaluations.prompts.versions import Entry

SHOWN = 5  # runs of a version


@dataclass(frozen=True)
class Use:
    """A run with its scores by the primary evaluator, if it has any."""

    run: Run
    scoring: Scoring | None


@dataclass(frozen=True)
class Line:
    """A version; `more` runs are not shown."""

    version: PromptVersion
    uses: list[Use]
    more: int
    labels: list[str]


def lines(history: Sequence[Entry]) -> list[Line]:
    labels = defaultdict[int, list[str]](list)
    in_force = PromptLabel.objects.filter(version__in=[entry.version for entry in history], ended_at=None)
    for label in in_force.order_by("name"):
        labels[label.version_id].append(label.name)
    scorings = _primary([run for entry in history for run in entry.runs[:SHOWN]])
    return [
        Line(
            entry.version,
            [Use(run, scorings.get(run.pk)) for run in entry.runs[:SHOWN]],
            max(0, len(entry.runs) - SHOWN),
            labels[entry.version.pk],
        )
        for entry in history
    ]


def _primary(runs: Sequence[Run]) -> dict[int, Scoring]:
    """The primary scoring of each run; if several versions scored it, by the newest."""
    primary_scorings = Scoring.objects.filter(
        run__in=runs, evaluator_version__evaluator=F("run__experiment__primary")
    )
    ordered = primary_scorings.select_related("evaluator_version__evaluator").order_by(
        "evaluator_version__number"
    )
    return {scoring.run_id: scoring for scoring in ordered if scoring.summary}
