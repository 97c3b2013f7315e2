"""Asking people: which variants, which question, how many answers."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms

from evaluations.labelling import sets, tasks
from evaluations.models import Evaluator, Run

from .form import Form

ANSWERS = [("pass_fail", "Pass or fail"), ("labels", "Words with numbers"), ("scale", "A scale")]


class AskPeopleForm(Form):
    """A new label set, or another task of one that exists."""

    object_fields = ("runs", "label_set")

    runs = forms.MultipleChoiceField(
        label="Variants",
        widget=forms.CheckboxSelectMultiple,
        help_text="Raters never see which answer is whose. One example’s answers never follow each other.",
    )
    label_set = forms.ChoiceField(
        label="Label set", required=False, help_text="Labels of one set and guideline are one column."
    )
    name = forms.CharField(max_length=200, required=False, label="Name of a new set", initial="people")
    answers = forms.ChoiceField(choices=ANSWERS, widget=forms.RadioSelect, initial="pass_fail")
    labels = forms.CharField(
        max_length=2_000, required=False, label="Words", help_text="As in good = 1, fair = 0.5, bad = 0."
    )
    minimum = forms.IntegerField(required=False, label="Scale from", initial=1)
    maximum = forms.IntegerField(required=False, label="to", initial=5)
    question = forms.CharField(
        max_length=300, label="Asked in one line", initial="Would you send this answer as it is?"
    )
    guideline = forms.CharField(
        max_length=20_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text="What passes, what fails, what does not matter. An edit makes a new version; labels under the old "
        "one stay and stand apart.",
    )
    size = forms.IntegerField(min_value=1, label="Examples", initial=50, help_text="Drawn at random.")
    raters = forms.IntegerField(
        min_value=1, max_value=tasks.MOST_RATERS, label="People for each answer", initial=1
    )
    overlap = forms.IntegerField(
        min_value=0,
        max_value=100,
        label="Seen by one more, %",
        initial=20,
        help_text="So that it is known how far people agree.",
    )

    def __init__(self, form_data: Any, runs: Sequence[Run], label_sets: Sequence[Evaluator]) -> None:
        super().__init__(form_data)
        self.choice_field("runs").choices = [(str(run.pk), run.variant) for run in runs]
        self.fields["runs"].initial = [str(run.pk) for run in runs[:2]]
        named = [(str(evaluator.pk), evaluator.name) for evaluator in label_sets]
        self.choice_field("label_set").choices = [("", "a new one"), *named]
        self.by_id = {str(evaluator.pk): evaluator for evaluator in label_sets}

    def label_set_of(self, project: Any, user: Any) -> Evaluator:
        """The chosen set with this question and guideline, or a new one."""
        if existing := self.by_id.get(self.cleaned_data["label_set"]):
            sets.change(existing, user, self._settings())
            return existing
        return sets.create(project, user, self.cleaned_data["name"], self._settings())

    def _settings(self) -> dict[str, Any]:
        filled = self.cleaned_data
        settings: dict[str, Any] = {name: filled[name] for name in ("answers", "question", "guideline")}
        if filled["answers"] == "labels":
            settings["labels"] = filled["labels"]
        if filled["answers"] == "scale":
            settings |= {"minimum": filled["minimum"], "maximum": filled["maximum"]}
        return settings

    def plan(self, seed: int) -> tasks.Plan:
        filled = self.cleaned_data
        return tasks.Plan(filled["size"], seed, filled["raters"], filled["overlap"] / 100)

    @property
    def chosen_runs(self) -> set[int]:
        return {int(pk) for pk in cast(list[str], self.cleaned_data["runs"])}
