"""The roles proposed for values inside columns of plain objects."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from evaluations.web.forms import inner_roles
from tests.pages import text_of

pytestmark = pytest.mark.django_db

ROWS = [
    {
        "id": f"s{n}",
        "input": {"question": f"{n} plus {n}?"},
        "expected": {"sum": n + n, "unit": "apples"},
        "meta": {"topic": "easy", "source": "book"},
        "outputs": {
            "base": {"text": f"It is {n + n}.", "latency_ms": 100 + n},
            "tuned": {"text": f"{n + n}", "latency_ms": 90},
        },
    }
    for n in range(1, 13)
]


def test_values_inside_objects_are_proposed_with_their_roles(alices):
    content = "\n".join(map(json.dumps, ROWS)).encode()

    sent = {"file": SimpleUploadedFile("sums.jsonl", content)}
    page = alices.post("/p/default/datasets/upload/", sent, follow=True)

    choices = page.context["choices"]
    assert {choice.source: (choice.role, choice.name) for choice in choices.paths} == {
        "$.input.question": ("input", "question"),
        "$.expected.sum": ("reference", "sum"),
        "$.expected.unit": ("leave out", "unit"),
        "$.meta.topic": ("metadata", "topic"),
        "$.meta.source": ("metadata", "source"),
    }
    roles = {choice.source: choice.role for choice in choices.columns}
    assert {roles[name] for name in ("input", "expected", "meta", "outputs")} == {"leave out"}
    assert roles["tuned latency_ms"] == "latency_ms"
    assert "Found 2 variants inside “outputs”: base, tuned." in text_of(page)


def test_an_object_of_which_outputs_say_nothing_or_all_stays_whole():
    roles = {"expected": "reference", "answer": "output"}
    rows = [{"expected": {"a": n, "b": n + 50}, "answer": f"{n} and {n + 50}"} for n in range(9)]

    for answer in ("no", None):
        shown = [row | {"answer": answer or row["answer"]} for row in rows]
        proposed = inner_roles.proposed(roles, ["answer"], shown)
        assert {one.role for one in proposed} == {"leave out"}


@pytest.mark.parametrize(
    ("source", "target", "spoken"),
    [("de", "en", "The cat {} sleeps here"), ("en", "zh", "猫{}在这里睡觉")],
)
def test_of_an_object_of_texts_by_language_the_one_of_the_outputs_is_the_answer(source, target, spoken):
    rows = [
        {"translation": {source: f"Hier schläft Kater {n}", target: spoken.format(n)}, "mt": spoken.format(n)}
        for n in range(9)
    ]

    found = inner_roles.proposed({"translation": "reference", "mt": "output"}, ["mt"], rows)

    assert {one.path: one.role for one in found} == {
        f"$.translation.{source}": "input",
        f"$.translation.{target}": "reference",
    }


@pytest.mark.parametrize(("size", "role"), [(2, "input"), (inner_roles.MOST_INPUTS + 1, "leave out")])
def test_a_few_values_of_an_input_are_inputs_by_which_prompts_name_them(size, role):
    rows = [{"input": {f"part{k}": f"{n} {k}" for k in range(size)}, "answer": "yes"} for n in range(9)]

    found = inner_roles.proposed({"input": "input", "answer": "output"}, ["answer"], rows)

    assert {one.role for one in found} == {role}
