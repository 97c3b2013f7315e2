"""What helps to choose an evaluator: rows of the data that it scores."""

from evaluations.kinds import evidence
from evaluations.kinds.evidence import Pair


def test_the_shown_rows_differ_where_the_data_do():
    pairs = [Pair("returns", "returns")] * 6 + [Pair("billing", "returns"), Pair("account", "account")]

    shown = evidence.evidence("exact_match", pairs)

    assert shown is not None
    assert len({*shown.rows}) == 3


def test_rows_of_data_without_three_different_ones_are_repeated():
    shown = evidence.evidence("exact_match", [Pair("yes", "yes")] * 4)

    assert shown is not None
    assert shown.rows == [("yes", "yes")] * 3


def test_the_shown_outputs_differ_where_the_data_have_others():
    wrong = [Pair("I do not know", city) for city in ("Warsaw", "Paris", "Lima")]
    pairs = [*wrong, Pair("Rome", "Rome"), Pair("Oslo", "Oslo")]

    shown = evidence.evidence("exact_match", pairs)

    assert shown is not None
    assert len({output for output, _ in shown.rows}) == 3


def test_the_shown_rows_are_those_on_which_evaluators_differ():
    same = [Pair(city, city) for city in ("Rome", "Oslo", "Bern")]
    pairs = [*same, Pair("lima", "Lima"), Pair("It is Paris", "Paris")]

    shown = evidence.evidence("contains", pairs)

    assert shown is not None
    assert {*shown.rows[:2]} == {("lima", "Lima"), ("It is Paris", "Paris")}


def test_what_little_a_wrong_row_differs_in_is_said_and_counted():
    near = [Pair(city.lower(), city) for city in ("Rome", "Oslo", "Bern")]

    shown = evidence.evidence("exact_match", [*near, Pair("Paris.", "Lima")])

    assert shown is not None
    assert dict(zip(shown.rows, shown.near, strict=True))["rome", "Rome"] == "letter case"
    assert shown.slips == ("letter case", 3, 4)


def test_a_few_slips_among_real_mistakes_are_not_counted():
    wrong = [Pair("no idea", city) for city in ("Rome", "Oslo", "Bern")]

    shown = evidence.evidence("exact_match", [*wrong, Pair("lima", "Lima")])

    assert shown is not None
    assert shown.slips is None
