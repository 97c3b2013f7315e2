"""Experiments: list, create, change, add evaluators, delete, restore."""

from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Prefetch, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations import owned
from evaluations.access import audit
from evaluations.experiments import experiments, reading_steps
from evaluations.imports import tool_figures
from evaluations.judges import estimates as judge_estimates
from evaluations.launches import estimates, launches
from evaluations.models import Dataset, Evaluator, Experiment, ExperimentEvaluator

from ..described_runs import described
from ..idempotency import once
from ..preconditions import etag
from ..refusals import NotFound
from ..routes import route
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
from .base import RUN, Item, NamedCollection, Restore, View, deletes, find, find_all, restores, visible
from .judgings import pay
from .launches import budget as amount


class ExperimentView(View):
    serializer_class = ExperimentDetailSerializer

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
        )

    def item(self, experiment: Experiment, status: int = 200) -> Response:
        experiment.described_runs = described(experiments.runs_of(experiment))  # type: ignore[attr-defined]
        return super().item(experiment, status)


@route("experiments/", "experiment-list")
class ExperimentList(NamedCollection, ExperimentView):
    """Experiments whose dataset is ready."""

    needs = ExperimentView.needs | {"POST": RUN}

    def get_serializer_class(self) -> type[ExperimentSerializer]:
        return ExperimentSerializer if self.request.method == "GET" else ExperimentDetailSerializer

    def listed(self) -> QuerySet[Any]:
        return self.get_queryset().filter(dataset__status=Dataset.Status.READY)

    @extend_schema(
        request=NewExperimentSerializer,
        responses={201: ExperimentDetailSerializer},
        parameters=[IDEMPOTENCY_KEY],
    )
    def post(self, request: Request) -> Response:
        """Create an experiment on the newest version of a dataset, with the newest versions of evaluators."""
        return once(request, request.data, partial(self._create, self.checked(NewExperimentSerializer)))

    def _create(self, body: dict[str, Any]) -> Response:
        dataset = find(visible(Dataset, self.key), body["dataset"], "dataset")
        used = find_all(visible(Evaluator, self.key), body["evaluators"], "evaluators")
        return self.answer(experiments.create(self.project, self.person, body["name"], dataset, used), 201)


@route("experiments/<id:pk>/", "experiment-detail")
class ExperimentDetail(Item, ExperimentView):
    """An experiment with its runs."""

    def get(self, request: Request, pk: int) -> Response:
        return self.answer(self.get_object())

    @extend_schema(request=ExperimentChangeSerializer, parameters=[IF_MATCH])
    def patch(self, request: Request, pk: int) -> Response:
        """Rename it, or choose the default baseline, the primary evaluator and the margins."""
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
            if "name" in body:
                owned.rename(experiment, body["name"])
        return self.answer(experiment)

    delete = deletes(experiments.delete, "Delete it with its runs; {undo}.")


@route("experiments/<id:pk>/restore/", "experiment-restore")
@restores(ExperimentDetailSerializer)
class ExperimentRestore(Restore, ExperimentView):
    """Restores a deleted experiment."""


@route("experiments/<id:pk>/evaluators/", "experiment-evaluators")
class ExperimentEvaluators(ExperimentView):
    needs = {"POST": RUN}

    @extend_schema(
        request=ExperimentEvaluatorsSerializer,
        responses={202: ExperimentDetailSerializer, 200: PaidScoresSerializer},
        parameters=[IDEMPOTENCY_KEY],
    )
    def post(self, request: Request, pk: int) -> Response:
        """Add evaluators. Existing runs are scored now, later runs when they start."""
        experiment, body = find(self.get_queryset(), pk), self.checked(ExperimentEvaluatorsSerializer)
        if body.get("estimate_only"):
            used = find_all(visible(Evaluator, self.key), body["evaluators"], "evaluators")
            runs = experiments.scorable_runs(experiment)
            every = judge_estimates.every(runs, experiments.newest(used))
            return Response(PaidScoresSerializer({"estimates": every}).data)
        return once(request, request.data, partial(self._add, experiment, body))

    def _add(self, experiment: Experiment, body: dict[str, Any]) -> Response:
        used = find_all(visible(Evaluator, self.key), body["evaluators"], "evaluators")
        with transaction.atomic():
            pay(self, experiments.scorable_runs(experiment), experiments.newest(used), body)
            experiments.add_evaluators(experiment, used)
        return self.answer(experiment, 202)


@route("experiments/<id:pk>/reading-steps/", "experiment-reading")
class ExperimentReading(ExperimentView):
    @extend_schema(responses=ReadingOffersSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """The reading steps that its answers need: they begin with a block of reasoning, or with a fence."""
        experiment = find(self.get_queryset(), pk)
        offers = reading_steps.offers(experiment, experiments.shown_runs(experiment))
        return Response(ReadingOffersSerializer({"offers": offers}).data)

    @extend_schema(
        request=ReadingStepSerializer, responses={202: ReadingTakenSerializer}, parameters=[IDEMPOTENCY_KEY]
    )
    def post(self, request: Request, pk: int) -> Response:
        """Let its evaluators read by a step: new versions, which score all its runs. Other experiments stay as they
        are."""
        experiment, body = find(self.get_queryset(), pk), self.checked(ReadingStepSerializer)
        return once(request, request.data, partial(self._take, experiment, body["step"]))

    def _take(self, experiment: Experiment, step: str) -> Response:
        taken = reading_steps.take(experiment, self.person, step)
        return Response(ReadingTakenSerializer(taken).data, status=202)


@route("experiments/<id:pk>/reading-steps/undo/", "experiment-reading-undo")
class ExperimentReadingUndo(ExperimentView):
    @extend_schema(
        request=ReadingUndoSerializer,
        responses={202: ExperimentDetailSerializer},
        parameters=[IDEMPOTENCY_KEY],
    )
    def post(self, request: Request, pk: int) -> Response:
        """Use the versions before a step again. The scores of newer versions are removed from this experiment."""
        experiment, body = find(self.get_queryset(), pk), self.checked(ReadingUndoSerializer)
        before = {entry["evaluator"]: entry["version"] for entry in body["versions"]}
        return once(request, request.data, partial(self._take_back, experiment, before))

    def _take_back(self, experiment: Experiment, versions: dict[int, int]) -> Response:
        reading_steps.take_back(experiment, versions)
        return self.answer(find(self.get_queryset(), experiment.pk), 202)


@route("experiments/<id:pk>/dataset/", "experiment-dataset")
class ExperimentDataset(ExperimentView):
    @extend_schema(
        request=UseVersionSerializer,
        responses={202: ExperimentDetailSerializer},
        parameters=[IDEMPOTENCY_KEY],
    )
    def post(self, request: Request, pk: int) -> Response:
        """Use the newest version of the dataset, or the one named, also an older one. Scored runs are scored again."""
        experiment, body = find(self.get_queryset(), pk), self.checked(UseVersionSerializer)
        return once(request, request.data, partial(self._move, experiment, body.get("version")))

    def _move(self, experiment: Experiment, version: int | None) -> Response:
        experiments.use_dataset_version(experiment, version)
        return self.answer(experiment, 202)


@route("experiments/<id:pk>/ask/", "experiment-ask")
class ExperimentAsk(ExperimentView):
    needs = {"POST": RUN}

    @extend_schema(
        request=AskSerializer,
        responses={202: ExperimentDetailSerializer, 200: EstimateOnlySerializer},
        parameters=[IDEMPOTENCY_KEY],
    )
    def post(self, request: Request, pk: int) -> Response:
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


@route("experiments/<id:pk>/source/", "experiment-source")
class ExperimentSource(View):
    serializer_class = SourceSerializer

    @extend_schema(responses=SourceSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """The export that the experiment was imported from: graders, and the figures of the tool and of Evalsite."""
        experiment = find(visible(Experiment, self.key), pk)
        if not experiment.source:
            raise NotFound()
        return Response(
            self.get_serializer(experiment.source | {"figures": tool_figures.lines(experiment)}).data
        )
