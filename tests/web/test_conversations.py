"""Lists of messages appear as conversations wherever examples or outputs are shown."""

import pytest

from evaluations.datasets import datasets
from evaluations.experiments import experiments
from tests import factories
from tests.pages import markup

pytestmark = pytest.mark.django_db
ATTACK = "<script>alert(1)</script><img src=https://example.com/x.png>"


def chat(answer="Rome"):
    call = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": '{"of":"Italy"}'}}
    image = {"type": "image_url", "image_url": {"url": "https://example.com/map.png"}}
    return [
        {"role": "user", "content": [{"type": "text", "text": f"Which capital? {ATTACK}"}, image]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": answer},
    ]


@pytest.fixture
def dataset(project):
    example = {"key": "k1", "inputs": {"messages": chat()}, "reference": {"answer": chat("Rome")}}
    return datasets.create(project, None, "chats", [example])


@pytest.fixture
def scored(project, dataset):
    created = experiments.create(project, None, "who answers", dataset, [factories.evaluator(project)])
    for variant, answer in (("v1", "Rome in Italy"), ("v2", "Paris in Italy")):
        factories.scored_run(created, [chat(answer)], variant)
    return created


@pytest.fixture
def html_of(as_user, alice):
    client = as_user(alice)
    return lambda address: markup(client.get(address))


def is_safe(html):
    return "<script>alert" not in html and "<img" not in html and 'href="https://example.com' not in html


def test_a_row_has_one_line_and_the_drawer_every_message(html_of, dataset):
    rows, drawer = html_of(f"/datasets/{dataset.pk}/"), html_of(f"/datasets/{dataset.pk}/?row=1")

    assert "3 messages, last tool look_up: Rome" in rows
    for text in ("<b>user</b>", '<span class="id">look_up</span>', "{&quot;of&quot;:&quot;Italy&quot;}"):
        assert text in drawer
    assert "https://example.com/map.png" in drawer
    assert is_safe(rows)
    assert is_safe(drawer)


def test_versions_of_an_example_differ_by_message(html_of, dataset):
    datasets.edit(dataset, None, 1, {"inputs": {"messages": chat("Roma")}})

    html = html_of(f"/datasets/{dataset.pk}/diff/")

    assert "2 equal messages" in html
    assert '<li data-change="replace">' in html
    assert is_safe(html)


def test_an_output_is_set_against_the_expected_conversation(html_of, scored):
    run = scored.runs.first()

    html = html_of(f"/runs/{run.pk}/?row=1")

    assert '<li data-change="replace">' in html
    assert is_safe(html)


def test_outputs_of_two_variants_differ_by_message(html_of, scored):
    html = html_of(f"/experiments/{scored.pk}/?open=1")

    assert "2 equal messages" in html
    assert is_safe(html)


def test_a_closed_comparison_has_the_inputs_in_one_line(html_of, scored):
    html = html_of(f"/experiments/{scored.pk}/")

    assert "3 messages, last tool look_up: Rome" in html
    assert is_safe(html)
