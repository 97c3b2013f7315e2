"""The last step of an upload: a summary, and the button that starts the import."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods

from evaluations import ingest
from evaluations.comparisons import measure_units
from evaluations.errors import Refusal
from evaluations.evaluators import outside, whole_references
from evaluations.imports import (
    added_references,
    changes,
    file_previews,
    forecasts,
    imports,
    own_scores,
    retries,
    run_names,
    same_examples,
    tools,
)
from evaluations.imports.columns import column_paths, columnmap, saved_mappings, score_labels
from evaluations.imports.columns.score_columns import ScoreColumn, by_name_and_variant
from evaluations.imports.problem_groups import grouped
from evaluations.imports.rows import large_changes
from evaluations.imports.uploads import uploads
from evaluations.ingest.measures import COST, LATENCY_MS, LATENCY_S, TOKENS, TOKENS_IN, TOKENS_OUT
from evaluations.models import Dataset, DatasetImport, Evaluator, Project, Upload

from ..forms import evaluators, unplaced_raters
from ..forms.choice import ROLES
from ..forms.confirm import FILE_IS, ConfirmForm
from ..forms.upload import ColumnChoices
from ..page_tools.calls import filing
from ..page_tools.frame import Context, frame, object_or_404
from ..page_tools.request import HttpRequest, posted
from ..page_tools.texts import cell
from .parked import STEPS, known_evaluators, known_roles, leads_on, parked, remember

SAID = TypeVar("SAID", str, list[str])
MEASURED_AS = {
    COST: "cost",
    LATENCY_MS: "latency",
    LATENCY_S: "latency",
    TOKENS: "tokens",
    TOKENS_OUT: "tokens",
    TOKENS_IN: "prompt_tokens",
}
SHOWN = 200  # characters of a text


@require_http_methods(["GET", "HEAD", "POST"])
@leads_on
def upload_confirm(request: HttpRequest, pk: int) -> HttpResponse:
    upload, dataset = parked(request, pk)
    if upload.format == uploads.UNREAD:
        return redirect("upload-waiting", pk)
    if tools.tool_of(upload):
        return redirect("upload-tool", pk)
    preview = uploads.preview(upload)
    try:
        choices = ColumnChoices.suggested(preview, known_roles(upload, preview), dataset)
        mapping = choices.mapping()
        columns = columnmap.ColumnMap.check(preview.columns, mapping)
    except Refusal as refusal:  # the address was opened too early: columns come first
        messages.error(request, refusal.message)
        return redirect("upload-columns", pk)
    is_change = bool(dataset and "retry" not in upload.mapping)
    forecast = forecasts.forecast(upload, columns, dataset, changes=is_change)
    several = len(columns.reference) > 1
    words = _said(score_labels.words, upload, preview, columns.scores)
    labels = _said(score_labels.verdicts, upload, preview, columns.scores)
    settings = columns.score_settings
    unknown = {
        name: word
        for name, word in words.items()
        if name not in labels and not outside.by_score(upload.project, name, settings[name])
    }
    form = confirm_form(
        request,
        upload,
        dataset,
        mapping,
        forecast,
        words=unknown,
        verdicts=labels,
        has_several_references=several,
    )
    changed = dataset if is_change else None
    if begun := form.do(lambda: begin(request, upload, changed, preview.columns, mapping, form, labels)):
        remember(request, pk, address_of(begun, mapping))
        return redirect(address_of(begun, mapping))
    context = confirm_page(request, upload, dataset, columns, mapping, forecast, form)
    context["unplaced"] = unplaced_raters.find(choices.columns, choices.variants, preview)
    return render(request, "uploads/upload_confirm.html", context, status=form.status)


def _said(
    read: Callable[[ingest.Batch, Iterable[ScoreColumn]], dict[str, SAID]],
    upload: Upload,
    preview: ingest.Preview,
    scores: Sequence[ScoreColumn],
) -> dict[str, SAID]:
    """What scores say in words, by score: in the first 20 000 rows, and inside objects in those that are shown."""
    inside = [score for score in scores if score.path]
    others = [score for score in scores if not score.path]
    found = read(ingest.Objects(preview.lines, preview.rows), inside)
    if others:
        cells = uploads.first_columns(upload)
        found |= read(ingest.Table(range(len(next(iter(cells.values()), ()))), cells), others)
    return found


def confirm_page(
    request: HttpRequest,
    upload: Upload,
    dataset: Dataset | None,
    columns: columnmap.ColumnMap,
    mapping: dict[str, Any],
    forecast: forecasts.Forecast,
    form: ConfirmForm,
) -> Context:
    return {
        **frame(request, upload.project, "datasets"),
        "upload": upload,
        "dataset": dataset,
        "form": form,
        "mapping": mapping,
        "scores": _scores(columns.scores),
        "measures": _measures(columns, upload.project.currency),
        "has_costs": any(one.kind == COST for one in columns.measures),
        "measured_under": _measured_under(columns, upload.project.currency),
        "of_raters": {
            name for (name, _), raters in by_name_and_variant(columns.scores).items() if raters[1:]
        },
        "texts": _texts(uploads.preview(upload), columns),
        "left_out": columns.left_out(uploads.preview(upload).columns),
        "forecast": forecast,
        "problems": grouped([one.as_dict() for one in forecast.problems], forecast.problem_counts),
        "large_changes": [
            (mode, large_changes.warnings(effects, dataset.example_count))
            for mode, effects in (forecast.effects or {}).items()
        ]
        if dataset
        else [],
        "same_examples": (known := same_examples.of_upload(upload)),
        "differing": same_examples.differing(upload, known) if known else 0,
        "names_several": is_long(mapping) or len(mapping["outputs"]) > 1,
        "added_references": added_references.of_upload(upload),
        "same": (same := file_previews.same_content(upload)),
        "earlier": None if same else file_previews.earlier_version(upload),
        "same_rows": file_previews.same_rows(upload, columns, forecast.good)
        if forecast.whole and not (same or known or dataset or is_long(mapping))
        else None,
        "references": []
        if form.advice and "evaluators" in form.fields
        else whole_references.about_columns(columns.reference),
        "steps": STEPS,
        "api_post": _call(request, upload, dataset, mapping, form),
    }


def _call(
    request: HttpRequest,
    upload: Upload,
    dataset: Dataset | None,
    mapping: dict[str, Any],
    form: ConfirmForm,
) -> str:
    """The call that imports a file like this one, with the mapping of the page before."""
    sent = {
        "mapping": json.dumps({name: value for name, value in mapping.items() if value}, ensure_ascii=False)
    }
    if dataset:
        return filing(
            request, f"/api/v1/datasets/{dataset.pk}/upload/", {"mode": "append", **sent}, upload.filename
        )
    named = {"name": str(form["name"].value()), **sent}
    return filing(request, "/api/v1/datasets/", named, upload.filename)


def _scores(columns: Iterable[ScoreColumn]) -> dict[str, list[str]]:
    """The columns and paths of each score, each once."""
    sources: dict[str, dict[str, None]] = {}
    for column in columns:
        sources.setdefault(column.name, {})[column.source] = None
    return {name: [*of_score] for name, of_score in sources.items()}


def _measures(columns: columnmap.ColumnMap, currency: str) -> dict[str, list[str]]:
    """The columns and paths of what answers took, by their roles; costs are in the currency of the project."""
    sources: dict[str, list[str]] = {}
    for one in columns.measures:
        word = f"{ROLES[one.kind]}, in {currency}" if one.kind == COST else ROLES[one.kind]
        sources.setdefault(word, []).append(one.source)
    return sources


def _measured_under(columns: columnmap.ColumnMap, currency: str) -> str:
    """What the part of the experiment's page is called that compares them."""
    kinds = {MEASURED_AS[one.kind] for one in columns.measures}
    shown = [unit for name, unit in measure_units.units(currency).items() if name in kinds]
    return measure_units.title(shown) if shown else ""


def _texts(preview: ingest.Preview, columns: columnmap.ColumnMap) -> dict[str, list[tuple[str, str, str]]]:
    """Inputs, references and outputs: their names, their columns if these are called otherwise, and a first text."""
    inside = dict(columns.paths)
    sources: dict[str, dict[str, str]] = {
        part: {name: inside.get(name, name) for name in getattr(columns, part)} | columns.columns_of(part)
        for part in ("inputs", "reference")
    }
    sources["outputs"] = dict(columns.outputs)
    return {
        part: [
            (name, source if source != name else "", _first_text(preview, source))
            for name, source in named.items()
        ]
        for part, named in sources.items()
    }


def _first_text(preview: ingest.Preview, source: str) -> str:
    if source.startswith("$"):
        return cell(column_paths.example(source, preview.rows), SHOWN)
    return cell(next((row[source] for row in preview.rows if row.get(source) is not None), None), SHOWN)


def brings_outputs(mapping: dict[str, Any]) -> bool:
    return bool(mapping["outputs"] or is_long(mapping))


def is_long(mapping: dict[str, Any]) -> bool:
    """Whether several rows may be one example."""
    return bool(mapping.get("variant") or mapping.get("rater"))


def confirm_form(
    request: HttpRequest,
    upload: Upload,
    dataset: Dataset | None,
    mapping: dict[str, Any],
    forecast: forecasts.Forecast,
    *,
    words: Mapping[str, Sequence[str]],
    verdicts: Mapping[str, str],
    has_several_references: bool,
) -> ConfirmForm:
    offered = (
        evaluators.groups(upload.project, has_several_references=has_several_references)
        if brings_outputs(mapping)
        else []
    )
    form = ConfirmForm(
        posted(request),
        upload=upload,
        forecast=forecast,
        evaluators=offered,
        variants=[*(forecast.variants if mapping.get("variant") else mapping["outputs"])],
        known=known_evaluators(upload),
        is_chosen="evaluators" in upload.mapping,
        has_reference=bool(mapping["reference"]),
        own_score=own_scores.deciding(mapping, forecast, verdicts),
        words=words,
    )
    if dataset:
        del form.fields["name"], form.fields["schema"]
    is_change = bool(dataset and "retry" not in upload.mapping)
    if not is_change:
        del form.fields["mode"]
    elif request.GET.get("mode") in FILE_IS:
        form.fields["mode"].initial = request.GET["mode"]
    if not is_change and (dataset or is_long(mapping)):  # other imports do not search for duplicates
        del form.fields["duplicates"]
    if not offered:
        del form.fields["evaluators"]
    return form


def begin(
    request: HttpRequest,
    upload: Upload,
    changed: Dataset | None,
    columns: Sequence[str],
    mapping: dict[str, Any],
    form: ConfirmForm,
    labels: Mapping[str, str],
) -> Dataset | DatasetImport:
    """Begin the import into an existing or a new dataset; its mapping is remembered for later files.

    `labels` are those of scores that nobody is asked about, by score.
    """
    named = {**labels, **form.labels}
    mapping = mapping | ({"labels": named} if named else {})
    with transaction.atomic():
        scoring = evaluators.chosen(upload.project, request.user, form.cleaned_data.get("evaluators", ()))
        mapping |= {"evaluators": [evaluator.pk for evaluator in scoring]} if scoring else {}
        if form.own_score.name and not scoring:  # the first score becomes the primary evaluator
            scores = mapping["scores"]
            name = form.own_score.name
            mapping |= {"scores": {name: scores[name]} | scores}
        begun = (
            begin_change(request, upload, changed, mapping, form)
            if changed
            else begin_new(request, upload, mapping, scoring, form)
        )
        if changed or brings_outputs(mapping) or not _is_as_suggested(upload, mapping):
            dataset = begun if isinstance(begun, Dataset) else begun.dataset
            saved_mappings.remember(upload.project, columns, mapping, dataset)
        if name := form.cleaned_data["save_as"]:
            save(upload.project, request.user, name, mapping)
    return begun


def _is_as_suggested(upload: Upload, mapping: Mapping[str, Any]) -> bool:
    """Whether nobody changed the roles: then the next file with this header is looked at anew, and not led as far."""
    fresh = {name: upload.mapping[name] for name in ("long", "raters") if name in upload.mapping}
    suggested = ColumnChoices.suggested(uploads.preview(upload), fresh, None)
    try:
        return all(mapping.get(name) == value for name, value in suggested.mapping().items())
    except Refusal:
        return False


def save(project: Project, user: User, name: str, mapping: dict[str, Any]) -> None:
    """Save a mapping under a name; a refusal is about this name, not about the dataset's."""
    try:
        saved_mappings.create(project, user, name, mapping)
    except Refusal as refusal:
        refusal.fields = {"save_as": [refusal.message]}
        raise


def address_of(begun: Dataset | DatasetImport, mapping: dict[str, Any]) -> str:
    """The address of the page with the progress of the import."""
    if isinstance(begun, DatasetImport):
        return reverse("dataset-import", args=[begun.dataset_id, begun.pk])
    address = reverse("dataset-detail", args=[begun.pk])
    return f"{address}?then=experiment" if brings_outputs(mapping) else address


def begin_change(
    request: HttpRequest, upload: Upload, dataset: Dataset, mapping: dict[str, Any], form: ConfirmForm
) -> DatasetImport:
    """Begin the import into an existing dataset; with `preview` as a dry run."""
    values = form.cleaned_data
    mode = values["mode"] or "append"
    return changes.begin(
        upload,
        dataset,
        mode,
        mapping,
        dry_run="preview" in request.POST,
        on_error="reject" if mode == "mirror" else values["on_error"],
        duplicates=values["duplicates"] or "keep",
        user=request.user,
    )


def begin_new(
    request: HttpRequest,
    upload: Upload,
    mapping: dict[str, Any],
    scoring: Sequence[Evaluator],
    form: ConfirmForm,
) -> Dataset:
    values = form.cleaned_data
    options = {"on_error": values["on_error"], "user": request.user, "schema": values.get("schema")}
    options["duplicates"] = values.get("duplicates") or "keep"
    options |= {"evaluators": scoring, "baseline": values.get("baseline", "")}
    if failed := upload.mapping.get("retry"):
        again = object_or_404(request, Dataset.objects.live(), failed, "write")
        return retries.begin_again(upload, again, values.get("name", again.name), mapping, **options)
    preview = uploads.preview(upload)
    model = run_names.of_first(preview, upload.filename)
    renamed = run_names.renamed(mapping, model, columnmap.ColumnMap.suggested(preview).outputs)
    return imports.begin(upload, values["name"], renamed, **options)


urlpatterns = [path("uploads/<int:pk>/confirm/", upload_confirm, name="upload-confirm")]
