"""Right answers in a file of their own, for a dataset that has none: they are added to its examples, found by key.

Outputs of a batch, or of a harness that keeps its questions elsewhere, come with keys alone. What else the file has
becomes metadata: other inputs would be other examples, which nobody answered.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.db import transaction

from evaluations import ingest
from evaluations.datasets import datasets
from evaluations.ingest.suggest import is_called_variant
from evaluations.models import Dataset, DatasetImport, Experiment, Upload
from evaluations.values import JSON, PARTS, key_text, stored_json

from . import changes, second_files, tools
from .columns import columnmap
from .uploads import uploads

LOOKED_AT = 20  # experiments, the newest first
MOST_EXAMPLES = 100_000


class Found(NamedTuple):
    """The experiment whose dataset lacks right answers, the column of its keys, and the parts of the other columns."""

    experiment: Experiment
    key: str
    parts: dict[str, str]

    @property
    def references(self) -> list[str]:
        return [name for name, part in self.parts.items() if part == "reference"]


def of_upload(upload: Upload) -> Found | None:
    """Where the file's right answers belong; None if it has none, or outputs, or if no such dataset has its keys.

    A row for each of several variants has what they said, whatever its columns are called.
    """
    if {"dataset", "retry", "experiment"} & upload.mapping.keys() or tools.tool_of(upload):
        return None
    if is_called_variant(upload.mapping.get("long", {}).get("variant", "")):
        return None
    preview = uploads.preview(upload)
    roles = preview.roles | {name: guess.role for name, guess in preview.guesses.items()}
    key = next((name for name, role in roles.items() if role == "key"), None)
    parts = {
        name: "reference" if role == "reference" else "metadata"
        for name, role in roles.items()
        if role in PARTS
    }
    if not key or "reference" not in parts.values() or preview.outputs or "output" in roles.values():
        return None
    live = Experiment.objects.live().filter(project=upload.project, dataset__status=Dataset.Status.READY)
    live = live.filter(dataset__deleted_at=None, dataset__example_count__lte=MOST_EXAMPLES)
    for experiment in live.select_related("dataset").order_by("-pk")[:LOOKED_AT]:
        lacks = not experiment.dataset.columns.get("reference")
        if lacks and second_files.names_examples(key, preview, experiment):
            return Found(experiment, key, parts)
    return None


def begin(upload: Upload, found: Found, user: User | None) -> DatasetImport:
    """Queue the examples with these columns; the experiment then uses the version that has them."""
    dataset, filename = found.experiment.dataset, upload.filename
    lines = "\n".join(map(stored_json, _rows(upload, found)))
    rows = uploads.park(upload.project, user, ContentFile(lines.encode(), f"{filename}.jsonl"))
    names = {part: {*dataset.columns.get(part, ())} for part in PARTS}
    for name, part in found.parts.items():
        names[part].add(name)
    mapping: dict[str, Any] = {
        part: {name: f"{part}.{name}" for name in sorted(its_names)} for part, its_names in names.items()
    }
    with transaction.atomic():
        change = changes.begin(rows, dataset, DatasetImport.Mode.MERGE, {"key": "key", **mapping}, user=user)
        job = change.imports.get()
        job.mapping |= {"experiment": found.experiment.pk}
        job.save(update_fields=["mapping"])
        upload.delete()
    uploads.discard(upload.stored_as)
    return change


def _rows(upload: Upload, found: Found) -> Iterator[dict[str, JSON]]:
    """The examples that the file names, with its columns; what they have already stays."""
    by_key = _by_key(upload, found)
    for example in datasets.examples(found.experiment.dataset).exclude(key=None).iterator():
        if (more := by_key.get(example.key or "")) is None:
            continue
        row: dict[str, JSON] = {"key": example.key}
        for part in PARTS:
            row |= {f"{part}.{name}": value for name, value in orjson.loads(getattr(example, part)).items()}
        yield {**{f"{found.parts[name]}.{name}": value for name, value in more.items()}, **row}


def _by_key(upload: Upload, found: Found) -> dict[str, dict[str, JSON]]:
    rows: dict[str, dict[str, JSON]] = {}
    with uploads.opened(upload) as file:
        for batch in ingest.open_rows(file, ingest.Format.from_dict(upload.format), uploads.LIMITS):
            keys = columnmap.values(batch, found.key)
            columns = {name: batch.column(name) for name in found.parts}
            for place, key in enumerate(keys):
                if text := key_text(key):
                    rows.setdefault(text, {name: cells[place] for name, cells in columns.items()})
    return rows
