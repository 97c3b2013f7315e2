"""The pages of raters: the way in by a link, one item at a time, and the tasks in which somebody is asked.

Members, annotators who are asked and people with a link see the same page.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluations.access import permissions
from evaluations.errors import Gone, Refusal
from evaluations.kinds.people import PeopleConfig
from evaluations.labelling import links, raters, rating, sets, tasks
from evaluations.models import Label, LabelTask, Project, Rater, RaterLink, Scoring
from evaluations.results.rows import explanations, rows_at

from ..forms.ask_people import JoinForm
from ..page_tools.calls import curl
from ..page_tools.request import RATER_LINKS, HttpRequest, posted
from . import pace

KEYS = {
    "pass": ("P", "p"),
    "fail": ("F", "f"),
    "left": ("←", "ArrowLeft"),
    "both": ("↑", "ArrowUp"),
    "neither": ("↓", "ArrowDown"),
    "right": ("→", "ArrowRight"),
}
WORDS = {"both": "Both are fine"}


# ---- who rates -----------------------------------------------------------------------------------------------


def for_raters(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A page for whoever labels in the task of the address, also without an account."""

    @never_cache
    @wraps(view)
    def page(request: HttpRequest, pk: int) -> HttpResponse:
        task, rater = _in_task(request, pk)
        return view(request, task, rater)

    page.is_for_raters = True  # type: ignore[attr-defined] # read by `SignInFirst`
    return page


def _in_task(request: HttpRequest, pk: int) -> tuple[LabelTask, Rater | None]:
    """The task and who rates in it; None for a member before the first item. 404 for who is not asked."""
    if link := _link_to(request, pk):
        return link.task, link.rater
    if not request.user.is_authenticated:
        raise Http404
    found = raters.ratable(request.user).select_related("project", "version__evaluator")
    task = get_object_or_404(found, pk=pk)
    permissions.require(request.user, task.project, "rate")
    return task, rating.known_rater(task, request.user)


def _link_to(request: HttpRequest, pk: int) -> RaterLink | None:
    """The link by which this browser came to the task, while it works."""
    link = request.session.get(RATER_LINKS, {}).get(str(pk))
    return links.working().filter(pk=link, task=pk).first() if link else None


def _rater(request: HttpRequest, task: LabelTask, rater: Rater | None) -> Rater:
    return rater or rating.rater_of(task, request.user)


@login_not_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def rater_join(request: HttpRequest, token: str) -> HttpResponse:
    """The way in by a link: GET shows who asks, and only the button lets this browser label, from the first item on."""
    try:
        link = links.find(token)
    except Gone:
        return render(request, "labels/join.html", status=410)
    form = JoinForm(posted(request))
    form.fields["name"].required = link.rater is None
    if rater := form.do(lambda: links.join(link, form.cleaned_data["name"])):
        known = request.session.get(RATER_LINKS, {})
        request.session.cycle_key()
        request.session[RATER_LINKS] = {**known, str(link.task_id): link.pk}
        rating.begin(rater)
        return redirect("labeltask-rate", link.task_id)
    config = sets.config_of(link.task.version)
    shown = {
        "link": link,
        "form": form,
        "config": config,
        "answers": [*config.choices],
        "left": rating.left_for(link.task, link.rater),
    }
    return render(request, "labels/join.html", shown, status=form.status)


@require_safe
def asked_list(request: HttpRequest) -> HttpResponse:
    """The tasks in which this person is asked to label."""
    asked = [
        (task, sets.config_of(task.version), tasks.progress(task)) for task in raters.asked_of(request.user)
    ]
    may_read = Project.objects.visible_to(request.user).exists()
    call = {"api_call": curl(request, "/api/v1/label-tasks/")} if may_read else {}
    return render(request, "labels/asked.html", {"asked": asked, **call})


# ---- one item at a time --------------------------------------------------------------------------------------


@require_safe
@for_raters
def label_rate(request: HttpRequest, task: LabelTask, rater: Rater | None) -> HttpResponse:
    """The item that this person holds, and nothing that tells whose answer it is."""
    seat = rating.held(rater) if rater else None
    config = sets.config_of(task.version)
    mine = Label.objects.filter(rater=rater, withdrawn_at=None) if rater else Label.objects.none()
    progress, left = tasks.progress(task), rating.left_for(task, rater)
    shown = rating.shown(rater, seat) if rater and seat else None
    kept = request.session.pop("kept_note", {})
    context = {
        "task": task,
        "config": config,
        "version": task.version,
        "shown": shown,
        "seen": None if task.is_blind or shown is None else _seen(shown),
        "lease_until": seat.lease_until if seat else None,
        "choices": list(choices_of(config)),
        "last": mine.order_by("-pk").first(),
        "rated": mine.count(),
        "progress": progress,
        "left": left,
        "for_others": 0 if left or shown else progress.total - progress.done,
        "seconds_left": left * pace.seconds(task.project),
        "keys": request.GET.get("keys") != "off",
        "note": kept["note"] if shown and kept.get("item") == shown.item else "",
        "lost_note": "" if shown and kept.get("item") == shown.item else kept.get("note", ""),
        "may_leave": request.user.is_authenticated,
        # an annotator or a link sees no page of the task but this one
        "may_read": Project.objects.visible_to(request.user).filter(pk=task.project_id).exists(),
    }
    if context["may_read"]:
        context["api_call"] = curl(request, f"/api/v1/label-tasks/{task.pk}/next/")
    page = "labels/rate_pair.html" if config.answers == "pair" else "labels/rate.html"
    return render(request, page, context)


def choices_of(config: PeopleConfig) -> Any:
    """Each answer with its words, the key as shown, and the key as browsers name it."""
    for number, answer in enumerate(config.choices, 1):
        shown, key = KEYS.get(answer, (str(number), str(number)))
        yield answer, WORDS.get(answer, answer[:1].upper() + answer[1:]), shown, key


def _seen(shown: rating.Shown) -> dict[str, Any]:
    """What raters of a task that is not blind see: the variant, and the scores of its answer with their reasons."""
    scorings = list(Scoring.objects.filter(run=shown.run).select_related("evaluator_version__evaluator"))
    rows = rows_at(shown.run, [shown.position], scorings)
    why = explanations(shown.run, shown.position, scorings)
    named = [
        (scoring.evaluator_version.evaluator.name, why[scoring.pk].get("note", "")) for scoring in scorings
    ]
    scores = rows[0].scores if rows else {}
    return {
        "variant": shown.run.variant,
        "scores": [
            {"name": name, "score": scores[name], "note": note}
            for name, note in named
            if name in scores and scores[name].value is not None
        ],
    }


@require_POST
@for_raters
def label_begin(request: HttpRequest, task: LabelTask, rater: Rater | None) -> HttpResponse:
    rating.begin(_rater(request, task, rater))
    return _back(request, task)


@require_POST
@for_raters
def label_store(request: HttpRequest, task: LabelTask, rater: Rater | None) -> HttpResponse:
    """Store the label and show the next item. A lost lease keeps the note."""
    get_object_or_404(task.items, token=request.POST.get("item", ""))
    rater = _rater(request, task, rater)
    answer, note = request.POST.get("value", ""), request.POST.get("note", "")
    item = request.POST.get("item", "")
    try:
        rating.rate(rater, item, request.POST.get("lease", ""), None if answer == "unsure" else answer, note)
    except Refusal as refusal:
        messages.error(request, refusal.message)
        request.session["kept_note"] = {"item": item, "note": note[: rating.LONGEST_NOTE]}
    rating.begin(rater)
    return _back(request, task)


@require_POST
@for_raters
def label_undo(request: HttpRequest, task: LabelTask, rater: Rater | None) -> HttpResponse:
    rating.undo(_rater(request, task, rater))
    return _back(request, task)


def _back(request: HttpRequest, task: LabelTask) -> HttpResponse:
    answer = redirect("labeltask-rate", task.pk)
    if request.POST.get("keys") == "off":
        answer["Location"] += "?keys=off"
    return answer


urlpatterns = [
    path("rate/", asked_list, name="asked-list"),
    path("rate/<str:token>/", rater_join, name="rater-join"),
    path("labels/<int:pk>/rate/", label_rate, name="labeltask-rate"),
    path("labels/<int:pk>/begin/", label_begin, name="labeltask-begin"),
    path("labels/<int:pk>/store/", label_store, name="label-create"),
    path("labels/<int:pk>/undo/", label_undo, name="labeltask-undo"),
]
