"""Trials of prompts: start, read, stop, retry."""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.errors import Invalid
from evaluations.models import Dataset, Evaluator, Prompt, Run, Trial
from evaluations.playground import examples, trials
from evaluations.playground.examples import TrialExamples
from evaluations.playground.trials import Variant
from evaluations.prompts import prompts
from evaluations.prompts.content import Content

from ..idempotency import once
from ..routes import noun, route
from ..serializers.trial import CellSerializer, NewTrialSerializer, TrialSerializer
from .base import READ, WRITE, Single, View, find, find_all, one, takes, visible
from .launches import budget

SOURCES = ("positions", "sample", "worst", "inputs")


class TrialView(View):
    serializer_class = TrialSerializer
    needs = {"GET": READ, "POST": WRITE}

    def get_queryset(self) -> QuerySet[Trial]:
        return visible(Trial, self.key).filter(prompt__deleted_at=None).select_related("budget", "project")

    def item(self, trial: Trial, status: int = 200) -> Response:
        return super().item(trials.state_of(trial), status)

    def _do(self, request: Request, pk: int, do: Callable[[Trial, trials.Cell | None], Trial]) -> Response:
        body = self.checked(CellSerializer)
        trial, cell = find(self.get_queryset(), pk), trials.Cell(**body) if body else None
        return once(request, body, lambda: self.answer(do(trial, cell)))


@route("prompts/<id:pk>/try/", "prompt-try")
class PromptTry(TrialView):
    @takes(NewTrialSerializer, {202: TrialSerializer}, of=one(Prompt))
    def post(self, prompt: Prompt, body: dict[str, Any]) -> Response:
        """Run up to four versions or models on up to five examples. Workers make the calls and score the answers."""
        trial = trials.create(
            prompt,
            self.person,
            [_variant(prompt, variant) for variant in body["variants"]],
            self._chosen(body),
            find_all(visible(Evaluator, self.key), body["evaluators"], "evaluators"),
            budget(body),
            body["cache"],
        )
        return self.answer(trial, 202)

    def _chosen(self, body: dict[str, Any]) -> TrialExamples:
        if len([name for name in SOURCES if name in body]) != 1:
            message = f"Send one of {', '.join(SOURCES)}."
            raise Invalid("invalid_trial", message, fields={"positions": [message]})
        if "inputs" in body:
            return examples.typed(body["inputs"])
        if "worst" in body:
            worst = body["worst"]
            run = find(
                visible(Run, self.key).select_related("experiment__dataset"), worst["run"], "worst/run"
            )
            evaluator = find(visible(Evaluator, self.key), worst["evaluator"], "worst/evaluator")
            return examples.worst(run, evaluator, worst["size"])
        if "dataset" not in body:
            message = "Name the dataset of the examples."
            raise Invalid("required", message, fields={"dataset": [message]})
        dataset = find(visible(Dataset, self.key), body["dataset"], "dataset")
        if "sample" in body:
            return examples.at_random(dataset, **body["sample"])
        return examples.named(dataset, [str(position) for position in body["positions"]])


def _variant(prompt: Prompt, body: dict[str, Any]) -> Variant:
    version = prompts.version_of(prompt, body.get("version"))
    parts = Content.from_version(version).parts()
    changed = {"model": body.get("model") or parts["model"]}
    changed["parameters"] = parts["parameters"] | body.get("parameters", {})
    name = body.get("name") or ", ".join(filter(None, (f"v{version.number}", body.get("model"))))
    return Variant(Content(**parts | changed), version.number, name)


@noun("trials", "trial")
class Trials(Single, TrialView):
    """The answers that have arrived, with tokens, cost, time and scores; deleted after a day."""

    @extend_schema(request=CellSerializer, responses=TrialSerializer)
    @action(methods=["post"], detail=True)
    def stop(self, request: Request, pk: int) -> Response:
        """Stop making calls, or stop one of them. Answers that have arrived stay."""
        return self._do(request, pk, trials.stop)

    @extend_schema(request=CellSerializer, responses=TrialSerializer)
    @action(methods=["post"], detail=True)
    def again(self, request: Request, pk: int) -> Response:
        """Retry answers that failed, were stopped or were lost, or one of them. These calls are paid for again."""
        return self._do(request, pk, trials.ask_again)
