"""Pages for exports of other tools: the contents of a file, and its figures beside ours."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from evaluations.experiments import experiments
from evaluations.imports import imports
from evaluations.models import Dataset, Experiment, Import
from evaluations.scoring import scoring
from tests.other_tools.files import content
from tests.pages import text_of

pytestmark = pytest.mark.django_db


def sent(client, name: str) -> str:
    """The address after the first page."""
    file = SimpleUploadedFile(name, content(name))
    return client.post("/p/default/datasets/upload/", {"file": file})["Location"]


def test_the_page_shows_the_recognised_contents_before_an_import(alices):
    page = text_of(alices.get(sent(alices, "openai.jsonl")))

    assert "OpenAI Evals export" in page
    assert "4 examples" in page
    assert "The score “ All graders ” decides, and the other variants are compared with short prompt" in page
    assert "no evaluator is known to equal text_similarity" in page
    assert not Dataset.objects.exists()


def test_the_page_shows_the_first_example_with_the_score_that_decides(alices):
    page = text_of(alices.get(sent(alices, "promptfoo_v3.json")))

    assert "The first example text Hello expected Bonjour" in page
    assert "Salut All assertions 0.0" in page


def test_confirming_imports_and_the_figures_are_equal(alices):
    address = sent(alices, "openai.jsonl")
    alices.post(address, {"name": "Headlines"})
    imports.run_import(Import.objects.get().pk)
    while scoring.work(seconds=5):
        pass
    experiment = Experiment.objects.get()

    detail = alices.get(f"/experiments/{experiment.pk}/").content.decode()
    figures = text_of(alices.get(f"/experiments/{experiment.pk}/source/"))

    assert f'href="/experiments/{experiment.pk}/source/"' in detail
    assert figures.count("equal") >= 10
    assert "different" not in figures
    assert experiment.primary is not None
    assert experiment.primary.name == "All graders"
    assert experiments.shown_runs(experiment)[0].variant == "short prompt"


def test_output_items_can_be_read_as_a_table_instead(alices):
    address = sent(alices, "openai.jsonl")

    answer = alices.post(address, {"table": "yes"})

    assert answer["Location"].endswith("/columns/")
    assert alices.get(answer["Location"]).status_code == 200


def test_an_export_that_cannot_be_imported_says_why_and_offers_the_table(alices):
    items = (
        b'{"object":"eval.run.output_item","eval_id":"a"}\n{"object":"eval.run.output_item","eval_id":"b"}\n'
    )
    file = SimpleUploadedFile("a.jsonl", items)
    address = alices.post("/p/default/datasets/upload/", {"file": file})["Location"]

    page = alices.get(address)
    answer = alices.post(address, {"table": "yes"})

    assert "2 evals" in text_of(page)
    assert "Create dataset" not in text_of(page)
    assert answer["Location"].endswith("/columns/")


def test_a_taken_name_is_refused_beside_its_field(alices):
    alices.post(sent(alices, "openai.jsonl"), {"name": "Headlines"})

    answer = alices.post(sent(alices, "openai.jsonl"), {"name": "Headlines"})

    assert answer.status_code == 409
    assert Dataset.objects.count() == 1


@pytest.mark.parametrize("step", ["columns", "confirm"])
def test_the_steps_of_a_table_lead_to_the_page_of_the_export(alices, step):
    address = sent(alices, "promptfoo_v3.json")

    assert alices.get(address.replace("/tool/", f"/{step}/"))["Location"] == address


def test_the_page_of_an_export_leads_to_the_columns_of_a_table(alices):
    file = SimpleUploadedFile("a.csv", b"question,answer\n1,2\n")
    address = alices.post("/p/default/datasets/upload/", {"file": file})["Location"]

    assert alices.get(address.replace("/columns/", "/tool/"))["Location"] == address


def test_a_stranger_sees_no_page(alices, as_user, charlie):
    address = sent(alices, "openai.jsonl")

    assert as_user(charlie).get(address).status_code == 404
