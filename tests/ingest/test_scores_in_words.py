"""Scores that are written as degrees or percentages beside two answers."""

import io
from itertools import cycle

import pytest

from evaluations import ingest
from tests.ingest.test_guesses import guessed

TEXTS = ["You end contract {} in writing, with notice.", "Contract {} ends on your page of contracts."]


def roles(first, second):
    lines = ["id,question,Answer v1,Answer v2,Quality v1,Quality v2"]
    for n, (one, other) in enumerate(zip(cycle(first), [*second] * 8, strict=False)):
        answers = ",".join(text.format(n).replace(",", "") for text in TEXTS)
        lines.append(f"{n},How do I end contract {n}?,{answers},{one},{other}")
    seen = ingest.preview(io.BytesIO("\n".join(lines).encode()), "rated.csv", limits=ingest.Limits())
    return {name: guess.role for name, guess in seen.guesses.items() if name.startswith("Quality")}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            ["trifft zu", "teils/teils", "trifft eher nicht zu"],
            ["trifft voll zu", "teils/teils", "trifft eher zu"],
        ),
        (["strongly agree", "Neutral", "disagree"], ["agree", "strongly disagree", "neutral"]),
        (["85 %", "62 %", "70%"], ["91 %", "12.5 %", "33 %"]),
    ],
)
def test_they_are_scores_of_the_answers(first, second):
    assert roles(first, second) == {"Quality v1": "score", "Quality v2": "score"}


def test_ticks_of_people_who_also_say_partly_are_scores():
    rows = [
        {
            "Customer question": f"How do I end contract {n}?",
            "Expected answer (FAQ)": TEXTS[0].format(n),
            "Answer v3": f"Thank you for your question! {TEXTS[0].format(n)}",
            "v3 OK?": ("yes", "no", "partly")[n % 3],
            "Answer v4": TEXTS[1].format(n),
            "v4 OK?": ("yes", "yes", "no", "partly")[n % 4],
        }
        for n in range(40)
    ]

    found = guessed(*rows)

    assert (found["v3 OK?"], found["v4 OK?"]) == ("score", "score")


def test_other_words_are_none():
    assert "score" not in roles(["north", "neutral", "south"], ["east", "neutral", "west"]).values()


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [("現行ボットの回答", "生成AIボットの回答", "判定"), ("旧系统回复", "新系统回复", "对错")],
)
def test_verdicts_behind_names_without_blanks_are_scores_of_these_answers(first, second, verdict):
    rows = [
        {"質問": f"休暇は何日ですか？その{n}"}
        | {
            key: value
            for name, by in ((first, 3), (second, 5))
            for key, value in ((name, f"{n % 4}日です。"), (f"{name} {verdict}", "○△×"[n * by % 7 % 3]))
        }
        for n in range(40)
    ]

    found = guessed(*rows)

    assert [found[name] for name in (first, second)] == ["output", "output"]
    assert [found[f"{name} {verdict}"] for name in (first, second)] == ["score", "score"]
