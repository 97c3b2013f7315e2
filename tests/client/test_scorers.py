"""What scorers return, by what code they are known, and the arguments that functions get."""

import ast
import functools
import textwrap
from types import SimpleNamespace

import pytest

from evalsite_client import Example, Output, Score, scorer
from evalsite_client import scorers as scorers_module
from evalsite_client.errors import Mistaken
from evalsite_client.examples import bound, columns_of, values_of
from evalsite_client.outputs import as_output
from evalsite_client.scorers import as_row, as_scorer, code_digest

EXAMPLE = Example(3, "k3", {"question": "2 + 2"}, {"answer": 4}, {"topic": "sums"})


@pytest.mark.parametrize(
    ("returned", "row"),
    [
        (0.5, {"value": 0.5}),
        (True, {"value": True}),
        ("good", {"label": "good"}),
        (None, None),
        (Score(1, note="cites"), {"value": 1.0, "note": "cites"}),
        (Score(label="bad"), {"label": "bad"}),
        ({"key": "correct", "score": 0, "comment": "no"}, {"value": 0.0, "note": "no"}),
        ({"score": "pass", "reason": "yes"}, {"label": "pass", "note": "yes"}),
        (SimpleNamespace(score=0.25, name="Levenshtein", metadata={}), {"value": 0.25}),
        (SimpleNamespace(value=1, comment="equal", name="accuracy"), {"value": 1.0, "note": "equal"}),
    ],
)
def test_what_a_scorer_returns_becomes_a_row(returned, row):
    assert as_row(returned) == row


@pytest.mark.parametrize("returned", [float("nan"), float("inf"), object(), [1], {"other": 1}])
def test_what_is_no_score_is_refused(returned):
    with pytest.raises((ValueError, TypeError)):
        as_row(returned)


def function_of(source: str):
    """A function whose source is known, as if it were in a file."""
    names: dict = {}
    exec(compile(textwrap.dedent(source), "made.py", "exec"), names)
    return names["f"]


PLAIN = "def f(output):\n    return len(output) > 3\n"
SAME = [
    "def f(output):  # a comment\n\n    return (len(output)\n            > 3)\n",
    'def f(output):\n    """Now it says what it does."""\n    return len(output) > 3\n',
    "@scorer(minimum=0)\ndef f(output):\n    return len(output) > 3\n",
]
OTHER = [
    "def f(output):\n    return len(output) > 4\n",
    "def f(output):\n    return len(output) >= 3\n",
    "def f(answer):\n    return len(answer) > 3\n",
    "async def f(output):\n    return len(output) > 3\n",
    "def f(output=None):\n    return len(output) > 3\n",
]


def digest_of(source: str, monkeypatch) -> str:
    monkeypatch.setattr(scorers_module.inspect, "getsource", lambda target: source)
    return code_digest(lambda output: None)


def test_comments_blanks_docstring_and_decorators_do_not_change_the_digest(monkeypatch):
    assert {digest_of(source, monkeypatch) for source in [PLAIN, *SAME]} == {digest_of(PLAIN, monkeypatch)}


def test_any_other_change_changes_the_digest(monkeypatch):
    digests = [digest_of(source, monkeypatch) for source in [PLAIN, *OTHER]]

    assert len(set(digests)) == len(digests)


def test_the_digest_is_the_same_in_every_version_of_python(monkeypatch):
    tree = ast.parse(PLAIN).body[0]
    newer = ast.FunctionDef(**{name: getattr(tree, name) for name in tree._fields if hasattr(tree, name)})
    newer.type_params = []  # what Python 3.12 adds

    assert scorers_module._written(newer) == scorers_module._written(tree)
    # The figure is what it was on Python 3.11; a change of it makes another version of everybody's scorers.
    assert digest_of(PLAIN, monkeypatch) == "ea478ce631ad260e14a0038159debb53e080442933e80cae9f7e52fddb9a74db"


def test_a_function_without_a_source_has_a_digest_of_its_code():
    one, again, other = (function_of(source) for source in (PLAIN, PLAIN, OTHER[0]))

    assert code_digest(one) == code_digest(again) != code_digest(other)


def test_a_version_replaces_the_digest():
    first, second = (scorer(version=version)(lambda output: 1) for version in ("1", "2"))

    assert first.sha256 != second.sha256
    assert first.sha256 == scorer(version="1")(lambda output: 2).sha256


def test_a_scorer_says_what_the_site_keeps_of_it():
    @scorer(direction="minimize", minimum=0, labels=["good", "bad"])
    def politeness(output):
        return "good"

    evaluator = politeness.evaluator("evalsite-client 9")

    assert (evaluator["name"], evaluator["direction"], evaluator["minimum"]) == ("politeness", "minimize", 0)
    assert evaluator["labels"] == {"good": 1.0, "bad": 0.0}
    assert evaluator["code"]["client"] == "evalsite-client 9"
    assert politeness("x") == "good"


def test_what_cannot_be_called_is_no_scorer():
    with pytest.raises(Mistaken):
        as_scorer(7)


# ---- arguments ---------------------------------------------------------------------------------------------


class Called:
    def __call__(self, input, expected):
        return input, expected


def only_named(*, item, **more):
    return item.input, sorted(more)


def with_default(question, model="small"):
    return question, model


@pytest.mark.parametrize(
    ("function", "result"),
    [
        (lambda example: example.key, "k3"),
        (lambda anything: anything.key, "k3"),
        (lambda input: input, "2 + 2"),
        (lambda inputs: inputs, {"question": "2 + 2"}),
        (lambda inputs, reference_outputs: (inputs["question"], reference_outputs["answer"]), ("2 + 2", 4)),
        (lambda input, expected, metadata: (input, expected, metadata["topic"]), ("2 + 2", 4, "sums")),
        (lambda: "nothing", "nothing"),
        (Called(), ("2 + 2", 4)),
        (with_default, (EXAMPLE, "small")),
        (functools.partial(with_default, model="large"), (EXAMPLE, "large")),
        (lambda *, item: item.expected_output, 4),
        (str, str(EXAMPLE)),
    ],
)
def test_a_task_gets_what_its_parameters_name(function, result):
    assert bound(function, values_of(EXAMPLE), EXAMPLE)() == result


def test_a_task_can_name_a_column_of_its_inputs():
    def task(question, metadata, model="small"):
        return question, metadata["topic"], model

    assert bound(task, values_of(EXAMPLE), EXAMPLE, columns=columns_of(EXAMPLE))() == (
        "2 + 2",
        "sums",
        "small",
    )


def test_a_function_of_any_keywords_gets_all():
    first, names = bound(only_named, values_of(EXAMPLE), EXAMPLE)()

    assert first == "2 + 2"
    assert {"input", "expected_output", "metadata"} <= set(names)


def test_several_columns_stay_apart():
    example = Example(1, None, {"a": 1, "b": 2}, None, {})

    assert (example.input, example.expected, example.name) == ({"a": 1, "b": 2}, None, "1")


# ---- outputs -----------------------------------------------------------------------------------------------


def completion(content, calls=None):
    message = SimpleNamespace(content=content, tool_calls=calls)
    message.model_dump = lambda **options: {"role": "assistant", "content": content, "tool_calls": calls}
    return SimpleNamespace(choices=[SimpleNamespace(message=message)], usage=SimpleNamespace(total_tokens=12))


@pytest.mark.parametrize(
    ("returned", "output"),
    [
        ("text", Output("text")),
        ({"answer": (1, 2)}, Output({"answer": [1, 2]})),
        (None, Output(None)),
        (Output("a", tokens=3, latency_ms=7), Output("a", 3, 7)),
        (completion("Lima"), Output("Lima", 12)),
        (
            completion(None, [{"id": "c1"}]),
            Output({"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]}, 12),
        ),
        (Example(1), Output({"position": 1, "key": None, "inputs": {}, "reference": {}, "metadata": {}})),
    ],
)  # fmt: skip
def test_what_a_task_returns_becomes_an_output(returned, output):
    assert as_output(returned) == output


@pytest.mark.parametrize("returned", [object(), {1, 2}, float("nan")])
def test_what_json_cannot_hold_is_refused(returned):
    with pytest.raises((TypeError, ValueError)):
        as_output(returned)
