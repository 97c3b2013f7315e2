"""The kind `regex_match` and patterns that take long."""

import sys

MODULE = sys.modules["evaluations.kinds.regex_match"]  # `kinds.regex_match` is the kind
HEAVY = "(a?){1000}" * 3  # 12 005 instructions
LONG = "a" * 90_000


def test_a_pattern_too_large_for_a_text_fails_only_that_row(evaluate):
    scores = evaluate("regex_match", [(LONG, "x"), ("a", "x")], pattern=HEAVY)

    assert scores.messages == {0: "pattern_limit: The pattern is too large for a text of this length."}
    assert scores.values.tolist()[1] == 1.0


def test_rows_that_are_left_when_the_time_is_used_up_fail(evaluate, monkeypatch):
    monkeypatch.setattr(MODULE, "SECONDS", -1.0)

    scores = evaluate("regex_match", [("a", "a"), ("b", "b")], source="expected")

    slow = "pattern_limit: The patterns of earlier examples took more than -1 seconds."
    assert scores.messages == {0: slow, 1: slow}


def test_a_common_pattern_needs_no_clock(evaluate, monkeypatch):
    monkeypatch.setattr(MODULE, "SECONDS", -1.0)

    assert evaluate("regex_match", [("order 4711", "x")] * 4_000, pattern=r"\d+").messages == {}


def test_explaining_a_row_takes_no_longer_than_scoring_it(explain):
    detail = explain("regex_match", LONG, "x", pattern=HEAVY)

    assert detail["note"] == "pattern_limit: The pattern is too large for a text of this length."
