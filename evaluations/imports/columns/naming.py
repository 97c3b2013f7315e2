"""What names the variant, the rater or the label of each row: a column, or a path into one."""

from collections.abc import Sequence

from evaluations import ingest, jsonpath
from evaluations.values import key_text

from . import column_paths
from .column_names import require_column

PATH = ("$.", "$[")  # how a path begins


def source_of(name: str, part: str, columns: Sequence[str]) -> str:
    """The name of a column, or the path; raises `Invalid` if the file lacks it.

    >>> source_of("meta.model", "variant", ["meta"]), source_of("$model", "variant", ["$model"])
    ('$.meta.model', '$model')
    """
    if inside := column_paths.named(name, columns):
        return inside[1].text
    require_column(name, part, columns)
    return jsonpath.from_names((name,)) if name.startswith(PATH) else name


def texts(batch: ingest.Batch, source: str) -> list[str | None]:
    """The name of each row, None if it has none."""
    if not source.startswith(PATH):
        return list(map(key_text, batch.column(source)))
    return list(map(key_text, column_paths.reader(jsonpath.compile(source))(batch)))
