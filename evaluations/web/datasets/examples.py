"""Pages that add, edit, remove and restore one example of a dataset."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods, require_POST

from evaluations.datasets import datasets, identities, metadata
from evaluations.models import Dataset, Example

from ..forms.dataset import ExampleForm
from ..page_tools import notices
from ..page_tools.frame import Context, frame, object_or_404, way_back
from ..page_tools.request import HttpRequest, posted
from .page import parts_of

forms = require_http_methods(["GET", "HEAD", "POST"])
MOST_EXPERIMENTS = 10  # named beside an example


def row_address(dataset: Dataset, position: int) -> str:
    return f"{reverse('dataset-detail', args=[dataset.pk])}?row={position}"


@forms
def example_create(request: HttpRequest, pk: int) -> HttpResponse:
    """Add one example; several are added as a file or as pasted text."""
    dataset = object_or_404(request, Dataset.objects.live(), pk, "write")
    like = datasets.examples(dataset).order_by("position").first()
    form = ExampleForm(
        posted(request), columns=dataset.columns, like=like, known=metadata.choices(dataset, dataset.version)
    )
    if form.do(lambda: datasets.append(dataset, request.user, [form.changes])):
        messages.success(request, f"Added as example {dataset.last_position}, in version {dataset.version}.")
        return redirect(row_address(dataset, dataset.last_position))
    return example_page(request, dataset, form, like=like)


@forms
def example_edit(request: HttpRequest, pk: int, position: int) -> HttpResponse:
    """Save a changed example as a new version, unless it was changed meanwhile, and go back to where it was read.

    The address of an earlier text, such as an experiment has, leads to the newest one. What is sent to it was typed
    over that text: it is refused once, beside the newest one, and then replaces it.
    """
    dataset = object_or_404(request, Dataset.objects.live(), pk, "write")
    was = get_object_or_404(Example, dataset=dataset, position=position)
    newest = identities.position_in(dataset, dataset.version, position)
    if newest != position and request.method != "POST":
        return redirect(f"{reverse('example-edit', args=[pk, newest])}?{request.GET.urlencode()}".rstrip("?"))
    example = was if newest == position else Example.objects.get(dataset=dataset, position=newest)
    form = ExampleForm(
        posted(request),
        columns=dataset.columns,
        example=example,
        was=None if example is was else was,
        known=metadata.choices(dataset, dataset.version),
    )
    if edited := form.do(lambda: save(request, dataset, example, form)):
        return redirect(way_back(request, row_address(dataset, edited.position)))
    return example_page(request, dataset, form, example)


def save(request: HttpRequest, dataset: Dataset, example: Example, form: ExampleForm) -> Example:
    datasets.current(dataset, example.position)
    if not form.changes:
        messages.info(request, "No changes.")
        return example
    edited = datasets.edit(dataset, request.user, example.position, form.changes)
    kept = " Its runs keep the old text." if way_back(request, "") else ""
    messages.success(
        request, f"Example {edited.name} saved in version {dataset.version} of the dataset.{kept}"
    )
    return edited


def _around(dataset: Dataset, example: Example) -> Context:
    """The experiments that have the example as it is, and the examples before and after it."""
    until = {"dataset_version__lt": example.removed_in} if example.removed_in else {}
    live = dataset.experiments.filter(deleted_at=None, dataset_version__gte=example.added_in, **until)
    before, after = datasets.neighbours(datasets.examples(dataset), example)
    return {
        "experiments": live[:MOST_EXPERIMENTS],
        "experiment_count": live.count(),
        "before": before,
        "after": after,
    }


def example_page(
    request: HttpRequest,
    dataset: Dataset,
    form: ExampleForm,
    example: Example | None = None,
    like: Example | None = None,
) -> HttpResponse:
    context = {
        **frame(request, dataset.project, "datasets"),
        "dataset": dataset,
        "form": form,
        "example": example,
        "back": way_back(request, ""),
        "like": list(parts_of(like).items()) if like else [],
        **(_around(dataset, example) if example else {}),
    }
    return render(request, "datasets/example_form.html", context, status=form.status)


@require_POST
def example_delete(request: HttpRequest, pk: int, position: int) -> HttpResponse:
    dataset = object_or_404(request, Dataset.objects.live(), pk, "write")
    removed = get_object_or_404(Example, dataset=dataset, position=position)
    datasets.remove(dataset, request.user, position)
    undo = reverse("example-restore", args=[pk, position])
    notices.done(request, f"Example {removed.name} removed in version {dataset.version}.", undo)
    return redirect("dataset-detail", pk)


@require_POST
def example_restore(request: HttpRequest, pk: int, position: int) -> HttpResponse:
    dataset = object_or_404(request, Dataset.objects.live(), pk, "write")
    get_object_or_404(Example, dataset=dataset, position=position)
    example = datasets.put_back(dataset, request.user, position)
    messages.success(request, f"Example {example.name} restored in version {dataset.version}.")
    return redirect(row_address(dataset, example.position))


urlpatterns = [
    path("datasets/<int:pk>/examples/new/", example_create, name="example-create"),
    path("datasets/<int:pk>/examples/<int:position>/edit/", example_edit, name="example-edit"),
    path("datasets/<int:pk>/examples/<int:position>/delete/", example_delete, name="example-delete"),
    path("datasets/<int:pk>/examples/<int:position>/restore/", example_restore, name="example-restore"),
]
