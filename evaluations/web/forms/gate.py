"""A new gate: a baseline of one experiment, and for each of its evaluators what a run must reach."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.forms.boundfield import BoundField
from django.http import HttpRequest

from evaluations.comparisons import gates
from evaluations.comparisons.gates import Plan
from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import experiments
from evaluations.models import EvaluatorVersion, Experiment, Gate, Run
from evaluations.results.shown import scorings_by_run

from .form import Form

Criterion = dict[str, Any]


def _number(label: str, **options: Any) -> forms.FloatField:
    widget = forms.TextInput({"class": "input", "inputmode": "decimal", "autocomplete": "off"})
    return forms.FloatField(label=label, required=False, widget=widget, **options)


@dataclass(frozen=True)
class Row:
    """The fields of one evaluator; `passes` is None where it has no pass threshold."""

    version: EvaluatorVersion
    margin: BoundField
    better: BoundField
    least: BoundField
    passes: BoundField | None


class GateForm(Form):
    things = ("baseline",)
    name = forms.CharField(max_length=200)
    baseline = forms.ChoiceField()
    answered = _number("At least … % answered", min_value=0, max_value=100)
    examples = _number("At least … examples", min_value=0)
    cost = _number("Mean cost at most", min_value=0)
    latency = _number("Mean latency at most, ms", min_value=0)
    missing = forms.ChoiceField(
        label="Unanswered examples",
        choices=[("worst", "count as worst"), ("exclude", "are left out")],
        initial="worst",
    )
    accepts_inconclusive = forms.BooleanField(label="Inconclusive counts as green", required=False)

    def __init__(self, *args: Any, experiment: Experiment, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.experiment, self.user = experiment, user
        shown = experiments.shown_runs(experiment)
        self.runs = {str(run.pk): run for run in shown if run.status == Run.Status.COMPLETED}
        self.fields["baseline"].choices = [(pk, run.variant) for pk, run in self.runs.items()]
        self.versions = self._versions()
        for version in self.versions:
            self._add(version)

    @classmethod
    def from_request(cls, request: HttpRequest, experiment: Experiment) -> "GateForm":
        data = request.POST if request.method == "POST" else None
        initial = {"baseline": request.GET.get("baseline"), "name": experiment.name[:200]}
        return cls(data, initial=initial, experiment=experiment, user=request.user)

    def _versions(self) -> list[EvaluatorVersion]:
        """Of the evaluators that scored one of the runs, the primary one first."""
        by_run = scorings_by_run(list(self.runs.values()))
        used = {
            s.evaluator_version.evaluator_id: s.evaluator_version
            for scorings in by_run.values()
            for s in scorings
        }
        return sorted(used.values(), key=lambda one: one.evaluator_id != self.experiment.primary_id)

    def _add(self, version: EvaluatorVersion) -> None:
        pk, name = version.evaluator_id, version.evaluator.name
        margin = self.experiment.margins.get(str(pk))
        self.fields[f"margin-{pk}"] = _number(f"{name}: at most … worse", min_value=0, initial=margin)
        self.fields[f"better-{pk}"] = forms.BooleanField(label=f"{name}: better", required=False)
        self.fields[f"least-{pk}"] = _number(f"{name}: mean at least")
        if Recipe.from_version(version).threshold is not None:
            label = f"{name}: no newly failing example"
            self.fields[f"passes-{pk}"] = forms.BooleanField(label=label, required=False)

    @property
    def rows(self) -> list[Row]:
        return [self._row(version) for version in self.versions]

    def _row(self, version: EvaluatorVersion) -> Row:
        margin, better, least, passes = (
            f"{name}-{version.evaluator_id}" for name in ("margin", "better", "least", "passes")
        )
        last = self[passes] if passes in self.fields else None
        return Row(version, self[margin], self[better], self[least], last)

    def create(self) -> Gate:
        values = self.cleaned_data
        plan = Plan(
            self.runs[values["baseline"]],
            list(self._criteria()),
            values["missing"],
            values["accepts_inconclusive"],
        )
        return gates.create(self.experiment.project, self.user, values["name"], plan)

    def _criteria(self) -> Iterator[Criterion]:
        values = self.cleaned_data
        for version in self.versions:
            yield from self._of_evaluator(version.evaluator_id)
        if values["answered"] is not None:
            yield {"rule": "answered", "value": values["answered"] / 100}
        for rule in ("examples", "cost", "latency"):
            if values[rule] is not None:
                yield {"rule": rule, "value": values[rule]}

    def _of_evaluator(self, pk: int) -> Iterator[Criterion]:
        values = self.cleaned_data
        if values[f"margin-{pk}"]:
            yield {"rule": "not_worse", "evaluator": pk, "margin": values[f"margin-{pk}"]}
        if values[f"better-{pk}"]:
            yield {"rule": "better", "evaluator": pk}
        if values[f"least-{pk}"] is not None:
            yield {"rule": "at_least", "evaluator": pk, "value": values[f"least-{pk}"]}
        if values.get(f"passes-{pk}"):
            yield {"rule": "no_new_failures", "evaluator": pk}
