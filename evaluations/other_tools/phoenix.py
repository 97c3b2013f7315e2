"""Phoenix: the records of `GET v1/experiments/{id}/json`, of one experiment or several; or a dataset's examples."""

from collections.abc import Iterator
from typing import Any

from evaluations.numerals import grouped
from evaluations.values import JSON

from . import phoenix_runs
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

TOOL = "Phoenix"
FIELDS = {"example_id", "input", "reference_output", "output"}
HOW = "Download the experiment as JSON; docs/move-from-phoenix.md says how."


def evaluation(document: Any) -> Evaluation:
    """Read a list of records, an object with such a list for each experiment by name, or the examples of a dataset."""
    by_id = phoenix_runs.experiments(document)
    if by_id:
        return _Records(by_id).evaluation()
    examples = _examples(document)
    if examples:
        return _dataset(examples)
    named = {"experiment": document} if isinstance(document, list) else as_object(document)
    experiments = {name: records for name, value in named.items() if (records := as_objects(value))}
    records = [record for of_experiment in experiments.values() for record in of_experiment]
    missing_fields = sorted({field for record in records for field in FIELDS - record.keys()})
    if missing_fields or not records:
        raise refused(
            TOOL, f"records of an experiment lack {', '.join(missing_fields or sorted(FIELDS))}.", HOW
        )
    return _Records(experiments).evaluation()


KEPT_FIELDS = (*FIELDS, "repetition_number", "error", "latency_ms", "completion_token_count")


def slim(value: dict[str, Any]) -> dict[str, Any]:
    """The imported fields of a record; any other object is returned unchanged."""
    if not value.keys() >= FIELDS:
        return value
    annotations = as_objects(value.get("annotations"))
    return {name: value[name] for name in KEPT_FIELDS if name in value} | {
        "annotations": [
            {name: annotation.get(name) for name in ("name", "annotator_kind", "score")}
            for annotation in annotations
        ]
    }


def _examples(document: Any) -> list[dict[str, Any]]:
    answer = as_object(document)
    listed = as_objects(answer.get("examples")) or as_objects(as_object(answer.get("data")).get("examples"))
    return [example for example in listed if example.keys() >= {"input", "output"}]


def _dataset(examples: list[dict[str, Any]]) -> Evaluation:
    keys = [str(example.get("id") or "") for example in examples]
    has_keys = all(keys) and len({*keys}) == len(keys)
    items = [
        Item(
            _part("input", example),
            _part("reference", example, "output"),
            as_object(example.get("metadata")),
            key if has_keys else None,
        )
        for key, example in zip(keys, examples, strict=True)
    ]
    notes = ["A dataset has no answers: export its experiments too, or run prompts on it here."]
    return Evaluation(TOOL, "dataset", "Phoenix dataset", items, [], notes=notes)


class _Records:
    def __init__(self, experiments: dict[str, list[dict[str, Any]]]):
        self.experiments = experiments
        self.indices: dict[str, int] = {}
        self.items: list[Item] = []
        self.graders: dict[str, str] = {}  # by name of a grader, the type of its annotator

    def evaluation(self) -> Evaluation:
        names = distinct([*self.experiments])
        variants = [
            Variant(name, {"phoenix_experiment": title}, self._repetitions(records))
            for name, (title, records) in zip(names, self.experiments.items(), strict=True)
        ]
        return Evaluation(
            tool=TOOL,
            version="v1",
            name="Phoenix experiment",
            items=self.items,
            variants=variants,
            graders=[
                Grader(name, kind, why="no evaluator computes its annotations")
                for name, kind in self.graders.items()
            ],
            notes=list(self._notes()),
        )

    def _repetitions(self, records: list[dict[str, Any]]) -> list[Answers]:
        by_number: dict[int, Answers] = {}
        for record in records:
            key = str(record["example_id"])
            index = self.indices.setdefault(key, len(self.items))
            if index == len(self.items):
                self.items.append(
                    Item(_part("input", record), _part("reference", record, "reference_output"), {}, key)
                )
            by_number.setdefault(whole(record.get("repetition_number")) or 1, {})[index] = self._answer(
                record
            )
        return [answers for _, answers in sorted(by_number.items())]

    def _answer(self, record: dict[str, Any]) -> Answer:
        output: JSON = record["output"]
        error = record.get("error")
        return Answer(
            output,
            str(error) if error and output is None else None,
            whole(record.get("latency_ms")),
            whole(record.get("completion_token_count")),
            self._scores(record),
        )

    def _scores(self, record: dict[str, Any]) -> dict[str, Score]:
        """The first annotation of each name that has a number; a label without a number is skipped."""
        scores: dict[str, Score] = {}
        for annotation in as_objects(record.get("annotations")):
            name, value = str(annotation.get("name")), number(annotation.get("score"))
            if value is not None and name not in scores:
                self.graders.setdefault(name, str(annotation.get("annotator_kind") or "annotation"))
                scores[name] = Score(value)
        return scores

    def _notes(self) -> Iterator[str]:
        records = (record for records in self.experiments.values() for record in records)
        labelled = sum(
            number(annotation.get("score")) is None
            for record in records
            for annotation in as_objects(record.get("annotations"))
        )
        if labelled:
            yield f"{grouped(labelled)} annotations without a number are not imported."
        yield "Phoenix exports no summary, so there are no figures to compare."


def _part(name: str, record: dict[str, Any], field: str = "") -> dict[str, JSON]:
    value = record[field or name]
    return value if isinstance(value, dict) else {name: value}
