"""The file of a further run that is uploaded as a new dataset is offered as another variant."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from evaluations.imports import imports
from evaluations.imports.uploads import uploads
from evaluations.models import Dataset, Experiment, Import, Run, Upload
from tests.pages import markup, text_of

pytestmark = pytest.mark.django_db
FIRST = "id,question,target,answer\n" + "".join(
    f"q{n},What is {n}+{n}?,{2 * n},{2 * n}\n" for n in range(1, 7)
)
LATER = "id,question,target,answer\n" + "".join(f"q{n},What is {n}+{n}?,{2 * n},x\n" for n in (3, 2, 1, 5))
OTHER = "id,question,target,answer\n" + "".join(f"q{n},Who is {n}?,{n},x\n" for n in range(1, 7))
OFFER = "Add it to sums as another variant"


@pytest.fixture
def experiment(project) -> Experiment:
    file = SimpleUploadedFile("run_A.csv", FIRST.encode())
    mapping = {"key": "id", "inputs": ["question"], "reference": ["target"], "outputs": {"answer": "answer"}}
    imports.begin(uploads.park(project, None, file), "sums", mapping)
    imports.run_import(Import.objects.get().pk)
    return Experiment.objects.get()


@pytest.fixture
def sent(alices, project):
    """The first page that a sent file leads to."""

    def send(content: str, name: str = "run_B.csv"):
        file = SimpleUploadedFile(name, content.encode())
        return alices.post(f"/p/{project.slug}/datasets/upload/", {"file": file}, follow=True)

    return send


def test_a_file_with_the_examples_of_an_experiment_is_offered_as_its_variant(experiment, sent):
    page = sent(LATER)

    buttons = markup(page).split("<button")[1:]
    assert OFFER in text_of(markup(page))
    assert "has the same columns and examples" in text_of(markup(page))
    assert any(OFFER in button for button in buttons)


def test_the_button_leads_to_the_match_of_the_rows(alices, experiment, sent):
    sent(LATER)
    upload = Upload.objects.get()

    page = alices.post(f"/experiments/{experiment.pk}/variants/from/{upload.pk}/", follow=True)

    words = text_of(markup(page))
    assert "Matched 4 examples" in words
    assert "read as in the experiment's first file" in words
    form = page.context["form"]
    chosen = {field.name: field.value() or "" for field in form}
    alices.post(page.request["PATH_INFO"], chosen | {"start": "1"})
    assert Run.objects.get(variant="B").experiment == experiment
    assert Dataset.objects.count() == 1


@pytest.mark.parametrize("content", [OTHER, "id,text\n1,a\n2,b\n"])
def test_other_examples_or_columns_are_a_new_dataset(experiment, sent, content):
    assert OFFER not in text_of(markup(sent(content)))


def test_the_same_file_is_not_offered_as_its_own_variant(experiment, sent):
    assert OFFER not in text_of(markup(sent(FIRST)))


def test_an_upload_that_has_expired_leads_back_to_the_form(alices, experiment):
    page = alices.post(f"/experiments/{experiment.pk}/variants/from/999999/")

    assert page.status_code == 404
    assert f'href="/experiments/{experiment.pk}/variants/new/"' in markup(page)


def test_a_file_that_names_several_variants_goes_on_first(experiment, sent):
    rows = LATER.replace("answer\n", "answer,model\n", 1).replace(",x\n", ",x,small\n")
    rows += rows.partition("\n")[2].replace(",x,small", ",y,large")
    page = markup(sent(rows, "runs.csv"))

    [offer] = [button for button in page.split("<button")[1:] if OFFER in button]
    assert "button-main" not in offer.partition(">")[0]
