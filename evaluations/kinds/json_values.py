"""The kinds `json_match` and `json_distance`: JSON values equal or not, and the number of differences."""

from itertools import islice
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from evaluations.kinds import explain
from evaluations.kinds.config import Config
from evaluations.kinds.kind import Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import Scores
from evaluations.metrics import json_diff
from evaluations.values import JSON, MINIMIZE, canonical_json, text_or_json


class JsonMatchConfig(Config):
    ignore_order: Annotated[
        bool,
        Field(
            title="Ignore the order of lists",
            description="Lists are equal if they contain the same items equally often.",
        ),
    ] = False
    threshold: Annotated[
        Annotated[float, Field(ge=0, le=1)] | None,
        Field(title="Pass threshold", description="The score is 1 or 0; empty for no pass or fail."),
    ] = None


class JsonDistanceConfig(Config):
    pass


class RowError(Exception):
    """The row cannot be scored; the message is a stable code, a colon and a sentence."""


def score_match(config: JsonMatchConfig, pairs: Pairs) -> Scores:
    """1.0 if both values are equal, else 0.0; also 0.0 for an actual text that is not JSON."""
    values, errors = np.zeros(len(pairs)), {}
    for row, (actual, expected) in enumerate(zip(pairs.actual, pairs.expected, strict=True)):
        try:
            values[row] = _same(config, actual, expected)
        except RowError as error:
            errors[row] = str(error)
    return Scores.scored(
        values, None if config.threshold is None else values >= config.threshold, errors=errors
    )


def score_distance(config: JsonDistanceConfig, pairs: Pairs) -> Scores:
    """The number of differing leaves; a text that is not JSON is an error on either side."""
    values, errors = np.zeros(len(pairs)), {}
    for row, (actual, expected) in enumerate(zip(pairs.actual, pairs.expected, strict=True)):
        try:
            expected_value = _value("expected", expected)
            values[row] = json_diff.count(_actual_value(actual, expected, expected_value), expected_value)
        except RowError as error:
            errors[row] = str(error)
    return Scores.scored(values, errors=errors)


def _same(config: JsonMatchConfig, actual: JSON, expected: JSON) -> bool:
    expected_value = _value("expected", expected)
    try:
        actual_value = _actual_value(actual, expected, expected_value)
    except NotJSON:
        return False
    return json_diff.same(actual_value, expected_value, ignore_order=config.ignore_order)


def _actual_value(actual: JSON, expected: JSON, expected_value: JSON) -> JSON:
    """The JSON value of the actual side; a text equal to the expected one is not parsed again."""
    return expected_value if isinstance(actual, str) and actual == expected else _value("actual", actual)


class NotJSON(RowError):
    """A side is a text that is not JSON."""


def _value(side: str, value: JSON) -> JSON:
    """The JSON value of one side; raises `RowError` naming the side."""
    try:
        if isinstance(value, str):
            return json_diff.parse(value)
        json_diff.check_depth(value)
    except json_diff.NotJSON as error:
        raise NotJSON(f"invalid_json: The {side} text is not JSON: {error}.") from error
    except json_diff.TooDeep as error:
        raise RowError(f"too_deep: The {side} value cannot be compared: {error}") from error
    return value


def empty_distance(config: JsonDistanceConfig, expected: JSON) -> float | None:
    """The distance of an answer without any value: the number of values of the reference."""
    try:
        return float(json_diff.leaves(_value("expected", expected)))
    except RowError:
        return None


def explain_match(config: JsonMatchConfig, actual: JSON, expected: JSON) -> dict[str, Any]:
    blocks = _explained(actual, expected)
    try:
        value = float(_same(config, actual, expected))
    except RowError as error:
        return blocks | {"note": str(error)}
    verdict = "Same data" if value else "Different data"
    return blocks | {"formula": f"{verdict}: {value:g}{explain.against(value, config.threshold)}"}


def explain_distance(config: JsonDistanceConfig, actual: JSON, expected: JSON) -> dict[str, Any]:
    blocks = _explained(actual, expected)
    if "path_count" not in blocks:
        return blocks
    count = blocks["path_count"]
    return blocks | {"formula": "1 difference" if count == 1 else f"{count} differences"}


def _explained(actual: JSON, expected: JSON) -> dict[str, Any]:
    """Both values in canonical form, and the paths at which they differ; for invalid JSON a note."""
    try:
        expected_value, actual_value = _value("expected", expected), _value("actual", actual)
    except RowError as error:
        sides = [text_or_json(value) for value in (actual, expected)]
        return {"compared": explain.compared(*sides), "note": str(error)}
    listed = [
        {"path": path, "what": difference, "actual": actual_part, "expected": expected_part}
        for path, difference, actual_part, expected_part in islice(
            json_diff.differences(actual_value, expected_value), explain.MOST_LISTED
        )
    ]
    compared = explain.compared(canonical_json(actual_value), canonical_json(expected_value))
    return {
        "compared": compared,
        "paths": listed,
        "path_count": json_diff.count(actual_value, expected_value),
    }


json_match = Kind(
    key="json_match",
    title="JSON match",
    family=Family.STRUCTURE,
    summary="The same data, regardless of layout",
    description="Whether both sides contain the same data. Layout and the order of keys are ignored, 1 equals "
    "1.0, and lists can be compared in any order. An output that is not JSON scores 0.",
    source="Agenta, Braintrust and promptfoo offer it; numbers compare by value.",
    version=1,
    Config=JsonMatchConfig,
    score=score_match,
    detail=explain_match,
    reads_text=False,
    reads_json=True,
    binary=True,
)

json_distance = Kind(
    key="json_distance",
    title="JSON distance",
    family=Family.STRUCTURE,
    summary="Number of differences between the data",
    description="The number of differences between two JSON values: changed values, keys of one side only, "
    "and extra items of a list. Types must be the same, so 1 differs from 1.0. Lower is better.",
    source="Phoenix, JSON distance; its golden results are followed.",
    version=1,
    Config=JsonDistanceConfig,
    score=score_distance,
    detail=explain_distance,
    direction=MINIMIZE,
    bounds=lambda config: (0.0, None),
    natural=empty_distance,
    unit="differences",
    reads_text=False,
    reads_json=True,
)
