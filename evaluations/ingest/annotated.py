"""Tasks of a labelling tool (Label Studio's JSON) with what people marked in each and what models predicted.

{"data": {"text": …}, "annotations": [{"result": […]}], "predictions": [{"model_version": "v2", "result": […]}]}

A task becomes a row with its data, what people said of it, and a column for each model.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from evaluations.values import canonical_json

from .batch import Row
from .people import UNDONE

PEOPLE, MODELS, DATA, MODEL = "annotations", "predictions", "data", "model_version"
RIGHT, SAID = "expected", "prediction"  # names of columns
FEWEST = 0.5  # share of the tasks that must have results of people or models
MOST_MODELS = 50
SPAN = ("start", "end", "text", "startOffset", "endOffset", "globalOffsets", "score", "channel")
ONLY = ("number", "rating", "datetime", "selected")  # fields with a single value
Objects = list[dict[str, Any]]


class Tasks(NamedTuple):
    """The questions, each with whether several answers can be right, and the models, each with its column."""

    right: str
    questions: tuple[tuple[str, bool], ...]
    models: tuple[tuple[str, str], ...]


def find(rows: Sequence[Row]) -> Tasks | None:
    """How to read the tasks; None of other rows, and of answers of people alone that are no spans.

    >>> span = {"from_name": "label", "value": {"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]}}
    >>> tasks = [{"id": 1, "data": {"text": "Ada"}, "annotations": [{"result": [span]}],
    ...           "predictions": [{"model_version": "v2", "result": [span]}]}]
    >>> find(tasks)
    Tasks(right='expected label', questions=(('label', True),), models=(('v2', 'v2'),))
    >>> with_columns(tasks[0], find(tasks))[0]["v2"]
    [{'label': 'PER', 'text': 'Ada', 'start': 0, 'end': 3}]
    >>> find([{"data": {"text": "Ada"}, "annotations": []}])
    """
    tasks = [row for row in rows if isinstance(row.get(DATA), dict)]
    said = [one for row in tasks for one in (*_of_people(row), *_of_models(row)) if _results(one)]
    told = [row for row in tasks if any(map(_results, (*_of_people(row), *_of_models(row))))]
    predicted = [one for row in tasks for one in _of_models(row)]
    has_spans = any(_is_span(result["value"]) for one in said for result in _results(one))
    if len(told) < FEWEST * len(rows) or not told or not (predicted or has_spans):
        return None
    several: dict[str, bool] = {}
    for one in said:
        for question, values in _by_question(one).items():
            several[question] = several.get(question, False) or len(values) > 1 or any(map(_is_list, values))
    taken = {name for row in tasks for name in _data(row)} | {"id"}
    models = _by_age(predicted)
    if len(models) > MOST_MODELS:
        return None
    name = f"{RIGHT} {next(iter(several))}" if len(several) == 1 else RIGHT
    columns = tuple((model, f"{SAID} of {model}" if model in taken else model) for model in models)
    return Tasks(name, tuple(several.items()), columns)


def with_columns(row: Row, tasks: Tasks) -> tuple[Row, dict[str, str]]:
    """The row of a task with columns for its data, for what people said and for each model, and the latter by model."""
    data = _data(row)
    if not data:
        return row, {}
    found = Row({name: row[name] for name in ("id",) if name in row} | data)
    text = max((one for one in data.values() if isinstance(one, str)), key=len, default="")
    people = [_said(one, tasks, text) for one in _of_people(row)]
    if people:
        found[tasks.right] = _of_most(people)
    newest = {_name_of(one): one for one in sorted(_of_models(row), key=_age)}
    columns = {model: f"{SAID} of {model}" if model in found else model for model in newest} | dict(
        tasks.models
    )
    for model, column in columns.items():
        found[column] = _said(newest[model], tasks, text) if model in newest else None
    return found, columns


def left_out(rows: Sequence[Row]) -> list[str]:
    """The fields of tasks that become no columns."""
    names = dict.fromkeys(name for row in rows for name in row)
    return [name for name in names if name not in ("id", DATA, PEOPLE, MODELS)]


def _data(row: Mapping[str, Any]) -> dict[str, Any]:
    data = row.get(DATA)
    return data if isinstance(data, dict) else {}


# ---- people and models ---------------------------------------------------------------------------------------


def _of_people(row: Mapping[str, Any]) -> Objects:
    """The annotations that count: those that are called the truth if any is, and none that was given up."""
    every = [one for one in _objects(row.get(PEOPLE)) if _is_done(one)]
    return [one for one in every if one.get("ground_truth") is True] or every


def _is_done(annotation: Mapping[str, Any]) -> bool:
    return not annotation.get("was_cancelled") and annotation.get("status") not in UNDONE


def _of_models(row: Mapping[str, Any]) -> Objects:
    return [one for one in _objects(row.get(MODELS)) if isinstance(one.get("result"), list)]


def _by_age(predictions: Objects) -> list[str]:
    """The models in the order of their first predictions."""
    return [*dict.fromkeys(map(_name_of, sorted(predictions, key=_age)))]


def _name_of(prediction: Mapping[str, Any]) -> str:
    name = prediction.get(MODEL)
    return name.strip() if isinstance(name, str) and name.strip() else SAID


def _age(prediction: Mapping[str, Any]) -> float:
    number = prediction.get("id")
    return number if isinstance(number, int) else 0


def _of_most(people: Sequence[Any]) -> Any:
    """What most people said; of lists the members that more than half of them have, and none of texts as often said."""
    if len(people) == 1:
        return people[0]
    if all(isinstance(one, list) for one in people):
        counts = Counter(canonical_json(member) for one in people for member in one)
        members = {canonical_json(member): member for one in people for member in one}
        return [member for name, member in members.items() if counts[name] * 2 > len(people)]
    (first, most), *others = Counter(map(canonical_json, people)).most_common(2)
    if others and others[0][1] == most:
        return None
    return next(one for one in people if canonical_json(one) == first)


# ---- results -------------------------------------------------------------------------------------------------


def _said(one: Mapping[str, Any], tasks: Tasks, text: str) -> Any:
    """What an annotation or prediction says: the answer to the only question, else an object of all."""
    found = _by_question(one)
    answers = {
        question: _answer(found.get(question, []), is_several, text)
        for question, is_several in tasks.questions
    }
    return next(iter(answers.values())) if len(answers) == 1 else answers


def _answer(values: Objects, is_several: bool, text: str) -> Any:
    members = [member for value in values for member in _members(value, text)]
    return members if is_several else next(iter(members), None)


def _members(value: Mapping[str, Any], text: str) -> Iterator[Any]:
    if _is_span(value):
        yield _span(value, text)
        return
    for name in ONLY:
        if name in value:
            yield value[name]
            return
    listed = next((one for one in value.values() if isinstance(one, list)), None)
    if listed is None:
        yield dict(value)
        return
    for one in listed:
        yield " > ".join(map(str, one)) if isinstance(one, list) else one


def _span(value: Mapping[str, Any], text: str) -> dict[str, Any]:
    """A passage with its labels: its text is that of the data, since models often leave it out."""
    start, end = value["start"], value["end"]
    labels = next((one for name, one in value.items() if name not in SPAN and isinstance(one, list)), [])
    is_place = isinstance(start, int) and isinstance(end, int)
    passage = text[start:end] if is_place else value.get("text")
    found: dict[str, Any] = {"label": labels[0] if len(labels) == 1 else labels}
    return found | ({"text": passage} if passage else {}) | {"start": start, "end": end}


def _is_span(value: Mapping[str, Any]) -> bool:
    return "start" in value and "end" in value


def _is_list(value: Mapping[str, Any]) -> bool:
    """Whether a value is a passage, of which a text can have several, or a list of several answers."""
    return _is_span(value) or any(isinstance(one, list) and len(one) > 1 for one in value.values())


def _by_question(one: Mapping[str, Any]) -> dict[str, Objects]:
    found: dict[str, Objects] = {}
    for result in _results(one):
        found.setdefault(result["from_name"], []).append(result["value"])
    return found


def _results(one: Mapping[str, Any]) -> Objects:
    """The answers in an annotation or prediction, without relations between them."""
    return [
        result
        for result in _objects(one.get("result"))
        if isinstance(result.get("from_name"), str) and isinstance(result.get("value"), dict)
    ]


def _objects(value: Any) -> Objects:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
