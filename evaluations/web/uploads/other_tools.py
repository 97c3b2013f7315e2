"""Pages for exports of other tools: the contents of a file, and, once imported, the figures of both tools."""

from dataclasses import dataclass

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods, require_safe

from evaluations.errors import Refusal
from evaluations.imports import same_examples, tool_evaluators, tool_figures, tools
from evaluations.imports.uploads import uploads
from evaluations.models import Dataset, Upload
from evaluations.other_tools.evaluation import Evaluation, Score
from evaluations.values import by_column

from ..forms.other_tools import ToolForm
from ..page_tools import visible
from ..page_tools.frame import frame, object_or_404
from ..page_tools.request import HttpRequest, posted
from ..page_tools.texts import cell
from .parked import leads_on, parked, remember

STEPS = ("File", "Confirm")
SHOWN, MOST_VARIANTS = 300, 4  # characters of a text; variants


@require_http_methods(["GET", "HEAD", "POST"])
@leads_on
def upload_tool(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the contents of the file with a button to import it, or a way to read it as a table."""
    upload, _ = parked(request, pk)
    if not tools.tool_of(upload):
        return redirect("upload-columns", pk)
    if "table" in request.POST:
        return read_as_table(request, upload)
    form = ToolForm(posted(request), upload=upload)
    made_dataset: Dataset | None = form.do(
        lambda: tools.begin(upload, form.cleaned_data["name"], user=request.user)
    )
    if made_dataset:
        address = f"{reverse('dataset-detail', args=[made_dataset.pk])}?then=experiment"
        remember(request, pk, address)
        return redirect(address)
    return tool_page(request, upload, form)


def read_as_table(request: HttpRequest, upload: Upload) -> HttpResponse:
    try:
        uploads.choose(upload, {})
    except Refusal as refusal:
        return tool_page(request, upload, ToolForm(None, upload=upload), refusal)
    return redirect("upload-columns", upload.pk)


def tool_page(
    request: HttpRequest, upload: Upload, form: ToolForm, error: Refusal | None = None
) -> HttpResponse:
    evaluation = None
    try:
        evaluation = tools.evaluation(upload)
    except Refusal as unreadable:
        error = error or unreadable
    decides = tool_evaluators.deciding(evaluation) if evaluation else ""
    page = {
        **frame(request, upload.project, "datasets"),
        "upload": upload,
        "evaluation": evaluation,
        "deciding": decides,
        "first": first_example(evaluation, decides) if evaluation and evaluation.items else None,
        "error": error,
        "form": form,
        "same_examples": same_examples.of_upload(upload, evaluation) if evaluation else None,
        "may_be_table": tools.may_be_table(upload),
        "steps": STEPS,
    }
    status = error.status if error else form.status
    return render(request, "uploads/upload_tool.html", {**page}, status=status)


@dataclass(frozen=True)
class FirstExample:
    """The first example of an export, with what each variant answers and the score that decides, if it has one."""

    parts: list[tuple[str, str]]
    answers: list[tuple[str, str, Score | None]]


def first_example(evaluation: Evaluation, decides: str) -> FirstExample:
    item = evaluation.items[0]
    values = {**by_column("inputs", item.inputs), **by_column("reference", item.reference)}
    return FirstExample(
        [(name, cell(value, SHOWN)) for name, value in values.items() if value is not None],
        [
            (variant.name, answer.error or cell(answer.output, SHOWN), answer.scores.get(decides))
            for variant in evaluation.variants[:MOST_VARIANTS]
            for answer in [them[0] for them in variant.repetitions if 0 in them][:1]
        ],
    )


@require_safe
def experiment_source(request: HttpRequest, pk: int) -> HttpResponse:
    """The figures of the tool's own summary beside those computed here, and graders without a formula."""
    imported = visible.experiments().exclude(source=None)
    experiment = object_or_404(request, imported, pk)
    lines = tool_figures.lines(experiment)
    page = {
        **frame(request, experiment.project, "experiments"),
        "experiment": experiment,
        "source": experiment.source,
        "lines": lines,
        "is_going": tool_figures.is_going(experiment),
        "equal": sum(line.is_equal is True for line in lines),
        "compared": sum(line.is_equal is not None for line in lines),
        "outside": [grader for grader in experiment.source["graders"] if grader["why"]],
        "failed": [grader for grader in experiment.source["graders"] if grader.get("failed")],
    }
    return render(request, "experiments/experiment_source.html", {**page})


urlpatterns = [
    path("uploads/<int:pk>/tool/", upload_tool, name="upload-tool"),
    path("experiments/<int:pk>/source/", experiment_source, name="experiment-source"),
]
