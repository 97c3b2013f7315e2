"""The splits of a dataset: sizes by version, creating, renaming, deleting, restoring, undoing a move."""

from dataclasses import dataclass
from itertools import groupby

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods, require_POST

from evaluations.access import permissions
from evaluations.datasets import members, metadata, splits
from evaluations.datasets.splits import Overlap, Rule
from evaluations.errors import Refusal
from evaluations.models import Dataset, DatasetVersion, Split
from evaluations.models.owned import OwnedQuerySet

from ..forms.split import SplitForm
from ..named import rename, say_deleted
from ..page_tools.calls import curl
from ..page_tools.frame import Context, frame, object_or_404
from ..page_tools.request import HttpRequest

VERSIONS = 3  # the newest versions, each in a column
USUAL = (("dev", 0.2), ("test", 0.8))
COLUMNS = 12  # metadata columns with a field each


@dataclass(frozen=True)
class Row:
    """A split in words, with its number of examples in each version."""

    split: Split
    words: str
    counts: list[int]
    overlaps: list[Overlap]
    may_remove: bool


@dataclass(frozen=True)
class MetadataField:
    """A metadata column to filter by; `values` are the choices, empty if there are too many."""

    column: str
    chosen: str
    values: list[str]


def words(split: Split) -> str:
    """The rule of a split in words.

    >>> words(Split(filter=[["topic", "law"], ["topic", "tax"]], share=0.2, seed=7))
    'topic: law or tax; random 20 %, seed 7'
    """
    if split.chosen is not None:
        return "chosen by hand"
    columns = groupby(split.filter, key=lambda pair: pair[0])
    parts = [f"{column}: {' or '.join(value for _, value in pairs)}" for column, pairs in columns]
    share = [] if split.share is None else [f"random {split.share * 100:.4g} %, seed {split.seed}"]
    return "; ".join([*parts, *share])


@require_http_methods(["GET", "HEAD", "POST"])
def dataset_splits(request: HttpRequest, pk: int) -> HttpResponse:
    """The splits and the form for a new one, which starts with the metadata filters of the address."""
    ready = Dataset.objects.live().filter(status=Dataset.Status.READY)
    dataset = object_or_404(request, ready, pk, "write" if request.method == "POST" else "read")
    form = SplitForm.from_request(request)
    if split := form.do(lambda: form.create(dataset, request.user)):
        messages.success(request, f"{split.name} created.")
        return redirect("dataset-splits", pk)
    return _answer(request, dataset, form)


@require_POST
def dataset_splits_usual(request: HttpRequest, pk: int) -> HttpResponse:
    """Make the two splits that most people want: a small one to write prompts on, the rest to decide on."""
    ready = Dataset.objects.live().filter(status=Dataset.Status.READY)
    dataset = object_or_404(request, ready, pk, "write")
    try:
        with transaction.atomic():
            for name, share in USUAL:
                splits.create(dataset, request.user, name, Rule(share=share), "dev or test")
    except Refusal as refusal:
        return _answer(request, dataset, SplitForm(filter=[]), refusal)
    messages.success(request, "dev and test created.")
    return redirect("dataset-splits", pk)


def _answer(
    request: HttpRequest, dataset: Dataset, form: SplitForm, refused: Refusal | None = None
) -> HttpResponse:
    status = refused.status if refused else form.status
    context = _page(request, dataset, form) | {"refused": refused}
    return render(request, "datasets/dataset_splits.html", context, status=status)


def _page(request: HttpRequest, dataset: Dataset, form: SplitForm) -> Context:
    versions = list(dataset.versions.all()[:VERSIONS])
    rows = [
        _row(request, split, versions) for split in splits.live(dataset).select_related("project", "dataset")
    ]
    return {
        **frame(request, dataset.project, "datasets", dataset),
        "dataset": dataset,
        "versions": versions,
        "rows": rows,
        "form": form,
        "fields": _fields(dataset, dict(form.filter)),
        "groups": sorted({row.split.group for row in rows if row.split.group}),
        "api_call": curl(request, f"/api/v1/datasets/{dataset.pk}/splits/"),
    }


def _row(request: HttpRequest, split: Split, versions: list[DatasetVersion]) -> Row:
    counts = [len(splits.positions(split, version.number)) for version in versions]
    may = permissions.allowed_with(request.user, split)
    return Row(split, words(split), counts, splits.overlaps(split, split.dataset.version), "remove" in may)


def _fields(dataset: Dataset, chosen: dict[str, str]) -> list[MetadataField]:
    columns = dataset.columns.get("metadata", [])[:COLUMNS]
    choices = metadata.choices(dataset, dataset.version)
    return [MetadataField(column, chosen.get(column, ""), choices.get(column, [])) for column in columns]


def _live() -> OwnedQuerySet[Split]:
    return Split.objects.live().filter(dataset__deleted_at=None).select_related("dataset")


@require_POST
def split_rename(request: HttpRequest, pk: int) -> HttpResponse:
    split = object_or_404(request, _live(), pk, "write")
    back = reverse("dataset-splits", args=[split.dataset_id])
    return rename(request, split, "datasets", lambda name: splits.change(split, name=name), back)


@require_POST
def split_delete(request: HttpRequest, pk: int) -> HttpResponse:
    split = object_or_404(request, _live(), pk, "remove")
    splits.delete(split)
    say_deleted(request, split.name, "split-restore", pk)
    return redirect("dataset-splits", split.dataset_id)


@require_POST
def split_undo(request: HttpRequest, pk: int) -> HttpResponse:
    """Undo the last move of examples, unless the split was changed again since (`?digest=`)."""
    split = object_or_404(request, _live(), pk, "write")
    try:
        members.undo(split, request.GET.get("digest", ""))
    except Refusal as refusal:
        return _answer(request, split.dataset, SplitForm(filter=[]), refusal)
    messages.success(request, f"{split.name} was restored.")
    return redirect("dataset-splits", split.dataset_id)


@require_POST
def split_restore(request: HttpRequest, pk: int) -> HttpResponse:
    deleted = Split.objects.filter(dataset__deleted_at=None).select_related("dataset")
    split = object_or_404(request, deleted, pk, "remove")
    try:
        splits.restore(split)
    except Refusal as refusal:
        return _answer(request, split.dataset, SplitForm(filter=[]), refusal)
    messages.success(request, f"{split.name} restored.")
    return redirect("dataset-splits", split.dataset_id)


urlpatterns = [
    path("datasets/<int:pk>/splits/", dataset_splits, name="dataset-splits"),
    path("datasets/<int:pk>/splits/usual/", dataset_splits_usual, name="dataset-splits-usual"),
    path("splits/<int:pk>/rename/", split_rename, name="split-rename"),
    path("splits/<int:pk>/delete/", split_delete, name="split-delete"),
    path("splits/<int:pk>/restore/", split_restore, name="split-restore"),
    path("splits/<int:pk>/undo/", split_undo, name="split-undo"),
]
