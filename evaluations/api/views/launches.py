from collections.abc import Sequence
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.errors import Invalid
from evaluations.experiments import experiments
from evaluations.launches import launches, looking
from evaluations.launches.plans import Plan, Variant
from evaluations.models import Dataset, Evaluator, Experiment, Launch, Prompt
from evaluations.prompts import money, prompts

from ..idempotency import once
from ..schema import IDEMPOTENCY_KEY
from ..serializers.launch import ContinueSerializer, LaunchSerializer, NewLaunchSerializer
from .base import READ, RUN, Collection, Item, View, find, find_all, seen


class LaunchView(View):
    serializer_class = LaunchSerializer
    needs = {"GET": READ, "POST": RUN}

    def get_queryset(self) -> QuerySet:
        return (
            seen(Launch, self.key).filter(experiment__deleted_at=None).select_related("budget", "experiment")
        )

    def answer(self, launch: Launch, status: int = 200) -> Response:
        return Response(self.get_serializer(self.get_queryset().get(pk=launch.pk)).data, status)


class LaunchList(Collection, LaunchView):
    """Launches of the project."""

    def shown(self, rows: Sequence[Launch]) -> list[Any]:
        """All of a page are looked at together."""
        context = self.get_serializer_context() | {"looks": looking.look_at(rows)}
        return LaunchSerializer(rows, many=True, context=context).data

    @extend_schema(
        request=NewLaunchSerializer, responses={202: LaunchSerializer}, parameters=[IDEMPOTENCY_KEY]
    )
    def post(self, request: Request) -> Response:
        """Let prompt versions answer the examples of an experiment; workers do it, and score each run."""
        return once(request, request.data, partial(self._create, self.checked(NewLaunchSerializer)))

    def _create(self, sent: dict[str, Any]) -> Response:
        variants = [self._variant(number, one) for number, one in enumerate(sent["variants"])]
        with transaction.atomic():
            launch = launches.create(self._experiment(sent), self.person, variants, plan(sent))
        return self.answer(launch, 202)

    def _variant(self, number: int, sent: dict[str, Any]) -> Variant:
        prompt = find(seen(Prompt, self.key), sent["prompt"], f"variants/{number}/prompt")
        version = prompts.version_of(prompt, sent.get("version"))
        return Variant(version, sent.get("name", ""), sent.get("model", ""), sent.get("parameters"))

    def _experiment(self, sent: dict[str, Any]) -> Experiment:
        evaluators = find_all(seen(Evaluator, self.key), sent["evaluators"], "evaluators")
        if "experiment" in sent:
            experiment = find(seen(Experiment, self.key), sent["experiment"], "experiment")
            experiments.add_evaluators(experiment, evaluators)
            return experiment
        if "name" not in sent or "dataset" not in sent:
            message = "Name an experiment, or send the name and dataset of a new one."
            raise Invalid("required", message, fields={"experiment": [message]})
        dataset = find(seen(Dataset, self.key), sent["dataset"], "dataset")
        return experiments.create(self.project, self.person, sent["name"], dataset, evaluators)


def plan(sent: dict[str, Any]) -> Plan:
    sample = sent["sample"] or {}
    return Plan(
        repetitions=sent["repetitions"],
        budget=budget(sent),
        max_calls=sent["max_calls"],
        size=sample.get("size"),
        seed=sample.get("seed"),
        tolerated=sent["tolerated_failures"],
        cache=sent["cache"],
    )


def budget(sent: dict[str, Any]) -> int | None:
    """In millionths of millionths of the currency."""
    text = sent.get("budget")
    return None if text is None else money.cost(text, "budget")


class LaunchDetail(Item, LaunchView):
    """How far a launch is, and what it has spent."""


class LaunchCancel(LaunchView):
    @extend_schema(request=None, responses=LaunchSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Ask nothing more; answers are kept, and `continue/` goes on from there."""
        self.nothing_given()
        launch = find(self.get_queryset(), pk)
        return once(request, {}, lambda: self.answer(launches.cancel(launch)))


class LaunchContinue(LaunchView):
    @extend_schema(request=ContinueSerializer, responses=LaunchSerializer, parameters=[IDEMPOTENCY_KEY])
    def post(self, request: Request, pk: int) -> Response:
        """Generate what a stopped launch lacks, with another budget where one is sent; no answer is paid twice."""
        launch, sent = find(self.get_queryset(), pk), self.checked(ContinueSerializer)
        return once(request, request.data, lambda: self.answer(launches.resume(launch, budget(sent))))
