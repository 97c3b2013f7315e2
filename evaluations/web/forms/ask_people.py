"""Asking people: what they are asked, about which answers, how many and when it ends; links; labels from a file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from django import forms
from django.contrib.auth.models import User

from evaluations.kinds.people import LONGEST_GUIDELINE, LONGEST_QUESTION
from evaluations.kinds.value import LONGEST_LABELS
from evaluations.labelling import links, sets, tasks
from evaluations.models import Evaluator, LabelTask, Membership, Run
from evaluations.numerals import whole
from evaluations.values import LONGEST_NAME, LONGEST_RATER

from .file import FileForm, column_field
from .form import Form
from .number import NumberField

ANSWERS = [
    ("pass_fail", "Pass or fail"),
    ("pair", "Which is better"),
    ("labels", "Words"),
    ("scale", "A scale"),
]
DRAWN = [
    ("random", "At random"),
    ("groups", "At random, each group in its share"),
    ("evenly", "At random, each group equally often"),
    ("differing", "At random, more where scores differ"),
    ("disagreement", "Worst disagreements"),
]
GROUPED = ("groups", "evenly")
BLIND = [("blind", "To variant, scores and other raters"), ("review", "Review: shows variant and scores")]
STOP = [("", "never"), ("width", "when narrow enough"), ("decided", "when decided")]


@dataclass(frozen=True)
class Population:
    """The examples that a page listed when people were asked, and in words which these are."""

    positions: Sequence[int]
    told: str


def _like(task: LabelTask) -> dict[str, Any]:
    """What the form begins with after a trial: the question of its label set, about the same runs."""
    config = sets.config_of(task.version)
    numbers = {"minimum": config.minimum, "maximum": config.maximum} if config.answers == "scale" else {}
    return {
        "runs": [str(run.pk) for run in task.runs.all()],
        "label_set": str(task.version.evaluator_id),
        "answers": config.answers,
        "labels": config.labels,
        "question": config.question,
        "guideline": config.guideline,
        "reference": not task.hides_reference,
        "drawn": _drawn_after(config.purpose, task),
        "by": task.by,
        "blind": "blind" if task.is_blind else "review",
    } | numbers


def _drawn_after(purpose: str, trial: LabelTask) -> str:
    """A way to draw that the label set of a trial takes: what it is for was settled by the form of the trial."""
    if purpose == "reading":
        return "disagreement" if trial.is_blind else "random"
    if purpose == "weighted":
        return "evenly" if trial.by else "differing"
    return "groups" if trial.by else "random"


class AskPeopleForm(Form):
    """A new label set, or another task of one that exists; after the trial `like` with what was `chosen` before it."""

    object_fields = ("runs", "label_set")

    runs = forms.MultipleChoiceField(
        label="Variants",
        widget=forms.CheckboxSelectMultiple,
        help_text="Raters never see which answer is whose. One example’s answers never follow each other.",
    )
    label_set = forms.ChoiceField(
        label="Label set", required=False, help_text="Labels of one set and guideline are one column."
    )
    name = forms.CharField(
        max_length=LONGEST_NAME, required=False, label="Name of a new set", initial="people"
    )
    answers = forms.ChoiceField(
        choices=ANSWERS,
        widget=forms.RadioSelect,
        initial="pass_fail",
        label="Question",
        help_text="Pass or fail needs the fewest labels. Which is better shows two variants side by side.",
    )
    labels = forms.CharField(
        max_length=LONGEST_LABELS,
        required=False,
        label="Words",
        help_text="As in billing, delivery, other; with numbers, such as good = 1, bad = 0, they have a mean.",
    )
    minimum = forms.IntegerField(required=False, label="Scale from", initial=1)
    maximum = forms.IntegerField(required=False, label="to", initial=5)
    question = forms.CharField(
        max_length=LONGEST_QUESTION, label="Asked in one line", initial="Would you send this answer as it is?"
    )
    guideline = forms.CharField(
        max_length=LONGEST_GUIDELINE,
        required=False,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text="What passes, what fails, what does not matter. An edit makes a new version; labels under the old "
        "one stay and stand apart.",
    )
    size = forms.IntegerField(
        min_value=1, label="Examples", initial=50, help_text="Of those that were answered."
    )
    raters = forms.IntegerField(
        min_value=1, max_value=tasks.MOST_RATERS, label="People per answer", initial=1
    )
    overlap = forms.IntegerField(
        min_value=0,
        max_value=100,
        label="Seen by one more, %",
        initial=20,
        help_text="So that it is known how far people agree.",
    )
    stop = forms.ChoiceField(
        choices=STOP,
        required=False,
        label="Stop by itself",
        help_text="“Decided” looks after every 50 examples; its interval allows for these looks.",
    )
    limit = NumberField(
        required=False,
        label="Width or margin",
        help_text="Half of the interval, or the smallest difference that matters, such as 0.05.",
    )
    drawn = forms.ChoiceField(
        choices=DRAWN,
        widget=forms.RadioSelect,
        initial="random",
        required=False,
        help_text="If some are drawn more often, estimates weigh them. Worst disagreements are a reading list: their "
        "labels are not for estimates.",
    )
    by = forms.ChoiceField(
        required=False,
        label="Groups",
        help_text="By a column of metadata.",
    )
    reference = forms.BooleanField(
        required=False,
        initial=True,
        label="Show the reference",
        help_text="Closed at first; R opens it.",
    )
    blind = forms.ChoiceField(
        choices=BLIND,
        widget=forms.RadioSelect,
        initial="blind",
        required=False,
        help_text="Labels of a review are marked, and not for estimates.",
    )

    def __init__(
        self,
        form_data: Any,
        runs: Sequence[Run],
        label_sets: Sequence[Evaluator],
        groups: Sequence[str],
        like: LabelTask | None = None,
        chosen: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(form_data)
        self.initial = _like(like) | dict(chosen or {}) if like else {}
        self.choice_field("by").choices = [(name, name) for name in groups]
        if not groups:
            self.choice_field("drawn").choices = [choice for choice in DRAWN if choice[0] not in GROUPED]
        self.choice_field("runs").choices = [(str(run.pk), run.variant) for run in runs]
        self.initial.setdefault("runs", [str(run.pk) for run in runs[:2]])
        named = [(str(evaluator.pk), evaluator.name) for evaluator in label_sets]
        self.choice_field("label_set").choices = [("", "a new one"), *named]
        self.by_id = {str(evaluator.pk): evaluator for evaluator in label_sets}

    def label_set_of(self, project: Any, user: Any, plan: tasks.Plan) -> Evaluator:
        """The chosen set with this question and guideline, or a new one for such a sample."""
        if existing := self.by_id.get(self.cleaned_data["label_set"]):
            sets.change(existing, user, self._settings())
            return existing
        settings = self._settings() | {"purpose": plan.purpose}
        return sets.create(project, user, self.cleaned_data["name"], settings)

    def _settings(self) -> dict[str, Any]:
        filled = self.cleaned_data
        settings: dict[str, Any] = {name: filled[name] for name in ("answers", "question", "guideline")}
        if filled["answers"] == "labels":
            settings["labels"] = filled["labels"]
        if filled["answers"] == "scale":
            settings |= {"minimum": filled["minimum"], "maximum": filled["maximum"]}
        return settings

    def plan(self, seed: int, population: Population | None) -> tasks.Plan:
        filled = self.cleaned_data
        named = {"width": "width", "decided": "margin"}.get(filled["stop"])
        return tasks.Plan(
            filled["size"],
            seed,
            filled["raters"],
            filled["overlap"] / 100,
            drawn=filled["drawn"] or "random",
            positions=population.positions if population else None,
            population=population.told if population else "",
            by=filled["by"] if filled["drawn"] in GROUPED else "",
            is_blind=filled["blind"] != "review",
            hides_reference=not filled["reference"],
            stop={"by": filled["stop"], named: filled["limit"]} if named else None,
        )

    def number(self, name: str) -> int:
        """A whole number as it stands in a field, also in a form that is not valid; else 0."""
        return whole(str(self[name].value() or "")) or 0

    @property
    def number_of_runs(self) -> int:
        return len(self["runs"].value() or [])

    @property
    def chosen_runs(self) -> set[int]:
        return {int(pk) for pk in cast(list[str], self.cleaned_data["runs"])}


class JoinForm(Form):
    """The name of somebody who came by a link, for the people who ask."""

    name = forms.CharField(
        max_length=LONGEST_RATER,
        label="Your name",
        help_text="Only the administrators of the project see it.",
        widget=forms.TextInput({"autocomplete": "name", "autofocus": True}),
    )


class LinkForm(Form):
    days = forms.IntegerField(
        min_value=1, max_value=links.MOST_DAYS, initial=links.DAYS, label="Days that it works"
    )


class AnnotatorForm(Form):
    """One of the annotators of the project who are not asked yet."""

    object_fields = ("person",)
    person = forms.ChoiceField()

    def __init__(self, form_data: Any, annotators: Sequence[Membership]) -> None:
        super().__init__(form_data)
        self.by_id = {str(member.user_id): member.user for member in annotators}
        self.choice_field("person").choices = [(pk, user.get_username()) for pk, user in self.by_id.items()]

    @property
    def chosen(self) -> User:
        return self.by_id[self.cleaned_data["person"]]


class SentLabelsForm(FileForm):
    """A file with a row for each label: of which run, and whether its examples are a random sample."""

    object_fields = ("run",)

    run = forms.ChoiceField(label="Run", help_text="The labels belong to its answers.")
    random = forms.BooleanField(
        required=False,
        label="The labelled examples are a random sample",
        help_text="Labels of picked examples say nothing about the others, and need a label set for reading.",
    )
    key = column_field("key", "Empty: key or id, else position.")
    label = column_field("label", "Empty: label, else value. An empty cell is unsure.")
    by = column_field("rater", "Empty: by or rater.")
    named = ("key", "label", "by")
    field_order = ["run", "file", "text"]

    def __init__(self, *data: Any, own: Sequence[Run], others: Sequence[Run]) -> None:
        """`own` are the runs of experiments that the label set knows; one of these is chosen if there is any."""
        super().__init__(*data)
        self.by_id = {str(run.pk): run for run in [*own, *others]}
        groups = [("Of the experiments of this label set", own), ("Of others", others)]
        self.choice_field("run").choices = [
            (title, [(run.pk, f"{run.variant} in {run.experiment.name}") for run in runs])
            for title, runs in groups
            if runs
        ]

    @property
    def chosen_run(self) -> Run:
        return self.by_id[self.cleaned_data["run"]]
