"""The form that adds evaluators to what exists: an experiment with its runs, or one run."""

from collections.abc import Collection, Iterable
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import F

from evaluations.evaluators import evaluators
from evaluations.experiments import advice, experiments
from evaluations.kinds.advised_columns import listed
from evaluations.models import Evaluator, EvaluatorVersion, Experiment
from evaluations.numerals import whole

from ..page_tools.request import HttpRequest, posted
from .choices import EVALUATOR, id_of
from .evaluators import (
    ChooserForm,
    EvaluatorsField,
    chosen,
    groups,
    has_several_references,
    looked_at,
    suggested,
)
from .spending import SpendingForm


class EvaluatorsForm(ChooserForm, SpendingForm):
    """Evaluators to score with, at least one; that of `?evaluator=7` is selected at first."""

    object_fields = ("evaluators",)
    named: int | None = None

    evaluators = EvaluatorsField(
        label="Score with",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Select at least one evaluator."},
    )

    def __init__(
        self, *args: Any, experiment: Experiment, user: User, without: Iterable[int] = (), **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.project, self.user = experiment.project, user
        self.advice = advice.of_experiment(experiment)
        self.looked_at = looked_at(self.advice, experiment.examples.count())
        newest = experiments.scored_completely(experiment)
        self.used_as = evaluators.alike(self.project, newest & {*without} if without else newest)
        complete = ({*without} or newest) | self.used_as.keys()
        self.scored_by = complete | (set() if without else experiments.scored_by(experiment))
        several = has_several_references([experiment.dataset])
        here = EvaluatorVersion.objects.filter(evaluator__in=self.scored_by, number=F("evaluator__version"))
        by_age = here.select_related("evaluator").order_by("evaluator")
        self.kinds_here = {version.kind: version.evaluator for version in by_age}
        offered = groups(self.project, complete, has_several_references=several)
        known = {f"kind:{kind}" for kind in self.kinds_here}
        left = [(name, [choice for choice in group if choice[0] not in known]) for name, group in offered]
        self.choice_field("evaluators").choices = [(name, group) for name, group in left if group]
        cast(EvaluatorsField, self.fields["evaluators"]).scored = {f"{EVALUATOR}{pk}" for pk in complete}

    @classmethod
    def from_request(
        cls, request: HttpRequest, experiment: Experiment, without: Iterable[int] = ()
    ) -> "EvaluatorsForm":
        form = cls(posted(request), experiment=experiment, user=request.user, without=without)
        form.named = whole(request.GET.get("evaluator", ""))
        if form.named:
            form.initial, form.advice = {"evaluators": [f"evaluator:{form.named}"]}, None
        elif not form.scored_by:  # as on the page of an upload
            form.initial = {"evaluators": suggested(experiment.project, form.advice)}
        return form

    @property
    def already(self) -> list[str]:
        """The names of the chosen evaluators that score everything already, such as from another tab."""
        pks = [id_of(value) or 0 for value in self.cleaned_data["evaluators"] if value in self._scored]
        return [evaluator.name for evaluator in Evaluator.objects.filter(pk__in=pks).order_by("pk")]

    def chosen(self) -> list[Evaluator]:
        """The chosen evaluators that do not score everything already."""
        left = [value for value in self.cleaned_data["evaluators"] if value not in self._scored]
        return chosen(self.project, self.user, left)

    def say_already(self, request: HttpRequest, what: str) -> None:
        """Say which of the chosen evaluators score `what` already, and that they did not do so twice."""
        if names := self.already:
            do = "scores" if len(names) == 1 else "score"
            text = "%s %s %s already. Perhaps you started that in another tab; nothing was scored twice."
            messages.info(request, text % (listed(names), do, what))

    @property
    def _scored(self) -> Collection[str]:
        return cast(EvaluatorsField, self.fields["evaluators"]).scored
