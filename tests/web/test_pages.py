"""Rules for all pages; tests/authorization checks permissions."""

import re
from datetime import timedelta
from unittest import mock

import pytest
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from evaluations import owned
from evaluations.experiments import samples
from evaluations.models import Dataset, Project
from evaluations.scoring import scoring
from tests.pages import markup

PAGES = (
    "/p/default/",
    "/p/default/experiments/",
    "/p/default/datasets/",
    "/p/default/evaluators/",
    "/p/default/prompts/",
    "/p/default/search/?q=num",
    "/datasets/{dataset}/",
    "/datasets/{dataset}/?row=3",
    "/datasets/{dataset}/download/",
    "/datasets/{dataset}/refused/",
)
WRITING_PAGES = (
    "/p/default/datasets/upload/",
    "/p/default/prompts/new/",
    "/datasets/{dataset}/append/",
    "/datasets/{dataset}/examples/new/",
    "/datasets/{dataset}/examples/3/edit/",
)


@pytest.mark.parametrize("address", PAGES)
def test_a_viewer_finds_no_button_that_writes(as_user, dana, dataset, address):
    html = as_user(dana).get(address.format(dataset=dataset.pk))
    if html.streaming:
        return

    forms = re.findall(r'<form[^>]+method="post"[^>]*action="([^"]+)"', markup(html))

    of_readers = {f"/datasets/{dataset.pk}/examples/3/comments/", "/p/default/views/"}
    assert set(forms) - of_readers == {"/signout/", "/theme/"}
    assert "/upload/" not in markup(html)


@pytest.mark.parametrize("address", [*PAGES[:8], *WRITING_PAGES, "/", "/account/", "/signin/"])
def test_a_page_has_no_inline_script_or_style(as_user, alice, dataset, address):
    client = Client() if address == "/signin/" else as_user(alice)

    html = markup(client.get(address.format(dataset=dataset.pk)))

    assert "</main>" in html
    assert not re.findall(r"<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=", html)


def test_texts_of_a_model_are_shown_as_text(as_user, alice, dataset, project):
    hostile = "</script><script>x()</script><img onerror=x()>{{constructor}}"
    client = as_user(alice)
    client.post(
        f"/datasets/{dataset.pk}/examples/new/", {"key": hostile, "field-0": hostile, "field-1": hostile}
    )

    html = markup(client.get(f"/datasets/{dataset.pk}/?row=121&q=constructor"))

    assert "&lt;/script&gt;" in html
    assert "<script>x()" not in html
    assert "<img onerror" not in html


# ---- refusals and failures ----


def test_a_refusal_keeps_its_status_and_shows_a_remedy(as_user, alice, dataset):
    client = as_user(alice)
    client.post(f"/datasets/{dataset.pk}/delete/")
    Dataset.objects.update(deleted_at=timezone.now() - timedelta(days=8))

    response = client.post(f"/datasets/{dataset.pk}/restore/")

    assert response.status_code == 409
    assert "more than 7 days ago" in markup(response)
    assert response["X-Request-ID"] in markup(response)


def test_a_missing_page_shows_the_request_id(client, alice):
    client.force_login(alice)

    response = client.get("/datasets/999/")

    assert response.status_code == 404
    assert response["X-Request-ID"] in markup(response)


@pytest.fixture
def answer_to(alice, monkeypatch):
    """The answer of a page whose code raises an error."""

    def answer(problem: Exception) -> HttpResponse:
        client = Client(raise_request_exception=False)
        client.force_login(alice)
        failing = mock.Mock(side_effect=problem)
        monkeypatch.setattr("evaluations.web.accounts.account.api_keys.keys_of", failing)
        return client.get("/account/")

    return answer


def test_a_page_without_a_database_asks_for_a_retry(answer_to):
    answer = answer_to(OperationalError("gone"))

    assert (answer.status_code, answer.has_header("Retry-After")) == (503, True)


def test_a_page_with_a_bug_names_the_id_of_the_request(answer_to):
    answer = answer_to(ZeroDivisionError())

    assert answer.status_code == 500
    assert answer["X-Request-ID"] in markup(answer)


@pytest.mark.parametrize(
    "address", ["/", "/signin/", "/nothing", "/readyz", "/api/v1/datasets/", "/api/nothing"]
)
def test_without_the_database_a_session_is_503_at_every_address(alice, monkeypatch, address):
    client = Client(raise_request_exception=False)
    client.force_login(alice)

    def fail(store: object) -> None:
        raise OperationalError("gone")

    monkeypatch.setattr("evaluations.access.sessions.SessionStore._get_session_from_db", fail)
    answer = client.get(address)

    assert answer.status_code == 503
    assert answer["Retry-After"]
    if address.startswith("/api/"):
        assert answer.json()["error"]["code"] == "database_unavailable"


# ---- queries ----


@pytest.mark.parametrize(
    ("address", "maximum"),
    [("/datasets/{dataset}/", 12), ("/datasets/{dataset}/?row=60", 22), ("/p/default/datasets/", 8)],
)
def test_a_page_asks_the_database_a_few_times(
    as_user, alice, dataset, django_assert_max_num_queries, address, maximum
):
    client = as_user(alice)
    client.get("/")

    with django_assert_max_num_queries(maximum):
        client.get(address.format(dataset=dataset.pk))


@pytest.mark.long
def test_more_experiments_ask_the_database_no_more_often(
    as_user, alice, project, django_assert_max_num_queries
):
    client = as_user(alice)
    for _ in range(6):
        samples.load(project, alice)
        rename_the_sample(project)
    while scoring.work(seconds=10):
        pass

    client.get("/")
    with django_assert_max_num_queries(20):
        page = client.get("/")

    assert sum(len(line.rows) for line in page.context["lines"]) == 6


def rename_the_sample(project: Project) -> None:
    """Rename the sample, so that another one can be created."""
    experiment = samples.experiment_of(project)
    owned.rename(experiment.dataset, f"Dataset {experiment.pk}")
    owned.rename(experiment, f"Question {experiment.pk}")
