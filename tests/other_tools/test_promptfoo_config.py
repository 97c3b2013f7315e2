"""promptfoo: configurations, which have tests, assertions and prompts and no answers."""

import pytest

from evaluations.ingest import FileError

from .files import content, read


def test_tests_become_examples_and_prompts_wait_to_be_run():
    evaluation = read(content("promptfooconfig.yaml"))

    assert [(item.inputs, item.reference) for item in evaluation.items] == [
        ({"text": "Hello"}, {"expected": "Bonjour"}),
        ({"text": "Thank you"}, {"expected": "Merci"}),
    ]
    assert evaluation.variants == []
    assert [(prompt.name, [m["role"] for m in prompt.messages]) for prompt in evaluation.prompts] == [
        ("prompt 1", ["user"]),
        ("chat", ["system", "user"]),
    ]


def test_assertions_with_a_formula_become_evaluators_and_others_are_listed():
    evaluation = read(content("promptfooconfig.yaml"))

    assert {g.name: g.formula and g.formula.kind for g in evaluation.graders} == {
        "icontains": "contains",
        "llm-rubric": None,
    }
    assert any("llm-rubric" in note for note in evaluation.notes)
    assert any("1 prompt," in note for note in evaluation.notes)


@pytest.mark.parametrize(
    "text",
    [
        b"prompts: [a]\ntests: file://tests.csv\n",
        b"prompts: [a]\ntests: [\n",
        b"prompts: [a]\ntests: !!python/object:os.system {}\n",
        b"prompts: &p [a]\ntests: *q\n",
        b"prompts: []\ntests: " + b"[" * 3000,
    ],
    ids=["tests elsewhere", "broken", "an object of Python", "an alias of nothing", "deep"],
)
def test_a_configuration_that_cannot_be_read_is_refused(text):
    with pytest.raises(FileError) as refusal:
        read(text)

    assert refusal.value.code == "other_tool"


def test_aliases_that_stand_for_very_much_are_refused():
    levels = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]\n" for n in range(1, 9))

    with pytest.raises(FileError) as refusal:
        read(f"prompts: [a]\nl0: &l0 [x]\n{levels}tests: *l8\n".encode())

    assert refusal.value.code == "values_limit"


def test_contents_of_other_files_are_listed():
    config = b"""
prompts: ["Say {{x}}"]
defaultTest: file://default.yaml
scenarios: [{config: [], tests: []}]
tests:
  - file://more.csv
  - vars: {x: hello}
"""

    evaluation = read(config)

    assert len(evaluation.items) == 1
    listed = " ".join(evaluation.notes)
    assert "1 entries of the tests are files" in listed
    assert "default test is a file" in listed
    assert "Scenarios" in listed
