"""The second step of an upload: the format of the file, and the roles of its columns."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_http_methods, require_safe

from evaluations import ingest
from evaluations.errors import Refusal
from evaluations.imports import (
    added_references,
    file_previews,
    refused_ahead,
    same_examples,
    tools,
)
from evaluations.imports.columns import column_paths, columnmap, saved_mappings
from evaluations.imports.problem_groups import grouped
from evaluations.imports.refused_rows import Refused, written
from evaluations.imports.uploads import open_quotes, uploads
from evaluations.ingest.escapes import LETTERS
from evaluations.ingest.measures import LATENCY_MS, LATENCY_S
from evaluations.models import Dataset, Upload
from evaluations.results import exports
from evaluations.results.filenames import attachment
from evaluations.values import JSON

from ..forms import inner_roles, measure_roles, rater_columns, unpaired, unplaced_raters
from ..forms.choice import NAMING_ROLES, OUTPUT_ROLES, ROLES, SCORE_ROLES, Choice
from ..forms.upload import ENCODINGS, ColumnChoices
from ..page_tools.frame import Context, frame
from ..page_tools.request import HttpRequest
from ..page_tools.sent_forms import shown_status
from .parked import STEPS, known_roles, leads_on, parked, roles_of

TIMES = (LATENCY_MS, LATENCY_S)


@require_http_methods(["GET", "HEAD", "POST"])
@leads_on
def upload_columns(request: HttpRequest, pk: int) -> HttpResponse:
    """The page of the format and the roles of the columns; a changed format shows it again."""
    upload, dataset = parked(request, pk)
    if upload.format == uploads.UNREAD:
        return redirect("upload-waiting", pk)
    if tools.tool_of(upload):
        return redirect("upload-tool", pk)
    if request.method != "POST":
        return columns_page(request, upload, dataset)
    try:
        if "use" in request.POST:
            return use_saved(request, upload)
        choices = sent_choices(request, upload, dataset)
        uploads.choose(upload, reading(request))
        if "continue" not in request.POST:
            return columns_page(request, upload, dataset)
        columnmap.ColumnMap.check(uploads.preview(upload).columns, choices.mapping())
    except Refusal as refusal:
        return columns_page(request, upload, dataset, refusal)
    return redirect("upload-confirm", upload.pk)


def use_saved(request: HttpRequest, upload: Upload) -> HttpResponse:
    """Replace the roles in the form by those of the chosen mapping."""
    preview = uploads.preview(upload)
    saved = saved_mappings.use(upload.project, request.POST.get("saved", ""))
    mapped, missing = saved_mappings.fitting(saved.mapping, preview.columns)
    scored_by = {"evaluators": saved.mapping.get("evaluators") or []}
    uploads.touch(upload, upload.mapping | roles_of(mapped, preview) | scored_by)
    messages.success(request, f"The columns have the roles of {saved.name}.")
    if missing:
        messages.warning(request, f"The file lacks these columns of {saved.name}: {', '.join(missing[:20])}.")
    return redirect("upload-columns", upload.pk)


def sent_choices(request: HttpRequest, upload: Upload, dataset: Dataset | None = None) -> ColumnChoices:
    """The roles in the form, after buttons that set several of them; stored with the upload."""
    form_data = request.POST
    names = (
        uploads.preview(upload).columns if "column-0" in form_data else []
    )  # without columns: it cannot be read yet
    choices = ColumnChoices.from_form(form_data, names)
    if form_data.get("likely") == "perhaps":
        choices = choices.with_role(_perhaps(uploads.preview(upload), choices), "output")
    elif "likely" in form_data:
        choices = with_likely(choices, uploads.preview(upload), form_data["likely"])
    elif "long" in form_data and "long" in upload.mapping:
        choices = choices.as_long(upload.mapping["long"]).with_key(upload.mapping["long"])
    elif "raters" in form_data and "raters" in upload.mapping:
        choices = choices.of_raters(upload.mapping["raters"])
    elif {"times", "one_question", "rated"} & form_data.keys():
        choices = answered(choices, uploads.preview(upload), form_data)
    elif "as_reference" in form_data and dataset:
        choices = choices.as_reference(form_data["as_reference"], dataset)
    elif "several" in form_data:
        selected = [
            choice.source for choice in choices.columns if str(choice.number) in form_data.getlist("pick")
        ]
        choices = choices.with_role(selected, form_data["several-role"])
    mapping = choices.added_to(upload.mapping)
    if form_data.get("open") in names:
        mapping["opened"] = [*dict.fromkeys([*mapping.get("opened", ()), form_data["open"]])]
    if "suggestions" in form_data:
        mapping = {
            name: value
            for name, value in mapping.items()
            if name not in ("columns", "paths", "mapped", "evaluators")
        }
        mapping["fresh"] = True
    uploads.touch(upload, mapping)
    return choices


def with_likely(choices: ColumnChoices, preview: ingest.Preview, role: str) -> ColumnChoices:
    """The choices with likely outputs marked, and likely scores if `role` is one of theirs."""
    choices = choices.with_role(choices.undecided(preview.likely_outputs), "output")
    scores = choices.undecided(preview.likely_scores) if role in SCORE_ROLES else []
    return choices.with_role(scores, role)


def answered(choices: ColumnChoices, preview: ingest.Preview, sent: Mapping[str, str]) -> ColumnChoices:
    """The choices after an answer to a question of the page: in what unit times are, who rated what."""
    if sent.get("times") in TIMES:
        return choices.with_role(measure_roles.unclear(choices.columns, preview), sent["times"])
    if "rated" in sent:
        raters = unplaced_raters.find(choices.columns, choices.variants, preview)
        variant = sent.get("rated-variant", "")
        columns = unplaced_raters.placed(choices.columns, raters, variant) if raters else choices.columns
        return replace(choices, columns=columns)
    return with_raters(choices, preview, is_one=sent.get("one_question") == "yes")


def with_raters(choices: ColumnChoices, preview: ingest.Preview, *, is_one: bool) -> ColumnChoices:
    """The choices with columns that are named after people as one question, or each as its own."""
    raters = rater_columns.find(choices.columns, preview)
    if raters is None:
        return choices
    return replace(choices, columns=rater_columns.as_one(choices.columns, raters, is_one=is_one))


@dataclass(frozen=True)
class PreviewCell:
    """`is_missing` marks a missing value that evaluators need."""

    value: JSON
    role: str
    is_missing: bool


@dataclass(frozen=True)
class PreviewRow:
    """A row of the preview, with its line in the file."""

    line: int
    cells: list[PreviewCell]


def columns_page(
    request: HttpRequest, upload: Upload, dataset: Dataset | None, error: Refusal | None = None
) -> HttpResponse:
    """The page with the first rows below the bar of formats, or with the reason why the file cannot be read."""
    preview: Context | None = None
    rows: ingest.Preview | None = None
    try:
        preview = preview_part(rows := uploads.preview(upload), upload, dataset)
    except Refusal as unreadable:
        error = error or unreadable
    is_guessed = any(warning["code"] == "encoding_guessed" for warning in upload.format["warnings"])
    is_changed = "HX-Request" in request.headers or "apply" in request.POST
    page = {
        **frame(request, upload.project, "datasets"),
        "upload": upload,
        "dataset": dataset,
        "error": error,
        "open_quote": open_quotes.find(upload, error, rows),
        "delimiters": ingest.DELIMITERS,
        "binary_kinds": ingest.BINARY,
        "encodings": dict.fromkeys((upload.format["encoding"], *ENCODINGS)),
        "is_guessed": is_guessed,
        "read_as": read_as(upload.format),
        "is_reading_open": is_changed or is_guessed or not preview,
        "same_examples": same_examples.of_upload(upload) if preview and not error else None,
        "added_references": added_references.of_upload(upload) if preview and not error else None,
        "earlier": (earlier := file_previews.earlier_version(upload) if preview and not error else None),
        "steps": STEPS,
    }
    if rows and preview and not (error or dataset or earlier or page["same_examples"]):
        page["same_rows"] = _same_rows(upload, rows, preview["choices"])
    status = shown_status(request, error.status if error else 200)
    context: dict[str, Any] = {**page, **preview} if preview else {**page}
    return render(request, "uploads/upload_columns.html", context, status=status)


def _same_rows(
    upload: Upload, preview: ingest.Preview, choices: ColumnChoices
) -> file_previews.EarlierVersion | None:
    """The version of a dataset that has these rows, if all of them were read for the preview."""
    try:
        columns = columnmap.ColumnMap.check(preview.columns, choices.mapping())
    except Refusal:
        return None
    return file_previews.same_rows(upload, columns, 0 if columns.variant else preview.row_count or 0)


def read_as(form: Mapping[str, Any]) -> list[str]:
    """How a file is read, in words; what is unusual only where it is so.

    >>> read_as({"kind": "csv", "delimiter": ";", "encoding": "utf-8", "header": True})
    ['semicolon', 'utf-8', 'header in the first row']
    >>> read_as({"kind": "parquet"})
    []
    """
    words = [ingest.DELIMITERS[form["delimiter"]]] if form["kind"] == "csv" else []
    words += [
        form[name] for name, list_ in (("sheet", "sheets"), ("rows", "lists")) if len(form.get(list_, ())) > 1
    ]
    words += [] if form["kind"] in ingest.BINARY else [form["encoding"]]
    if form["kind"] in ("csv", "workbook"):
        words.append("header in the first row" if form["header"] else "data from the first row")
    unusual = {
        "empty_as_text": "empty cells are text",
        "guarded": "apostrophes before = + - @ are removed",
    }
    quotes = {True: ["backslash before quotes"], LETTERS: ["quotes are letters"]}
    return (
        words
        + quotes.get(form.get("escape", False), [])
        + [said for name, said in unusual.items() if form.get(name)]
    )


def preview_part(preview: ingest.Preview, upload: Upload, dataset: Dataset | None) -> Context:
    """The first rows with the roles of their columns.

    `long` describes a file with a row for each variant, `raters` one with a row for each rater; `likely` are columns
    that look like outputs, `likely_scores` those that look like scores.
    """
    mapping = known_roles(upload, preview)
    choices = ColumnChoices.suggested(preview, mapping, dataset)
    choices = replace(choices, columns=sorted(choices.columns, key=lambda choice: choice.role == "leave out"))
    is_long = any(choice.role in NAMING_ROLES for choice in (*choices.columns, *choices.paths))
    is_plain = not dataset and not is_long and not {"long", "raters"} & {*upload.mapping}
    is_recalled = mapping is not upload.mapping and "mapped" not in upload.mapping
    roles = {role: word for role, word in ROLES.items() if not (dataset and role in OUTPUT_ROLES)}
    refused = _refused(upload, preview, dataset) if preview.row_count is not None else []
    listed = {column_paths.column_of(choice.source) for choice in choices.paths}
    opened = {
        *mapping.get("opened", ()),
        *inner_roles.flat((name for name in preview.columns if name in listed), preview.rows),
    }
    return {
        "preview": preview,
        "warnings": uploads.warnings(upload, preview),
        "choices": choices,
        "is_remembered": is_recalled and "columns" in mapping,
        "names_several": is_long or bool(upload.mapping.get("long")) or len(choices.variants) > 1,
        "long": None if is_long else upload.mapping.get("long"),
        "raters": None if is_long or dataset else upload.mapping.get("raters"),
        "unpaired": unpaired.find(choices.columns, preview) if is_plain else None,
        "unplaced": None if dataset else unplaced_raters.find(choices.columns, choices.variants, preview),
        "people": None if dataset else rater_columns.find(choices.columns, preview),
        "likely": choices.undecided(preview.likely_outputs) if is_plain else [],
        "perhaps": _perhaps(preview, choices) if is_plain and preview.row_count else [],
        "likely_scores": choices.undecided(preview.likely_scores) if is_plain else [],
        "rows": preview_rows(preview, choices),
        "roles": roles,
        "lacks_reference": choices.lacking_reference(preview, dataset) if dataset else None,
        "unread_outputs": choices.unread_outputs(preview) if dataset else [],
        "variants": choices.variants,
        "unclear_times": measure_roles.unclear(choices.columns, preview),
        "nested": [name for name in column_paths.nested(preview.columns, preview.rows) if name not in opened],
        "refused": max(len(refused), len(preview.refused)),
        "is_of_first_rows": preview.row_count is None,
        "is_unreadable": bool(preview.refused) and not preview.rows,
        "problems": grouped(
            [*(error.as_dict() for error in preview.errors), *refused_ahead.repeats(refused)],
            preview.error_counts,
        ),
        "saved": saved_mappings.offered(upload.project, preview.columns),
    }


FEW_ROWS = 10  # below, the contents of columns do not tell whether they answer


def _perhaps(preview: ingest.Preview, choices: ColumnChoices) -> list[str]:
    """Columns that may be outputs, in a file with references and so few rows that nothing says so."""
    given = {choice.role for choice in (*choices.columns, *choices.paths)}
    free = [choice.source for choice in choices.columns if choice.role == "metadata"]
    is_open = "reference" in given and "output" not in given and not preview.likely_outputs
    return free if is_open and len(preview.rows) < FEW_ROWS and len(free) == 2 else []


def preview_rows(preview: ingest.Preview, choices: ColumnChoices) -> list[PreviewRow]:
    return [
        PreviewRow(line, [_cell(choice, row.get(choice.source)) for choice in choices.columns])
        for line, row in zip(preview.lines, preview.rows, strict=True)
    ]


def _cell(choice: Choice, value: JSON) -> PreviewCell:
    return PreviewCell(value, choice.role, choice.role in ("reference", "output") and value is None)


def reading(request: HttpRequest) -> dict[str, Any]:
    """The format in the bar above the preview; empty fields are detected."""
    form_data = request.POST
    choices: dict[str, Any] = {
        name: form_data[name] for name in ("delimiter", "encoding", "sheet", "rows") if form_data.get(name)
    }
    switches = {"header": "yes", "empty_as_text": "text", "guarded": "export"}
    choices |= {name: form_data[name] == on for name, on in switches.items() if name in form_data}
    quotes = {"backslash": True, LETTERS: LETTERS}
    sent = form_data.get("letters") or form_data.get("escape")
    return choices | ({"escape": quotes.get(sent, False)} if sent else {})


@require_safe
@leads_on
def upload_refused(request: HttpRequest, pk: int) -> HttpResponse:
    """The rows that would be left out, of those that a forecast looks at, as a file to correct."""
    upload, dataset = parked(request, pk)
    found = _refused(upload, uploads.preview(upload), dataset)
    answer = HttpResponse(b"".join(written(found, "csv")), content_type=exports.check("csv"))
    answer["Content-Disposition"] = attachment(f"{upload.filename} refused", "csv")
    return answer


def _refused(upload: Upload, preview: ingest.Preview, dataset: Dataset | None) -> list[Refused]:
    """The rows that cannot be read, and those that repeat a key by the roles that are chosen so far."""
    columns = None
    with contextlib.suppress(Refusal):
        mapping = ColumnChoices.suggested(preview, known_roles(upload, preview), dataset).mapping()
        columns = columnmap.ColumnMap.check(preview.columns, mapping)
    if preview.row_count is not None and not preview.refused and not (columns and columns.key):
        return []  # The preview is of the whole file, which is not read once more.
    return refused_ahead.of_upload(upload, columns)


urlpatterns = [
    path("uploads/<int:pk>/columns/", upload_columns, name="upload-columns"),
    path("uploads/<int:pk>/refused/", upload_refused, name="upload-refused"),
]
