"""Runs: create, add outputs, start, cancel, resume, retry, delete, restore."""

from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from evaluations.access import audit
from evaluations.experiments import about, experiments, for_gates, runs
from evaluations.imports import imports, outputs, run_names, second_files
from evaluations.judges import allowances, estimates, paid
from evaluations.launches import launches
from evaluations.models import ApiKey, Dataset, Evaluator, Experiment, Run, Upload
from evaluations.values import LARGEST_ID

from .. import json_body
from ..described_runs import described
from ..idempotency import once
from ..refusals import NotFound
from ..routes import noun
from ..schema import IDEMPOTENCY_KEY
from ..serializers.reading import how_of
from ..serializers.run import (
    FACTS,
    NewRunSerializer,
    NewScoringsSerializer,
    OutputsSerializer,
    PaidScoresSerializer,
    RunChangeSerializer,
    RunRetrySerializer,
    RunSerializer,
    RunsQuery,
    RunStartSerializer,
    RunUploadSerializer,
    StoredSerializer,
)
from .base import READ, RUN, WRITE, Noun, Restores, View, deletes, find, find_all, takes, visible
from .datasets import is_form, split_of
from .judgings import against_of, money_of, pay


def runs_of(key: ApiKey) -> QuerySet[Run]:
    """The runs that a key sees, with what their answers name."""
    live = visible(Run, key).filter(experiment__deleted_at=None)
    return live.select_related("experiment__dataset", "project", "prompt_version__prompt", "split")


class RunView(View):
    serializer_class: type[BaseSerializer[Any]] = RunSerializer

    def get_queryset(self) -> QuerySet[Run]:
        return runs_of(self.key)

    def item(self, run: Run, status: int = 200) -> Response:
        return Response(RunSerializer(*described([run])).data, status)

    def run(self) -> Run:
        return find(self.get_queryset(), self.kwargs["pk"])


@extend_schema_view(retrieve=extend_schema(description="A run with its figures."))
@noun("runs", "run")
class Runs(Restores, Noun, RunView):
    """Runs of experiments whose dataset is ready."""

    needs = {"GET": READ, "POST": RUN, "PATCH": RUN, "DELETE": WRITE, "restore": WRITE}
    list_query = RunsQuery
    creates_from_files = True

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        lookups = {
            name: self.params[name]
            for name in ("experiment", "variant", "status", "for_gate")
            if name in self.params
        }
        if not 0 < lookups.get("experiment", 1) <= LARGEST_ID:
            raise NotFound("such experiment", "experiment")
        return queryset.filter(experiment__dataset__status=Dataset.Status.READY, **lookups)

    def paginate_queryset(self, queryset: Any) -> Any:
        return described(super().paginate_queryset(queryset))

    @extend_schema(
        request={"application/json": NewRunSerializer, "multipart/form-data": RunUploadSerializer},
        responses={201: RunSerializer, 202: RunSerializer, 200: PaidScoresSerializer},
        parameters=[IDEMPOTENCY_KEY],
    )
    def create(self, request: Request) -> Response:
        """Create a run from the outputs of a variant, as JSON (201) or as a file (202). With `start` it is scored at
        once, by evaluators that call a server if money is named. With `estimate_only` nothing is stored."""
        if is_form(request):
            return self._upload(self.checked(RunUploadSerializer))
        body = self.checked(NewRunSerializer)
        if body["estimate_only"]:
            return self._estimated(body)
        return once(request, request.data, partial(self._create, body))

    def _create(self, body: dict[str, Any]) -> Response:
        experiment = self._experiment(body)
        with transaction.atomic():
            run = self._stored(experiment, body)
            if body["start"]:
                run = allowances.start(run, money_of(body), against_of(self, body))
            else:
                allowances.allow_new([run], money_of(body))
        return self.answer(run, 201)

    def _stored(self, experiment: Experiment, body: dict[str, Any]) -> Run:
        outputs_of = {"outputs": body["outputs"], "column": body.get("column", "")}
        return runs.create(experiment, self.person, start=False, **outputs_of, **_facts(experiment, body))

    def _estimated(self, body: dict[str, Any]) -> Response:
        """What scoring the outputs would cost; the run is created to be measured, and taken back."""
        experiment = self._experiment(body)
        with transaction.atomic():
            run = self._stored(experiment, body)
            every = estimates.every([run], experiments.versions_of(experiment))
            transaction.set_rollback(True)
        answer = Response(PaidScoresSerializer({"estimates": every}).data)
        return audit.unrecorded(answer)

    def _estimated_file(self, experiment: Experiment, upload: Upload, read: dict[str, Any]) -> Response:
        """What evaluators of the answers in a file would cost, if every example has one."""
        called = paid.of(experiment)
        answer = outputs.usual_length(upload, read)
        size = experiment.examples.count()
        every = estimates.of_plan(experiment.dataset, experiment, called, 1, size, answer)
        return audit.unrecorded(Response(PaidScoresSerializer({"estimates": every}).data))

    def _experiment(self, body: dict[str, Any]) -> Experiment:
        return find(
            visible(Experiment, self.key).select_related("dataset", "project"),
            body["experiment"],
            "experiment",
        )

    def _upload(self, body: dict[str, Any]) -> Response:
        experiment = self._experiment(body)
        sent = json_body.object_in(body["mapping"], "mapping") if "mapping" in body else None
        described = body | {"about": json_body.object_in(body["about"], "about")}
        with self.parked(body) as upload:
            how = how_of(body)
            as_first = sent is None and not how.long
            reading = partial(second_files.read, upload, experiment, how)
            reading = reading if as_first else partial(outputs.checked, upload, sent, how)
            if body["estimate_only"]:
                return self._estimated_file(experiment, upload, reading())
            identity = body | {"file": upload.sha256}

            @transaction.atomic
            def create() -> Response:
                read = reading()
                is_named = as_first and read.get("repeats", "any")
                named = run_names.suggested(upload, experiment) if is_named else ""
                variant = outputs.variant_of(upload, read, body.get("variant") or named)
                facts = _facts(experiment, described | {"variant": variant})
                run = runs.create(experiment, self.person, start=False, **facts)
                allowances.allow_new([run], money_of(body))
                return self.answer(imports.begin_outputs(upload, run, read, start=body["start"]), 202)

            return once(self.request, identity, create)

    @extend_schema(request=RunChangeSerializer)
    def partial_update(self, request: Request, pk: int) -> Response:
        """Change the description of the variant, or whether it counts as one. Outputs and scores stay."""
        run, body = self.get_object(), self.checked(RunChangeSerializer)
        with transaction.atomic():
            if "for_gate" in body:
                for_gates.keep_apart(run, body["for_gate"])
            if "about" in body:
                about.describe(run, body["about"])
        return self.answer(run)

    destroy = deletes(runs.delete, "Delete it; {undo}. 409 while it is in progress.")

    def restorable(self) -> QuerySet[Any]:
        return super().restorable().filter(experiment__deleted_at=None)

    @takes(OutputsSerializer, StoredSerializer, of=RunView.run)
    @action(methods=["post"], detail=True)
    def outputs(self, run: Run, body: dict[str, Any]) -> Response:
        """Add outputs to a draft; they replace earlier outputs of the same examples. On an error none is added."""
        stored = runs.add_outputs(run, body["outputs"])
        return Response(StoredSerializer({"stored": stored, "output_count": run.output_count}).data)

    @extend_schema(request=RunStartSerializer, responses=RunSerializer, parameters=[IDEMPOTENCY_KEY])
    @action(methods=["post"], detail=True)
    def start(self, request: Request, pk: int) -> Response:
        """Score a draft with the evaluators of its experiment, by those that call a server if money is named now or
        was before.

        `scorings/` with `estimate_only` says what they would cost.
        """
        run, body = self.run(), self.checked(RunStartSerializer)
        return once(request, body, lambda: self.answer(allowances.start(run, money_of(body))))

    @extend_schema(request=None, responses=RunSerializer)
    @action(methods=["post"], detail=True)
    def cancel(self, request: Request, pk: int) -> Response:
        """Stop scoring. Scores so far are kept, and `resume/` continues from there."""
        self.nothing_given()
        run = self.run()
        return once(request, {}, lambda: self.answer(runs.cancel(run)))

    @extend_schema(request=None, responses={202: RunSerializer})
    @action(methods=["post"], detail=True)
    def resume(self, request: Request, pk: int) -> Response:
        """Score the remaining examples of a cancelled run."""
        self.nothing_given()
        run = self.run()
        return once(request, {}, lambda: self.answer(runs.resume(run), 202))

    @extend_schema(request=RunRetrySerializer, responses={202: RunSerializer}, parameters=[IDEMPOTENCY_KEY])
    @action(methods=["post"], detail=True, url_name="ask")
    def retry(self, request: Request, pk: int) -> Response:
        """Retry the failed answers of a generated run, or those with one `cause`; the run is scored again."""
        run, body = self.run(), self.checked(RunRetrySerializer)
        retry = partial(launches.retry, run, body.get("cause", ""))
        return once(request, body, lambda: self.answer(retry(), 202))

    @extend_schema(
        request=NewScoringsSerializer,
        responses={202: RunSerializer, 200: PaidScoresSerializer},
        parameters=[IDEMPOTENCY_KEY],
    )
    @action(methods=["post"], detail=True)
    def scorings(self, request: Request, pk: int) -> Response:
        """Score a run with more evaluators, or retry failed examples. Outputs stay."""
        run, body = self.run(), self.checked(NewScoringsSerializer)
        if body.get("estimate_only"):
            used = find_all(visible(Evaluator, self.key), body["evaluators"], "evaluators")
            every = estimates.every([run], experiments.newest(used))
            return Response(PaidScoresSerializer({"estimates": every}).data)
        return once(request, request.data, partial(self._add_scorings, run, body))

    def _add_scorings(self, run: Run, body: dict[str, Any]) -> Response:
        used = find_all(visible(Evaluator, self.key), body["evaluators"], "evaluators")
        score = runs.retry_errors if body.get("only") == "errors" else runs.add_scorings
        with transaction.atomic():
            pay(self, [run], experiments.newest(used), body)
            scored = score(run, used)
        return self.answer(scored, 202)


def _facts(experiment: Experiment, body: dict[str, Any]) -> dict[str, Any]:
    """What a body says of the run itself, as `runs.create` takes it."""
    facts = {name: body[name] for name in FACTS if name in body}
    return facts | {"split": split_of(experiment.dataset, body)}
