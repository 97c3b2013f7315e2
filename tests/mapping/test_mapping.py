"""Input mapping: sources, contexts, messages, grouping by config, and intended differences from Phoenix."""

import json
from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict
from rapidfuzz.distance import Levenshtein

from evaluations import mapping
from evaluations.mapping import Contexts, MappingError
from evaluations.values import Status, canonical_json

GOLDEN = Path(__file__).parents[3] / "shared" / "golden" / "phoenix_input_mapping.public.jsonl"
BOTH = ["actual", "expected"]


class Config(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")
    pattern: str
    case_sensitive: bool = True
    threshold: int | None = None
    unit: Literal["code_point", "utf16"] = "code_point"


def resolve(entries, **columns):
    return mapping.compile(entries, BOTH, Config).resolve(Contexts(**columns))


def resolved(entry, context, **options):
    """The value of `actual` in one row, or the problem."""
    column = mapping.compile({"actual": entry} | options, ["actual"]).resolve(Contexts.of_rows([context]))[
        "actual"
    ]
    return column.problems.get(0) or column.values[0]


# ---- columns ----


def test_without_a_mapping_the_outputs_are_not_even_copied():
    outputs = ["a", "b"]

    columns = resolve({}, output=outputs, reference=["x", {"answer": "y"}])

    assert columns["actual"].values is outputs
    assert columns["expected"].values == ["x", "y"]


def test_equal_mappings_of_two_evaluators_give_the_same_columns():
    contexts = Contexts(output=[{"entity": "Paris"}], reference=[{"answer": "paris"}])
    one_way = {"actual": {"path": "output.entity"}, "expected": {"literal": "x"}}
    other_way = {"actual": {"path": "$['output']['entity']"}, "expected": {"literal": "x"}}

    first = mapping.compile(one_way, BOTH).resolve(contexts)
    second = mapping.compile(other_way, BOTH).resolve(contexts)

    assert first["actual"] is second["actual"]
    assert first["expected"] is second["expected"]


@pytest.mark.parametrize(
    ("entries", "needs"),
    [
        ({}, {"output", "reference"}),
        ({"actual": {"path": "input.q"}}, {"input", "reference"}),
        ({"expected": {"literal": "yes"}}, {"output"}),
        ({"actual": {"path": "$..answer"}}, {"input", "output", "reference", "metadata"}),
        ({"actual": {"path": "output.items[?@.id == $.metadata.id]"}}, {"output", "metadata", "reference"}),
        ({"actual": {"path": "answer"}, "expected": {"literal": None}}, set()),
        ({"threshold": {"path": "metadata.t"}}, {"output", "reference", "metadata"}),
    ],
)
def test_a_mapping_names_the_columns_it_needs(entries, needs):
    assert mapping.compile(entries, BOTH, Config).needs == needs


def test_columns_of_different_length_are_refused():
    with pytest.raises(ValueError, match="differ in length"):
        Contexts(output=["a"], reference=["a", "b"])


# ---- contexts ----


@pytest.mark.parametrize(
    ("reference", "columns", "expected"),
    [
        ({"answer": "x"}, None, "x"),
        ({"answer": {"a": 1}}, None, {"a": 1}),
        ({"answer": "x", "other": "y"}, None, {"answer": "x", "other": "y"}),
        ({"answer": "x"}, ["answer", "other"], {"answer": "x"}),
        ({}, ["answer"], None),
        ({}, None, None),
        ("plain text", None, "plain text"),
        (None, None, None),
    ],
)
def test_expected_is_the_one_reference_column_or_the_reference(reference, columns, expected):
    contexts = Contexts(output=["o"], reference=[reference], reference_columns=columns)

    assert mapping.compile({}, BOTH).resolve(contexts)["expected"].values == [expected]


def test_a_row_may_give_actual_and_expected_outright():
    contexts = Contexts.of_rows(
        [{"actual": "a", "expected": {"only": "key"}}, {"output": "b", "reference": {"only": "key"}}]
    )

    columns = mapping.compile({}, BOTH).resolve(contexts)

    assert columns["actual"].values == ["a", "b"]
    assert columns["expected"].values == [{"only": "key"}, "key"]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("output", '{"entity": "Paris", "note": "{\\"x\\": 1}"}'),
        ("output.entity", "Paris"),
        ("actual.entity", "Paris"),
        ("$.output[?@ == 'Paris']", "Paris"),
        ("output.note", '{"x": 1}'),
        ("reference.answer", "[1, 2]"),
        ("reference.answer[1]", 2),
        ("expected[1]", 2),
        ("$.reference[?@[0] == 1]", "[1, 2]"),
        ("$.reference.*", "[1, 2]"),
        ("$['output','missing']", '{"entity": "Paris", "note": "{\\"x\\": 1}"}'),
    ],
)
def test_a_path_looks_into_json_text_while_the_text_itself_stays(path, value):
    context = {
        "output": '{"entity": "Paris", "note": "{\\"x\\": 1}"}',
        "reference": {"answer": "[1, 2]"},
    }

    assert resolved({"path": path}, context) == value


@pytest.mark.parametrize("path", ["output.note.x", "input.json.a"])
def test_text_further_inside_stays_text(path):
    context = {"output": {"note": '{"x": 1}'}, "input": {"json": '{"a": 1}'}}

    status, _message = resolved({"path": path}, context)

    assert status is Status.UNMAPPED


@pytest.mark.parametrize("text", ['{"a": ', "[not json]", "{}x", "[" * 5_000, '{"a": "\ud800"}', "  plain"])
def test_text_that_only_looks_like_json_is_text(text):
    assert resolved({"path": "output"}, {"output": text}) == text
    assert resolved({"path": "output.a"}, {"output": text})[0] is Status.UNMAPPED


# ---- matches ----


@pytest.mark.parametrize(
    ("policy", "value"),
    [("first", "a"), ("join", 'a\n{"b": 1}\nnull\n2')],
)
def test_several_matches_follow_the_policy(policy, value):
    context = {"output": {"items": ["a", {"b": 1}, None, 2]}}

    assert resolved({"path": "output.items[*]"}, context, many=policy) == value
    assert resolved({"path": "output.items[*]", "many": policy}, context) == value


REFERENCE = {"a": "x", "b": None, "c": 7, "list": ["y", "z"], "nothing": []}


@pytest.mark.parametrize(
    ("path", "texts"),
    [
        ("$.reference['a','c']", ("x", "7")),
        ("$.reference['a','b']", ("x",)),
        ("$.reference.a", ("x",)),
        ("$.reference.list", ("y", "z")),
        ("$.reference.list[*]", ("y", "z")),
        ("$.reference.b", None),
        ("$.reference.nothing", None),
    ],
)
def test_each_value_or_member_can_be_a_reference_of_its_own(path, texts):
    entry = {"expected": {"path": path, "many": "references"}}
    compiled = mapping.compile(entry, BOTH, several=["expected"])

    columns = compiled.resolve(Contexts.of_rows([{"output": "o", "reference": REFERENCE}]))

    assert columns["expected"].values == [texts]


def test_all_reference_columns_are_references_by_one_word():
    compiled = mapping.compile({"many": "references"}, BOTH, several=["expected"])

    columns = compiled.resolve(Contexts.of_rows([{"output": ["o"], "reference": {"a": "x", "b": "y"}}]))

    assert (columns["actual"].values, columns["expected"].values) == ([["o"]], [("x", "y")])


@pytest.mark.parametrize(
    ("entries", "several", "pointer"),
    [
        ({"many": "references"}, (), "/many"),
        ({"expected": {"many": "references"}}, (), "/expected/many"),
        ({"actual": {"many": "references"}}, ("expected",), "/actual/many"),
    ],
)
def test_only_kinds_that_take_several_references_may_be_given_them(entries, several, pointer):
    with pytest.raises(mapping.MappingError) as refusal:
        mapping.compile(entries, BOTH, several=several)

    assert (refusal.value.code, refusal.value.pointer) == ("invalid_choice", pointer)


def test_several_matches_are_an_error_by_default():
    status, message = resolved({"path": "output.items[*]"}, {"output": {"items": ["a", "b"]}})

    assert status is Status.ERROR
    assert message == "many_matches: $.output.items[*] matches 2 values, not one."


def test_a_null_that_is_found_is_null_and_no_problem():
    assert resolved({"path": "output.x"}, {"output": {"x": None}}) is None


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("output.entty", "unmapped: $.output.entty matches nothing; $.output has entity."),
        ("output.zzz", "unmapped: $.output.zzz matches nothing; $.output has entity, items, my key."),
        ("output.items[7]", "unmapped: $.output.items[7] matches nothing; $.output.items is a list of 2."),
        (
            "output.items.name",
            "unmapped: $.output.items.name matches nothing; $.output.items is a list of 2.",
        ),
        ("output.entity.x", "unmapped: $.output.entity.x matches nothing; $.output.entity is text."),
        (
            "output['my key'].x",
            "unmapped: $.output['my key'].x matches nothing; $.output['my key'] is a number.",
        ),
        ("metadata.topic", "unmapped: $.metadata.topic matches nothing; $.metadata is null."),
        ("inputs.q", "unmapped: $.inputs.q matches nothing; $ has input, output."),
        (
            "output.items[*].x",
            "unmapped: $.output.items[*].x matches nothing; $.output.items is a list of 2.",
        ),
        ("$..nowhere", "unmapped: $..nowhere matches nothing; $ has input, output, reference, metadata."),
    ],
)
def test_a_path_without_a_match_says_what_exists_instead(path, message):
    context = {"output": {"entity": "Paris", "items": ["a", "b"], "my key": 5}}

    assert resolved({"path": path}, context) == (Status.UNMAPPED, message)


def test_rows_without_a_match_leave_the_others_alone():
    columns = resolve(
        {"actual": {"path": "output.e"}}, output=[{"e": 1}, {}, '{"e": 2}'], reference=["x"] * 3
    )

    assert columns["actual"].values == [1, None, 2]
    assert list(columns["actual"].problems) == [1]


def test_an_expensive_path_is_an_error_of_its_row():
    contexts = Contexts(output=[list(range(30_000)), [7]])

    column = mapping.compile({"actual": {"path": "output[?@ == 7]"}}, ["actual"]).resolve(contexts)["actual"]

    assert column.values == [None, 7]
    assert column.problems[0][0] is Status.ERROR
    assert column.problems[0][1].startswith(
        "path_limit: $.output[?@ == 7] was stopped: it evaluates its filters"
    )


def test_a_batch_ends_at_its_deadline(monkeypatch):
    monkeypatch.setattr("evaluations.mapping.contexts.BATCH_SECONDS", -1.0)

    _status, message = resolved({"path": "output[*]"}, {"output": ["a"]})

    assert message == "path_limit: $.output[*] was stopped: it takes too long."


# ---- saving ----


@pytest.mark.parametrize(
    ("entries", "code", "pointer"),
    [
        ([], "object_expected", ""),
        ({"actual": "output"}, "object_expected", "/actual"),
        ({"actual": {"path": "]["}}, "invalid_path", "/actual/path"),
        ({"actual": {"path": 5}}, "invalid_path", "/actual/path"),
        ({"actual": {"paht": "output"}}, "unknown_field", "/actual/paht"),
        ({"actual": {"path": "output", "many": "all"}}, "invalid_choice", "/actual/many"),
        ({"many": ["first"]}, "invalid_choice", "/many"),
        ({"a/b~": {"literal": 1}}, "unknown_parameter", "/a~1b~0"),
        ({"case_sensitive": {"literal": "false"}}, "invalid_literal", "/case_sensitive/literal"),
        ({"threshold": {"literal": True}}, "invalid_literal", "/threshold/literal"),
        ({"threshold": {"literal": 5.5}}, "invalid_literal", "/threshold/literal"),
        ({"unit": {"literal": "byte"}}, "invalid_literal", "/unit/literal"),
        ({"pattern": {"literal": None}}, "invalid_literal", "/pattern/literal"),
    ],
)
def test_a_wrong_mapping_is_refused_with_the_pointer_of_the_field(entries, code, pointer):
    with pytest.raises(MappingError) as refusal:
        mapping.compile(entries, BOTH, Config)

    assert (refusal.value.code, refusal.value.pointer) == (code, pointer)


def test_a_wrong_literal_is_named_with_its_value():
    with pytest.raises(MappingError) as refusal:
        mapping.compile({"case_sensitive": {"literal": "false"}}, BOTH, Config)

    assert refusal.value.message == 'case_sensitive is "false". It must be true or false.'


def test_a_parameter_that_is_no_context_key_needs_a_mapping():
    with pytest.raises(MappingError) as refusal:
        mapping.compile({}, ["actual", "question"])

    assert (refusal.value.code, refusal.value.pointer) == ("mapping_required", "/question")


def test_a_literal_beats_a_path():
    assert resolved({"path": "output", "literal": "given"}, {"output": "o"}) == "given"


# ---- configs from rows ----


def grouped(entries, base, **columns):
    compiled = mapping.compile(entries, BOTH, Config)
    return compiled.group_by_config(base, compiled.resolve(Contexts(**columns)))


def test_without_mapped_fields_all_rows_are_one_group():
    groups, problems = grouped({}, {"pattern": "x"}, output=["a", "b"], reference=["a", "b"])

    assert groups == [({"pattern": "x"}, [0, 1])]
    assert problems == {}


def test_rows_are_grouped_by_their_resolved_config():
    groups, problems = grouped(
        {"threshold": {"path": "metadata.t"}, "case_sensitive": {"literal": False}},
        {"pattern": "x", "case_sensitive": True},
        output=["a"] * 4,
        reference=["b"] * 4,
        metadata=[{"t": 1}, {"t": 2}, {"t": 1}, {"t": None}],
    )

    assert groups == [
        ({"pattern": "x", "case_sensitive": False, "threshold": 1}, [0, 2]),
        ({"pattern": "x", "case_sensitive": False, "threshold": 2}, [1]),
        ({"pattern": "x", "case_sensitive": False, "threshold": None}, [3]),
    ]
    assert problems == {}


def test_one_is_not_true_and_not_one_point_zero():
    groups, problems = grouped(
        {"threshold": {"path": "metadata.t"}},
        {"pattern": "x"},
        output=["a"] * 3,
        metadata=[{"t": 1}, {"t": True}, {"t": 1.0}],
    )

    assert [rows for _config, rows in groups] == [[0]]
    assert {row: status for row, (status, _message) in problems.items()} == {1: Status.ERROR, 2: Status.ERROR}
    assert problems[1][1] == "invalid_config: threshold is true. It must be a whole number."


def test_a_row_without_the_mapped_field_is_unmapped():
    groups, problems = grouped(
        {"threshold": {"path": "metadata.t"}}, {"pattern": "x"}, output=["a", "b"], metadata=[{"t": 1}, {}]
    )

    assert [rows for _config, rows in groups] == [[0]]
    assert problems[1][0] is Status.UNMAPPED


# ---- hints ----


def test_the_paths_of_some_rows_are_listed_for_a_picker():
    rows = [
        {"input": {"q": "hi"}, "output": '{"entity": "Paris", "n": [5]}', "reference": {"6b": None}},
        {"input": {"q": "ho", "two words": "x" * 100}, "output": "text", "reference": {}},
    ]

    hints = mapping.paths_in(rows)

    assert [(hint.path, hint.count) for hint in hints] == [
        ("$.input", 2),
        ("$.input.q", 2),
        ("$.output", 2),
        ("$.output.entity", 1),
        ("$.output.n", 1),
        ("$.output.n[0]", 1),
        ("$.reference", 2),
        ("$.reference['6b']", 1),
        ("$.input['two words']", 1),
    ]
    assert [hint.example for hint in hints[:2]] == ['{"q": "hi"}', "hi"]
    assert len(hints[-1].example) == 80


def test_every_hint_leads_to_something():
    row = {"output": {"a": [{"b'": {"\n": 1}}] * 9}, "metadata": {str(n): n for n in range(600)}}

    hints = mapping.paths_in([row])

    assert len(hints) == 500
    assert all(not isinstance(resolved({"path": hint.path}, row), tuple) for hint in hints)


# ---- differences from Phoenix for the same paths ----

DIFFERENT = {
    # A wildcard can be saved; if it matches twice, that is an error of the row.
    "map-005-levenshtein_distance": "error",
    "map-005-exact_match": "error",
    # Null is missing, not the text "None".
    "map-008-levenshtein_distance": "missing",
    "map-017-levenshtein_distance": "missing",
    "map-017-exact_match": "missing",
    # True becomes JSON's "true", not Python's repr. (The objects of map-009 do too, at the same distance.)
    "map-019-levenshtein_distance": 1.0,
    # A parameter without a mapping is the context key of its name.
    "map-010-levenshtein_distance": 1.0,
    "map-010-exact_match": 0.0,
    # The whole of RFC 9535 is accepted, `..` included.
    "map-020-levenshtein_distance": 1.0,
}


class ProductConfig(BaseModel):
    model_config = ConfigDict(strict=True)
    case_sensitive: bool = True


def answer_of_resolver(config):
    """Our answer to one call of the product: a score, or the reason for having none."""
    entries = {name: {"path": path} for name, path in config["path_mapping"].items()}
    entries |= {name: {"literal": literal} for name, literal in config["literal_mapping"].items()}
    try:
        compiled = mapping.compile(entries, BOTH, ProductConfig)
    except MappingError:
        return "refused"
    columns = compiled.resolve(Contexts.of_rows([config["context"]]))
    if any(column.problems for column in columns.values()):
        return "error"
    [(resolved, _rows)], _problems = compiled.group_by_config({"case_sensitive": True}, columns)
    values = [columns[name].values[0] for name in BOTH]
    if None in values:
        return "missing"
    texts = [value if isinstance(value, str) else canonical_json(value) for value in values]
    if not resolved["case_sensitive"]:
        texts = [text.lower() for text in texts]
    return float(
        texts[0] == texts[1] if config["evaluator"] == "exact_match" else Levenshtein.distance(*texts)
    )


@pytest.mark.skipif(
    not GOLDEN.exists(), reason="the product's answers are not part of this repository (../shared)"
)
def test_every_answer_of_the_product_is_ours_or_a_named_difference():
    lines = [json.loads(line) for line in GOLDEN.read_text().splitlines()]

    answers = {line["id"]: answer_of_resolver(line["config"]) for line in lines}

    product_results = {line["id"]: "refused" if "error" in line else line["result"] for line in lines}
    assert answers == product_results | DIFFERENT
    assert all(product_results[key] != different for key, different in DIFFERENT.items())


# ---- questions without an answer ----

ABSTAINS = {"path": "$.output", "read": ["abstention"], "empty": "unanswerable"}
EMPTY = {"path": "$.reference.answers", "many": "any", "empty": "unanswerable"}


@pytest.mark.parametrize("output", ["", "The text does not say.", "<think>Who?</think> N/A"])
def test_an_output_that_says_nothing_is_right_where_no_answer_is_expected(output):
    columns = mapping.compile({"actual": ABSTAINS, "expected": EMPTY}, BOTH).resolve(
        Contexts.of_rows([{"output": output, "reference": {"answers": []}}])
    )

    assert (columns["actual"].values, columns["expected"].values) == (["unanswerable"], ["unanswerable"])


@pytest.mark.parametrize(("answers", "expected"), [([], "unanswerable"), ([{"text": "Oslo"}], ("Oslo",))])
def test_a_list_without_right_answers_is_empty(answers, expected):
    inside = EMPTY | {"path": '$.reference.answers[*]["text"]'}

    columns = mapping.compile({"expected": inside}, BOTH).resolve(
        Contexts.of_rows([{"output": "x", "reference": {"answers": answers}}])
    )

    assert (columns["expected"].values, columns["expected"].problems) == ([expected], {})


def test_an_output_that_is_missing_says_nothing_at_all():
    assert resolved(ABSTAINS, {"output": None}) is None


def test_a_reference_that_is_null_is_empty():
    columns = mapping.compile({"expected": EMPTY}, BOTH).resolve(
        Contexts.of_rows(
            [{"output": "x", "reference": {"answers": None}}, {"reference": {"answers": ["Oslo"]}}]
        )
    )

    assert columns["expected"].values == ["unanswerable", ("Oslo",)]


@pytest.mark.parametrize("empty", ["", None, ["x"], "x" * 201])
def test_only_a_short_text_stands_for_an_empty_one(empty):
    with pytest.raises(MappingError) as refusal:
        mapping.compile({"expected": EMPTY | {"empty": empty}}, BOTH)

    assert refusal.value.pointer == "/expected/empty"


# ---- the texts of options ----

LETTERS = {"path": "$.output", "read": [{"step": "choice", "labels": ["A", "B"]}]}
OPTIONS = LETTERS | {"options": {"A": "$.input.A", "B": '$.input["B"]'}}
ASKED = {"A": "Oslo", "B": "Rome"}


@pytest.mark.parametrize(
    ("output", "label"),
    [("B", "B"), ("It is **rome**.", "B"), ("A: Rome", "A"), ("<think>Oslo?</think> Rome.", "B")],
)
def test_the_text_of_an_option_stands_for_its_label(output, label):
    assert resolved(OPTIONS, {"output": output, "input": ASKED}) == label


@pytest.mark.parametrize("output", ["Oslo or Rome", "Paris", ""])
def test_no_option_or_several_are_no_answer(output):
    status, _ = resolved(OPTIONS, {"output": output, "input": ASKED})

    assert status == Status.NOT_FOUND


def test_one_path_may_lead_to_all_options():
    entry = LETTERS | {"options": "$.input.q"}

    assert resolved(entry, {"output": "Rome", "input": {"q": "Where?\nA. Oslo\nB. Rome\nAnswer:"}}) == "B"


def test_the_inputs_are_needed_where_options_stand_there():
    assert mapping.compile({"actual": OPTIONS}, ["actual"]).needs == {"output", "input"}


@pytest.mark.parametrize(
    ("entries", "pointer"),
    [
        ({"expected": OPTIONS}, "/expected/options"),
        ({"actual": {"path": "$.output", "options": {"A": "$.input.A"}}}, "/actual/options"),
        ({"actual": OPTIONS | {"options": {}}}, "/actual/options"),
        ({"actual": OPTIONS | {"options": ["$.input.A"]}}, "/actual/options"),
        ({"actual": OPTIONS | {"options": {"A": "$["}}}, "/actual/options/A"),
        ({"actual": OPTIONS | {"read": ["reasoning"]}}, "/actual/options"),
    ],
)
def test_options_that_no_answer_can_have_are_refused(entries, pointer):
    with pytest.raises(MappingError) as refusal:
        mapping.compile(entries, BOTH)

    assert refusal.value.pointer == pointer
