"""Langfuse: dataset items, dataset runs, traces and scores, from its API or its table exports.

Objects have no type; each kind has fields that no other has. The Python client writes names with underscores. Items
alone make a dataset; traces alone are the answers of one variant.
"""

from collections.abc import Iterator
from string import ascii_lowercase
from typing import Any

from evaluations.numerals import grouped, plural
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
    distinct,
    number,
    refused,
    whole,
)

TOOL = "Langfuse"
DEEPEST = 6
HOW = "Write dataset items, runs and traces into one file; docs/move-from-langfuse.md has a script."
RUN_ITEM = {"datasetItemId", "traceId"}
TRACE_FIELDS = {
    *("bookmarked", "bookmarkedAt", "comments", "defaultCount", "environment", "debugCount", "errorCount"),
    *("id", "input", "inputCost", "inputTokens", "latency", "level", "metadata", "name", "observationCount"),
    *("observations", "output", "outputCost", "outputTokens", "projectId", "public", "release", "scores"),
    *("sessionId", "tags", "timestamp", "totalCost", "totalTokens", "usage", "userId", "version"),
    *("warningCount", "createdAt", "updatedAt", "htmlPath", "externalId"),
}
ITEM, TRACE = {"id", "datasetId", "expectedOutput", "input"}, {"id", "input", "output", "timestamp"}
SCORE = {"id", "traceId", "name", "dataType"}
OF_TRACE = TRACE | {"latency", "metadata", "scores"}


def evaluation(document: Any) -> Evaluation:
    objects = _Objects()
    objects.collect(document, DEEPEST)
    if objects.runs and not objects.traces:
        raise refused(TOOL, "the file has dataset runs but no traces, which have the outputs.", HOW)
    if objects.runs and not objects.items:
        raise refused(TOOL, "the file has dataset runs and no dataset items.", HOW)
    if not objects.items and not objects.traces:
        raise refused(TOOL, "the file has neither dataset items nor traces.", HOW)
    return _Export(objects).evaluation()


def _camel(name: str) -> str:
    """The name as the API writes it.

    >>> _camel("expected_output")
    'expectedOutput'
    """
    first, *parts = name.split("_")
    return first + "".join(
        part[0].upper() + part[1:] if part[:1] in ascii_lowercase and part else f"_{part}" for part in parts
    )


def slim(value: dict[str, Any]) -> dict[str, Any]:
    """The imported fields of an item, a trace or a score; any other object is returned unchanged."""
    names = {name: _camel(name) for name in value}
    column_names = {*names.values()}
    if column_names >= RUN_ITEM:
        return value
    if column_names >= ITEM:
        return _only(value, names, ITEM | {"metadata", "datasetName"})
    if column_names >= SCORE:
        return _only(value, names, SCORE | {"value"})
    return _only(value, names, column_names - TRACE_FIELDS | OF_TRACE) if column_names >= TRACE else value


def _only(value: dict[str, Any], names: dict[str, str], kept_names: set[str]) -> dict[str, Any]:
    return {name: member for name, member in value.items() if names[name] in kept_names}


class _Objects:
    """The objects by id, so that repeated objects count once. `links` are the items of each run."""

    def __init__(self) -> None:
        self.items: dict[str, dict[str, Any]] = {}
        self.runs: dict[str, dict[str, Any]] = {}
        self.links: dict[str, dict[str, dict[str, Any]]] = {}
        self.traces: dict[str, dict[str, Any]] = {}
        self.scores: dict[str, dict[str, Any]] = {}

    def collect(self, value: Any, depth: int) -> None:
        if isinstance(value, dict):
            self._add({_camel(name): member for name, member in value.items()}, value)
        if depth and isinstance(value, dict | list):
            for member in value.values() if isinstance(value, dict) else value:
                self.collect(member, depth - 1)

    def _add(self, value: dict[str, Any], fields: dict[str, Any]) -> None:
        key = str(value.get("id"))
        if isinstance(value.get("datasetRunItems"), list):
            self.runs[key] = value
            self.links.setdefault(key, {})
        elif value.keys() >= RUN_ITEM:
            self._link(value)
        elif value.keys() >= ITEM:
            self.items.setdefault(key, value)
        elif value.keys() >= SCORE:
            self.scores.setdefault(key, value)
        elif value.keys() >= TRACE:
            self.traces.setdefault(key, value)
            self._add_columns(key, fields)

    def _link(self, item: dict[str, Any]) -> None:
        """The link of an item to a run; in a table of items, the name of the dataset replaces the run's."""
        run = str(item.get("datasetRunId") or item.get("datasetName") or "run")
        self.runs.setdefault(run, {"id": run, "name": item.get("datasetRunName") or run})
        self.links.setdefault(run, {}).setdefault(str(item.get("id")), item)

    def _add_columns(self, trace: str, cells: dict[str, Any]) -> None:
        """Add the score columns of a table to a trace: one column for each name, with the list of its values."""
        for name in cells.keys() - TRACE_FIELDS:
            values = cells[name]
            if isinstance(values, list) and values and all(number(value) is not None for value in values):
                score = {
                    "traceId": trace,
                    "name": name,
                    "dataType": "NUMERIC",
                    "value": sum(values) / len(values),
                }
                self.scores.setdefault(f"{trace} {name}", score)


class _Export:
    def __init__(self, objects: _Objects):
        self.objects = objects
        if not objects.runs and not objects.items:
            self._take_traces()
        self.indices = {key: index for index, key in enumerate(objects.items)}
        self.graders: dict[str, str] = {}  # by name of a grader, the type of its values
        self.by_trace: dict[str, list[dict[str, Any]]] = {}
        for score in objects.scores.values():
            self.by_trace.setdefault(str(score.get("traceId")), []).append(score)

    def evaluation(self) -> Evaluation:
        runs = self.objects.runs
        names = distinct([str(run.get("name") or key) for key, run in runs.items()])
        variants = [
            Variant(name, _about(run), [self._answers(key)])
            for name, (key, run) in zip(names, runs.items(), strict=True)
        ]
        return Evaluation(
            tool=TOOL,
            version="1",
            name=str(next(iter(self.objects.items.values())).get("datasetName") or "Langfuse dataset"),
            items=[_item(key, item) for key, item in self.objects.items.items()],
            variants=variants,
            graders=[
                Grader(name, kind, why="no evaluator computes its scores")
                for name, kind in self.graders.items()
            ],
            notes=list(self._notes()),
        )

    def _take_traces(self) -> None:
        """Convert traces without a dataset: each becomes an example, answered by a single run."""
        traces = self.objects.traces
        self.objects.items.update(
            (key, {"input": trace["input"], "expectedOutput": {}, "metadata": trace.get("metadata")})
            for key, trace in traces.items()
        )
        self.objects.runs["traces"] = {"name": "traces"}
        self.objects.links["traces"] = {key: {"datasetItemId": key, "traceId": key} for key in traces}

    def _answers(self, run: str) -> Answers:
        """The answers by item. If a run answered an item several times, the last one counts, as in Langfuse."""
        answers: Answers = {}
        for link in self.objects.links[run].values():
            index = self.indices.get(str(link.get("datasetItemId")))
            trace = self.objects.traces.get(str(link.get("traceId")))
            if index is not None and trace is not None:
                answers[index] = self._answer(trace)
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
        for key, run in self.objects.runs.items():
            links = self.objects.links[key].values()
            untraced = sum(str(link.get("traceId")) not in self.objects.traces for link in links)
            unknown = sum(str(link.get("datasetItemId")) not in self.indices for link in links)
            if untraced:
                yield f"The run “{run.get('name')}” has {grouped(untraced)} items whose traces are not in the file."
            if unknown:
                yield f"The run “{run.get('name')}” has {grouped(unknown)} items that are not in the file."
        words = sum(score["dataType"] not in ("NUMERIC", "BOOLEAN") for score in self.objects.scores.values())
        if words:
            yield f"Not imported: {plural(words, 'score')} in words."
        if not self.objects.runs:
            yield "Dataset items have no answers: export the runs with their traces too, or run prompts on them here."
        yield "Langfuse exports no summary, so there are no figures to compare."


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
