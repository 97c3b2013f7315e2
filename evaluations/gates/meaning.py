"""What the limit of a criterion means for the baseline: “2 points are 16 of 800 examples”."""

import math

from evaluations.numerals import grouped, plural
from evaluations.statistics.wording import number, points, reach

from .results import Result
from .wording import in_points, share


def meaning(result: Result, baseline: str) -> str:
    """A line for the result of the baseline, checked against itself; `baseline` is the name of its variant."""
    if result.reason:
        return result.reason
    match result.criterion.rule:
        case "not_worse" | "better":
            told = f"{_part(result, result.criterion.margin)}{_lies(result)} {_today(result, baseline)}"
            return f"{told}{_unchanged(result)}"
        case "at_least" | "at_most" if result.is_share or result.criterion.figure == "pass_rate":
            return f"{_part(result, result.criterion.value)}{_today(result, baseline)}"
        case "answered":
            return f"{_part(result, result.criterion.value)}{baseline} answered {result.baseline_words}."
        case "no_new_failures":
            return f"Examples that {baseline} passes and the run fails, of {grouped(result.n or 0)} with a verdict."
        case "examples":
            return f"With scores of both sides. {baseline} has {grouped(result.n or 0)}."
    return _today(result, baseline)


def _today(result: Result, baseline: str) -> str:
    return f"{baseline} has {result.baseline_words} (n = {grouped(result.n or 0)})."


def _part(result: Result, limit: float | None) -> str:
    """How many examples a limit is, if it is a share of them; else nothing.

    >>> from evaluations.gates.criteria import Criterion
    >>> _part(Result(Criterion("not_worse", 7, margin=0.03), "", "pass", n=800, is_of_examples=True), 0.03)
    '3 points are 24 of 800 examples. '
    >>> ascii(_part(Result(Criterion("answered", value=0.97), "", "pass", n=180), 0.97))
    "'97\\\\u202f% are at least 175 of 180 examples. '"
    """
    is_rate = result.criterion.rule == "answered" or result.criterion.figure == "pass_rate"
    if limit is None or not result.n or not (result.is_of_examples or is_rate):
        return ""
    named = in_points(limit) if result.criterion.rule == "not_worse" else share(limit)
    verb = "is" if named == "1 point" else "are"
    return f"{named} {verb} {_examples(result.criterion.rule, limit * result.n)} of {grouped(result.n)} examples. "


def _examples(rule: str, count: float) -> str:
    """How many whole examples a limit is; a margin lies between two numbers of them.

    >>> _examples("answered", 174.6), _examples("at_most", 174.6)
    ('at least 175', 'at most 174')
    >>> _examples("not_worse", 2.4), _examples("better", 24.0), _examples("not_worse", 0.3)
    ('about 2', '24', 'less than 1')
    """
    whole = round(count)
    is_whole = abs(count - whole) < 1e-6
    if rule == "at_most":
        return f"at most {grouped(whole if is_whole else math.floor(count))}"
    if rule in ("answered", "at_least"):
        return f"at least {grouped(whole if is_whole else math.ceil(count))}"
    if count < 1:
        return "less than 1"
    return f"{'' if is_whole else 'about '}{grouped(whole)}"


def _unchanged(result: Result) -> str:
    """What a run with the same scores would get, which many a limit is too small to let pass.

    >>> from evaluations.gates.criteria import Criterion
    >>> given = {"n": 24, "is_share": True, "unchanged": 0.125}
    >>> _unchanged(Result(Criterion("not_worse", 7, margin=0.13), "", "pass", **given)).endswith(", and passes.")
    True
    >>> _unchanged(Result(Criterion("not_worse", 7, margin=0.02), "", "pass", **given)).partition(": ")[2]
    'this limit is too small for that, one of 12.6 points or more would do.'
    """
    margin, unchanged = result.criterion.margin, result.unchanged
    if margin is None or unchanged is None:
        return ""
    unit = " points" if result.is_share else ""
    opening = f" With {plural(result.n or 0, 'example')}, a run with the same scores gets"
    opening += f" {reach((-unchanged, unchanged), in_points=result.is_share)}{unit}"
    if unchanged < margin:
        return f"{opening}, and passes."
    step = 0.001 if result.is_share else 10.0 ** (math.floor(math.log10(unchanged)) - 1)
    least = (math.floor(unchanged / step + 1e-9) + 1) * step
    limit = in_points(least) if result.is_share else number(least)
    return f"{opening}: this limit is too small for that, one of {limit} or more would do."


def _lies(result: Result) -> str:
    """Where the interval must lie, which is what decides, not the mean."""
    is_lower = result.direction == "minimize"
    beyond, margin = "below" if is_lower else "above", result.criterion.margin
    if margin is None:
        return f"The whole 95 % interval of the difference must lie {beyond} 0."
    loss = margin if is_lower else -margin
    limit = f"{points(loss)} points" if result.is_share else number(loss, signed=True)
    return f"The whole 90 % interval of the difference must lie {beyond} {limit}."
