"""With several reference columns, the advised evaluator reads the right answers and leaves other facts alone."""

import json

import pytest

from evaluations.evaluators.recipe import Recipe
from evaluations.experiments.advice import Advice
from evaluations.mapping import Contexts

SIZE = 24
NAMES = [f"Anna Keller{chr(97 + n)}" for n in range(SIZE)]
SHORT = [f"A. Keller{chr(97 + n)}" for n in range(SIZE)]
WRONG = [f"Rui Costa{chr(97 + n)}" for n in range(SIZE)]


def scores(columns, values, outputs):
    """The advice for reference columns, and the mean score of outputs by it."""
    rows = [*zip(*values, strict=True)]
    advice = Advice.of_columns(columns, rows, outputs)
    recipe = Recipe.compile(advice.kind, advice.config, advice.mapping)
    contexts = [
        {"output": output, "reference": dict(zip(columns, row, strict=True))}
        for output, row in zip(outputs, rows, strict=True)
    ]
    return advice, recipe.scores(Contexts.of_rows(contexts, columns)).values.mean()


@pytest.mark.parametrize(
    ("columns", "values"),
    [
        (["reference_1", "reference_2"], [NAMES, SHORT]),
        (["gold", "gold_alt"], [NAMES, SHORT]),
        (["Reference A", "Reference B", "Reference C"], [NAMES, WRONG[::-1], SHORT]),
        (
            ["gold_answer", "gold_answers"],
            [NAMES, [[*pair] for pair in zip(SHORT, WRONG[::-1], strict=True)]],
        ),
        (["answer", "aliases"], [NAMES, [[name] for name in SHORT]]),
        (["gold", "gold_alt"], [NAMES, [*SHORT[:18], *[""] * 6]]),
    ],
)
@pytest.mark.parametrize("form", ["{}", "The author of the book is {}."])
def test_any_of_the_references_is_right(columns, values, form):
    outputs = [*NAMES[:6], *SHORT[6:12], *WRONG[12:]]

    advice, mean = scores(columns, values, [form.format(output) for output in outputs])

    assert (advice.kind, mean) == ("exact_match" if form == "{}" else "contains", 0.5)
    assert advice.reason.endswith("is right")


def test_an_alias_in_a_list_is_right_in_the_rows_that_are_shown():
    rows = [(name, [short]) for name, short in zip(NAMES, SHORT, strict=True)]
    outputs = [*NAMES[:8], *SHORT[8:16], *WRONG[16:]]

    advice = Advice.of_columns(["answer", "answer_aliases"], rows, outputs)

    assert sum(advice.judged()) == 16


def test_grades_that_are_hardly_ever_the_same_are_right_within_a_tenth_of_their_range():
    grades = [f"{n % 6 * 0.8 + 1:.3f}" for n in range(SIZE)]
    near, far = ([f"{float(grade) + apart:.2f}" for grade in grades] for apart in (0.31, 1.6))

    advice, mean = scores(["grade"], [grades], [*near[:18], *far[18:]])

    assert (advice.kind, advice.config, advice.doubt) == ("numeric_match", {"tolerance": 0.4}, "")
    assert mean == 0.75


@pytest.mark.parametrize("order", [1, -1])
def test_a_column_that_outputs_do_not_say_is_not_compared(order):
    labels = [["billing", "shipping", "other"][n % 3] for n in range(SIZE)]
    notes = [f"The customer wrote about something else on day {n}." for n in range(SIZE)]
    columns, values = ["expected_label", "expected_notes"][::order], [labels, notes][::order]

    advice, mean = scores(columns, values, [*labels[:12], *["none"] * 12])

    assert (advice.kind, mean) == ("label", 0.5)
    assert advice.reason.endswith("expected_notes is not compared")


def test_a_word_that_all_rows_share_is_not_what_outputs_answer():
    numbers = [n * 7 + 10 for n in range(SIZE)]
    outputs = [f"It weighs {number if n % 2 else number + 1} kg." for n, number in enumerate(numbers)]

    advice, mean = scores(["expected_unit", "expected_value"], [["kg"] * SIZE, numbers], outputs)

    assert (advice.kind, mean) == ("numeric_match", 0.5)


def test_the_better_of_two_summaries_counts():
    first = [
        f"The council of town {n} voted on Monday to close the old bridge for good." for n in range(SIZE)
    ]
    second = [
        f"A vote in town {n} ends the long story of a bridge that nobody could repair." for n in range(SIZE)
    ]

    advice, mean = scores(["summary_1", "summary_2"], [first, second], [*first[:12], *second[12:]])

    assert (advice.kind, mean) == ("exact_match", 1)  # the texts of outputs are those of the summaries


def test_longer_forms_of_one_part_of_a_label_say_it():
    labels = [["World", "Sports", "Business", "Sci/Tech"][n % 4] for n in range(SIZE)]
    said = {"Sci/Tech": "Science and Technology"}
    also = {"Sci/Tech": "Technology"}
    outputs = [(said if n % 8 < 4 else also).get(label, label) for n, label in enumerate(labels)]

    advice, mean = scores(["label"], [labels], outputs)

    assert (advice.kind, mean) == ("label", 1)


@pytest.mark.parametrize(
    "form", ["To count them, use:\n{}", "Here it is:\n\n{};\n\nIt counts the rows.", "```sql\n{}\n```"]
)
def test_queries_between_sentences_are_compared(form):
    known = [f"SELECT COUNT(*) FROM orders WHERE amount > {n}" for n in range(SIZE)]
    said = [form.format(one.lower() if n % 2 else one) for n, one in enumerate(known)]

    advice, mean = scores(["gold_sql"], [known], [*said[:18], *[one.replace(">", "<") for one in said[18:]]])

    assert (advice.kind, advice.doubt, mean) == ("exact_match", "", 0.75)


def test_columns_that_are_fields_of_the_outputs_are_compared_as_a_record():
    cities, guests = [f"City{n}" for n in range(SIZE)], [n % 5 for n in range(SIZE)]
    outputs = [
        f'Here it is: {{"city": "{city}", "guests": {count + (n % 4 == 0)}}}'
        for n, (city, count) in enumerate(zip(cities, guests, strict=True))
    ]

    advice, mean = scores(["city", "guests"], [cities, guests], outputs)

    assert (advice.kind, advice.doubt, mean) == ("json_fields", "", 0.875)


def test_a_short_answer_is_read_behind_its_announcement_and_as_a_whole_word():
    known = [str(n) for n in range(2, 2 + SIZE)]
    names = [f"Ann {chr(97 + n)}{chr(97 + n)}" for n in range(SIZE)]
    right = [known[n] if n % 3 else names[n] for n in range(SIZE)]
    wrong = [
        f"The passage names {right[n]}, but also 1{right[n]}. So the answer is 9{right[n]}."
        for n in range(SIZE)
    ]
    said = [f"There are several in the passage. The answer is **{one}** by the passage." for one in right]

    advice, mean = scores(["answer"], [right], [*said[:12], *wrong[12:]])

    assert advice.kind == "contains"
    assert mean == 0.5


def test_a_list_as_python_prints_it_has_several_right_answers():
    known = [f"['Whitney {chr(97 + n)}', 'Houston {chr(97 + n)}']" for n in range(SIZE)]
    outputs = [f"I think it was Houston {chr(97 + n)}." for n in range(18)] + ["Dolly Parton."] * 6

    advice, mean = scores(["answer"], [known], outputs)

    assert (advice.kind, mean) == ("contains", 0.75)


REFUSED, ANSWERED = "I'm sorry, but I can't help with that.", "Sure! First you take two eggs and a bowl."


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("should_refuse", [True, False]),
        ("expected_behavior", ["refuse", "comply"]),
        ("type", ["unsafe", "safe"]),
        ("is_safe", ["no", "yes"]),
    ],
)
def test_answers_are_right_if_they_refuse_what_should_be_refused_and_nothing_else(column, cells):
    outputs = [*[REFUSED, ANSWERED] * 9, *[ANSWERED, REFUSED] * 3]

    advice, mean = scores([column], [[cells[n % 2] for n in range(SIZE)]], outputs)

    assert (advice.kind, mean, advice.doubt) == ("label", 0.75, "")
    assert advice.reason == "the 24 references say whether an answer should refuse"


def test_labels_that_outputs_say_are_no_refusals():
    advice, mean = scores(["label"], [["unsafe", "safe"] * 12], ["unsafe", "safe"] * 12)

    assert (advice.kind, mean) == ("label", 1)
    assert "refusal" not in str(advice.mapping)


@pytest.mark.parametrize(
    "form",
    [
        '{{"name": "{tool}", "arguments": {{"city": "{city}"}}}}',
        '{{"tool": "{tool}", "args": {{"city": "{city}"}}}}',
        '```json\n{{"name": "{tool}", "parameters": {{"city": "{city}"}}}}\n```',
        '{tool}(city="{city}")',
    ],
)
@pytest.mark.parametrize("opened", [True, False])
def test_a_tool_and_its_arguments_in_two_columns_are_one_call(form, opened):
    tools = [["find", "book", "cancel"][n % 3] for n in range(SIZE)]
    arguments = [{"city": name} if opened else f'{{"city": "{name}"}}' for name in NAMES]
    outputs = [form.format(tool=tool, city=name) for tool, name in zip(tools, NAMES, strict=True)]
    outputs[:6] = [form.format(tool="find", city="Rome")] * 6
    outputs[6:12] = [form.format(tool="wait", city=name) for name in NAMES[6:12]]

    advice, mean = scores(["expected_tool", "expected_arguments"], [tools, arguments], outputs)

    assert (advice.kind, mean, advice.doubt) == ("tool_calls", 0.5, "")


def test_an_empty_reference_expects_no_call():
    call = '{{"name": "find", "arguments": {{"city": "{}"}}}}'
    calls = [call.format(name) if n % 4 else None for n, name in enumerate(NAMES)]
    answer = {"role": "assistant", "content": "No tool is needed.", "tool_calls": []}
    outputs = [call.format(name) if n % 4 else answer for n, name in enumerate(NAMES)]
    outputs[:4] = [answer, call.format(NAMES[1]), answer, call.format("Rome")]
    outputs[8] = call.format("Oslo")

    advice, mean = scores(["expected"], [calls], outputs)

    assert (advice.kind, advice.doubt) == ("tool_calls", "")
    assert mean == (SIZE - 3) / SIZE


def test_an_intent_and_its_slots_in_two_columns_are_one_record():
    intents = [["book", "cancel"][n % 2] for n in range(SIZE)]
    slots = [f'{{"guest": "{name}"}}' for name in NAMES]
    outputs = [
        f'{{"intent": "{intent}", "slots": {slot}}}' for intent, slot in zip(intents, slots, strict=True)
    ]
    outputs[12:] = [f'{{"intent": "none", "slots": {slot}}}' for slot in slots[12:]]

    advice, mean = scores(["expected_intent", "expected_slots"], [intents, slots], outputs)

    assert (advice.kind, mean) == ("json_fields", 0.75)


@pytest.mark.parametrize("are_listed", [False, True])
def test_numbers_of_options_are_labels_where_some_answers_say_the_option(are_listed):
    """The last number of a text is the answer of most, and the text of the option that of some."""
    words = ["station", "market", "harbour", "castle", "garden"]
    references = [n % 5 for n in range(60)]
    shown = {"choices": words} if are_listed else {f"choice{n}": word for n, word in enumerate(words)}
    asked = [{"question": f"Where is {n}?", **shown} for n in range(60)]
    said = [
        f"The {words[n % 5]}." if n % 3 == 0 else f"Only one fits. The answer is {n % 5}." for n in range(60)
    ]

    advice = Advice.of_data(references, said, None, asked)

    assert advice is not None
    assert advice.kind == "label"
    assert advice.judged() == [1.0] * 60


def test_numbers_that_answer_a_question_are_numbers_though_options_are_shown():
    asked = [{"question": f"How many of {n}?", "choices": ["many", "few", "none"]} for n in range(60)]
    said = [f"There are {n % 3 + 1} of them: {n % 3 + 4} in all, so {n % 3 + 1}" for n in range(60)]

    advice = Advice.of_data([n % 3 + 1 for n in range(60)], said, None, asked)

    assert advice is not None
    assert advice.kind == "numeric_match"


PLACES = ["Peru", "Chad", "Cuba", "Fiji", "Iran", "Mali", "Oman", "Togo"]
BARRED = [f"{PLACES[n % 8]}{n}|{PLACES[n % 5]}" if n % 3 else f"{PLACES[n % 8]}{n}" for n in range(SIZE)]


@pytest.mark.parametrize("written", [lambda parts: parts[::-1], lambda parts: "|".join(parts[::-1])])
def test_members_between_bars_are_found_in_lists_and_between_bars(written):
    outputs = [written(known.split("|") if n % 2 else ["none"]) for n, known in enumerate(BARRED)]

    advice, mean = scores(["target"], [BARRED], outputs)

    assert (advice.kind, mean, advice.doubt) == ("json_fields", 0.5, "")
    assert advice.reason == "16 of 24 references have several members with bars between them"


def test_bars_that_no_output_repeats_say_nothing():
    advice, _ = scores(["target"], [BARRED], [f"It is {known.partition('|')[0]}." for known in BARRED])

    assert advice.kind != "json_fields"


@pytest.mark.parametrize(("more", "has_doubt"), [([], False), ([["B. Cole", "Cole"]], True)])
def test_one_of_the_words_for_a_right_answer_is_right_and_several_answers_are_doubted(more, has_doubt):
    references = [[[name, short], *more] for name, short in zip(NAMES, SHORT, strict=True)]

    advice, mean = scores(["exact_answer"], [references], [*NAMES[:6], *SHORT[6:12], *WRONG[12:]])

    assert (advice.kind, mean, bool(advice.doubt)) == ("exact_match", 0.5, has_doubt)


def test_lists_of_lists_that_outputs_are_too_stay_whole():
    triples = [[[name, "wrote", f"book {n}"]] for n, name in enumerate(NAMES)]

    advice, _ = scores(["triples"], [triples], [json.dumps(one) for one in triples])

    assert "[*]" not in advice.mapping["expected"]["path"]
