"""Sheets that name the better one of three texts."""

from tests.ingest.test_guesses import guessed


def test_the_winner_of_three_prompts_with_a_number_each_is_what_is_preferred():
    people, things = (
        ("retiree", "dog owner", "student", "nurse"),
        ("kettle", "lamp", "chair", "phone", "desk"),
    )
    rows = [
        {
            "#": n,
            "Persona": people[n % 4],
            "Product": things[n % 5],
            "Benefit": f"it saves {n % 7} hours a week",
        }
        | {
            key: value
            for k in (1, 2, 3)
            for key, value in (
                (f"Prompt v{k}", f"Text {k} for {n}, buy it now"),
                (f"Prompt v{k} Score", 1 + n * k % 5),
            )
        }
        | {"Winner": f"v{1 + n % 3}", "Comment": "close call" if n % 9 == 0 else None}
        for n in range(60)
    ]

    found = guessed(*rows)

    assert found["Winner"] == "preferred"
    assert [found[name] for name in ("Persona", "Product", "Benefit")] == ["inputs"] * 3
