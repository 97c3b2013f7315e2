"""Pages show the call of the API for what they show or do, and empty lists how to begin."""

import json
import shlex

import pytest
from django.core.files.base import ContentFile

from evaluations.experiments import experiments
from evaluations.imports.uploads import uploads
from evaluations.prompts import prompts
from evaluations.web.page_tools import page_calls
from tests import factories
from tests.api.conftest import program
from tests.pages import markup

pytestmark = pytest.mark.django_db
LISTS = [
    "experiments",
    "datasets",
    "evaluators",
    "prompts",
    "gates",
    "tasks",
    "comments",
    "shares",
    "mappings",
]


@pytest.mark.parametrize(
    ("address", "called"),
    [
        ("", "/api/v1/experiments/"),
        ("settings/", "/api/v1/projects/current/"),
        ("audit/", "/api/v1/audit/"),
        ("shares/", "/api/v1/share-links/"),
        ("search/?q=cap ital", "/api/v1/search/?q=cap+ital"),
    ],
)
def test_a_page_shows_the_call_that_reads_what_it_shows(alices, project, address, called):
    factories.experiment(project)
    reader = program(project, "admin")

    call = alices.get(f"/p/{project.slug}/{address}").context["api_call"]

    assert call.endswith(f'{called}"')
    assert reader.get(called.removeprefix("/api/v1/")).status_code == 200


@pytest.mark.parametrize("address", ["versions", "diff"])
def test_pages_of_a_dataset_name_its_own_addresses(alices, project, address):
    dataset = factories.dataset(project, ["Paris"])

    assert (
        f"/api/v1/datasets/{dataset.pk}/{address}/"
        in alices.get(f"/datasets/{dataset.pk}/{address}/").context["api_call"]
    )


def test_an_experiment_that_chooses_examples_names_the_call_that_chooses_them(alices, project):
    experiment = factories.experiment(project)
    for variant in "ab":
        factories.scored_run(experiment, variant=variant)

    call = alices.get(f"/experiments/{experiment.pk}/?show=same&order=gain").context["api_call"]

    address = call.rpartition("/api/v1/")[2].rstrip('"')
    assert address.startswith("comparisons/examples/?evaluator=")
    assert "outcome=same&order=improvements" in address
    assert program(project, "read").get(address).status_code == 200


def test_the_rows_of_a_dataset_name_the_call_that_reads_these(alices, project):
    rows = factories.jsonl(
        *({"id": n, "question": f"{n} of Oslo", "topic": f"t{n % 2}"} for n in range(1, 7))
    )
    mapping = {"key": "id", "inputs": ["question"], "metadata": ["topic"]}
    dataset = factories.imported(project, rows, mapping=mapping)

    call = alices.get(f"/datasets/{dataset.pk}/?q=Oslo&metadata[topic]=t1").context["api_call"]

    found = program(project, "read").get(call.rpartition("/api/v1/")[2].rstrip('"')).json()
    assert [example["key"] for example in found["results"]] == ["1", "3", "5"]


def test_versions_of_a_prompt_beside_each_other_name_the_call_that_compares_them(alices, project):
    prompt = factories.prompt(project)
    prompts.add_version(prompt, None, {"messages": [{"role": "user", "content": "{{ question }}!"}]})

    call = alices.get(f"/prompts/{prompt.pk}/?version=2&against=1").context["api_call"]

    assert call.endswith(f'/prompts/{prompt.pk}/diff/?from=1&to=2"')


def test_what_a_form_of_an_experiment_sends_names_its_own_runs_and_dataset(alices, project):
    experiment = factories.experiment(project)
    other = experiments.create(project, None, "other", factories.dataset(project, ["x"], "others"), [])
    run = factories.scored_run(experiment)
    factories.run(other, ["x"])

    asked = alices.get(f"/experiments/{experiment.pk}/people/").context["api_post"]
    gate = alices.get(f"/p/{project.slug}/gates/new/?experiment={experiment.pk}").context["api_post"]
    launch = alices.get(f"/p/{project.slug}/launches/new/?experiment={experiment.pk}").context["api_post"]

    assert f'"runs": [{run.pk}]' in asked
    assert f'"baseline": {run.pk}' in gate
    assert f'"evaluator": {experiment.primary_id}' in gate
    assert f'"dataset": {experiment.dataset_id}' in launch


@pytest.mark.parametrize("noun", ["experiments", "gates", "launches", "evaluators", "prompts"])
def test_a_form_for_something_new_shows_the_call_that_makes_one(alices, project, noun):
    factories.experiment(project)

    page = alices.get(f"/p/{project.slug}/{noun}/new/")

    assert "The same by API" in markup(page)
    assert f"/api/v1/{noun}/" in shlex.split(page.context["api_post"])[1]


JSON = {name: call for name, call in page_calls.SENT.items() if isinstance(call, page_calls.Sent)}


@pytest.mark.parametrize("call", JSON.values(), ids=JSON)
def test_what_is_sent_has_the_fields_that_the_api_takes(project, call):
    address = call.address.format(pk=999, position=1)

    answer = program(project, "admin").send(call.method, address, call.body)

    assert answer.status_code in (201, 404) or "no " in answer.json()["error"]["message"].lower(), (
        answer.json()
    )


def test_the_call_of_the_last_step_of_an_upload_makes_the_same_dataset(alices, alice, project):
    content = b"id,question,answer,output\n1,2+2?,4,4\n2,it's 3?,5,6\n"
    upload = uploads.park(project, alice, ContentFile(content, name="sums.csv"))

    call = shlex.split(alices.get(f"/uploads/{upload.pk}/confirm/").context["api_post"])

    fields = dict(one.split("=", 1) for one in call if "=" in one)
    assert fields.pop("file") == "@sums.csv"
    made = program(project, "admin").upload("datasets/", content, **fields)
    assert made.status_code == 202, made.json()
    assert json.loads(fields["mapping"])["outputs"] == {"output": "output"}


@pytest.mark.parametrize("name", LISTS)
def test_every_list_of_an_empty_project_offers_the_sample_and_the_manual(alices, project, name):
    page = markup(alices.get(f"/p/{project.slug}/{name}/"))

    assert ("Load sample data" in page, "How it works" in page) == (True, True)
    assert page.count("The same by API") == 1


def test_an_empty_list_of_a_project_with_data_offers_no_sample(alices, project):
    factories.dataset(project, ["Paris"])

    assert "Load sample data" not in markup(alices.get(f"/p/{project.slug}/gates/"))


@pytest.mark.parametrize("name", ["webhooks", "connections"])
def test_settings_without_an_entry_say_how_it_works_and_what_the_api_does(alices, project, name):
    page = markup(alices.get(f"/p/{project.slug}/{name}/"))

    assert ("How it works" in page, f"/api/v1/{name}/" in page) == (True, True)
