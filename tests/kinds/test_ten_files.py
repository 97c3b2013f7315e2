"""Ten files in the shapes of public data sets: with the advised kind, the variant that is right more often leads.

In each, one variant is right in other words, and the other is wrong in the words of the reference.
"""

import json
from collections.abc import Callable, Sequence

import pytest

from evaluations.kinds import get
from evaluations.kinds.advising import advise
from evaluations.kinds.evidence import evidence
from evaluations.values import JSON, Column

ROWS = 24
File = tuple[list[JSON], list[JSON], list[JSON]]  # references, right answers, wrong answers


def file(row: Callable[[int], tuple[JSON, JSON, JSON]]) -> File:
    references, right, wrong = zip(*map(row, range(ROWS)), strict=True)
    return list(references), list(right), list(wrong)


def maths(n: int) -> tuple[JSON, JSON, JSON]:
    steps = f"She sells {n} eggs and buys {n + 3} more.\n#### "
    return f"{steps}{2 * n + 3}", f"Altogether that makes {2 * n + 3}.", f"{steps}{2 * n + 4}"


def letters(n: int) -> tuple[JSON, JSON, JSON]:
    return "ABCD"[n % 4], "ABCD"[n % 4], "ABCD"[(n + 1) % 4]


def yes_and_no(n: int) -> tuple[JSON, JSON, JSON]:
    answer, other = ("yes", "no") if n % 2 else ("no", "yes")
    return answer, f"{answer.title()}, the passage says so in its second sentence.", f"{other}"


def sentiment(n: int) -> tuple[JSON, JSON, JSON]:
    labels = ["positive", "negative", "neutral"]
    return labels[n % 3], labels[n % 3].title(), labels[(n + 1) % 3]


def names(n: int) -> tuple[JSON, JSON, JSON]:
    return f"Person{n}", f"Person{n}", f"Person{n + 1}"


def spans(n: int) -> tuple[JSON, JSON, JSON]:
    return f"in the year {n} of the flood", f"the flood, in the year {n}", "in a year before the first peace"


def summaries(n: int) -> tuple[JSON, JSON, JSON]:
    fact = (
        f"The council of town {n} voted on Monday to close the old bridge for repairs until the next spring"
    )
    other = f"A football club in region {n} has signed two players and hopes to return to the first division"
    return f"{fact}.", f"On Monday {fact[4:]}, officials said.", f"{other}."


def extraction(n: int) -> tuple[JSON, JSON, JSON]:
    order = {"order": f"A-{n}", "total": n * 1.5, "city": "Rome"}
    right = json.dumps(dict(reversed(order.items())), indent=1)
    return order, right, json.dumps(order | {"total": n * 1.5 + 1})


def calls(n: int) -> tuple[JSON, JSON, JSON]:
    call = {"name": "weather", "arguments": {"city": f"City {n}", "days": 3}}
    return [call], [call], [call | {"arguments": {"city": f"City {n + 1}", "days": 3}}]


def prices(n: int) -> tuple[JSON, JSON, JSON]:
    return n * 100 + 50, f"The price is {n * 100 + 50}.00 EUR", f"{n * 100 + 51}"


FILES = [maths, letters, yes_and_no, sentiment, names, spans, summaries, extraction, calls, prices]


def mean(kind: str, outputs: Sequence[JSON], references: Sequence[JSON]) -> float:
    columns = {"actual": Column(outputs), "expected": Column(references)}
    return float(get(kind).evaluate(get(kind).parse({}), columns).values.mean())


def leads_rightly(row: Callable[[int], tuple[JSON, JSON, JSON]]) -> bool:
    references, right, wrong = file(row)
    advised = advise(references, right + wrong)
    return mean(advised.kind, right, references) > mean(advised.kind, wrong, references)


def test_nine_of_ten_headlines_are_about_the_right_thing():
    assert sum(map(leads_rightly, FILES)) >= 9


def test_distance_of_letters_would_have_led_readers_astray():
    references, right, wrong = file(maths)
    assert mean("levenshtein_similarity", right, references) < mean(
        "levenshtein_similarity", wrong, references
    )


@pytest.mark.parametrize("row", [maths, sentiment, spans, summaries, prices])
def test_three_rows_part_the_kinds(row):
    references, right, wrong = file(row)
    kind = advise(references, right + wrong).kind
    shown = evidence(kind, [*zip(right, references, strict=True), *zip(wrong, references, strict=True)])

    assert len(shown.rows) == 3
    advised = shown.lines[0].values
    assert max(advised) > min(advised)
    assert all(len(line.values) == 3 for line in shown.lines)


def test_rows_that_other_kinds_misjudge_say_so():
    references, right, wrong = file(maths)
    pairs = [*zip(right, references, strict=True), *zip(wrong, references, strict=True)]

    lines = {line.title: line for line in evidence("numeric_match", pairs).lines}

    assert lines["Levenshtein similarity"].remarks[:2] == ["right, but low", "wrong, but high"]


def test_two_rows_are_no_evidence():
    assert evidence("numeric_match", [("1", "1"), ("2", "3")]) is None
