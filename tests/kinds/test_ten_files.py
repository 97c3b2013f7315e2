"""Ten files in the shapes of public data sets: with the advised kind, the variant that is right more often leads.

In each, one variant is right in other words, and the other is wrong in the words of the reference.
"""

import itertools
import json
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from evaluations.evaluators.recipe import Recipe
from evaluations.experiments.advice import Advice
from evaluations.experiments.advised_reading import mapping_of
from evaluations.kinds.advising import advise, several
from evaluations.kinds.evidence import Pair, evidence
from evaluations.kinds.tool_calls import Call, ToolCallsConfig
from evaluations.mapping import Contexts
from evaluations.values import JSON

ROWS = 24
File = tuple[list[JSON], list[JSON], list[JSON]]  # references, right answers, wrong answers


def file(row: Callable[[int], tuple[JSON, JSON, JSON]]) -> File:
    references, right, wrong = zip(*map(row, range(ROWS)), strict=True)
    return list(references), list(right), list(wrong)


def maths(n: int) -> tuple[JSON, JSON, JSON]:
    steps = f"She sells {n} eggs and buys {n + 3} more.\n#### "
    return f"{steps}{2 * n + 3}", f"Altogether that makes {2 * n + 3}.", f"{steps}{2 * n + 4}"


def letters(n: int) -> tuple[JSON, JSON, JSON]:
    return "ABCD"[n % 4], "ABCD"[n % 4], "ABCD"[(n + 1) % 4]


def yes_and_no(n: int) -> tuple[JSON, JSON, JSON]:
    answer, other = ("yes", "no") if n % 2 else ("no", "yes")
    return answer, f"{answer.title()}, the passage says so in its second sentence.", f"{other}"


def sentiment(n: int) -> tuple[JSON, JSON, JSON]:
    labels = ["positive", "negative", "neutral"]
    return labels[n % 3], labels[n % 3].title(), labels[(n + 1) % 3]


def names(n: int) -> tuple[JSON, JSON, JSON]:
    return f"Person{n}", f"Person{n}", f"Person{n + 1}"


def spans(n: int) -> tuple[JSON, JSON, JSON]:
    return f"in the year {n} of the flood", f"the flood, in the year {n}", "in a year before the first peace"


def summaries(n: int) -> tuple[JSON, JSON, JSON]:
    fact = (
        f"The council of town {n} voted on Monday to close the old bridge for repairs until the next spring"
    )
    other = f"A football club in region {n} has signed two players and hopes to return to the first division"
    return f"{fact}.", f"On Monday {fact[4:]}, officials said.", f"{other}."


def extraction(n: int) -> tuple[JSON, JSON, JSON]:
    order = {"order": f"A-{n}", "total": n * 1.5, "city": "Rome"}
    right = json.dumps(dict(reversed(order.items())), indent=1)
    return order, right, json.dumps(order | {"total": n * 1.5 + 1})


def calls(n: int) -> tuple[JSON, JSON, JSON]:
    call = {"name": "weather", "arguments": {"city": f"City {n}", "days": 3}}
    return [call], [call], [call | {"arguments": {"city": f"City {n + 1}", "days": 3}}]


def prices(n: int) -> tuple[JSON, JSON, JSON]:
    return n * 100 + 50, f"The price is {n * 100 + 50}.00 EUR", f"{n * 100 + 51}"


def queries(n: int) -> tuple[JSON, JSON, JSON]:
    query = f"SELECT name FROM users WHERE age > {n} ORDER BY name"
    return query, f"Here it is:\n```sql\n{query};\n```", query.replace("users", "lists")


def shouted(n: int) -> tuple[JSON, JSON, JSON]:
    return f"Port {n}y", f"it was port {n}Y.", f"It was Port {n + 1}y."


def explained(n: int) -> tuple[JSON, JSON, JSON]:
    right = f"The answer is **{6 * n + 9}**, since 12 x {n} = {12 * n} and 2 x 3 = 6."
    return f"{6 * n + 9}", right, f"The answer is **{6 * n + 10}**, since 2 x 3 = 6."


def computed(n: int) -> tuple[JSON, JSON, JSON]:
    return (
        f"{n + 70}",
        f"For 3 boxes, the answer: {n + 70} (of 500)",
        f"For 3 boxes, the answer: {n + 71} (of 500)",
    )


def marks(n: int) -> tuple[JSON, JSON, JSON]:
    return f"{n % 5 + 1}", f"Rating: {n % 5 + 1}/5", f"Rating: {(n + 1) % 5 + 1}/5"


def ingredients(n: int) -> tuple[JSON, JSON, JSON]:
    return f"salt{n}, oil{n}, rice{n}", f"rice{n}, salt{n}, oil{n}", f"salt{n + 1}, milk{n}, figs{n}"


def days(n: int) -> tuple[JSON, JSON, JSON]:
    return f"March {n + 1}, 1904", f"It was on March {n + 1}, 1904.", f"It was on May {n + 2}, 1904."


def bracketed(n: int) -> tuple[JSON, JSON, JSON]:
    letter, other = "ABCDEF"[n % 6], "ABCDEF"[(n + 1) % 6]
    return f"({letter})", letter, f"So the answer is ({other})."


def first_said(n: int) -> tuple[JSON, JSON, JSON]:
    labels = ["positive", "negative", "neutral"]
    reason = "\n\n**Explanation:** nothing in it is strongly negative or positive."
    said = [f"**Sentiment:** {labels[(n + other) % 3].title()}" for other in (0, 1)]
    return labels[n % 3], said[0] + reason, said[1]


def separators(n: int) -> tuple[JSON, JSON, JSON]:
    kinds = [f"card_{chr(97 + n + other)}" for other in (0, 1)]
    return kinds[0], f"`{kinds[0].replace('_', ' ')}`" if n % 2 else f"`{kinds[0]}`", kinds[1]


def answers_in_a_passage(n: int) -> tuple[JSON, JSON, JSON]:
    right = f"Person{n}"
    return {"text": [f"Dr {right}", right], "answer_start": [1, 4]}, right, f"Person{n + 1}"


def unspaced(n: int) -> tuple[JSON, JSON, JSON]:
    city, other = "北京" if n % 2 else "上海", "今天我们在学校里学习历史和地理"
    right = f"{city}的图书馆明天上午{chr(0x4E00 + n)}点开门"
    return right, f"{right.replace('开门', '开放')}。", other


def true_or_yes(n: int) -> tuple[JSON, JSON, JSON]:
    said = ["Yes, the passage says so.", "No, it says the opposite."]
    return n % 2 == 0, said[n % 2], said[(n + 1) % 2]


def other_separators(n: int) -> tuple[JSON, JSON, JSON]:
    labels = ["account_access", "technicalIssue", "Sci/Tech", "billing"]
    said = ["Account access", "It is a Technical-Issue.", "Category: **sci-tech**", "Billing"]
    return labels[n % 4], said[n % 4], labels[(n + 1) % 4]


def other_forms(n: int) -> tuple[JSON, JSON, JSON]:
    labels = ["entailment", "contradiction", "neutral"]
    said = ["The first entails the second.", "The second contradicts it.", "Neutral."]
    return labels[n % 3], said[n % 3], said[(n + 1) % 3]


def single_calls(n: int) -> tuple[JSON, JSON, JSON]:
    """The right answers wrap the call, or write its arguments as a text."""
    call = {"name": "book", "arguments": {"city": "Rome", "nights": n}}
    as_text = json.dumps({"name": "book", "arguments": json.dumps(call["arguments"])})
    wrapped = f"<tool_call>{json.dumps(call)}</tool_call>"
    return call, wrapped if n % 2 else as_text, json.dumps(call).replace("nights", "days")


def toxic(n: int) -> tuple[JSON, JSON, JSON]:
    said = [
        ("No", "Yes."),
        ("Not toxic.", "TOXIC"),
        ("It is **non-toxic**. Rude, yes.", "It is toxic. No insult?"),
        ("toxic: no", "toxic: yes"),
    ]
    right = n % 3 == 0
    return int(right), said[n % 4][right], said[n % 4][not right]


def toxic_or_not(n: int) -> tuple[JSON, JSON, JSON]:
    reference, right, wrong = toxic(n)
    return bool(reference), right, wrong


def grades(n: int) -> tuple[JSON, JSON, JSON]:
    right, wrong = 1 + n % 5, 1 + (n + 1) % 5
    said = [
        "Weaknesses: 2 slips.\n\n**Overall score: {}/5**",
        "I give it a {} out of 5, for 3 reasons.",
        "{}",
    ]
    return right, said[n % 3].format(right), said[(n + 1) % 3].format(wrong)


def places(n: int) -> tuple[JSON, JSON, JSON]:
    """The place of the right option, from 0, as in MMLU; outputs say its letter."""
    said = ["{}", "{}.", "Step 1 of 2 speaks against the others, so the answer is **{}**."]
    return n % 4, said[n % 3].format("ABCD"[n % 4]), said[(n + 1) % 3].format("ABCD"[(n + 1) % 4])


def flags(n: int) -> tuple[JSON, JSON, JSON]:
    said = ["no", "Yes."]
    return n % 2, said[n % 2], said[(n + 1) % 2]


def amounts(n: int) -> tuple[JSON, JSON, JSON]:
    written = [f"1,{200 + n}.50 GBP", f"€1,{200 + n}.50", f"1,{200 + n}.50 $"]
    return written[n % 3], f"The amount due is **1{200 + n}.50 pounds**.", f"It is 1,{300 + n}.50."


def chosen(n: int) -> tuple[JSON, JSON, JSON]:
    sets = ["A", "AC", "BD", "ABD", "C", "BC"]
    letters = sets[n % 6]
    other = sets[(n + 1) % 6]
    said = [", ".join(letters), f"The answers are {' and '.join(letters)}.", f"Perhaps. Answer: {letters}"]
    return letters, said[n % 3], ", ".join(other)


def emotions(n: int) -> tuple[JSON, JSON, JSON]:
    sets = ["joy, fear", "anger", "fear, joy, love", "love, anger", "fear"]
    turned = sets[n % 5].split(", ")[::-1]
    said = [", ".join(turned), "- " + "\n- ".join(turned), json.dumps(turned)]
    return sets[n % 5], said[n % 3], sets[(n + 1) % 5]


def people(n: int) -> tuple[JSON, JSON, JSON]:
    found = [f"Person{n}", f"Port {n}", f"Firm {n}"]
    said = [json.dumps(found[::-1]), "- " + "\n- ".join(found), f"```json\n{json.dumps(found)}\n```"]
    return found, said[n % 3], json.dumps([*found[1:], f"Tuesday{n}"])


def tagged(n: int) -> tuple[JSON, JSON, JSON]:
    record = {"people": [f"Ana{n}", f"Bo{n}"], "year": n}
    turned = json.dumps({"people": record["people"][::-1], "year": n})
    return record, turned, json.dumps({"people": [f"Ana{n}", "Cy"], "year": n})


def written_otherwise(n: int) -> tuple[JSON, JSON, JSON]:
    query = f"SELECT name FROM users WHERE age > {n} ORDER BY age"
    lines = query.replace(" FROM", "\nFROM").replace("SELECT", "select")
    said = [f"{query};", f"```sql\n{lines};\n```\n\nIt reads the table.", f"<think>Which?</think>{query}"]
    return query, said[n % 3], query.replace(">", ">=")


def articles(n: int) -> tuple[JSON, JSON, JSON]:
    said = [f"the tower {n}th", f'"The Tower {n}th"', f"Tower {n}th."]
    return f"The Tower {n}th", said[n % 3], f"The Tower {n + 1}th"


def patterns(n: int) -> tuple[JSON, JSON, JSON]:
    return rf"^\d{{{n}}}$", rf"`^\d{{{n}}}$`" if n % 2 else rf"^\d{{{n}}}$", rf"^\d{{{n}}}?$"


def dates_otherwise(n: int) -> tuple[JSON, JSON, JSON]:
    said = [f"May {n + 1}, 2021", f"It was on {n + 1} May 2021.", f"2021-05-{n + 1:02}", f"5/{n + 1}/2021"]
    return f"2021-05-{n + 1:02}", said[n % 4], f"2021-06-{n + 1:02}"


FILES = [
    dates_otherwise,
    articles,
    patterns,
    written_otherwise,
    chosen,
    emotions,
    people,
    tagged,
    other_separators,
    other_forms,
    single_calls,
    places,
    flags,
    grades,
    amounts,
    true_or_yes,
    unspaced,
    first_said,
    separators,
    answers_in_a_passage,
    days,
    bracketed,
    explained,
    computed,
    marks,
    ingredients,
    queries,
    shouted,
    maths,
    letters,
    yes_and_no,
    sentiment,
    names,
    spans,
    summaries,
    extraction,
    calls,
    prices,
]


def mean(
    kind: str,
    outputs: Sequence[JSON],
    references: Sequence[JSON],
    mapping: dict[str, Any] | None = None,
    config: dict[str, JSON] | None = None,
) -> float:
    rows = [
        {"output": output, "reference": {"r": reference}}
        for output, reference in zip(outputs, references, strict=True)
    ]
    scores = Recipe.compile(kind, config or {}, mapping or {}).scores(Contexts.of_rows(rows, ["r"]))
    return float(np.nan_to_num(scores.values).mean())


def advised(references: list[JSON], outputs: list[JSON]) -> tuple[str, dict[str, Any]]:
    found = advise(references, outputs)
    return found.kind, mapping_of(found, references, outputs, None)


@pytest.mark.parametrize("row", FILES)
def test_the_headline_is_about_the_right_thing(row):
    references, right, wrong = file(row)
    found = advise(references, right + wrong)
    mapping = mapping_of(found, references, right + wrong, None)
    means = [mean(found.kind, side, references, mapping, found.config) for side in (right, wrong)]
    assert means[0] > means[1]


@pytest.mark.parametrize(
    ("row", "kind", "wrong_scores"),
    [
        (chosen, "json_match", 0),
        (emotions, "json_fields", 0.4),
        (people, "json_fields", 0.7),
        (tagged, "json_fields", 0.7),
    ],
)
def test_lists_are_right_in_any_order_and_writing(row, kind, wrong_scores):
    references, right, wrong = file(row)
    found = advise(references, right + wrong)
    mapping = mapping_of(found, references, right + wrong, None)

    assert (found.kind, mean(kind, right, references, mapping, found.config)) == (kind, 1.0)
    assert mean(kind, wrong, references, mapping, found.config) <= wrong_scores


def test_the_field_that_outputs_say_is_compared_of_references_that_have_more():
    references = [{"spans": [f"Ann {n} Bell"], "types": ["span"], "start": n + 900} for n in range(24)]
    right, wrong = ([f"Thinking of it, it was ann {n + k} bell." for n in range(24)] for k in (0, 1))

    found = advise(references, right + wrong)
    mapping = mapping_of(found, references, right + wrong, None)

    assert found.path == "spans"
    assert [mean(found.kind, side, references, mapping) for side in (right, wrong)] == [1.0, 0.0]


def test_rows_without_a_reference_stay_without_its_field():
    known = [{"spans": [f"Ann {n} Bell"], "types": ["span"]} for n in range(24)]
    references = [*known, None, ""]

    shown = Advice.of_data(references, [f"It was ann {n} bell." for n in range(26)])

    assert shown is not None
    assert shown.mapping["expected"]["path"].endswith('["spans"]')


def test_lists_of_one_answer_with_few_of_several_are_no_lists_to_be_named():
    references = [[f"Person{n}"] for n in range(20)] + [["Ann", "Bob"]] * 3
    outputs = [f"It was Person{n}." for n in range(20)] + ["Ann and Bob"] * 3

    assert advise(references, outputs).is_any


def test_one_of_several_right_answers_is_enough_where_outputs_name_one():
    references = [[f"Person{n}", f"P. {n}"] for n in range(24)]
    assert advise(references, [f"It was Person{n}." for n in range(24)]).is_any


def formulas(n: int) -> tuple[JSON, JSON, JSON]:
    reference, other = [
        (rf"\frac{{{n + 1}}}{{7}}", rf"\dfrac{{{n + 1}}}{{7}}"),
        (f"{n}", f"x = {n}"),
        (rf"({n},\pi)", rf"\left( {n}, \pi \right)"),
        (rf"{n}\sqrt{{2}}", rf"{n} \sqrt 2"),
    ][n % 4]
    return reference, rf"With {n} steps we get $\boxed{{{other}}}$.", f"The final answer is $1{reference}$."


@pytest.mark.parametrize("form", ["{}", r"We count, so the answer is $\boxed{{{}}}$."])
def test_formulas_are_the_same_however_they_are_written(form):
    references, right, wrong = file(formulas)
    references = [form.format(reference) for reference in references]

    kind, mapping = advised(references, right + wrong)

    assert (kind, mapping["expected"]["read"]) == ("exact_match", ["math"])
    assert mean(kind, right, references, mapping) == 1
    assert mean(kind, wrong, references, mapping) == 0


def test_fractions_are_numbers():
    references = [f"{n + 1}/{n + 5}" for n in range(24)]

    assert advise(references, [f"The answer is {one}." for one in references]).kind == "numeric_match"


@pytest.mark.parametrize("form", ["{0} > {1} > {2}", "{0}, {1}, {2}", '["{0}", "{1}", "{2}"]'])
def test_the_same_members_in_each_row_are_an_order(form):
    orders = [order for order in itertools.permutations(["A", "B", "long one"]) for _ in range(4)]
    references = [form.format(*order) for order in orders]
    right = [f"I looked at A first.\nRanking: {reference}." for reference in references]
    wrong = [form.format(*reversed(order)) for order in orders]

    kind, mapping = advised(references, right + wrong)

    assert kind == "exact_match"
    assert mean(kind, right, references, mapping) == 1
    assert mean(kind, wrong, references, mapping) == 0


def test_quantities_are_right_in_any_unit():
    references: list[JSON] = [f"{n + 2} kg" for n in range(ROWS)]
    right = [[f"{n + 2},000 g", f"That makes {n + 2} kilograms.", f"{n + 2} kg"][n % 3] for n in range(ROWS)]
    wrong = [[f"1{n + 2} kg", f"{n + 2} g", f"{n + 3} kilograms"][n % 3] for n in range(ROWS)]

    kind, mapping = advised(references, right + wrong)

    assert mean(kind, right, references, mapping) == 1
    assert mean(kind, wrong, references, mapping) == 0


def test_of_numbers_of_something_the_number_counts():
    references: list[JSON] = [f"{n + 2} apples" for n in range(ROWS)]
    right = [[f"{n + 2}", f"She has {n + 2} of them."][n % 2] for n in range(ROWS)]
    wrong = [f"1{n + 2} apples" for n in range(ROWS)]

    kind, mapping = advised(references, right + wrong)

    assert mean(kind, right, references, mapping) == 1
    assert mean(kind, wrong, references, mapping) == 0


@pytest.mark.parametrize("asked", ["Sort by age: {}", "Order from smallest to largest: {}"])
def test_the_order_of_a_list_counts_where_the_inputs_ask_for_it(asked):
    lists = [[f"thing {n}", f"item {n}", f"piece {n}"] for n in range(ROWS)]
    references: list[JSON] = [", ".join(one) for one in lists]
    right = ["\n".join(f"{place}. {name}" for place, name in enumerate(one, 1)) for one in lists]
    wrong = [", ".join(one[::-1]) for one in lists]

    found = advise(references, right + wrong, [asked.format(one) for one in references])
    mapping = mapping_of(found, references, right + wrong, None)

    assert mean(found.kind, right, references, mapping, found.config) == 1
    assert mean(found.kind, wrong, references, mapping, found.config) == 0


@pytest.mark.parametrize(
    ("told", "summed"),
    [
        ("{}, because {} of {} were left.", "There were {1} and {2}. That makes {0}"),
        ("{} ({} and {})", "With {1} and {2} we have {0} apples."),
        ("{} = {} * {}", "{1} * {2} = {0}"),
    ],
)
def test_the_number_before_an_explanation_is_the_answer(told, summed):
    numbers = [10 * n + 7 for n in range(24)]
    outputs = [form.format(n, n % 9 + 2, n % 7 + 3) for form in (told, summed) for n in numbers]

    kind, mapping = advised([str(n) for n in numbers], outputs)

    assert (kind, mean(kind, outputs, [str(n) for n in numbers] * 2, mapping)) == ("numeric_match", 1)


@pytest.mark.parametrize(
    ("references", "right", "kind"),
    [
        (["yes", "no"], "{}, as the passage says without any yes or no", "label"),
        (["A", "B"], "Neither of A and B is easy, but the answer is {}.", "label"),
        (["spam", "ham"], "<think>Is it ham or spam?</think>Category: **{}**", "label"),
        (['{"total": 1}', '{"total": 2}'], "Here it is:\n```json\n{}\n```", "json_fields"),
        (
            ['[{"name": "go", "arguments": {"to": 1}}]', '[{"name": "go", "arguments": {"to": 2}}]'],
            "I call it:\n```json\n{}\n```",
            "tool_calls",
        ),
        ([["Rome", "Roma"], ["Oslo", "Kristiania"]], "{}", "exact_match"),
    ],
)
def test_answers_are_read_past_what_surrounds_them(references, right, kind):
    rows = references * 12
    texts = [value[-1] if isinstance(value, list) else value for value in rows]
    outputs = [right.format(text) for text in texts]
    wrong = [right.format(text) for text in reversed(texts)]

    found, mapping = advised(rows, outputs + wrong)

    assert (found, mean(found, outputs, rows, mapping)) == (kind, 1.0)
    assert mean(found, wrong, rows, mapping) == 0.0


def test_queries_may_be_in_small_letters_and_sentences_are_none():
    queries = [f"select name from users\nwhere age > {n}" for n in range(24)]
    sentences = [f"select the {n} best of them from the list." for n in range(24)]

    assert advise(queries, [f"{query};" for query in queries]).read
    assert not advise(sentences, sentences).is_code


def test_code_is_compared_as_a_whole_where_some_is_the_same():
    references, right, wrong = file(written_otherwise)
    kind, mapping = advised(references, right + wrong)

    assert kind == "exact_match"
    assert (mean(kind, right, references, mapping), mean(kind, wrong, references, mapping)) == (1, 0)
    assert advise(references, wrong).kind == "indel_similarity"


def test_other_programs_may_be_right_too_and_queries_decide():
    references, right, wrong = file(written_otherwise)
    programs: list[JSON] = [f"def add(x):\n    return x + {n}" for n in range(ROWS)]

    assert advise(references, right + wrong).doubt == ""
    assert "only running it tells" in advise(programs, [*programs, *programs[::-1]]).doubt


@pytest.mark.parametrize("row", [articles, patterns, dates_otherwise])
def test_what_counts_in_a_name_is_the_least_that_makes_answers_equal(row):
    references, right, wrong = file(row)
    kind, mapping = advised(references, right + wrong)

    assert kind == "exact_match"
    assert (mean(kind, right, references, mapping), mean(kind, wrong, references, mapping)) == (1, 0)


GERMAN = "der Rat hat am Montag beschlossen die alte Brücke zu sperren und nicht vor Mai zu öffnen"
ENGLISH = "on Monday the council decided to close the old bridge and not to open it before May"


def test_texts_in_another_language_than_the_inputs_are_translations():
    drawn = random.Random(3)
    asked, translated, spoken = (
        [" ".join(drawn.choices(words.split(), k=9)) for _ in range(24)]
        for words in (ENGLISH, GERMAN, ENGLISH)
    )

    assert advise(translated, translated, asked).kind == "chrf"
    assert advise(spoken, [f"{one} again" for one in spoken], asked).kind == "token_f1"


@pytest.mark.parametrize(("ending", "unit"), [("wav", "word"), ("png", "character")])
def test_words_of_speech_and_letters_of_scans_are_counted(ending, unit):
    drawn = random.Random(3)
    heard = [" ".join(drawn.choices(ENGLISH.split(), k=9)) for _ in range(24)]
    files = [f"clips/rec_{n}.{ending}" for n in range(24)]

    advised = advise(heard, [one.upper() for one in heard], files)
    assert (advised.kind, advised.config.get("unit", "word")) == ("error_rate", unit)
    assert advise(heard, [one[::-1] for one in heard], files).kind != "error_rate"


def test_texts_without_punctuation_are_what_was_heard():
    known = [
        f"At the station, {word} waited for train {n} and left." for n, word in enumerate(ENGLISH.split() * 3)
    ]
    bare = [one.replace(",", "").rstrip(".").lower() for one in known]

    assert advise(known, bare).kind == "error_rate"
    assert advise(known, [f"{one}!" for one in bare]).kind != "error_rate"


def test_rows_without_a_reference_do_not_shift_the_others():
    references = [None, *(f"SELECT name FROM users WHERE id = {n}" for n in range(23))]
    assert advise(references, ["", *(f"{one};" for one in references[1:])]).kind == "exact_match"


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        (other_forms, "label"),
        (single_calls, "tool_calls"),
        (places, "label"),
        (flags, "label"),
        (toxic, "label"),
        (toxic_or_not, "label"),
        (grades, "numeric_match"),
        (amounts, "numeric_match"),
    ],
)
def test_right_answers_are_right_however_they_are_written(row, kind):
    references, right, wrong = file(row)
    found = advise(references, right + wrong)
    mapping = mapping_of(found, references, right + wrong, None)

    means = [mean(kind, side, references, mapping, found.config) for side in (right, wrong)]
    assert (found.kind, means) == (kind, [1.0, 0.0])


def test_a_few_answers_in_small_letters_are_right():
    references = [f"Person{n}" for n in range(50)]
    outputs = [f"I think it was {name if n else name.lower()}." for n, name in enumerate(references)]

    kind, mapping = advised(references, outputs)

    assert (kind, mean(kind, outputs, references, mapping)) == ("contains", 1.0)


def test_labels_are_read_with_other_separators_and_case():
    references, right, wrong = file(other_separators)
    kind, mapping = advised(references, right + wrong)
    assert (kind, mean(kind, right, references, mapping), mean(kind, wrong, references, mapping)) == (
        "label",
        1,
        0,
    )


def test_lists_that_answer_lists_are_rankings():
    references, outputs = [[f"d{n}", f"d{n + 1}"] for n in range(24)], [["d1", "d2", "d3"]] * 24
    assert advised(references, outputs)[0] == "retrieval"


def test_names_said_in_sentences_are_looked_for_in_them():
    places = [f"Port {letter}{other}" for letter in "ABCDEF" for other in "ghijkl"]
    assert advise(places, [f"It is {place}." for place in places] + places).kind == "contains"
    assert advise(places, places + [place.upper() for place in places]).kind == "exact_match"


def test_a_year_at_the_end_of_every_summary_is_no_answer():
    texts = [
        f"{'The council decided to close the old bridge for some weeks, as it said in'} {n}."
        for n in range(24)
    ]
    others = [f"A bridge is closed in {n}." for n in range(24)]
    assert advise(texts, others).kind == "rouge_l"
    assert advise(texts, others[1:] + others[:1]).kind == "rouge_l"


@pytest.mark.parametrize(
    "form",
    [
        "2025-07-{:02}",
        "{:02}/05/2025",
        "10:{:02}",
        "INV-{}",
        "Q{}",
        "Al2(SO4){}",
        "{} May 1904",
        "Sept. {}, 1904",
        "Alien {} (1979)",
    ],
)
def test_the_end_of_a_date_a_time_or_an_id_is_no_number(form):
    texts = [form.format(n + 10) for n in range(40)]
    assert advise(texts, texts).kind == "exact_match"


@pytest.mark.parametrize(
    "form", ["A:{}", "#### {}", "the market of {}", "${}", "x = -{}", "It costs {} %.", "1 {}"]
)
def test_a_number_behind_signs_is_one(form):
    texts = [form.format(n + 10) for n in range(40)]
    assert advise(texts, texts).kind == "numeric_match"


def test_code_is_named_as_such():
    code = [f"def f{n}(x):\n    return x + {n}\n" for n in range(24)]
    assert "look like code, which no evaluator here runs" in advise(code, code).reason
    queries = [f"SELECT count(*) FROM users WHERE age > {n}" for n in range(24)]
    assert "look like code" in advise(queries, queries).reason


def test_distance_of_letters_would_have_led_readers_astray():
    references, right, wrong = file(maths)
    assert mean("levenshtein_similarity", right, references) < mean(
        "levenshtein_similarity", wrong, references
    )


@pytest.mark.parametrize("row", [maths, sentiment, spans, summaries, prices])
def test_three_rows_part_the_kinds(row):
    references, right, wrong = file(row)
    kind = advise(references, right + wrong).kind
    shown = evidence(kind, [*map(Pair, right, references), *map(Pair, wrong, references)])

    assert len(shown.rows) == 3
    advised = shown.lines[0].values
    assert max(advised) > min(advised)
    assert all(len(line.values) == 3 for line in shown.lines)


def test_rows_that_other_kinds_misjudge_say_so():
    references, right, wrong = file(maths)
    pairs = [*zip(right, references, strict=True), *zip(wrong, references, strict=True)]

    lines = {line.title: line for line in evidence("numeric_match", [*itertools.starmap(Pair, pairs)]).lines}

    assert lines["Levenshtein similarity"].remarks[:2] == ["right, but low", "wrong, but high"]


def test_two_rows_are_no_evidence():
    assert evidence("numeric_match", [Pair("1", "1"), Pair("2", "3")]) is None


def test_one_of_several_right_answers_is_enough_for_every_kind_that_is_shown():
    references = [["New York", "NYC"], '["Rome", "Roma"]', ["Oslo"], ["Lima"]]
    pairs = list(zip(["NYC", "Roma", "Bergen", "Lima"], references, strict=True))

    shown = evidence(
        "token_f1", [*itertools.starmap(Pair, pairs)], score=lambda usable: [1, 1, 0, 1], answers=several
    )

    scores = {line.title: dict(zip(shown.rows, line.values, strict=True)) for line in shown.lines}
    exact = {output: value for (output, _), value in scores["Exact match"].items()}
    assert exact["Bergen"] == 0
    assert all(value == 1 for output, value in exact.items() if output != "Bergen")


def test_the_aliases_of_an_answer_are_found_beside_other_writings_of_it():
    references: list[JSON] = [
        {
            "value": f"Name{n}",
            "aliases": [f"Name{n}", f"Nick{n}"],
            "normalized_aliases": [f"name{n}", f"nick{n}"],
            "type": "x",
        }
        for n in range(ROWS)
    ]
    outputs: list[JSON] = [f"It is {'Nick' if n % 2 else 'Name'}{n}, I think." for n in range(ROWS)]

    assert advise(references, outputs).path == "aliases"


def test_empty_lists_of_answers_do_not_hide_that_the_others_are_lists():
    references: list[JSON] = [[f"the tower {n}", f"tower {n} there"] if n % 3 else [] for n in range(ROWS)]
    outputs: list[JSON] = [f"Tower {n}" if n % 3 else "" for n in range(ROWS)]

    found = advise(references, outputs)
    mapping = mapping_of(found, references, outputs, None)

    assert found.is_any
    assert mean(found.kind, outputs, references, mapping) == 16 / ROWS


@pytest.mark.parametrize(("said", "is_doubted"), [("unanswerable", True), ("Oslo", False)])
def test_rows_without_a_right_answer_are_not_left_out_in_silence(said, is_doubted):
    references: list[JSON] = [[f"person {n}"] if n % 3 else [] for n in range(ROWS)]
    outputs: list[JSON] = [f"person {n}" if n % 3 else said for n in range(ROWS)]

    assert ("references are empty" in Advice.of_data(references, outputs).doubt) is is_doubted


def test_signs_that_keep_answers_of_one_variant_from_being_right_do_not_count():
    references: list[JSON] = [f"Person {n} of town" for n in range(100)]
    dotted: list[JSON] = [f"{one}." if n < 5 else one for n, one in enumerate(references)]

    kind, mapping = advised(references, references + dotted)

    assert mean(kind, dotted, references, mapping) == 1


def called(n: int) -> tuple[JSON, JSON, JSON]:
    right = f"```python\nfind(days={n + 1}, city='c{n}')\n```"
    return f'find(city="c{n}", days={n + 1})', right, f"find(city='c{n}', days=0)"


def timed(n: int) -> tuple[JSON, JSON, JSON]:
    return f"{n % 11 + 1}:15 PM", f"It starts at {n % 11 + 13}:15.", f"{n % 11 + 1}:15 AM"


def judged(n: int) -> tuple[JSON, JSON, JSON]:
    winner = n % 3
    return ["model_a", "model_b", "tie"][winner], f"Both try. [[{'ABC'[winner]}]]", f"[[{'BCA'[winner]}]]"


def claims(n: int) -> tuple[JSON, JSON, JSON]:
    said = ["Supported", "Refuted.", "Not enough information"]
    return ["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"][n % 3], said[n % 3], said[(n + 1) % 3]


def grammar(n: int) -> tuple[JSON, JSON, JSON]:
    said = ["Unacceptable.", "This sentence is acceptable."]
    return n % 2, said[n % 2], said[1 - n % 2]


def phones(n: int) -> tuple[JSON, JSON, JSON]:
    right = [f"+1-555-{n + 200}-4000", f"+1 555 {n + 200} 4000"][n % 2]
    return f"+1 555 {n + 200} 4000", right, f"+1 555 {n + 300} 4000"


def mixed(n: int) -> tuple[JSON, JSON, JSON]:
    right = [
        (f"2026-03-{n % 28 + 1:02}", f"March {n % 28 + 1}, 2026", f"April {n % 28 + 1}, 2026"),
        (f"EUR {n},250.50", f"{n}.250,50 €", f"{n}.250,60 €"),
        (f"Company {n} Ltd", f"company {n} ltd.", "unknown"),
    ]
    return right[n % 3]


def places_in_a_tree(n: int) -> tuple[JSON, JSON, JSON]:
    path = ["Home", ["Garden", "Kitchen"][n % 2], ["Pots", "Pans", "Tools"][n % 3]]
    right = [">".join(path), f"Category: {' > '.join(path).lower()}\n\nIt fits best."]
    return " > ".join(path), right[n % 2], " > ".join([*path[:2], "Lamps"])


def claims_in_german(n: int) -> tuple[JSON, JSON, JSON]:
    yes = ["Ja, das stimmt. Die Behauptung ist richtig.", "Wahr."]
    no = ["Nein, das stimmt nicht. Die Behauptung ist nicht richtig.", "Das ist falsch."]
    sides = (yes, no) if n % 2 else (no, yes)
    return ["Falsch", "Wahr"][n % 2], sides[0][n % 4 // 2], sides[1][n % 4 // 2]


def allowed_calls(n: int) -> tuple[JSON, JSON, JSON]:
    reference = [{"find": {"city": [f"c{n}"], "unit": ["km", ""]}}]
    right = [
        f"[find(city='C{n}')]",
        f'<tool_call>\n{{"name": "find", "arguments": {{"city": "c{n}", "unit": "km"}}}}\n</tool_call>',
        f'I look. {{"name": "find", "parameters": {{"city": "c{n}"}}}}',
    ]
    return reference, right[n % 3], f"[find(city='c{n}', days=3)]"


def messages_of_calls(n: int) -> tuple[JSON, JSON, JSON]:
    reference = [{"function": {"name": "find", "arguments": json.dumps({"days": n})}}]
    right = [f"find(days={n})", f'```json\n{{"name": "find", "parameters": {{"days": {n}}}}}\n```']
    return reference, right[n % 2], f"find(days={n + 1})"


@pytest.mark.parametrize(
    "row",
    [
        places_in_a_tree,
        claims_in_german,
        allowed_calls,
        messages_of_calls,
        called,
        timed,
        judged,
        claims,
        grammar,
        phones,
        mixed,
    ],
)
def test_answers_are_right_however_a_benchmark_lets_them_be_written(row):
    references, right, wrong = file(row)

    found = advise(references, right + wrong)
    mapping = mapping_of(found, references, right + wrong, None)

    assert mean(found.kind, right, references, mapping, found.config) == 1
    assert mean(found.kind, wrong, references, mapping, found.config) == 0


def test_repeated_members_of_lists_count_at_their_places():
    references: list[JSON] = [["O", "B", "O", "O"] if n % 2 else ["B", "O", "O", "B"] for n in range(ROWS)]

    found = advise(references, [json.dumps(one) for one in references])

    assert (found.kind, found.config, found.members) == ("json_fields", {}, None)


@pytest.mark.parametrize(
    ("references", "outputs", "doubt"),
    [
        (
            [f"{n + 1}%" for n in range(ROWS)],
            [f"{(n + 1) / 100}" if n % 2 else f"{n + 1} percent" for n in range(ROWS)],
            "a hundredth of the reference",
        ),
        (
            [n % 9 + 3 for n in range(ROWS)],
            [
                ["three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"][n % 9]
                for n in range(ROWS)
            ],
            "say the number of the reference in words",
        ),
        (
            [f"<p>number {n}</p>" for n in range(ROWS)],
            [f"<p>\nnumber {n}\n</p>" for n in range(ROWS)],
            "written otherwise",
        ),
        (
            [f"^a{{{n}}}[0-9]+$" for n in range(1, ROWS)],
            [f"^a{{{n}}}\\d+$" for n in range(1, ROWS)],
            "written otherwise",
        ),
        (
            [{"name": f"n{n}", "age": n} for n in range(ROWS)],
            [f"The name is n{n}, the age {n}." for n in range(ROWS)],
            "finds no answer",
        ),
        (
            [f"{chr(97 + n)}ville|{chr(97 + n)}burg" for n in range(ROWS)],
            [
                f"{chr(97 + n)}burg, {chr(97 + n)}ville" if n % 3 else f"{chr(97 + n)}ville|{chr(97 + n)}burg"
                for n in range(ROWS)
            ],
            "wrong for how they are written only",
        ),
    ],
)
def test_what_is_right_in_another_way_raises_a_doubt(references, outputs, doubt):
    assert doubt in Advice.of_data(references, outputs).doubt


HOURS = [
    f"{9 + n % 12}:{15 * (n % 4):02}" if n % 4 else ["none", "cancelled"][n % 8 // 4] for n in range(ROWS * 2)
]


def on_a_clock_of_twelve(text: str) -> str:
    hour, _, minute = text.partition(":")
    return f"{(int(hour) - 1) % 12 + 1}:{minute} {'pm' if int(hour) >= 12 else 'am'}" if minute else text


def test_times_among_other_labels_are_right_on_a_clock_of_twelve_and_not_at_another_hour():
    right = [*map(on_a_clock_of_twelve, HOURS)]
    later = [f"{int(text[:-3]) + 1}{text[-3:]}" if ":" in text else text for text in HOURS]

    advice = Advice.of_data(HOURS, [*right, *later])

    assert advice is not None
    assert advice.doubt == ""
    means = [mean(advice.kind, side, HOURS, advice.mapping, advice.config) for side in (right, later)]
    assert means == [1, sum(":" not in text for text in HOURS) / len(HOURS)]


def test_outputs_that_say_per_cent_as_fractions_are_right():
    references: list[JSON] = [f"{n + 1}%" for n in range(ROWS)]

    found = advise(references, [f"{(n + 1) / 100}" for n in range(ROWS)])

    assert found.config == {"percent": "fraction"}


def test_places_of_options_are_read_as_labels_also_in_later_answers():
    references: list[JSON] = [n % 4 for n in range(ROWS)]
    later = [f"The best ending is **{n % 4}**.\n\nThe other 3 endings are odd." for n in range(ROWS)]

    kind, mapping = advised(references, [str(n % 4) for n in range(ROWS)])

    assert mean(kind, later, references, mapping) == 1


def test_of_several_numbers_the_last_is_not_the_answer():
    references: list[JSON] = [f"{n}.25, {n + 1}.5" for n in range(ROWS)]

    kind, mapping = advised(references, [f"({one})" for one in references])

    assert mean(kind, [f"{n + 1}.25, {n + 1}.5" for n in range(ROWS)], references, mapping) == 0


@pytest.mark.parametrize("inside", [False, True])
def test_texts_of_options_are_right_where_the_inputs_have_them(inside):
    texts = {
        letter: [f"{word} {n}" for n in range(ROWS)]
        for letter, word in zip("AB", ("town", "lake"), strict=True)
    }
    asked = [{"choices": {"text": [texts["A"][n], texts["B"][n]]}} if inside else {"q": "?", "A": texts["A"][n],
             "option_B": texts["B"][n]} for n in range(ROWS)]  # fmt: skip
    references: list[JSON] = ["AB"[n % 2] for n in range(ROWS)]
    said = [f"It is the {texts['AB'[n % 2]][n]}." if n % 3 else "AB"[n % 2] for n in range(ROWS)]

    advice = Advice.of_data(references, [*said, *references], None, asked)

    options = {"A": '$.input["A"]', "B": '$.input["option_B"]'}
    assert advice.mapping["actual"]["options"] == ('$.input["choices"]' if inside else options)
    assert (advice.doubt, advice.evidence.verdicts) == ("", [True, True, True])


def test_an_empty_reference_expects_that_an_output_says_that_there_is_no_answer():
    references: list[JSON] = [[] if n % 4 == 0 else [f"person {n} smith"] for n in range(ROWS)]
    right = [known[0] if known else ["", "Unanswerable.", "The text does not say."][n % 3]
             for n, known in enumerate(references)]  # fmt: skip
    wrong = [f"person {n + 1} smith" for n in range(ROWS)]

    advice = Advice.of_data(references, [*right, *wrong])

    assert (advice.doubt, "6 of 24 references are empty" in advice.reason) == ("", True)
    means = [mean(advice.kind, side, references, advice.mapping, advice.config) for side in (right, wrong)]
    assert means == [1, 0]


def test_dates_of_which_some_say_that_there_is_none_are_right_where_the_reference_says_so():
    references: list[JSON] = ["n/a" if n == 3 else f"2026-05-{n + 1:02}" for n in range(ROWS)]
    right: list[JSON] = [
        "The contract does not say." if n == 3 else f"May {n + 1}, 2026" for n in range(ROWS)
    ]

    advice = Advice.of_data(references, [*right, *references[::-1]])

    assert "1 say that there is none" in advice.reason
    assert mean(advice.kind, right, references, advice.mapping) == 1


def test_abstentions_are_read_behind_the_reasoning():
    references: list[JSON] = [None if n % 4 == 0 else f"person {n} smith" for n in range(ROWS)]
    outputs: list[JSON] = [f"<think>Nobody, unknown?</think>{known or 'Not stated.'}" for known in references]

    advice = Advice.of_data(references, outputs)

    assert advice.mapping["actual"]["read"][:2] == ["reasoning", "abstention"]
    assert mean(advice.kind, outputs, references, advice.mapping) == 1


def test_lists_between_commas_in_any_order_are_lists():
    names = ["Angela Merkel", "Berlin", "Bayer", "FC Barcelona", "Oslo"]
    known = [", ".join([names[n % 5], names[(n + 2) % 5], f"Ann {chr(97 + n)}"]) for n in range(24)]
    turned = ["\n".join(f"- {one}" for one in reversed(text.split(", "))) for text in known]

    advised = advise(known, [*known[:12], *[text.split(", ")[0] for text in known[12:]], *turned])
    assert (advised.kind, advised.members) == ("json_fields", ())


def test_records_that_are_left_out_do_not_make_the_next_ones_wrong():
    known = [
        {"entities": [{"text": f"t{n}", "type": "LOC"}, {"text": f"u{n}", "type": "PER"}]} for n in range(24)
    ]
    said = [{"entities": one["entities"][n % 2 :]} for n, one in enumerate(known)]

    assert advise(known, said).config == {"lists": "best"}


def test_short_texts_that_are_often_the_same_are_right_or_wrong():
    known = [f"{n} Rue de la Gare, 5980{n % 10} Lille, France" for n in range(24)]
    assert (
        advise(known, [*known[:12], *[one.replace("Lille", "Lyon") for one in known[12:]]]).kind
        == "exact_match"
    )


def test_short_texts_that_some_outputs_say_in_a_sentence_are_looked_for():
    known = [f"{n} Rue de la Gare, 5980{n % 10} Lille, France" for n in range(24)]
    said = [f"Here it is: {one}" if n % 8 == 0 else one for n, one in enumerate(known)]

    assert advise(known, [*known, *said]).kind == "contains"


def test_a_dot_in_the_name_of_an_allowed_call_is_also_written_as_an_underscore():
    allowed = [{"maps.find": {"city": ["Oslo"]}}]
    config = ToolCallsConfig(arguments="allowed")

    assert config.agree(Call("maps_find", {"city": "Oslo"}), Call("maps.find", allowed[0]["maps.find"]))
    assert not config.agree(Call("maps_look", {"city": "Oslo"}), Call("maps.find", allowed[0]["maps.find"]))
