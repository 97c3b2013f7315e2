"""A file of right answers is added to the examples of a dataset that has none."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from evaluations.imports import imports
from evaluations.imports.uploads import uploads
from evaluations.models import Dataset, Example, Experiment, Import, Output, Upload
from tests.factories import copy_outputs
from tests.pages import markup, text_of

pytestmark = pytest.mark.django_db
ROWS = range(12)
OUTPUTS = "\n".join(
    json.dumps({"custom_id": f"mail-{n}", "answer": f"{n} EUR", "status": {"code": 200}}) for n in ROWS
)
GOLD = "custom_id,expected,source\n" + "".join(f"mail-{n},{n} EUR,b{n % 5}\n" for n in ROWS)
OFFER = "Add expected to mails"


@pytest.fixture
def experiment(project) -> Experiment:
    mapping = {"key": "custom_id", "metadata": ["status"], "outputs": {"small": "answer"}}
    imports.begin(
        uploads.park(project, None, SimpleUploadedFile("batch.jsonl", OUTPUTS.encode())), "mails", mapping
    )
    work()
    return Experiment.objects.get()


def work() -> None:
    for job in Import.objects.all():
        imports.run_import(job.pk)


@pytest.fixture
def sent(alices, project):
    """The first page that a sent file leads to."""

    def send(content: str, name: str = "gold.csv"):
        file = SimpleUploadedFile(name, content.encode())
        return alices.post(f"/p/{project.slug}/datasets/upload/", {"file": file}, follow=True)

    return send


def test_right_answers_are_offered_to_the_examples_with_their_keys(experiment, sent):
    words = text_of(markup(sent(GOLD)))

    assert OFFER in words
    assert "has the examples with these keys (custom_id), and no right answers" in words


def test_the_button_adds_them_and_the_experiment_uses_them(alices, experiment, sent):
    sent(GOLD)

    page = alices.post(f"/experiments/{experiment.pk}/references/from/{Upload.objects.get().pk}/")
    assert page["Location"].endswith(f"?then={experiment.pk}")
    assert alices.get(page["Location"]).status_code == 200
    work()

    experiment.refresh_from_db()
    assert (experiment.dataset.version, experiment.dataset_version) == (2, 2)
    example = Example.objects.get(dataset=experiment.dataset, key="mail-7", removed_in=None)
    assert json.loads(example.reference) == {"expected": "7 EUR"}
    assert json.loads(example.metadata) == {"status": {"code": 200}, "source": "b2"}
    assert alices.get(page["Location"])["Location"] == f"/experiments/{experiment.pk}/"


def test_outputs_stay_with_their_examples(alices, experiment, sent):
    sent(GOLD)

    alices.post(f"/experiments/{experiment.pk}/references/from/{Upload.objects.get().pk}/")
    work()
    copy_outputs()

    example = Example.objects.get(dataset=experiment.dataset, key="mail-7", removed_in=None)
    assert Output.objects.filter(run__experiment=experiment, position=example.position, text="7 EUR").exists()


@pytest.mark.parametrize(
    "content",
    [
        "custom_id,expected\n" + "".join(f"other-{n},{n} EUR\n" for n in ROWS),
        "custom_id,expected,output\n" + "".join(f"mail-{n},{n} EUR,a\n" for n in ROWS),
        "custom_id,model,answer\n"
        + "".join(f"mail-{n},{model},{n} EUR by {model}\n" for n in ROWS for model in ("old", "new")),
        "custom_id,size\n" + "".join(f"mail-{n},{n}\n" for n in ROWS),
    ],
    ids=["other keys", "with outputs", "a row for each variant", "no right answers"],
)
def test_other_files_are_not_offered(experiment, sent, content):
    assert "right answers to examples" not in text_of(markup(sent(content)))


def test_a_dataset_with_right_answers_keeps_them(experiment, sent):
    Dataset.objects.update(columns={"inputs": [], "reference": ["gold"], "metadata": []})

    assert OFFER not in text_of(markup(sent(GOLD)))


def test_the_experiment_says_what_is_missing_and_what_brings_it(alices, experiment):
    words = text_of(markup(alices.get(f"/experiments/{experiment.pk}/")))

    assert "mails has no right answers, nor what was asked" in words
    assert "Upload a file with the column custom_id and the right answers" in words


def test_what_suits_the_right_answers_is_selected(alices, experiment, sent):
    sent(GOLD)
    alices.post(f"/experiments/{experiment.pk}/references/from/{Upload.objects.get().pk}/")
    work()
    copy_outputs()

    form = alices.get(f"/experiments/{experiment.pk}/").context["evaluators_form"]

    assert form.advised is not None
    assert form["evaluators"].value() == [form.advised.value]
