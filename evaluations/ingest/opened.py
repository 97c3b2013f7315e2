"""Objects that are opened: the fields of `row` in {"row_idx": 0, "row": {"question": …}} become columns."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evaluations.conversations.messages import conversation

from . import sides, tool_scores, wrapped
from .batch import Row
from .known_names import SCORES
from .parted import only_of
from .suggest import plain, roles, sure_roles

Opened = tuple[tuple[str, str], ...]  # columns, each with the prefix of its fields' names
FEWEST, MOST_FIELDS, DEEPEST = 1, 100, 3
# names of the fields of one measure, in a list of them
NAMING, MEASURED = {"metric", "metric_name", "name"}, ("score", "value", "mean", "result")
OF_METRICS = {
    "metric",
    "metrics",
    "metrik",
    "metriken",
    "metriques",
    "metricas",
    "metriche",
    "metrieken",
    "指標",
    "指标",
}
TEXTS = {"article", "dialogue", "document", "text"}  # asked about, where nothing else is
TEXT_OF_ANSWERS = {"text", "content", "output_text"}
ABOUT_ANSWERS = {"finish_reason", "stop_reason", "id", "model", "object", "type", "request_id"}
PAIR = ("inputs", "outputs")
BESIDE_THE_PAIR = ("metadata", "reference_outputs", "reference", "expected")


def find(rows: Sequence[Mapping[str, Any]]) -> Opened:
    """The columns to open: one with inputs inside where no other column has any, those of LangSmith, and scores.

    If all columns are objects, as in a table of structs, those of shares are scores. So is one whose lists have one
    object each, with an output inside where nothing else is one: the only answer of a row.

    >>> find([{"row_idx": 0, "row": {"question": "q", "answer": "a"}}])
    (('row', ''),)
    >>> find([{"case": {"id": 1, "vars": {"question": "q"}}, "gold": "a"}])
    (('case', ''), ('vars', ''))
    >>> find([{"question": "q", "response": {"text": "a", "usage": {"out": 3}}}])
    (('response', 'response.'),)
    >>> find([{"inputs": {"q": "1"}, "outputs": {"a": "2"}, "metadata": {"split": "base"}}])
    (('inputs', 'inputs.'), ('outputs', 'outputs.'), ('metadata', 'metadata.'))
    >>> find([{"question": "q", "6b": {"solution": "a"}, "scores": {"exact": 1}}])
    (('scores', 'scores.'),)
    >>> find([{"id": 1, "output": "a", "stats": {"exact_match": 1}}, {"id": 2, "output": "b", "usage": {"tokens": 1}}])
    (('stats', 'stats.'),)
    >>> find([{"doc": {"query": "q"}, "metric": {"match": 1.0}}, {"doc": {"query": "r"}, "metric": {"match": 0.0}}])
    (('doc', ''), ('metric', 'scores.'))
    >>> find([{"prompt": "q", "replies": [{"response": "a"}], "judged": {"scores": [{"name": "f1", "score": 1}]}}])
    (('replies', ''), ('judged', 'scores.'))
    """
    if wrapped.find(rows):
        return ()
    names = [*dict.fromkeys(name for row in rows for name in row)]
    objects = {name: fields for name in names if (fields := _fields([row.get(name) for row in rows]))}
    if all(name in objects for name in PAIR):
        around = [name for name in names if name in objects and name in (*PAIR, *BESIDE_THE_PAIR)]
        pairs = [(name, f"{name}.") for name in around]
    else:
        pairs = [(name, "") for name in _with_inputs(objects, rows, names) or _with_sides(objects, rows)]
    pairs += [(name, f"{name}.") for name in _texts_alone(names, objects)]
    pairs += [(name, "") for name in _only_answers(names, objects, rows)]
    of_answer = [name for name in _answers_with_text(names, objects, rows) if name not in dict(pairs)]
    pairs += [(name, f"{name}.") for name in of_answer]
    measures = {name: fields for name in names if (fields := _measures([row.get(name) for row in rows]))}
    scores = [
        (name, _beginning(name, objects))
        for name, fields in measures.items()
        if name in SCORES or tool_scores.METRICS & {*fields} or _are_named_scores(objects.get(name, ()))
    ]
    scores += [
        (name, "scores.")
        for name in measures
        if plain(name) in OF_METRICS and name not in dict(scores) and _are_shares(rows, name)
    ]
    if pairs and not scores and len(names) == len(objects):
        scores = [(name, "scores.") for name in measures if _are_shares(rows, name)]
    return tuple(pairs + scores)


def _with_inputs(
    objects: Mapping[str, Sequence[str]],
    rows: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    deep: int = 1,
) -> list[str]:
    """The only column with inputs inside, if no other column is one, and none has the name of a field inside.

    Where none has, the only one with an object inside that has, and that object; else one with a text.
    """
    if "inputs" in roles(names).values():
        return []
    asked = [[name] for name, fields in objects.items() if "inputs" in sure_roles(fields).values()]
    texts = [[name] for name, fields in objects.items() if TEXTS & {*map(plain, fields)}]
    of_answers = {name for name, role in sure_roles(objects).items() if role == "output"}
    found = asked + [one for one in texts if one not in asked and not of_answers & {*one}]
    if not found and deep < DEEPEST:
        found = [[name, *way] for name in objects if (way := _inside(name, objects, rows, names, deep))]
    found = found or texts
    is_alone = len(found) == 1 and not {*objects[found[0][0]]} & {*names}
    return found[0] if is_alone else []


def _inside(
    name: str,
    objects: Mapping[str, Sequence[str]],
    rows: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    deep: int,
) -> list[str]:
    """The objects inside those of a column that are opened with it."""
    cells = [row.get(name) or {} for row in rows]
    inner = {
        field: fields for field in objects[name] if (fields := _fields([cell.get(field) for cell in cells]))
    }
    around = [one for one in names if one != name]
    return _with_inputs(inner, cells, [*around, *objects[name]], deep + 1) if inner else []


def _with_sides(objects: Mapping[str, Sequence[str]], rows: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """The only column whose objects hold two answers, and the models that gave them, which change sides."""
    found = [name for name in objects if sides.find([row.get(name) or {} for row in rows])]
    return found if len(found) == 1 else ()


def _texts_alone(names: Sequence[str], objects: Mapping[str, Sequence[str]]) -> list[str]:
    """Two or more columns without a known name whose objects have a text and nothing else."""
    by_name = roles(names)
    found = [
        name
        for name, fields in objects.items()
        if by_name[name] == "metadata" and [*map(plain, fields)] in (["text"], ["content"])
    ]
    return found if len(found) > 1 else []


def _only_answers(
    names: Sequence[str], objects: Mapping[str, Sequence[str]], rows: Sequence[Mapping[str, Any]]
) -> list[str]:
    """The only column whose lists have one object each with an output inside, if nothing else is or has one."""
    inside = {*names}.union(*objects.values())
    if "output" in sure_roles(inside).values():
        return []
    found = [
        name
        for name in names
        if name not in objects and (fields := _fields([_only_object(row.get(name)) for row in rows]))
        if "output" in sure_roles(fields).values() and not {*fields} & inside
    ]
    return found if len(found) == 1 else []


def _answers_with_text(
    names: Sequence[str], objects: Mapping[str, Sequence[str]], rows: Sequence[Mapping[str, Any]]
) -> list[str]:
    """The only column of answers, if each is an object with its text and what the call took.

    {"text": "a", "usage": {"out": 3}} is one. An object with several texts may be an answer as a whole, and one with a
    role is a message.
    """
    outputs = [name for name, role in roles(names).items() if role == "output"]
    if len(outputs) != 1 or outputs[0] not in objects:
        return []
    cells = [row[outputs[0]] for row in rows if row.get(outputs[0]) is not None]
    texts = {field for cell in cells for field, value in cell.items() if isinstance(value, str)}
    texts = {plain(field) for field in texts} - ABOUT_ANSWERS
    return outputs if len(texts) == 1 and texts <= TEXT_OF_ANSWERS else []


def _only_object(value: Any) -> Any:
    """The only object of a list that is no conversation; anything else as it is."""
    return value if conversation(value) else only_of(value)


def _beginning(name: str, objects: Mapping[str, Sequence[str]]) -> str:
    """What the names of measures begin with: what a point leads into is an object."""
    if _are_named_scores(objects.get(name, ())):
        return "scores."
    return f"{name}." if name in objects else ""


def _are_named_scores(fields: Sequence[str]) -> bool:
    """Whether an object has nothing but scores inside, as {"scores": [{"name": "f1", "score": 0.5}]}."""
    return len(fields) == 1 and fields[0] in SCORES


def _fields(values: Sequence[Any]) -> list[str]:
    """The names of the fields, if all present values are objects with few fields in all; else empty."""
    present = [value for value in values if value is not None]
    if not present or not all(isinstance(value, dict) for value in present):
        return []
    names = [*dict.fromkeys(name for value in present for name in value)]
    return names if FEWEST <= len(names) <= MOST_FIELDS else []


def _measures(values: Sequence[Any]) -> list[str]:
    """The names of numbers, if all present values are objects of few numbers, or lists of numbers with names."""
    found = [fields_of(value) for value in values if value is not None]
    if not found or None in found:
        return []
    numbers = [number for fields in found for number in (fields or {}).values()]
    names = [*dict.fromkeys(name for fields in found for name in fields or ())]
    are_numbers = all(number is None or isinstance(number, int | float) for number in numbers)
    return names if are_numbers and FEWEST <= len(names) <= MOST_FIELDS else []


def fields_of(value: Any) -> dict[str, Any] | None:
    """The fields of an object, or the numbers by name in a list of them; None of anything else.

    >>> fields_of([{"name": {"name": "exact_match", "split": "test"}, "mean": 1.0}, {"name": "f1", "score": 0.5}])
    {'exact_match': 1.0, 'f1': 0.5}
    >>> fields_of({"scores": [{"metricName": "f1", "result": 0.5}]}), fields_of([{"response": "a", "id": 1}])
    ({'f1': 0.5}, {'response': 'a', 'id': 1})
    """
    if isinstance(value, dict):
        inner = value[next(iter(value))] if _are_named_scores([*value]) else None
        return (inner if isinstance(inner, dict) else _named_numbers(inner)) or value
    return _named_numbers(value) or (one if isinstance(one := _only_object(value), dict) else None)


def _named_numbers(value: Any) -> dict[str, Any] | None:
    """The numbers by name of a list of measures; None of anything else."""
    if not isinstance(value, list) or not value or not all(isinstance(one, dict) for one in value):
        return None
    fields: dict[str, Any] = {}
    for one in value:
        naming = next((one[key] for key in one if plain(key) in NAMING), None)
        name = naming.get("name") if isinstance(naming, dict) else naming
        number = next((one[key] for key in MEASURED if key in one), None)
        if not isinstance(name, str) or not isinstance(number, int | float):
            return None
        fields.setdefault(name, number)
    return fields


def _are_shares(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    """Whether an object has nothing but numbers from 0 to 1, as scores are."""
    values = [value for row in rows for value in (row.get(name) or {}).values() if value is not None]
    return bool(values) and all(0 <= value <= 1 for value in values)


def with_fields(row: Row, opened: Opened) -> Row:
    """The row with the fields of its objects in their place. A field whose name is taken keeps that of its column.

    So do the fields of objects inside these.

    >>> with_fields({"id": 1, "row": {"id": 2, "q": "a"}}, (("row", ""),))
    {'id': 1, 'row.id': 2, 'q': 'a'}
    """
    prefixes, fields = dict(opened), Row()
    for name, value in row.items():
        inside = fields_of(value) if name in prefixes else None
        if inside is not None:
            deeper = tuple(one for one in opened if one[0] in inside and one[0] not in row)
            for inner, member in (with_fields(Row(inside), deeper) if deeper else inside).items():
                plain = prefixes[name] + inner
                fields[f"{name}.{inner}" if plain in row or plain in fields else plain] = member
        else:
            fields[name] = value
    return fields
