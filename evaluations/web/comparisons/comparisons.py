"""Compare runs side by side, also from several experiments and datasets."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from evaluations.access import permissions
from evaluations.comparisons import export
from evaluations.comparisons.alignment.sides import MOST_REPEATS, MOST_RUNS, check_comparable
from evaluations.comparisons.comparison import Comparison
from evaluations.errors import Invalid, NotFound
from evaluations.experiments import for_gates
from evaluations.experiments.about import identity
from evaluations.experiments.experiments import UNSCORABLE
from evaluations.experiments.runs import add_scorings
from evaluations.gates import sent
from evaluations.models import Run
from evaluations.numerals import whole
from evaluations.reports import page
from evaluations.reports import report as reports
from evaluations.short_texts import shortened

from ..page_tools import downloads, url_values, visible
from ..page_tools.frame import frame, previous_page
from ..page_tools.request import HttpRequest
from . import experiment_page, pair
from .experiment_page import runs_page, wants_means


@require_safe
@vary_on_headers("HX-Request", "HX-Target")
def compare(request: HttpRequest) -> HttpResponse:
    """Compare `?runs=3,4&baseline=3` (or `runs` repeated); by default the first is the baseline."""
    for text in _unread(request):
        url_values.not_understood(request, "runs", text)
    back = previous_page(request, otherwise="")
    if back and len(run_ids(request)) < 2:
        messages.error(request, "Select at least two runs to compare.")
        return redirect(back)
    chosen = chosen_runs(request)
    check_comparable(chosen)
    variants = {(run.experiment_id, *identity(run)) for run in chosen}
    in_frame = frame(request, chosen[0].project, "experiments")
    if len(chosen) < 2 and not request.htmx:
        messages.warning(request, "This address names one run, so there is nothing to compare it with.")
    repeated = len(variants) < len(chosen)
    page = runs_page(in_frame, chosen[0].experiment, chosen, chosen, repeated=repeated)
    comparison = experiment_page.compare(request, chosen, is_chosen=True)
    if comparison and comparison.part:
        page["part_of"], own = comparison.part, for_gates.variants_among(chosen)
        page["whole_address"] = pair.address_of(own[0], own[1])
    page["judged_by_gates"] = sent.judged([run for run in chosen if run.for_gate])
    return experiment_page.answer(request, page, comparison)


def _comparison(request: HttpRequest) -> Comparison:
    """The comparison in the address; refused if none of its runs is scored."""
    chosen = chosen_runs(request, MOST_REPEATS if wants_means(request) else MOST_RUNS)
    check_comparable(chosen)
    comparison = experiment_page.compare(request, chosen, is_chosen=True)
    if comparison is None:
        raise Invalid("no_runs", "None of these runs is scored.", hint="Wait until one has scores.")
    return comparison


@require_safe
def export_table(request: HttpRequest) -> HttpResponse:
    """The verdicts of the comparison in the address as a file."""
    comparison = _comparison(request)
    _, options = downloads.options(request)
    headers = {"Content-Disposition": export.attached(comparison)}
    return HttpResponse(export.as_csv(comparison, **options), content_type=export.TYPE, headers=headers)


@require_safe
def report(request: HttpRequest) -> HttpResponse:
    """The comparison in the address as one self-contained file."""
    comparison = _comparison(request)
    return HttpResponse(
        page.html(reports.report(comparison)), content_type=page.TYPE, headers=page.headers(comparison)
    )


@require_POST
def align(request: HttpRequest) -> HttpResponse:
    """Score the other runs with an evaluator's newest version, if only some of the compared runs have its scores."""
    chosen = chosen_runs(request)
    permissions.require(request.user, chosen[0].project, "run")
    # The address names several runs, but an audit entry only one object.
    request.audited_thing = chosen[0].experiment
    comparison = Comparison(chosen, chosen[0])
    for run in chosen:
        if run.status not in UNSCORABLE:
            add_scorings(run, comparison.evaluators.alignable)
    return redirect(f"{reverse('compare')}?{request.GET.urlencode()}")


def chosen_runs(request: HttpRequest, maximum: int = MOST_RUNS) -> list[Run]:
    """The runs in the address, in their order; 404, with their ids, if this user cannot see one of them."""
    ids = run_ids(request)
    if not ids:
        unread = "".join(f"“runs={shortened(text, 40)}” is no number of a run. " for text in _unread(request))
        hint = f"{unread}Select them on the experiment page."
        raise Invalid("no_runs", "Select at least two runs to compare.", hint=hint)
    if len(ids) > maximum:
        raise Invalid("too_many_runs", f"Select at most {maximum} runs.")
    visible_runs = visible.runs().visible_to(request.user).select_related("project").in_bulk(ids)
    if len(visible_runs) < len(ids):
        lacking = ", ".join(str(pk) for pk in ids if pk not in visible_runs)
        message = f"There is no run {lacking} here that you can read."
        raise NotFound("not_found", message, hint="The address may be wrong, or the run was deleted.")
    return [visible_runs[pk] for pk in ids]


def run_ids(request: HttpRequest) -> list[int]:
    """The ids in `?runs=`, cut to 18 digits, which every database accepts."""
    numbers = (whole(text[:18]) for text in _run_texts(request))
    return list(dict.fromkeys(number for number in numbers if number is not None))


def _unread(request: HttpRequest) -> list[str]:
    """The parts of `?runs=` that are no number."""
    return [text for text in _run_texts(request) if whole(text[:18]) is None]


def _run_texts(request: HttpRequest) -> list[str]:
    return [text for value in request.GET.getlist("runs") for text in value.split(",") if text]


urlpatterns = [
    path("compare/", compare, name="compare"),
    path("compare/export/", export_table, name="compare-export"),
    path("compare/report/", report, name="compare-report"),
    path("compare/align/", align, name="compare-align"),
]
