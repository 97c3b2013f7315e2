"""Which runs show most of an evaluator: one whose scores are all alike says nothing of how it scores."""

from collections.abc import Iterable

from django.db.models import F

from evaluations.models import Evaluator, Run, Scoring


def telling_first(runs: Iterable[Run], evaluator: Evaluator | None = None) -> list[Run]:
    """Those of the runs that an evaluator scored, the ones whose scores differ first; else in the order given.

    Without an `evaluator` each run is looked at by the primary one of its experiment.
    """
    listed = list(runs)
    by = evaluator.pk if evaluator else F("run__experiment__primary")
    scored = Scoring.objects.filter(run__in=listed, evaluator_version__evaluator=by, summary__isnull=False)
    differs: dict[int, bool] = {}
    for run, summary in scored.values_list("run", "summary"):
        differs[run] = differs.get(run, False) or bool(summary and summary.get("sd"))
    return sorted((run for run in listed if run.pk in differs), key=lambda run: not differs[run.pk])
