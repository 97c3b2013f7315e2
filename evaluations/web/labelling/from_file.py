"""Labels that exist already, from a file."""

from csv import writer
from io import StringIO

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods

from evaluations.imports import score_files
from evaluations.imports.uploads import uploads
from evaluations.kinds.people import PeopleConfig, people
from evaluations.labelling import sent_labels, sets
from evaluations.models import Evaluator, Example, Experiment, Run
from evaluations.numerals import plural

from ..forms.ask_people import SentLabelsForm
from ..page_tools import visible
from ..page_tools.frame import frame, object_or_404
from ..page_tools.request import HttpRequest
from ..page_tools.sent_forms import go_to, shown_status

MOST_RUNS = 200  # that are offered
KEYS = ("q1", "q2")  # in the example of a file, where a dataset has none


@require_http_methods(["GET", "HEAD", "POST"])
def set_labels(request: HttpRequest, pk: int) -> HttpResponse:
    """Add labels that exist already, from a file."""
    sets_here = Evaluator.objects.live().filter(versions__kind=people.key).distinct()
    evaluator = object_or_404(request, sets_here, pk, "write")
    own, others = _runs(evaluator)
    sent_data = (request.POST, request.FILES) if request.method == "POST" else ()
    form = SentLabelsForm(*sent_data, own=own, others=others)
    if sent := form.do(lambda: _send(request, evaluator, form)):
        told = f"{plural(sent.stored, 'label')} of {plural(sent.raters, 'rater')} added."
        if sent.left_out:
            told += f" Columns that were not read: {', '.join(sent.left_out)}."
        messages.success(request, told)
        return go_to(request, reverse("labeltask-detail", args=[sent.task.pk]))
    config = sets.config_of(sets.newest_of(evaluator))
    context = {
        **frame(request, evaluator.project, "evaluators"),
        "evaluator": evaluator,
        "config": config,
        "example": _example(config, form["run"].value() or next(iter(form.by_id), "")),
        "form": form,
        "most": sent_labels.MOST,
    }
    return render(request, "labels/set_labels.html", context, status=shown_status(request, form.status))


def _example(config: PeopleConfig, run: str) -> str:
    """A file as this label set takes it, two people on one answer and one unsure, of the examples of the run."""
    answers = list(config.choices)
    first, second = _keys(run)
    text = StringIO()
    writer(text, lineterminator="\n").writerows(
        [
            ("key", "label", "note", "rater"),
            (first, answers[0], "", "ann"),
            (first, answers[-1], "too long", "bob"),
            (second, "", "cannot tell", "ann"),
        ]
    )
    return text.getvalue()


def _keys(run: str) -> tuple[str, str]:
    """The keys of the first two examples of the run, or others if they have none."""
    experiment = Experiment.objects.filter(runs=int(run)).first() if run.isdecimal() else None
    if experiment is None:
        return KEYS
    examples = Example.objects.of_version(experiment.dataset_id, experiment.dataset_version)
    keys = [key for key in examples.order_by("position").values_list("key", flat=True)[:2] if key]
    return (keys[0], keys[1]) if len(keys) == 2 else KEYS


def _runs(evaluator: Evaluator) -> tuple[list[Run], list[Run]]:
    """The runs of the experiments that this label set was asked about, and the newest others."""
    statuses = [Run.Status.COMPLETED, Run.Status.CANCELLED]
    complete = visible.runs().filter(project=evaluator.project, status__in=statuses).order_by("-pk")
    known = Run.objects.filter(label_tasks__version__evaluator=evaluator).values("experiment")
    own = list(complete.filter(experiment__in=known)[:MOST_RUNS])
    return own, list(complete.exclude(experiment__in=known)[:MOST_RUNS])


def _send(request: HttpRequest, evaluator: Evaluator, form: SentLabelsForm) -> sent_labels.Sent:
    with uploads.parked(evaluator.project, request.user, form.chosen_file) as upload:
        read = score_files.read(upload, form.columns())
    labels = sent_labels.of_rows(read.scores)
    sent = sent_labels.send(
        evaluator, request.user, form.chosen_run, labels, is_random=form.cleaned_data["random"]
    )
    return sent_labels.Sent(sent.task, sent.stored, sent.raters, sent.unsure, read.left_out)


urlpatterns = [
    path("evaluators/<int:pk>/labels/", set_labels, name="labelset-labels"),
]
