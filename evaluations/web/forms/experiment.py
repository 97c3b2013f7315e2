"""A new experiment: a name, a dataset and its first evaluators."""

from typing import Any

from django import forms
from django.contrib.auth.models import User

from evaluations.experiments import experiments
from evaluations.models import Dataset, Experiment, Project
from evaluations.values import LONGEST_NAME

from ..page_tools.request import HttpRequest, posted
from .evaluators import ADVISES, PrimaryForm, chosen, groups, has_several_references
from .form import Form
from .margin import MarginField, TieField


class MarginForm(Form):
    """What differences by an evaluator count; an empty field is the usual."""

    guards = True

    margin = MarginField(label="Margin (δ), for everyone")
    tie = TieField(label="Tied within, for everyone")


class ExperimentForm(PrimaryForm):
    object_fields = ("dataset", "evaluators")
    name = forms.CharField(
        max_length=LONGEST_NAME,
        help_text="The question to answer, such as “does the shorter prompt still work?”",
    )
    dataset = forms.ModelChoiceField(Dataset.objects.none(), empty_label=None)

    def __init__(self, *args: Any, project: Project, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.project, self.user = project, user
        ready = Dataset.objects.live().filter(project=project, status=Dataset.Status.READY)
        self.object_field("dataset").queryset = ready
        self.fields["dataset"].widget.attrs |= ADVISES
        several = has_several_references(ready)
        self.choice_field("evaluators").choices = groups(project, has_several_references=several)

    @classmethod
    def from_request(cls, request: HttpRequest, project: Project) -> "ExperimentForm":
        initial = {"dataset": request.GET.get("dataset")}
        form = cls(posted(request), initial=initial, project=project, user=request.user)
        form.take_advice(project, request.GET)
        form.keep_advice(request.POST)
        return form

    def create(self) -> Experiment:
        values = self.cleaned_data
        evaluators = chosen(self.project, self.user, values["evaluators"])
        return experiments.create(self.project, self.user, values["name"], values["dataset"], evaluators)
