"""Adds a variant from a file: first the file, then its columns and how its rows match the examples."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluations import ingest
from evaluations.datasets import datasets
from evaluations.errors import Invalid, NotFound, Refusal
from evaluations.experiments import about, column_outputs, runs
from evaluations.imports import (
    added_references,
    forecasts,
    imports,
    matches,
    outputs,
    refused_rows,
    run_names,
    tool_outputs,
)
from evaluations.imports.uploads import uploads
from evaluations.judges import allowances, paid
from evaluations.judges import estimates as judge_estimates
from evaluations.models import EvaluatorVersion, Experiment, Run, Upload
from evaluations.results import exports
from evaluations.results.filenames import attachment
from evaluations.scoring.paid_scores import Estimate
from evaluations.values import JSON, text_of

from ..forms.variant import MatchForm, VariantForm
from ..page_tools import visible
from ..page_tools.calls import example_file, upload_call
from ..page_tools.frame import frame, object_or_404
from ..page_tools.request import HttpRequest
from ..page_tools.sent_forms import go_to, shown_status
from ..runs import rows as run_rows

EXAMPLE = ("an answer", "another answer")
STEPS = ("File", "Match and start")
forms = require_http_methods(["GET", "HEAD", "POST"])


@forms
def variant_create(request: HttpRequest, pk: int) -> HttpResponse:
    """The first step: a name, and a file, which is kept for an hour."""
    experiment = object_or_404(request, visible.experiments(), pk, "run")
    form = VariantForm.from_request(request, experiment.project)
    if upload := form.do(lambda: park(request, experiment, form)):
        address = reverse("variant-match", args=[pk, upload.pk])
        return go_to(request, address)
    context = {
        **frame(request, experiment.project, "experiments"),
        "experiment": experiment,
        "form": form,
        "has_column_variants": bool(column_outputs.candidates(experiment.dataset)),
        "steps": STEPS,
        "limits": uploads.LIMITS,
        "upload_call": upload_call(request, experiment),
        "example": example_file(experiment.examples, "output", EXAMPLE),
    }
    status = shown_status(request, form.status)
    return render(request, "experiments/variant_form.html", context, status=status)


def park(request: HttpRequest, experiment: Experiment, form: VariantForm) -> Upload:
    variant_facts = form.about()
    about.check(experiment.project, variant_facts)
    upload = uploads.park(experiment.project, request.user, form.chosen_file, tools=True)
    try:
        upload = tool_outputs.as_rows(upload, experiment)
        adopt(upload, experiment, form.cleaned_data["variant"], variant_facts)
    except Refusal:
        upload.delete()
        uploads.discard(upload.stored_as)
        raise
    return upload


def adopt(upload: Upload, experiment: Experiment, variant: str, variant_facts: dict[str, Any]) -> None:
    """Keep the file for a variant of the experiment, which is named by the file without a name."""
    named = variant.strip() or run_names.suggested(upload, experiment)
    if not named:
        message = "Name the variant: nothing in the file does."
        raise Invalid("invalid_mapping", message, fields={"variant": [message]})
    is_of_tool = "tool" in upload.mapping
    kept = {name: upload.mapping[name] for name in ("mapped", "tool") if is_of_tool}
    of_variant = {"experiment": experiment.pk, "variant": named, "about": variant_facts}
    uploads.touch(upload, kept | of_variant)


def _own(request: HttpRequest, experiment: Experiment, upload_pk: int) -> Upload:
    """A file that this person uploaded in the project of the experiment, for whatever purpose."""
    own = {"user": request.user, "project": experiment.project_id, "pk": upload_pk}
    upload = Upload.objects.visible_to(request.user).filter(**own).first()
    if upload is None:
        raise gone(experiment)
    return upload


@require_POST
def variant_adopt(request: HttpRequest, pk: int, upload_pk: int) -> HttpResponse:
    """Take a file that was uploaded as a new dataset for a variant, because it has the examples of the experiment."""
    experiment = object_or_404(request, visible.experiments(), pk, "run")
    upload = _own(request, experiment, upload_pk)
    try:
        upload = tool_outputs.as_rows(upload, experiment)
        adopt(upload, experiment, "", {})
    except Refusal as refusal:
        messages.error(request, refusal.message)
        return redirect("variant-create", pk)
    return redirect("variant-match", pk, upload.pk)


@require_POST
def references_adopt(request: HttpRequest, pk: int, upload_pk: int) -> HttpResponse:
    """Add the right answers of an uploaded file to the examples of the experiment, which has none."""
    experiment = object_or_404(request, visible.experiments(), pk, "write")
    upload = _own(request, experiment, upload_pk)
    found = added_references.of_upload(upload)
    if found is None or found.experiment.pk != pk:
        messages.error(request, f"The file has no right answers that {experiment.dataset.name} lacks.")
        return redirect("upload-columns", upload_pk)
    try:
        change = added_references.begin(upload, found, request.user)
    except Refusal as refusal:
        messages.error(request, f"{refusal.message} {refusal.hint}".strip())
        return redirect("upload-columns", upload_pk)
    address = reverse("dataset-import", args=[experiment.dataset_id, change.pk])
    return redirect(f"{address}?then={pk}")


@forms
def variant_match(request: HttpRequest, pk: int, upload_pk: int) -> HttpResponse:
    """The second step: the roles of columns, and the number of examples that get an output."""
    experiment = object_or_404(request, visible.experiments(), pk, "run")
    upload = parked(request, experiment, upload_pk)
    preview = uploads.preview(upload)
    form = MatchForm.from_request(request, upload, experiment)
    started = form.do(lambda: begin(request, experiment, upload, form)) if "start" in request.POST else None
    if started:
        return redirect("experiment-detail", pk)
    match = matched(upload, experiment, form)
    called = paid.of(experiment)
    shown_examples = examples_by_line(experiment, match) if match else {}
    context = {
        **frame(request, experiment.project, "experiments"),
        "experiment": experiment,
        "upload": upload,
        "preview": preview,
        "rows": [
            (line, shown_examples.get(line), [row.get(name) for name in preview.columns])
            for line, row in zip(preview.lines, preview.rows, strict=True)
        ],
        "form": form,
        "heading": f"Match {form.variant}".strip(),
        "tool": upload.mapping.get("tool", ""),
        "first_file": experiment.first_file.get("filename", ""),
        "match": match,
        "replaces_run": not form.names_variants()
        and _replaces_run(experiment, form.variant, upload.mapping.get("about", {})),
        "asks": bool(called),
        "estimates": _estimates(experiment, upload, called, form, match),
        "steps": STEPS,
    }
    return render(request, "experiments/variant_match.html", context, status=form.status)


@require_safe
def variant_repeated(request: HttpRequest, pk: int, upload_pk: int) -> HttpResponse:
    """The rows that give an example a second output, of those that were matched, as a file to correct."""
    experiment = object_or_404(request, visible.experiments(), pk, "run")
    upload = parked(request, experiment, upload_pk)
    match = matched(upload, experiment, MatchForm.of(request.GET or None, upload, experiment))
    lines = {*(match.twice_lines if match else ())}
    found: list[refused_rows.Refused] = []
    with uploads.opened(upload) as file:
        reader = ingest.open_rows(file, ingest.Format.from_dict(upload.format), uploads.LIMITS)
        for batch in reader.head(forecasts.LOOKED_AT, forecasts.CHARACTERS):
            found += [
                (line, "duplicate_output", "Its example has an output already.", _cells(row))
                for line, row in zip(batch.lines, batch.rows, strict=True)
                if line in lines
            ]
    answer = HttpResponse(b"".join(refused_rows.written(found, "csv")), content_type=exports.check("csv"))
    answer["Content-Disposition"] = attachment(f"{upload.filename} repeated", "csv")
    return answer


def _cells(row: Mapping[str, JSON]) -> dict[str, str]:
    return {name: text_of(value) or "" for name, value in row.items()}


def _estimates(
    experiment: Experiment,
    upload: Upload,
    called: Sequence[EvaluatorVersion],
    form: MatchForm,
    match: matches.Match | None,
) -> list[Estimate]:
    """What scores of the outputs would cost: of those that match, or where a file is long, of one for each example."""
    if match is None or not called:
        return []
    size = sum(number for _, number in match.answered) or match.matched
    size = size if match.whole else experiment.examples.count()
    answer = outputs.usual_length(upload, form.read(upload))
    return judge_estimates.of_plan(experiment.dataset, experiment, called, 1, size, answer)


def _replaces_run(experiment: Experiment, variant: str, variant_facts: dict[str, Any]) -> bool:
    """Whether the variant already has a run, which a new one would hide."""
    named = experiment.runs.filter(deleted_at=None, variant=variant)
    return any(about.digest(run.about) == about.digest(variant_facts) for run in named)


def matched(upload: Upload, experiment: Experiment, form: MatchForm) -> matches.Match | None:
    """The counts for the chosen columns; None while they cannot be used."""
    if not form.is_bound and not form.suggestion.is_matched:  # the page says it beside the choices
        return None
    try:
        return matches.match(upload, experiment, form.read(upload))
    except Refusal as refusal:
        form.refused = form.refused or refusal
        return None


def examples_by_line(experiment: Experiment, match: matches.Match) -> dict[int, tuple[str, str]]:
    """The examples of the first rows, by line: label, and inputs on one line."""
    dataset_examples = datasets.examples(experiment.dataset, experiment.dataset_version)
    examples = {
        example.position: example
        for example in dataset_examples.filter(position__in=match.first_matched.values())
    }
    return {
        line: (matched.name, run_rows.brief("inputs", orjson.loads(matched.inputs)))
        for line, position in match.first_matched.items()
        if (matched := examples.get(position))
    }


def begin(request: HttpRequest, experiment: Experiment, upload: Upload, form: MatchForm) -> Run:
    with transaction.atomic():
        about, read = upload.mapping.get("about", {}), form.read(upload)
        variant = outputs.variant_of(upload, read, "" if form.names_variants() else form.variant)
        run = runs.create(experiment, request.user, variant, start=False, about=about)
        allowances.allow_new([run], form.money)
        return imports.begin_outputs(upload, run, read, start=True)


def parked(request: HttpRequest, experiment: Experiment, pk: int) -> Upload:
    """The user's own file for this experiment."""
    conditions: dict[str, Any] = {"user": request.user, "project": experiment.project_id, "pk": pk}
    upload = Upload.objects.visible_to(request.user).filter(**conditions).first()
    if upload is None or upload.mapping.get("experiment") != experiment.pk:
        raise gone(experiment)
    return upload


def gone(experiment: Experiment) -> NotFound:
    refusal = NotFound(
        "upload_gone",
        "This upload was started, or has expired.",
        hint="If you started it, its variant is in the experiment. Else upload the file again: files are kept for an "
        "hour.",
    )
    refusal.onward = ("Upload the file again", reverse("variant-create", args=[experiment.pk]))
    return refusal


urlpatterns = [
    path("experiments/<int:pk>/variants/new/", variant_create, name="variant-create"),
    path("experiments/<int:pk>/variants/<int:upload_pk>/", variant_match, name="variant-match"),
    path(
        "experiments/<int:pk>/variants/<int:upload_pk>/repeated/", variant_repeated, name="variant-repeated"
    ),
    path("experiments/<int:pk>/variants/from/<int:upload_pk>/", variant_adopt, name="variant-adopt"),
    path(
        "experiments/<int:pk>/references/from/<int:upload_pk>/",
        references_adopt,
        name="experiment-references",
    ),
]
