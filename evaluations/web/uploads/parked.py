"""An uploaded file that waits for its columns to be mapped: permission, and suggested roles."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from evaluations import ingest
from evaluations.errors import NotFound
from evaluations.imports.columns import saved_mappings
from evaluations.imports.columns.columnmap import ColumnMap
from evaluations.imports.uploads import uploads
from evaluations.models import Dataset, Upload

from ..forms.choice import LEFT_OUT
from ..forms.upload import ColumnChoices
from ..page_tools.frame import object_or_404
from ..page_tools.request import HttpRequest

STEPS = ("File", "Columns", "Confirm")


IMPORTED = "imported"  # in the session: the pages of the last imports, by upload
REMEMBERED = 20
View = Callable[[HttpRequest, int], HttpResponse]


def remember(request: HttpRequest, pk: int, address: str) -> None:
    """Keep where the import of an upload went, for whoever goes back to its pages."""
    earlier = request.session.get(IMPORTED, {})
    kept = [*earlier.items()][-REMEMBERED + 1 :]
    request.session[IMPORTED] = {**dict(kept), str(pk): address}


def leads_on(view: View) -> View:
    """Let the pages of an upload that was imported lead to what it became, instead of saying that it expired."""

    @wraps(view)
    def led(request: HttpRequest, pk: int) -> HttpResponse:
        address = request.session.get(IMPORTED, {}).get(str(pk))
        if address is None or Upload.objects.filter(pk=pk).exists():
            return view(request, pk)
        messages.info(request, "This file was imported already. This is what it became.")
        return redirect(str(address))

    return led


def parked(request: HttpRequest, pk: int) -> tuple[Upload, Dataset | None]:
    """The user's own upload, and the dataset that it is added to, if any."""
    uploads = Upload.objects.filter(user=request.user)
    if not uploads.visible_to(request.user).filter(pk=pk).exists():
        raise _gone(request)
    upload = object_or_404(request, uploads, pk, "write")
    target = upload.mapping.get("dataset")
    return upload, object_or_404(request, Dataset.objects.live(), target, "write") if target else None


def _gone(request: HttpRequest) -> NotFound:
    """The refusal of an upload that is not kept any more; it leads to a new one in the project that was open last."""
    refusal = NotFound(
        "upload_gone",
        "This upload has expired.",
        hint="Uploaded files are kept for one hour until you confirm. Upload the file again.",
    )
    if slug := request.session.get("project"):
        refusal.onward = ("Upload again", reverse("dataset-upload", args=[slug]))
    return refusal


def known_roles(upload: Upload, preview: ingest.Preview) -> Mapping[str, Any]:
    """The roles chosen for this file, at an earlier import of it, or for the last file with its header.

    Without any, what the rows of a long table are, if this is one.
    """
    if "columns" in upload.mapping or "fresh" in upload.mapping:
        roles: Mapping[str, Any] = upload.mapping
        return roles
    if mapped := upload.mapping.get("mapped"):
        return roles_of(ColumnMap.from_dict(mapped).with_remaining(preview.columns), preview)
    if mapping := saved_mappings.recall_for(upload.project, preview):
        return roles_of(ColumnMap.check(preview.columns, mapping), preview)
    return {name: upload.mapping[name] for name in ("long", "raters") if name in upload.mapping}


def known_evaluators(upload: Upload) -> list[int]:
    """The evaluators of the chosen mapping, else of the one that is remembered for the last file with its header."""
    if "evaluators" in upload.mapping or "fresh" in upload.mapping:
        return upload.mapping.get("evaluators") or []
    return saved_mappings.recall_evaluators(upload.project, uploads.preview(upload).columns)


def roles_of(mapped: ColumnMap, preview: ingest.Preview) -> dict[str, Any]:
    """The roles of a mapping; columns without one are left out."""
    sent_mapping = ColumnChoices.from_map(mapped).added_to({})
    every = {"columns": preview.columns, "paths": preview.output_paths}
    return {name: dict.fromkeys(sources, LEFT_OUT) | sent_mapping[name] for name, sources in every.items()}
