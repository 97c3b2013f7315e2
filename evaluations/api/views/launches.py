"""Launches: list, estimate, start, cancel, continue."""

from dataclasses import replace
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.access import audit
from evaluations.errors import Invalid
from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import experiments
from evaluations.judges import allowances, paid
from evaluations.judges import estimates as judge_estimates
from evaluations.launches import detection, estimates, following, launches, plans, states, stopping
from evaluations.launches.detection import Detection
from evaluations.launches.plans import Plan, Variant
from evaluations.models import Dataset, Evaluator, EvaluatorVersion, Experiment, Launch, Prompt
from evaluations.prompts import money, prompts
from evaluations.prompts.named import Money

from ..idempotency import once
from ..routes import noun
from ..serializers.launch import (
    ContinueSerializer,
    EstimateOnlySerializer,
    LaunchSerializer,
    NewLaunchSerializer,
)
from ..serializers.page import PageQuery
from .base import READ, RUN, Noun, View, find, find_all, takes, visible
from .datasets import split_of


@extend_schema_view(retrieve=extend_schema(description="The progress of a launch, and what it has spent."))
@noun("launches", "launch")
class Launches(Noun):
    """Launches of the project."""

    serializer_class = LaunchSerializer
    list_query = PageQuery
    needs = {"GET": READ, "POST": RUN}
    states: dict[int, Any] = {}

    def get_queryset(self) -> QuerySet[Launch]:
        return (
            visible(Launch, self.key)
            .filter(experiment__deleted_at=None)
            .select_related("budget", "experiment", "split")
        )

    def paginate_queryset(self, queryset: Any) -> Any:
        rows = super().paginate_queryset(queryset)
        self.states = states.of_launches(rows)  # of all launches of a page, in the same few queries
        return rows

    def get_serializer_context(self) -> dict[str, Any]:
        listed = {"launch_states": self.states} if self.action == "list" else {}
        return {**super().get_serializer_context(), **listed}

    @takes(NewLaunchSerializer, {202: LaunchSerializer, 200: EstimateOnlySerializer})
    def create(self, body: dict[str, Any]) -> Response:
        """Run prompt versions on the examples of an experiment; workers make the calls and score each run.

        With `estimate_only` nothing is stored and no model is called.
        """
        return self._estimated(body) if body["estimate_only"] else self.answer(self._launched(body), 202)

    def _estimated(self, body: dict[str, Any]) -> Response:
        """The estimate of a launch; refuses what a launch would refuse."""
        variants = self._variants(body)
        experiment = self._named_experiment(body)
        dataset = (
            experiment.dataset if experiment else find(visible(Dataset, self.key), body["dataset"], "dataset")
        )
        version = experiment.dataset_version if experiment else dataset.version
        new_plan = plan(body, dataset)
        plans.check(self.project, dataset, variants, new_plan)
        size = plans.size_of(new_plan, dataset, version)
        estimate = estimates.of_plan(self.project, dataset, version, variants, size, new_plan.repetitions)
        detects = self._detects(body, experiment, dataset, size)
        judges = self._judges(body, experiment)
        if judges and new_plan.names_money:
            allowances.check(self.project, dataset, judges, Money(new_plan.budget, new_plan.max_calls))
        answer = Response(
            EstimateOnlySerializer(
                {
                    "estimate": estimate and replace(estimate, detects=detects),
                    "judges": judge_estimates.of_plan(
                        dataset, experiment, judges, len(variants) * new_plan.repetitions, size
                    ),
                }
            ).data
        )
        return audit.unrecorded(answer)

    def _judges(self, body: dict[str, Any], experiment: Experiment | None) -> list[EvaluatorVersion]:
        """The evaluators that would be paid for the answers."""
        named = experiments.newest(find_all(visible(Evaluator, self.key), body["evaluators"], "evaluators"))
        used = paid.of(experiment) if experiment else []
        known = {version.evaluator_id for version in used}
        added = [version for version in paid.among(named) if version.evaluator_id not in known]
        return [*used, *added] if body["judges"] else []

    def _detects(
        self, body: dict[str, Any], experiment: Experiment | None, dataset: Dataset, size: int
    ) -> Detection | None:
        """The power by the primary evaluator: that of the experiment, else the first one named."""
        evaluators = find_all(visible(Evaluator, self.key), body["evaluators"], "evaluators")
        primary_version = following.primary_version(experiment) if experiment else None
        version = primary_version or next(iter(experiments.newest(evaluators[:1])), None)
        stop_margin, names = margin(body), [variant.label for variant in self._variants(body)]
        if stop_margin is not None:
            stopping.check(version, names, stop_margin)
        difference = stop_margin or (
            experiment.margins.get(str(experiment.primary_id)) if experiment else None
        )
        recipe = Recipe.from_version(version) if version else None
        stops = stop_margin is not None
        return detection.of_plan(recipe, size, len(names), difference, stops, dataset)

    def _launched(self, body: dict[str, Any]) -> Launch:
        variants = self._variants(body)
        with transaction.atomic():
            experiment = self._experiment(body)
            launch = launches.create(experiment, self.person, variants, plan(body, experiment.dataset))
            if body["judges"]:
                allowances.allow_launch(launch)
        return launch

    def _variants(self, body: dict[str, Any]) -> list[Variant]:
        return [self._variant(number, fields) for number, fields in enumerate(body["variants"])]

    def _variant(self, number: int, body: dict[str, Any]) -> Variant:
        prompt = find(visible(Prompt, self.key), body["prompt"], f"variants/{number}/prompt")
        version = prompts.version_of(prompt, body.get("version"))
        return Variant(version, body.get("name", ""), body.get("model", ""), body.get("parameters"))

    def _experiment(self, body: dict[str, Any]) -> Experiment:
        evaluators = find_all(visible(Evaluator, self.key), body["evaluators"], "evaluators")
        if experiment := self._named_experiment(body):
            experiments.add_evaluators(experiment, evaluators)
            return experiment
        dataset = find(visible(Dataset, self.key), body["dataset"], "dataset")
        return experiments.create(self.project, self.person, body["name"], dataset, evaluators)

    def _named_experiment(self, body: dict[str, Any]) -> Experiment | None:
        """The experiment named in the body; None for a new one."""
        if "experiment" in body:
            return find(visible(Experiment, self.key), body["experiment"], "experiment")
        if "name" not in body or "dataset" not in body:
            message = "Name an experiment, or send the name and dataset of a new one."
            raise Invalid("required", message, fields={"experiment": [message]})
        return None

    @extend_schema(request=None, responses=LaunchSerializer)
    @action(methods=["post"], detail=True)
    def cancel(self, request: Request, pk: int) -> Response:
        """Stop making calls. Answers are kept, and `continue/` resumes from there."""
        self.nothing_given()
        launch = find(self.get_queryset(), pk)
        return once(request, {}, lambda: self.answer(allowances.cancel(launch)))

    @takes(ContinueSerializer, LaunchSerializer, of=View.get_object)
    @action(methods=["post"], detail=True, url_path="continue", url_name="continue")
    def resume(self, launch: Launch, body: dict[str, Any]) -> Response:
        """Generate the missing answers of a stopped launch, with new limits if given. No answer is paid for twice."""
        return self.answer(allowances.resume(launch, budget(body), body.get("max_calls")))


def plan(body: dict[str, Any], dataset: Dataset) -> Plan:
    sample = body["sample"] or {}
    return Plan(
        repetitions=body["repetitions"],
        budget=budget(body),
        max_calls=body["max_calls"],
        size=sample.get("size"),
        seed=sample.get("seed"),
        tolerated=body["tolerated_failures"],
        cache=body["cache"],
        pilot=body["trial"],
        margin=margin(body),
        split=split_of(dataset, body),
        baseline=body["baseline"],
        for_gate=body["for_gate"],
    )


def margin(body: dict[str, Any]) -> float | None:
    """The margin with which a launch stops early; None if all examples are asked."""
    stop = body["stop"] or {}
    return stop["margin"] if stop.get("when") == "decided" else None


def budget(body: dict[str, Any]) -> int | None:
    """The budget in millionths of millionths of the currency."""
    text = body.get("budget")
    return None if text is None else money.cost(text, "budget")
