"""OpenAI Evals: the objects `eval`, `eval.run` and `eval.run.output_item` of its API, anywhere in a file."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from evaluations.ingest import suggest
from evaluations.linear import Pattern
from evaluations.values import JSON

from . import openai_data, templates
from .evaluation import (
    Answer,
    Answers,
    Evaluation,
    Figure,
    Formula,
    Grader,
    Item,
    Score,
    Variant,
    as_object,
    as_objects,
    digest,
    distinct,
    number,
    refused,
    share,
    whole,
)
from .openai_objects import EVAL, OUTPUT_ITEM, RUN, sample_of, sorted_objects, source_of

TOOL = "OpenAI Evals"
ALL = "All graders"
HOW = "Write the eval, its runs and their output items into one file; docs/move-from-openai-evals.md has a script."
_UUID = Pattern(r"-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_OPERATIONS: dict[str, tuple[str, dict[str, JSON]]] = {
    "eq": ("exact_match", {"strip": "none"}),
    "like": ("contains", {}),
    "ilike": ("contains", {"case_sensitive": False}),
}


def evaluation(document: Any) -> Evaluation:
    source_lines = _data_source_lines(document)
    if source_lines:
        return openai_data.evaluation(source_lines)
    objects = sorted_objects(document)
    output_items = objects[OUTPUT_ITEM]
    evals = {str(item.get("eval_id")) for item in output_items}
    if not output_items:
        raise refused(TOOL, "the file has no output items, so it has no answers.", HOW)
    if len(evals) > 1:
        raise refused(
            TOOL, f"the file has output items of {len(evals)} evals.", "Write one file for each eval."
        )
    definition = next((definition for definition in objects[EVAL] if str(definition.get("id")) in evals), {})
    return _Export(definition, objects[RUN], output_items).evaluation()


def _data_source_lines(document: Any) -> list[dict[str, Any]]:
    """The lines of a file that a data source refers to: an item each, with or without a model's sample."""
    lines = as_objects(document) if isinstance(document, list) else as_objects([document])
    is_data_source = all(
        isinstance(line.get("item"), dict) and line.keys() <= {"item", "sample"} for line in lines
    )
    return lines if is_data_source else []


class _Export:
    def __init__(
        self, definition: dict[str, Any], runs: list[dict[str, Any]], output_items: list[dict[str, Any]]
    ):
        self.definition = definition
        self.runs = {str(run.get("id")): run for run in runs}
        answered = {str(item.get("run_id")) for item in output_items}
        self.by_run: dict[str, list[dict[str, Any]]] = {run: [] for run in self.runs if run in answered}
        for item in output_items:
            self.by_run.setdefault(str(item.get("run_id")), []).append(item)
        results = [result for item in output_items for result in as_objects(item.get("results"))]
        self.result_names = list(dict.fromkeys(str(result.get("name")) for result in results))
        self.criteria = {name: self._criterion(name) for name in self.result_names}
        titles = [str(c.get("name") or _UUID.sub("", name)) for name, c in self.criteria.items()]
        self.titles = dict(zip(self.result_names, distinct(titles), strict=True))
        self.indices: dict[tuple[bytes, int], int] = {}
        self.sources: list[dict[str, Any]] = []

    def _criterion(self, name: str) -> dict[str, Any]:
        """The testing criterion of a result; the result's name is the criterion's name with its id."""
        criteria = as_objects(self.definition.get("testing_criteria"))
        same = (
            c
            for c in criteria
            if name in (c.get("id"), c.get("name")) or _UUID.sub("", name) == c.get("name")
        )
        return next(same, {})

    def evaluation(self) -> Evaluation:
        names = distinct([self._run_name(run_id, items) for run_id, items in self.by_run.items()])
        variants = [
            Variant(name, self._about(run_id, items), [self._answers(items)])
            for name, (run_id, items) in zip(names, self.by_run.items(), strict=True)
        ]
        graders = [Grader(ALL, "status", why="it is the verdict over all graders"), *self._graders()]
        return Evaluation(
            tool=TOOL,
            version="v1",
            name=str(self.definition.get("name") or "OpenAI eval"),
            items=self._items(),
            variants=variants,
            graders=graders,
            figures=[
                f
                for name, run_id in zip(names, self.by_run, strict=True)
                for f in self._figures(name, run_id)
            ],
            notes=list(self._notes()),
        )

    # ---- variants ----

    def _run_name(self, run_id: str, items: list[dict[str, Any]]) -> str:
        run = self.runs.get(run_id, {})
        return str(run.get("name") or run.get("model") or sample_of(items[0]).get("model") or run_id)

    def _about(self, run_id: str, items: list[dict[str, Any]]) -> dict[str, Any]:
        run, sample = self.runs.get(run_id, {}), sample_of(items[0])
        source = as_object(run.get("data_source"))
        parameters = as_object(source.get("sampling_params")) or openai_data.about(sample).get(
            "parameters", {}
        )
        about = {
            "model": run.get("model") or source.get("model") or sample.get("model"),
            "parameters": {name: value for name, value in parameters.items() if value is not None},
            "messages": as_object(source.get("input_messages")).get("template"),
            "link": run.get("report_url"),
            "openai_run": run_id,
        }
        return {name: value for name, value in about.items() if value not in (None, "", {}, [])}

    def _answers(self, output_items: list[dict[str, Any]]) -> Answers:
        repetitions: Counter[bytes] = Counter()
        answers: Answers = {}
        for item in sorted(output_items, key=lambda item: whole(item.get("datasource_item_id")) or 0):
            content = digest(source_of(item))
            index = self.indices.setdefault((content, repetitions[content]), len(self.indices))
            repetitions[content] += 1
            if index == len(self.sources):
                self.sources.append(item)
            answers[index] = self._answer(item)
        return answers

    def _answer(self, item: dict[str, Any]) -> Answer:
        scores = {
            self.titles[str(result.get("name"))]: Score(
                number(result.get("score")), _verdict(result.get("passed"))
            )
            for result in as_objects(item.get("results"))
        }
        verdict = _overall(item)
        if verdict is not None:
            scores[ALL] = Score(float(verdict), verdict)
        return replace(openai_data.answer(sample_of(item)), scores=scores)

    # ---- items ----

    def _items(self) -> list[Item]:
        keys = [whole(item.get("datasource_item_id")) for item in self.sources]
        unique = None not in keys and len({*keys}) == len(keys)
        items = [self._item(source_of(item)) for item in self.sources]
        return [
            Item(item.inputs, item.reference, {}, str(key) if unique else None)
            for item, key in zip(items, keys, strict=True)
        ]

    def _item(self, source: dict[str, Any]) -> Item:
        roles = suggest.roles(source)
        named = {name.partition(".")[2] for name in self._reference_variables()}
        is_reference = {name: name in named or roles[name] == "reference" for name in source}
        reference = {name: value for name, value in source.items() if is_reference[name]}
        inputs = {name: value for name, value in source.items() if not is_reference[name]}
        for name, criterion in self.criteria.items():
            column, template = self._column(name), criterion.get("reference")
            if column and column not in source and isinstance(template, str):
                reference[column] = templates.rendered(template, {"item": source})
        return Item(inputs, reference)

    def _reference_variables(self) -> list[str]:
        references = (criterion.get("reference") for criterion in self.criteria.values())
        return [templates.only_variable(text) for text in references if isinstance(text, str)]

    def _column(self, name: str) -> str:
        """The reference column that a grader compares with: a field of the item, or one for the rendered text."""
        template = self.criteria[name].get("reference")
        if not isinstance(template, str) or not self._operation(name):
            return ""
        item, _, field = templates.only_variable(template).partition(".")
        return field if item == "item" and field and "." not in field else self.titles[name]

    # ---- graders ----

    def _operation(self, name: str) -> tuple[str, dict[str, JSON]] | None:
        criterion = self.criteria[name]
        is_check = criterion.get("type") == "string_check"
        return _OPERATIONS.get(str(criterion.get("operation"))) if is_check else None

    def _graders(self) -> list[Grader]:
        return [self._grader(name, criterion) for name, criterion in self.criteria.items()]

    def _grader(self, name: str, criterion: dict[str, Any]) -> Grader:
        title, kind = self.titles[name], str(criterion.get("type") or "unknown")
        operation = self._operation(name)
        if not criterion:
            return Grader(title, kind, why="the file does not have its definition")
        if kind != "string_check":
            return Grader(title, kind, why=f"no evaluator is known to equal {kind}")
        if operation is None:
            return Grader(title, kind, why=f"no evaluator does the operation {criterion.get('operation')}")
        if templates.only_variable(str(criterion.get("input"))) != "sample.output_text":
            return Grader(title, kind, why="it does not compare the output itself")
        return Grader(title, kind, Formula(*operation, column=self._column(name)))

    def _figures(self, variant: str, run_id: str) -> Iterator[Figure]:
        run = self.runs.get(run_id, {})
        counts = as_object(run.get("result_counts"))
        yield from _figure(variant, ALL, counts)
        for line in as_objects(run.get("per_testing_criteria_results")):
            name = str(line.get("testing_criteria"))
            same = [
                title
                for criterion, title in self.titles.items()
                if name in (criterion, _UUID.sub("", criterion))
            ]
            yield from (figure for title in same[:1] for figure in _figure(variant, title, line))

    def _notes(self) -> Iterator[str]:
        if not self.definition:
            yield "The file does not have the eval itself, so its graders are known by name only."
        for run_id in self.by_run:
            if run_id not in self.runs:
                yield f"The file does not have the run {run_id}, so there is no summary to compare with."
        for run_id, run in self.runs.items():
            if run_id not in self.by_run:
                yield f"The run “{run.get('name') or run_id}” has no output items in the file; it is not imported."


def _figure(variant: str, grader: str, counts: dict[str, Any]) -> Iterator[Figure]:
    passed, failed = whole(counts.get("passed")), whole(counts.get("failed"))
    if passed is not None and failed is not None:
        yield Figure(variant, grader, passed + failed, None, share(passed, passed + failed))


def _overall(item: dict[str, Any]) -> bool | None:
    """The verdict over all graders. Azure says only `completed`: then every grader must have passed."""
    if item.get("status") != "completed":
        return {"pass": True, "fail": False}.get(str(item.get("status")))
    verdicts = [_verdict(result.get("passed")) for result in as_objects(item.get("results"))]
    return None if None in verdicts or not verdicts else all(verdicts)


def _verdict(passed: Any) -> bool | None:
    return passed if isinstance(passed, bool) else None
