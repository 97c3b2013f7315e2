"""The choices for paths into nested columns of a file."""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluations import ingest
from evaluations.imports.columns import column_paths
from evaluations.models import Dataset

from . import inner_roles
from .choice import Choice, chosen


def inner(
    preview: ingest.Preview, by_name: Mapping[str, str], mapping: Mapping[str, Any], dataset: Dataset | None
) -> list[inner_roles.Inner]:
    """The values inside flat objects; roles are proposed for those of a new dataset that nobody chose any for."""
    roles = {name: by_name.get(name, "metadata") for name in preview.columns}
    outputs = [*preview.outputs.values(), *(name for name, role in by_name.items() if role == "output")]
    found = inner_roles.proposed(roles, dict.fromkeys(outputs), preview.rows)
    if dataset or "columns" in mapping:
        return [one._replace(role="leave out") for one in found]
    is_single = "long" in mapping or [*by_name.values()].count("output") == 1 or len(preview.outputs) == 1
    return inner_roles.with_measures(found, preview.rows) if is_single else found


def path_choices(
    preview: ingest.Preview,
    mapping: Mapping[str, Any],
    dataset: Dataset | None,
    found: Sequence[inner_roles.Inner],
) -> list[Choice]:
    """The choices for paths: possible outputs, all paths into flat and opened columns, and paths with a role."""
    choices = []
    proposals = {one.path: one for one in found}
    variants = {} if dataset else {source: variant for variant, source in preview.outputs.items()}
    inside = [path for name in mapping.get("opened", ()) for path in column_paths.paths(name, preview.rows)]
    mapped = [path for path, one in mapping.get("paths", {}).items() if one[0] != "leave out"]
    named = [source for source in variants if source not in preview.columns]
    every = dict.fromkeys((*named, *proposals, *([] if dataset else preview.output_paths), *inside, *mapped))
    names = column_paths.variants(path for path in every if column_paths.column_of(path) in preview.columns)
    for number, path in enumerate(names):
        inner = proposals.get(path, inner_roles.Inner(path, ""))
        suggestion = "output" if path in variants else inner.role
        suggested = (suggestion, variants.get(path) or names[path], inner.name)
        role, variant, name = chosen(mapping.get("paths", {}).get(path), suggested, dataset)
        value = column_paths.example(path, preview.rows)
        is_suggested = role == suggestion != "leave out"
        choices.append(Choice(number, path, role, variant, is_suggested, value, name))
    return choices
