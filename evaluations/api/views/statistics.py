"""Statistics of a run that are no means: labels, corpus scores; and the repetitions of its variant."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.access import audit
from evaluations.comparisons import repetitions
from evaluations.judges import allowances
from evaluations.judges import estimates as judge_estimates
from evaluations.launches import estimates, repeating
from evaluations.models import Run, Scoring
from evaluations.prompts.named import Money
from evaluations.results import shown
from evaluations.scoring import run_counts, run_statistics

from ..idempotency import once
from ..routes import route
from ..schema import IDEMPOTENCY_KEY
from ..serializers.launch import EstimateOnlySerializer
from ..serializers.statistics import (
    RepeatedSerializer,
    RepeatSerializer,
    RepetitionsSerializer,
    RunStatisticsSerializer,
    StatisticsQuery,
)
from .base import READ, RUN
from .launches import budget as amount
from .runs import RunView


@route("runs/<id:pk>/statistics/", "run-statistics")
class RunStatistics(RunView):
    """Statistics of the whole run by one evaluator."""

    serializer_class = RunStatisticsSerializer
    query = StatisticsQuery

    def get(self, request: Request, pk: int) -> Response:
        """F1, MCC and the like of labels, with the table of which label was read for which; corpus BLEU and chrF; the
        corpus error rate. Each has the interval of this run alone."""
        scoring = shown.named(shown.scorings_of(self.run()), self.params["evaluator"])
        return Response(self.get_serializer(as_dict(scoring)).data)


def as_dict(scoring: Scoring) -> dict[str, Any]:
    described = {"evaluator": scoring.evaluator_version, "missing": None}
    try:
        figures = run_statistics.of_scoring(scoring)
    except run_counts.NoCounts as reason:
        nothing = {"examples": 0, "statistics": [], "labels": [], "table": None, "signature": None}
        return described | nothing | {"missing": str(reason)}
    table = figures.table and {
        "rows": figures.table.labels,
        "columns": [*figures.table.labels, None],
        "counts": figures.table.counts,
    }
    return asdict(figures) | described | {"table": table}


@route("runs/<id:pk>/repetitions/", "run-repetitions")
class RunRepetitions(RunView):
    """All repetitions of the variant of a run."""

    serializer_class = RepetitionsSerializer
    needs = {"GET": READ, "POST": RUN}
    query = StatisticsQuery

    def get(self, request: Request, pk: int) -> Response:
        """pass@k, pass^k, the majority, examples that pass sometimes, and how much of an interval's width comes from
        repeating."""
        repeated = repetitions.of_run(self.run(), self.params["evaluator"])
        width = repeated.width
        return Response(
            self.get_serializer(
                {
                    "evaluator": repeated.scoring.evaluator_version,
                    "runs": [run.pk for run in repeated.runs],
                    "n": repeated.n,
                    "examples": repeated.examples,
                    "pass_at": _by_k(repeated.pass_at),
                    "pass_all": _by_k(repeated.pass_all),
                    "majority": repeated.majority,
                    "always": repeated.always,
                    "never": repeated.never,
                    "flaky": repetitions.keys(repeated),
                    "noise_share": width and width.share,
                    "plan": repetitions.plan(width) if width else [],
                }
            ).data
        )

    @extend_schema(
        request=RepeatSerializer,
        responses={202: RepeatedSerializer, 200: EstimateOnlySerializer},
        parameters=[IDEMPOTENCY_KEY],
    )
    def post(self, request: Request, pk: int) -> Response:
        """Answer the examples of a run of a prompt again, as further repetitions of its variant in the same launch,
        or with `all_variants` of every variant of the launch.

        With `estimate_only` nothing is stored and no model is called.
        """
        run, body = self.run(), self.checked(RepeatSerializer)
        if body["estimate_only"]:
            which = {"every_variant": body["all_variants"]}
            answer = Response(
                EstimateOnlySerializer(
                    {
                        "estimate": estimates.of_repetitions(run, body["add"], **which),
                        "judges": judge_estimates.of_repetitions(run, body["add"], **which),
                    }
                ).data
            )
            return audit.unrecorded(answer)
        return once(request, request.data, partial(self._repeat, run, body))

    def _repeat(self, run: Run, body: dict[str, Any]) -> Response:
        limits = amount(body), body.get("max_calls")
        with transaction.atomic():
            added = repeating.add(run, self.person, body["add"], *limits, every_variant=body["all_variants"])
            if body["judges"]:
                allowances.allow_repeated(added, Money(*limits))
        fields = {"launch": run.generation.launch_id, "runs": [one.pk for one in added]}
        return Response(RepeatedSerializer(fields).data, 202)


def _by_k(values: Sequence[float | None]) -> dict[str, float | None]:
    return {str(k): value for k, value in enumerate(values, 1)}
