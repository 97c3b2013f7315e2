"""Contracts of the kinds that compare JSON values."""

from evaluations.kinds.contracts.contract import NULLS, Contract, Vector

TOO_DEEP = "A value nested deeper than 200 levels is an error (too_deep)."

CONTRACTS = {
    "json_match": Contract(
        formula="1.0 if both values hold the same data, else 0.0. Texts are read as JSON first.",
        edge_cases=(
            NULLS,
            "Layout and the order of keys do not count; 1 equals 1.0, and true is not 1.",
            "With ignore_order, lists are equal when they hold the same items equally often, at every depth.",
            "An actual text that is not JSON scores 0.0; such an expected text is an error (invalid_json). NaN "
            "and Infinity are not JSON.",
            "Of equal keys the last one counts.",
            TOO_DEEP,
        ),
        golden=(
            Vector('{"a":1,\n"b":[1,2]}', '{"b": [1, 2], "a": 1.0}', 1.0),
            Vector('{"a": 1}', {"a": 1}, 1.0, True, {"threshold": 0.5}, why="text against object"),
            Vector("[true]", "[1]", 0.0, why="true is not 1"),
            Vector("[1, 2]", "[2, 1]", 0.0),
            Vector("[1, [2, 3]]", "[[3, 2], 1]", 1.0, None, {"ignore_order": True}),
            Vector("[1, 1, 2]", "[1, 2, 2]", 0.0, None, {"ignore_order": True}, why="not equally often"),
            Vector("no JSON", "{}", 0.0),
            Vector("{}", "no JSON", None, status="error"),
            Vector("[NaN]", "[1]", 0.0, why="NaN is not JSON"),
            Vector('{"a": 1, "a": 2}', '{"a": 2}', 1.0, why="the last one counts"),
            Vector(
                "null", None, None, status="missing_expected", why="the text holds null; the value is null"
            ),
        ),
    ),
    "json_distance": Contract(
        formula="The number of places at which two JSON values differ: values of one place that are not equal, "
        "keys that only one side has, and items by which a list is longer.",
        edge_cases=(
            NULLS,
            "Values of two types differ as a whole, 1 and 1.0 too: one difference, however large they are.",
            "A key or an item of one side only is one difference, however large it is.",
            "A text that is not JSON is an error (invalid_json), on either side.",
            TOO_DEEP,
        ),
        golden=(
            Vector('{"a": 1, "b": 2}', '{"b": 2, "a": 1}', 0),
            Vector('{"a": 1, "b": [1, 2]}', '{"a": 2, "b": [1, 3]}', 2, why="$.a and $.b[1]"),
            Vector("[1, 2, 3]", "[1]", 2, why="two items more"),
            Vector('{"a": 1}', '{"b": {"c": 1, "d": 2}}', 2, why="one key of each side only"),
            Vector("1", "1.0", 1, why="two types"),
            Vector('[1, "x", {}]', '{"a": 1}', 1, why="list against object"),
            Vector({"a": None}, {"a": None}, 0),
            Vector("no JSON", "{}", None, status="error"),
            Vector("{}", None, None, status="missing_expected"),
        ),
    ),
}
