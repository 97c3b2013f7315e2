"""Experiments: list, create, change, add evaluators, delete, restore."""

from dataclasses import replace
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Prefetch, QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from evaluations import owned
from evaluations.access import audit
from evaluations.comparisons import earlier_version
from evaluations.experiments import experiments, reading_steps
from evaluations.imports import tool_figures
from evaluations.judges import allowances
from evaluations.judges import estimates as judge_estimates
from evaluations.launches import estimates, launches
from evaluations.models import Dataset, Evaluator, Experiment, ExperimentEvaluator
from evaluations.prompts import money

from ..described_runs import described
from ..idempotency import once
from ..preconditions import etag
from ..refusals import NotFound
from ..routes import noun
from ..schema import IDEMPOTENCY_KEY, IF_MATCH
from ..serializers.experiment import (
    AskSerializer,
    ExperimentChangeSerializer,
    ExperimentDetailSerializer,
    ExperimentEvaluatorsSerializer,
    ExperimentSerializer,
    NewExperimentSerializer,
    ReadingOffersSerializer,
    ReadingStepSerializer,
    ReadingTakenSerializer,
    ReadingUndoSerializer,
    UseVersionSerializer,
)
from ..serializers.launch import EstimateOnlySerializer
from ..serializers.run import PaidScoresSerializer
from ..serializers.source import SourceSerializer
from .base import RUN, Noun, Restores, View, deletes, find, find_all, takes, visible
from .judgings import pay
from .launches import budget as amount


@extend_schema_view(retrieve=extend_schema(description="An experiment with its runs."))
@noun("experiments", "experiment")
class Experiments(Restores, Noun):
    """Experiments whose dataset is ready."""

    serializer_class: type[BaseSerializer[Any]] = ExperimentDetailSerializer
    needs = {**View.needs, "create": RUN, "evaluators": RUN, "ask": RUN}

    def get_queryset(self) -> QuerySet[Experiment]:
        used = ExperimentEvaluator.objects.select_related("evaluator_version__evaluator")
        return visible(Experiment, self.key).prefetch_related(Prefetch("evaluator_links", queryset=used))

    def tag(self, experiment: Experiment) -> str:
        return etag(
            experiment.pk,
            experiment.name,
            experiment.baseline,
            experiment.dataset_version,
            experiment.primary_id,
            sorted(experiment.margins.items()),
            sorted(experiment.ties.items()),
            experiment.budget_per_run,
            experiment.max_calls_per_run,
        )

    def item(self, experiment: Experiment, status: int = 200) -> Response:
        experiment.described_runs = described(experiments.runs_of(experiment).filter(for_gate=False))  # type: ignore[attr-defined]
        return super().item(experiment, status)

    def get_serializer_class(self) -> type[BaseSerializer[Any]]:
        return ExperimentSerializer if self.action == "list" else super().get_serializer_class()

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return super().filter_queryset(queryset).filter(dataset__status=Dataset.Status.READY)

    @takes(NewExperimentSerializer, {201: ExperimentDetailSerializer})
    def create(self, body: dict[str, Any]) -> Response:
        """Create an experiment on the newest version of a dataset, with the newest versions of evaluators."""
        dataset = find(visible(Dataset, self.key), body["dataset"], "dataset")
        used = find_all(visible(Evaluator, self.key), body["evaluators"], "evaluators")
        return self.answer(experiments.create(self.project, self.person, body["name"], dataset, used), 201)

    @extend_schema(request=ExperimentChangeSerializer, parameters=[IF_MATCH])
    def partial_update(self, request: Request, pk: int) -> Response:
        """Rename it, or choose the default baseline, the primary evaluator, the margins, the tie tolerances, and what
        evaluators that call a server may spend on each later run.
        """
        body = self.checked(ExperimentChangeSerializer)
        with transaction.atomic():
            experiment = self.locked(Experiment)
            if "baseline" in body:
                experiments.set_baseline(experiment, body["baseline"])
            if "primary" in body:
                chosen = find(visible(Evaluator, self.key), body["primary"], "primary")
                experiments.set_primary(experiment, chosen)
            if "margins" in body:
                experiments.set_margins(experiment, body["margins"])
            if "ties" in body:
                experiments.set_ties(experiment, body["ties"])
            _set_money(experiment, body)
            if "name" in body:
                owned.rename(experiment, body["name"])
        return self.answer(experiment)

    destroy = deletes(experiments.delete, "Delete it with its runs; {undo}.")

    @extend_schema(
        request=ExperimentEvaluatorsSerializer,
        responses={202: ExperimentDetailSerializer, 200: PaidScoresSerializer},
        parameters=[IDEMPOTENCY_KEY],
    )
    @action(methods=["post"], detail=True)
    def evaluators(self, request: Request, pk: int) -> Response:
        """Add evaluators. Existing runs are scored now, later runs when they start."""
        experiment, body = find(self.get_queryset(), pk), self.checked(ExperimentEvaluatorsSerializer)
        if body.get("estimate_only"):
            used = find_all(visible(Evaluator, self.key), body["evaluators"], "evaluators")
            runs = experiments.scorable_runs(experiment)
            every = judge_estimates.every(runs, experiments.newest(used))
            return Response(PaidScoresSerializer({"estimates": every}).data)
        return once(request, request.data, partial(self._add_evaluators, experiment, body))

    def _add_evaluators(self, experiment: Experiment, body: dict[str, Any]) -> Response:
        used = find_all(visible(Evaluator, self.key), body["evaluators"], "evaluators")
        with transaction.atomic():
            pay(self, experiments.scorable_runs(experiment), experiments.newest(used), body)
            experiments.add_evaluators(experiment, used)
        return self.answer(experiment, 202)

    @extend_schema(responses=ReadingOffersSerializer)
    @action(detail=True, url_path="reading-steps", url_name="reading")
    def reading_steps(self, request: Request, pk: int) -> Response:
        """The reading steps that its answers need: they begin with a block of reasoning, or with a fence."""
        experiment = find(self.get_queryset(), pk)
        offers = reading_steps.offers(experiment, experiments.shown_runs(experiment))
        return Response(ReadingOffersSerializer({"offers": offers}).data)

    @takes(ReadingStepSerializer, {202: ReadingTakenSerializer}, of=View.get_object)
    @reading_steps.mapping.post
    def take_reading_step(self, experiment: Experiment, body: dict[str, Any]) -> Response:
        """Let its evaluators read by a step: new versions, which score all its runs. Other experiments stay as they
        are."""
        taken = reading_steps.take(experiment, self.person, body["step"])
        return Response(ReadingTakenSerializer(taken).data, status=202)

    @takes(ReadingUndoSerializer, {202: ExperimentDetailSerializer}, of=View.get_object)
    @action(methods=["post"], detail=True, url_path="reading-steps/undo", url_name="reading-undo")
    def undo_reading_step(self, experiment: Experiment, body: dict[str, Any]) -> Response:
        """Use the versions before a step again. The scores of newer versions are removed from this experiment."""
        before = {entry["evaluator"]: entry["version"] for entry in body["versions"]}
        reading_steps.take_back(experiment, before)
        return self.answer(find(self.get_queryset(), experiment.pk), 202)

    @takes(UseVersionSerializer, {202: ExperimentDetailSerializer}, of=View.get_object)
    @action(methods=["post"], detail=True)
    def dataset(self, experiment: Experiment, body: dict[str, Any]) -> Response:
        """Use the newest version of the dataset, or the one named, also an older one. Scored runs are scored again."""
        earlier_version.move(experiment, body.get("version"))
        return self.answer(experiment, 202)

    @extend_schema(
        request=AskSerializer,
        responses={202: ExperimentDetailSerializer, 200: EstimateOnlySerializer},
        parameters=[IDEMPOTENCY_KEY],
    )
    @action(methods=["post"], detail=True)
    def ask(self, request: Request, pk: int) -> Response:
        """Ask the runs of prompts the examples that a newer dataset version added, and score them again.

        `budget` and `max_calls` are new limits for the whole cost of each launch that continues. With `estimate_only`
        nothing is stored and no model is called.
        """
        experiment, body = find(self.get_queryset(), pk), self.checked(AskSerializer)
        if body["estimate_only"]:
            judges = judge_estimates.of_added(experiment)
            answer = Response(
                EstimateOnlySerializer({"estimate": estimates.of_added(experiment), "judges": judges}).data
            )
            return audit.unrecorded(answer)
        return once(request, request.data, partial(self._ask, experiment, body))

    def _ask(self, experiment: Experiment, body: dict[str, Any]) -> Response:
        launches.ask_added(experiment, amount(body), body.get("max_calls"))
        return self.answer(experiment, 202)

    @action(detail=True, serializer_class=SourceSerializer)
    def source(self, request: Request, pk: int) -> Response:
        """The export that the experiment was imported from: graders, and the figures of the tool and of Evalsite."""
        experiment = find(visible(Experiment, self.key), pk)
        if not experiment.source:
            raise NotFound()
        return Response(
            self.get_serializer(experiment.source | {"figures": tool_figures.lines(experiment)}).data
        )


def _set_money(experiment: Experiment, body: dict[str, Any]) -> None:
    """Set what each later run may spend, as far as the body says so."""
    before = named = allowances.of_each_run(experiment)
    if "budget_per_run" in body:
        written = body["budget_per_run"]
        named = replace(named, budget=None if written is None else money.cost(written, "budget_per_run"))
    if "max_calls_per_run" in body:
        named = replace(named, max_calls=body["max_calls_per_run"])
    if named != before:
        allowances.set_for_each_run(experiment, named)
