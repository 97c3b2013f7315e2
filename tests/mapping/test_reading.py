"""Reading steps: what of an output is the answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations.mapping import Contexts, MappingError
from evaluations.mapping import compile as compile_mapping
from evaluations.mapping.choice import Choice
from evaluations.mapping.reading import NotFound, compile_steps
from evaluations.mapping.reasoning import split_reasoning
from evaluations.values import Column, Status

LETTERS = {"step": "choice", "labels": ["A", "B", "C"]}
NOTHING = object()


def read(steps, value):
    try:
        return compile_steps(steps).value(value)
    except NotFound:
        return NOTHING


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<think>\nRome is Italy.\n</think>\n\nParis", "Paris"),
        ("<think>easy</think>Madrid", "Madrid"),
        ("Oslo", "Oslo"),
        ("<think>Lima or Cusco? I am still", NOTHING),
        ("<think>only thoughts</think>", NOTHING),
        ("I weigh it.</think> 4", "4"),
        ("<THINKING>a</THINKING><think>b</think> 4", "4"),
        ("<think>a <think>b</think> c</think> 4", "4"),
        ("[THINK]a[/THINK]4", "4"),
        ("Say <think>x</think> aloud", "Say <think>x</think> aloud"),
        ("<think>a</think>\n<answer>\n4\n</answer>", "4"),
        ("<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>4<|END_RESPONSE|>", "4"),
        ("<|begin_of_thought|>a<|end_of_thought|> <|begin_of_solution|>4<|end_of_solution|>", "4"),
        ("<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>4", "4"),
        ("<longcat_think>a</longcat_think>4", "4"),
        (
            "<think>a</think><answer>4</answer> or <answer>5</answer>",
            "<answer>4</answer> or <answer>5</answer>",
        ),
        ("<answer>4</answer>", "<answer>4</answer>"),
    ],
)
def test_reasoning_is_dropped_at_the_beginning(text, answer):
    assert read(["reasoning"], text) == answer


def test_reasoning_is_kept_apart_from_the_answer():
    assert split_reasoning("<think> Rome? No. </think> Paris ") == ("Rome? No.", "Paris")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('```json\n{"n": 2}\n```', {"n": 2}),
        ('Here is the JSON: {"city": "Linz"}\nAnything else?', {"city": "Linz"}),
        ('{"code": "```\\nx = 1\\n```"}', {"code": "```\nx = 1\n```"}),
        ("7", 7),
        ("it is 7", NOTHING),
        ('{"a": 1, "a": 2}', NOTHING),
        ("[NaN]", NOTHING),
        ('a [see below {"x": "a}b"}', {"x": "a}b"}),
        ("~~~\nnot json\n~~~\n```\n[1]\n```", [1]),
        ([1], [1]),
    ],
)
def test_json_is_the_whole_text_or_a_fence_or_the_first_value(text, value):
    assert read(["json"], text) == value


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("B", "B"),
        ("b.", "B"),
        ("The answer is C.", "C"),
        ("I first thought answer: A, but the answer is (C)", "C"),
        ("Of A and B, \\boxed{B}", "B"),
        ("**A**, because B is wrong", "A"),
        ("It must be C, I think", "C"),
        ("A, since B and C are about dates", "A"),
        ("A and B, mostly", NOTHING),
        ("A or B", NOTHING),
        ("(A) or (B)", NOTHING),
        ("Absolutely", NOTHING),
        ("Answer: b", "B"),
        ("I choose (c)", "C"),
        ("The answer is a riddle: B", "B"),
        ("- **A. Iron** is unrelated\n- **B. Neon** fits\n\nThe best choice is **B) Neon**.", "B"),
        ("A is tempting, C is not. I'd go with B", "B"),
        ("Not B or C.\nVerdict: **A** because B fails", "A"),
        ("I initially thought B, but the correct one is A.", "A"),
        ("A is incorrect. B is wrong. Therefore C.", "C"),
        ("B and C are both plausible, but A is best.", "A"),
        ("It can't be A because that is elsewhere, so B.", "B"),
        ("B — while C looks right, it misses the point.", "B"),
        ("Ruling out B, I would say A", "A"),
        ("A. electron\n\nExplanation: nucleus (C) is a common misconception.", "A"),
        ("**A. electron**\n\nWhy: the nucleus (C) does not move.", "A"),
        ("A. Iron is heavy\n\nB. Neon is light\n\n(B)", "B"),
        ("Option C is correct: oil. Option A is a common confusion.", "C"),
        ("B is the best choice, although A is not correct either.", "B"),
        ("Antwort: A, nicht C", "A"),
        ("A和C都不对，答案是B。", "B"),
        ("选【C】，不选A", "C"),
        ("คำตอบคือ B", "B"),
    ],
)
def test_a_choice_is_read_by_how_it_is_set_off(text, label):
    assert read([LETTERS], text) == label


@pytest.mark.parametrize(
    ("labels", "text", "label"),
    [
        (["entailment", "neutral", "contradiction"], "It is not contradiction; it is neutral.", "neutral"),
        (["entailment", "neutral", "contradiction"], "It isn't a *contradiction*.", NOTHING),
        (["spam", "ham"], "This is not spam.", "ham"),
        (["spam", "ham"], "No spam? It is spam.", "spam"),
        (["positiv", "negativ"], "Das ist nicht positiv", "negativ"),
        (["toxic", "not toxic"], "The comment is not toxic.", "not toxic"),
    ],
)
def test_a_label_behind_not_is_not_said(labels, text, label):
    assert read([{"step": "choice", "labels": labels}], text) == label


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("No parece bueno, aunque lo diga.\n\nSentimiento: malo", "malo"),
        ("**Sentiment:** malo.\nReason: it says bueno, but means it not", "malo"),
        ("Best case: bueno\nWorst case: malo", NOTHING),
        ("It could be malo: bueno people differ", NOTHING),
    ],
)
def test_a_line_of_its_own_says_the_label(text, label):
    assert read([{"step": "choice", "labels": ["bueno", "malo"]}], text) == label


def test_bullets_of_one_word_and_of_several_are_all_said():
    step = {"step": "choice", "labels": ["Rashid Khan", "Norsk Energi", "Rotterdam"], "take": "all"}

    assert read([step], "- Rashid Khan\n- Norsk Energi\n- Rotterdam") == [
        "Rashid Khan",
        "Norsk Energi",
        "Rotterdam",
    ]


def test_of_several_labels_one_behind_not_leaves_the_others():
    step = {"step": "choice", "labels": ["joy", "anger"], "take": "all"}

    assert read([step], "joy") == ["joy"]
    assert read([step], "It is not anger.") is NOTHING


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Yes, the passage says so.", "true"),
        ("**No**", "false"),
        ("True", "true"),
        ("The answer is no; yes would be wrong.", "false"),
        ("yes and false", NOTHING),
        ("yesterday", NOTHING),
    ],
)
def test_other_words_stand_for_a_label(text, label):
    step = {"step": "choice", "labels": ["true", "false"], "also": {"yes": "true", "no": "false"}}
    assert read([step], text) == label


@pytest.mark.parametrize(
    "text",
    [
        "A, C",
        "A and C",
        "AC",
        "**A** and **C**, but not B.",
        "The correct answers are A, C.\nB is wrong.",
        "A) Paris\nC) Rome\n\nB was never the capital.",
        "- A\n- C",
        "A, C\n\nReason: B is a river.",
        '["A", "C"]',
        "B looks right at first. Answer: (A), (C)",
        "Answer:\nA\nC",
    ],
)
def test_all_labels_of_an_answer_are_a_list(text):
    assert read([LETTERS | {"take": "all"}], text) == ["A", "C"]


@pytest.mark.parametrize("value", ["[]", " [ ] ", "```json\n[]\n```", '{"labels": []}', [], {"labels": []}])
def test_an_empty_list_says_that_no_label_applies(value):
    assert read([LETTERS | {"take": "all"}], value) == []
    assert read([LETTERS | {"take": "all"}], "A, since no other[] applies") == ["A"]


@pytest.mark.parametrize("text", ["", "None of them", "A good one"])
def test_an_answer_may_say_none_of_the_labels(text):
    assert read([{"step": "choice", "labels": ["B", "C"], "take": "all"}], text) is NOTHING


@pytest.mark.parametrize(
    "text",
    [
        '["Oslo", "Rome"]',
        'Found:\n```json\n["Oslo", "Rome"]\n```',
        '{"cities": ["Oslo", "Rome", "Oslo"]}',
        "- Oslo\n- Rome",
        "They are:\n\n1. **Oslo**\n2. **Rome**",
        "Oslo, Rome",
        "The cities are: Oslo and Rome.",
        "Oslo\nRome",
        "“Oslo”; “Rome”",
    ],
)
def test_a_list_has_its_members_however_it_is_written(text):
    assert read(["items"], text) == ["Oslo", "Rome"]


@pytest.mark.parametrize(
    "text",
    [
        "2021-05-03",
        "3 May 2021",
        "It was on May 3rd, 2021.",
        "**3. Mai 2021**",
        "3 de mayo de 2021",
        "le 3 mai 2021",
        "3/5/2021",
        "03.05.2021",
        "2021/05/03",
        "Born 2 June 1999, died 3 May 2021",
        "the 3rd of May 2021",
    ],
)
def test_a_date_is_the_same_however_it_is_written(text):
    assert read([{"step": "date"}], text) == "2021-05-03"


@pytest.mark.parametrize(
    ("settings", "text", "day"),
    [
        ({"order": "month"}, "3/5/2021", "2021-03-05"),
        ({"order": "month"}, "13/5/2021", "2021-05-13"),
        ({}, "5/13/2021", "2021-05-13"),
        ({"match": "first"}, "2 June 1999 to 3 May 2021", "1999-06-02"),
        ({}, "31 February 2021", NOTHING),
        ({}, "May 2021", NOTHING),
        ({}, "3 Mars bars 2021", NOTHING),
        ({}, "12 monkeys 1995", NOTHING),
        ({}, "1.2.3", NOTHING),
    ],
)
def test_what_is_a_date(settings, text, day):
    assert read([{"step": "date"} | settings], text) == day


@pytest.mark.parametrize(
    ("value", "members"),
    [
        ("a, b, and c d", ["a", "b", "c d"]),
        ("Bosnia and its rivers", ["Bosnia and its rivers"]),
        ([1, 2.5, " x "], ["1", "2.5", "x"]),
        ([], []),
        ("[]", []),
        (" ", NOTHING),
    ],
)
def test_what_is_one_member_and_what_is_none(value, members):
    assert read(["items"], value) == members


@pytest.mark.parametrize(
    ("labels", "text", "label"),
    [
        (["正面", "负面"], "这是正面评价", "正面"),
        (["दिन", "रात"], "यह दिन है", "दिन"),
        (["दिन", "रात"], "कई दिनों से", NOTHING),
        (["की", "का"], "कीमत", NOTHING),
        (["ดี", "แย่"], "อาหารดีมาก", "ดี"),
    ],
)
def test_a_label_is_a_word_of_its_script(labels, text, label):
    assert read([{"step": "choice", "labels": labels}], text) == label


@pytest.mark.parametrize(
    ("steps", "text", "answer"),
    [
        (["code"], "The result:\n```4```\nDone", "4"),
        (["code"], "````md\n```py\nx\n```\n````", "```py\nx\n```"),
        (["json"], '```json {"a": 1} ```', {"a": 1}),
        (["code"], "see\n```py\nprint(1)\n```\nend", "print(1)"),
        (["code"], "no fence", NOTHING),
        ([{"step": "pattern", "pattern": r"#### (\d+)"}], "#### 4 #### 5", "4"),
        ([{"step": "pattern", "pattern": r"#### (\d+)", "match": "last"}], "#### 4 #### 5", "5"),
        ([{"step": "json", "take": "list"}], '{"entities": [{"text": "Oslo"}]}', [{"text": "Oslo"}]),
        ([{"step": "json", "take": "list"}], '{"entities": [], "n": 0}', {"entities": [], "n": 0}),
        ([{"step": "json", "take": "list"}], {"entities": [1]}, [1]),
        ([{"step": "json", "take": "list"}], '{"entities": "none"}', {"entities": "none"}),
        ([{"step": "pattern", "pattern": r"#(\d+)|;", "match": "all"}], "#4; #5, #4", ["4", "5"]),
        ([{"step": "pattern", "pattern": r"#(\d+)", "match": "all"}], "none", NOTHING),
        ([{"step": "pattern", "pattern": r"#### (\d+)", "group": 0}], "#### 4", "#### 4"),
        ([{"step": "pattern", "pattern": r"(a)|b"}], "b", NOTHING),
        ([{"step": "after", "marker": "####"}], "17 #### 42 ", "42"),
        (["first_line"], "\n a \nb", "a"),
        (["last_line"], "a\n b \n\n", "b"),
        (["last_line"], " \n", NOTHING),
        (["json", {"step": "path", "path": "$.city"}], 'It is {"city": "Graz"}', "Graz"),
        (["json", {"step": "path", "path": "$.town"}], '{"city": "Graz"}', NOTHING),
        (
            [
                {
                    "step": "normalize",
                    "case": "fold",
                    "punctuation": "remove",
                    "articles": "en",
                    "whitespace": "collapse",
                }
            ],
            " The  Red, Fox!",
            "red fox",
        ),
        (
            [{"step": "normalize", "punctuation": "remove", "whitespace": "remove"}],
            "card_lost ok",
            "cardlostok",
        ),
        ([{"step": "normalize", "unicode": "NFKC"}], "ﬁne", "fine"),
        (["reasoning", "last_line", {"step": "after", "marker": ":"}], "<think>x</think>a\nit is: 4", "4"),
    ],
)
def test_steps_are_taken_in_order(steps, text, answer):
    assert read(steps, text) == answer


def test_a_trace_shows_the_text_after_each_step():
    traces = compile_steps(["reasoning", "json"]).trace('<think>x</think>{"a": 1}')

    assert [(trace.step, trace.text) for trace in traces] == [("reasoning", '{"a": 1}'), ("json", '{"a": 1}')]


def test_an_output_without_an_answer_is_not_found_and_a_reference_is_missing():
    column, reading = Column(["<think>x", None, "4"]), compile_steps(["reasoning"])

    output, reference = (reading.column(column, of_reference=side) for side in (False, True))

    assert output.problems == {0: (Status.NOT_FOUND, "no_answer: There is nothing after the reasoning.")}
    assert reference.problems[0][0] == Status.MISSING_EXPECTED
    assert output.values == [None, None, "4"]


def test_equal_steps_on_one_column_are_taken_once():
    contexts = Contexts.of_rows([{"output": "<think>x</think>4"}])
    mapped = [
        compile_mapping({"actual": {"path": "$.output", "read": ["reasoning"]}}, ["actual"]) for _ in range(2)
    ]

    first, second = (mapping.resolve(contexts)["actual"] for mapping in mapped)

    assert first is second
    assert first.values == ["4"]


@pytest.mark.parametrize(
    ("steps", "pointer"),
    [
        ("reasoning", "/actual/read"),
        (["shorten"], "/actual/read/0"),
        ([3], "/actual/read/0"),
        (["json", {"step": "after"}], "/actual/read/1/marker"),
        ([{"step": "pattern", "pattern": "("}], "/actual/read/0/pattern"),
        ([{"step": "choice", "labels": ["a", "A"]}], "/actual/read/0/labels"),
        ([{"step": "choice", "labels": ["true"], "also": {"yes": "false"}}], "/actual/read/0/also"),
        ([{"step": "choice", "labels": ["true", "false"], "also": {"False": "true"}}], "/actual/read/0/also"),
        ([{"step": "choice", "labels": ["true"], "also": {}}], "/actual/read/0/also"),
        (["json"] * 9, "/actual/read"),
    ],
)
def test_an_invalid_step_is_refused_where_it_stands(steps, pointer):
    with pytest.raises(MappingError) as refused:
        compile_mapping({"actual": {"path": "$.output", "read": steps}}, ["actual"])

    assert (refused.value.code, refused.value.pointer) == ("invalid_step", pointer)


@pytest.mark.long
@pytest.mark.parametrize(
    "text", ["[" * 50_000, "[{" * 25_000, '"[' * 25_000, "<think>" * 8_000, "```\n" * 12_000, "A " * 25_000]
)
@pytest.mark.parametrize("step", ["reasoning", "json", "code", LETTERS])
def test_a_hostile_text_ends_every_step(text, step):
    assert read([step], text) is not None


MARKS = [
    "<think>",
    "</think>",
    "<THINK>",
    "</Think>",
    "<reasoning>",
    "[think]",
    "<|channel|>final<|message|>",
    " ",
    "a",
    "<",
]


@given(st.lists(st.sampled_from(MARKS), min_size=1, max_size=9).map("".join))
def test_the_usual_block_is_dropped_quickly_as_it_is_slowly(text):
    _, answer = split_reasoning(text)

    reading = compile_steps(["reasoning"])
    if answer:
        assert reading.value(text) == answer
    else:
        with pytest.raises(NotFound):
            reading.value(text)


@pytest.mark.parametrize(
    "value",
    [
        [{"find": '{"city": "Oslo"}'}],
        '[{"find": {"city": "Oslo"}}]',
        {"name": "find", "arguments": {"city": "Oslo"}},
        "find(city='Oslo')",
    ],
)
def test_calls_are_read_from_texts_and_objects(value):
    assert compile_steps(["calls"]).value(value) == [{"name": "find", "arguments": {"city": "Oslo"}}]


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("I thought of billing first, but this clearly belongs to: access", "access"),
        ('{"decision": "billing", "why": "it needs no access"}', "billing"),
        ("Decision: billing. Reason: it has nothing to do with access.", "billing"),
        ("Options: access, billing", None),
    ],
)
def test_a_label_behind_a_colon_counts_before_one_in_the_text(answer, label):
    step = compile_steps([{"step": "choice", "labels": ["access", "billing"]}])

    if label:
        assert step.value(answer) == label
    else:
        with pytest.raises(NotFound):
            step.value(answer)


def test_a_negative_number_is_no_label_without_its_sign():
    step = Choice(step="choice", labels=["0", "1"])

    assert step.read("The code is 1.") == "1"
    for text in ("-1", "The code is −1."):
        with pytest.raises(NotFound):
            step.read(text)
