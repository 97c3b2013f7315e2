"""Gates: the list, the forms, and the page of one, which checks runs and shows verdicts."""

from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote

from django.contrib import messages
from django.db.models import Max, QuerySet
from django.db.models.functions import Lower
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluations.errors import Refusal
from evaluations.experiments import experiments
from evaluations.gates import gates, newest, unlike_the_whole, wording
from evaluations.models import Experiment, Gate, GateCheck, Run
from evaluations.numerals import whole
from evaluations.scoring import telling
from evaluations.short_texts import short_name, with_short_names
from evaluations.statistics.wording import Part

from .. import named
from ..forms import gate as gate_forms
from ..page_tools import notices, sorting, visible
from ..page_tools.calls import curl
from ..page_tools.frame import Context, frame, object_or_404, project_or_404
from ..page_tools.paging import number
from ..page_tools.request import HttpRequest, posted
from .gate_preview import drawn_checks
from .gate_results import compared_address, shown_result

CHECKS = 50
MOST_AT_ONCE = 20_000  # examples whose preview a form brings along when it opens; others come after it
WORST_FIRST = ("fail", "inconclusive", "pass")
RUNS = 200  # the newest runs of the dataset, offered to be checked
NAMES = ("name", "evaluator")  # the roles of the parts of a sentence that are names
COLUMNS = {
    "name": sorting.NAME,
    "dataset": sorting.Column(Lower("dataset__name"), falls=False),
    "checked": sorting.Column(Max("checks__created_at")),
}
MOST_LOOKED_AT = 20  # the newest runs among which one whose scores differ is looked for


@dataclass(frozen=True)
class Listed:
    """A gate with its criteria in words and its newest check."""

    gate: Gate
    check: GateCheck | None
    criteria: str

    @property
    def is_worse_on_some(self) -> bool:
        """Whether the check says of a run that it is worse on subsets which no criterion looks at."""
        return self.check is not None and unlike_the_whole.UNSEEN in self.check.sentence


@require_safe
def gate_list(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_or_404(request, slug)
    listed = named.page_of(request, visible.gates().filter(project=project), COLUMNS)
    context = {
        **frame(request, project, "gates"),
        **listed,
        "gates": _with_checks(listed["page"].rows),
        "api_call": curl(request, "/api/v1/gates/"),
    }
    return render(request, "gates/gate_list.html", context)


def _with_checks(listed: Sequence[Gate]) -> list[Listed]:
    by_gate = newest.of_gates(listed)
    titles = wording.titles(listed)
    return [Listed(gate, by_gate.get(gate.pk), titles[gate.pk]) for gate in listed]


def _form_page(
    in_frame: Context,
    form: gate_forms.GateForm | None = None,
    gate: Gate | None = None,
) -> Context:
    preview = _preview(form) if form and form.versions else None
    unsent = gates.demand(gate) if gate and form and not form.is_bound else []
    demand = preview[0] if preview else unsent
    return {
        **in_frame,
        "form": form,
        "gate": gate,
        "preview": preview,
        # An untouched form whose criteria are not complete is not told so.
        "comes_later": form is not None and not preview and (form.is_bound or form.size > MOST_AT_ONCE),
        "demand": _in_short(demand),
        "drawn": drawn_checks(preview[1] if preview else []),
    }


def _preview(form: gate_forms.GateForm) -> gate_forms.Seen | None:
    """What its runs would get, when that was asked for; and when the form opens, unless it would wait for long."""
    if form.action == "preview":
        return form.preview()
    if form.is_bound or form.action or form.size > MOST_AT_ONCE:
        return None
    filled = form.filled()
    preview = filled.preview()
    for row, shown in zip(filled.rows, form.rows, strict=True):
        shown.meaning = row.meaning
    return preview


def _drawn(request: HttpRequest, page: Context) -> HttpResponse:
    """The form, or for htmx only what a gate of its criteria would say."""
    form = page["form"]
    if request.htmx.target == "gate-preview":
        return render(request, "gates/_gate_preview.html", page)
    return render(request, "gates/gate_form.html", page, status=form.status if form else 200)


# ---- creating ----------------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
def gate_create(request: HttpRequest, slug: str) -> HttpResponse:
    """Create a gate on the runs of an experiment: the chosen one, that of `?experiment=`, or the newest whose scores
    differ."""
    project = project_or_404(request, slug, "write")
    in_frame = frame(request, project, "gates")
    of_project = visible.experiments_of(project)
    experiment = _experiment(request, of_project)
    if experiment is None:
        return render(request, "gates/gate_form.html", _form_page(in_frame))
    completed = [run for run in experiments.shown_runs(experiment) if run.status == Run.Status.COMPLETED]
    form = gate_forms.for_experiment(
        posted(request), experiment, completed, request.GET.get("baseline", ""), of_project
    )
    if form.is_wanted and (gate := form.do(lambda: form.create(request.user))):
        return redirect("gate-detail", gate.pk)
    response = _drawn(request, _form_page(in_frame, form))
    if gate_forms.chooses_another(posted(request), experiment):
        response["HX-Replace-Url"] = f"{request.path}?experiment={experiment.pk}"
    return response


def _experiment(request: HttpRequest, of_project: QuerySet[Experiment]) -> Experiment | None:
    chosen = whole(request.POST.get("experiment", "")) or number(request, "experiment")
    if chosen is not None:
        return get_object_or_404(of_project, pk=chosen)
    completed = visible.runs().filter(experiment__in=of_project, status=Run.Status.COMPLETED)
    newest = list(completed.order_by("-experiment_id", "-pk")[:MOST_LOOKED_AT])
    proposed = next(iter(telling.telling_first(newest) or newest), None)
    return proposed.experiment if proposed else of_project.first()


# ---- changing ----------------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
def gate_change(request: HttpRequest, pk: int) -> HttpResponse:
    """Change name, baseline and criteria of a gate. Changed criteria change the hash, so that pipelines notice."""
    gate = object_or_404(request, visible.gates(), pk, "write")
    form = gate_forms.for_gate(posted(request), gate, list(_runs(gate)))
    before = gate.hash
    if form.is_wanted and form.do(lambda: form.change(gate)) is not None:
        _say_changed(request, gate, before)
        return redirect("gate-detail", pk)
    page = _form_page(frame(request, gate.project, "gates", gate), form, gate)
    return _drawn(request, page)


def _say_changed(request: HttpRequest, gate: Gate, before: str) -> None:
    new = f" Its hash is now {gate.hash[:12]}…: a pipeline that sends another hash gets CHANGED."
    undo = f"{reverse('gate-undo', args=[gate.pk])}?hash={gate.hash}"
    notices.done(request, f"{gate.name} saved.{new if gate.hash != before else ''}", undo)


@require_POST
def gate_undo(request: HttpRequest, pk: int) -> HttpResponse:
    """Undo the last change, unless the gate was changed again since (`?hash=`)."""
    gate = object_or_404(request, visible.gates(), pk, "write")
    try:
        gates.undo(gate, request.GET.get("hash", ""))
    except Refusal as refusal:
        return _page(request, gate, refusal)
    messages.success(request, f"{gate.name} was restored; its hash is again {gate.hash[:12]}….")
    return redirect("gate-detail", pk)


# ---- one gate ----------------------------------------------------------------------------------------------


@require_safe
def gate_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """The page of a gate with the check `?check=`, else the newest check."""
    return _page(request, object_or_404(request, visible.gates(), pk))


def _page(request: HttpRequest, gate: Gate, refused: Refusal | None = None) -> HttpResponse:
    checks = gate.checks.filter(run__deleted_at=None, run__experiment__deleted_at=None)
    listed = list(checks.select_related("run", "created_by")[:CHECKS])
    check_id, judged = number(request, "check"), newest.of_gates([gate]).get(gate.pk)
    shown = get_object_or_404(checks.select_related("run"), pk=check_id) if check_id is not None else judged
    demand, runs = gates.demand(gate), list(_runs(gate))
    proposed = _proposed(gate, runs)
    chosen = _chosen(runs, proposed, shown)
    names = [text for role, text in demand if role in NAMES]
    if shown:
        names.append(shown.run.variant)
    context = frame(request, gate.project, "gates", gate) | {
        "gate": gate,
        "demand": _in_short(demand),
        "sentence": with_short_names(shown.sentence, names) if shown else "",
        "checks": listed,
        "check": shown,
        "newest": judged if shown and judged != shown else None,
        # of pipelines that sent another hash since
        "unjudged": listed[0] if judged and shown == judged != listed[0] else None,
        "proposed": proposed,
        "chosen_run": chosen,
        "compare_address": compared_address(gate, shown) if shown else "",
        "results": [
            shown_result(gate, shown, result, names)
            for result in sorted(shown.results, key=lambda result: WORST_FIRST.index(result["verdict"]))
        ]
        if shown
        else [],
        "runs": runs,
        "refused": refused,
        "pipeline_call": _pipeline_call(gate, runs),
        "api_call": curl(request, f"/api/v1/gates/{gate.pk}/check/?run={chosen or 'RUN'}"),
    }
    return render(request, "gates/gate_detail.html", context, status=refused.status if refused else 200)


def _pipeline_call(gate: Gate, runs: Sequence[Run]) -> str:
    """How a pipeline checks the run that it sent last, as docs/ci.md explains; its exit code is the verdict."""
    experiment = runs[0].experiment.name if runs else "EXPERIMENT"
    return f'evalsite gate {quote(gate.name)} "$VARIANT" --experiment {quote(experiment)} --hash {gate.hash}'


def _in_short(demand: Sequence[Part]) -> list[Part]:
    """What a gate demands, with its long names cut."""
    return [(role, short_name(text) if role in NAMES else text) for role, text in demand]


def _runs(gate: Gate) -> QuerySet[Run]:
    """The runs that can be checked, the newest first."""
    runs = visible.runs().filter(experiment__dataset=gate.dataset, status=Run.Status.COMPLETED)
    return runs.filter(project=gate.project)[:RUNS]


def _proposed(gate: Gate, runs: Sequence[Run]) -> Run | None:
    """The newest run, if it came after all that were checked."""
    last = newest.last_run(gate)
    return next((run for run in runs if run.pk > last and run.pk != gate.baseline_id), None)


def _chosen(runs: Sequence[Run], proposed: Run | None, shown: GateCheck | None) -> int | None:
    """The run that the form has selected: what is proposed, else that of the check, else the first of the list."""
    if proposed or not runs:
        return proposed.pk if proposed else None
    listed = [run.pk for run in runs]
    return shown.run_id if shown and shown.run_id in listed else listed[0]


@require_POST
def gate_check(request: HttpRequest, pk: int) -> HttpResponse:
    gate = object_or_404(request, visible.gates(), pk, "run")
    run = get_object_or_404(
        visible.runs().visible_to(request.user).filter(project=gate.project), pk=_run_id(request)
    )
    try:
        check = gates.check(gate, run, request.user)
    except Refusal as refusal:
        return _page(request, gate, refusal)
    gates.keep(check)
    return redirect(f"{reverse('gate-detail', args=[pk])}?check={check.pk}")


def _run_id(request: HttpRequest) -> int:
    """The id of the chosen run; 0, which no run has, if it is not a number."""
    return whole(request.POST.get("run", "")) or 0


@require_POST
def gate_lock(request: HttpRequest, pk: int) -> HttpResponse:
    """Lock the current state: the baseline's dataset version, outputs and evaluator versions."""
    gate = object_or_404(request, visible.gates(), pk, "write")
    before = gate.hash
    try:
        gates.change(gate, gates.plan_of(gate))
    except Refusal as refusal:
        return _page(request, gate, refusal)
    _say_changed(request, gate, before)
    return redirect("gate-detail", pk)


# ---- deleting, restoring -----------------------------------------------------------------------------------


urlpatterns = [
    path("p/<slug:slug>/gates/", gate_list, name="gate-list"),
    path("p/<slug:slug>/gates/new/", gate_create, name="gate-create"),
    path("gates/<int:pk>/", gate_detail, name="gate-detail"),
    path("gates/<int:pk>/change/", gate_change, name="gate-change"),
    path("gates/<int:pk>/undo/", gate_undo, name="gate-undo"),
    path("gates/<int:pk>/check/", gate_check, name="gate-check"),
    path("gates/<int:pk>/lock/", gate_lock, name="gate-lock"),
    *named.deletion(Gate.objects.filter(dataset__deleted_at=None), gates.delete),
]
