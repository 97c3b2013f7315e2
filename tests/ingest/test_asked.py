"""What was asked, where no column is named so."""

import pytest

from .test_guesses import guessed

THINGS = [
    f"{colour} {thing}"
    for colour in ("red", "blue", "old", "new")
    for thing in ["lamp", "knob", "tent", "app", "pot", "key"]
]


def test_what_stands_before_texts_with_scores_was_asked():
    rows = [
        {
            "#": n,
            "Persona": ["parent", "student"][n % 2],
            "Product": ["tent", "app", "kettle"][n % 3],
            "Prompt v1": f"Buy the {THINGS[n]} for your long and happy weekend.",
            "Prompt v1 Score": 1 + n % 4,
            "Prompt v2": f"A {THINGS[n]} is what you need when the weekend is long.",
            "Prompt v2 Score": 2 + n % 4,
        }
        for n in range(24)
    ]

    found = guessed(*rows)

    assert [name for name, role in found.items() if role == "inputs"] == ["Persona", "Product"]


def test_a_text_beside_each_answer_is_not_what_is_right():
    rows = [
        {
            "Seg": n,
            "Source": f"Press the red {THINGS[n]} twice and wait for the lamp.",
            "Old MT": f"Drücken Sie den roten Knopf {THINGS[n]} zweimal und warten Sie lange.",
            "Old PE": f"Drücken Sie den roten Knopf {THINGS[n]} zweimal und warten Sie auf die Lampe.",
            "Old HTER": [0.1, 0.2, 0.25][n % 3],
            "New MT": f"Drücken Sie den roten Knopf {THINGS[n]} zweimal und warten Sie auf das Licht.",
            "New PE": f"Drücken Sie den roten Knopf {THINGS[n]} zweimal und warten Sie auf die Lampe.",
            "New HTER": [0.0, 0.1, 0.05][n % 3],
        }
        for n in range(24)
    ]

    found = guessed(*rows)

    assert "reference" not in found.values()
    assert [name for name, role in found.items() if role == "low score"] == ["Old HTER", "New HTER"]


@pytest.mark.parametrize(
    "names", [("reply_a", "reply_b"), ("Draft 1", "Draft 2"), ("Antwort A", "Antwort B")]
)
def test_texts_named_as_answers_with_a_mark_answer_the_texts_before_them(names):
    rows = [
        {
            "Post": f"My {THINGS[n]} does not work since Monday.",
            names[0]: f"Please send the {THINGS[n]} back to us.",
            names[1]: f"We are sorry. Switch the {THINGS[n]} off and on again.",
        }
        for n in range(24)
    ]

    assert guessed(*rows) == {"Post": "inputs", names[0]: "output", names[1]: "output"}


def test_several_answers_to_a_question_alone_may_all_be_right():
    rows = [
        {
            "question": f"What is {THINGS[n]}?",
            "answer_a": f"A {THINGS[n]} tool",
            "answer_b": f"One {THINGS[n]} part",
        }
        for n in range(24)
    ]

    assert "output" not in guessed(*rows).values()
