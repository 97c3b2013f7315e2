"""Measures scores sent in batches beside the outputs of the same run, which are sent in the same batches."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.examples import write_examples
from benchmarks.site import Site, unique


@dataclass(frozen=True)
class Speed:
    """Rows a second: the outputs of a run, scores to the same draft, and scores to the completed run."""

    outputs: float
    draft: float
    completed: float


def measure(site: Site, folder: Path, rows: int, at_once: int, seed: int) -> Speed:
    """Send outputs and scores of every batch in turn; then the scores of a second scorer to the completed run."""
    run = _draft(site, folder, rows, seed)
    outputs = draft = completed = 0.0
    for positions in _batches(rows, at_once):
        answers = [{"position": n, "output": f"The answer to question {n} is {n * 7}."} for n in positions]
        outputs += _seconds(site, f"runs/{run}/outputs/", {"outputs": answers})
        draft += _seconds(site, f"runs/{run}/scores/", _scores("first", positions))
    site.post(f"runs/{run}/start/", {})
    site.wait(f"runs/{run}/", lambda now: now["status"] not in ("queued", "running"))
    for positions in _batches(rows, at_once):
        completed += _seconds(site, f"runs/{run}/scores/", _scores("second", positions))
    _check(site, run, rows)
    return Speed(rows / outputs, rows / draft, rows / completed)


def _draft(site: Site, folder: Path, rows: int, seed: int) -> int:
    file = folder / "examples.csv"
    write_examples(file, rows, seed)
    dataset = site.upload(file, {})
    dataset = site.wait(f"datasets/{dataset['id']}/", lambda now: now["status"] != "importing")
    experiment = site.post("experiments/", {"name": unique("scores"), "dataset": dataset["id"]})
    return int(site.post("runs/", {"experiment": experiment["id"], "variant": "sent", "start": False})["id"])


def _batches(rows: int, at_once: int) -> Iterator[range]:
    return (range(first, min(first + at_once, rows + 1)) for first in range(1, rows + 1, at_once))


def _scores(name: str, positions: range) -> dict[str, Any]:
    evaluator = {"name": name, "direction": "maximize", "minimum": 0, "maximum": 1}
    return {
        "evaluator": evaluator,
        "scores": [{"position": n, "value": n * 7919 % 1000 / 1000} for n in positions],
    }


def _seconds(site: Site, path: str, body: dict[str, Any]) -> float:
    began = time.perf_counter()
    site.post(path, body)
    return time.perf_counter() - began


def _check(site: Site, run: int, rows: int) -> None:
    """Both columns are whole; raises SystemExit if they are not."""
    scorings = site.get(f"runs/{run}/")["scorings"]
    counts = {scoring["evaluator"]["name"]: scoring["n"] for scoring in scorings}
    if counts != {"first": rows, "second": rows}:
        raise SystemExit(f"Scores are missing: {counts}")
