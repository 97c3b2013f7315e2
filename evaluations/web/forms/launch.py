"""The form of a launch: variants, examples, evaluators and budget."""

from itertools import chain
from typing import TYPE_CHECKING, Any, cast

from django import forms
from django.db import transaction
from django.db.models import QuerySet

from evaluations.errors import Invalid, Refusal
from evaluations.experiments import experiments
from evaluations.judges import allowances
from evaluations.launches import launches
from evaluations.launches.plans import MOST_RUNS, Plan, Variant
from evaluations.models import (
    Dataset,
    Evaluator,
    EvaluatorVersion,
    Experiment,
    Launch,
    Project,
    Prompt,
    Run,
    Split,
)
from evaluations.numerals import whole
from evaluations.prompts import money, prompts, templates
from evaluations.values import LONGEST_NAME

from ..page_tools import visible
from ..page_tools.offered_datasets import last_of, own_first
from ..page_tools.request import HttpRequest
from .evaluators import ADVISES, PrimaryForm, chosen, groups, has_several_references
from .form import Form
from .json_field import JSONField
from .margin import MarginField
from .matrix import Matrix
from .number import AmountField, NumberField, WholeField

# the field that shows a refusal, by its JSON pointer or the first name in it
FIELDS = {"sample/size": "size", "parameters/max_completion_tokens": "max_tokens", "messages": "variants"}
BUDGET = (
    "In {currency}, never exceeded: each call first reserves its maximum cost. "
    "The launch stops at it; you can continue with more."
)

NAMED = ("experiment", "name", "dataset", "split", "baseline")  # what a link to the form can choose
NO_BASELINE = "The baseline is none of the selected variants: select it too, or choose another."


if TYPE_CHECKING:
    ObjectField = forms.ModelChoiceField[Split]
else:
    ObjectField = forms.ModelChoiceField


class SplitField(ObjectField):
    """A choice of splits of the project, labelled with their datasets."""

    def label_from_instance(self, split: Split) -> str:
        return f"{split.name} ({split.dataset})"


class LaunchForm(PrimaryForm):
    """`matrix` has the variants. An `experiment` determines dataset and primary evaluator; without one it is new."""

    object_fields = ("experiment", "dataset", "split", "variants", "evaluators")

    experiment = forms.ModelChoiceField(Experiment.objects.none(), required=False, widget=forms.HiddenInput)
    name = forms.CharField(
        max_length=LONGEST_NAME,
        required=False,
        label="What do you want to know?",
        widget=forms.TextInput({"class": "input"}),
    )
    dataset = forms.ModelChoiceField(Dataset.objects.none(), required=False, empty_label=None)
    split = SplitField(Split.objects.none(), required=False, empty_label="all examples")
    size = WholeField(
        label="Examples", required=False, help_text="Size of a random sample. Empty: all of them."
    )
    seed = WholeField(
        label="Seed", min_value=0, required=False, help_text="The same seed selects the same examples."
    )
    variants = forms.MultipleChoiceField(error_messages={"required": "Select at least one variant."})
    baseline = forms.ChoiceField(
        required=False,
        label="Baseline",
        help_text="The variant that the others are compared with. The page of the result can change it.",
        widget=forms.Select({"class": "select"}),
    )
    repetitions = WholeField(label="Repetitions", max_value=MOST_RUNS, initial=1)
    max_tokens = WholeField(
        label="Max tokens",
        required=False,
        help_text="Empty: the limit in the prompt. A budget needs one of them.",
    )
    parameters = JSONField(
        dict,
        label="Other parameters",
        help_text='Added to the parameters of every variant: {"temperature": 0}.',
        rows=2,
    )
    margin = MarginField(
        label="Margin (δ)",
        help_text="The smallest difference of the primary evaluator that matters.",
        widget=forms.TextInput({"inputmode": "decimal", "autocomplete": "off"}),
    )
    stop = forms.BooleanField(
        label="Stop early",
        required=False,
        help_text="Each variant stops once it is clearly better, clearly worse, or equivalent within the margin.",
    )
    budget = AmountField(required=False)
    max_calls = WholeField(
        label="Maximum calls",
        required=False,
        help_text="Instead of a budget, for models without a price, such as those on your own machine.",
    )
    tolerated = NumberField(
        label="Tolerated failures, %",
        min_value=0,
        max_value=100,
        initial=5,
        help_text="If a server has an error, Evalsite makes the call up to six times. If more than this share "
        "of a variant's answers fail, the launch stops. A failed answer counts as worst.",
        widget=forms.TextInput({"inputmode": "decimal", "autocomplete": "off"}),
    )
    cache = forms.BooleanField(
        label="Use answers this project already paid for",
        required=False,
        initial=True,
        help_text=(
            "The same request in the same repetition is not sent again. Clear this box to send every "
            "request again."
        ),
    )

    judges = forms.BooleanField(
        label="Let evaluators that call a server score the answers",
        required=False,
        initial=True,
        help_text="Judges, and embeddings by a connection: each run as soon as it is complete, with the same budget or "
        "number of calls. Without one they do not run; their columns stay empty until you set one.",
    )

    def __init__(self, *args: Any, request: HttpRequest, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user, self.project, self.matrix = request.user, project, Matrix.from_request(request, project)
        for name in ("name", "dataset"):
            self.fields[name].required = not self._experiment_id()
        self.fields["budget"].help_text = BUDGET.format(currency=project.currency)
        runs = Run.objects.filter(
            experiment=self._experiment_id(), experiment__project=project, deleted_at=None
        )
        self.matrix.here = set(runs.values_list("variant", flat=True))
        self.choice_field("variants").choices = self.matrix.choices
        usual = ("", "the usual one, or the oldest")
        self.choice_field("baseline").choices = [usual, *self.matrix.labels]
        self.object_field("experiment").queryset = visible.experiments_of(project)
        ready = Dataset.objects.live().filter(project=project, status=Dataset.Status.READY)
        self.object_field("dataset").queryset = ready.filter(example_count__gt=0)
        self.fields["dataset"].widget.attrs |= ADVISES
        self.object_field("split").queryset = self._splits()
        used = EvaluatorVersion.objects.filter(experiments__pk=self._experiment_id())
        self.choice_field("evaluators").choices = groups(
            project,
            used.values_list("evaluator", flat=True),
            has_several_references=has_several_references(ready),
        )

    def _splits(self) -> QuerySet[Split]:
        """The splits of the experiment's dataset; for a new experiment, of all datasets."""
        live = Split.objects.live().filter(project=self.project, dataset__deleted_at=None)
        lookups = {"dataset__experiments": self._experiment_id()} if self._experiment_id() else {}
        return live.filter(**lookups).select_related("dataset")

    @property
    def has_splits(self) -> bool:
        return self._splits().exists()

    def _experiment_id(self) -> int:
        """The submitted id of the experiment; 0 if there is none, or if it is not a number."""
        return whole(str(self["experiment"].value() or "")) or 0

    @classmethod
    def from_request(cls, request: HttpRequest, project: Project) -> "LaunchForm":
        """The form with its errors if it was submitted to start the launch; else with the values typed so far."""
        options: dict[str, Any] = {"request": request, "project": project}
        if request.POST.get("do") in ("start", "try"):
            form = cls(request.POST, **options)
            form.keep_advice(request.POST)
            return form
        if request.method == "POST":
            boxes: dict[str, Any] = {name: name in request.POST for name in ("cache", "judges")}
            boxes["evaluators"] = cls.selected(request.POST)
            typed = cls(initial=request.POST.dict() | boxes, **options)
            typed.keep_advice(request.POST)
            return typed
        named = {name: request.GET[name] for name in NAMED if name in request.GET}
        form = cls(initial=named | {"evaluators": cls.selected(request.GET)}, **options)
        if "experiment" not in named:
            if "dataset" not in named:
                form.take_last_dataset(whole(request.GET.get("prompt", "")) or 0)
            form.take_advice(project, request.GET)
        return form

    def take_last_dataset(self, prompt_id: int) -> None:
        """Show the dataset last used with the prompt, if it can be answered; else the newest of one's own that fits."""
        prompt = Prompt.objects.live().filter(project=self.project, pk=prompt_id).first()
        offered = own_first(self.datasets)
        names = templates.variables(prompts.version_of(prompt).messages) if prompt else []
        fitting = (dataset for dataset in offered if templates.are_columns(names, dataset.columns))
        last = last_of(prompt, offered) if prompt else None
        if proposed := last or next(chain(fitting, offered), None):
            self.initial["dataset"] = proposed.pk

    @property
    def shown_dataset(self) -> Dataset | None:
        """The dataset that the form shows; the newest one if nobody named another."""
        return self._dataset(str(self.initial.get("dataset") or ""))

    @property
    def datasets(self) -> QuerySet[Dataset]:
        return cast("QuerySet[Dataset]", self.object_field("dataset").queryset)

    @property
    def shows_more(self) -> bool:
        """Whether the folded settings contain a value or an error."""
        return bool(self["parameters"].value() or self["parameters"].errors)

    @property
    def added(self) -> dict[str, Any]:
        """The parameters that are added to all variants."""
        longest = self.cleaned_data.get("max_tokens")
        limits = {"max_completion_tokens": longest} if longest else {}
        return limits | (self.cleaned_data.get("parameters") or {})

    @property
    def variants_chosen(self) -> list[Variant]:
        return [cell.variant(self.added) for cell in self.matrix.chosen]

    def plan(self) -> Plan:
        values = self.cleaned_data
        return Plan(
            repetitions=values["repetitions"],
            budget=money.limit(values["budget"], "budget"),
            max_calls=values["max_calls"],
            size=values["size"],
            seed=values["seed"],
            tolerated=values["tolerated"] / 100,
            cache=values["cache"],
            pilot=self.data.get("do") == "try",
            margin=self._margin(),
            split=values["split"],
            baseline=self._baseline(),
        )

    def _baseline(self) -> str:
        """The name of the chosen baseline; "" for the proposed one."""
        value = self.cleaned_data["baseline"]
        if not value:
            return ""
        chosen = [cell.variant(self.added).label for cell in self.matrix.chosen if cell.value == value]
        if not chosen:
            raise Invalid("invalid_launch", NO_BASELINE, fields={"baseline": [NO_BASELINE]})
        return chosen[0]

    def _margin(self) -> float | None:
        """The margin for early stopping; None if all examples are asked."""
        if not self.cleaned_data["stop"]:
            return None
        if self.cleaned_data["margin"] is None:
            message = "A launch that stops early needs a margin."
            raise Invalid("invalid_launch", message, fields={"margin": [message]})
        margin: float = self.cleaned_data["margin"]
        return margin

    def start(self) -> Launch:
        """Start the launch in one transaction, so that a refused one leaves no new experiment."""
        plan = self.plan()
        with transaction.atomic():
            experiment = self.cleaned_data["experiment"] or self._new_experiment()
            if self.cleaned_data["experiment"]:
                experiments.add_evaluators(experiment, self._evaluators())
            if self.cleaned_data["margin"] is not None and experiment.primary_id:
                experiments.set_margins(experiment, {experiment.primary_id: self.cleaned_data["margin"]})
            launch = launches.create(experiment, self.user, self.variants_chosen, plan)
            if self.cleaned_data["judges"]:
                allowances.allow_launch(launch)
        return launch

    def _new_experiment(self) -> Experiment:
        values = self.cleaned_data
        return experiments.create(
            self.project, self.user, values["name"], values["dataset"], self._evaluators()
        )

    def _evaluators(self) -> list[Evaluator]:
        return chosen(self.project, self.user, self.cleaned_data["evaluators"])

    def _refuse(self, refusal: Refusal) -> None:
        refusal.fields = {
            FIELDS.get(pointer, pointer.partition("/")[0]): sentences
            for pointer, sentences in refusal.fields.items()
        }
        super()._refuse(refusal)


class ContinueForm(Form):
    """New limits for a launch to continue; an empty field keeps the old one."""

    budget = AmountField(required=False)

    max_calls = WholeField(label="Maximum calls", required=False)

    def limit(self) -> int | None:
        return money.limit(self.cleaned_data["budget"], "budget")
