"""A gate: its name, its baseline, and the criteria that a run must meet."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, cast

from django import forms
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import QueryDict

from evaluations.comparisons.people import standing
from evaluations.errors import Refusal
from evaluations.evaluators.recipe import Recipe
from evaluations.gates import gates
from evaluations.gates.criteria import MOST_CRITERIA
from evaluations.gates.gates import Plan
from evaluations.models import EvaluatorVersion, Experiment, Gate, GateCheck, Project, Run, Split
from evaluations.results.shown import scorings_by_run
from evaluations.scoring import telling
from evaluations.statistics.wording import Part, text
from evaluations.values import LONGEST_NAME

from .criteria import Criterion, CriterionForm, bound, moved, sent_rows, typed
from .form import Form, Meanwhile

USUAL_SHARE = 0.02
MOST_SHOWN = 5  # runs that a form judges before it is saved
ANOTHER_EXPERIMENT = {  # its runs and evaluators replace the whole form, not only what runs would get
    "hx-post": "",
    "hx-trigger": "input consume",
    "hx-vals": '{"do": "experiment"}',
    "hx-target": "closest form",
    "hx-select": ".gate-form",
}


Seen = tuple[list[Part], list[GateCheck]]  # what a gate demands, and what runs would get


class GateForm(Form):
    """`rows` are its criteria. Buttons that add or remove a row show the form again with its typed values."""

    object_fields = ("experiment", "baseline", "split")
    name = forms.CharField(
        max_length=LONGEST_NAME,
        widget=forms.TextInput({"placeholder": "such as: support, release"}),
    )
    experiment = forms.ModelChoiceField(
        Experiment.objects.none(), required=False, empty_label=None, widget=forms.Select(ANOTHER_EXPERIMENT)
    )
    shown_experiment = forms.CharField(required=False, widget=forms.HiddenInput)
    baseline = forms.ChoiceField(label="Baseline, fixed")
    split = forms.ModelChoiceField(
        Split.objects.none(),
        required=False,
        empty_label="all",
        label="Examples",
        help_text="If set, only the examples of this split count.",
    )
    missing = forms.ChoiceField(
        label="Unanswered or unreadable",
        choices=[("worst", "count as worst"), ("exclude", "are excluded")],
        initial="worst",
    )
    accepts_inconclusive = forms.ChoiceField(
        label="If it is inconclusive",
        choices=[("off", "is not passed (exit code 2)"), ("on", "counts as passed (exit code 0)")],
        required=False,
        help_text="When there are too few examples to decide a criterion, and none failed.",
    )
    unchecked = forms.BooleanField(label="Take judges that are not checked against people", required=False)
    hash = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)
    name_was = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(
        self,
        form_data: QueryDict | None,
        *,
        project: Project,
        runs: Sequence[Run],
        versions: Sequence[EvaluatorVersion],
        initial: dict[str, Any],
        criteria: Sequence[dict[str, Any]],
        experiments: QuerySet[Experiment] | None = None,
        gate: Gate | None = None,
    ) -> None:
        self.gate = gate
        self.action = form_data.get("do", "save") if form_data is not None else ""
        is_saved = self.action in ("save", "preview")
        shown = form_data.dict() if form_data is not None else initial
        if gate:
            shown.setdefault("name_was", gate.name)
        super().__init__(form_data if is_saved else None, initial=shown)
        if gate and self.action == "save":
            self.initial = {
                **shown,
                "name": gate.name,
            }  # as it is stored now; the hash says nothing of the name
        if experiments is None:
            del self.fields["experiment"], self.fields["shown_experiment"]
        else:
            self.object_field("experiment").queryset = experiments
        self.fields["name"].required = self.action != "preview"
        self.project, self.runs = project, {str(run.pk): run for run in runs}
        self.versions = versions
        datasets = {run.experiment.dataset_id for run in runs}
        self.object_field("split").queryset = Split.objects.live().filter(dataset__in=datasets)
        self.choice_field("baseline").choices = [
            (pk, f"{run.variant}, run {pk}") for pk, run in self.runs.items()
        ]
        rows = (
            moved(sent_rows(form_data), self.action)
            if form_data is not None
            else [typed(criterion, self._shares) for criterion in criteria]
        )
        self.rows = self._rows(rows[: MOST_CRITERIA + 1], is_saved=is_saved)

    @property
    def is_wanted(self) -> bool:
        """Whether the form was submitted to be saved, not to be previewed, and not to add or remove a row."""
        return self.is_bound and self.action == "save"

    @property
    def size(self) -> int:
        """The examples of the largest dataset of its runs."""
        return max((run.experiment.dataset.example_count for run in self.runs.values()), default=0)

    def preview(self) -> Seen | None:
        """The criteria in a sentence and what the newest other runs would get; None while the form is not complete."""
        others = [run for pk, run in self.runs.items() if pk != str(self["baseline"].value())]
        shown = self.action if self.is_bound else ""
        seen = self.do(lambda: gates.preview(self.project, self.plan, others[:MOST_SHOWN])) if shown else None
        if seen is not None:
            asking = [row for row in self.rows if row.criterion]
            for row, meaning in zip(asking, gates.meanings(self.project, self.plan), strict=True):
                row.meaning = meaning
        return seen

    def filled(self) -> "GateForm":
        """This form, sent as it is shown, to be previewed."""
        shown = {name: self[name].value() for name in self.fields}
        form_data = QueryDict(mutable=True)
        rows = [{name: row[name].value() for name in row.fields} for row in self.rows]
        form_data.update({name: value for name, value in shown.items() if value not in (None, False)})
        form_data.update({**bound(rows), "do": "preview"})
        experiments = self.object_field("experiment").queryset if "experiment" in self.fields else None
        return GateForm(
            form_data,
            project=self.project,
            runs=list(self.runs.values()),
            versions=self.versions,
            initial={},
            criteria=[],
            experiments=experiments,
        )

    def _rows(self, rows: Sequence[dict[str, str]], *, is_saved: bool) -> list[CriterionForm]:
        evaluators = [(version.evaluator_id, self._named(version)) for version in self.versions]
        bound_data = bound(rows) if is_saved else None
        return [
            CriterionForm(
                bound_data,
                prefix=str(number),
                initial=row,
                evaluators=evaluators,
                shares=self._shares,
                ones=self._ones,
                currency=self.project.currency,
            )
            for number, row in enumerate(rows)
        ]

    @cached_property
    def _shares(self) -> set[str]:
        """The evaluators, by id, whose means are per cent."""
        return {str(v.evaluator_id) for v in self.versions if Recipe.from_version(v).is_per_cent}

    @cached_property
    def _ones(self) -> set[str]:
        """The evaluators, by id, whose scores lie anywhere between 0 and 1."""
        ranged = {str(v.evaluator_id) for v in self.versions if Recipe.from_version(v).bounds == (0, 1)}
        return ranged - self._shares

    @cached_property
    def unheld(self) -> set[int]:
        """The evaluators that are judges not checked against people."""
        known = standing.of(self.versions)
        return {v.evaluator_id for v in self.versions if known.get(v.pk) == "not_held"}

    def _named(self, version: EvaluatorVersion) -> str:
        is_unheld = version.evaluator_id in self.unheld
        return (
            f"{version.evaluator.name}, not checked against people" if is_unheld else version.evaluator.name
        )

    def is_valid(self) -> bool:
        return all([super().is_valid(), *[row.is_valid() for row in self.rows]])

    @property
    def status(self) -> int:
        return max([super().status, *[row.status for row in self.rows]])

    @property
    def plan(self) -> Plan:
        values = self.cleaned_data
        return Plan(
            self.runs[values["baseline"]],
            [self._with_consent(row.criterion) for row in self.rows if row.criterion],
            values["missing"],
            values["accepts_inconclusive"] == "on",
            values["split"],
        )

    def _with_consent(self, criterion: Criterion) -> Criterion:
        takes = self.cleaned_data["unchecked"] and criterion.get("evaluator") in self.unheld
        return criterion | ({"unchecked": True} if takes else {})

    @property
    def has_splits(self) -> bool:
        queryset = self.object_field("split").queryset
        return queryset is not None and queryset.exists()

    def create(self, user: User) -> Gate:
        return gates.create(self.project, user, self.cleaned_data["name"], self.plan)

    def change(self, gate: Gate) -> Gate:
        """Save the changes, unless somebody else changed the gate meanwhile."""
        values = self.cleaned_data
        return gates.change(gate, self.plan, values["name"], seen_hash=values["hash"])

    def _refuse(self, refusal: Refusal) -> None:
        asking = [row for row in self.rows if row.criterion]
        for pointer, sentences in refusal.fields.items():
            part, _, criterion = pointer.partition("/")
            number, _, field = criterion.partition("/")
            if part == "criteria" and field:
                asking[int(number)].refuse(field, sentences)
        super()._refuse(refusal)
        if any(row.errors for row in self.rows):
            self.refused = None
        if (
            self.gate and refusal.code == "changed_meanwhile"
        ):  # shown once: saved again, it replaces what it shows
            self.data = cast(QueryDict, self.data).copy()
            self.data["hash"], self.data["name_was"] = self.gate.hash, self.gate.name

    @property
    def theirs(self) -> list[Meanwhile]:
        """What the gate demands as it is stored, and what the form does, each in its sentence."""
        if self.gate is None:
            return []
        typed, _ = gates.preview(self.project, self.plan, ())
        return [Meanwhile(self.gate.name, text(gates.demand(self.gate)), text(typed))]


def _usual(version: EvaluatorVersion) -> float | None:
    """A margin to begin with: two hundredths of the range of scores; None without a range."""
    low, high = Recipe.from_version(version).bounds
    return None if low is None or high is None else round((high - low) * USUAL_SHARE, 6)


def for_experiment(
    form_data: QueryDict | None,
    experiment: Experiment,
    runs: Sequence[Run],
    baseline: str,
    experiments: QuerySet[Experiment],
) -> GateForm:
    """The form of a new gate on runs of an experiment: not worse than its baseline by the primary evaluator.

    A baseline whose scores are all alike, such as all 0, is not proposed where another run tells more. If another
    experiment was chosen, only the typed name stays.
    """
    versions = _versions(runs, experiment.primary_id)
    proposed = telling.telling_first(runs) or runs
    criteria = [{"rule": "not_worse", "evaluator": version.evaluator_id} for version in versions[:1]]
    for criterion in criteria:
        criterion["margin"] = experiment.margins.get(str(criterion["evaluator"])) or _usual(versions[0])
    name = form_data.get("name", "") if form_data is not None else ""
    return GateForm(
        None if chooses_another(form_data, experiment) else form_data,
        project=experiment.project,
        runs=runs,
        versions=versions,
        initial={
            "baseline": baseline or (proposed[0].pk if proposed else ""),
            "name": name,
            "experiment": experiment.pk,
            "shown_experiment": experiment.pk,
        },
        criteria=criteria,
        experiments=experiments,
    )


def chooses_another(form_data: QueryDict | None, experiment: Experiment) -> bool:
    """Whether the sent fields are those of a form that had another experiment's runs."""
    return form_data is not None and form_data.get("shown_experiment") not in (None, str(experiment.pk))


def for_gate(form_data: QueryDict | None, gate: Gate, runs: Sequence[Run]) -> GateForm:
    """The form of an existing gate, which can have any of these runs as its baseline."""
    initial = {
        "name": gate.name,
        "baseline": gate.baseline_id,
        "split": gate.split_id,
        "missing": gate.missing,
        "accepts_inconclusive": "on" if gate.accepts_inconclusive else "off",
        "unchecked": any(criterion.get("unchecked") for criterion in gate.criteria),
        "hash": gate.hash,
    }
    primary = gate.baseline.experiment.primary_id if gate.baseline else None
    return GateForm(
        form_data,
        project=gate.project,
        runs=runs,
        versions=_versions(runs, primary),
        initial=initial,
        criteria=gate.criteria,
        gate=gate,
    )


def _versions(runs: Sequence[Run], primary: int | None) -> list[EvaluatorVersion]:
    """The versions of evaluators that scored any of the runs, the primary one first."""
    used = {
        scoring.evaluator_version.evaluator_id: scoring.evaluator_version
        for scorings in scorings_by_run(list(runs)).values()
        for scoring in scorings
    }
    return sorted(used.values(), key=lambda version: version.evaluator_id != primary)
