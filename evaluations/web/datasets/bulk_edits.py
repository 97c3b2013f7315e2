"""The page that edits many examples of a dataset: its address selects them, and each form is one operation."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods

from evaluations import keyset
from evaluations.access import audit
from evaluations.datasets import datasets, members, splits
from evaluations.datasets.selections import Selection
from evaluations.datasets.splits import Rule
from evaluations.errors import Conflict, Invalid
from evaluations.imports import bulk_edits
from evaluations.models import Dataset, DatasetImport, Split
from evaluations.numerals import plural

from ..forms.bulk import DeleteForm, EditForm, MoveForm, NewSplitForm, ReplaceForm, SetForm
from ..page_tools import notices
from ..page_tools.frame import Context, frame, object_or_404
from ..page_tools.request import HttpRequest
from . import example_choice

NAMED, LOOKED_AT = 3, 1_000  # examples
FORMS: dict[str, type[EditForm]] = {
    "set": SetForm,
    "replace": ReplaceForm,
    "split": MoveForm,
    "new_split": NewSplitForm,
    "delete": DeleteForm,
}


@dataclass(frozen=True)
class Members:
    """A split made by hand, with the number of selected examples in it."""

    split: Split
    count: int


@require_http_methods(["GET", "HEAD", "POST"])
def example_bulk(request: HttpRequest, pk: int) -> HttpResponse:
    """Start a dry run of an edit, whose page shows the changes and applies them."""
    dataset = object_or_404(request, Dataset.objects.live(), pk, "write")
    selection = example_choice.selection(request, dataset)
    if request.method != "POST":
        _require_newest(selection)
    forms = _forms(request, dataset)
    form = next((form for form in forms.values() if form.is_bound), None)
    answer = _answer(request, form, selection) if form else None
    if answer is not None:
        return answer
    page = _page(request, selection, forms, form)
    return render(request, "datasets/example_bulk.html", page, status=form.status if form else 200)


def _require_newest(selection: Selection) -> None:
    """Lead on to the newest version where the selection is of an older one."""
    try:
        selection.require_newest()
    except Conflict as conflict:
        dataset = selection.dataset
        words = f"Open version {dataset.version} of {dataset.name}"
        conflict.onward = words, reverse("dataset-detail", args=[dataset.pk])
        raise


def _forms(request: HttpRequest, dataset: Dataset) -> dict[str, EditForm]:
    """The forms of all operations; the submitted one is bound."""
    action = request.POST.get("do") if request.method == "POST" else None
    if request.method == "POST" and action not in FORMS:
        raise Invalid("invalid_choice", f"“do” must be one of {', '.join(FORMS)}.")
    return {do: form(request.POST if do == action else None, dataset=dataset) for do, form in FORMS.items()}


def _answer(request: HttpRequest, form: EditForm, selection: Selection) -> HttpResponse | None:
    """The response to a valid form; None to show the form again."""
    if isinstance(form, MoveForm | NewSplitForm):
        put = _move if isinstance(form, MoveForm) else _new_split
        split = form.do(partial(put, request, form, selection))
        return None if split is None else redirect("dataset-splits", selection.dataset.pk)
    tried = form.do(partial(_tried, request, form, selection))
    return None if tried is None else _redirect_to(tried)


def _tried(request: HttpRequest, form: Any, selection: Selection) -> DatasetImport:
    return bulk_edits.begin(selection, form.edit, request.user, dry_run=True)


def _redirect_to(tried: DatasetImport) -> HttpResponse:
    answer = redirect("dataset-import", tried.dataset_id, tried.pk)
    return audit.unrecorded(answer)


def _move(request: HttpRequest, form: Any, selection: Selection) -> Split:
    split: Split
    split, add = form.cleaned_data["split"], form.cleaned_data["action"] == "add"
    moved = members.move(split, selection, add=add)
    audit.note(examples=moved, do="split")
    done = f"{plural(moved, 'example')} {'added to' if add else 'removed from'} {split.name}."
    undo = f"{reverse('split-undo', args=[split.pk])}?digest={splits.digest(split)}"
    notices.done(request, done, undo if moved else "")
    return split


def _new_split(request: HttpRequest, form: Any, selection: Selection) -> Split:
    rule = Rule(positions=selection.chosen.tolist())
    split = splits.create(selection.dataset, request.user, form.cleaned_data["name"], rule)
    audit.note(examples=len(selection.chosen), do="split")
    messages.success(request, f"{split.name} created with {plural(len(selection.chosen), 'example')}.")
    return split


def _page(
    request: HttpRequest, selection: Selection, forms: dict[str, EditForm], form: EditForm | None
) -> Context:
    dataset, count = selection.dataset, len(selection.chosen)
    by_hand = splits.live(dataset).filter(chosen__isnull=False).select_related("dataset")
    return {
        **frame(request, dataset.project, "datasets", dataset),
        "dataset": dataset,
        "count": count,
        "conditions": example_choice.words(selection),
        "keys": [key for key in _first_keys(selection) if key],
        "columns": dataset.columns.get("metadata", []),
        "members": [Members(split, members.count(split, selection)) for split in by_hand],
        "forms": forms,
        "form": form,
    }


def _first_keys(selection: Selection) -> list[str | None]:
    """The keys of the first of the examples, so that one sees which they are."""
    positions = selection.chosen[:LOOKED_AT].tolist()
    chosen = datasets.examples(selection.dataset).filter(position__in=positions)
    return [example.key for example in keyset.page(datasets.in_place(chosen), "identity", NAMED).rows]


urlpatterns = [path("datasets/<int:pk>/examples/bulk/", example_bulk, name="example-bulk")]
