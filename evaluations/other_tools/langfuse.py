"""Langfuse: dataset items, dataset runs, traces and scores as its public API answers them, in one file.

Its objects do not say what they are; each has fields that no other has.
"""

from collections.abc import Iterator
from typing import Any

from evaluations.values import JSON

from .evaluation import (
    Answer,
    Answers,
    Evaluation,
    Grader,
    Item,
    Score,
    Variant,
    as_object,
    as_objects,
    distinct,
    number,
    refused,
    whole,
)

TOOL = "Langfuse"
DEEPEST = 6
HOW = "Write dataset items, runs and traces into one file; docs/move-from-langfuse.md has a script."


def evaluation(document: Any) -> Evaluation:
    objects = _Objects()
    objects.collect(document, DEEPEST)
    if not objects.runs or not objects.traces:
        raise refused(TOOL, "the file needs a dataset run and the traces of its items.", HOW)
    if not objects.items:
        raise refused(TOOL, "the file has no dataset items.", HOW)
    return _Export(objects).evaluation()


class _Objects:
    """By id, so that an object that stands twice counts once."""

    def __init__(self) -> None:
        self.items: dict[str, dict[str, Any]] = {}
        self.runs: dict[str, dict[str, Any]] = {}
        self.traces: dict[str, dict[str, Any]] = {}
        self.scores: dict[str, dict[str, Any]] = {}

    def collect(self, value: Any, depth: int) -> None:
        if isinstance(value, dict):
            kind = self._kind(value)
            if kind is not None:
                kind.setdefault(str(value.get("id")), value)
        if depth and isinstance(value, dict | list):
            for member in value.values() if isinstance(value, dict) else value:
                self.collect(member, depth - 1)

    def _kind(self, value: dict[str, Any]) -> dict[str, dict[str, Any]] | None:
        if isinstance(value.get("datasetRunItems"), list):
            return self.runs
        if value.keys() >= {"id", "datasetId", "expectedOutput", "input"}:
            return self.items
        if value.keys() >= {"id", "traceId", "name", "dataType"}:
            return self.scores
        return self.traces if value.keys() >= {"id", "input", "output", "timestamp"} else None


class _Export:
    def __init__(self, objects: _Objects):
        self.objects = objects
        self.places = {key: place for place, key in enumerate(objects.items)}
        self.graders: dict[str, str] = {}  # by name: the type of its values
        self.by_trace: dict[str, list[dict[str, Any]]] = {}
        for score in objects.scores.values():
            self.by_trace.setdefault(str(score.get("traceId")), []).append(score)

    def evaluation(self) -> Evaluation:
        runs = list(self.objects.runs.values())
        names = distinct([str(run.get("name") or run.get("id")) for run in runs])
        variants = [
            Variant(name, _about(run), [self._answers(run)]) for name, run in zip(names, runs, strict=True)
        ]
        return Evaluation(
            tool=TOOL,
            version="public API",
            name=str(runs[0].get("datasetName") or "Langfuse dataset"),
            items=[_item(key, item) for key, item in self.objects.items.items()],
            variants=variants,
            graders=[
                Grader(name, kind, why="its scores have no formula here")
                for name, kind in self.graders.items()
            ],
            notes=list(self._notes()),
        )

    def _answers(self, run: dict[str, Any]) -> Answers:
        """By item; where a run answered an item several times the last one counts, as in Langfuse."""
        answers: Answers = {}
        for link in as_objects(run["datasetRunItems"]):
            place = self.places.get(str(link.get("datasetItemId")))
            trace = self.objects.traces.get(str(link.get("traceId")))
            if place is not None and trace is not None:
                answers[place] = self._answer(trace)
        return answers

    def _answer(self, trace: dict[str, Any]) -> Answer:
        output: JSON = trace["output"]
        seconds = number(trace.get("latency"))
        latency = None if seconds is None else whole(seconds * 1000)
        return Answer(output, None, latency, None, self._scores(str(trace["id"])))

    def _scores(self, trace: str) -> dict[str, Score]:
        scores: dict[str, Score] = {}
        for score in self.by_trace.get(trace, ()):
            name, value = str(score["name"]), number(score.get("value"))
            if value is None or score["dataType"] not in ("NUMERIC", "BOOLEAN"):
                continue
            self.graders.setdefault(name, str(score["dataType"]).lower())
            scores.setdefault(name, Score(value, bool(value) if score["dataType"] == "BOOLEAN" else None))
        return scores

    def _notes(self) -> Iterator[str]:
        for run in self.objects.runs.values():
            links = as_objects(run["datasetRunItems"])
            lacking = sum(str(link.get("traceId")) not in self.objects.traces for link in links)
            unknown = sum(str(link.get("datasetItemId")) not in self.places for link in links)
            if lacking:
                yield f"The run “{run.get('name')}” has {lacking:,} items whose traces are not in the file."
            if unknown:
                yield f"The run “{run.get('name')}” has {unknown:,} items that are not in the file."
        words = sum(score["dataType"] not in ("NUMERIC", "BOOLEAN") for score in self.objects.scores.values())
        if words:
            yield f"{words:,} scores that are words are not imported."
        yield "Langfuse exports no summary, so there are no figures of its own to compare with."


def _about(run: dict[str, Any]) -> dict[str, Any]:
    metadata = as_object(run.get("metadata"))
    about = metadata | {"notes": run.get("description"), "langfuse_run": run.get("id")}
    return {name: value for name, value in about.items() if value not in (None, "", {}, [])}


def _item(key: str, item: dict[str, Any]) -> Item:
    inputs, reference = item["input"], item["expectedOutput"]
    return Item(
        inputs if isinstance(inputs, dict) else {"input": inputs},
        reference if isinstance(reference, dict) else {"expectedOutput": reference},
        as_object(item.get("metadata")),
        key,
    )
