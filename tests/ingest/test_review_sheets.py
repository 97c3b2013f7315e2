"""Sheets in which people said something of the answers of two systems, as teams keep them."""

import pytest

from .test_guesses import guessed

THINGS = [
    f"{colour} {thing}"
    for colour in ("red", "blue", "old", "new")
    for thing in ("lamp", "tent", "app", "pot")
]


def sheet(**columns):
    """Rows of a question and two answers with the columns, each of one function of the row."""
    return [
        {
            "Question": f"Where do I find the {thing} that I saw yesterday?",
            **{name: make(n, thing) for name, make in columns.items()},
        }
        for n, thing in enumerate(THINGS)
    ]


def answer(text):
    return lambda n, thing: f"{text} the {thing} stands on the second shelf, next to the stairs."


def test_marks_in_words_behind_answers_are_scores_of_these():
    marks = ["OK", "Partly", "Missed", "Wrong"]
    rows = sheet(
        **{
            "Answer key": lambda n, thing: f"second shelf {n % 5}",
            "Lexscan": lambda n, thing: f"second shelf {n % 4}",
            "Lexscan – mark": lambda n, thing: marks[n % 4],
            "ClauseIQ": lambda n, thing: f"second shelf {n % 6}",
            "ClauseIQ – mark": lambda n, thing: marks[n % 3],
        }
    )

    found = guessed(*rows)

    assert (found["Lexscan – mark"], found["ClauseIQ – mark"]) == ("score", "score")
    assert found["Lexscan"] == found["ClauseIQ"] == "output"


def test_letters_in_columns_named_after_people_are_votes():
    rows = sheet(
        **{
            "Output A (v6)": answer("Hello,"),
            "Output B (v7)": answer("Good day,"),
            "Mia": lambda n, thing: "ABb="[n % 4],
            "Tom": lambda n, thing: ["B", "A", "tie", ""][n % 4],
        }
    )

    found = guessed(*rows)

    assert (found["Mia"], found["Tom"]) == ("preferred", "preferred")


def test_a_column_of_letters_beside_texts_of_no_sides_is_no_vote():
    rows = sheet(Bot=answer("Hello,"), Assistant=answer("Good day,"), Group=lambda n, thing: "AB"[n % 2])

    assert guessed(*rows)["Group"] != "preferred"


@pytest.mark.parametrize("unsaid", ["NC", "n/a", "–"])
def test_a_rating_may_be_left_open_in_words(unsaid):
    rows = sheet(
        **{
            "Réponse actuelle": answer("Bonjour,"),
            "Note actuelle /5": lambda n, thing: [3, "4,5", unsaid, 2][n % 4],
            "Réponse Mistral": answer("Bonsoir,"),
            "Note Mistral /5": lambda n, thing: [4, unsaid, "2,5", 5][n % 4],
        }
    )

    found = guessed(*rows)

    assert (found["Note actuelle /5"], found["Note Mistral /5"]) == ("score", "score")


def test_ranks_are_better_when_less_and_what_texts_are_about_is_not_right():
    rows = sheet(
        **{
            "Product": lambda n, thing: thing.split()[1],
            "Copy old": answer("Buy it:"),
            "Copy new": answer("You need it:"),
            "Rank old": lambda n, thing: 1 + n % 2,
            "Rank new": lambda n, thing: 2 - n % 2,
        }
    )

    found = guessed(*rows)

    assert (found["Rank old"], found["Rank new"]) == ("low score", "low score")
    assert found["Product"] != "reference"


def test_grades_of_a_teacher_are_right_and_the_text_of_the_pupil_was_graded():
    rows = sheet(
        **{
            "Respuesta del alumno": answer("Creo que"),
            "Nota profesora": lambda n, thing: [5, 7.5, 8, 3, 6.5][n % 5],
            "ChatGPT": lambda n, thing: [6, 7.5, 8.5, 3, 6][n % 5],
            "Gemini": lambda n, thing: [5, 7, 8, 3.5, 6.5][n % 5],
        }
    )

    found = guessed(*rows)

    assert (found["Nota profesora"], found["ChatGPT"], found["Gemini"]) == ("reference", "output", "output")
    assert found["Respuesta del alumno"] == "inputs"


def test_a_post_edited_text_is_right_for_translations_that_are_numbered():
    rows = sheet(
        **{
            "MT1 DeepL": answer("Well,"),
            "MT2 Google": lambda n, thing: f"Good, the {thing} is on a second board, beside the stair.",
            "Final (post-edited)": answer("Good,"),
        }
    )

    found = guessed(*rows)

    assert found["Final (post-edited)"] == "reference"
    assert found["MT1 DeepL"] == found["MT2 Google"] == "output"


def test_an_answer_beside_marks_of_a_teacher_and_of_prompts_was_graded():
    rows = sheet(
        **{
            "Answer": answer("I think"),
            "Teacher mark": lambda n, thing: [6, 7, 2, 9, 4, 8][n % 6],
            "Prompt 1 (simple)": lambda n, thing: [5, 7, 3, 9, 6, 8][n % 6],
            "Prompt 2 (scheme)": lambda n, thing: [6, 7, 2, 8, 4, 8][n % 6],
        }
    )

    assert [*guessed(*rows).values()] == ["inputs", "inputs", "reference", "output", "output"]
