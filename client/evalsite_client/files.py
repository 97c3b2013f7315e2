"""Sends files to the server, and saves downloads."""

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .errors import Mistaken
from .transport import OnBytes, Query, Transport


def title(file: str | Path) -> str:
    """The name of a dataset for a file: the file's own without its endings.

    >>> title("data/answers.jsonl.gz")
    'answers'
    """
    return Path(file).name.partition(".")[0] or Path(file).name


def mapping(
    inputs: Sequence[str],
    reference: Sequence[str],
    metadata: Sequence[str],
    key: str | None,
    outputs: Mapping[str, str] | None,
) -> dict[str, Any]:
    """The mapping of an upload; parts that are not given are left out."""
    parts = {"inputs": list(inputs), "reference": list(reference), "metadata": list(metadata)}
    return {
        name: value for name, value in (parts | {"key": key, "outputs": dict(outputs or {})}).items() if value
    }


def mapping_field(mapping: Mapping[str, Any] | str | None, columns: Mapping[str, Any] = {}) -> dict[str, str]:
    """The form field with the mapping and the given columns; a text is the name or id of a saved mapping."""
    if isinstance(mapping, str) and columns:
        raise Mistaken(f"The saved mapping {mapping!r} names the columns; give it alone.")
    if isinstance(mapping, str):
        return {"mapping": mapping}
    whole = {**columns, **(mapping or {})}
    return {"mapping": json.dumps(whole)} if whole else {}


def reading_fields(reading: Mapping[str, Any] | None, *, ask: bool = False) -> dict[str, str]:
    """The form fields that say how a file is read, and whether to ask where a default would decide."""
    texts = {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in (reading or {}).items()
    }
    return texts | ({"ask": "true"} if ask else {})


def save(
    transport: Transport, path: str, query: Query, target: Path, on_bytes: OnBytes | None = None
) -> Path:
    """Save an answer as a file that only its owner can read; it appears once it is complete."""
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as partial:
        partial_path = Path(partial.name)
        try:
            transport.download(path, query, partial.file, on_bytes)
            partial_path.replace(target)
        except BaseException:
            partial_path.unlink(missing_ok=True)
            raise
    return target


ENDINGS = {"failed": "failed", "cancelled": "was cancelled", "limit": "reached its limit"}  # by status


def ending(kind: str, job: Mapping[str, Any]) -> str:
    """Why something ended without success, as a sentence."""
    problems = [job["error"]] if job.get("error") else job.get("errors") or []
    first = _problem(problems[0]) if isinstance(problems, list) and problems else ""
    further = job.get("error_count", 0) - 1
    more = (
        ""
        if further < 1
        else "There is 1 more problem."
        if further == 1
        else f"There are {further} more problems."
    )
    counted = (
        ", ".join(f"{code}: {count}" for code, count in problems.items())
        if isinstance(problems, dict)
        else ""
    )
    words = ENDINGS.get(job["status"], f"is {job['status']}")
    return " ".join(part for part in (f"The {kind} {job['id']} {words}.", first, more, counted) if part)


def _problem(problem: Mapping[str, Any]) -> str:
    return f"{problem['message']} {problem.get('hint') or ''}".rstrip()
