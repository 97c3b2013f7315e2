"""Of rows that give an example a second output, the user chooses the first or the last before the start."""

import json
import re
from collections import Counter
from collections.abc import Callable
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse

from evaluations.access import api_keys
from evaluations.imports import imports
from evaluations.imports.rows import second_outputs
from evaluations.models import Experiment, Import, Output, Run, Scope
from tests import factories
from tests.pages import markup, text_of

pytestmark = pytest.mark.django_db
FILE = "id,answer\nk1,Paris\nk2,Lyon\nk1,Rome\nk3,Bonn\nk1,Oslo\n"
FORM = {"output": "answer", "match": "key", "column": "id", "name": "terse"}


@pytest.fixture
def experiment(project) -> Experiment:
    return factories.experiment(project)


@pytest.fixture
def address(client, alice, experiment) -> str:
    client.force_login(alice)
    file = SimpleUploadedFile("answers.csv", FILE.encode())
    sent = client.post(f"/experiments/{experiment.pk}/variants/new/", {"variant": "terse", "file": file})
    location: str = sent["Location"]
    return location


@pytest.fixture
def send(client, alice, project, experiment) -> Callable[[str], HttpResponse]:
    """Sends the file by the API, with a choice of the rows that count."""
    _, key = api_keys.create_key(project, alice, "writer", Scope.WRITE)

    def sent(keep: str) -> HttpResponse:
        mapping = {"output": "answer", "key": "id", "keep": keep}
        body = {"experiment": experiment.pk, "variant": "terse", "mapping": json.dumps(mapping)}
        file = SimpleUploadedFile("answers.csv", FILE.encode())
        return client.post(
            "/api/v1/runs/", {**body, "file": file}, headers={"authorization": f"Bearer {key}"}
        )

    return sent


def test_the_page_offers_both_with_their_lines(client, address):
    page = markup(client.post(address, FORM))

    assert "the first, as line 2" in text_of(page)
    assert "the last, as line 4" in text_of(page)
    assert "disabled" in page.partition('name="start"')[2].partition(">")[0]

    chosen = markup(client.post(address, FORM | {"keep": "last"}))
    assert "disabled" not in chosen.partition('name="start"')[2].partition(">")[0]


@pytest.mark.parametrize(("keep", "kept"), [("first", "Paris"), ("last", "Oslo")])
def test_the_chosen_one_counts(client, address, keep, kept):
    client.post(address, FORM | {"keep": keep, "start": "1"})
    imports.run_import(Import.objects.get().pk)
    run = Run.objects.get()

    assert run.output_count == 3
    assert [*Output.objects.filter(run=run).order_by("position").values_list("text", flat=True)] == [
        kept,
        "Lyon",
        "Bonn",
    ]


@pytest.mark.parametrize("keep", ["first", "last"])
def test_rows_of_an_earlier_part_of_the_file_count_too(experiment, keep):
    run = factories.run(experiment, ["a", None, None])
    stored = Counter({run.pk: 1})
    kept = second_outputs.kept([(0, (run.pk, 1, "b")), (1, (run.pk, 2, "c"))], keep, stored)

    assert [fields[-1] for _, fields in kept] == (["c"] if keep == "first" else ["b", "c"])
    assert stored[run.pk] == (1 if keep == "first" else 0)
    assert Output.objects.filter(run=run, position=1).exists() == (keep == "first")


def test_the_rows_that_repeat_can_be_downloaded(client, address):
    page = markup(client.post(address, FORM))
    [link] = re.findall(r'href="([^"]*/repeated/[^"]*)"', page)
    content = client.get(unescape(link)).content.decode()

    assert [line.split(",")[:2] for line in content.splitlines()[1:]] == [["k1", "Rome"], ["k1", "Oslo"]]


@pytest.mark.parametrize(("keep", "kept"), [("first", "Paris"), ("last", "Oslo")])
def test_the_api_takes_the_choice_in_its_mapping(send, keep, kept):
    sent = send(keep)
    imports.run_import(Import.objects.get().pk)

    assert sent.status_code == 202
    assert Output.objects.get(position=1).text == kept


def test_another_choice_is_refused(send):
    sent = send("both")

    assert (sent.status_code, "keep the first or the last" in sent.content.decode()) == (400, True)
