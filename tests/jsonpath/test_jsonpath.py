"""JSONPath: the test suite of the RFC, advice on spelling, and limits."""

import json
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import jsonpath_rfc9535
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluations import jsonpath

SUITE = Path(__file__).parents[3] / "shared" / "data" / "jsonpath_cts.json"

names = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)


def nested(depth):
    value = "deep"
    for _ in range(depth):
        value = {"a": value}
    return value


def outcome(case):
    try:
        return jsonpath.compile(case["selector"]).find(case["document"])
    except jsonpath.PathError:
        return "invalid"


@pytest.mark.skipif(
    not SUITE.exists(), reason="the compliance suite is not part of this repository (../shared)"
)
def test_the_public_compliance_suite_passes_as_a_whole(capsys):
    cases = json.loads(SUITE.read_bytes())["tests"]
    failing = []
    for case in cases:
        allowed = ["invalid"] if case.get("invalid_selector") else case.get("results", [case.get("result")])
        if outcome({"document": None} | case) not in allowed:
            failing.append(case["name"])

    with capsys.disabled():
        sys.stdout.write(f"\nJSONPath compliance: {len(cases) - len(failing)} of {len(cases)}\n")
    assert len(cases) == 703
    assert failing == []


@pytest.mark.parametrize(
    ("selector", "document", "values"),
    [
        ("$", [1], [[1]]),
        ("$.a.b", {"a": {"b": None}}, [None]),
        ("$.a[-1]", {"a": [1, 2]}, [2]),
        ("$.a[2]", {"a": [1, 2]}, []),
        ("$.a[0]", {"a": {"0": 1}}, []),
        ("$.a['0']", {"a": [1]}, []),
        ("$..b", {"a": [{"b": 1}, {"b": 2}], "b": 3}, [3, 1, 2]),
        ("$.a[1:]", {"a": [1, 2, 3]}, [2, 3]),
        ("$.a[?@.x>1].y", {"a": [{"x": 1, "y": 1}, {"x": 2, "y": 2}]}, [2]),
        ("$.a[?@.id==$.wanted].y", {"a": [{"id": 1, "y": "n"}, {"id": 2, "y": "y"}], "wanted": 2}, ["y"]),
        ("$[?match(@, 'a.b')]", ["axb", "a\rb", "a\u2028b", "xaxb"], ["axb", "a\u2028b"]),
        ("$[?search(@, '[.]x')]", ["a.xb", "axb"], ["a.xb"]),
        ("$[?search(@, '(')]", ["("], []),
        ("$[?search(@, 'a')]", ["\ud800a", 1, None], []),
    ],
)
def test_a_path_selects_the_values_of_the_rfc(selector, document, values):
    assert jsonpath.compile(selector).find(document) == values


@pytest.mark.parametrize(
    "text", ["output.entity", "$.output.entity", "$['output'].entity", "['output']['entity']"]
)
def test_the_leading_root_is_optional(text):
    path = jsonpath.compile(text)

    assert path.plain
    assert path.prefix == ("output", "entity")
    assert path.roots == {"output"}


@pytest.mark.parametrize(
    "text", ["$.6b_finetuning.solution", "6b_finetuning.solution", "$['6b_finetuning'].solution"]
)
def test_a_name_may_begin_with_a_digit(text):
    assert jsonpath.compile(text).find({"6b_finetuning": {"solution": "72"}}) == ["72"]


def test_a_name_may_begin_with_a_digit_beside_a_filter():
    path = jsonpath.compile("$.6b.x[?@.a=='.7b' || @.2nd > 1].y")

    assert path.find({"6b": {"x": [{"a": ".7b", "y": 1}, {"2nd": 2, "y": 2}, {"y": 3}]}}) == [1, 2]


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("$.1", "write $['1']."),
        ("output.my-key", "write $.output['my-key']."),
        ("$.output.two words", "write $.output['two words']."),
        ("$.1.x[*]", "write $['1'].x[*]."),
    ],
)
def test_an_unquoted_name_is_refused_with_the_spelling_to_write(text, advice):
    with pytest.raises(jsonpath.PathError) as refusal:
        jsonpath.compile(text)

    assert str(refusal.value).endswith(advice)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "empty"),
        ("][", "(character 3)"),
        ("$.a[?(__import__('os').system('id'))]", "(character 7)"),
        ("$[(@.length-1)]", "(character 3)"),
        ("$[?@.a==1e999]", "too large"),
        ("$[?" + "!" * 900 + "@.a]", "nested too deeply"),
        ("$[?" + "(" * 480 + "@.a" + ")" * 480 + "]", "nested too deeply"),
        ("$" + ".a" * 33, "33 steps"),
        ("$" + ".a" * 5_000, "10\u202f001 characters"),
    ],
)
def test_an_invalid_path_is_refused_with_a_sentence(text, sentence):
    with pytest.raises(jsonpath.PathError) as refusal:
        jsonpath.compile(text)

    assert sentence in str(refusal.value)


@pytest.mark.parametrize(
    ("selector", "document", "limit"),
    [
        ("$..*..*..*..*", {"a": [[[list(range(10))] * 10] * 10] * 3}, "visits more than"),
        ("$" + "[0,0,0,0]" * 10, [[[[[[[[[[0]]]]]]]]]], "visits more than"),
        ("$.*", list(range(20_001)), "visits more than"),
        ("$[?@.a == 1]", [{}] * 5_001, "evaluates its filters"),
        ("$[?count($..*) > 1]", [[0] * 10] * 100, "visits more than"),
        ("$[?$[?$[?@ == 1]]]", list(range(100)), "evaluates its filters"),
        ("$..a", nested(200), "nested more than"),
        ("$[?@ == $[0]]", [nested(5_000), nested(5_000)], "nested more than"),
        ("$[?search(@, '(a|aa)+$')]", ["a" * 100_001], "more than 100\u202f000 characters"),
        ("$[?search(@, $[0])]", ["a" * 1_001], "more than 1\u202f000 characters"),
    ],
)
def test_an_expensive_path_ends_at_a_limit(selector, document, limit):
    path = jsonpath.compile(selector, replace(jsonpath.LIMITS, seconds=3_600))

    with pytest.raises(jsonpath.PathLimitError) as stopped:
        path.find(document)

    assert limit in str(stopped.value)


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "^(\\\\w+\\\\s?)*$", "(x{1000}){1000}"])
def test_a_pattern_that_blows_up_elsewhere_costs_one_filter(pattern):
    text = "a" * 50_000 + "!"

    matches = jsonpath.compile(f"$[?search(@, '{pattern}')]").find([text])

    assert matches == []


def test_time_is_the_last_limit():
    path = jsonpath.compile("$.a.*", replace(jsonpath.LIMITS, seconds=-1))

    with pytest.raises(jsonpath.PathLimitError, match="too long"):
        path.find({"a": [1]})


def test_a_shared_deadline_ends_every_later_call():
    with pytest.raises(jsonpath.PathLimitError, match="too long"):
        jsonpath.compile("$.a.*").find({"a": [1]}, deadline=0.0)


@pytest.mark.parametrize(
    ("text", "roots"),
    [
        ("output.items[*]", {"output"}),
        ("$['output','input']", {"output", "input"}),
        ("$.output[?@.id == $.reference.id]", {"output", "reference"}),
        ("$.output[?@.x[?@.id == $.metadata.id]]", {"output", "metadata"}),
        ("$..answer", None),
        ("$", None),
        ("$.output[?count($..x) > 1]", None),
    ],
)
def test_a_path_knows_the_roots_it_reads(text, roots):
    assert jsonpath.compile(text).roots == roots


@given(st.lists(names | st.integers(-3, 9), max_size=5))
def test_names_are_spelled_so_that_they_lead_back(steps):
    path = jsonpath.compile(jsonpath.from_names(steps))

    assert path.prefix == tuple(steps)


@given(documents, st.lists(names | st.integers(-3, 3), max_size=3))
def test_look_ups_equal_those_of_the_library(document, steps):
    path = jsonpath.compile(jsonpath.from_names(steps))

    assert path.find(document) == jsonpath_rfc9535.find(path.text, document).values()


@pytest.mark.long
@settings(max_examples=300)
@given(st.text("$.[]'\"?@()*:,0123456789ab&|!=<> -\\ue", max_size=40), documents)
def test_no_text_gets_past_the_two_errors(text, document):
    with suppress(jsonpath.PathError, jsonpath.PathLimitError):
        assert isinstance(jsonpath.compile(text).find(document), list)
