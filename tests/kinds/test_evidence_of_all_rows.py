"""What an evaluator finds is told by all rows that were looked at, not by the three that are shown."""

from evaluations.kinds.evidence import Pair, evidence

ALIKE = [Pair(town, town) for town in ("Rome", "Oslo", "Paris", "Lima", "Quito", "Bern")]
DIFFERING = [
    Pair("I am quite sure that you mean Kingston, am I right?", "Kingston"),
    Pair("Montevideu", "Montevideo"),
    Pair("Bratislava.", "Bratislava"),
]


def test_a_kind_that_finds_nothing_in_the_shown_rows_may_find_many_others():
    found = evidence("contains", [*DIFFERING, *ALIKE])

    [exact] = [line for line in found.lines if line.kind == "exact_match"]
    assert not any(exact.values)
    assert not exact.finds_nothing


def test_a_kind_that_finds_nothing_in_all_rows_is_told():
    found = evidence("contains", DIFFERING * 3)

    assert [line.finds_nothing for line in found.lines if line.kind == "exact_match"] == [True]
