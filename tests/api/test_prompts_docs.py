"""The examples of docs/prompts.md: templates render as shown, and the API accepts the requests."""

import json
import re

import pytest

from evaluations.datasets import datasets
from evaluations.models import Dataset, Generation, Trial
from evaluations.prompts import prices, prompts, templates
from tests import factories, trials
from tests.api.conftest import Program
from tests.processes import ROOT

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = (ROOT / "docs" / "prompts.md").read_text()
TRIAL, LAUNCH = (json.loads(block) for block in re.findall(r"^```json\n(.*?)^```$", PAGE, re.DOTALL | re.M))
MODEL = "gpt-4.1-nano"


@pytest.fixture
def dataset(project) -> Dataset:
    """A dataset with as many examples as the launch of the page samples."""
    rows = [
        {"inputs": {"question": f"{n} + {n}?"}, "reference": {"answer": f"{2 * n}"}}
        for n in range(LAUNCH["sample"]["size"])
    ]
    return datasets.create(project, None, "sums", rows)


@pytest.fixture
def prompt(project, settings, stub):
    """A prompt with three versions at a server with prices for both models."""
    server = factories.connection(project, settings)
    server.base_url = stub.url
    server.save()
    for model in ("tiny", MODEL):
        prices.set_price(server, model, 100_000, 400_000, None, prices.today())
    prompt = factories.prompt(project, "Solve {{ question }}")
    prompts.add_version(prompt, None, {"model": "tiny", "parameters": {"max_completion_tokens": 5}})
    prompts.add_version(prompt, None, {"parameters": {"max_completion_tokens": 9}})
    return prompt


def test_the_templates_of_the_table_render_as_expected():
    columns = {"inputs": ["question", "document", "options"], "metadata": ["topic"]}
    inputs = {"question": "value", "document": {"title": "title"}, "options": ["first", "second"]}
    row = {"inputs": inputs, "metadata": {"topic": "topic"}}
    shown = re.findall(r"^\| `(\\?\{\{.+?\}\})` \|", PAGE, re.MULTILINE)
    messages = [{"role": "user", "content": text} for text in shown]

    filled = templates.rendered(messages, templates.paths_of(messages, columns), row)

    expected = ["value", "title", "first", "topic", "{{ question }}"]
    assert [message["content"] for message in filled] == expected


def test_the_trial_of_the_page_is_answered(writer: Program, project, prompt, dataset):
    scored_by = factories.evaluator(project)
    body = TRIAL | {"dataset": dataset.pk, "evaluators": [scored_by.pk]}

    writer.create(f"prompts/{prompt.pk}/try/", body)
    trials.answer()

    answers = Trial.objects.get().answers.all()
    assert len(answers) == len(TRIAL["variants"]) * len(TRIAL["positions"])
    assert {(answer.error, len(answer.scores)) for answer in answers} == {(None, 1)}


def test_the_launch_of_the_page_starts(writer: Program, project, prompt, dataset):
    ids = {"dataset": dataset.pk, "evaluators": [factories.evaluator(project).pk]}
    variants = [variant | {"prompt": prompt.pk} for variant in LAUNCH["variants"]]

    writer.create("launches/", LAUNCH | ids | {"variants": variants})

    assert list(Generation.objects.order_by("pk").values_list("prompt_version__number", "model")) == [
        (3, "tiny"),
        (2, MODEL),
    ]
