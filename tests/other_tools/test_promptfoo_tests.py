"""promptfoo: tests as CSV."""

from .files import grader, read

CSV = (
    b"question,__expected,__expected2,__description,__metadata:topic,__metadata:tags[]\n"
    b'2+2,4,"contains-any:four, 4",sum,math,"a, b"\n'
    b"hello,icontains: hi,llm-rubric: is polite,,chat,\n"
    b"free,,,no check,chat,\n"
)


def test_the_assertions_of_the_cells_become_evaluators():
    evaluation = read(CSV)

    assert [(item.inputs, item.reference) for item in evaluation.items] == [
        ({"question": "2+2"}, {"equals": "4", "contains-any": "four\n4"}),
        ({"question": "hello"}, {"icontains": "hi"}),
        ({"question": "free"}, {}),
    ]
    assert grader(evaluation, "equals").formula.kind == "exact_match"
    assert grader(evaluation, "icontains").formula.config == {"case_sensitive": False}
    assert any("llm-rubric" in note for note in evaluation.notes)


def test_metadata_and_descriptions_are_kept():
    items = read(CSV).items

    assert items[0].metadata == {"topic": "math", "tags": ["a", "b"], "description": "sum"}
    assert items[2].metadata == {"topic": "chat", "description": "no check"}


def test_a_metric_names_the_evaluators_of_its_row():
    evaluation = read(b"q,__expected,__metric\n1,contains:a,tone\n2,contains:b,tone\n")

    assert [found.name for found in evaluation.graders] == ["tone"]


def test_other_deterministic_assertions_become_checks_of_their_examples():
    evaluation = read(
        b'q,__expected,__expected2\n1,not-contains: sorry,"regex: ^[a-z]+$"\n2,word-count: 3,is-json\n'
    )

    assert {found.name: found.formula.kind for found in evaluation.graders} == dict.fromkeys(
        ("not-contains", "regex", "word-count", "is-json"), "checks"
    )
    assert [item.reference for item in evaluation.items] == [
        {
            "not-contains": [{"type": "not-contains", "value": "sorry"}],
            "regex": [{"type": "regex", "value": "^[a-z]+$"}],
        },
        {"word-count": [{"type": "word-count", "value": "3"}], "is-json": [{"type": "is-json"}]},
    ]
