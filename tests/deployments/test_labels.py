"""Labels on prompt versions: one version at a time, a history, protected ones, and events."""

import pytest

from evaluations.access import api_keys
from evaluations.deployments import labels
from evaluations.errors import Conflict, Forbidden, Invalid, NotFound
from evaluations.models import Delivery, Prompt, PromptLabel, Webhook
from evaluations.prompts import prompts
from tests import factories


@pytest.fixture
def prompt(project, alice) -> Prompt:
    prompt = factories.prompt(project, "Solve {{ question }}", maker=alice)
    prompts.add_version(prompt, alice, {"model": "larger"}, "larger")
    return prompt


def in_force(prompt: Prompt) -> dict[str, int]:
    return {label.name: label.version.number for label in labels.now_of(prompt)}


def test_a_label_is_on_one_version_and_its_history_stays(prompt, alice, bob):
    labels.move(prompt, alice, "production", 1)
    labels.move(prompt, alice, "production", 2)
    labels.move(prompt, bob, "staging", 1)

    assert in_force(prompt) == {"production": 2, "staging": 1}
    assert [
        (label.name, label.version.number, label.ended_at is None) for label in labels.history(prompt)
    ] == [
        ("staging", 1, True),
        ("production", 2, True),
        ("production", 1, False),
    ]


def test_a_label_that_is_already_there_leaves_no_trace(prompt, alice):
    labels.move(prompt, alice, "staging", 1)
    before = PromptLabel.objects.count()

    _, is_new = labels.move(prompt, alice, "staging", 1)

    assert (is_new, PromptLabel.objects.count()) == (False, before)


def test_a_label_that_was_taken_away_names_nothing(prompt, alice):
    labels.move(prompt, alice, "staging", 1)
    labels.take_away(prompt, alice, "staging")

    with pytest.raises(NotFound):
        labels.by_name(prompt.project, prompt.name, "staging")
    with pytest.raises(NotFound):
        labels.take_away(prompt, alice, "staging")


def test_a_protected_label_needs_an_administrator(prompt, alice, bob, project):
    with pytest.raises(Forbidden):
        labels.move(prompt, bob, "production", 1)
    with pytest.raises(Forbidden):
        labels.move(prompt, api_keys.create_key(project, alice, "ci", "write")[0], "production", 1)

    labels.move(prompt, api_keys.create_key(project, alice, "release", "admin")[0], "production", 1)
    with pytest.raises(Forbidden):
        labels.take_away(prompt, bob, "production")
    labels.protect(project, [])
    prompt.refresh_from_db()
    labels.move(prompt, bob, "production", 2)

    assert in_force(prompt) == {"production": 2}


@pytest.mark.parametrize("label", ["", "Production", "a b", "a/b", "-a", "x" * 41, "latest", "é"])
def test_a_label_of_another_form_is_refused(prompt, alice, project, label):
    with pytest.raises(Invalid):
        labels.move(prompt, alice, label, 1)
    with pytest.raises(Invalid):
        labels.protect(project, [label])


def test_a_deleted_prompt_moves_no_label(prompt, alice):
    labels.move(prompt, alice, "staging", 1)
    prompts.delete(prompt)

    with pytest.raises(Conflict):
        labels.move(prompt, alice, "staging", 2)
    with pytest.raises(NotFound):
        labels.by_name(prompt.project, prompt.name, "staging")


@pytest.mark.parametrize("asked", [{"label": "production"}, {"label": "latest"}, {"number": 1}])
def test_a_version_is_found_by_name_in_one_query(prompt, alice, asked, django_assert_num_queries):
    labels.move(prompt, alice, "production", 1)

    with django_assert_num_queries(1):
        found = labels.by_name(prompt.project, " SOLVE".strip(), **asked)
        shown = (found.version.prompt.name, found.version.number)

    assert shown == ("solve", 2 if asked == {"label": "latest"} else 1)


def test_moving_a_label_is_an_event_and_saving_a_version_is_none(prompt, alice, project):
    Webhook.objects.create(
        project=project, url="https://e.test/", events=["prompt.label_moved"], site="https://e.test"
    )

    labels.move(prompt, alice, "staging", 1)
    labels.move(prompt, alice, "staging", 2)
    labels.take_away(prompt, alice, "staging")
    prompts.add_version(prompt, alice, {"model": "newest"})

    contents = [delivery.content for delivery in Delivery.objects.order_by("pk")]
    assert [(content["previous"], content["version"]) for content in contents] == [
        (None, 1),
        (1, 2),
        (2, None),
    ]
    assert [content["sentence"] for content in contents] == [
        "solve: staging is now v1.",
        "solve: staging moved from v1 to v2.",
        "solve: staging was taken from v2.",
    ]
