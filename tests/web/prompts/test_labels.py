"""The page of a prompt's labels, and prompts from files."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from evaluations.deployments import labels
from evaluations.models import Prompt
from evaluations.prompts import prompts
from tests import factories


@pytest.fixture
def prompt(project, alice) -> Prompt:
    prompt = factories.prompt(project, "Solve {{ question }}", maker=alice)
    prompts.add_version(prompt, alice, {"model": "larger"}, "larger")
    return prompt


def move(client, prompt, label, version):
    return client.post(f"/prompts/{prompt.pk}/label/", {"label": label, "version": version})


def test_a_label_is_moved_and_put_back_on_the_page(alices, prompt):
    for version in (1, 2, 1):
        assert move(alices, prompt, "production", version).status_code == 302

    page = alices.get(f"/prompts/{prompt.pk}/labels/").content.decode()

    assert labels.now_of(prompt).get().version.number == 1
    assert page.count('type="hidden" name="version"') == 2
    assert "production" in alices.get(f"/prompts/{prompt.pk}/").content.decode()


@pytest.mark.django_db(transaction=True)
def test_a_program_keeps_its_lines_and_scrolls(project, alice, live_server, alices_page):
    long = factories.prompt(project, "Solve {{ question }} " + "step by step " * 30, name="long", maker=alice)
    alices_page.goto(f"{live_server.url}/prompts/{long.pk}/labels/")

    program = alices_page.locator("pre[aria-label='Python that sends this version']")
    is_wider = program.evaluate("pre => pre.scrollWidth > pre.clientWidth")
    lines = program.evaluate(
        "pre => pre.firstChild.getBoundingClientRect().height / parseFloat(getComputedStyle(pre).lineHeight)"
    )

    assert is_wider
    assert round(lines) == len(program.text_content().rstrip("\n").split("\n"))


@pytest.mark.django_db(transaction=True)
def test_lines_fade_out_below_the_button_that_copies_them(project, alice, live_server, alices_page):
    long = factories.prompt(project, "Solve {{ question }} " + "step by step " * 30, name="long", maker=alice)

    alices_page.goto(f"{live_server.url}/prompts/{long.pk}/labels/")

    program = alices_page.locator(".program").last
    fade = program.evaluate("block => getComputedStyle(block, '::after').backgroundImage")
    shadow = program.locator("pre").evaluate("pre => getComputedStyle(pre).backgroundImage")
    assert fade.count("linear-gradient") == 2
    assert shadow == "none"
    assert program.locator("button").evaluate("button => getComputedStyle(button).zIndex") == "1"


def test_an_editor_is_told_who_moves_a_protected_label(as_user, bob, prompt):
    client = as_user(bob)

    page = client.get(f"/prompts/{prompt.pk}/labels/").content.decode()

    assert "Only administrators move" in page
    assert move(client, prompt, "production", 1).status_code == 403
    assert move(client, prompt, "staging", 1).status_code == 302


@pytest.mark.parametrize(
    ("label", "version"), [("Pro duction", 1), ("", 1), ("staging", 7), ("staging", "x")]
)
def test_a_wrong_label_or_version_is_shown_beside_its_field(alices, prompt, label, version):
    answer = move(alices, prompt, label, version)

    assert answer.status_code == 400
    assert 'class="wrong"' in answer.content.decode()
    assert not labels.now_of(prompt).exists()


def test_protected_labels_are_set_in_the_settings(alices, project):
    rules = {"currency": "USD", "protected_labels": "production, live , "}
    alices.post(f"/p/{project.slug}/rules/", rules)
    refused = alices.post(f"/p/{project.slug}/rules/", rules | {"protected_labels": "Live!"})

    project.refresh_from_db()
    assert project.protected_labels == ["live", "production"]
    assert refused.status_code == 400


def test_an_exported_prompt_is_imported_as_it_was(alices, project, prompt):
    exported = alices.get(f"/prompts/{prompt.pk}/export/?version=1").content
    changed = exported.replace(b"Solve", b"Think, then solve")

    for content in (changed, changed):
        file = SimpleUploadedFile("solve.yaml", content)
        assert alices.post(f"/p/{project.slug}/prompts/import/", {"file": file}).status_code == 302

    prompt.refresh_from_db()
    assert prompt.version == 3
    assert prompts.version_of(prompt).messages[0]["content"] == "Think, then solve {{ question }}"
