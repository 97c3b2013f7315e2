"""Makes variants of columns that an upload did not recognise as outputs."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import orjson
from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_http_methods

from evaluations.datasets import datasets
from evaluations.experiments import column_outputs, experiments, runs
from evaluations.imports.imports import free_name
from evaluations.judges import allowances
from evaluations.judges import estimates as judge_estimates
from evaluations.judges.estimates import CALLING, MOST_ESTIMATES
from evaluations.models import Dataset, Example, Experiment, ExperimentEvaluator
from evaluations.models.owned import OwnedQuerySet
from evaluations.numerals import plural
from evaluations.scoring.paid_scores import Estimate
from evaluations.values import by_column

from ..forms.spending import SpendingForm
from ..page_tools import visible
from ..page_tools.frame import frame, object_or_404
from ..page_tools.request import HttpRequest, posted
from ..page_tools.texts import cell

LOOKED_AT, SHOWN, LONGEST_VALUE = 100, 3, 120  # examples; values of a column; characters of a value

EXAMPLES_OF_A_VALUE = 3  # in the mean; above that a column looks like metadata


class ColumnVariantsForm(SpendingForm):
    """Each ticked column becomes a variant of that name; its evaluators share the money that is named."""

    object_fields = ("experiment",)
    columns = forms.MultipleChoiceField(
        label="Columns that are not used",
        widget=forms.CheckboxSelectMultiple,
        help_text="Each becomes a variant with the name of its column. The dataset stays as it is.",
    )
    experiment = forms.ModelChoiceField(
        Experiment.objects.none(), required=False, empty_label="a new experiment", label="Experiment"
    )

    def __init__(self, *args: Any, dataset: Dataset, experiments: OwnedQuerySet[Experiment], **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.dataset = dataset
        self.choice_field("columns").choices = [(name, name) for name in column_outputs.candidates(dataset)]
        self.object_field("experiment").queryset = experiments.filter(
            dataset=dataset, dataset_version=dataset.version
        )

    def create(self, request: HttpRequest) -> Experiment:
        with transaction.atomic():
            experiment = self.cleaned_data["experiment"] or experiments.create(
                self.dataset.project, request.user, free_name(self.dataset), self.dataset
            )
            added = [
                runs.create(experiment, request.user, column, column=column, start=False)
                for column in self.cleaned_data["columns"]
            ]
            allowances.allow_new(added, self.money)
            for run in added:
                runs.start_within_limits(run)
        messages.success(request, f"Added {plural(len(self.cleaned_data['columns']), 'variant')}.")
        created: Experiment = experiment
        return created

    def estimates(self) -> list[Estimate]:
        """What evaluators of the experiments to choose from would cost for one column."""
        size = Example.objects.of_version(self.dataset.pk, self.dataset.version).count()
        used = ExperimentEvaluator.objects.filter(
            experiment__in=self.object_field("experiment").queryset or (),
            evaluator_version__kind__in=CALLING,
        )
        newest = used.order_by("-pk").select_related("experiment", "evaluator_version__evaluator__project")
        by_evaluator = {link.evaluator_version.evaluator_id: link for link in newest[:MOST_ESTIMATES]}
        return [
            estimate
            for link in by_evaluator.values()
            for estimate in judge_estimates.of_plan(
                self.dataset, link.experiment, [link.evaluator_version], 1, size
            )
        ]


@dataclass(frozen=True)
class ShownColumn:
    """A column that can become a variant, with its first values, and how many of the first examples have one."""

    name: str
    values: list[str]
    filled: int
    looked_at: int
    is_chosen: bool
    few: int  # how many values, if they are few and no reference has them: a topic and no answer; else 0


def _columns(dataset: Dataset, chosen: Collection[str]) -> list[ShownColumn]:
    texts = (
        datasets.examples(dataset)
        .order_by("position")
        .values_list("metadata", "inputs", "reference")[:LOOKED_AT]
    )
    rows = [
        by_column("inputs", orjson.loads(inputs)) | by_column("metadata", orjson.loads(metadata))
        for metadata, inputs, _ in texts
    ]
    # answers of few values, such as labels, are said by the references, too
    references = [by_column("reference", orjson.loads(reference)) for *_, reference in texts]
    right = {cell(value, LONGEST_VALUE) for reference in references for value in reference.values()}
    columns = []
    for name in column_outputs.candidates(dataset):
        values = [value for row in rows if (value := row.get(name)) not in (None, "")]
        different = [*dict.fromkeys(cell(value, LONGEST_VALUE) for value in values)]
        is_few = 0 < len(different) * EXAMPLES_OF_A_VALUE <= len(values) and right.isdisjoint(different)
        columns.append(
            ShownColumn(
                name,
                different[:SHOWN],
                len(values),
                len(rows),
                name in chosen,
                len(different) if is_few else 0,
            )
        )
    return columns


@require_http_methods(["GET", "HEAD", "POST"])
def dataset_variants(request: HttpRequest, pk: int) -> HttpResponse:
    """Choose columns that become variants of an experiment."""
    ready = Dataset.objects.live().filter(status=Dataset.Status.READY)
    dataset = object_or_404(request, ready, pk, "write")
    form = ColumnVariantsForm(posted(request), dataset=dataset, experiments=visible.experiments())
    if experiment := form.do(lambda: form.create(request)):
        return redirect("experiment-detail", experiment.pk)
    context = frame(request, dataset.project, "datasets") | {
        "dataset": dataset,
        "columns": _columns(dataset, form["columns"].value() or []),
        "form": form,
        "estimates": form.estimates(),
    }
    return render(request, "datasets/column_variants.html", context, status=form.status)


urlpatterns = [path("datasets/<int:pk>/variants/", dataset_variants, name="dataset-variants")]
