"""The passport of an evaluator: what it is worth, checked against people, and the opening of its sealed labels."""

from dataclasses import dataclass, replace

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_POST, require_safe

from evaluations import kinds
from evaluations.charts.ranges import MARGIN, Axis, Range, axis_labels, range_plot
from evaluations.comparisons.people import disputes, export, held, passports, peers
from evaluations.comparisons.people.passports import Passport
from evaluations.errors import Invalid, Refusal
from evaluations.judges import again, checks, judgings
from evaluations.kinds.judge import judge
from evaluations.kinds.people import people
from evaluations.labelling import adjudication, sealing
from evaluations.models import Evaluator, EvaluatorVersion, Experiment, Judging
from evaluations.numerals import fixed, grouped
from evaluations.results.filenames import attachment
from evaluations.statistics.people.agreement import Agreement

from ..forms.spending import SpendingForm
from ..page_tools.calls import curl
from ..page_tools.frame import Context, frame, object_or_404
from ..page_tools.paging import number, number_of
from ..page_tools.request import HttpRequest

LOWEST, HIGHEST = 0.0, 1.0  # of κ, drawn; lower where an interval is
HEIGHT = 38
SCORABLE = 3  # newest experiments that a judge without scores may score


@dataclass(frozen=True)
class Line:
    """A line of the table of agreement; `is_people` is the ceiling."""

    name: str
    about: str
    agreement: Agreement
    is_people: bool = False
    is_whole: bool = False
    plot: SafeString | None = None


@require_safe
def passport(request: HttpRequest, pk: int) -> HttpResponse:
    """What the newest version of an evaluator is worth by the label set `?label_set=`."""
    return _page(request, pk, SpendingForm())


def _page(request: HttpRequest, pk: int, form: SpendingForm) -> HttpResponse:
    version, label_sets = _version(request, pk)
    if version.kind == people.key:
        return _of_people(request, version)
    label_set = _chosen(request, label_sets)
    found = held.held(held.labelled_runs(label_set), version) if label_set else None
    shown = passports.passport(found) if found else None
    evaluator = version.evaluator
    experiment = Experiment.objects.live().filter(runs__scorings__evaluator_version__evaluator=evaluator)
    passport_of = f"{pk}/passport/?label_set={label_set.pk}" if label_set else f"{pk}/"
    context = {
        **frame(request, evaluator.project, "evaluators"),
        "evaluator": evaluator,
        "version": version,
        "is_judge": held.is_judge(version),
        "label_set": label_set,
        "label_sets": label_sets,
        "passport": shown,
        **drawn(_lines(shown) if shown else []),
        "disputes": disputes.of(found) if found else None,
        "experiment": experiment.order_by("-pk").first(),
        "may_score": Experiment.objects.live().filter(project=evaluator.project).order_by("-pk")[:SCORABLE],
        "fewest": sealing.FEWEST,
        "api_call": curl(request, f"/api/v1/evaluators/{passport_of}"),
        **_tried(version, form),
    }
    return render(request, "evaluators/passport.html", context, status=form.status)


def _of_people(request: HttpRequest, version: EvaluatorVersion) -> HttpResponse:
    """How far people agree with each other: they are the measure, and nothing is held against them."""
    evaluator = version.evaluator
    labelled = held.labelled_runs(evaluator)
    context = {
        **frame(request, evaluator.project, "evaluators"),
        "evaluator": evaluator,
        "version": version,
        "sentence": peers.sentence(labelled.peers),
        "answers": labelled.labels.answers,
        "alpha": labelled.alpha,
        "differing": adjudication.differing(evaluator).count(),
        **drawn(_peers(labelled.peers)),
        "api_call": curl(request, f"/api/v1/label-sets/{evaluator.pk}/agreement/"),
    }
    return render(request, "evaluators/people_agree.html", context)


def _peers(agreement: Agreement | None) -> list[Line]:
    if agreement is None:
        return []
    about = f"{grouped(agreement.n)} answers seen by two"
    return [Line("Person against person", about, agreement, is_people=True)]


def _tried(version: EvaluatorVersion, form: SpendingForm) -> Context:
    form.fields["budget"].label = f"Budget, {version.evaluator.project.currency}"
    asked_again = again.of(version.evaluator) if version.kind == judge.key else None
    return {
        "known": checks.known(version) if version.kind in kinds.JUDGES else None,
        "again": asked_again,
        "again_form": form,
        "repeat_calls": asked_again.calls("repeats") if asked_again else 0,
        "attack_calls": asked_again.calls("attacks") if asked_again else 0,
    }


@require_POST
def evaluator_again(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask a judge about the same answers again, or send it the ten attacks, with the money that is named."""
    evaluator = object_or_404(request, Evaluator.objects.live(), pk, "run")
    form, purpose = SpendingForm(request.POST), request.POST.get("purpose", "")

    def ask() -> Judging:
        found = again.of(evaluator)
        if found is None or purpose not in (Judging.Purpose.REPEATS, Judging.Purpose.ATTACKS):
            raise Invalid("invalid_judging", "This evaluator has judged no answer that could be asked again.")
        positions = found.attacked if purpose == Judging.Purpose.ATTACKS else found.positions
        asked = judgings.asked_version(found.version)
        return judgings.ask_some(found.run, asked, request.user, form.money, purpose, positions)

    if form.do(ask) is None:
        return _page(request, pk, form)
    messages.success(request, "The judge is asked; reload this page in a minute.")
    return redirect("evaluator-passport", pk)


@require_POST
def passport_open(request: HttpRequest, pk: int) -> HttpResponse:
    """Open the sealed labels for the newest version; every opening counts."""
    version, label_sets = _version(request, pk, "write")
    label_set = _chosen(request, label_sets)
    try:
        if label_set is None:
            raise Invalid("no_labels", "No answer that this evaluator scored is labelled by people.")
        passports.open_sealed(version, label_set, request.user)
    except Refusal as refusal:
        messages.error(request, " ".join(filter(None, (refusal.message, refusal.hint))))
        return redirect("evaluator-passport", pk)
    messages.success(request, f"The sealed labels are open for {version}.")
    return redirect(f"{reverse('evaluator-passport', args=[pk])}?label_set={label_set.pk}")


@require_safe
def passport_export(request: HttpRequest, pk: int) -> HttpResponse:
    """The table of agreement as CSV."""
    version, label_sets = _version(request, pk)
    label_set = _chosen(request, label_sets)
    found = passports.of(version, label_set) if label_set else None
    headers = {"Content-Disposition": attachment(f"{version} passport", "csv")}
    return HttpResponse(export.as_csv(found), content_type="text/csv; charset=utf-8", headers=headers)


def _version(request: HttpRequest, pk: int, action: str = "read") -> tuple[EvaluatorVersion, list[Evaluator]]:
    """The newest version of an evaluator, and the label sets that it can be checked against."""
    evaluator = object_or_404(request, Evaluator.objects.live(), pk, action)
    version = evaluator.versions.select_related("evaluator__project").get(number=evaluator.version)
    return version, passports.label_sets_for(version)


def _chosen(request: HttpRequest, label_sets: list[Evaluator]) -> Evaluator | None:
    chosen = number(request, "label_set") or number_of(request.POST, "label_set")
    return next((found for found in label_sets if found.pk == chosen), next(iter(label_sets), None))


def _lines(passport: Passport) -> list[Line]:
    lines = _peers(passport.peers)
    if passport.sealed:
        about = f"{grouped(passport.sealed.n)} answers, sealed"
        lines.append(Line(f"{passport.version}, all variants", about, passport.sealed, is_whole=True))
        lines += [
            Line(f"on {v.name}", _passes(passport, v.agreement), v.agreement) for v in passport.variants
        ]
    elif tuned := passport.parts[sealing.TUNE].agreement:
        about = f"{grouped(tuned.n)} answers to tune, not sealed"
        lines.append(Line(str(passport.version), about, tuned, is_whole=True))
    return lines


def _passes(passport: Passport, agreement: Agreement) -> str:
    answers = f"{grouped(agreement.n)} answers"
    if len(passport.classes) != 2:
        return answers
    return f"{answers}, people {passport.classes[1]} {grouped(round(agreement.rates[1].of))}"


def drawn(lines: list[Line]) -> Context:
    """The lines with κ drawn on one axis, which reaches below 0 where an interval does."""
    spans = [Range(*_ends(line.agreement)) for line in lines]
    lowest = min([LOWEST, *(value for span in spans for value in span.values)])
    axis = Axis(lowest, HIGHEST).widened(MARGIN)
    plots = (range_plot(axis, span, height=HEIGHT, grid=True) for span in spans)
    return {
        "lines": [replace(line, plot=plot) for line, plot in zip(lines, plots, strict=True)],
        "axis": axis_labels(axis, written=fixed),
    }


def _ends(agreement: Agreement) -> tuple[float | None, float | None, float | None]:
    low, high = agreement.kappa.interval or (None, None)
    return low, agreement.kappa.value, high


urlpatterns = [
    path("evaluators/<int:pk>/passport/", passport, name="evaluator-passport"),
    path("evaluators/<int:pk>/passport/open/", passport_open, name="evaluator-passport-open"),
    path("evaluators/<int:pk>/again/", evaluator_again, name="evaluator-again"),
    path("evaluators/<int:pk>/passport/export/", passport_export, name="passport-export"),
]
