"""Exports in the shapes of other tools, written for these tests."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evaluations import other_tools
from evaluations.other_tools import Evaluation, Figure, Grader
from evaluations.zstd import zipfile

FOLDER = Path(__file__).parents[1] / "data" / "other_tools"
Change = Callable[[Any], None]


def content(name: str) -> bytes:
    return (FOLDER / name).read_bytes()


def changed(name: str, change: Change) -> bytes:
    """A JSON export with a changed document."""
    document = json.loads(content(name))
    change(document)
    return json.dumps(document).encode()


def lines(name: str = "openai.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in content(name).splitlines()]


def as_lines(objects: list[dict[str, Any]]) -> bytes:
    return "\n".join(map(json.dumps, objects)).encode()


def archive(log: dict[str, Any], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A `.eval` archive of an Inspect log: a header, and a member for each sample."""
    file = io.BytesIO()
    header = {name: value for name, value in log.items() if name != "samples"}
    with zipfile.ZipFile(file, "w", compression) as packed:
        packed.writestr("_journal/start.json", json.dumps({"version": log["version"], "eval": log["eval"]}))
        for sample in log["samples"]:
            packed.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
        packed.writestr("header.json", json.dumps(header))
    return file.getvalue()


def read(exported: bytes) -> Evaluation:
    """Recognise and read an export."""
    file = io.BytesIO(exported)
    tool = other_tools.recognise(file)
    assert tool
    return other_tools.read(file, tool)


def grader(evaluation: Evaluation, name: str) -> Grader:
    return next(grader for grader in evaluation.graders if grader.name == name)


def figure(evaluation: Evaluation, variant: str, grader: str) -> Figure:
    [only] = [f for f in evaluation.figures if (f.variant, f.grader) == (variant, grader)]
    return only
