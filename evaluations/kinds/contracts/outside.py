"""Contract of the kind for outside scores; the reference parses a value by hand."""

import re

from evaluations.kinds.contracts.contract import Contract, Vector
from evaluations.kinds.contracts.judgement import Judgement, NoScore
from evaluations.values import JSON

DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
OUTERMOST = 10**12


def value(
    actual: JSON,
    expected: JSON,
    direction: str = "maximize",
    minimum: float | None = None,
    maximum: float | None = None,
    labels: str = "",
    threshold: float | None = None,
) -> Judgement:
    low, high = _ends(direction, labels)
    low = low if minimum is None else minimum
    high = high if maximum is None else maximum
    numbers = [_read(part, labels) for part in _parts(actual)]
    if any(not low <= number <= high for number in numbers):
        raise NoScore("error")
    number = sum(numbers) / len(numbers)
    if direction == "maximize" or threshold is None:
        return Judgement.reaching(number, threshold)
    return Judgement(number, number <= threshold)


def _ends(direction: str, labels: str) -> tuple[float, float]:
    """The bounds of labels: 0 and 1 where their numbers run from 0 to 1, except for counts of a fault."""
    numbers = {float(part.rsplit("=", 1)[1]) for part in labels.split(",") if part.strip()}
    is_count = direction == "minimize" and numbers == {0.0, 1.0}
    if numbers and min(numbers) == 0 and max(numbers) == 1 and not is_count:
        return 0, 1
    return -OUTERMOST, OUTERMOST


def _parts(actual: JSON) -> list[JSON]:
    """What each of several people said, without those who said nothing; one value is a list of one."""
    if not isinstance(actual, list):
        return [actual]
    parts = [number for part in actual if part not in (None, "") for number in _parts(part)]
    if not parts:
        raise NoScore("error")
    return parts


def _read(actual: JSON, labels: str) -> float:
    if isinstance(actual, dict):
        raise NoScore("error")
    word = str(actual).strip().lower()
    if not word:
        raise NoScore("missing_actual")
    pairs = [part.rsplit("=", 1) for part in labels.split(",") if part.strip()]
    table = {"true": 1.0, "false": 0.0} | {name.strip().lower(): float(number) for name, number in pairs}
    if word in table:
        return table[word]
    if not DECIMAL.fullmatch(word):
        raise NoScore("error")
    return float(word)


CONTRACTS = {
    "value": Contract(
        reference=value,
        reads_json=True,
        is_alone=True,
        formula="The outside score itself. With a threshold it passes at or above it where higher is better, at or "
        "below it where lower is better.",
        edge_cases=(
            "The reference is not read. A null or empty value gives no score; the status is missing_actual.",
            "A text that spells a number is that number; true is 1 and false is 0, as JSON or as text.",
            "Labels get the numbers in the setting; case is ignored. Other words are an error (not_a_number).",
            "A list is what several people said: its score is their mean. Null and empty parts are left out.",
            "NaN, Infinity, objects and lists without a number are an error (not_a_number).",
            "A number outside the bounds is an error (out_of_bounds), never moved to the bound.",
            "Where the score is read from the output, either is the output's fault, so the example counts as worst.",
            "Without bounds, every number from −10¹² to 10¹² is accepted; with labels that run from 0 to 1, every"
            " number between them. Labels of 0 and 1 alone where lower is better count a fault, and have no bound.",
            "A missing or invalid score counts for no variant; these examples are excluded, and"
            " their number is reported.",
        ),
        golden=(
            Vector(0.8317, "", 0.8317),
            Vector("-4.5", "", -4.5, why="a text that spells a number"),
            Vector(" 1e-3 ", "", 0.001),
            Vector(True, "", 1),
            Vector("False", "", 0),
            Vector("good", "", 1, None, {"labels": "good = 1, fair = 0.5, bad = 0"}),
            Vector("Fair", "", 0.5, None, {"labels": "good = 1, fair = 0.5, bad = 0"}, why="case is ignored"),
            Vector(
                "poor", "", None, None, {"labels": "good = 1, bad = 0"}, "error", "a label without a number"
            ),
            Vector("NaN", "", None, status="error", why="not a number"),
            Vector("1,5", "", None, status="error", why="the comma is not a decimal point"),
            Vector(1.2, "", None, None, {"minimum": 0.0, "maximum": 1.0}, "error", "out of bounds"),
            Vector(1, "", 1, None, {"minimum": 0.0, "maximum": 1.0}, why="a bound is allowed"),
            Vector(
                "7", "", None, None, {"labels": "good = 1, fair = 0.5, bad = 0"}, "error", "0 to 1 by labels"
            ),
            Vector(
                3, "", 3, None, {"labels": "yes = 1, no = 0", "direction": "minimize"}, why="three faults"
            ),
            Vector(0.5, "", 0.5, True, {"threshold": 0.5}, why="0.5 ≥ 0.5"),
            Vector(350, "", 350, False, {"direction": "minimize", "threshold": 200.0}, why="350 > 200"),
            Vector([0.5], "", 0.5, why="a list of one"),
            Vector([1, "0", None], "", 0.5, why="(1 + 0) / 2; one person said nothing"),
            Vector(["good", "fair"], "", 0.75, None, {"labels": "good = 1, fair = 0.5"}, why="(1 + 0.5) / 2"),
            Vector([1, 3], "", None, None, {"maximum": 2.0}, "error", "each part is held to the bounds"),
            Vector([], "", None, status="error", why="a list without a number"),
            Vector([0.5, "often"], "", None, status="error", why="one part is not a number"),
            Vector("", "", None, status="missing_actual"),
            Vector(None, "", None, status="missing_actual"),
        ),
    ),
}
