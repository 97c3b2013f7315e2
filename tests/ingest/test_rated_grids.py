"""Forms with a rating of each system in brackets."""

from tests.ingest.test_guesses import guessed

SCALE = ("1 - useless", "2", "3", "4", "5 - ready to send")


def form(marks, question="Which would you send?"):
    return [
        {"Time": f"11.11.2024 09:{n:02}", "Which letter did you read?": f"Letter number {n % 17}"}
        | {f"How good is it? [{mark}]": SCALE[(n * k + n // 3) % 5] for k, mark in enumerate(marks, 1)}
        | {f"Is it natural? [{mark}]": 1 + (n + k) % 5 for k, mark in enumerate(marks, 1)}
        | {question: marks[n % 5 % 2] if n % 11 else "Neither of the two"}
        for n in range(40)
    ]


def test_ratings_of_systems_in_brackets_are_scores_without_answers():
    found = guessed(*form(("Copilot", "Gemini")))

    assert {found[name] for name in found if "[" in name} == {"score"}
    assert found["Which letter did you read?"] == "inputs"
    assert found["Which would you send?"] == "leave out"


def test_qualities_in_brackets_are_no_systems():
    rows = [
        row | {"Which would you send?": f"Draft {n % 3}"} for n, row in enumerate(form(("Tone", "Length")))
    ]

    assert "score" not in {role for name, role in guessed(*rows).items() if "natural" in name}
