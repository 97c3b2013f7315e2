"""Comments on examples: written beside an example or an answer, and a list of them all."""

from dataclasses import dataclass

import orjson
from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe

from evaluations.access import audit, makers
from evaluations.errors import Refusal
from evaluations.labelling import comments
from evaluations.models import Comment, Dataset, Example, Project, Run
from evaluations.models.owned import OwnedQuerySet
from evaluations.short_texts import shortened
from evaluations.values import JSON

from ..page_tools import notices, url_values, visible
from ..page_tools.calls import curl
from ..page_tools.frame import frame, object_or_404, project_or_404, way_back
from ..page_tools.paging import address, paged
from ..page_tools.request import HttpRequest
from ..page_tools.texts import cell
from ..page_tools.url_values import Segment

DONE = {"true": True, "false": False}  # as the API writes them
EXCERPT = 140  # characters of the text spoken of


@require_safe
def comment_list(request: HttpRequest, slug: str) -> HttpResponse:
    """All comments of a project, the newest first."""
    project: Project = project_or_404(request, slug)
    search = request.GET.get("q", "").strip()[:200]
    of_project = comments.listed(Comment.objects.live().filter(project=project))
    found = of_project.filter(text__has=search) if search else of_project
    chosen = url_values.choice(request, "done", DONE, "")
    done = DONE.get(chosen)
    page = paged(request, comments.that_are(found, done), "pk", 50, newest_first=True)
    context = {
        **frame(request, project, "labels"),
        "page": page,
        "search": search,
        "hidden": [("done", chosen)] if chosen else [],
        "segments": _segments(request, found, done),
        "are_any": of_project.exists(),
        "listed": _listed(page.rows),
        "api_call": curl(request, f"/api/v1/comments/{f'?done={chosen}' if chosen else ''}"),
    }
    return render(request, "labels/comment_list.html", context)


def _segments(request: HttpRequest, found: QuerySet[Comment], done: bool | None) -> list[Segment]:
    """All comments, the open ones and those that are done, with their numbers."""
    kinds = (("all", None, None), ("open", "false", False), ("done", "true", True))
    return [
        Segment(
            word,
            comments.that_are(found, value).count(),
            address(request, done=written, after=None, before=None),
            is_current=done is value,
        )
        for word, written, value in kinds
    ]


@dataclass(frozen=True)
class Listed:
    """A comment with the example it is about: its name, the text spoken of, and its page, empty if it has left."""

    comment: Comment
    example: str
    text: str
    address: str


def _listed(found: list[Comment]) -> list[Listed]:
    examples = comments.examples_of(found)
    answers = comments.answers_of(found, examples)
    return [
        Listed(
            comment,
            _name(comment, examples.get(comment.pk)),
            _excerpt(answers.get(comment.pk) or _input(examples.get(comment.pk))),
            _address(comment, examples.get(comment.pk)),
        )
        for comment in found
    ]


def _name(comment: Comment, example: Example | None) -> str:
    return example.key if example and example.key else f"example {comment.example}"


def _excerpt(value: JSON) -> str:
    return shortened(cell(value, EXCERPT + 1), EXCERPT)


def _input(example: Example | None) -> JSON:
    return next(iter(orjson.loads(example.inputs).values()), "") if example else ""


def _address(comment: Comment, example: Example | None) -> str:
    """The example on the page of the run, or of the dataset; empty if it has left the dataset."""
    if example is None:
        return ""
    page = reverse("run-detail", args=[comment.run.pk]) if comment.run else None
    return f"{page or reverse('dataset-detail', args=[comment.dataset_id])}?row={example.position}"


@require_POST
def run_comment(request: HttpRequest, pk: int, position: int) -> HttpResponse:
    """Comment on the answer of a run to an example."""
    run = object_or_404(request, visible.runs(), pk)
    return _write(request, run.experiment.dataset, run.experiment.dataset_version, position, run)


@require_POST
def example_comment(request: HttpRequest, pk: int, position: int) -> HttpResponse:
    """Comment on an example."""
    datasets: OwnedQuerySet[Dataset] = Dataset.objects.live()
    dataset = object_or_404(request, datasets, pk)
    return _write(request, dataset, dataset.version, position)


def _write(
    request: HttpRequest, dataset: Dataset, version: int, position: int, run: Run | None = None
) -> HttpResponse:
    example = Example.objects.of_version(dataset.pk, version).filter(position=position).first()
    if example is None:
        raise Http404
    try:
        comments.write(request.user, example, request.POST.get("text", ""), run)
    except Refusal as refusal:
        messages.error(request, refusal.message)
    noun, pk = ("run", run.pk) if run else ("dataset", dataset.pk)
    return redirect(way_back(request, f"{reverse(f'{noun}-detail', args=[pk])}?row={position}"))


@require_POST
def comment_done(request: HttpRequest, pk: int) -> HttpResponse:
    """Say that a comment is done, or open again: by everybody who may comment."""
    comment = object_or_404(request, Comment.objects.live(), pk)
    is_done = request.POST.get("done") != "false"
    comments.mark(comment, is_done)
    audit.note(state="done" if is_done else "open")
    return redirect(way_back(request, reverse("comment-list", args=[comment.project.slug])))


@require_POST
def comment_delete(request: HttpRequest, pk: int) -> HttpResponse:
    comment = object_or_404(request, Comment.objects.live(), pk)
    makers.delete(request.user, comment)
    notices.done(request, "Comment deleted.", reverse("comment-restore", args=[pk]))
    return redirect(way_back(request, reverse("comment-list", args=[comment.project.slug])))


@require_POST
def comment_restore(request: HttpRequest, pk: int) -> HttpResponse:
    comment = object_or_404(request, Comment.objects.all(), pk)
    makers.restore(request.user, comment)
    messages.success(request, "The comment is back.")
    return redirect("comment-list", comment.project.slug)


urlpatterns = [
    path("p/<slug:slug>/comments/", comment_list, name="comment-list"),
    path("runs/<int:pk>/rows/<int:position>/comments/", run_comment, name="run-comment"),
    path("datasets/<int:pk>/examples/<int:position>/comments/", example_comment, name="example-comment"),
    path("comments/<int:pk>/done/", comment_done, name="comment-done"),
    path("comments/<int:pk>/delete/", comment_delete, name="comment-delete"),
    path("comments/<int:pk>/restore/", comment_restore, name="comment-restore"),
]
