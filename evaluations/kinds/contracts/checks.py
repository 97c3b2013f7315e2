"""Contracts of the kinds that apply rules of JSON Schema and of promptfoo."""

import json
import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

from jsonschema import Draft202012Validator

from evaluations.kinds.contracts.contract import NULLS, TOO_LONG, Contract, Vector
from evaluations.kinds.contracts.judgement import Judgement, NoScore, text
from evaluations.values import JSON


def json_schema(actual: JSON, expected: JSON, schema: dict[str, Any] | None = None) -> Judgement:
    value = _read(actual) if isinstance(actual, str) else actual
    is_valid = value is not NOTHING and Draft202012Validator(schema or {}).is_valid(value)
    return Judgement(float(is_valid), is_valid)


NOTHING: Any = object()


def _read(written: str) -> Any:
    try:
        return json.loads(written, parse_constant=_refuse)
    except ValueError:
        return NOTHING


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def checks(actual: JSON, expected: JSON, threshold: float | None = None) -> Judgement:
    listed = _read(expected) if isinstance(expected, str) else expected
    listed = [listed] if isinstance(listed, dict) else listed
    if listed == []:
        raise NoScore("missing_expected")
    if not isinstance(listed, list):
        raise NoScore("error")
    if any(not isinstance(check, dict) or not isinstance(check.get("type"), str) for check in listed):
        raise NoScore("error")
    results = [(check.get("weight", 1), _passes(check, text(actual))) for check in listed]
    total = sum(weight for weight, _ in results)
    share = sum(weight for weight, passes in results if passes) / total if total else 0.0
    if threshold is not None:
        return Judgement.reaching(share, threshold)
    return Judgement(share, all(passes for weight, passes in results if weight))


def _passes(check: dict[str, Any], output: str) -> bool:
    name, value = check["type"].removeprefix("not-"), check.get("value")
    is_negated = bool(check["type"] != name)
    several = value if isinstance(value, list) else [part.strip() for part in str(value).split(",")]
    lowered = output.lower()
    if name in ("contains", "icontains", "starts-with", "ends-with", "regex") and value in (None, ""):
        raise NoScore("error")
    results: dict[str, Callable[[], bool]] = {
        "equals": lambda: _read(output) == value if isinstance(value, dict | list) else output == str(value),
        "contains": lambda: str(value) in output,
        "icontains": lambda: str(value).lower() in lowered,
        "contains-all": lambda: all(str(part) in output for part in several),
        "contains-any": lambda: any(str(part) in output for part in several),
        "icontains-all": lambda: all(str(part).lower() in lowered for part in several),
        "icontains-any": lambda: any(str(part).lower() in lowered for part in several),
        "starts-with": lambda: output[: len(str(value))] == str(value),
        "ends-with": lambda: output[-len(str(value)) :] == str(value),
        "regex": lambda: re.search(str(value), output, re.ASCII) is not None,
        "is-json": lambda: _fits(output, value),
        "contains-json": lambda: any(_fits(part, value) for part in _objects(output)),
        "is-xml": lambda: _has_elements(output, value),
        "contains-xml": lambda: _has_elements(output[output.find("<") : output.rfind(">") + 1], value),
        "levenshtein": lambda: _edits(output, str(value)) <= float(check.get("threshold") or 5),
        "word-count": lambda: _is_within(len(output.split()), value),
        "character-count": lambda: _is_within(len(output), value),
    }
    if name not in results:
        raise NoScore("error")
    return results[name]() != is_negated


def _fits(output: str, schema: Any) -> bool:
    value = _read(output)
    return value is not NOTHING and (not schema or Draft202012Validator(schema).is_valid(value))


def _objects(output: str) -> list[str]:
    """Every JSON object of the text that stands inside no other."""
    found, at = [], 0
    while (at := output.find("{", at)) >= 0:
        try:
            value, end = json.JSONDecoder(parse_constant=_refuse).raw_decode(output, at)
        except ValueError:
            at += 1
            continue
        found.append(json.dumps(value))
        at = end
    return found


def _has_elements(output: str, value: Any) -> bool:
    if "<!" in output:
        return False
    try:
        root = ElementTree.fromstring(output.strip())
    except ElementTree.ParseError:
        return False
    wanted = value if isinstance(value, list) else [part.strip() for part in str(value or "").split(",")]
    return all(_has_element(root, path.split(".")) for path in wanted if path)


def _has_element(root: ElementTree.Element, path: list[str]) -> bool:
    return root.tag == path[0] and (len(path) == 1 or root.find("/".join(path[1:])) is not None)


def _is_within(count: int, value: Any) -> bool:
    if isinstance(value, dict):
        return bool(value.get("min", 0) <= count <= value.get("max", count))
    return bool(count == value)


def _edits(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (left != right))
    return row[-1]


CITY: dict[str, JSON] = {
    "type": "object",
    "required": ["city", "people"],
    "properties": {"city": {"type": "string", "minLength": 1}, "people": {"type": "integer"}},
    "additionalProperties": False,
}


NAMED: dict[str, JSON] = {
    "patternProperties": {"^n_": {"type": "number"}},
    "additionalProperties": False,
}


def _one(kind: str, value: JSON = None, **more: JSON) -> list[JSON]:
    return [{"type": kind} | ({} if value is None else {"value": value}) | more]


CONTRACTS = {
    "json_schema": Contract(
        reference=json_schema,
        reads_json=True,
        is_alone=True,
        formula="1.0, and passed, if the output is JSON that fits the schema, else 0.0.",
        edge_cases=(
            "If the output is null, there is no score: missing_actual. The text null is JSON.",
            "A text is read as JSON; one that is none scores 0.0. NaN and Infinity are not JSON. Of equal keys the "
            "last one counts.",
            "1.0 is an integer, and true is not a number, as JSON Schema says. format is not checked.",
            "References stay inside the schema ($defs) and patterns are in RE2 syntax; $id, anchors and "
            "patternProperties beside unevaluatedProperties are refused when the evaluator is saved.",
            "A value nested deeper than 200 levels is an error (too_deep).",
        ),
        golden=(
            Vector('{"city": "Graz", "people": 300000}', None, 1.0, True, {"schema": CITY}),
            Vector(
                {"city": "Graz", "people": 300000.0},
                None,
                1.0,
                True,
                {"schema": CITY},
                why="1.0 is an integer",
            ),
            Vector('{"city": "Graz"}', None, 0.0, False, {"schema": CITY}, why="people is missing"),
            Vector('{"city": "", "people": 1}', None, 0.0, False, {"schema": CITY}, why="too short"),
            Vector(
                '{"city": "Graz", "people": true}',
                None,
                0.0,
                False,
                {"schema": CITY},
                why="true is no number",
            ),
            Vector(
                '{"city": "Graz", "people": 1, "zip": "8010"}',
                None,
                0.0,
                False,
                {"schema": CITY},
                why="one more",
            ),
            Vector(
                '```json\n{"city": "Graz", "people": 1}\n```',
                None,
                0.0,
                False,
                {"schema": CITY},
                why="add “json”",
            ),
            Vector("Graz", None, 0.0, False, {"schema": CITY}),
            Vector('{"n_a": 1, "x": 2}', None, 0.0, False, {"schema": NAMED}, why="x fits no pattern"),
            Vector('{"n_a": "1"}', None, 0.0, False, {"schema": NAMED}, why="no number"),
            Vector("[1, true, [1], [true]]", None, 1.0, True, {"schema": {"uniqueItems": True}}),
            Vector("[1, 2, 1.0]", None, 0.0, False, {"schema": {"uniqueItems": True}}, why="1 is 1.0"),
            Vector("[1]", None, 1.0, True, why="without a schema any JSON"),
            Vector("[NaN]", None, 0.0, False),
            Vector("null", None, 1.0, True, {"schema": {"type": "null"}}),
            Vector(None, None, None, status="missing_actual"),
        ),
    ),
    "checks": Contract(
        reference=checks,
        reads_json=True,
        formula="The weights of the checks that pass divided by all weights. Without a threshold it passes if every "
        "check with a weight passes.",
        edge_cases=(
            NULLS,
            "The reference is a list of objects, or JSON text of one: type, value, and where wanted weight (1) and "
            "threshold. A type after “not-” passes where the type does not.",
            "The types are equals, contains, icontains, contains-all, contains-any, icontains-all, icontains-any, "
            "starts-with, ends-with, regex (RE2 syntax), is-json and contains-json (value: a schema), is-xml and "
            "contains-xml (value: elements that must be there, as order.city), levenshtein (threshold: edits, 5), "
            "word-count and character-count (value: a number, or min and max).",
            "contains-json passes if one JSON object in the text fits the schema; promptfoo also accepts there what "
            "only YAML reads. XML is well-formed without declarations of its own; contains-xml looks from the first "
            "tag to the last.",
            "An i ignores case by lower case on both sides. Lists can be written as a text with commas.",
            "equals with a list or an object compares the output read as JSON.",
            "An empty list is missing_expected. A type that does not exist is an error (unknown_check), and so is a "
            "value that a type cannot use (invalid_check).",
            TOO_LONG,
        ),
        golden=(
            Vector("The answer is four.", _one("contains", "four"), 1.0, True),
            Vector("The answer is Four.", _one("contains", "four"), 0.0, False),
            Vector("The answer is Four.", _one("icontains", "four"), 1.0, True),
            Vector("red and blue", _one("contains-all", ["red", "blue"]), 1.0, True),
            Vector("red and blue", _one("contains-any", "green, blue"), 1.0, True),
            Vector("red and blue", _one("not-contains", "green"), 1.0, True),
            Vector("red and blue", _one("starts-with", "blue"), 0.0, False),
            Vector("order 4711", _one("regex", "[0-9]{4}$"), 1.0, True),
            Vector('{"a": 1}', _one("is-json", {"required": ["a"]}), 1.0, True),
            Vector("{a: 1}", _one("not-is-json"), 1.0, True),
            Vector('Here: {"a": 1} and {"b": 2}.', _one("contains-json", {"required": ["b"]}), 1.0, True),
            Vector("Here: {a}.", _one("contains-json"), 0.0, False),
            Vector("<o><city>Graz</city></o>", _one("is-xml", "o.city"), 1.0, True),
            Vector("<o><city>Graz</o>", _one("is-xml"), 0.0, False),
            Vector("Sure: <o><city/></o>!", _one("contains-xml", ["o.city", "o.zip"]), 0.0, False),
            Vector("Sure: <o><city/></o>!", _one("contains-xml", ["o.city"]), 1.0, True),
            Vector('{"a": [1, 2]}', _one("equals", {"a": [1, 2]}), 1.0, True, why="read as JSON"),
            Vector("4", _one("equals", 4), 1.0, True),
            Vector("kitten", _one("levenshtein", "sitting", threshold=3), 1.0, True),
            Vector("one two three", _one("word-count", {"min": 2, "max": 4}), 1.0, True),
            Vector("one two three", _one("word-count", 2), 0.0, False),
            Vector(
                "yes",
                [*_one("equals", "yes", weight=3), *_one("contains", "no")],
                0.75,
                False,
                why="3 of 4, but one fails",
            ),
            Vector(
                "yes",
                [*_one("equals", "yes", weight=3), *_one("contains", "no")],
                0.75,
                True,
                {"threshold": 0.7},
            ),
            Vector("yes", [*_one("equals", "yes"), *_one("contains", "no", weight=0)], 1.0, True),
            Vector("yes", [], None, status="missing_expected"),
            Vector("yes", _one("is-polite"), None, status="error"),
            Vector("yes", _one("contains", ""), None, status="error", why="nothing to look for"),
            Vector("yes", None, None, status="missing_expected"),
        ),
    ),
}
