"""A second file with the same questions and other right answers is told to differ, not to be the same."""

import json

import pytest
from django.core.files.base import ContentFile

from evaluations.imports import imports, matches, same_examples, second_files
from evaluations.imports.uploads import uploads
from evaluations.models import Experiment, Import
from tests.pages import text_of

pytestmark = pytest.mark.django_db


def rows(answer: str, changed: int = 0) -> bytes:
    lines = [
        {
            "id": f"q{n}",
            "question": f"What is {n}?",
            "expected": f"{n + 100 * (n < changed)}",
            "one": f"{answer} {n}",
        }
        for n in range(12)
    ]
    return "\n".join(map(json.dumps, lines)).encode()


@pytest.fixture
def experiment(project) -> Experiment:
    mapping = {"key": "id", "inputs": ["question"], "reference": ["expected"], "outputs": {"one": "one"}}
    imports.begin(uploads.park(project, None, ContentFile(rows("It is"), "first.jsonl")), "first", mapping)
    imports.run_import(Import.objects.get().pk)
    return Experiment.objects.get()


@pytest.mark.parametrize("changed", [0, 9])
def test_both_pages_say_how_many_right_answers_differ(client, alice, project, experiment, changed):
    upload = uploads.park(project, alice, ContentFile(rows("Perhaps", changed), "second.jsonl"))
    client.force_login(alice)

    assert same_examples.of_upload(upload) == experiment
    assert same_examples.differing(upload, experiment) == changed
    assert matches.match(upload, experiment, second_files.read(upload, experiment)).differing == changed

    page = client.get(f"/uploads/{upload.pk}/confirm/")
    told = " ".join(text_of(page).split())
    assert ("has the same columns and examples." in told) == (not changed)
    assert (f"{changed} other right answers" in told) == bool(changed)
    button = page.content.decode().partition("Add it to")[0].rpartition("<button")[2]
    assert ("button-main" in button) == (not changed)
