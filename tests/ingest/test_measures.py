"""Columns of what answers took: their time, tokens and cost, by their names and numbers."""

import io
import json

from evaluations import ingest
from tests.ingest.test_guesses import guessed

ASKED = [{"question": f"What is {n} + {n}?", "expected": str(2 * n)} for n in range(1, 31)]


def told(**columns):
    """The roles of columns with these values, beside one output."""
    rows = [
        {**row, "output": row["expected"] if n % 3 else "0"}
        | {name: make(n) for name, make in columns.items()}
        for n, row in enumerate(ASKED)
    ]
    return {name: role for name, role in guessed(*rows).items() if name in columns}


def test_time_tokens_and_cost_of_the_only_output_are_what_its_answers_took():
    assert told(
        latency_ms=lambda n: 300 + n,
        prompt_tokens=lambda n: 40 + n,
        completion_tokens=lambda n: 9 + n,
        cost_usd=lambda n: 0.0002 * n,
    ) == {
        "latency_ms": "latency_ms",
        "prompt_tokens": "tokens_in",
        "completion_tokens": "tokens_out",
        "cost_usd": "cost",
    }


def test_the_size_of_times_tells_their_unit_where_the_name_does_not():
    assert told(latency=lambda n: 0.4 + n / 50) == {"latency": "latency_s"}
    assert told(latency=lambda n: 350 + n) == {"latency": "latency_ms"}
    assert told(latency=lambda n: 20 + n).get("latency") in (None, "metadata")


def test_what_is_about_the_example_is_no_measure_of_the_answer():
    found = told(
        audio_duration_s=lambda n: 3.5 + n, max_tokens=lambda n: 20 + n, unit_cost=lambda n: 900 + 10 * n
    )
    assert not {*found.values()} & {"latency_s", "tokens", "cost"}


def test_each_of_two_outputs_has_its_own_time():
    rows = [
        {**row, "answer A": row["expected"] if n % 3 else "1", "answer B": row["expected"] if n % 2 else "0"}
        | {
            "latency A": 300 + n,
            "latency B": 900 + n,
            "completion_tokens A": 9 + n,
            "completion_tokens B": 30 + n,
        }
        for n, row in enumerate(ASKED)
    ]
    found = guessed(*rows)

    assert found["latency A"] == found["latency B"] == "latency_ms"
    assert found["completion_tokens A"] == found["completion_tokens B"] == "tokens_out"


def test_the_words_of_a_variant_say_nothing_of_its_measures():
    rows = [
        {
            **row,
            "prompt_v1": row["expected"] if n % 3 else "1",
            "prompt_v2": row["expected"] if n % 2 else "0",
        }
        | {f"prompt_v{at}_latency_ms": 300 * at + n for at in (1, 2)}
        | {f"prompt_v{at}_completion_tokens": 9 * at + n for at in (1, 2)}
        for n, row in enumerate(ASKED)
    ]
    found = guessed(*rows)

    assert found["prompt_v1_latency_ms"] == found["prompt_v2_latency_ms"] == "latency_ms"
    assert found["prompt_v1_completion_tokens"] == found["prompt_v2_completion_tokens"] == "tokens_out"


def test_error_rates_belong_to_the_outputs_whose_first_words_they_have():
    rows = [
        {
            "clip": f"a_{n}.wav",
            "reference": f"we met at number {n} today",
            "WER Whisper": n % 4 / 9,
            "WER Nova-2": n % 3 / 9,
        }
        | {
            "Whisper large-v3": f"we met at number {n} to day",
            "Nova-2 phonecall": f"we met at number {n} today",
        }
        for n in range(30)
    ]

    found = guessed(*rows)

    assert (found["WER Nova-2"], found["WER Whisper"]) == ("low score", "low score")


def test_the_longest_name_of_a_variant_tells_whose_cost_it_is():
    rows = [
        row
        | {
            f"{name}_answer": row["expected"] if n % share else "1"
            for name, share in (("small", 2), ("small_fewshot", 3), ("large", 4))
        }
        | {"small_cost": 0.001 + n / 1e5, "small_fewshot_cost": 0.002 + n / 1e5}
        for n, row in enumerate(ASKED)
    ]

    content = "\n".join(map(json.dumps, rows)).encode()

    guesses = ingest.preview(io.BytesIO(content), "rows.jsonl", limits=ingest.Limits()).guesses

    found = {name: guess.variant for name, guess in guesses.items() if guess.role == "cost"}
    assert found == {"small_cost": "small_answer", "small_fewshot_cost": "small_fewshot_answer"}
