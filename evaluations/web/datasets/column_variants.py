"""Makes variants of metadata columns that an upload did not recognise as outputs."""

from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_http_methods

from evaluations.experiments import experiments, runs
from evaluations.imports.imports import free_name
from evaluations.models import Dataset, Experiment
from evaluations.models.owned import OwnedQuerySet
from evaluations.numerals import plural

from ..forms.form import Form
from ..page_tools import visible
from ..page_tools.frame import frame, object_or_404
from ..page_tools.request import HttpRequest


class ColumnVariantsForm(Form):
    """Each ticked column becomes a variant of that name."""

    object_fields = ("experiment",)
    columns = forms.MultipleChoiceField(
        label="Columns with outputs",
        widget=forms.CheckboxSelectMultiple,
        help_text="Each becomes a variant with the name of its column. The metadata stay as they are.",
    )
    experiment = forms.ModelChoiceField(
        Experiment.objects.none(), required=False, empty_label="a new experiment", label="In"
    )

    def __init__(self, *args: Any, dataset: Dataset, experiments: OwnedQuerySet[Experiment], **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.dataset = dataset
        self.choice_field("columns").choices = [(name, name) for name in dataset.columns.get("metadata", ())]
        self.object_field("experiment").queryset = experiments.filter(
            dataset=dataset, dataset_version=dataset.version
        )

    def create(self, request: HttpRequest) -> Experiment:
        with transaction.atomic():
            experiment = self.cleaned_data["experiment"] or experiments.create(
                self.dataset.project, request.user, free_name(self.dataset), self.dataset
            )
            for column in self.cleaned_data["columns"]:
                runs.create(experiment, request.user, column, column=column)
        messages.success(request, f"Added {plural(len(self.cleaned_data['columns']), 'variant')}.")
        created: Experiment = experiment
        return created


@require_http_methods(["GET", "HEAD", "POST"])
def dataset_variants(request: HttpRequest, pk: int) -> HttpResponse:
    """Choose metadata columns that become variants of an experiment."""
    ready = Dataset.objects.live().filter(status=Dataset.Status.READY)
    dataset = object_or_404(request, ready, pk, "write")
    form_data = request.POST if request.method == "POST" else None
    form = ColumnVariantsForm(form_data, dataset=dataset, experiments=visible.experiments())
    if experiment := form.do(lambda: form.create(request)):
        return redirect("experiment-detail", experiment.pk)
    context = frame(request, dataset.project, "datasets") | {"dataset": dataset, "form": form}
    return render(request, "datasets/column_variants.html", context, status=form.status)


urlpatterns = [path("datasets/<int:pk>/variants/", dataset_variants, name="dataset-variants")]
