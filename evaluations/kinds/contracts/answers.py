"""Contracts of the kinds that read labels, calls, fields and lists; the references are plain loops."""

import json
import re
from collections.abc import Callable, Sequence
from datetime import date, datetime
from itertools import permutations
from math import log2
from typing import Any

from evaluations.kinds.contracts.contract import NULLS, TEXTS, TOO_LONG, Contract, Vector
from evaluations.kinds.contracts.judgement import Judgement, NoScore, cased, text
from evaluations.values import JSON

# ---- token_f1, error_rate, label, check ----------------------------------------------------------------------


def token_f1(
    actual: str, expected: str, measure: str = "f1", articles: str = "en", threshold: float | None = None
) -> Judgement:
    a, b = (_squad_words(side, articles) for side in (actual, expected))
    shared = sum(min(a.count(word), b.count(word)) for word in set(a))
    if measure == "exact" or not a or not b:
        return Judgement.reaching(float(a == b), threshold)
    precision, recall = shared / len(a), shared / len(b)
    return Judgement.reaching(2 * precision * recall / (precision + recall) if shared else 0.0, threshold)


def _squad_words(side: str, articles: str) -> list[str]:
    side = "".join(sign for sign in side.lower() if sign not in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
    return (re.sub(r"(?<![^\W_])(a|an|the)(?![^\W_])", " ", side) if articles == "en" else side).split()


def error_rate(
    actual: str,
    expected: str,
    unit: str = "word",
    case_sensitive: bool = True,
    threshold: float | None = None,
) -> Judgement:
    sides = [
        side.split() if unit == "word" else list(side.strip())
        for side in cased((actual, expected), case_sensitive)
    ]
    edits = _edits(*sides)
    if not sides[1] and edits:
        raise NoScore("error")
    value = edits / len(sides[1]) if sides[1] else 0.0
    return Judgement(value, None if threshold is None else value <= threshold)


def _edits(a: Sequence[str], b: Sequence[str]) -> int:
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (left != right))
    return row[-1]


def label(
    actual: str, expected: str, labels: list[str] | None = None, case_sensitive: bool = False
) -> Judgement:
    a, b = (side.strip() for side in cased((actual, expected), case_sensitive))
    allowed = None if labels is None else [name if case_sensitive else name.lower() for name in labels]
    if allowed is not None and b not in [name.strip() for name in allowed]:
        raise NoScore("error")
    return Judgement(float(a == b), a == b)


def check(
    actual: str,
    expected: str,
    must: str = "contain",
    phrases: str | list[str] = "",
    separator: str | None = "|",
    mode: str = "all",
    case_sensitive: bool = False,
    pattern: str | None = None,
    unit: str = "character",
    minimum: int | None = None,
    maximum: int | None = None,
) -> Judgement:
    if must == "length":
        length = len(actual) if unit == "character" else len(actual.split())
        passed = (minimum is None or length >= minimum) and (maximum is None or length <= maximum)
        return Judgement(float(passed), passed)
    if must in ("match", "not_match"):
        flags = re.ASCII if case_sensitive else re.IGNORECASE
        passed = (re.search(pattern or "", actual, flags) is None) == (must == "not_match")
        return Judgement(float(passed), passed)
    listed = phrases if isinstance(phrases, list) else phrases.split(separator) if separator else [phrases]
    listed = [phrase.strip() for phrase in listed if phrase.strip()]
    if not listed:
        raise NoScore("error")
    hits = [
        needle in whole for needle, whole in (cased((phrase, actual), case_sensitive) for phrase in listed)
    ]
    passed = (
        True not in hits if must == "not_contain" else (False not in hits if mode == "all" else True in hits)
    )
    return Judgement(float(passed), passed)


# ---- retrieval, tool_calls, json_fields ----------------------------------------------------------------------


def _json(value: JSON) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) and value.lstrip()[:1] in ("[", "{") else value
    except json.JSONDecodeError:
        return value


def retrieval(
    actual: JSON,
    expected: JSON,
    measure: str = "ndcg",
    k: int | None = 10,
    gain: str = "linear",
    threshold: float | None = None,
) -> Judgement:
    grades, ranked = _json(expected), _ids(_json(actual))[:k]
    grades = (
        {str(key): grade for key, grade in grades.items()}
        if isinstance(grades, dict)
        else dict.fromkeys(_ids(grades), 1)
    )
    if any(isinstance(grade, bool) or not isinstance(grade, int | float) for grade in grades.values()):
        raise NoScore("error")
    relevant = [item for item, grade in grades.items() if grade >= 1]
    if not relevant:
        raise NoScore("missing_expected")
    hits = [item in relevant for item in ranked]
    found = hits.count(True)
    powers = [
        2 ** grades.get(item, 0) - 1 if gain == "exponential" else grades.get(item, 0) for item in ranked
    ]
    best = sorted(
        (2**grade - 1 if gain == "exponential" else grade for grade in grades.values()), reverse=True
    )[:k]
    values: dict[str, Callable[[], float]] = {
        "recall": lambda: found / len(relevant),
        "precision": lambda: found / (k or len(ranked) or 1),
        "hit": lambda: float(found > 0),
        "mrr": lambda: 1 / (hits.index(True) + 1) if found else 0.0,
        "map": lambda: (
            sum(hits[: n + 1].count(True) / (n + 1) for n, hit in enumerate(hits) if hit) / len(relevant)
        ),
        "ndcg": lambda: (
            sum(power / log2(n + 2) for n, power in enumerate(powers))
            / sum(power / log2(n + 2) for n, power in enumerate(best))
        ),
    }
    return Judgement.reaching(values[measure](), threshold)


def _ids(value: Any) -> list[str]:
    items = value if isinstance(value, list) else text(value).splitlines()
    names = [text(item["id"] if isinstance(item, dict) and "id" in item else item).strip() for item in items]
    return [name for n, name in enumerate(names) if name and name not in names[:n]]


def tool_calls(
    actual: JSON,
    expected: JSON,
    match: str = "same",
    arguments: str = "equal",
    threshold: float | None = 1.0,
) -> Judgement:
    wanted, made = _calls(expected), _calls(actual)
    if wanted is None:
        raise NoScore("error")
    made = made or []

    def agree(n: int, m: int) -> bool:
        (name, given), (other, needed) = made[n], wanted[m]
        if name != other or arguments == "ignore":
            return bool(name == other)
        if arguments == "subset" and isinstance(needed, dict):
            return isinstance(given, dict) and all(
                key in given and _same(given[key], needed[key]) for key in needed
            )
        return _same(given, needed)

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


def _calls(value: JSON) -> list[tuple[str, Any]] | None:
    read = _json(value)
    if isinstance(read, dict):
        read = read.get("tool_calls", [read])
    if read is None:
        return []
    if not isinstance(read, list):
        return None
    calls = []
    for item in read:
        function = item.get("function", item) if isinstance(item, dict) else {}
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            return None
        given = function.get("arguments", function.get("args", {}))
        calls.append((function["name"], _json({} if given in (None, "") else given)))
    return calls


def _same(a: Any, b: Any) -> bool:
    if (
        isinstance(a, bool)
        or isinstance(b, bool)
        or not isinstance(a, int | float)
        or not isinstance(b, int | float)
    ):
        if isinstance(a, dict) and isinstance(b, dict):
            return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
        if isinstance(a, list) and isinstance(b, list):
            return len(a) == len(b) and all(map(_same, a, b))
        return type(a) is type(b) and bool(a == b)
    return bool(a == b)


def json_fields(
    actual: JSON,
    expected: JSON,
    measure: str = "share",
    rules: dict[str, Any] | None = None,
    lists: str = "position",
    threshold: float | None = None,
) -> Judgement:
    try:
        wanted = json.loads(expected) if isinstance(expected, str) else expected
    except json.JSONDecodeError as error:
        raise NoScore("error") from error
    try:
        given = json.loads(actual) if isinstance(actual, str) else actual
    except json.JSONDecodeError:
        given = NOTHING
    right, needed, made = _counted(given, wanted, "$", rules or {}, lists)
    if not needed and not made:
        return Judgement.reaching(1.0, threshold)
    by = {"precision": made, "f1": (needed + made) / 2}.get(measure, needed)
    return Judgement.reaching(right / by if by else 0.0, threshold)


NOTHING = object()


def _counted(a: Any, b: Any, path: str, rules: dict[str, Any], lists: str) -> tuple[float, int, int]:
    """Right fields, fields of the reference, and fields of the output."""
    rule = rules.get(path)
    if rule and rule["rule"] == "ignore":
        return 0, 0, 0
    if b is NOTHING:
        _, extra, _ = _counted(a, a, path, rules, lists)
        return 0, 0, extra
    if not rule and a is not NOTHING and _shape(a) != _shape(b):
        return 0, _counted(b, b, path, rules, lists)[1], _counted(a, a, path, rules, lists)[1]
    if not rule and isinstance(b, dict) and b:
        sides = a if isinstance(a, dict) else {}
        names = [*b, *(name for name in sides if name not in b)]
        pairs = [(sides.get(name, NOTHING), b.get(name, NOTHING), f"{path}.{name}") for name in names]
    elif not rule and isinstance(b, list) and b:
        pairs = [
            (x, y, f"{path}[*]") for x, y in _pairs(a if isinstance(a, list) else [], b, path, rules, lists)
        ]
    else:
        is_right = a is not NOTHING and _holds(rule or {"rule": "exact"}, a, b)
        return int(is_right), 1, int(a is not NOTHING)
    counts = [_counted(*pair, rules, lists) for pair in pairs]
    return tuple(map(sum, zip(*counts, strict=True)))  # type: ignore[return-value]


def _shape(value: Any) -> str:
    return type(value).__name__ if isinstance(value, dict | list) and value else ""


def _pairs(a: list[Any], b: list[Any], path: str, rules: dict[str, Any], lists: str) -> list[tuple[Any, Any]]:
    size = max(len(a), len(b))
    left, right = a + [NOTHING] * (size - len(a)), b + [NOTHING] * (size - len(b))
    if lists == "position":
        return list(zip(left, right, strict=True))
    if lists == "best":
        return max(
            (list(zip(order, right, strict=True)) for order in permutations(left)),
            key=lambda pairs: sum(_counted(x, y, f"{path}[*]", rules, lists)[0] for x, y in pairs),
        )
    pairs, unused = [], list(a)
    for wanted in b:
        has_key = isinstance(wanted, dict) and lists in wanted
        found = next(
            (x for x in unused if has_key and isinstance(x, dict) and x.get(lists, NOTHING) == wanted[lists]),
            NOTHING,
        )
        pairs.append((found, wanted))
        unused = [x for x in unused if x is not found]
    return pairs + [(x, NOTHING) for x in unused]


def _holds(rule: dict[str, Any], a: Any, b: Any) -> bool:
    if rule["rule"] == "number":
        try:
            return bool(abs(float(a) - float(b)) <= rule.get("tolerance", 0))
        except (TypeError, ValueError):
            return False
    if rule["rule"] == "date":
        return _day(a) is not None and _day(a) == _day(b)
    if rule["rule"] == "similarity":
        sides = [text(a), text(b)]
        longest = max(map(len, sides)) or 1
        return bool(1 - _edits(list(sides[0]), list(sides[1])) / longest >= rule.get("threshold", 0.8))
    return _same(a, b)


def _day(value: Any) -> date | None:
    try:
        return datetime.fromisoformat(str(value).strip()).date()
    except ValueError:
        return None


GRAZ = [{"name": "weather", "arguments": {"city": "Graz", "unit": "c"}}]
TWO = [{"name": "w", "arguments": {"city": "Graz"}}, {"name": "w", "arguments": {"city": "Linz"}}]
SWAPPED = [
    {"id": "c2", "function": {"name": "w", "arguments": '{"city":"Linz"}'}},
    {"id": "c3", "function": {"name": "w", "arguments": '{"city": "Graz"}'}},
]
PERSON = {"name": "Ann", "city": "Graz", "zip": "8010"}
LINES: dict[str, JSON] = {"lines": [{"id": 1, "n": 2}, {"id": 2, "n": 5}]}

CONTRACTS = {
    "token_f1": Contract(
        reference=token_f1,
        formula="Twice the shared words divided by the words of both sides; a word counts as often as it occurs "
        "on both. "
        "Words are in lower case, without ASCII punctuation and without a, an and the.",
        edge_cases=(
            NULLS,
            "exact is 1.0 if the words are the same in the same order, else 0.0.",
            "If a side has no words, the score is 1.0 if neither has, else 0.0.",
            TOO_LONG,
            TEXTS,
        ),
        golden=(
            Vector("the red fox", "a red fox", 1.0, why="articles do not count"),
            Vector("a fox", "the red fox", 2 / 3, why="2 × 1 / (1 + 2)"),
            Vector("the red fox", "a red fox", 2 / 3, None, {"articles": "none"}, why="2 × 2 / (3 + 3)"),
            Vector("Red, fox!", "red fox", 1.0, why="case and punctuation"),
            Vector("red red", "red fox", 0.5, why="red counts once: 2 × 1 / 4"),
            Vector("fox red", "red fox", 0.0, None, {"measure": "exact"}),
            Vector("The red fox.", "red fox", 1.0, True, {"measure": "exact", "threshold": 1.0}),
            Vector("", "the", 1.0, why="no words on either side"),
            Vector("x", "", 0.0),
            Vector(None, "x", None, status="missing_actual"),
        ),
    ),
    "error_rate": Contract(
        reference=error_rate,
        formula="Inserted, deleted and replaced words (or characters) divided by the number of those of the "
        "reference.",
        edge_cases=(
            NULLS,
            "Words stand between blanks; case and punctuation count. Blanks at the ends do not.",
            "A reference without words is an error (empty_reference), unless the output has none either: 0.0.",
            "More errors than words give a rate above 1. An empty output has the rate 1.",
            TOO_LONG,
            TEXTS,
        ),
        golden=(
            Vector("the cat sat", "the cat sat", 0.0),
            Vector("the cat", "the cat sat", 1 / 3, why="one missing of three"),
            Vector("the dog sat down", "the cat sat", 2 / 3, why="one replaced, one more"),
            Vector("", "the cat", 1.0),
            Vector("a b c d", "x", 4.0, why="one replaced, three more, of one"),
            Vector("kitten", "sitting", 3 / 7, None, {"unit": "character"}),
            Vector("The cat", "the cat", 0.5),
            Vector("The cat", "the cat", 0.0, True, {"case_sensitive": False, "threshold": 0.1}),
            Vector("the dog", "the cat", 0.5, False, {"threshold": 0.1}),
            Vector("x", " ", None, status="error", why="nothing to divide by"),
            Vector("x", None, None, status="missing_expected"),
        ),
    ),
    "label": Contract(
        reference=label,
        formula="1.0, and passed, if both sides are the same label, without blanks at their ends, else 0.0.",
        edge_cases=(
            NULLS,
            "Case does not count unless case_sensitive is set.",
            "With a list of labels an output outside them is wrong, and a reference outside them an error "
            "(unknown_label).",
            "The reading step “choice” finds the label in a longer answer.",
            TOO_LONG,
            TEXTS,
        ),
        golden=(
            Vector("spam", "spam", 1.0, True),
            Vector("ham", "spam", 0.0, False),
            Vector(" Spam\n", "spam", 1.0, True),
            Vector("Spam", "spam", 0.0, False, {"case_sensitive": True}),
            Vector("It is spam", "spam", 0.0, False, why="the whole text is the label"),
            Vector("eggs", "spam", 0.0, False, {"labels": ["spam", "ham"]}),
            Vector("SPAM", "spam", 1.0, True, {"labels": ["Spam", "ham"]}),
            Vector("spam", "eggs", None, None, {"labels": ["spam", "ham"]}, status="error"),
            Vector(None, "spam", None, status="missing_actual"),
        ),
    ),
    "check": Contract(
        reference=check,
        is_alone=True,
        formula="1.0, and passed, if the output keeps to the rule, else 0.0.",
        edge_cases=(
            "If the output is null, there is no score: missing_actual.",
            "Phrases lose the blanks at their ends; blank ones do not count. Without any the example is an error "
            "(no_phrases).",
            "not_contain passes only if none of the phrases occurs.",
            "Patterns are in RE2 syntax and match anywhere; case counts only if case_sensitive is set.",
            TOO_LONG,
            TEXTS,
        ),
        golden=(
            Vector(
                "We recommend our own.", None, 1.0, True, {"must": "not_contain", "phrases": "Acme|Globex"}
            ),
            Vector(
                "Some like the globex one.",
                None,
                0.0,
                False,
                {"must": "not_contain", "phrases": "Acme|Globex"},
            ),
            Vector("red and blue", None, 0.0, False, {"phrases": ["red", "green"]}),
            Vector("red and blue", None, 1.0, True, {"phrases": ["red", "green"], "mode": "any"}),
            Vector("RED", None, 0.0, False, {"phrases": "red", "case_sensitive": True}),
            Vector("a|b", None, 1.0, True, {"phrases": "a|b", "separator": None}),
            Vector("x", None, None, None, {"phrases": " | "}, status="error"),
            Vector("order 4711", None, 1.0, True, {"must": "match", "pattern": "[0-9]{4}"}),
            Vector("order 4711", None, 0.0, False, {"must": "not_match", "pattern": "[0-9]{4}"}),
            Vector("four", None, 1.0, True, {"must": "length", "minimum": 2, "maximum": 4}),
            Vector("one two three", None, 0.0, False, {"must": "length", "maximum": 2, "unit": "word"}),
        ),
    ),
    "retrieval": Contract(
        reference=retrieval,
        reads_json=True,
        formula="Over the first k ids of the list: recall, relevant ones found by all relevant; precision, found "
        "by k; hit, "
        "whether any; mrr, one by the rank of the first; map, the mean precision at each found, by all "
        "relevant; ndcg, the "
        "sum of gains by log₂(rank + 1), divided by that of the best order.",
        edge_cases=(
            NULLS,
            "The output is a list, a JSON text of one, or an id a line; objects count by their member id. Of "
            "equal ids the "
            "first counts.",
            "The reference is a list of relevant ids, or an object with the grade of each, from 0 to 100; "
            "grades of at "
            "least 1 are relevant. If none is, the example has no reference (missing_expected).",
            "Grades that are no numbers are an error (invalid_grades).",
            TOO_LONG,
        ),
        golden=(
            Vector(["a", "b", "c"], ["a", "c"], 1.5 / (1 + 1 / log2(3)), why="(1 + 1/2) / (1 + 1/log₂3)"),
            Vector(["a", "b", "c"], ["a", "c", "d"], 2 / 3, None, {"measure": "recall"}),
            Vector(["a", "b", "c"], ["a", "c"], 0.2, None, {"measure": "precision"}, why="2 of the first 10"),
            Vector(["a", "b", "c"], ["a", "c"], 2 / 3, None, {"measure": "precision", "k": None}),
            Vector(["b", "a"], ["a"], 0.5, None, {"measure": "mrr"}),
            Vector(["b", "a", "c"], ["a", "c"], 7 / 12, None, {"measure": "map"}, why="(1/2 + 2/3) / 2"),
            Vector(["b", "a"], ["a"], 0.0, False, {"measure": "hit", "k": 1, "threshold": 1.0}),
            Vector(
                ["b", "a"],
                {"a": 2, "b": 1},
                (1 + 3 / log2(3)) / (3 + 1 / log2(3)),
                None,
                {"gain": "exponential"},
            ),
            Vector("b\na\n", '["a"]', 1 / log2(3), why="a is second"),
            Vector([{"id": 7}], [7], 1.0),
            Vector(["a"], ["a"], 1.0, True, {"measure": "hit", "threshold": 1.0}),
            Vector([], ["a"], 0.0),
            Vector(["a"], [], None, status="missing_expected"),
            Vector(["a"], {"a": "high"}, None, status="error"),
        ),
    ),
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
            Vector("x", "weather", None, status="error"),
        ),
    ),
    "json_fields": Contract(
        reference=json_fields,
        reads_json=True,
        formula="The fields of the reference that are right in the output, divided by the fields of the "
        "reference (share and "
        "recall), of the output (precision), or by half of both (f1). A field is a value that is no "
        "object and no list.",
        edge_cases=(
            NULLS,
            "An output that is not JSON has no field right. A missing field is wrong; one too many costs "
            "precision and f1.",
            "number reads numbers in texts too and allows a tolerance; date compares the day of ISO dates; "
            "similarity is that of edits of texts, or of JSON texts, in which 1 and 1.0 differ; ignore leaves a "
            "field out on both sides.",
            "An empty object or list is one field. Where one side has a value and the other an object or list, the "
            "fields of the reference are missing, and those of the output are too many.",
            "Lists of more than 200 members are paired by position.",
            "A reference that is not JSON is an error (invalid_json).",
            TOO_LONG,
        ),
        golden=(
            Vector('{"zip":"8010","name":"Ann","city":"Graz"}', PERSON, 1.0),
            Vector({"name": "Ann", "city": "Graz"}, PERSON, 2 / 3, why="zip is missing"),
            Vector({"name": "Ann", "city": "Steyr", "zip": "4400", "phone": "1"}, PERSON, 1 / 3),
            Vector(
                {**PERSON, "phone": "1"}, PERSON, 0.75, None, {"measure": "precision"}, why="3 of 4 given"
            ),
            Vector({**PERSON, "phone": "1"}, PERSON, 6 / 7, None, {"measure": "f1"}, why="3 / ((3 + 4) / 2)"),
            Vector("no JSON", PERSON, 0.0, False, {"threshold": 0.5}),
            Vector(PERSON, PERSON, 1.0, True, {"threshold": 1.0}),
            Vector(
                {"n": "10.4"}, {"n": 10}, 1.0, None, {"rules": {"$.n": {"rule": "number", "tolerance": 0.5}}}
            ),
            Vector(
                {"d": "2026-03-01T10:00:00"},
                {"d": "2026-03-01"},
                1.0,
                None,
                {"rules": {"$.d": {"rule": "date"}}},
            ),
            Vector({"a": 1, "b": 2}, {"a": 1, "b": 3}, 1.0, None, {"rules": {"$.b": {"rule": "ignore"}}}),
            Vector({"lines": [{"id": 2, "n": 5}, {"id": 1, "n": 2}]}, LINES, 0.0, why="by position"),
            Vector({"lines": [{"id": 2, "n": 5}, {"id": 1, "n": 2}]}, LINES, 1.0, None, {"lists": "best"}),
            Vector(
                {"lines": [{"id": 2, "n": 6}]}, LINES, 0.25, None, {"lists": "id"}, why="id of the second"
            ),
            Vector(
                {"a": 1, "b": [{"c": 1}, {"c": 2}]},
                {"a": 1, "b": []},
                1 / 3,
                None,
                {"measure": "precision"},
                why="b has two fields too many",
            ),
            Vector({"a": 1, "b": 5}, {"a": 1, "b": {"c": 5}}, 0.5, None, {"measure": "precision"}),
            Vector({"a": 1}, "{", None, status="error"),
        ),
    ),
}
