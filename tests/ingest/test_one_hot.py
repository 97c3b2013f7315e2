"""Columns of zeros and ones of which one is 1 in each row name the better answer, or a tie."""

import io
import json

import pytest

from evaluations import ingest

MODELS = ("yi-34b", "qwen-7b", "olmo-7b")


def read(rows):
    content = io.BytesIO("\n".join(map(json.dumps, rows)).encode())
    fmt = ingest.sniff(content, "rows.jsonl", limits=ingest.Limits())
    assert ingest.Format.from_dict(json.loads(json.dumps(fmt.as_dict()))) == fmt
    return ingest.preview(content, "rows.jsonl", limits=ingest.Limits())


def battles(names, chosen):
    return [
        {
            "prompt": f"Tell me {n} things",
            "model_a": MODELS[n % 3],
            "model_b": MODELS[(n + 1) % 3],
            "text_a": f"The {n} best things",
            "text_b": f"No {n} things at all",
            **{name: int(chosen(n) == place) for place, name in enumerate(names)},
        }
        for n in range(24)
    ]


def test_the_winner_of_a_battle_is_the_model_or_both_in_a_tie():
    seen = read(battles(("winner_model_a", "winner_model_b", "winner_tie"), lambda n: n % 3))

    assert [row["preferred"] for row in seen.rows[:3]] == ["yi-34b", "olmo-7b", "olmo-7b = yi-34b"]
    assert seen.guesses["preferred"].role == "preferred"
    assert not any("winner" in column for column in seen.columns)
    assert "choice_in_columns" in [warning.code for warning in seen.warnings]


@pytest.mark.parametrize("tie", ["unentschieden", "pari", "egalite"])
def test_columns_of_answers_that_stay_in_place_are_compared_too(tie):
    names = ("gpt4 sieger", "llama sieger", tie)
    rows = [
        {
            "frage": f"Wie geht {n} auf dem Amt?",
            "gpt4 antwort": f"Man geht {n} mal hin und fragt.",
            "llama antwort": f"Keine Ahnung, frag {n} andere Leute.",
            **{name: "true" if n % 3 == place else "false" for place, name in enumerate(names)},
        }
        for n in range(24)
    ]
    seen = read(rows)

    assert [row["preferred"] for row in seen.rows[:3]] == ["gpt4", "llama", "tie"]
    assert {name: guess.role for name, guess in seen.guesses.items()} == {
        "gpt4 antwort": "output",
        "llama antwort": "output",
        "preferred": "preferred",
    }


def test_both_may_win_where_columns_are_no_choice():
    both = [row | {"best_a": n % 2, "best_b": n % 3 % 2} for n, row in enumerate(battles((), int))]

    assert "preferred" not in read(both).columns


def test_classes_are_no_choice():
    names = ("label_spam", "label_ham", "label_other")

    assert "preferred" not in read(battles(names, lambda n: n % 3)).columns
