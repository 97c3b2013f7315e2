"""The kind `tool_calls`: the calls of tools in an answer against the expected ones."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import scipy
from pydantic import Field

from evaluations.kinds import explain
from evaluations.kinds.config import Config, Threshold
from evaluations.kinds.kind import Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import Scores
from evaluations.metrics import json_diff
from evaluations.values import JSON, canonical_json, opened_json

MOST_CALLS = 200
TOO_MANY = f"too_many_calls: At most {MOST_CALLS} calls of one answer are compared."
NOT_CALLS = "not_calls: The expected value is no list of calls with names."


class Call(NamedTuple):
    """The name of a tool and its arguments: an object, or the text that is none."""

    name: str
    arguments: JSON

    @property
    def text(self) -> str:
        return f"{self.name}({canonical_json(self.arguments)})"


class ToolCallsConfig(Config):
    match: Annotated[
        Literal["exact", "same", "contains", "within", "f1"],
        Field(
            title="Match",
            description="exact: the same calls in order; same: in any order; contains: all expected calls, and "
            "perhaps "
            "others; within: expected calls only; f1: the share of common calls.",
        ),
    ] = "same"
    arguments: Annotated[
        Literal["equal", "subset", "allowed", "ignore"],
        Field(
            title="Arguments",
            description="equal as JSON; subset: those of the expected call are equal, others do not count; allowed: "
            "the expected call lists the values that are right for each, with an empty text if it may be left out, "
            "and a dot in a name is also written as _; or ignored.",
        ),
    ] = "equal"
    threshold: Threshold = 1.0

    @property
    def is_pass_fail(self) -> bool:
        return self.match != "f1"

    def calls_of(self, value: JSON) -> list[Call] | None:
        """The calls in a value; where values are allowed, also calls such as {"find": {"city": ["Oslo"]}}."""
        return calls_of(value, by_name=self.arguments == "allowed")

    def agree(self, actual: Call, expected: Call) -> bool:
        """Whether a call is the expected one."""
        is_allowed = self.arguments == "allowed"
        is_same = actual.name == expected.name or (is_allowed and _plain(actual) == _plain(expected))
        if not is_same or self.arguments == "ignore":
            return is_same
        if self.arguments == "equal" or not isinstance(expected.arguments, dict):
            return json_diff.same(actual.arguments, expected.arguments)
        given = actual.arguments if isinstance(actual.arguments, dict) else {}
        if is_allowed:
            return given.keys() <= expected.arguments.keys() and all(
                _is_allowed(given.get(name, ""), values) for name, values in expected.arguments.items()
            )
        return all(
            name in given and json_diff.same(given[name], value) for name, value in expected.arguments.items()
        )


def score(config: ToolCallsConfig, pairs: Pairs) -> Scores:
    """The share of calls that agree by the chosen rule: 1.0 or 0.0, and for f1 between."""
    values, errors = np.zeros(len(pairs)), {}
    for row, (actual, expected) in enumerate(zip(pairs.actual, pairs.expected, strict=True)):
        wanted, made = config.calls_of(expected), config.calls_of(actual) or []
        if wanted is None:
            errors[row] = NOT_CALLS
        elif max(len(made), len(wanted)) > MOST_CALLS:
            errors[row] = TOO_MANY
        else:
            values[row] = RULES[config.match](config, made, wanted)
    return Scores.scored(
        values, None if config.threshold is None else values >= config.threshold, errors=errors
    )


def _plain(call: Call) -> str:
    """The name of a call without dots, which names of functions have not in the APIs of models."""
    return call.name.replace(".", "_")


def _is_allowed(given: JSON, allowed: JSON) -> bool:
    """Whether a value is one of those that are right, texts in any letter case."""
    listed = allowed if isinstance(allowed, list) else [allowed]
    return any(json_diff.same(_folded(given), _folded(one)) for one in listed)


def _folded(value: JSON) -> JSON:
    return value.casefold() if isinstance(value, str) else value


def calls_of(value: JSON, *, by_name: bool = False) -> list[Call] | None:
    """The calls in a value: a list of them, a message with `tool_calls`, or either as JSON text; None if it has none.

    A call is {"function": {"name", "arguments"}} or {"name", "arguments"}, and with `by_name` also {name: arguments};
    arguments that are JSON text are opened.
    """
    opened = opened_json(value)
    if isinstance(opened, dict):
        opened = opened.get("tool_calls") if "tool_calls" in opened else [opened]
    if opened is None:
        return []
    read = _by_name if by_name else _call
    calls = [read(item) for item in opened] if isinstance(opened, list) else [None]
    named = [call for call in calls if call is not None]
    return named if len(named) == len(calls) else None


def _call(item: JSON) -> Call | None:
    function = item.get("function", item) if isinstance(item, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        return None
    arguments = function.get("arguments", function.get("args", {}))
    return Call(function["name"], opened_json(arguments if arguments not in (None, "") else {}))


def _by_name(item: JSON) -> Call | None:
    call = _call(item)
    if call is None and isinstance(item, dict) and len(item) == 1:
        [(name, arguments)] = item.items()
        return Call(name, arguments) if isinstance(arguments, dict) else None
    return call


def _in_order(config: ToolCallsConfig, made: Sequence[Call], wanted: Sequence[Call]) -> float:
    return float(len(made) == len(wanted) and all(map(config.agree, made, wanted)))


def _matched(config: ToolCallsConfig, made: Sequence[Call], wanted: Sequence[Call]) -> int:
    """The largest number of calls that can be paired so that each pair agrees."""
    if not made or not wanted:
        return 0
    agree = np.array([[config.agree(call, expected) for expected in wanted] for call in made])
    rows, columns = scipy.optimize.linear_sum_assignment(agree, maximize=True)
    return int(agree[rows, columns].sum())


def _f1(config: ToolCallsConfig, made: Sequence[Call], wanted: Sequence[Call]) -> float:
    total = len(made) + len(wanted)
    return 2 * _matched(config, made, wanted) / total if total else 1.0


RULES: dict[str, Callable[[ToolCallsConfig, Sequence[Call], Sequence[Call]], float]] = {
    "exact": _in_order,
    "same": lambda config, made, wanted: float(len(made) == len(wanted) == _matched(config, made, wanted)),
    "contains": lambda config, made, wanted: float(_matched(config, made, wanted) == len(wanted)),
    "within": lambda config, made, wanted: float(_matched(config, made, wanted) == len(made)),
    "f1": _f1,
}


def detail(config: ToolCallsConfig, actual: JSON, expected: JSON) -> dict[str, Any]:
    wanted, made = config.calls_of(expected), config.calls_of(actual) or []
    if wanted is None:
        return {
            "compared": explain.compared(canonical_json(actual), canonical_json(expected)),
            "note": NOT_CALLS,
        }
    texts = ["\n".join(call.text for call in side) for side in (made, wanted)]
    if max(len(made), len(wanted)) > MOST_CALLS:
        return {"compared": explain.compared(*texts), "note": TOO_MANY}
    value = RULES[config.match](config, made, wanted)
    matched = _matched(config, made, wanted)
    formula = f"{matched} of {len(wanted)} expected calls among {len(made)}: {explain.number(value)}"
    blocks = {
        "compared": explain.compared(*texts),
        "formula": formula + explain.against(value, config.threshold),
    }
    return blocks | explain.difference(*texts)


tool_calls = Kind(
    key="tool_calls",
    title="Tool calls",
    family=Family.STRUCTURE,
    summary="The expected calls of tools",
    description="Whether an answer calls the expected tools with the expected arguments. Ids are ignored, "
    "arguments are "
    "compared as JSON, so blanks and the order of keys do not count. No call expected and none made is right.",
    source="The trajectory matches of agent evaluations; calls are paired by scipy's linear_sum_assignment.",
    version=1,
    Config=ToolCallsConfig,
    score=score,
    detail=detail,
    reads_text=False,
    reads_json=True,
)
