"""Outputs of several variants inside one column, and two sides whose models change, become columns."""

import csv
import io
import json

import pytest

from evaluations import ingest
from evaluations.files.formats import Format
from tests.ingest.test_guesses import guessed

WORDS = ("river", "stone", "market", "bridge", "doctor", "garden", "winter", "letter", "engine", "island")


def seen(rows, filename="rows.jsonl", choices=None):
    content = "\n".join(map(json.dumps, rows)).encode()
    return ingest.preview(io.BytesIO(content), filename, choices, limits=ingest.Limits())


def roles(preview):
    return preview.roles | {name: guess.role for name, guess in preview.guesses.items()}


def rows_of(cell, count=30):
    return [
        {"question": f"What is {WORDS[n % 10]} {n}?", "expected": WORDS[n % 10]} | cell(n)
        for n in range(count)
    ]


def said(n, model):
    return f"It is the {WORDS[n % 10 if n % (3 if model == 'small' else 7) else 0]}, number {n}"


NAMES = ("small", "large")
FORMS = {
    "objects by model": lambda n: {"responses": {model: said(n, model) for model in NAMES}},
    "objects with fields": lambda n: {
        "results": {model: {"answer": said(n, model), "tokens": n} for model in NAMES}
    },
    "lists that name theirs": lambda n: {
        "generations": [{"model": model, "output": said(n, model), "seed": n} for model in NAMES]
    },
    "lists in another order": lambda n: {
        "candidates": [
            {"prompt_version": model, "text": said(n, model)} for model in NAMES[:: 1 - 2 * (n % 2)]
        ]
    },
    "lists beside names": lambda n: {
        "models": [*NAMES],
        "completions": [said(n, model) for model in NAMES],
    },
    "text of JSON": lambda n: {"antworten": json.dumps({model: said(n, model) for model in NAMES})},
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_each_variant_has_a_column_of_outputs(form):
    rows = rows_of(form)
    preview = seen(rows)

    assert preview.outputs == {"small": "small", "large": "large"}
    assert [row["small"] for row in preview.rows[:5]] == [said(n, "small") for n in range(5)]
    assert roles(preview)["expected"] == "reference"


def test_lists_in_which_each_variant_has_its_place_are_columns():
    preview = seen(rows_of(lambda n: {"outputs": [said(n, "small"), said(n, "large")]}))

    assert preview.outputs == {"outputs 1": "outputs 1", "outputs 2": "outputs 2"}
    assert preview.rows[4]["outputs 2"] == said(4, "large")


def test_what_is_said_about_an_output_is_named_after_its_variant():
    found = roles(
        seen(
            rows_of(
                lambda n: {
                    "answers": [
                        {"engine": model, "text": said(n, model), "rating": n % (3 + place), "note": f"n {n}"}
                        for place, model in enumerate(NAMES)
                    ]
                }
            )
        )
    )

    assert (found["small rating"], found["large rating"], found["answers"]) == ("score", "score", "leave out")


def test_objects_of_numbers_by_the_same_models_are_about_their_outputs():
    found = roles(
        seen(
            rows_of(
                lambda n: {
                    "outputs": {model: said(n, model) for model in NAMES},
                    "correct": {"small": n % 3 > 0, "large": n % 7 > 0},
                }
            )
        )
    )

    assert (found["small correct"], found["large correct"]) == ("score", "score")


OTHERS = {
    "options": lambda n: {"answers": {"A": f"a {n}", "B": f"b {n}"}, "key": "AB"[n % 2], "output": "A"},
    "criteria of a judge": lambda n: {
        "output": said(n, "small"),
        "judge": {"clarity": {"score": 3, "reason": f"r {n}"}, "tone": {"score": n % 5, "reason": f"s {n}"}},
    },
    "retrieved texts": lambda n: {
        "contexts": [{"source": "wiki", "text": f"w {n}"}, {"source": "news", "text": f"v {n}"}],
        "output": said(n, "small"),
    },
    "messages": lambda n: {
        "responses": [
            {"role": "user", "content": f"q {n}"},
            {"role": "assistant", "content": said(n, "small")},
        ]
    },
    "samples of one model": lambda n: {"generations": [said(n, "small"), said(n, "large")]},
}


@pytest.mark.parametrize("form", OTHERS.values(), ids=OTHERS.keys())
def test_other_structures_stay_as_they_are(form):
    rows = rows_of(form)

    assert seen(rows).columns == [*rows[0]]


def test_a_variant_that_is_called_as_a_column_gets_another_name():
    rows = rows_of(lambda n: {"small": n, "responses": {model: said(n, model) for model in NAMES}})
    preview = seen(rows)

    assert preview.outputs == {"small": "responses small", "large": "large"}
    assert preview.rows[3]["small"] == 3


def test_who_opens_no_objects_keeps_the_column():
    assert "small" not in seen(rows_of(FORMS["objects by model"]), choices={"opened": False}).columns


def battle(n, chat=False):
    models = NAMES[:: 1 - 2 * (n % 3 == 0)]
    asked = {"role": "user", "content": f"Tell me about {WORDS[n % 10]} {n}"}
    answers = [said(n, model) for model in models]
    if chat:
        answers = [[asked, {"role": "assistant", "content": text}] for text in answers]
    return {
        "id": n,
        "model_a": models[0],
        "model_b": models[1],
        "response_a": answers[0],
        "response_b": answers[1],
        "winner": "tie" if n % 10 == 9 else f"model_{'ab'[models.index('large' if n % 4 else 'small')]}",
    }


def test_models_that_change_sides_have_a_column_each():
    preview = seen([{"question": f"q {n}?"} | battle(n) for n in range(40)])

    assert preview.outputs == {"small": "small", "large": "large"} or preview.outputs == {
        "large": "large",
        "small": "small",
    }
    assert [row["small"] for row in preview.rows] == [said(n, "small") for n in range(20)]
    assert [row["winner"] for row in preview.rows[:5]] == ["small", "large", "large", "large", "small"]
    assert preview.rows[9]["winner"] == "large = small"
    assert roles(preview)["winner"] == "preferred"


def test_sides_of_a_table_are_read_too():
    rows = [battle(n) for n in range(40)]
    text = io.StringIO()
    writer = csv.DictWriter(text, [*rows[0]])
    writer.writeheader()
    writer.writerows(rows)

    preview = ingest.preview(io.BytesIO(text.getvalue().encode()), "battles.csv", limits=ingest.Limits())

    assert {*preview.outputs} == {*NAMES}
    assert preview.rows[0]["small"] == said(0, "small")


def test_what_both_conversations_begin_with_is_the_prompt():
    preview = seen([battle(n, chat=True) for n in range(40)])

    assert preview.rows[1]["prompt"] == "Tell me about stone 1"
    assert preview.rows[1]["large"] == said(1, "large")
    assert roles(preview)["prompt"] == "inputs"


def test_the_chosen_side_names_its_model():
    rows = [
        {
            "prompt": f"q {n}?",
            "chosen": said(n, NAMES[n % 3 % 2]),
            "chosen_model": NAMES[n % 3 % 2],
            "rejected": said(n, NAMES[1 - n % 3 % 2]),
            "rejected_model": NAMES[1 - n % 3 % 2],
        }
        for n in range(40)
    ]
    preview = seen(rows)

    assert [row["preferred"] for row in preview.rows[:3]] == ["small", "large", "small"]
    assert roles(preview)["preferred"] == "preferred"


SAID = {
    "letters": (["A", "B", "tie"], "Which is better?"),
    "words of a language without blanks": (["A", "B", "引き分け"], "どちらが良いか"),
    "sides in sentences": (["links besser", "rechts besser", "gleich gut"], "Urteil"),
    "a scale around zero": ([-2, 3, 0], "overall_preference"),
}


@pytest.mark.parametrize(("words", "column"), SAID.values(), ids=SAID.keys())
def test_what_is_said_of_sides_names_the_model(words, column):
    marks = ("links", "rechts") if "links besser" in words else ("A", "B")
    rows = [
        {"Frage": f"Was ist {WORDS[n % 10]} {n}?", column: words[n * 7 % 3]}
        | {f"Modell {mark}": NAMES[(n + place) % 2] for place, mark in enumerate(marks)}
        | {f"Antwort {mark}": said(n, NAMES[(n + place) % 2]) for place, mark in enumerate(marks)}
        for n in range(40)
    ]
    preview = seen(rows)

    expected = [
        [NAMES[n % 2], NAMES[1 - n % 2], f"{NAMES[n % 2]} = {NAMES[1 - n % 2]}"][n * 7 % 3] for n in range(20)
    ]
    assert [row[column] for row in preview.rows] == expected
    assert roles(preview)[column] == "preferred"


def test_what_most_of_several_people_say_counts():
    votes = [{"winner_1": "AB"[n % 3 % 2], "winner_2": "AB"[n % 2], "winner_3": "tie"} for n in range(40)]
    rows = [{name: value for name, value in battle(n).items() if name != "winner"} for n in range(40)]
    preview = seen([row | vote for row, vote in zip(rows, votes, strict=True)])

    majority = [rows[0]["model_a"], rows[1]["model_b"], rows[2]["model_a"]]
    assert [row["preferred"] for row in preview.rows[:3]] == majority
    assert roles(preview)["preferred"] == "preferred"
    assert roles(preview)["winner_1"] == "leave out"


def test_conversations_in_texts_begin_with_the_prompt():
    rows = [
        {
            "chosen": f"\n\nHuman: {n}?\n\nAssistant: {said(n, 'small')}",
            "rejected": f"\n\nHuman: {n}?\n\nAssistant: No, {n}.",
            "source_chosen": NAMES[n % 2],
            "source_rejected": NAMES[1 - n % 2],
        }
        for n in range(40)
    ]
    first = seen(rows).rows[0]

    assert (first["prompt"], first["small"], first["large"]) == ("0?", said(0, "small"), "No, 0.")


def test_a_model_inside_the_metadata_names_the_variant():
    rows = [
        {"input": f"q {n // 2}?", "output": said(n // 2, NAMES[n % 2])}
        | {"metadata": str({"model": NAMES[n % 2], "reference": WORDS[n // 2 % 10], "tags": ["a"]})}
        for n in range(40)
    ]
    preview = seen(rows)
    found = roles(preview)

    assert [row["model"] for row in preview.rows[:2]] == ["small", "large"]
    assert (found["reference"], found["metadata"], found["input"]) == ("reference", "leave out", "inputs")


def test_a_model_that_never_changes_stays_inside():
    rows = [{"input": f"q {n}?", "output": "a", "metadata": {"model": "small"}} for n in range(40)]

    assert seen(rows).columns == ["input", "output", "metadata"]


def test_models_that_keep_their_sides_keep_their_columns():
    rows = [battle(n) | {"model_a": "small", "model_b": "large"} for n in range(40)]

    assert "response_a" in seen(rows).columns


def test_what_a_format_makes_of_rows_is_stored_with_it():
    for rows in (rows_of(FORMS["lists that name theirs"]), [battle(n) for n in range(40)]):
        fmt = seen(rows).format
        stored = json.loads(json.dumps(fmt.as_dict()))

        assert fmt.parted or fmt.sides
        assert Format.from_dict(stored) == fmt


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        (rows_of(FORMS["objects by model"]), "outputs_by_variant"),
        ([battle(n) for n in range(40)], "sides_by_model"),
        (
            [{"q": f"{n // 2}", "output": "a", "log": {"model": NAMES[n % 2]}} for n in range(40)],
            "model_inside",
        ),
    ],
)
def test_what_was_made_of_the_rows_is_said(rows, code):
    assert code in [warning.code for warning in seen(rows).warnings]


def test_sides_that_are_objects_are_opened():
    rows = [
        {
            "prompt": f"q {n}",
            **{
                side: {"model": NAMES[(n + place) % 2], "text": said(n, NAMES[(n + place) % 2])}
                for place, side in enumerate(("left", "right"))
            },
            "vote": ["left", "right", "tie"][n * 7 % 3],
        }
        for n in range(40)
    ]
    preview = seen(rows)

    assert {*preview.outputs} == {*NAMES}
    assert roles(preview)["vote"] == "preferred"


def test_what_a_judge_said_of_an_output_is_no_output():
    found = roles(
        seen(
            rows_of(
                lambda n: {
                    "runs": {
                        model: {
                            "answer": said(n, model),
                            "judge": {
                                "verdict": ["correct", "incorrect"][n % (2 + place) % 2],
                                "reason": f"r {n}",
                            },
                            "sources": [f"d{n}"],
                            "latency_ms": n,
                        }
                        for place, model in enumerate(NAMES)
                    }
                }
            )
        )
    )

    assert [name for name, role in found.items() if role == "output"] == ["small", "large"]
    assert (found["small judge verdict"], found["large judge verdict"]) == ("score", "score")
    assert "score" not in found["small latency_ms"]


def test_what_marks_are_out_of_is_no_word_of_a_name():
    rows = [
        {
            "question": f"q {n}?",
            "réponse actuelle": f"a {n}",
            "réponse nouvelle": f"b {n}",
            "réf": f"RH{n:03}",
        }
        | {"note actuelle (/5)": f"{n % 5},5", "note nouvelle (/5)": f"{n % 4},0"}
        for n in range(40)
    ]
    found = roles(seen(rows))

    assert (found["réponse actuelle"], found["réponse nouvelle"], found["réf"]) == ("output", "output", "key")
    assert (found["note actuelle (/5)"], found["note nouvelle (/5)"]) == ("score", "score")


def test_the_prompt_is_no_right_answer_to_what_repeats_its_words():
    rows = [
        {"input_text": f"{WORDS[n % 10]} {n} {WORDS[n % 7]}", "score": (n % 5 - 2) / 2}
        | {
            f"output_text_{mark}": f"About {WORDS[n % 10]} {n}: {WORDS[(n + place) % 9]}"
            for place, mark in enumerate("ab")
        }
        for n in range(40)
    ]
    assert roles(seen(rows))["input_text"] != "reference"


def test_objects_of_one_variant_each_are_its_output_and_what_is_said_about_it():
    preview = seen(
        rows_of(
            lambda n: {
                model: {"answer": said(n, model), "human_rating": n % (3 + place), "comment": ""}
                for place, model in enumerate(("baseline", "reranker_v2"))
            }
        )
    )
    found = roles(preview)

    assert preview.outputs == {"baseline": "baseline", "reranker_v2": "reranker_v2"}
    assert preview.rows[2]["baseline"] == said(2, "baseline")
    assert (found["baseline human_rating"], found["reranker_v2 human_rating"]) == ("score", "score")
    assert preview.format.replaced == {"baseline", "reranker_v2"}


def test_a_table_of_structs_has_its_answer_in_the_one_named_so():
    rows = [
        {
            "__doc__": {
                "query": f"What is {n}?",
                "choices": [f" {WORDS[n % 10]}"],
                "gold_index": [0],
                "id": f"{n}",
            },
            "__metric__": {"extractive_match": float(n % 3 > 0)},
            "__model_response__": {"input": f"What is {n}?", "text": [said(n, "small")], "logprobs": []},
        }
        for n in range(30)
    ]
    preview = seen(rows)
    found = roles(preview)

    assert preview.outputs == {"__model_response__": "__model_response__"}
    assert preview.rows[2]["__model_response__"] == said(2, "small")
    assert [found[name] for name in ("id", "query", "choices", "gold_index")] == [
        *("key", "inputs", "reference", "metadata")
    ]
    assert preview.scores == {"extractive_match": "scores.extractive_match"}


def test_an_object_named_as_an_answer_beside_texts_is_the_answer_itself():
    rows = [
        {"question": f"{n}?", "model_response": {"text": said(n, "small"), "city": "Oslo"}} for n in range(30)
    ]

    assert [*seen(rows).outputs.values()] == ["model_response"]
    assert seen(rows).rows[1]["model_response"] == rows[1]["model_response"]


def options_of(names, text):
    return [
        {
            "text": f"Flat number {n}, two rooms",
            "options": [{"id": name, "text": text(name, n)} for name in names],
            "accept": [names[n % 3 % 2]],
        }
        for n in range(20)
    ]


def test_options_with_the_same_ids_and_new_texts_are_answers_of_systems_of_which_people_chose_one():
    found = guessed(
        *options_of(["facts_first.j2", "story.j2"], lambda name, n: f"Here is {name} of flat {n}.")
    )

    assert (found["facts_first.j2"], found["story.j2"], found["accept"]) == ("output", "output", "preferred")


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["SPORTS", "MUSIC"], lambda name, n: name.title()),
        (["option_1", "option_2"], lambda name, n: f"The {name} of {n}"),
    ],
)
def test_options_of_a_question_are_no_answers_of_systems(names, text):
    assert "output" not in guessed(*options_of(names, text)).values()


def states(n):
    right = {f"slot-{at}": f"{WORDS[(n + at) % 10]}" for at in range(n % 4)}
    wrong = {**right, "slot-3": "elsewhere"} if n % 3 else right
    return {"gold_state": right, "pred_state": {"trade": wrong, "som-dst": right}}


def test_objects_like_those_of_another_column_are_outputs_by_the_names_around_them():
    rows = [{"dialogue": f"d{n // 4}", "user": f"Is the {WORDS[n % 10]} {n}?"} | states(n) for n in range(40)]
    preview = seen(rows)

    assert preview.outputs == {"trade": "trade", "som-dst": "som-dst"}
    assert roles(preview)["gold_state"] == "reference"


def test_parts_of_one_object_are_no_variants():
    def parts(n):
        return {
            "gold": {"name": f"n{n}", "age": n},
            "profile": {"person": {"name": f"n{n}"}, "home": {"town": "x"}},
        }

    assert not seen(rows_of(parts)).outputs


def test_the_id_of_a_conversation_is_no_key_of_its_turns():
    named = {
        f"MUL{n}.json": [{"turn": t, "user": f"Turn {n} {t}?"} | states(n + t) for t in range(4)]
        for n in range(12)
    }
    preview = ingest.preview(io.BytesIO(json.dumps(named).encode()), "dst.json", limits=ingest.Limits())

    assert roles(preview)["key"] == "metadata"


def judged(n, model):
    chosen, rejected = f"The {WORDS[n % 10]} is {n}.", f"The {WORDS[n % 7]} may be {n * 2}."
    score = n % 5 + len(model) / 7
    return {
        "model": model,
        "chosen": chosen,
        "chosen_model": ("gpt-4", "human")[n % 2],
        "rejected": rejected,
        "rejected_model": ("vicuna-7b", "alpaca-7b")[n % 2],
        "scores_chosen": score,
        "scores_rejected": 2.8,
        "results": int(score > 2.8),
    }


def test_reward_models_that_score_the_same_pairs_are_the_variants():
    content = "\n".join(
        json.dumps(judged(n, model)) for model in ("starling", "armo") for n in range(30)
    ).encode()
    fmt = ingest.sniff(io.BytesIO(content), "rewards.jsonl", limits=ingest.Limits())

    long = ingest.detect_long(io.BytesIO(content), fmt, ingest.Limits())
    assert (long.variant, long.output, long.grades) == ("model", "scores_chosen", ("results",))


def test_authors_of_pairs_stay_variants_where_each_pair_was_judged_once():
    rows = [judged(n, ("starling", "armo")[n % 2]) for n in range(30)]
    assert set(seen(rows).outputs) == {"gpt-4", "human", "vicuna-7b", "alpaca-7b"}


def test_objects_of_empty_lists_are_no_variants_beside_those_that_are():
    """TriviaQA has what a search found beside each question: here nothing."""
    rows = rows_of(
        lambda n: {
            "search_results": {"title": [], "rank": [], "url": []},
            "predictions": {model: said(n, model) for model in NAMES},
        }
    )

    assert {*seen(rows).outputs} == {*NAMES}


def test_moderation_of_a_battle_names_no_variants():
    """The models that flagged a conversation stand in an object, those that answered in two columns that change."""
    names = ["alpaca-13b", "vicuna-13b", "gpt-4"]
    rows = [
        {
            "model_a": names[n % 3],
            "model_b": names[(n + 1) % 3],
            "winner": ("model_a", "model_b", "tie")[n % 7 % 3],
            "answer_a": said(n, "small"),
            "answer_b": said(n, "large"),
            "toxic_chat_tag": {"roberta-large": {"flagged": False}, "t5-large": {"flagged": n % 9 == 0}},
        }
        for n in range(45)
    ]

    assert {*seen(rows).outputs} == {*names}
