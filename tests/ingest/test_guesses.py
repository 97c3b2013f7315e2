"""The roles that the pages of an upload begin with, for files with the columns of public data sets."""

import io
import json
import random

import pytest

from evaluations import ingest
from evaluations.ingest import guesses, role_words, score_words
from evaluations.ingest.column_names import words_of
from evaluations.ingest.long_format import find
from evaluations.ingest.suggest import roles

WORDS = [
    *("river", "stone", "market", "bridge", "doctor", "garden", "winter", "letter", "engine", "island"),
    "school",
]
ROWS = 60


def guessed(*rows):
    content = "\n".join(map(json.dumps, rows)).encode()
    seen = ingest.preview(io.BytesIO(content), "rows.jsonl", limits=ingest.Limits())
    return {
        column: seen.guesses[column].role if column in seen.guesses else role
        for column, role in seen.roles.items()
    }


def data(make):
    """Rows of `make(number, words, answer)`; `words(n)` are drawn, `answer(right, wrong)` is right in seven of ten."""
    drawn = random.Random(5)

    def words(count):
        return " ".join(drawn.choice(WORDS) for _ in range(count))

    def answer(right, wrong):
        return right if drawn.random() < 0.7 else wrong

    return [make(number, words, answer) for number in range(ROWS)]


def sums(n, words, answer):
    total = f"{n} and 7 make {answer(n + 7, n + 8)}."
    return {"ID": f"c-{n}", "Body": words(5), "Question": "How many?", "Answer": n + 7, "llama-8b": total}


def choices(n, words, answer):
    right, wrong = "ABCD"[n % 4], "ABCD"[(n * 7 + 1) % 4]
    options = {letter: f"{letter.lower()} {words(2)}" for letter in "ABCD"}
    return {"question": words(6), **options, "answerKey": right, "base": answer(right, wrong)}


def extraction(n, words, answer):
    wanted = json.dumps({"name": words(1), "age": 20 + n})
    other = json.dumps({"name": "x", "age": n})
    return {"document": words(20), "entities": wanted, "plain": answer(wanted, other)}


def summaries(n, words, answer):
    right = words(12)
    return {
        "article": f"{right} {words(60)}",
        "highlights": f"{right} {n}",
        "pegasus": answer(right, words(12)),
    }


def translations(n, words, answer):
    right = words(9)
    return {"lp": "de-en", "src": f"Wort {n}", "tgt": right, "Online-A": answer(right, words(9))}


def labels(n, words, answer):
    name = ("good", "bad", "mixed")[n % 3]
    return {"text": f"{words(9)} {n}", "label": n % 3, "label_text": name, "prompt A": answer(name, "bad")}


def programs(n, words, answer):
    right = f"def f_{n}(x):\n    return x * {n}\n"
    asked = {"task_id": f"P/{n}", "prompt": f"def f_{n}(x):", "canonical_solution": right}
    return {**asked, "entry_point": f"f_{n}", "coder": answer(right, right.replace("*", "+"))}


def calls(n, words, answer):
    def call(days):
        return json.dumps([{"name": "weather", "arguments": {"days": days, "city": WORDS[n % 11]}}])

    return {
        "query": words(6),
        "tools": '[{"name": "weather"}]',
        "answers": call(n),
        "hermes": answer(call(n), call(n + 1)),
    }


def retrieved(n, words, answer):
    right = f"It was opened in {1800 + n} by the {words(1)}."
    asked = {"question": f"When was {n} opened?", "contexts": [right, words(9)], "ground_truths": [right]}
    return {**asked, "rag_v1": answer(right, words(8)), "rag_v1_latency_ms": n}


def short(n, words, answer):
    right = words(2)
    return {
        "question": words(5),
        "answer_aliases": [right, f"the {right}"],
        "closed": answer(right, words(2)),
    }


def programs_with_verdicts(n, words, answer):
    code, passed = f"return x + {n}", answer(True, False)
    rows = {"prompt": words(5), "canonical_solution": code, "base": code if passed else f"return {n}"}
    return rows | {"base_passed": passed, "tuned": code, "tuned_passed": True}


def flags(n, words, answer):
    is_spam = n % 3 == 0
    return {"mail": words(9), "is_spam": is_spam, "model_a": answer(is_spam, not is_spam), "model_b": is_spam}


def languages(n, words, answer):
    right = words(9)
    return {"en": f"wort {n} und {n * 7}", "de": right, "mt_old": answer(right, words(9)), "mt_new": right}


@pytest.mark.parametrize(
    ("make", "roles"),
    [
        (programs_with_verdicts, "inputs reference output score output score"),
        (flags, "inputs reference output output"),
        (languages, "inputs reference output output"),
        (sums, "key inputs inputs reference output"),
        (choices, "inputs inputs inputs inputs inputs reference output"),
        (extraction, "inputs reference output"),
        (summaries, "inputs reference output"),
        (translations, "metadata inputs reference output"),
        (labels, "inputs metadata reference output"),
        (programs, "key inputs reference metadata output"),
        (calls, "inputs inputs reference output"),
        (retrieved, "inputs inputs reference output metadata"),
        (short, "inputs reference output"),
    ],
)
def test_files_of_public_data_sets_need_no_role_by_hand(make, roles):
    assert " ".join(guessed(*data(make)).values()) == roles


@pytest.mark.parametrize(
    "names",
    [
        ("gold", "gold_alt"),
        ("answer", "alternative_answer"),
        ("answer", "aliases"),
        ("answer", "accepted"),
        ("answer_1", "answer_2"),
        ("answer_1", "answer_2", "answer_3"),
        ("label_1", "label_2"),
        ("Annotator A", "Annotator B"),
    ],
)
def test_columns_of_other_right_answers_are_references_too(names):
    def row(n, words, answer):
        right = words(2)
        texts = {name: [f"the {right}"] if name in ("aliases", "accepted") else right for name in names}
        return {
            "question": words(6),
            **texts,
            "gpt-4o": answer(right, words(2)),
            "claude": answer(right, words(2)),
        }

    roles = guessed(*data(row))

    assert [*roles.values()] == ["inputs", *["reference"] * len(names), "output", "output"]


@pytest.mark.parametrize("written", [json.dumps, str])
def test_a_list_in_a_cell_that_has_the_label_of_its_row_and_others_is_right(written):
    def row(n, words, answer):
        city = n % 20
        names = [f"City{city}", f"Alias{city} of it", f"Other name {city}"][: 1 + city % 3]
        said = [answer(names[n % place % len(names)], f"City{city + 1}") for place in (2, 3)]
        return {
            "question": words(6),
            "object": names[0],
            "possible_answers": written(names),
            "gpt-4o": said[0],
            "claude": said[1],
        }

    roles = guessed(*data(row))

    assert roles["possible_answers"] == "reference"
    assert roles["object"] == "metadata"


def test_a_list_of_several_options_in_each_cell_is_not_what_is_right_of_a_label():
    def row(n, words, answer):
        right = ("red", "blue", "green")[n % 3]
        return {
            "question": words(6),
            "label": right,
            "possible_answers": json.dumps(["red", "blue", "green"]),
            "gpt-4o": answer(right, "red"),
            "claude": answer(right, "blue"),
        }

    roles = guessed(*data(row))

    assert roles["label"] == "reference"


def test_answers_that_end_in_letters_are_outputs_where_no_other_column_is():
    def row(n, words, answer):
        right = words(2)
        return {
            "question": words(6),
            "gold": right,
            "answer_a": answer(right, words(2)),
            "answer_b": answer(right, words(2)),
        }

    assert [*guessed(*data(row)).values()] == ["inputs", "reference", "output", "output"]


def test_answers_beside_the_right_letter_are_options():
    def row(n, words, answer):
        options = {f"answer_{letter}": words(2) for letter in "abcd"}
        return {
            "question": words(6),
            **options,
            "correct": "ABCD"[n % 4],
            "gpt-4o": answer("ABCD"[n % 4], "A"),
        }

    assert [*guessed(*data(row)).values()] == ["inputs"] * 5 + ["reference", "output"]


def test_texts_that_part_the_rows_as_zeros_and_ones_do_are_outputs():
    said = ["not a paraphrase", "paraphrase"]
    rows = data(
        lambda n, words, answer: {
            "sentence1": words(5),
            "sentence2": words(5),
            "label": n % 2,
            "v1": said[answer(n % 2, 1 - n % 2)],
            "prompt_topic": ["sport", "law"][n % 3 == 0],
        }
    )

    assert [*guessed(*rows).values()] == ["inputs", "inputs", "reference", "output", "metadata"]


def test_an_order_of_the_same_words_is_the_reference_of_others():
    orders = ["B > A > C", "A > C > B", "C > B > A", "C > A > B"]
    rows = data(
        lambda n, words, answer: {
            "prompt": words(6),
            "order": orders[n % 4],
            "judge_v1": answer(orders[n % 4], orders[0]),
            "judge_v2": f"I compared {words(3)}. Ranking: {answer(orders[n % 4], orders[1])}",
        }
    )

    assert [*guessed(*rows).values()] == ["inputs", "reference", "output", "output"]


def test_answers_with_an_explanation_are_outputs_and_explanations_are_not():
    rows = data(
        lambda n, words, answer: {
            "question": words(6),
            "answerKey": "ABCD"[n % 4],
            "with_explanation": f"{answer('ABCD'[n % 4], 'ABCD'[n % 3])}. Explanation: {words(4)}",
            "short": f"Answer: {answer('ABCD'[n % 4], 'ABCD'[n % 3])}",
            "explanation": f"{'ABCD'[n % 4]}, for {words(5)}",
        }
    )

    assert [*guessed(*rows).values()] == ["inputs", "reference", "output", "output", "metadata"]


def test_the_first_column_of_sentences_is_asked_before_one_of_codes():
    rows = data(
        lambda n, words, answer: {
            "sku": f"HB-{n:05}",
            "listing": f"{words(9)} {n}",
            "expected": f"{n}",
            "gpt-4o": answer(f"{n}", "0"),
        }
    )

    assert [*guessed(*rows).values()] == ["metadata", "inputs", "reference", "output"]


def test_what_asks_in_the_same_words_in_each_row_is_asked_and_no_reference():
    rows = data(
        lambda n, words, answer: {
            "job": f"Write one short line about the {words(4)} of number {n}",
            "example": words(5),
            "haiku": f"{words(3)} {n}",
            "opus": f"{words(3)} and {n}",
        }
    )

    assert guessed(*rows)["job"] == "inputs"


@pytest.mark.parametrize(
    ("question", "right", "outputs"),
    [
        ("demande", "priorité", ("réponse_courte", "réponse_détaillée")),
        ("frage", "Musterlösung", ("Antwort_alt", "Antwort_neu")),
        ("pregunta", "respuesta_correcta", ("respuesta_a", "respuesta_b")),
        ("domanda", "risposta_corretta", ("risposta_v1", "risposta_v2")),
        ("pergunta", "gabarito", ("resposta_curta", "resposta_longa")),
    ],
)
def test_columns_are_known_in_other_languages(question, right, outputs):
    labels = ["urgent", "normal", "faible"]

    def row(n, words, answer):
        known = labels[n % 3]
        said = [answer(known, labels[(n + 1) % 3]) for _ in outputs]
        return {
            question: f"{words(6)} {n}",
            right: known,
            outputs[0]: said[0].title(),
            outputs[1]: f"Pas {labels[n % 2]} enfin.\n\n{said[1]}",
        }

    assert [*guessed(*data(row)).values()] == ["inputs", "reference", "output", "output"]


def test_a_hypothesis_beside_a_premise_is_an_input():
    said = ["entailment", "neutral", "contradiction"]
    rows = data(
        lambda n, words, answer: {
            "premise": words(9),
            "hypothesis": words(5),
            "gold_label": said[n % 3],
            "prompt_a": answer(said[n % 3], said[(n + 1) % 3]),
        }
    )
    assert " ".join(guessed(*rows).values()) == "inputs inputs reference output"


def test_the_solution_of_a_problem_with_an_answer_is_no_output():
    rows = data(
        lambda n, words, answer: {
            "problem": words(9),
            "solution": f"{words(6)} \\boxed{{{n}}}" if n % 9 else words(7),
            "answer": f"{n}",
            "qwen2.5-7b": answer(f"so {n}", f"so {n + 1}"),
            "llama-3": answer(f"{n}", f"{n + 2}"),
        }
    )
    assert " ".join(guessed(*rows).values()) == "inputs metadata reference output output"


def test_a_weaker_model_beside_an_output_is_an_output_though_it_agrees_less():
    def row(n, words, answer):
        right = words(2)
        return {
            "id": n,
            "question": f"Which {n}?",
            "answers": right,
            "roberta": right if n % 10 else "",
            "tinylm": right if n % 7 == 0 else words(2),
            "comment": words(3),
        }

    roles_of = guessed(*data(row))

    assert (roles_of["roberta"], roles_of["tinylm"], roles_of["comment"]) == ("output", "output", "metadata")


def test_a_column_made_from_the_reference_is_no_output():
    rows = data(
        lambda n, words, answer: {"question": words(6), "answer": f"{n}", "worked": f"{words(5)} so {n}"}
    )

    assert guessed(*rows)["worked"] == "metadata"


def test_texts_that_do_not_agree_with_the_reference_are_no_outputs():
    rows = data(lambda n, words, answer: {"question": words(6), "answer": words(6), "place": words(6)})

    assert guessed(*rows)["place"] == "metadata"


def test_three_rows_are_enough_where_names_tell():
    rows = [
        {"question": f"{n} + 1", "expected": f"{n + 1}", "base": f"{n}", "new": f"{n + 1}"} for n in range(3)
    ]

    assert [*guessed(*rows).values()] == ["inputs", "reference", "output", "output"]


def test_the_solution_beside_outputs_of_models_is_the_reference():
    rows = data(lambda n, words, answer: {"task": words(6), "solution": words(4), "gpt-4": words(4)})

    assert guessed(*rows) == {"task": "inputs", "solution": "reference", "gpt-4": "output"}


def test_texts_by_variant_in_one_column_are_outputs_of_variants():
    rows = data(
        lambda n, words, answer: {
            "id": n,
            "document": words(9),
            "expected": {"total": n},
            "predictions": {"small": f'{{"total": {answer(n, n + 1)}}}', "large": f'{{"total": {n}}}'},
        }
    )
    content = "\n".join(map(json.dumps, rows)).encode()

    seen = ingest.preview(io.BytesIO(content), "rows.jsonl", limits=ingest.Limits())

    assert seen.outputs == {"small": "small", "large": "large"}
    assert seen.roles["predictions"] == "leave out"


def test_a_column_with_fences_or_reasoning_is_an_output_whatever_its_words():
    rows = [
        {
            "task": f"t{n}",
            "canonical_solution": f"a{n} + b",
            "coder": f"```py\nb + a{n}\n```",
            "who": "<think>b</think>",
        }
        for n in range(12)
    ]

    assert [*guessed(*rows).values()] == ["inputs", "reference", "output", "output"]


def test_of_two_languages_the_one_into_which_others_translate_is_the_reference():
    words = [
        "eins",
        "zwei",
        "drei",
        "vier",
        "fünf",
        "sechs",
        "sieben",
        "acht",
        "neun",
        "zehn",
        "elf",
        "zwölf",
    ]
    rows = [
        {"en": f"say {n}", "de": f"Sag {word} bitte.", "llm": f"Sag {word}."} for n, word in enumerate(words)
    ]

    assert guessed(*rows) == {"en": "inputs", "de": "reference", "llm": "output"}


def test_the_labels_of_the_reference_beside_an_output_are_another_output():
    rows = [
        {
            "claim": f"c{n}",
            "gold": "yesno"[n % 2 :],
            "r1": f"<think>{n}</think>",
            "plain": "yesno"[n % 3 % 2 :],
        }
        for n in range(12)
    ]

    assert [*guessed(*rows).values()] == ["inputs", "reference", "output", "output"]


def test_siblings_that_both_agree_with_a_column_answer_it():
    rows = data(
        lambda n, words, answer: (
            lambda right: {
                "dialogue": words(20),
                "minutes": right,
                "team_a": answer(right, words(9)),
                "team_b": right + " end",
            }
        )(words(9))
    )

    assert [*guessed(*rows).values()] == ["inputs", "reference", "output", "output"]


def test_a_key_whose_few_values_repeat_is_the_key_to_an_exam():
    rows = [
        {"stem": f"s{n}", "A": "x", "B": "y", "C": "z", "key": "ABC"[n % 3], "llama": "ABC"[n % 3]}
        for n in range(12)
    ]

    assert guessed(*rows) == dict.fromkeys(("stem", "A", "B", "C"), "inputs") | {
        "key": "reference",
        "llama": "output",
    }


def unnamed(n, words, answer):
    right, wrong = f"+1-{200 + n}-{n * 37 % 900}", f"+1-{n * 53 % 900}-77"
    return {"text": words(9), "phone": right, "regex": answer(right, wrong), "rules": answer(right, words(1))}


def long_answers(n, words, answer):
    right, wrong = ("yes", "no", "maybe")[n % 3], ("yes", "no", "maybe")[(n * 5 + 1) % 3]
    asked = {"question": words(5), "long_answer": words(12), "final_decision": right}
    return asked | {"first": answer(right, wrong), "second": f"I think {answer(right, wrong)}"}


def ids(n, words, answer):
    right = f"Q{n * 7919 % 9973}"
    found = {"blink": answer(right, words(1)), "linker": answer(right, f"Q{n}")}
    return {"context": words(9), "wikidata_id": right} | found


def queries(n, words, answer):
    right = f"SELECT {words(1)} FROM t{n} WHERE {words(1)} > {n * 3}"
    asked = {"question": words(6), "query": right}
    return asked | {"sqlcoder": answer(right, f"SELECT {words(1)}"), "defog": answer(right, f"SELECT {n}")}


def prices(n, words, answer):
    right = 1000 * (100 + n * 37 % 800)
    asked = {"description": words(9), "price": right}
    return asked | {
        "v1": f"${answer(right, right + 7000):,}",
        "v2": f"About {answer(right, right - 5000):,}.",
    }


def yes_or_no(n, words, answer):
    is_so = n * 7 % 5 < 3
    right, wrong = ("Yes", "No") if is_so else ("No", "Yes")
    asked = {"question": words(4), "passage": words(20), "answer": is_so}
    return asked | {"small": answer(right, wrong), "large": answer(right, wrong)}


def chinese(n, words, answer):
    letters = "我们今天在城市的公园里看见了很多美丽的花朵和古老的树木"
    right = "".join(letters[(n * 5 + step * (n + 3)) % len(letters)] for step in range(16))
    texts = {"sentence_eng_Latn": words(9), "sentence_zho_Hans": f"{right}。"}
    return texts | {"mt_old": answer(right, letters[:9]), "mt_new": answer(right, letters[5:20])}


@pytest.mark.parametrize(
    ("make", "reference", "outputs"),
    [
        (unnamed, "phone", ["regex", "rules"]),
        (long_answers, "final_decision", ["first", "second"]),
        (ids, "wikidata_id", ["blink", "linker"]),
        (queries, "query", ["sqlcoder", "defog"]),
        (prices, "price", ["v1", "v2"]),
        (yes_or_no, "answer", ["small", "large"]),
        (chinese, "sentence_zho_Hans", ["mt_old", "mt_new"]),
    ],
)
def test_values_tell_the_reference_and_the_outputs_where_no_name_does(make, reference, outputs):
    found = guessed(*data(make))

    assert [name for name, role in found.items() if role == "reference"] == [reference]
    assert [name for name, role in found.items() if role == "output"] == outputs


@pytest.mark.parametrize("name", ["baseline", "production", "v0", "Ada"])
def test_an_output_that_is_right_no_more_often_than_chance_is_known_by_the_labels_it_says(name):
    def chance(n, words, answer):
        said, better = ("yes", "no")[n % 4 < 2], ("yes", "no")[n % 2]
        asked = {"question": words(9), "answer": n % 2 == 0, name: f"The answer is {said}.", "tuned": better}
        return asked | {"comment": f"a {words(4)}", "checked": n % 3 == 0}

    found = guessed(*data(chance))

    assert [column for column, role in found.items() if role == "output"] == [name, "tuned"]


def test_lists_of_the_labels_of_lists_are_outputs_of_a_variant():
    def chosen(n, words, answer):
        right, wrong = [n % 3, 3 + n % 2], [(n + 1) % 3, 3 + (n + 1) % 2]
        asked = {"question": words(9), "correct_ids": right, "small": json.dumps(wrong)}
        return asked | {"large": json.dumps(answer(right, wrong))}

    found = guessed(*data(chosen))

    assert [column for column, role in found.items() if role == "output"] == ["small", "large"]


def test_ones_are_the_reference_of_answers_that_say_yes():
    said = {True: ("yes", "Yes, it is."), False: ("no", "No.")}
    rows = [
        {
            "comment": f"text {n} about something else",
            "toxic": str(int(n % 3 == 0)),
            "deleted": str(int(n % 2)),
            "moderation_v1": said[(n % 3 == 0) != (n % 7 == 0)][n % 2],
            "moderation_v2": said[n % 3 == 0][n % 2],
        }
        for n in range(40)
    ]

    assert guessed(*rows)["toxic"] == "reference"
    assert guessed(*rows).get("deleted") in (None, "metadata")


def test_lists_that_have_the_answer_are_all_the_right_ones_and_no_output():
    rows = [
        {
            "story": f"long story {n} about it",
            "question": f"what is number {n}?",
            "answer": f"thing{n}",
            "additional_answers": [f"thing{n}", f"the thing {n}"],
            "system_1": f"It is thing{n}.",
            "system_2": f"thing{n + n % 2}",
        }
        for n in range(12)
    ]

    found = guessed(*rows)
    assert (found["additional_answers"], found.get("answer")) == ("reference", "metadata")
    assert found["system_1"] == found["system_2"] == "output"

    for row in rows:
        row["additional_answers"] = row["additional_answers"][1:]
    assert guessed(*rows).get("additional_answers") in (None, "metadata")


@pytest.mark.parametrize("name", ["retrieved_contexts", "chunks", "options", "candidate_labels"])
def test_lists_of_which_one_is_the_reference_do_not_replace_it(name):
    rows = [
        {
            "user_input": f"how many {n}?",
            name: [f"At most {n} visitors come to it", f"{n} of them leave"],
            "reference": f"At most {n} visitors come to it",
            "baseline": f"At most {n} come.",
            "rerank": f"{n} visitors.",
        }
        for n in range(40)
    ]

    assert guessed(*rows).get(name) in (None, "inputs", "metadata")


def test_numbers_for_each_output_are_its_scores():
    rows = [
        {
            "ticket": f"it is broken {n}",
            "reply_v1": f"Sorry about {n}, we will look",
            "reply_v2": f"We mended {n}",
            "rubric_v1": str(1 + n % 4),
            "rubric_v2": str(2 + n % 4),
            "tokens_v1": str(10 + n % 4),
            "tokens_v2": str(12 + n % 4),
        }
        for n in range(20)
    ]

    found = guessed(*rows)
    assert (found["rubric_v1"], found["rubric_v2"]) == ("score", "score")
    assert found["tokens_v1"] == found["tokens_v2"] == "tokens"


def test_the_second_of_a_pair_of_sentences_is_an_input():
    rows = [
        {
            "sentence1": f"a man number {n} eats",
            "sentence2": f"someone {n} eats soup",
            "gold_label": ("neutral", "entailment")[n % 2],
            "llama": ("neutral", "entailment")[n % 2],
        }
        for n in range(20)
    ]

    assert guessed(*rows)["sentence2"] == "inputs"


def test_the_text_beside_outputs_named_like_it_is_no_output():
    rows = [
        {
            "file": f"{n}.png",
            "ocr_text": f"shop {n} total {n * 7} thanks",
            "expected": str(n * 7),
            "ocr_llm_v3": f"Total: {n * 7}",
            "ocr_llm_v4": f"{n * 7}",
        }
        for n in range(12)
    ]

    assert guessed(*rows)["ocr_text"] == "inputs"


def test_of_columns_that_agree_the_one_named_otherwise_is_the_reference():
    rows = [
        {
            "id_tuit": str(n),
            "texto": f"algo {n} que dice",
            "polaridad": ("malo", "bueno", "neutro")[n % 3],
            "respuesta_corta": ("malo", "bueno", "neutro")[(n + (n % 5 == 0)) % 3],
            "respuesta_larga": f"Sentimiento: {('malo', 'bueno', 'neutro')[(n + (n % 4 == 0)) % 3]}",
        }
        for n in range(40)
    ]

    found = guessed(*rows)
    assert (found["polaridad"], found["respuesta_corta"], found["respuesta_larga"]) == (
        "reference",
        "output",
        "output",
    )


def test_two_columns_that_could_both_be_the_reference_leave_the_question_to_the_user():
    found = guessed(
        *({"text": f"x {n}", "left": f"a{n}", "middle": f"a{n}", "right": f"a{n}"} for n in range(60))
    )

    assert not {"reference", "output"} & {*found.values()}


def test_unrelated_columns_are_neither_outputs_nor_references():
    found = guessed(*data(lambda n, words, _: {"text": words(9)} | {name: words(3) for name in "pqr"}))

    assert not {"reference", "output"} & {*found.values()}


def test_lists_of_labels_beside_a_reference_of_lists_are_outputs():
    topics = ("climate", "health", "culture", "technology")
    rows = [
        {
            "text": f"Report {n} says that wards are full and emissions fell.",
            "labels": [topics[n % 4], topics[(n + 1) % 4]],
            "tagger_v1": [topics[n % 4]],
            "tagger_v2": f"- {topics[n % 4]}\n- {topics[(n + n % 3) % 4]}",
        }
        for n in range(60)
    ]

    assert [*guessed(*rows).values()] == ["inputs", "reference", "output", "output"]


def requirements(n, words, answer):
    word, other = WORDS[n % len(WORDS)], WORDS[(n + 3) % len(WORDS)]
    texts = [f"Our {words(4)} has a {answer(word, other)}." for _ in range(2)]
    return {"brief": f"Write an advertisement with {word}.", "must_include": word, "forbidden": other,
            "max_words": 20, "copy_v1": texts[0], "copy_v2": texts[1]}  # fmt: skip


def test_what_an_answer_must_fulfil_is_no_right_answer():
    found = guessed(*data(requirements))

    assert "reference" not in found.values()
    assert (found["copy_v1"], found["copy_v2"]) == ("output", "output")


def beside_a_model(n, words, answer):
    said = [f"I rate it {answer(n % 5, (n + 2) % 5)} of 5.", ["good", "bad", "fair"][n % 3]]
    return {"text": words(8), "stars": n % 5, "gpt-4o": said[0], "llama-3-8b": said[1]}


def test_a_column_named_after_a_model_next_to_an_output_is_one():
    found = guessed(*data(beside_a_model))

    assert found["gpt-4o"] == found["llama-3-8b"] == "output"


def test_names_of_the_models_of_answers_are_no_outputs():
    rows = [
        {
            "instruction": f"Describe number {n}.",
            "output_1": f"This is {n} in short, as asked.",
            "generator_1": "a-model",
            "output_2": f"Number {n} follows {n - 1}.",
            "generator_2": "b-model",
        }
        for n in range(30)
    ]

    assert [name for name, role in guessed(*rows).items() if role == "output"] == ["output_1", "output_2"]


def test_lists_of_evidence_beside_a_short_answer_are_no_outputs():
    def row(n, words, answer):
        right = words(2)
        evidence = {"title": [f"Page of {right}"], "sent_id": [n]}
        return {
            "question": words(8),
            "answer": right,
            "evidence_found": evidence,
            "flan": answer(right, "none"),
            "gpt": f"It is {answer(right, 'none')}.",
        }

    found = guessed(*data(row))

    assert found["evidence_found"] == "metadata"
    assert (found["flan"], found["gpt"]) == ("output", "output")


def test_the_words_for_numbers_are_the_reference_though_called_a_name():
    moods = ("negative", "neutral", "positive")
    rows = [
        {
            "text": f"A short text, number {n}.",
            "label": n % 3,
            "label_name": moods[n % 3],
            "prompt_a": moods[(n + (n % 4 == 0)) % 3],
            "prompt_b": f"Mood: {moods[(n + (n % 5 == 0)) % 3]}",
        }
        for n in range(60)
    ]

    found = guessed(*rows)

    assert (found["label"], found["label_name"]) == ("metadata", "reference")
    assert (found["prompt_a"], found["prompt_b"]) == ("output", "output")


def test_an_output_with_which_models_agree_is_the_reference_and_not_the_code_that_gives_it():
    def row(n, words, answer):
        right = f"[{n}, '{words(1)}']"
        return {
            "code": f"def f(x):\n    return [x, '{words(1)}']",
            "input": str(n),
            "output": right,
            "id": f"sample_{n}",
            "codellama-13b": answer(right, "[]"),
            "gpt-4o+cot": f"So it is {answer(right, '[0]')}",
        }

    found = guessed(*data(row))

    assert found["output"] == "reference"
    assert [name for name, role in found.items() if role == "output"] == ["codellama-13b", "gpt-4o+cot"]


def test_a_column_with_which_all_outputs_agree_replaces_a_reference_with_which_none_does():
    def row(n, words, answer):
        decision, other = ("yes", "no", "maybe")[n % 3], ("no", "maybe", "yes")[n % 3]
        return {
            "question": f"Does {words(6)} help?",
            "labels": ["METHODS", "RESULTS"],
            "decision": decision,
            "pred_small": f"{answer(decision, other)}, because of {words(9)}.",
            "pred_large": f"After {words(9)} the answer is {answer(decision, other)}.",
        }

    found = guessed(*data(row))

    assert (found["labels"], found["decision"]) == ("metadata", "reference")


def test_what_agents_said_is_the_reference_of_prompts():
    topics = ("Billing", "Shipping", "Account Access", "Other")
    rows = [
        {
            "Ticket ID": f"T-{n}",
            "Message": f"Please help me with number {n} of my orders.",
            "Category (agent)": topics[n % 4],
            "Prompt v1 (short)": topics[(n + (n % 5 == 0)) % 4],
            "Prompt v2 (with reasons)": f"**Category:** {topics[(n + (n % 7 == 0)) % 4]}\n**Reason:** as said.",
        }
        for n in range(60)
    ]

    found = guessed(*rows)

    assert found["Category (agent)"] == "reference"
    assert (found["Prompt v1 (short)"], found["Prompt v2 (with reasons)"]) == ("output", "output")


def test_numbers_that_stand_for_letters_stay_the_reference():
    """All outputs agree with the answers of another variant, and none with the number of the letter."""
    letters = ["ABCD"[n % 4] for n in range(60)]
    rows = [
        {
            "question": "Which of these is it?",
            "choices": ["red", "green", "blue", "grey"],
            "answer": n % 4,
            "direct": f"{letters[n - (n % 11 == 0)]}. {WORDS[n % 11]}",
            "cot": f"After some thought the answer is {letters[n]}, because {WORDS[n % 11]} ends so.",
            "cot_5shot": f"As in the examples above: {letters[n - (n % 7 == 0)]}, {WORDS[n % 11]}, is what fits here.",
        }
        for n in range(60)
    ]

    assert guessed(*rows)["answer"] == "reference"


def test_what_was_asked_replaces_no_reference_though_outputs_have_its_words():
    def row(n, words, answer):
        asked = words(3)
        return {
            "id": f"q{n}",
            "labels": ["METHODS", "RESULTS"],
            "body": asked,
            "pred_small": f"{asked}, that is {words(9)}.",
            "pred_large": f"After {words(9)} I would say {asked}.",
        }

    assert guessed(*data(row))["labels"] == "reference"


def test_a_reference_with_which_outputs_agree_stays_beside_a_column_called_output():
    def row(n, words, answer):
        right = f"{words(1)} {n}"
        return {
            "text": words(8),
            "code": right,
            "output": answer(right, "none"),
            "gpt-4o": answer(right, "other"),
            "llama-3-8b": f"It is {answer(right, 'nothing')}.",
        }

    content = "\n".join(map(json.dumps, data(row))).encode()
    seen = ingest.preview(io.BytesIO(content), "rows.jsonl", limits=ingest.Limits())

    assert seen.guesses["code"].reason == "the name is usual for right answers"
    assert "output" not in seen.guesses


def test_two_options_beside_the_place_of_the_right_one_are_inputs():
    rows = [
        {
            "sentence": f"Ann {n} thanked Bob {n} because _ had helped.",
            "option1": f"Ann {n}",
            "option2": f"Bob {n}",
            "answer": n % 2 + 1,
            "gemma-2b": f"Option {n % 2 + 1}",
            "qwen-14b": f"It is Ann {n}.",
        }
        for n in range(30)
    ]

    found = guessed(*rows)

    assert [found[name] for name in ("sentence", "option1", "option2")] == ["inputs"] * 3


def compared(n, **more):
    return {
        "question": f"How do I change setting {n}?",
        "answer A": f"Open the page of settings, number {n}, and change it.",
        "answer B": f"It cannot be changed, {n} is fixed for ever.",
    } | more


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("preferred", ["A", "B", "tie"]),
        ("Winner", ["Answer A", "Answer B is better", "both"]),
        ("preference", ["1", "2", "1.5"]),
        ("Besser", ["links", "rechts", "unentschieden"]),
    ],
)
def test_a_column_that_names_the_better_answer_says_which_was_preferred(name, cells):
    found = guessed(*(compared(n, **{name: cells[n * n % 3]}) for n in range(30)))

    assert found[name] == "preferred"
    assert (found["answer A"], found["answer B"], found["question"]) == ("output", "output", "inputs")


def test_a_better_answer_is_no_preference_where_cells_say_something_else():
    rows = [compared(n, better=["A", "the shorter one", "see my comment"][n % 3]) for n in range(30)]

    assert "preferred" not in guessed(*rows).values()


def test_two_texts_with_ratings_of_several_people_are_outputs():
    ratings = {f"rater{who}_{end}": 1 + (who + ord(end)) % 5 for who in (1, 2, 3) for end in "AB"}
    rows = [
        compared(n)
        | {f"rater{who}_{end}": str(1 + (n * who + ord(end)) % 5) for who in (1, 2, 3) for end in "AB"}
        for n in range(30)
    ]
    found = guessed(*rows)

    assert (found["answer A"], found["answer B"]) == ("output", "output")
    assert {found[name] for name in ratings} == {"score"}


def test_results_of_tests_are_scores_of_the_code_beside_them():
    rows = [
        {
            "prompt": f"Write f for {n}",
            "small_code": f"def f(x): return {n}",
            "small_tests": ["PASS", "FAIL", "TIMEOUT"][n % 3],
            "large_code": f"def f(y): return {n}",
            "large_tests": ["PASS", "PASS", "ERROR"][n % 3],
        }
        for n in range(30)
    ]
    found = guessed(*rows)

    assert (found["small_code"], found["large_code"]) == ("output", "output")
    assert (found["small_tests"], found["large_tests"]) == ("score", "score")


def zeros_and_ones(n):
    right = n % 3 == 0
    return {
        "comment": f"text number {n}",
        "human": int(right),
        "detoxify": int(right != (n % 9 == 0)),
        "perspective": int(right != (n % 5 == 0)),
    }


def test_the_first_of_columns_of_ones_that_agree_is_the_reference():
    found = guessed(*map(zeros_and_ones, range(60)))

    assert (found["human"], found["detoxify"], found["perspective"]) == ("reference", "output", "output")


def test_a_variant_that_says_words_for_these_ones_is_an_output_too():
    rows = [
        zeros_and_ones(n) | {"gpt-4o": ["Not toxic", "Toxic"][n % 3 == 0 or n % 8 == 0]} for n in range(60)
    ]

    assert guessed(*rows)["gpt-4o"] == "output"


def test_what_was_put_right_is_no_answer_and_a_reference_stands_beside_its_answers():
    towns = ["Lille", "Lyon", "Nantes", "Tours", "Brest"]
    rows = [
        {
            "adresse_brute": f"{n} r. de la gare {10_000 + n} {towns[n % 5].upper()}",
            "adresse_normalisee": f"{n} Rue de la Gare, {10_000 + n} {towns[n % 5]}, France",
            "libpostal": f"{n} Rue de la Gare, {10_000 + n + (n % 4 == 0)} {towns[n % 5]}, France",
            "gpt-4.1": f"{n + (n % 5 == 0)} Rue de la Gare, {10_000 + n} {towns[n % 5]}, France",
        }
        for n in range(60)
    ]
    found = guessed(*rows)

    assert (found["adresse_brute"], found["adresse_normalisee"]) == ("inputs", "reference")
    assert (found["libpostal"], found["gpt-4.1"]) == ("output", "output")


@pytest.mark.parametrize("as_text", [True, False])
def test_objects_of_one_form_are_the_outputs_of_variants(as_text):
    def row(n):
        small, large = ({"city": WORDS[n % 11], "guests": n + extra} for extra in (0, n % 3))
        told = {"gpt-4.1": large, "llama": f"```json\n{json.dumps(small)}\n```" if as_text else small}
        return {
            "doc_id": n,
            "text": f"text {n}",
            "expected": {"city": WORDS[n % 11], "guests": n},
            "predictions": told,
        }

    content = json.dumps([row(n) for n in range(30)]).encode()
    seen = ingest.preview(io.BytesIO(content), "rows.json", limits=ingest.Limits())
    assert {*seen.outputs} == {"gpt-4.1", "llama"}


def test_the_fields_of_one_answer_are_no_variants():
    rows = [
        {
            "text": f"t {n}",
            "expected": {"from": {"city": "a"}, "to": {"city": "b"}},
            "output": {"from": {"city": "a"}, "to": {"city": WORDS[n % 11]}},
        }
        for n in range(30)
    ]
    content = json.dumps(rows).encode()
    assert [*ingest.preview(io.BytesIO(content), "rows.json", limits=ingest.Limits()).outputs] == ["output"]


def test_outputs_inside_a_column_find_their_reference():
    rows = [
        {
            "text": f"text {n}",
            "is_spam": ["نعم", "لا"][n % 2],
            "responses": {
                "jais": ["نعم", "لا"][n % 2 if n % 5 else 0],
                "aya": ["نعم.", "لا."][n % 2 if n % 7 else 1],
            },
        }
        for n in range(40)
    ]

    assert guessed(*rows)["is_spam"] == "reference"


@pytest.mark.parametrize(
    ("answers", "grades", "cells"),
    [
        (
            ["gpt4o_response", "o1_response"],
            ["gpt4o_grade", "o1_grade"],
            ["CORRECT", "INCORRECT", "NOT_ATTEMPTED"],
        ),
        (
            ["swe_agent_patch", "openhands_patch"],
            ["swe_agent_resolved", "openhands_resolved"],
            [True, False, False],
        ),
        (["reply new", "reply old"], ["stars new", "stars old"], [5, 3, 4]),
        (["response_a", "response_b"], ["winner_model_a", "winner_model_b"], [1, 0, 0]),
    ],
)
def test_columns_that_stand_in_a_grid_by_their_names_are_answers_and_their_grades(answers, grades, cells):
    rows = [
        {"prompt": f"Tell me about river {n}"}
        | {name: f"a text number {n} by {name}" for name in answers}
        | {name: cells[(n + place) % 3] for place, name in enumerate(grades)}
        | {"winner_tie": int(n % 3 == 2)}
        for n in range(30)
    ]
    found = guessed(*rows)

    assert [found[name] for name in (*answers, *grades)] == ["output", "output", "score", "score"]
    assert found["winner_tie"] == "metadata"


def test_the_name_of_a_model_in_another_column_names_the_variant():
    rows = [
        compared(n)
        | {"model_A": "gpt-4o", "model_B": "claude-3.5", "winner": ["model_A", "model_B", "tie"][n % 3]}
        for n in range(30)
    ]
    content = "\n".join(map(json.dumps, rows)).encode()
    seen = ingest.preview(io.BytesIO(content), "rows.jsonl", limits=ingest.Limits())

    assert [seen.guesses[name].variant for name in ("answer A", "answer B")] == ["gpt-4o", "claude-3.5"]
    assert not {"model_A", "model_B"} & seen.guesses.keys()


def test_a_preference_leaves_other_outputs_alone_and_may_be_a_weight():
    rows = [
        compared(n) | {"preference": 1 + (n * 37 % 100) / 100, "raw_completion": f"text {n}"}
        for n in range(30)
    ]
    found = guessed(*rows)

    assert (found["preference"], found["raw_completion"]) == ("preferred", "metadata")


def test_models_that_change_sides_have_a_column_each():
    sides = [("gpt", "o1"), ("o1", "gpt")]
    rows = [
        compared(n)
        | {
            "model_A": sides[n % 2][0],
            "model_B": sides[n % 2][1],
            "winner": ["model_A", "model_B"][n % 3 % 2],
        }
        for n in range(30)
    ]

    found = guessed(*rows)
    assert (found["gpt"], found["o1"], found["winner"]) == ("output", "output", "preferred")


def test_a_column_named_as_its_prediction_is_the_reference():
    rows = [
        {"question": f"q {n}", "SQL": f"SELECT {n}", "predicted_sql": f"```sql\nSELECT {n}\n```"}
        for n in range(30)
    ]
    found = guessed(*rows)

    assert (found["SQL"], found["predicted_sql"]) == ("reference", "output")


def test_a_solution_beside_the_name_of_its_model_is_an_output():
    rows = [
        {
            "task_id": n,
            "model": ["a", "b"][n % 2],
            "prompt": f"f {n}",
            "solution": f"return {n}",
            "base_status": ["pass", "fail"][n % 3 % 2],
            "passed": n % 3 == 0,
        }
        for n in range(30)
    ]
    found = guessed(*rows)

    assert (found["solution"], found["passed"]) == ("output", "score")


def test_the_id_of_a_conversation_is_no_key_of_its_turns():
    rows = [
        {"id": f"c{n // 3}", "question": f"what {n}?", "answer": f"w{n}", "gpt-4o": f"w{n}"}
        for n in range(30)
    ]

    assert guessed(*rows)["id"] == "metadata"
    assert guessed(*rows[::3])["id"] == "key"


def test_answers_in_messages_of_a_chat_are_their_contents():
    row = {
        "q": "2+2?",
        "gold": "4",
        "responses": {name: {"role": "assistant", "content": "4"} for name in ("a", "b")},
    }
    seen = ingest.preview(io.BytesIO(json.dumps([row] * 3).encode()), "rows.json", limits=ingest.Limits())

    assert seen.outputs == {"a": "a", "b": "b"}
    assert seen.rows[0]["a"] == "4"


@pytest.mark.parametrize(
    ("answers", "grades", "words"),
    [
        (
            ["Réponse assistant v1", "Réponse assistant v2"],
            ["Avis métier v1", "Avis métier v2"],
            "OK/Partiel/KO",
        ),
        (["Antwort alt", "Antwort neu"], ["Urteil alt", "Urteil neu"], "richtig/teilweise/falsch"),
        (["respuesta_v1", "respuesta_v2"], ["revision_v1", "revision_v2"], "Correcto/Parcial/Incorrecto"),
        (["Antwort GPT", "Antwort Luna"], ["Test GPT", "Test Luna"], "bestanden/nicht bestanden"),
        (["回答A", "回答B"], ["判定A", "判定B"], "合格/不合格"),
        (["answer old", "answer new"], ["check old", "check new"], "✔️/✘"),
        (["reply 1", "reply 2"], ["QA 1", "QA 2"], "Pass/Pass with comments/Fail"),
    ],
)
def test_verdicts_in_the_words_of_a_company_are_grades_of_the_answers_beside_them(answers, grades, words):
    cells = words.split("/")
    rows = [
        {"question": f"How far is river {n} from the town?"}
        | {name: f"a text number {n} by {name}" for name in answers}
        | {name: cells[(n + place) % len(cells)] for place, name in enumerate(grades)}
        for n in range(30)
    ]
    found = guessed(*rows)

    assert [found[name] for name in (*answers, *grades)] == ["output", "output", "score", "score"]


def test_a_variant_that_is_always_right_is_graded_like_the_other():
    rows = [
        {"question": f"Where is river {n}?", "reply old": f"in land {n}", "reply new": f"land {n}"}
        | {"check old": ["OK", "KO"][n % 2], "check new": "OK"}
        for n in range(30)
    ]
    found = guessed(*rows)

    assert [found["check old"], found["check new"]] == ["score", "score"]


def test_answers_that_are_right_or_wrong_are_no_verdicts_where_the_reference_is_one_of_them():
    rows = [
        {"Aussage": f"Der Fluss {n} ist lang.", "expected": ["richtig", "falsch"][n % 2]}
        | {"gpt-4o": ["richtig", "falsch"][(n + (n % 7 == 0)) % 2], "luna": ["richtig", "falsch"][n // 2 % 2]}
        for n in range(40)
    ]
    found = guessed(*rows)

    assert [found[name] for name in ("expected", "gpt-4o", "luna")] == ["reference", "output", "output"]


def test_marks_beside_answers_in_a_language_without_blanks_are_their_grades():
    rows = [
        {
            "質問": f"設定{n}を変更するにはどうすればよいですか。",
            "模範回答": f"設定の画面で{n}番を変更します。",
            "旧プロンプト回答": f"画面で{n % 7}番を変えてください。",
            "旧評価": "○△×"[n % 3],
            "新プロンプト回答": f"設定の{n % 7}番です。",
            "新評価": "○○×"[n % 3],
        }
        for n in range(30)
    ]
    found = guessed(*rows)

    assert [found[name] for name in ("旧プロンプト回答", "新プロンプト回答", "旧評価", "新評価")] == [
        "output",
        "output",
        "score",
        "score",
    ]


def test_a_measure_that_differs_between_the_variants_of_a_row_is_a_score():
    rows = [
        {
            "question_id": n,
            "model": model,
            "prompt": f"p {n}",
            "code": f"{model} {n}",
            "pass@1": (n + place) % 3 / 2,
        }
        for n in range(30)
        for place, model in enumerate(["gpt", "o1"])
    ]
    columns = {name: [row[name] for row in rows] for name in rows[0]}

    assert find(columns).grades == ("pass@1",)


def test_an_answer_that_another_one_agrees_with_more_is_no_reference_between_them():
    labels = ["yes", "no", "unsure"]
    rows = [
        {
            "record": f"{WORDS[n % 11]} and company, street {n}",
            "Duplicate?": labels[n % 3],
            "splink": labels[(n + (n < 12)) % 3],
            "GPT-4o prompt": labels[(n + (n < 7 or 20 <= n < 31)) % 3],
        }
        for n in range(60)
    ]
    found = guessed(*rows)

    assert (found["Duplicate?"], found["splink"]) == ("reference", "output")


def test_numbers_behind_the_same_letters_are_the_key():
    rows = [
        {
            "claim_ref": f"CLM-{n * 7919 % 99991:05}",
            "notes": f"It was {WORDS[n % 11]} in the {WORDS[n % 7]} {n}",
        }
        | {
            "decision": "yes" if n % 3 else "no",
            "gpt": "yes" if n % 3 and n % 5 else "no",
            "llama": "yes" if n % 3 or n % 4 == 0 else "no",
        }
        for n in range(40)
    ]
    found = guessed(*rows)

    assert (found["claim_ref"], found["notes"]) == ("key", "inputs")


def test_words_of_roles_are_written_as_names_are_read():
    words = {
        word
        for words in (*vars(role_words).values(), *vars(score_words).values())
        if isinstance(words, set) and words is not role_words.REFERENCE_NAMES
        for word in words
    }
    assert [word for word in words if any("à" <= letter <= "ÿ" for letter in word)] == []
    assert words_of("Übersetzung préférée") == {"ubersetzung", "preferee"}


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("should_refuse", [True, False]),
        ("must_refuse", ["yes", "no"]),
        ("prompt type", ["safe", "unsafe"]),
        ("expected_behavior", ["refuse", "comply"]),
        ("is_harmful", [1, 0]),
    ],
)
def test_a_column_that_says_what_should_be_refused_is_the_reference(name, cells):
    rows = [
        {"prompt": f"Tell me how to cross river {n}.", name: cells[n % 2], "topic": ["a", "b", "c"][n % 3]}
        | {
            f"answer_{model}": f"Of course, river {n} has a bridge ({model})."
            for model in ("gpt-4o", "llama-3")
        }
        for n in range(30)
    ]
    found = guessed(*rows)

    assert [found[column] for column in (name, "answer_gpt-4o", "answer_llama-3", "topic")] == [
        "reference",
        "output",
        "output",
        "metadata",
    ]


def test_what_was_refused_is_no_expectation():
    rows = [
        {
            "prompt": f"Tell me how to cross river {n}.",
            "answer_gpt-4o": f"Over bridge {n}.",
            "answer_luna": f"{n} boats.",
        }
        | {"refused_gpt-4o": bool(n % 2), "refused_luna": bool(n % 3)}
        for n in range(30)
    ]

    assert "reference" not in guessed(*rows).values()


@pytest.mark.parametrize("names", [("tool", "arguments"), ("intent", "slots")])
def test_a_reference_in_two_columns_is_in_both_of_them(names):
    def output(n):
        return json.dumps({names[0]: ["find", "book"][n % 2], names[1]: {"city": f"town {n % 9}"}})

    rows = [
        {"utterance": f"Number {n}: is there a room?", "id": f"u{n}", "expected_latency": n % 5}
        | {
            f"expected_{names[0]}": ["find", "book"][n % 2],
            f"expected_{names[1]}": f'{{"city": "town {n % 9}"}}',
        }
        | {"gpt_output": output(n), "luna_output": output(n + n % 3)}
        for n in range(30)
    ]
    found = guessed(*rows)

    assert [found[f"expected_{name}"] for name in names] == ["reference", "reference"]
    assert [found[name] for name in ("gpt_output", "luna_output", "expected_latency")] == [
        "output",
        "output",
        "metadata",
    ]


@pytest.mark.parametrize(
    ("name", "cell", "role"),
    [
        ("mqm_{}", lambda n: n * 7 % 23, "low score"),
        ("{}_mqm", lambda n: -(n * 7 % 23), "score"),
        ("penalty points {}", lambda n: 100 - n * 7 % 23, "score"),
        ("penalización_mqm_{}", lambda n: n % 6, "low score"),
        ("errors_{}", lambda n: [{"severity": "minor"}] * (n % 3), "low score"),
        ("{}_fehler", lambda n: json.dumps([{"schwere": "schwer", "art": "Stil"}] * (n % 3)), "low score"),
    ],
)
def test_penalties_for_errors_are_scores_of_the_outputs_beside_them(name, cell, role):
    rows = [
        {"source": f"Press button {n} for a while.", "reference": f"Taste {n} eine Weile drücken."}
        | {f"{name}": f"Den Knopf {n} drücken ({name})." for name in ("nmt", "llm")}
        | {name.format(model): cell(n + place) for place, model in enumerate(("nmt", "llm"))}
        for n in range(30)
    ]
    found = guessed(*rows)

    assert [found[column] for column in ("nmt", "llm", name.format("nmt"), name.format("llm"))] == [
        "output",
        "output",
        role,
        role,
    ]


def test_answers_among_the_inputs_of_a_grader_are_outputs_and_its_outputs_scores():
    rows = [
        {"inputs.query": f"q {n}?", "inputs.response": f"It is {n}.", "inputs.ground_truth": f"{n}"}
        | {"outputs.f1_score.f1_score": n / 40, "outputs.f1_score.f1_result": ["pass", "fail"][n % 2]}
        for n in range(40)
    ]
    found = guessed(*rows)

    assert [found[name] for name in rows[0]] == ["inputs", "output", "reference", "score", "score"]


def calls_of_models():
    for n in range(30):
        for model in ("v3", "v4"):
            yield {
                "id": f"{model}-{n}",
                "inputs.model": f"ref/{model}",
                "inputs.example.ticket": f"ticket {n}",
            } | {
                "inputs.example.expected": ["a", "b"][n % 2],
                "output.output.label": ["a", model][n % 3 % 2],
                "output.scores.exact.correct": n % 2 == 0,
                "output.model_latency": n / 7,
            }


def test_scores_among_the_outputs_of_calls_are_scores_and_a_model_among_the_inputs_is_the_variant():
    rows = [*calls_of_models()]
    long = find({name: [row[name] for row in rows] for name in rows[0]})

    assert [guessed(*rows)[name] for name in [*rows[0]][3:]] == ["reference", "output", "score", "latency_s"]
    assert (long.variant, long.output, long.is_sure) == ("inputs.model", "output.output.label", True)


def test_lists_with_the_members_that_a_reference_has_between_bars_are_outputs():
    right = [[f"city {n}", f"town {n % 7}"] if n % 3 else [f"city {n}"] for n in range(ROWS)]
    rows = [
        {"question": f"where is {n}?", "targetValue": "|".join(known)}
        | {"tapas": known if n % 2 else [f"city {n + 1}"], "evidence": [f"{known[0]} lies on hill {n}", "no"]}
        for n, known in enumerate(right)
    ]

    assert [guessed(*rows)[name] for name in ("targetValue", "tapas", "evidence")] == [
        "reference",
        "output",
        "metadata",
    ]


def test_lists_of_the_words_for_each_answer_are_right_and_not_the_sentence_beside_them():
    genes = [f"GENE{n}" for n in range(ROWS)]
    rows = [
        {
            "body": f"which gene is {n}?",
            "ideal_answer": [f"It is {gene}."],
            "exact_answer": [[gene, f"{gene} gene"]],
        }
        | {"small": gene if n % 2 else genes[n - 1], "large": f"{gene} gene"}
        for n, gene in enumerate(genes)
    ]

    assert [*guessed(*rows).values()] == ["inputs", "metadata", "reference", "output", "output"]


def test_words_before_their_tags_are_the_inputs():
    words = ["Anna", "went", "to", "Rome", "and", "Lena", "said", "so"]
    tags = ["B-PER", "O", "O", "B-LOC", "O", "B-PER", "O", "O"]
    rows = [
        {
            "token": words[n % 8],
            "gold": tags[n % 8],
            "crf": tags[n * 5 % 8 if n % 4 else n % 8],
            "bert": tags[n % 8],
        }
        for n in range(60)
    ]

    assert guessed(*rows)["token"] == "inputs"


def test_a_word_for_what_should_be_said_names_the_reference():
    rows = [
        {
            "Frage": f"Wo ist Fluss {n}?",
            "Soll-Antwort": f"Land {n % 13}",
            "Antwort KI": f"In Land {n % 13 + n % 2}",
        }
        for n in range(40)
    ]
    found = guessed(*rows)

    assert (found["Soll-Antwort"], found["Antwort KI"]) == ("reference", "output")


def test_a_second_column_of_ids_is_not_what_was_asked():
    rows = [
        {
            "id": f"batch_req_{n * 7919:012x}",
            "custom_id": f"mail-{n}",
            "status": 200,
            "note": f"n{n}",
            "prediction": "a",
        }
        for n in range(40)
    ]
    found = guessed(*rows)

    assert (found["custom_id"], found["id"], found["note"]) == ("metadata", "key", "metadata")


def test_the_only_structure_beside_a_key_is_the_answer():
    rows = [{"id": f"simple_{n}", "result": [{"find": f'{{"n": {n}}}'}], "latency": n / 7} for n in range(40)]

    calls = [{**row, "result": f"[find(n={n})]"} for n, row in enumerate(rows)]

    assert guessed(*rows) == {"id": "key", "result": "output", "latency": "latency_s"}
    assert guessed(*calls) == {"id": "key", "result": "output", "latency": "latency_s"}
    assert guessed(*({"id": row["id"], "result": row["result"]} for row in calls))["result"] == "metadata"
    assert guessed(*({**row, "expected": "a"} for row in rows))["result"] != "output"


def test_measures_inside_an_object_are_scores_and_counts_are_not():
    rows = [
        {
            "instance_id": f"id{n}",
            "predicted_text": f"It is {n}",
            "stats": {"exact_match": n % 2, "num_tokens": n},
        }
        for n in range(40)
    ]
    found = guessed(*rows)

    assert (found["stats.exact_match"], found["stats.num_tokens"]) == ("score", "metadata")


def test_verdicts_without_answers_stand_in_their_place():
    rows = [
        {
            "id": f"T-{n:03}",
            "verdict of A": ["fail", "pass"][n % 3 > 0],
            "verdict of B": ["fail", "pass"][n % 5 > 0],
        }
        for n in range(40)
    ]
    content = "\n".join(map(json.dumps, rows)).encode()
    guesses = ingest.preview(io.BytesIO(content), "rows.jsonl", limits=ingest.Limits()).guesses

    assert [(guesses[name].role, guesses[name].variant, guesses[name].name) for name in guesses] == [
        ("score", "A", "verdict of"),
        ("score", "B", "verdict of"),
    ]
    assert (
        guessed(*({**row, "reply": f"It is {n}, I think"} for n, row in enumerate(rows)))["verdict of A"]
        != "score"
    )
    assert guessed(*({"id": f"T-{n}", "is_new": n % 2} for n in range(40)))["is_new"] == "metadata"


def test_lists_of_numbers_with_names_are_columns_and_stand_in_place_of_answers():
    def measure(name, number):
        return {"name": {"name": name, "split": "test"}, "count": 1, "sum": number, "mean": number}

    rows = [
        {
            "instance_id": f"id{n}",
            "stats": [
                measure("num_tokens", 500 + n),
                measure("exact_match", float(n % 3 > 0)),
                measure("index", n % 4),
            ],
        }
        for n in range(40)
    ]

    assert guessed(*rows) == {
        "instance_id": "key",
        "num_tokens": "metadata",
        "exact_match": "score",
        "index": "metadata",
    }


def _of_mmlu_pro(n, *models):
    said = {model: "ABCDEFGHIJ"[(n * 7 + (n % (3 + place) == 0)) % 10] for place, model in enumerate(models)}
    return {
        "question_id": n,
        "question": f"What is {n}?",
        "answer": "ABCDEFGHIJ"[n * 7 % 10],
        **{
            f"model_outputs{model}": f"Let us think about {n}. The answer is ({said[model]})."
            for model in models
        },
        **{f"pred{model}": said[model] for model in models},
    }


def test_the_answer_read_out_of_an_output_is_no_other_variant():
    found = guessed(*(_of_mmlu_pro(n, "_Qwen3-8B", "_Phi-4") for n in range(40)))

    assert [name for name, role in found.items() if role == "output"] == [
        "model_outputs_Qwen3-8B",
        "model_outputs_Phi-4",
    ]


def test_of_one_model_it_is_no_second_one():
    rows = [_of_mmlu_pro(n, "") for n in range(40)]
    one = guessed(*({"model": "Phi-4", **row} for row in rows))
    unknown = guessed(*rows)

    assert [name for name, role in one.items() if role == "output"] == ["model_outputs"]
    assert [name for name, role in unknown.items() if role == "output"] == ["model_outputs", "pred"]


def test_a_second_reference_is_no_output_and_measures_named_after_the_outputs_are_their_scores():
    def translated(n, words, answer):
        right = words(8)
        texts = {"source": words(8), "target": right, "original_target": answer(right, f"{right} {words(1)}")}
        made = {f"mt_{model}": answer(right, words(8)) for model in ("tower", "madlad")}
        measured = {
            f"comet22_{model}": 0.5 + n / 200 + place for place, model in enumerate(("tower", "madlad"))
        }
        return {"segment_id": n + 1, **texts, **made, **measured}

    found = guessed(*data(translated))

    assert [found[name] for name in ("target", "original_target")] == ["reference", "metadata"]
    assert [found[f"mt_{model}"] for model in ("tower", "madlad")] == ["output", "output"]
    assert [found[f"comet22_{model}"] for model in ("tower", "madlad")] == ["score", "score"]


def test_what_a_grader_calls_answers_that_are_known_by_name_is_no_further_output():
    def graded(n, words, answer):
        label = "unsafe" if n % 3 == 0 else "safe"
        said = {
            f"{model}_completion": answer("Sure, do this first.", "I cannot help with that.") + f" {words(3)}"
            for model in ("phi4", "mistral_small")
        }
        called = {
            f"{model}_final_label": answer("2_full_refusal", "1_full_compliance")
            if label == "unsafe"
            else answer("1_full_compliance", "2_full_refusal")
            for model in ("phi4", "mistral_small")
        }
        return {"id": f"v2-{n}", "prompt": f"{words(6)}?", "label": label, **said, **called}

    found = guessed(*data(graded))

    assert [found[f"{model}_completion"] for model in ("phi4", "mistral_small")] == ["output"] * 2
    assert [found[f"{model}_final_label"] for model in ("phi4", "mistral_small")] == ["metadata"] * 2


def test_of_two_labels_the_one_that_outputs_equal_is_the_reference():
    intents = [f"{scenario}_{what}" for scenario in ("play", "alarm", "news") for what in ("set", "query")]

    def labelled(n, words, answer):
        intent, wrong = (
            intents[n % 6],
            intents[(n + 3) % 6 if n % 9 == 0 else (n % 6) ^ 1],
        )  # mostly a sibling
        spoken = {"id": n, "scenario": intent.partition("_")[0], "intent": intent, "utt": words(6)}
        return spoken | {"camembert_ft": answer(intent, wrong), "mistral_large_0shot": answer(intent, wrong)}

    found = guessed(*data(labelled))

    assert (found["scenario"], found["intent"]) == ("metadata", "reference")
    assert (found["camembert_ft"], found["mistral_large_0shot"]) == ("output", "output")


def test_what_models_said_of_a_label_is_no_label_itself():
    def labelled(n, words, answer):
        intent, wrong = f"{WORDS[n % 6]}_set", f"{WORDS[(n * 5 + 2) % 6]}_set"
        return {"id": n, "utt": words(6), "intent": intent} | {
            f"intent_{model}": answer(intent, wrong) for model in ("gemini_flash", "xlmr")
        }

    found = guessed(*data(labelled))

    assert found["intent"] == "reference"
    assert (found["intent_gemini_flash"], found["intent_xlmr"]) == ("output", "output")


def test_what_should_be_refused_stays_the_reference_where_answers_say_another_column():
    def asked(n, words, answer):
        topic = WORDS[n % 11]
        row = {"id": f"v2-{n}", "prompt": f"How do I kill a {topic}?", "label": ["safe", "unsafe"][n % 2]}
        said = {
            f"completion_{model}": answer(f"Take the {topic} and {words(3)}.", "I cannot help with that.")
            for model in ("mistral", "llama2")
        }
        return row | {"focus": topic} | said

    found = guessed(*data(asked))

    assert (found["label"], found["focus"]) == ("reference", "metadata")


def test_the_only_column_of_a_model_that_reasons_is_its_output():
    def solved(n, words, answer):
        return {"ID": f"c{n}", "Question": f"{words(5)}?", "Answer": n + 7} | {
            model: f"The sum is {answer(n + 7, n + 8)}."
            for model in ("phi4_reasoning", "gemma3_4b", "llama32_3b")
        }

    found = guessed(*data(solved))

    assert [found[name] for name in ("phi4_reasoning", "gemma3_4b", "llama32_3b")] == ["output"] * 3


def test_the_correct_option_of_medmcqa_is_the_reference_and_its_options_are_inputs():
    def asked(n, words, answer):
        right, wrong = "ABCD"[n % 4], "ABCD"[(n * 7 + 1) % 4]
        options = {f"op{letter}": f"{letter} {words(2)}" for letter in "abcd"}
        said = {}
        for model in ("meditron", "o4mini"):
            choice = answer(right, wrong)
            said |= {
                f"{model}_raw": f"{words(12)}. Final answer: {choice}",
                f"{model}_choice": choice,
            }
        return {"id": f"{n}-x", "question": f"{words(6)}?", **options, "cop": n % 4, "exp": words(9), **said}

    found = guessed(*data(asked))

    assert [found[name] for name in ("opa", "opd", "cop", "exp")] == [
        "inputs",
        "inputs",
        "reference",
        "metadata",
    ]
    assert [found[f"{model}_raw"] for model in ("meditron", "o4mini")] == ["output"] * 2
    assert [found[f"{model}_choice"] for model in ("meditron", "o4mini")] == ["metadata"] * 2


def test_numbers_that_count_options_are_their_letters():
    """Two models with short answers, of which one often gives the letter alone."""

    def asked(n, words, answer):
        right, wrong = "ABCD"[n % 4], "ABCD"[(n * 7 + 1) % 4]
        options = {f"op{letter}": f"{letter} {words(2)}" for letter in "abcd"}
        said = {}
        for number, model in enumerate(("medgemma27b", "llama31_8b")):
            choice = answer(right, wrong)
            whole = f"The answer is ({choice}) {words(4)}" if number == 0 or n % 3 else choice
            said |= {f"{model}_raw": whole, f"{model}_choice": choice}
        explained = {"exp": f"Ans. is '{right.lower()}' i.e. {words(3)}"}
        return {"id": f"{n}-x", "question": f"{words(6)}?", **options, "cop": n % 4 + 1, **explained, **said}

    found = guessed(*data(asked))

    assert [found[f"{model}_raw"] for model in ("medgemma27b", "llama31_8b")] == ["output"] * 2
    assert [found[f"{model}_choice"] for model in ("medgemma27b", "llama31_8b")] == ["metadata"] * 2
    assert found["exp"] == "metadata"


def test_the_confidence_of_one_classifier_is_no_score():
    def said(n, words, answer):
        right, wrong = ("joke", "alarm", "news")[n % 3], ("news", "joke", "alarm")[n % 3]
        one, other = answer(right, wrong), answer(right, wrong)
        return {
            "utt": words(5),
            "intent": right,
            "camembert_ft": one,
            "camembert_ft_score": 0.9 - n / 100,
            "mistral_zeroshot": other,
        }

    found = guessed(*data(said))

    assert found["camembert_ft_score"] == "metadata"
    assert [found[name] for name in ("camembert_ft", "mistral_zeroshot")] == ["output"] * 2


def test_two_texts_that_judges_compared_are_inputs_and_the_judges_are_outputs():
    def judged(n, words, answer):
        right, wrong = ("A>B", "B>A")[n % 2], ("B>A", "A>B")[n % 2]
        said = {}
        for judge in ("o4mini", "gemma27b"):
            verdict = answer(right, wrong)
            said |= {
                f"judge_{judge}_output": f"{words(12)}. [[{verdict}]]",
                f"judge_{judge}_decision": verdict,
            }
        texts = {"response_model": "gpt-4o", "response_A": words(20), "response_B": words(20)}
        return {"pair_id": f"p{n}-x", "question": words(9), **texts, "label": right, **said}

    found = guessed(*data(judged))

    assert [found[name] for name in ("response_A", "response_B", "response_model")] == [
        "inputs",
        "inputs",
        "metadata",
    ]
    assert [found[f"judge_{judge}_output"] for judge in ("o4mini", "gemma27b")] == ["output"] * 2
    assert found["label"] == "reference"


def test_texts_that_part_the_rows_as_numbers_do_are_outputs_whatever_their_names():
    def inferred(n, words, answer):
        named = ("entailment", "neutral", "contradiction")
        told = {tool: answer(named[n % 3], named[(n + 1) % 3]) for tool in ("camembert", "judge_2")}
        return {"premise": words(8), "hypothesis": words(5), "label": n % 3, "genre": WORDS[n % 4], **told}

    found = guessed(*data(inferred))

    assert [found[name] for name in ("camembert", "judge_2", "genre")] == ["output", "output", "metadata"]


def test_options_may_be_called_ans():
    def asked(n, words, answer):
        options = {f"ans{place}": f"{'xyz'[place]} {words(1)}" for place in range(3)}
        said = {model: f"({answer('abc'[n % 3], 'abc'[(n + 1) % 3])})" for model in ("haiku", "sonnet")}
        return {"context": words(8), "question": words(4), **options, "label": n % 3, **said}

    found = guessed(*data(asked))

    assert [found[name] for name in ("ans0", "ans2", "haiku", "sonnet")] == ["inputs", "inputs"] + [
        "output"
    ] * 2


@pytest.mark.parametrize("are_listed", [False, True])
def test_the_letter_of_the_right_option_is_the_reference_beside_its_text(are_listed):
    """A model that says a letter alone is right, too, and one that says the text is read by the options."""

    def asked(n, words, answer):
        options = {letter: f"{letter.lower()}{n} {words(1)}" for letter in "ABCD"}
        right, wrong = "ABCD"[n % 4], "ABCD"[(n + 1) % 4]
        one, other = answer(right, wrong), answer(right, wrong)
        said = {"llama": one, "gpt": f"{options[other]} is what helps ({other})."}
        shown = [*options.values()] if are_listed else options
        return {
            "question": words(8),
            "answer": options[right],
            "options": shown,
            "answer_idx": right,
            **said,
        }

    found = guessed(*data(asked))

    assert [found[name] for name in ("answer_idx", "answer", "options")] == [
        "reference",
        "metadata",
        "inputs",
    ]
    assert [found[name] for name in ("llama", "gpt")] == ["output"] * 2


def test_another_column_of_letters_is_no_reference():
    def asked(n, words, answer):
        options = {letter: f"{letter.lower()}{n} {words(1)}" for letter in "ABCD"}
        right, wrong = options["ABCD"[n % 4]], options["ABCD"[(n + 1) % 4]]
        said = {model: answer(right, wrong) for model in ("llama", "gpt")}
        return {"question": words(8), "answer": right, "options": options, "step": "ABBA"[n % 4], **said}

    found = guessed(*data(asked))

    assert [found[name] for name in ("answer", "step")] == ["reference", "metadata"]


def test_the_only_column_of_lists_is_no_answer_among_texts():
    """The corrections of a sentence, of which one tool often makes the first."""

    def corrected(n, words, answer):
        rights = [f"he{n} went{n} home{n} by{n} {end}" for end in ("bus", "foot", "car")]
        said = {tool: answer(rights[place], words(6)) for place, tool in enumerate(("gector", "gpt35"))}
        measured = {f"gleu_{tool}": n / 100 for tool in said}
        return {"sentence": f"He go to {words(5)} {n}", "corrections": rights, **said, **measured}

    found = guessed(*data(corrected))

    assert [found[name] for name in ("corrections", "gector", "gpt35")] == ["reference", "output", "output"]
    assert [found[name] for name in ("gleu_gector", "gleu_gpt35")] == ["score"] * 2


def test_what_judges_found_of_pairs_stands_in_place_of_answers():
    def judged(n, words, answer):
        pair = {"chosen": words(9), "chosen_model": "big", "rejected": words(9), "rejected_model": "small"}
        found = {f"results_{judge}": answer(1, 0) for judge in ("skywork", "other")}
        return {"prompt": words(7), **pair, "subset": "chat", **found}

    found = guessed(*data(judged))

    assert [found[name] for name in ("chosen", "rejected")] == ["inputs"] * 2
    assert [found[f"results_{judge}"] for judge in ("skywork", "other")] == ["score"] * 2


def test_what_judges_say_of_answers_is_held_against_the_label_with_the_same_values():
    def judged(n, words, answer):
        right = ("yes", "no")[n % 2]
        said = {f"judgement_{name}": answer(right, "no").title() for name in ("small", "other")}
        return {
            "question": words(7),
            "answer": words(4),
            "hallucination": right,
            "source": "ab"[n % 2],
            **said,
        }

    found = guessed(*data(judged))

    assert [found[name] for name in ("hallucination", "answer", "source")] == [
        "reference",
        "inputs",
        "metadata",
    ]
    assert [found[f"judgement_{name}"] for name in ("small", "other")] == ["output"] * 2


def test_judges_of_a_chosen_and_a_rejected_text_are_the_outputs_and_not_the_models_that_wrote_these():
    def judged(n, words, answer):
        right, wrong = "AB"[n % 2], "BA"[n % 2]
        pair = {
            "chosen": words(12),
            "chosen_model": ("gpt-4", "tulu-2-70b")[n % 2],
            "rejected": words(12),
            "rejected_model": ("guanaco-33b", "llama-2-7b")[n % 3 % 2],
        }
        said = {}
        for judge in ("claude-sonnet-4", "gemma-3-27b"):
            picked = answer(right, wrong)
            said |= {f"judge_{judge}": f"{words(15)}. [[{picked}]]", f"pick_{judge}": picked}
        return {"id": f"{n}-x", "prompt": words(8), **pair, "chosen_position": right, **said}

    found = guessed(*data(judged))

    assert [found[name] for name in ("chosen", "rejected", "chosen_position")] == [
        "inputs",
        "inputs",
        "reference",
    ]
    assert [found[f"judge_{judge}"] for judge in ("claude-sonnet-4", "gemma-3-27b")] == ["output"] * 2


def test_rankings_of_two_searches_are_outputs_beside_the_ids_that_are_relevant():
    def searched(n, words, answer):
        relevant, others = f"9{n}12", [f"{place}7{n % 10}3" for place in range(9)]
        found = {}
        for search in ("bm25", "e5_base"):
            first = answer([relevant, *others], [*others, relevant])
            found |= {f"{search}_top10": first, f"{search}_ndcg@10": 1.0 if first[0] == relevant else 0.3}
            found[f"{search}_recall@10"] = n % 2
        return {"_id": f"q-{n}", "text": words(9), "qrels": {relevant: 1}, **found}

    found = guessed(*data(searched))

    assert [found[name] for name in ("qrels", "bm25_top10", "e5_base_top10")] == [
        "reference",
        "output",
        "output",
    ]
    assert [found[f"{search}_ndcg@10"] for search in ("bm25", "e5_base")] == ["score"] * 2


@pytest.mark.parametrize(
    ("asked", "first", "role"),
    [("behavior", 0, "low score"), ("behavior", 1, "metadata"), ("task", 0, "metadata")],
)
def test_a_label_beside_outputs_is_a_score_only_where_it_says_that_an_attack_succeeded(asked, first, role):
    def attacked(n, words, answer):
        said = {}
        for guard, label in (("none", int(n % 4 != 0)), ("guard", int(n % 4 == 0))):
            text = (
                f"Sure, here is how. {words(9)}"
                if label != first
                else "I'm sorry, but I can't help with that."
            )
            said |= {f"generation_{guard}": text, f"label_{guard}": label}
        return {"id": f"{n}-x", asked: words(9), **said}

    found = guessed(*data(attacked))

    assert [found[f"generation_{guard}"] for guard in ("none", "guard")] == ["output"] * 2
    assert [found[f"label_{guard}"] for guard in ("none", "guard")] == [role] * 2


def test_answers_read_out_of_outputs_are_no_scores_though_they_are_numbers():
    def asked(n, words, answer):
        said = {}
        for model in ("elyza_8b", "llm-jp-3"):
            place = answer(n % 5, (n + 1) % 5)
            said |= {f"{model}_出力": f"答えは{place}です。{words(6)}", f"{model}_予測": place}
        options = {f"choice{place}": f"{'vwxyz'[place]} {words(1)}" for place in range(5)}
        return {"q_id": f"{n}-x", "question": words(7), **options, "label": n % 5, **said}

    found = guessed(*data(asked))

    assert [found[f"{model}_出力"] for model in ("elyza_8b", "llm-jp-3")] == ["output"] * 2
    assert [found[f"{model}_予測"] for model in ("elyza_8b", "llm-jp-3")] == ["metadata"] * 2


def test_numbers_of_chosen_options_are_no_scores_beside_a_column_that_is_called_correct():
    def asked(n, words, answer):
        right, wrong = n % 4 + 1, (n + 1) % 4 + 1
        options = {f"mc_answer{place}": f"{'wxyz'[place - 1]} {words(1)}" for place in range(1, 5)}
        said = {}
        for model in ("qwen", "llama"):
            chosen = answer(right, wrong)
            said |= {f"sortie_{model}": f"{chosen}) {words(3)}", f"choix_{model}": chosen}
        return {
            "flores_passage": words(20),
            "question": words(7),
            **options,
            "correct_answer_num": right,
            **said,
        }

    found = guessed(*data(asked))

    assert [found[name] for name in ("mc_answer1", "mc_answer4", "correct_answer_num")] == [
        "inputs",
        "inputs",
        "reference",
    ]
    assert [found[f"sortie_{model}"] for model in ("qwen", "llama")] == ["output"] * 2
    assert [found[f"choix_{model}"] for model in ("qwen", "llama")] == ["metadata"] * 2


def test_finer_labels_of_the_reference_are_no_output():
    def labelled(n, words, answer):
        fine = ("OTHER", "INSULT", "ABUSE")[n % 3]
        coarse = "OTHER" if fine == "OTHER" else "OFFENSE"
        wrong = "OFFENSE" if coarse == "OTHER" else "OTHER"
        said = {model: answer(coarse, wrong) for model in ("gpt4o-mini", "leo-13b")}
        return {"tweet": f"{words(9)} {n}", "label_coarse": coarse, "label_fine": fine, **said}

    found = guessed(*data(labelled))

    assert [found[name] for name in ("label_coarse", "label_fine", "gpt4o-mini", "leo-13b")] == [
        "reference",
        "metadata",
        "output",
        "output",
    ]


def test_measures_may_be_named_after_the_beginnings_of_outputs():
    def translated(n, words, answer):
        right = f"{words(6)} {n}"
        said = {name: answer(right, words(6)) for name in ("nllb-200", "gpt-4.1-mini", "TowerInstruct-7B")}
        measured = {f"{m}_{s}": n / 100 for m in ("chrf", "comet") for s in ("nllb", "gpt", "tower")}
        return {"sentence_eng": f"{words(8)} {n}", "reference": right, **said, **measured, "chrf_max": n / 90}

    found = guessed(*data(translated))

    assert {found[f"{m}_{s}"] for m in ("chrf", "comet") for s in ("nllb", "gpt", "tower")} == {"score"}
    assert found["chrf_max"] == "metadata"


def test_the_object_in_a_raw_output_is_no_other_variant():
    def found_by(n, words, answer):
        wanted, other = [{"text": words(1), "type": "place"}], [{"text": f"x{n}", "type": "person"}]
        said = {}
        for model in ("gpt41", "gemma3"):
            entities = answer(wanted, other)
            shown = f"```json\n{json.dumps({'entities': entities}, indent=1)}\n```"
            said |= {f"{model}_raw": shown, f"{model}_entities": entities}
        return {"id": f"{n}-x", "tokens": words(8).split(), "entities": wanted, **said}

    found = guessed(*data(found_by))

    assert [found[f"{model}_raw"] for model in ("gpt41", "gemma3")] == ["output"] * 2
    assert [found[f"{model}_entities"] for model in ("gpt41", "gemma3")] == ["metadata"] * 2


def test_what_two_games_were_won_by_is_no_right_answer():
    def played(n, words, answer):
        winners = ("model_1", "model_2", "tie")
        games = {f"g{game}_winner": answer(winners[n % 3], winners[(n + 1) % 3]) for game in (1, 2)}
        pair = {"model_1": "qwen", "model_2": "llama", "judge": ["gpt-4", "pair-v2"]}
        return {"question_id": f"{n}-x", **pair, **games, "g1_judgment": f"{words(12)} [[A]]"}

    found = guessed(*data(played))

    assert {found["g1_winner"], found["g2_winner"], found["judge"]} == {"metadata"}


def test_scores_that_fall_where_outputs_refuse_what_they_should_are_better_low():
    """`score` of StrongREJECT is how much an answer helps with what is forbidden."""

    def attacked(n, words, answer):
        said = {}
        for system in ("base", "guard"):
            refused = answer(system == "guard", n % 2)
            text = "I can't help with that." if refused else f"Sure. {words(9)}"
            said |= {f"response_{system}": text, f"refusal_{system}": int(refused)}
            said[f"score_{system}"] = 0.0 if refused else 0.75
        return {
            "category": WORDS[n % 3],
            "source": "ab"[n % 2],
            "forbidden_prompt": f"{words(9)} {n}",
            **said,
        }

    found = guessed(*data(attacked))

    assert [found[f"score_{system}"] for system in ("base", "guard")] == ["low score"] * 2
    assert [found[f"refusal_{system}"] for system in ("base", "guard")] == ["score"] * 2
    assert [found[name] for name in ("forbidden_prompt", "source")] == ["inputs", "metadata"]


def test_grades_in_words_that_are_called_labels_are_better_high():
    def graded(n, words, answer):
        said = {}
        for model in ("gpt", "o1"):
            said |= {
                f"{model}_response": words(9),
                f"{model}_label": answer("pass", "fail"),
                f"{model}_quality_label": answer("good", "bad"),
            }
        return {"id": f"{n}-x", "question": words(7), **said}

    found = guessed(*data(graded))

    assert {found[f"{model}_{grade}"] for model in ("gpt", "o1") for grade in ("label", "quality_label")} == {
        "score"
    }


def test_what_is_true_of_rows_is_not_said_by_variants():
    def described(n, words, answer):
        flagged = ("yes", "no")[n % 2]
        facts = {f"has_{part}": answer(flagged, "no") for part in ("image", "link")}
        return {"question": words(7), "answer": words(4), "flagged": flagged, **facts}

    found = guessed(*data(described))

    assert {found[name] for name in ("flagged", "has_image", "has_link")} == {"metadata"}


@pytest.mark.parametrize(("letter", "said"), [("chosen by people", "letter"), ("answer_idx", "text")])
def test_letters_are_no_reference_if_they_are_often_others_or_never_said(letter, said):
    """What people chose is seldom wrong; texts alone are compared with the text as it is."""

    def asked(n, words, answer):
        options = {one: f"{one.lower()}{n} {words(1)}" for one in "ABCD"}
        right, wrong = "ABCD"[n % 4], "ABCD"[(n + 1) % 4]
        chosen = answer(right, wrong) if letter == "chosen by people" else right
        outputs = {model: answer(right, wrong) for model in ("llama", "gpt")}
        shown = {model: f"{options[one]} ({one})" for model, one in outputs.items()}
        texts = {model: options[one] for model, one in outputs.items()}
        return {
            "question": words(8),
            "answer": options[right],
            "options": options,
            letter: chosen,
            **(shown if said == "letter" else texts),
        }

    found = guessed(*data(asked))

    assert [found["answer"], found[letter]] == ["reference", "metadata"]


def test_judgements_are_not_held_against_a_label_with_which_they_do_not_agree():
    def judged(n, words, answer):
        said = {f"judgement_{name}": answer("yes", "no") for name in ("small", "large")}
        return {"question": words(7), "answer": words(4), "is_new": ("yes", "no")[n % 2], **said}

    found = guessed(*data(judged))

    assert {found[name] for name in ("is_new", "judgement_small", "judgement_large")} == {"metadata"}


def test_a_measure_of_some_outputs_or_behind_a_letter_is_no_score():
    def translated(n, words, answer):
        right = f"{words(6)} {n}"
        said = {name: answer(right, words(6)) for name in ("nllb-200", "gpt-4.1-mini", "TowerInstruct-7B")}
        some = {f"comet_{one}": n / 100 for one in ("gpt", "tower")}
        letters = {f"chrf_{one}": n / 100 for one in "ngt"}
        return {"sentence_eng": f"{words(8)} {n}", "reference": right, **said, **some, **letters}

    found = guessed(*data(translated))

    assert {found[name] for name in ("comet_gpt", "comet_tower", "chrf_n", "chrf_g", "chrf_t")} == {
        "metadata"
    }


def test_a_source_of_texts_stays_what_is_asked_beside_a_prompt():
    def translated(n, words, answer):
        right = f"{words(6)} {n}"
        said = {name: answer(right, words(6)) for name in ("gpt-4o", "mistral")}
        return {
            "source": f"{words(9)} {n}",
            "full_prompt": f"Translate it. {words(5)}",
            "reference": right,
            **said,
        }

    assert guessed(*data(translated))["source"] == "inputs"


def test_what_stands_in_an_image_is_the_reference_of_what_was_read_there():
    rows = data(
        lambda n, words, answer: {
            "image": f"scan_{n}.png",
            "text": (line := f"{words(3)} {n}"),
            "tesseract-5": answer(line, f"{line[:-1]}0"),
            "ocr-vlm-1b": line,
        }
    )

    roles = guessed(*rows)

    assert roles == {"image": "inputs", "text": "reference", "tesseract-5": "output", "ocr-vlm-1b": "output"}


def test_a_choice_of_candidate_or_baseline_names_two_outputs():
    rows = data(
        lambda n, words, answer: {
            "prompt": words(9),
            "response": words(8),
            "baseline_model_response": words(8),
            "quality/pairwise_choice": answer("CANDIDATE", ["BASELINE", "TIE"][n % 2]),
        }
    )

    assert guessed(*rows)["quality/pairwise_choice"] == "preferred"


def test_what_was_found_for_an_answer_is_not_the_answer():
    rows = data(
        lambda n, words, answer: {
            "question": words(6),
            "answer": (right := f"{words(2)} {n}"),
            "hybrid_contexts": [f"It is {right}.", words(5)],
            "hybrid_predicted_answer": answer(right, words(3)),
            "bm25_contexts": [words(5), f"It is {right}."],
            "bm25_predicted_answer": answer(f"It is {right}.", words(3)),
        }
    )

    outputs = [name for name, role in guessed(*rows).items() if role == "output"]

    assert outputs == ["hybrid_predicted_answer", "bm25_predicted_answer"]


def test_the_labels_that_the_only_output_says_are_its_reference():
    rows = data(
        lambda n, words, answer: {
            "case": f"case {n}",
            "complaint": words(6),
            "nurse (1-5)": n % 5 + 1,
            "prediction": answer(f"Level {n % 5 + 1}", f"Level {(n + 2) % 5 + 1}"),
        }
    )

    roles = guessed(*rows)

    assert (roles["nurse (1-5)"], roles["prediction"]) == ("reference", "output")


def test_columns_are_known_in_many_languages():
    names = [
        ("Fråga", "Rätt svar", "Svar"),
        ("Pytanie", "Oczekiwana odpowiedź", "Odpowiedź"),
        ("Otázka", "Správná odpověď", "Odpověď"),
        ("Soru", "Doğru cevap", "Cevap"),
        ("Вопрос", "Правильный ответ", "Ответ"),
        ("السؤال", "الإجابة الصحيحة", "الإجابة"),
        ("câu hỏi", "đáp án", "câu trả lời"),
    ]
    for asked, right, said in names:
        assert roles([asked, right, said]) == {asked: "inputs", right: "reference", said: "output"}


def test_numbers_of_variants_are_compared_with_the_grades_that_they_rise_with():
    rows = data(
        lambda n, words, answer: {
            "sentence1": words(6),
            "sentence2": words(6),
            "year": 1990 + n % 20,
            "score": f"{(grade := n * 7 % 26 / 5):.3f}",
            "mxbai-embed-large": f"{grade * 0.9 + n % 3 * 0.2:.4f}",
            "llama3_prompted": f"{answer(grade, grade / 2):.1f}/5",
        }
    )

    roles = guessed(*rows)

    assert (roles["score"], roles["mxbai-embed-large"], roles["llama3_prompted"]) == (
        "reference",
        "output",
        "output",
    )


def test_a_key_of_questions_that_several_judged_is_none():
    rows = data(
        lambda n, words, answer: {
            "question_id": n % 20,
            "question": f"Question {n % 20} about {WORDS[n % 20 % 5]}?",
            "judge": f"expert_{n // 20}",
            "answer_a": words(8),
            "answer_b": words(9),
            "winner": answer("a", "b"),
        }
    )

    roles = guessed(*rows)

    assert (roles["question_id"], roles["winner"]) == ("metadata", "preferred")


def test_what_was_read_out_of_a_raw_output_is_no_variant_of_its_own_although_it_is_nearly_as_long():
    labels = ["alarm_set", "play_music", "news_query"]
    rows = data(
        lambda n, words, answer: {
            "utt": words(6),
            "intent": labels[n % 3],
            "gemma_raw": f'{{"intent": "{(said := answer(labels[n % 3], labels[(n + 1) % 3]))}"}}',
            "gemma_intent": said,
            "llama_intent": (other := labels[(n + n % 4 // 3) % 3]),
            "llama_raw": other if n % 2 else f"Intent: {other}",
        }
    )

    outputs = [name for name, role in guessed(*rows).items() if role == "output"]

    assert outputs == ["gemma_raw", "llama_raw"]


def test_codes_of_answers_are_the_outputs_where_only_they_say_what_the_reference_does():
    rows = data(
        lambda n, words, answer: {
            "premise": words(6),
            "hypothesis": words(5),
            "entailment_judgment": n % 2,
            "sabia3_resposta": f"{words(5)} {words(4)}",
            "sabia3_pred": answer(n % 2, 1 - n % 2),
            "llama33_resposta": f"{words(6)} {words(4)}",
            "llama33_pred": n % 2,
        }
    )

    roles = guessed(*rows)

    assert roles["entailment_judgment"] == "reference"
    assert [name for name, role in roles.items() if role == "output"] == ["sabia3_pred", "llama33_pred"]


def test_harmful_answers_are_no_success():
    rows = data(
        lambda n, words, answer: {
            "question": words(7),
            "olmo_response": words(9),
            "olmo_harmful": int(answer(0, 1)),
            "olmo_action": n % 6,
            "granite_response": words(8),
            "granite_harmful": int(n % 7 == 0),
            "granite_action": n % 5,
        }
    )

    roles = guessed(*rows)

    assert (roles["olmo_harmful"], roles["granite_harmful"]) == ("low score", "low score")
    assert "score" not in roles["olmo_action"]


def test_a_column_called_score_is_the_reference_of_columns_of_models_that_rise_and_fall_with_it():
    grades = [n % 26 / 5 for n in range(60)]
    lines = [
        f"{n},{grade},Sentence {n} here.,Another one {n}.,{grade / 5 + n % 3 / 20:.3f},{grade / 6 + n % 5 / 20:.3f}"
        for n, grade in enumerate(grades)
    ]
    file = "\n".join(["id,score,sentence1,sentence2,glove-avg,all-mpnet-base-v2", *lines])

    found = ingest.preview(io.BytesIO(file.encode()), "stsb.csv", limits=ingest.Limits())

    roles = {name: guess.role for name, guess in found.guesses.items()}
    assert roles["score"] == "reference"
    assert roles["glove-avg"] == roles["all-mpnet-base-v2"] == "output"


def bbq(named, said):
    """Rows whose options and the place of the right one are drawn, with two columns of a chosen option each."""

    def row(n, words, answer):
        options = [f"the {words(2)}", "cannot be determined", f"a {words(2)}"]
        places = [answer(n % 3, (n + 1 + one) % 3) for one in range(2)]
        return {
            "question_index": f"{n % 4}",
            "question": words(6),
            **{f"ans{place}": text for place, text in enumerate(options)},
            "label": n % 3,
            **{name: said(options, place) for name, place in zip(named, places, strict=True)},
        }

    return data(row)


@pytest.mark.parametrize(
    "named", [("t5-11b_pred_race", "t5-11b_pred_arc"), ("race", "arc"), ("x_pred", "y_pred")]
)
@pytest.mark.parametrize(
    "said",
    [
        lambda options, place: options[place].capitalize(),
        lambda options, place: place,
        lambda options, place: "ABC"[place],
    ],
    ids=["text", "number", "letter"],
)
def test_columns_that_choose_an_option_are_outputs_whatever_their_names(named, said):
    roles = guessed(*bbq(named, said))

    assert [*roles.values()] == ["metadata", *["inputs"] * 4, "reference", "output", "output"]


def test_the_text_of_the_right_option_is_no_output():
    rows = [
        row | {"race": row[f"ans{row['race']}"], "right_one": row[f"ans{row['label']}"]}
        for row in bbq(["race", "arc"], lambda options, place: place)
    ]

    assert guessed(*rows)["right_one"] == "metadata"


def test_columns_that_choose_one_of_a_list_are_outputs():
    def row(n, words, answer):
        options = [words(3) for _ in range(4)]
        said = {"first": options[answer(n % 4, (n + 1) % 4)], "second": options[answer(n % 4, (n + 3) % 4)]}
        return {"question": words(6), "choices": options, "answer": n % 4, **said}

    assert [*guessed(*data(row)).values()] == ["inputs", "inputs", "reference", "output", "output"]


def narrative(n, words, answer):
    """A question with two right answers, in two spellings each, and what two systems say."""
    rights = [f"The {words(2)}, {words(1)} and {words(2)}.", f"A {words(2)}; it is {words(2)}!"]
    spelled = {
        f"answer{at}_tokenized": right.lower().replace(",", " ,") for at, right in enumerate(rights, 1)
    }
    asked = f"Who is {words(3)}?"
    return {
        "question": asked,
        "answer1": rights[0],
        "answer2": rights[1],
        "question_tokenized": f"{asked[:-1].lower()} ?",
        **spelled,
        "bidaf": answer(rights[n % 2], words(3)),
        "longformer_led": answer(rights[0], words(4)),
    }


@pytest.mark.parametrize("left_out", [(), ("question_tokenized", "answer1_tokenized", "answer2_tokenized")])
@pytest.mark.parametrize("named", ["{}", "pred_{}"])
def test_numbered_answers_are_right_where_others_agree_and_their_copies_are_nothing(left_out, named):
    rows = [
        {
            named.format(name) if name in ("bidaf", "longformer_led") else name: text
            for name, text in row.items()
        }
        for row in data(narrative)
    ]
    roles = guessed(*({name: text for name, text in row.items() if name not in left_out} for row in rows))

    copies = [] if left_out else ["metadata"] * 3
    assert [*roles.values()] == ["inputs", "reference", "reference", *copies, "output", "output"]


def test_numbered_answers_are_no_outputs_of_what_only_one_system_says():
    rows = [
        {name: row[name] for name in ("question", "answer1", "answer2", "bidaf")} for row in data(narrative)
    ]

    assert guessed(*rows)["bidaf"] != "reference"


@pytest.mark.parametrize("named", ["label{}", "annotator_{}"])
def test_labels_of_raters_whose_majority_is_the_reference_are_no_outputs(named):
    labels = ("entailment", "neutral", "contradiction")

    def row(n, words, answer):
        gold = labels[n % 3]
        said = [gold, labels[n % 2], gold, labels[n * 7 % 3], gold][n % 2 :] + [gold][: n % 2]
        votes = {named.format(at): label for at, label in enumerate(said, 1)}
        systems = {name: answer(gold, labels[(n + at) % 3]) for at, name in enumerate(("mbert", "xlmr"), 1)}
        return {"gold_label": gold, "premise": words(9), "hypothesis": words(5), **votes, **systems}

    roles = guessed(*data(row))

    assert {name for name, role in roles.items() if role == "output"} == {"mbert", "xlmr"}


def test_outputs_that_are_mostly_right_together_are_no_labels_of_raters():
    def row(n, words, answer):
        gold = ("yes", "no")[n % 2]
        wrong = ("no", "yes")[n % 2]
        said = [gold] * 3 if n else [wrong] * 3
        return {"question": words(5), "label": gold, **{f"label_{at}": one for at, one in enumerate(said, 1)}}

    roles = guessed(*data(row))

    assert [roles[f"label_{at}"] for at in (1, 2, 3)] == ["output"] * 3


def test_a_variant_that_answers_in_capitals_is_no_copy():
    def row(n, words, answer):
        right = words(3)
        said = answer(right, words(3))
        return {"question": words(5), "gold": right, "gpt": said, "gpt_new": said.upper()}

    assert [*guessed(*data(row)).values()] == ["inputs", "reference", "output", "output"]


def test_cells_of_many_columns_are_not_compared_with_each_other(monkeypatch):
    looked_at = []

    class Watched(guesses.Columns):
        def __init__(self, columns, rows, named):
            looked_at.append((len(columns), len(rows)))
            super().__init__(columns, rows, named)

    monkeypatch.setattr(guesses, "Columns", Watched)
    for width in (2, 100, 101, 1_000):
        columns = [f"answer {n}" for n in range(width)]
        rows = [dict.fromkeys(columns, f"word {n}") for n in range(200)]
        guesses.guesses(columns, rows, dict.fromkeys(columns, "metadata"))

    assert looked_at == [(2, 200), (100, 40)]


@pytest.mark.parametrize("said", ["{:.5f}", "{:.1%}"])
def test_of_two_right_answers_the_one_that_the_only_output_says_is_the_reference(said):
    def row(n, words, answer):
        right = n * 0.37 + 0.11
        predicted = answer(said.format(right), said.format(right + n))
        return {
            "question": words(6),
            "exe_ans": f"{right:.5f}",
            "answer": f"{right:.1%}",
            "predicted": predicted,
        }

    roles = guessed(*data(row))

    assert [name for name, role in roles.items() if role == "reference"] == [
        "exe_ans" if "f" in said else "answer"
    ]
    assert roles["predicted"] == "output"


@pytest.mark.parametrize("named", ["y_pred_{}", "{}_predicted"])
def test_predictions_that_rise_and_fall_with_what_was_true_are_outputs(named):
    def row(n, words, answer):
        price = 90_000 + n * 7_919 % 50_000
        estimates = {named.format(name): price + n * away for name, away in (("linear", 300), ("trees", -90))}
        return {"square_metres": 30 + n % 9, "y_true": price, **estimates}

    assert [*guessed(*data(row)).values()] == ["metadata", "reference", "output", "output"]


def test_what_running_an_answer_said_is_a_score_of_it():
    def row(n, words, answer):
        said = {f"{name}_sql": f"select {n} from t{n % away}" for name, away in (("codex", 5), ("gpt4", 7))}
        runs = {f"{name}_exec_match": n % away > 1 for name, away in (("codex", 3), ("gpt4", 4))}
        return {"question": words(9), "gold_sql": f"SELECT {n} FROM t{n % 5}"} | said | runs

    roles = guessed(*data(row))

    assert [roles[f"{name}_exec_match"] for name in ("codex", "gpt4")] == ["score", "score"]


def test_marks_with_which_outputs_rise_and_fall_best_are_right():
    def row(n, words, answer):
        marks = {"rater1_score": 1 + n * n % 6, "rater2_score": 1 + n % 6}
        said = {
            f"{name}_output": sum(marks.values()) + n % away for name, away in (("ridge", 2), ("bert", 3))
        }
        return {"essay": words(40), **marks, "total_score": sum(marks.values()), **said}

    assert [*guessed(*data(row)).values()][1:] == ["metadata", "metadata", "reference", "output", "output"]


def test_numbered_summaries_are_right_ones_where_others_agree_with_them():
    def row(n, words, answer):
        rights = [words(12) for _ in range(3)]
        people = {f"summary{at}": text for at, text in enumerate(rights, 1)}
        said = {"t5-small": answer(rights[0], words(12)), "bart-large": answer(rights[n % 3], words(12))}
        return {"fname": f"test_{n}", "dialogue": words(40), **people, **said}

    roles = guessed(*data(row))

    assert [name for name, role in roles.items() if role == "reference"] == [
        "summary1",
        "summary2",
        "summary3",
    ]
    assert [name for name, role in roles.items() if role == "output"] == ["t5-small", "bart-large"]


def test_answers_on_a_scale_in_words_beside_outputs_are_scores():
    scale = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]
    rows = [
        {"Email question": f"Where is my order {n}?"}
        | {
            name: cell
            for system in (1, 2)
            for name, cell in (
                (f"Reply from assistant {system}", f"Your order {n} is with carrier {system}."),
                (f"Assistant {system}: The reply solves my problem", scale[(n * system + n // 7) % 5]),
            )
        }
        for n in range(40)
    ]
    found = guessed(*rows)

    assert [*found.values()] == ["inputs", "output", "score", "output", "score"]


def test_words_of_three_classes_are_answers_and_no_scores():
    classes = ["agree", "disagree", "neutral"]
    rows = [
        {"claim": f"Claim number {n} is about rivers", "stance": classes[n % 3]}
        | {model: classes[(n + (n % share == 0)) % 3] for model, share in (("bert", 4), ("gpt-4o", 9))}
        for n in range(60)
    ]
    found = guessed(*rows)

    assert (found["stance"], found["bert"], found["gpt-4o"]) == ("reference", "output", "output")


def test_a_text_named_like_its_label_is_asked_where_other_columns_say_the_label():
    rows = [
        {"v1": ["ham", "spam"][n * 7 % 3 % 2], "v2": f"Message number {n} with an offer of {n * 13} pounds"}
        for n in range(60)
    ]
    other = {"ham": "spam", "spam": "ham"}
    rows = [
        row
        | {model: row["v1"] if n % share else other[row["v1"]] for model, share in (("nb", 5), ("llm", 11))}
        for n, row in enumerate(rows)
    ]
    found = guessed(*rows)

    assert found == {"v1": "reference", "v2": "inputs", "nb": "output", "llm": "output"}


def test_what_two_people_prefer_are_two_preferences_and_a_message_is_asked():
    rows = [
        {
            "Name": f"Case {n}",
            "Customer message": f"Where is my order number {n} today?",
            "Prompt A output": f"Order {n} is with the carrier now.",
            "Prompt B output": f"It will reach you on day {n}, we think.",
            "Winner (Jana)": ["A", "B", "Tie"][n % 3],
            "Winner (Tom)": ["A", "B", "B"][n % 3],
        }
        for n in range(30)
    ]
    found = guessed(*rows)

    assert (found["Winner (Jana)"], found["Winner (Tom)"]) == ("preferred", "preferred")
    assert (found["Customer message"], found["Name"]) == ("inputs", "metadata")


def test_yes_and_no_to_whether_the_only_answer_is_right_are_scores():
    rows = [
        {
            "user_message": f"Where is order {n}?",
            "bot_reply": f"Order {n} is here.",
            "resolved": ["yes", "no"][n % 2],
        }
        for n in range(30)
    ]

    assert guessed(*rows)["resolved"] == "score"


def test_verdicts_in_place_of_answers_leave_nothing_to_compare_with():
    rows = [
        {"question": f"Which is {n}?", "A": "x", "B": "y", "C": "z", "answer": "ABC"[n % 3]}
        | {f"{model}_correct": n % share > 0 for model, share in (("small", 2), ("large", 5))}
        for n in range(30)
    ]
    found = guessed(*rows)

    assert (found["small_correct"], found["large_correct"], found["answer"]) == ("score", "score", "metadata")


@pytest.mark.parametrize(
    ("answers", "ratings"),
    [
        (("Bot Alpha answer", "Bot Beta answer"), ("Alpha rated by Ines", "Beta rated by Ines")),
        (
            ("Macro reply (today)", "Assistant reply (pilot)"),
            ("Macro: agent rating 1-5", "Assistant: agent rating 1-5"),
        ),
    ],
)
def test_ratings_belong_to_the_answers_whose_names_they_begin_with(answers, ratings):
    rows = [
        {"Customer message": f"Where is my parcel number {n}, please?"}
        | {
            name: f"Your parcel {n} {word} today."
            for name, word in zip(answers, ("comes", "arrives"), strict=True)
        }
        | {name: 1 + (n * share) % 5 for name, share in zip(ratings, (2, 3), strict=True)}
        for n in range(30)
    ]
    found = guessed(*rows)

    assert [found[name] for name in (*answers, *ratings)] == ["output", "output", "score", "score"]


def test_a_column_named_as_checked_is_right():
    labels = ["Rechnung", "Lob", "Konto", "Lob, Konto"]
    rows = [
        {
            "Nachricht": f"Guten Tag, hier ist meine Frage mit der Nummer {n}.",
            "Schlagwörter geprüft": labels[n % 4],
            "Schlagwörter alt": labels[(n + (n % 2)) % 4],
            "Schlagwörter neu": labels[(n + (n % 7 == 0)) % 4],
        }
        for n in range(40)
    ]

    assert [*guessed(*rows).values()] == ["inputs", "reference", "output", "output"]


def weighed(make_weights):
    """Rows with the classes that two models chose, and what `make_weights` says beside each."""
    return data(
        lambda n, words, answer: {
            "text": words(8),
            "label": n % 3,
            **{
                name: value
                for model in ("distilbert", "roberta")
                for said in [answer(n % 3, (n + 1) % 3)]
                for name, value in (
                    (f"{model}_pred", said),
                    (f"{model}_probs", make_weights(said + n / 1000)),
                )
            },
        }
    )


@pytest.mark.parametrize(
    "make_weights",
    [
        lambda said: [round(0.8 - abs(said - place) / 3, 4) for place in range(3)],
        lambda said: "[" + "  ".join(f"{said / 7 + place / 9:.3e}" for place in range(3)) + "]",
        lambda said: {"neg": 0.1 + said / 20, "neu": 0.2, "pos": 0.7},
    ],
)
def test_weights_of_classes_are_no_answers(make_weights):
    roles = guessed(*weighed(make_weights))
    assert [name for name, role in roles.items() if role == "output"] == ["distilbert_pred", "roberta_pred"]


def test_lists_of_numbers_are_answers_where_the_right_answer_is_one():
    def box(n, words, answer):
        right, wrong = [n / 7, n / 9, 0.5, 0.7], [0.1, 0.2, n / 11, 0.4]
        return {
            "question": words(6),
            "expected_box": right,
            "gpt-4_box": answer(right, wrong),
            "gpt-4_label": words(1),
            "llama-8b_box": answer(right, wrong),
        }

    roles = guessed(*data(box))
    assert roles["gpt-4_box"] == roles["llama-8b_box"] == "output"


def test_an_object_of_metrics_from_0_to_1_has_scores():
    rows = [
        {
            "question": f"What is {n}?",
            "gold": [f"{n}"],
            "predictions": [f"It is {n}"],
            "metrics": {"match": n % 2 / 1},
        }
        for n in range(ROWS)
    ]

    assert guessed(*rows)["scores.match"] == "score"


def test_an_object_of_metrics_of_the_input_has_no_scores():
    rows = [
        {
            "question": f"What is {n}?",
            "gold": f"{n}",
            "prediction": f"It is {n}",
            "metrics": {"words": 3 + n % 5},
        }
        for n in range(ROWS)
    ]

    assert "score" not in guessed(*rows).values()


def test_answers_of_plain_names_that_are_right_wherever_there_is_one_are_outputs():
    def rows(second):
        return [
            {"id": n, "question": f"Say {n}", "reference": f"{n}", "a": f"{n}", "b": second(n)}
            for n in range(20)
        ]

    lacking, copied = (guessed(*rows(second)) for second in (lambda n: f"{n}" if n % 4 else "", str))

    assert (lacking["a"], lacking["b"]) == ("output", "output")
    assert (copied["a"], copied["b"]) == ("metadata", "metadata")


def test_a_worked_solution_beside_the_number_is_no_variant():
    rows = [
        {
            "question": f"How many {WORDS[n % 9]}s are {n} and {n + 3}?",
            "answer": f"There are {n} and {n + 3}, which is {n}+{n + 3}={2 * n + 3}. #### {2 * n + 3}",
            "gold": 2 * n + 3,
            "gpt-4o output": f"Adding {n} and {n + 3} gives {2 * n + 3 + (n % 6 == 0)}",
            "llama-3-8b output": f"The sum of these is {2 * n + 3 + (n % 4 == 0)}",
        }
        for n in range(40)
    ]

    found = guessed(*rows)

    assert (found["answer"], found["gold"]) == ("metadata", "reference")
    assert (found["gpt-4o output"], found["llama-3-8b output"]) == ("output", "output")


def test_the_last_of_several_answers_is_no_right_one_though_no_model_is_called_so():
    labels = ["delivery", "refund", "account", "complaint", "other"]
    rows = [
        {"id": n, "message": f"Message {n} about something", "intent": labels[n % 5]}
        | {
            f"{name}_answer": labels[(n + (n % share == 0)) % 5]
            for name, share in (("mini", 3), ("fewshot", 5), ("large", 9), ("terse", 4))
        }
        for n in range(60)
    ]

    found = guessed(*rows)

    assert [found[f"{name}_answer"] for name in ("mini", "fewshot", "large", "terse")] == ["output"] * 4
    assert found["intent"] == "reference"
