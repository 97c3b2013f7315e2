"""Contracts of the kinds that read calls of tools; the references are plain loops."""

import json
from collections.abc import Callable
from typing import Any

from evaluations.kinds.contracts.contract import NULLS, TOO_LONG, Contract, Vector
from evaluations.kinds.contracts.judgement import Judgement, NoScore
from evaluations.values import JSON


def opened(value: JSON) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) and value.lstrip()[:1] in ("[", "{") else value
    except json.JSONDecodeError:
        return value


def tool_calls(
    actual: JSON,
    expected: JSON,
    match: str = "same",
    arguments: str = "equal",
    threshold: float | None = 1.0,
) -> Judgement:
    by_name = arguments == "allowed"
    wanted, made = _calls(expected, by_name=by_name), _calls(actual, by_name=by_name)
    if wanted is None:
        raise NoScore("error")
    made = made or []

    def agree(n: int, m: int) -> bool:
        (name, given), (other, needed) = made[n], wanted[m]
        joined = arguments == "allowed" and "_".join(name.split(".")) == "_".join(other.split("."))
        if not (name == other or joined) or arguments == "ignore":
            return bool(name == other)
        if arguments == "subset" and isinstance(needed, dict):
            return isinstance(given, dict) and all(
                key in given and same(given[key], needed[key]) for key in needed
            )
        if arguments == "allowed" and isinstance(needed, dict):
            if not isinstance(given, dict) or set(given) - set(needed):
                return False
            return all(any(_same_text(given.get(key, ""), one) for one in needed[key]) for key in needed)
        return same(given, needed)

    most = _most_pairs(len(made), len(wanted), agree)
    values = {
        "exact": float(len(made) == len(wanted) and all(agree(n, n) for n in range(len(made)))),
        "same": float(len(made) == len(wanted) == most),
        "contains": float(most == len(wanted)),
        "within": float(most == len(made)),
        "f1": 2 * most / (len(made) + len(wanted)) if made or wanted else 1.0,
    }
    return Judgement.reaching(values[match], threshold)


def _most_pairs(rows: int, columns: int, agree: Callable[[int, int], bool]) -> int:
    """Kuhn's augmenting paths."""
    partner: dict[int, int] = {}

    def augment(row: int, tried: set[int]) -> bool:
        for column in range(columns):
            if column not in tried and agree(row, column):
                tried.add(column)
                if column not in partner or augment(partner[column], tried):
                    partner[column] = row
                    return True
        return False

    return sum(augment(row, set()) for row in range(rows))


def _calls(value: JSON, *, by_name: bool = False) -> list[tuple[str, Any]] | None:
    read = opened(value)
    if isinstance(read, dict):
        read = read.get("tool_calls", [read])
    if read is None:
        return []
    if not isinstance(read, list):
        return None
    calls: list[tuple[str, Any]] = []
    for item in read:
        function = item.get("function", item) if isinstance(item, dict) else {}
        if not isinstance(function, dict):
            return None
        if by_name and len(function) == 1 and isinstance(next(iter(function.values())), dict):
            calls.extend(function.items())
            continue
        if not isinstance(function.get("name"), str):
            return None
        given = function.get("arguments", function.get("args", {}))
        calls.append((function["name"], opened({} if given in (None, "") else given)))
    return calls


def _same_text(a: Any, b: Any) -> bool:
    return a.casefold() == b.casefold() if isinstance(a, str) and isinstance(b, str) else same(a, b)


def same(a: Any, b: Any) -> bool:
    if (
        isinstance(a, bool)
        or isinstance(b, bool)
        or not isinstance(a, int | float)
        or not isinstance(b, int | float)
    ):
        if isinstance(a, dict) and isinstance(b, dict):
            return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
        if isinstance(a, list) and isinstance(b, list):
            return len(a) == len(b) and all(map(same, a, b))
        return type(a) is type(b) and bool(a == b)
    return bool(a == b)


GRAZ = [{"name": "weather", "arguments": {"city": "Graz", "unit": "c"}}]
TWO = [{"name": "w", "arguments": {"city": "Graz"}}, {"name": "w", "arguments": {"city": "Linz"}}]
SWAPPED = [
    {"id": "c2", "function": {"name": "w", "arguments": '{"city":"Linz"}'}},
    {"id": "c3", "function": {"name": "w", "arguments": '{"city": "Graz"}'}},
]
CONTRACTS = {
    "tool_calls": Contract(
        reference=tool_calls,
        reads_json=True,
        formula="1.0 if the calls of the answer are the expected ones by the chosen match, else 0.0; f1 is twice "
        "the calls "
        "that can be paired divided by the calls of both sides.",
        edge_cases=(
            NULLS,
            "A call has a name and arguments, perhaps inside “function”; ids and types are ignored. "
            "Arguments that are JSON "
            "text are read, so blanks and the order of keys do not count, and 1 equals 1.0.",
            "A message counts by its tool_calls; an answer without calls makes none. No call expected and "
            "none made is 1.0.",
            "Where an expected call lists the values that are right for each argument, texts are equal in any letter "
            "case, an argument with an empty text among them may be left out, and no other may be given; calls may "
            "also be written as {name: arguments}.",
            "Calls are paired so that as many as possible agree, never greedily.",
            "An expected value without names is an error (not_calls).",
            TOO_LONG,
        ),
        golden=(
            Vector(
                [{"id": "c1", "function": {"name": "weather", "arguments": '{"unit": "c", "city": "Graz"}'}}],
                GRAZ,
                1.0,
                True,
                why="arguments as JSON",
            ),
            Vector(SWAPPED, TWO, 1.0, True, why="in any order"),
            Vector(SWAPPED, TWO, 0.0, False, {"match": "exact"}, why="not in this order"),
            Vector([TWO[1], TWO[1]], TWO, 0.0, False, why="Graz is missing"),
            Vector([TWO[1], TWO[1]], TWO, 0.5, False, {"match": "f1"}, why="2 × 1 / 4"),
            Vector("Hello!", [], 1.0, True, why="no call expected, none made"),
            Vector({"role": "assistant", "tool_calls": TWO}, [TWO[0]], 1.0, True, {"match": "contains"}),
            Vector([TWO[0]], TWO, 1.0, True, {"match": "within"}),
            Vector(
                [{"name": "order", "arguments": {"n": 7, "gift": True}}],
                [{"name": "order", "arguments": {"n": 7}}],
                0.0,
                False,
            ),
            Vector(
                [{"name": "order", "arguments": {"n": 7, "gift": True}}],
                [{"name": "order", "arguments": {"n": 7}}],
                1.0,
                True,
                {"arguments": "subset"},
            ),
            Vector(
                [{"name": "order", "arguments": {}}],
                [{"name": "order", "arguments": {"n": 7}}],
                1.0,
                None,
                {"arguments": "ignore", "threshold": None},
            ),
            Vector(
                [{"name": "weather", "arguments": {"city": "graz"}}],
                [{"weather": {"city": ["Graz"], "unit": ["c", ""]}}],
                1.0,
                True,
                {"arguments": "allowed"},
                why="the unit may be left out",
            ),
            Vector(
                [{"weather": {"city": "Graz", "days": 3}}],
                [{"weather": {"city": ["Graz"], "unit": ["c", ""]}}],
                0.0,
                False,
                {"arguments": "allowed"},
                why="no days are expected",
            ),
            Vector(
                [{"weather_today": {"city": "Graz"}}],
                [{"weather.today": {"city": ["Graz"]}}],
                1.0,
                True,
                {"arguments": "allowed"},
                why="APIs of models allow no dots in names",
            ),
            Vector("x", "weather", None, status="error"),
        ),
    ),
}
