"""The shapes of references and outputs recommend a kind."""

import json

import pytest

from evaluations.evaluators.recipe import Recipe
from evaluations.kinds import CATALOGUE
from evaluations.kinds.advised import WHOLE_LIST_F1
from evaluations.kinds.advised_code import same
from evaluations.kinds.advised_numbers import said_for_numbers
from evaluations.kinds.advising import advise
from evaluations.mapping.contexts import Contexts
from evaluations.mapping.steps import Pattern

PROSE = (
    "The refund arrives within five days if the parcel was sent back unopened, and later in all other cases."
)
FOUND = [{"text": "World Bank", "type": "organisation"}, {"text": "Bavaria", "type": "place"}]
CALL = [{"name": "search", "arguments": {"city": "Rome"}}]


@pytest.mark.parametrize(
    ("references", "outputs", "kind"),
    [
        (["She pays 5 + 3. #### 8", "A: 1,242."] * 5, ["The answer is 8."], "numeric_match"),
        ([18, 3.5, "-7 %"], ["18"], "numeric_match"),
        (["spam", "ham", "ham"] * 4, ["spam", "ham"] * 6, "label"),
        (["yes", "no"] * 6, ["Yes, because the sum of the two angles is always 180."] * 12, "label"),
        (["Paris", "Lima", "Oslo", "Rome"], ["The capital, as you may well know, is Lima."] * 4, "contains"),
        (["Paris", "Lima", "Oslo", "Rome"], ["Paris", "lima"], "exact_match"),
        (["in the year of the first flood", "by train and on foot"], ["on foot"], "token_f1"),
        ([PROSE] * 4, [PROSE], "rouge_l"),
        ([{"city": "Rome"}, '{"city": "Bonn"}'], ["{}"], "json_fields"),
        (
            [FOUND, "[]", json.dumps(FOUND)] * 4,
            ["None.", f"```json\n{json.dumps(FOUND)}\n```"],
            "json_fields",
        ),
        ([CALL, {"tool_calls": [{"function": {"name": "search", "arguments": "{}"}}]}], [None], "tool_calls"),
    ],
)
def test_a_kind_suits_the_references(references, outputs, kind):
    assert advise(references, outputs).kind == kind
    assert kind in CATALOGUE


def test_the_reason_counts_the_references():
    references = ["It was 1904", "about 12", "unknown"] + [str(number) for number in range(17)]

    assert advise(references, []).reason == "19 of 20 references end in a number"


def test_long_texts_that_only_begin_alike_do_not_have_the_same_words():
    """Each variant has as many as are the same to the last word, and the fewest are told of long texts."""
    for sentences in (6, 60):
        letters = [f"{PROSE * sentences} It took {n} weeks." for n in range(20)]
        other = [letter.replace("weeks", "months") for letter in letters]

        assert advise(letters, other).kind == "rouge_l"
        assert advise(letters, letters[:12] + other[12:]).reason == (
            "the 20 references are texts, and 12 outputs of a variant have the same words"
        )


def test_lists_longer_than_what_is_compared_are_in_no_other_order():
    names = [f"Person {n} of a town with a name" for n in range(400)]
    lists = [", ".join(names[start:]) for start in range(20)]
    turned = [", ".join([names[start + 1], names[start], *names[start + 2 : 300]]) for start in range(20)]

    assert advise(lists, turned).kind == "rouge_l"


def test_without_references_nothing_is_advised():
    assert advise([None, "", None], ["text"]) is None


def test_hostile_texts_cost_nothing():
    references = ["[" * 1_000_000, "1" * 1_000_000, "{" + '"a":' * 200_000]

    assert advise(references, []) is not None


def test_references_that_are_all_the_same_are_no_labels():
    advised = advise(["yes"] * 24, ["yes", "no"] * 12)

    assert (advised.kind, advised.reason) == ("exact_match", "the 24 references are all the same")


def test_one_reference_is_not_said_to_be_the_same_as_others():
    assert advise(["yes"], ["yes"]).reason == "it suits the only reference"


def test_sentences_that_happen_to_end_in_a_number_are_no_numbers():
    said = [f"The whole family will bring cake and two warm blankets on Friday at {n}." for n in range(2, 9)]

    assert advise(said, ["They talk about cake."] * 7).kind == "rouge_l"


def test_the_number_behind_the_mark_of_a_long_solution_is_one():
    solved = [f"{PROSE}\n#### {n:,}" for n in range(998, 1004)]

    assert advise(solved, ["It is 7."] * 6).kind == "numeric_match"


def test_the_texts_of_spans_are_the_right_answers():
    spans = [{"text": [name, f"the {name}"], "answer_start": [5, 1]} for name in ("Rome", "Bonn", "Oslo")]
    advised = advise(spans, ["Rome", "Bonn", "Lima"])

    assert (advised.kind, advised.is_any, advised.path) == ("exact_match", True, "text")


def test_numbers_that_outputs_say_are_no_places_of_options():
    """Each of these texts has one letter of an option, as a word."""
    grades = [1, 2, 3, 4] * 6
    assert advise(grades, [f"A fair essay, so {grade}" for grade in grades]).kind == "numeric_match"


def test_references_with_fewer_places_than_the_outputs_are_right_by_rounding():
    references = [f"{n}.{n % 10}%" for n in range(10, 40)]
    rounded = [f"It rose by {n}.{n % 10}4 %." for n in range(10, 40)]

    found = advise(references, rounded)

    assert (found.kind, found.config) == ("numeric_match", {"tolerance": 0.05})
    assert advise(references, references).config == {}
    assert advise(references, [f"{n}.{n % 10}9 %" for n in range(10, 40)]).config == {}


def test_invented_members_of_lists_count_where_outputs_have_some():
    references = [{"drugs": ["a", "b"], "diseases": [f"d{n}"]} for n in range(20)]
    invented = [{"drugs": ["b", "a", "c"], "diseases": [f"d{n}"]} for n in range(20)]

    assert advise(references, invented).config == {"measure": "f1", "lists": "best"}
    assert "measure" not in advise(references, references).config


def test_words_stand_for_numbers_where_each_is_in_the_rows_of_one():
    references = [0, 1, 2] * 20
    said = [("entailment", "neutral", "contradiction")[(n + (n % 7 == 0)) % 3] for n in range(60)]

    assert said_for_numbers(references, said) == {"0": "entailment", "1": "neutral", "2": "contradiction"}
    assert said_for_numbers(references, [("red", "blue", "green")[n // 20] for n in range(60)]) == {}
    hardly = [("entailment", "neutral", "contradiction")[(n + n // 3 % 5 // 2) % 3] for n in range(60)]
    assert said_for_numbers(references, hardly) == {}
    two_of_three = ["green" if n % 3 == 2 else "blue" if n == 0 else "red" for n in range(60)]
    assert said_for_numbers(references, two_of_three) == {}


def test_numbers_with_sizes_are_compared_with_them():
    references = [f"${n} million" for n in range(2, 20)]
    advised = advise(references, [f"${n},000,000" for n in range(2, 20)])

    assert (advised.kind, advised.config) == ("numeric_match", {"scale": "read"})
    assert advise([*range(2, 20)], [f"{n} m" for n in range(2, 20)]).config == {}


def test_orders_of_own_members_are_compared_as_lists():
    references = [f"thing {n} > thing {n + 1} > thing {n + 7}" for n in range(12)]

    advised = advise(references, [f"1. thing {n}\n2. thing {n + 7}\n3. thing {n + 1}" for n in range(12)])

    assert (advised.kind, advised.members) == ("json_match", ())


def test_grades_with_a_decimal_comma_are_numbers_and_no_sets_of_labels():
    grades = [f"{n % 5},{n % 4 * 2}" for n in range(40)]
    cosines = [f"{float(grade.replace(',', '.')) / 5 - 0.0123:.4f}".replace(".", ",") for grade in grades]

    advised = advise(grades, cosines)

    assert advised.kind == "number_closeness"
    assert advised.config["headline"] == "correlation"


def test_sets_of_numbers_are_in_order_and_no_decimals():
    chosen = ["1,3", "2", "1,2", "3,4"] * 10

    assert advise(chosen, ["1,3", "1,2", "3", "2,4"] * 10).kind == "json_match"


def test_numbers_that_outputs_call_options_are_labels():
    answers = [1 + n % 2 for n in range(20)]

    assert (
        advise(answers, [f"Ann ({n}), because option {3 - n} would be odd." for n in answers]).kind == "label"
    )
    assert advise(answers, [f"A grade of {n}" for n in answers]).kind == "numeric_match"


def test_short_answers_behind_reasons_are_read_behind_the_word_answer():
    answers = ["valid", "invalid", *(f"({letter})" for letter in "ABCDEFGHIJKLMNOPQRSTUVWX")]
    reasoned = [
        f"Is it valid or invalid, True or (A)? We look closely.\n\n**Final answer: {one}.**"
        for one in answers
    ]

    advised = advise(answers, reasoned)

    assert advised.kind == "exact_match"
    pattern = Pattern.model_validate(advised.read[0])
    assert [pattern.read(text) for text in reasoned] == answers
    assert advise(answers, [f"The answer is {one} of these." for one in answers]).kind == "contains"


def test_fields_that_are_right_as_numbers_or_dates_have_a_rule():
    references = [{"total": n + 0.5, "day": f"2024-03-{n:02}", "id": n} for n in range(10, 30)]
    written = [
        json.dumps({"total": f"{n}.50", "day": f"2024-03-{n}T08:00:00", "id": n}) for n in range(10, 30)
    ]

    advised = advise(references, written)

    rules = {"$.total": {"rule": "number"}, "$.day": {"rule": "date"}}
    assert (advised.kind, advised.config) == ("json_fields", {"rules": rules})
    assert advise(references, [json.dumps(one) for one in references]).config == {}


def test_lists_of_places_and_what_stands_there_are_compared_by_whole_members():
    references = [[[0, n, "person"], [n + 2, n + 9, "place"]] for n in range(3, 30)]
    one_wrong = [[first, [second[0], second[1] - 1, second[2]]] for first, second in references]

    advised = advise(references, one_wrong)

    assert (advised.kind, advised.config) == ("json_fields", WHOLE_LIST_F1)
    rows = [
        {"output": json.dumps(output), "reference": {"r": right}}
        for output, right in zip(one_wrong, references, strict=True)
    ]
    scores = Recipe.compile(advised.kind, WHOLE_LIST_F1, {}).scores(Contexts.of_rows(rows, ["r"]))
    assert scores.values.tolist() == [0.5] * len(references)


def test_codes_are_read_from_whatever_stands_around_them_if_outputs_name_several():
    references = [f"E{n}.9; I{n + 10}" if n % 3 else f"F{n}.A" for n in range(10, 40)]
    listed = [f"- **I{n + 10}** – Hypertension\n- **E{n}.9** – Diabetes" for n in range(10, 40)]

    advised = advise(references, listed)

    assert (advised.kind, advised.config) == ("json_fields", {"measure": "f1", "lists": "best"})
    [step] = advised.read
    assert Pattern.model_validate(step).read(listed[1]) == ["I21", "E11.9"]
    assert advise(references, [f"E{n}.9" for n in range(10, 40)]).kind != "json_fields"
    ranked = [json.dumps([f"E{n}.9", f"I{n + 10}", "A10", "B20"]) for n in range(10, 40)]
    assert advise([[f"E{n}.9", f"I{n + 10}"] for n in range(10, 40)], ranked).kind == "retrieval"


@pytest.mark.parametrize("between", [", ", "; ", " ", " | ", "\n"])
def test_lists_of_ids_in_texts_are_rankings_if_they_are_longer_and_else_sets(between):
    known = [between.join(f"KB-{n + k}" for k in range(1 + n % 2)) for n in range(100, 130)]
    top = [between.join(f"KB-{n + k}" for k in (7, 3, 0, 4, 9)) for n in range(100, 130)]

    ranked = advise(known, top)
    listed = advise(known, [*known[1:], known[0]])

    assert (ranked.kind, listed.kind) == ("retrieval", "json_fields")
    assert Pattern.model_validate(ranked.read[0]).read(top[0]) == [
        "KB-107",
        "KB-103",
        "KB-100",
        "KB-104",
        "KB-109",
    ]


@pytest.mark.parametrize(("labels", "between"), [("ABCDE", " "), (["whale", "seal", "orca", "ray"], ", ")])
def test_guesses_of_which_one_may_be_right_count_by_the_place_of_the_right_one(labels, between):
    right = [labels[n % len(labels)] for n in range(30)]
    guesses = [between.join(labels[(n + n % 2 + at) % len(labels)] for at in range(3)) for n in range(30)]

    advised = advise(right, guesses)

    assert (advised.kind, advised.config) == ("retrieval", {"measure": "mrr", "k": 3})
    assert Pattern.model_validate(advised.of_outputs[0]).read(guesses[0]) == [*labels[:3]]


def test_names_of_two_words_and_labels_chosen_together_are_no_guesses():
    names = [f"{letter}mith" for letter in "ABCDE"] * 6
    several = ["A B", "C", "A", "B D", "E A C"] * 6

    assert advise(names, [f"{name} John" for name in names]).kind != "retrieval"
    assert advise(["A", "C", "A", "B", "E"] * 6, several).kind != "retrieval"


def test_numbers_dates_and_single_ids_are_no_lists_of_ids():
    numbers = [f"{n}, {n + 1}, {n + 2}" for n in range(100, 130)]
    places = [f"48.{n}, 11.{n}" for n in range(100, 130)]
    dates = [f"2024-03-{n:02}" for n in range(1, 29)]
    codes = [f"E{n}" for n in range(10, 40)]

    for known in (numbers, places, dates, codes):
        advised = advise(known, known)
        assert not advised.read or advised.read[0]["step"] != "pattern"


def test_answers_without_blanks_that_say_the_reference_in_a_sentence_contain_it():
    towns = ["東京", "大阪", "京都", "札幌"] * 6

    advised = advise(towns, [f"答えは{town}です。" for town in towns])

    assert advised.kind in ("contains", "label")
    assert advise(towns[:4], [f"**{town}**" for town in towns[:4]]).kind == "exact_match"


def test_telephone_numbers_are_no_quantities():
    numbers = [f"+49 30 90{n}820" for n in range(100, 130)]

    advised = advise(numbers, [f"Die Nummer lautet `+49 (30) 90{n}-820`." for n in range(100, 130)])

    assert advised.kind == "exact_match"
    assert (
        Pattern.model_validate(advised.read[0]).read("Wir sind unter `+49 (30) 90100-820` da.")
        == "+49 (30) 90100-820"
    )
    assert advise([n * 1_000_003 for n in range(3, 33)], ["5"] * 30).kind == "numeric_match"


def test_answers_behind_the_word_that_say_more_than_the_reference_are_searched_for_it():
    towns = [f"Town{n}" for n in range(40)]
    answers = [f"The answer is {town}{', in Norway' if n in (3, 9) else ''}" for n, town in enumerate(towns)]

    assert advise(towns, answers).kind == "contains"
    assert advise(towns, [answer.partition(",")[0] for answer in answers]).kind == "exact_match"


def test_of_several_right_answers_one_is_searched_for_behind_the_word():
    names = [[f"Town{n}", f"City of Town{n}"] for n in range(40)]

    advised = advise(names, [f"After some thought about it: the answer is Town{n}" for n in range(40)])

    assert (advised.kind, advised.is_any, advised.read) == ("contains", True, ())


def test_an_order_that_outputs_list_line_by_line_is_doubted():
    orders = ["[2] > [1] > [3]", "[1] > [2] > [3]", "[3] > [2] > [1]"] * 8

    assert advise(orders, orders).doubt == ""
    assert "line by line" in advise(orders, ["1. passage 2\n2. passage 1\n3. passage 3"] * 24).doubt


def test_amounts_in_several_currencies_are_said_to_be_compared_by_their_numbers_alone():
    references = [f"{n * 7}.50 {['EUR', 'CHF', 'USD'][n % 3]}" for n in range(1, 31)]
    outputs = [f"The total is {'€$'[n % 2]}{n * 7}.50, as the letter says." for n in range(1, 31)]

    advised = advise(references, outputs)

    assert advised.kind == "numeric_match"
    assert advised.reason.endswith("of which it compares the numbers alone")


def test_rankings_of_objects_are_read_by_their_ids_on_the_side_of_the_outputs_alone():
    references = [["d7", "d15"], ["d1"], ["d3"]]
    outputs = [
        [{"doc_id": name, "score": 0.9 - n / 10, "title": "of d99"} for n, name in enumerate(names)]
        for names in (["d2", "d7", "d9"], ["d1", "d4"], ["d8", "d3"])
    ]

    advised = advise(references, outputs)

    assert advised.kind == "retrieval"
    [step] = advised.of_outputs
    assert Pattern.model_validate(step).read(outputs[0]) == ["d2", "d7", "d9"]
    assert not advised.read


def test_spans_that_python_printed_are_read_as_those_of_squad():
    """The Hugging Face library and pandas write such a record into CSV."""
    spans = [
        f"{{'text': ['oak {chr(97 + n)}', 'old oak {chr(97 + n)}'], 'answer_start': [3, 5]}}"
        for n in range(12)
    ]
    arrays = [
        f"{{'text': array(['oak {chr(97 + n)}'], dtype=object), 'answer_start': array([3])}}"
        for n in range(12)
    ]

    for references in (spans, arrays):
        advised = advise(references, [f"oak {chr(97 + n)}" for n in range(12)])
        assert (advised.kind, advised.path) == ("exact_match", "text")


def test_entities_are_found_with_their_type_or_not_at_all():
    entities = [
        [{"text": f"Name{n}", "type": "person"}, {"text": f"City{n}", "type": "place"}] for n in range(30)
    ]
    lines = [[{"item": f"pen {n}", "count": n, "price": 2.5, "tax": 0.2}] for n in range(30)]

    [whole, parted] = [advise(rows, [json.dumps(row) for row in rows]) for rows in (entities, lines)]

    assert whole.config == {"measure": "f1", "lists": "best", "whole": True}
    assert parted.config == {"measure": "f1", "lists": "best"}


def test_queries_without_quotes_are_the_same_as_those_with():
    references = [f"SELECT COUNT Race FROM table WHERE Driver = Name{n}" for n in range(30)]
    outputs = [f"```sql\nSELECT COUNT(Race) FROM table WHERE Driver = 'Name{n}';\n```" for n in range(30)]

    advised = advise(references, outputs)

    assert advised.kind == "exact_match"
    assert same(references, outputs) == 30
    assert same(references, [output.replace("'", "") for output in outputs]) == 0


def test_long_texts_that_are_often_the_same_are_right_or_wrong():
    letters = [
        f"[NAME] wrote to us about order {n}. " + "It did not come, and nobody answers the phone. " * 3
        for n in range(30)
    ]
    redacted = [text if n % 3 else text.replace("[NAME]", "Ada Lovelace") for n, text in enumerate(letters)]
    rewritten = [f"An order, number {n}, is late and no answer came." for n in range(30)]

    assert advise(letters, redacted).kind in ("exact_match", "contains")
    assert advise(letters, rewritten).kind == "rouge_l"
    assert advise(letters, [*redacted, *rewritten]).kind == "rouge_l"  # none of one variant would be right


def test_marks_are_compared_by_what_graders_are_judged_by():
    marks = [2 + n % 11 for n in range(66)]
    near = [min(mark + n % 2, 12) for n, mark in enumerate(marks)]
    essays = ["Dear editor, computers are good."] * len(marks)

    advised = advise(marks, [str(mark) for mark in near], essays)

    assert (advised.kind, advised.config["headline"]) == ("number_closeness", "weighted_kappa")
    assert "headline" not in advise(marks, [f"{mark}.25" for mark in near], essays).config
    assert advise(marks, near, ["How many apples are left?"] * len(marks)).kind == "numeric_match"
    classes = [mark if n % 3 else 14 - mark for n, mark in enumerate(marks)]
    assert advise(marks, classes, essays).kind == "numeric_match"


def test_grades_of_what_outputs_rank_are_judgements_of_a_retrieval():
    references = [{f"d{n}": n % 4, f"e{n}": 0} for n in range(9)]

    assert advise(references, [[f"e{n}", "x"] for n in range(9)]).kind == "retrieval"
    assert advise(references, [{f"d{n}": 1} for n in range(9)]).kind != "retrieval"


def test_lines_that_are_written_again_are_no_numbers_at_their_end():
    people = [
        f"{one} {two}" for one in ("Anna", "Ben", "Eva", "Tom") for two in ("Berg", "Kos", "Lund", "Reed")
    ]
    lines = [f"{who} wrote this letter in {1830 + n}" for n, who in enumerate(people)]
    read = [line.replace("e", "c", 1) for line in lines]

    assert advise(lines, read).kind != "numeric_match"
    assert advise(lines, [f"So the answer is {1830 + n}." for n in range(16)]).kind == "numeric_match"


@pytest.mark.parametrize(("inputs", "is_heard"), [([], True), (["Say it."] * 30, False)])
def test_words_without_signs_are_transcripts_where_nothing_was_asked(inputs, is_heard):
    words = ["the", "old", "boat", "lay", "low", "in", "the", "grey", "water", "of", "the", "bay"]
    said = [[*words[n % 9 :], *words[: n % 7]] for n in range(30)]
    outputs = [" ".join([*one[:-1], "sea"]) for one in said]

    found = advise([" ".join(one) for one in said], outputs, inputs=inputs)
    assert (found.kind == "error_rate") is is_heard


LINES = [
    f"Der Verfaſſer {word} hatte bereits vor Oſtern, was Niemand erwartet hatte, {word} beſchloſſen."
    for word in ("dieſer", "einer", "unſerer", "jener", "keiner", "ſolcher", "welcher", "beider") * 4
]


@pytest.mark.parametrize(
    ("references", "said", "inputs", "is_counted_by_letters"),
    [
        (LINES, lambda line: line.replace("Verf", "Vcrf").replace("bereits", "bercits"), [], True),
        (LINES, lambda line: line.replace("bereits", "schon").replace("Niemand", "keiner"), [], False),
        (LINES, lambda line: line.replace("Verf", "Vcrf"), ["Was steht da?"] * 32, False),
        (
            [f"Die Rechnung Nummer {n} macht {n * 7} Euro." for n in range(32)],
            lambda line: line.replace("7", "1").replace("4", "6"),
            [],
            False,
        ),
    ],
)
def test_lines_in_which_letters_are_misread_are_compared_by_letters(
    references, said, inputs, is_counted_by_letters
):
    found = advise(references, [*map(said, references)], inputs)

    assert (found.kind == "error_rate" and found.config == {"unit": "character"}) is is_counted_by_letters


def test_transcripts_beside_the_names_of_recordings_are_compared_by_words():
    heard = [f"um yeah the meeting number {n} was moved to the second room" for n in range(30)]
    said = [text.replace("um ", "") for text in heard]

    assert advise(heard, said, [f"sample_{n}" for n in range(30)]).kind == "error_rate"


def test_transcripts_without_signs_are_compared_by_words_also_with_outputs_that_have_some():
    heard = [f"the old boat number {n} lay low in the grey water of Galway bay" for n in range(30)]
    said = [f"{text[0].upper()}{text[1:].replace(' lay', ', lay')}." for text in heard]

    assert advise(heard, said, [f"sample_{n}" for n in range(30)]).kind == "error_rate"
    assert advise(heard, said, [f"What lay in bay {n}?" for n in range(30)]).kind != "error_rate"


def test_labels_that_outputs_say_in_other_words_are_read_as_these():
    references = ["Y", "N", "N"] * 20
    said = [{"Y": "match", "N": "non-match"}[references[n - (n % 7 == 0)]] for n in range(60)]

    found = advise(references, said)

    assert (found.kind, "Y for match" in found.reason) == ("label", True)
    assert "other words" not in advise(references, ["Y", "N"] * 30).reason


def test_passages_of_the_texts_asked_about_are_compared_by_their_words_where_a_variant_gives_passages_alone():
    texts = [
        f"The mill of Ahlen{n} burned down in 18{n}, and nobody was hurt in the fire of that night."
        for n in range(40)
    ]
    places = [[f"Ahlen{n}", f"the mill of Ahlen{n}"] for n in range(40)]
    alone = [f"mill of Ahlen{n}" for n in range(40)]
    in_sentences = [f"I believe that it was Ahlen{n} where it was." for n in range(40)]

    found = advise(places, alone + in_sentences, texts)

    assert (found.kind, found.is_any) == ("token_f1", True)
    assert advise(places, in_sentences, texts).kind == "contains"
    assert (
        advise(places, alone + in_sentences, [f"Where was fire {n}?" for n in range(40)]).kind == "contains"
    )
