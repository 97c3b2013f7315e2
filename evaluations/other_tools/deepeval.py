"""DeepEval: a test run (`testCases`), or an EvaluationResult (`test_results`), with the scores of its metrics."""

from collections.abc import Iterator, Mapping
from typing import Any

from evaluations.files.text import clean
from evaluations.values import JSON

from .evaluation import (
    Answer,
    Evaluation,
    Figure,
    Grader,
    Item,
    Score,
    Variant,
    as_list,
    as_object,
    as_objects,
    distinct,
    number,
    refused,
    share,
    whole,
)

TOOL = "DeepEval"
HOW = "Export a test run with test cases of single turns."
# fields with a place of their own; all others are metadata
PLACED = {"actual_output", "expected_output", "input", "metrics_data", "name", "order", "success"}


def evaluation(document: Any) -> Evaluation:
    run = _plain(as_object(document))
    cases = [_plain(case) for case in as_objects(run.get("test_cases") or run.get("test_results"))]
    cases = [case for case in cases if case.get("input") is not None]
    if not cases:
        raise refused(TOOL, "the file has no test cases with an input.", HOW)
    metrics = dict.fromkeys(_name(metric) for case in cases for metric in _metrics(case))
    names = dict(zip(metrics, distinct([*metrics]), strict=True))
    variant = str(run.get("identifier") or run.get("test_file") or "test run")
    answers = {index: _answer(case, names) for index, case in enumerate(cases)}
    about = {"hyperparameters": run["hyperparameters"]} if run.get("hyperparameters") else {}
    return Evaluation(
        tool=TOOL,
        version="test run",
        name=variant,
        items=_items(cases),
        variants=[Variant(distinct([variant])[0], about, [answers])],
        graders=[Grader(name, metric, why="only DeepEval computes it") for metric, name in names.items()],
        figures=[*_figures(run, names, distinct([variant])[0])],
        notes=[*_notes(run, cases)],
    )


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields with names in snake case: test runs have them in camel case.

    >>> _plain({"actualOutput": 1, "metrics_data": 2})
    {'actual_output': 1, 'metrics_data': 2}
    """
    return {
        "".join(f"_{c.lower()}" if c.isupper() else c for c in name): value for name, value in fields.items()
    }


def _metrics(case: Mapping[str, Any]) -> list[dict[str, Any]]:
    return as_objects(case.get("metrics_data") or case.get("metrics_metadata"))


def _name(metric: Mapping[str, Any]) -> str:
    return clean(str(metric.get("name") or metric.get("metric") or "metric"))


def _items(cases: list[dict[str, Any]]) -> list[Item]:
    names = [case.get("name") for case in cases]
    are_keys = all(isinstance(name, str) and name for name in names) and len({*names}) == len(names)
    return [_item(case, name if are_keys else None) for case, name in zip(cases, names, strict=True)]


def _item(case: Mapping[str, Any], key: str | None) -> Item:
    reference = {} if case.get("expected_output") is None else {"expected_output": case["expected_output"]}
    placed = PLACED if key else PLACED - {"name"}
    metadata = {
        name: value for name, value in case.items() if name not in placed and value not in (None, [], {})
    }
    return Item({"input": case["input"]}, reference, metadata, key)


def _answer(case: Mapping[str, Any], names: Mapping[str, str]) -> Answer:
    scores: dict[str, Score] = {}
    for metric in _metrics(case):
        success = metric.get("success")
        score = Score(number(metric.get("score")), success if isinstance(success, bool) else None)
        if score.value is not None:
            scores[names[_name(metric)]] = score
    seconds = number(case.get("completion_time"))
    output: JSON = case.get("actual_output")
    return Answer(output, None, whole(None if seconds is None else seconds * 1000), scores=scores)


def _figures(run: Mapping[str, Any], names: Mapping[str, str], variant: str) -> Iterator[Figure]:
    """The lines of the tool's own summary."""
    for line in as_objects(run.get("metrics_scores")):
        name, scores = _name(line), [number(score) for score in as_list(line.get("scores"))]
        values = [score for score in scores if score is not None]
        passes, fails = whole(line.get("passes")), whole(line.get("fails"))
        if name in names and values:
            judged = None if passes is None or fails is None else passes + fails
            yield Figure(variant, names[name], len(values), sum(values) / len(values), share(passes, judged))


def _notes(run: Mapping[str, Any], cases: list[dict[str, Any]]) -> Iterator[str]:
    if turns := as_objects(run.get("conversational_test_cases")):
        yield f"{len(turns)} conversational test cases are not imported."
    used = {"test_cases", "test_results", "metrics_scores", "hyperparameters", "identifier", "test_file"}
    used |= {"conversational_test_cases"}
    others = [name for name, value in run.items() if name not in used and value not in (None, [], {})]
    fields = dict.fromkeys(name for case in cases for metric in _metrics(case) for name in metric)
    others += [
        f"metrics_data.{name}" for name in fields if name not in ("name", "metric", "score", "success")
    ]
    if others:
        yield f"Not imported: {', '.join(others[:30])}."
