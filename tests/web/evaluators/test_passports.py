"""The page of a passport: what an evaluator is worth, and the opening of its sealed labels."""

import pytest
from django.urls import reverse

from evaluations.comparisons.people import passports, standing
from evaluations.evaluators import connections
from evaluations.models import AuditEntry, Evaluator, Judging
from tests import factories, judged, people
from tests.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def stock(project, alice):
    return people.labelled(project, alice)


def test_a_page_without_labels_says_what_is_missing(client, alice, project):
    experiment = factories.experiment(project)
    factories.scored_run(experiment)
    evaluator = experiment.evaluator_versions.get().evaluator
    client.force_login(alice)
    page = client.get(reverse("evaluator-passport", args=[evaluator.pk]))
    assert "Not known yet: exact match v1 is not checked against labels of people." in text_of(page)
    assert reverse("ask-create", args=[experiment.pk]) in page.content.decode()


def test_the_numbers_of_the_axis_stand_at_their_lines(client, alice, stock):
    client.force_login(alice)
    page = client.get(reverse("evaluator-passport", args=[stock.judge.evaluator_id])).content.decode()
    axis = page.partition('<svg class="axis"')[2].partition("</svg>")[0]

    assert 'text-anchor="middle">1.0<' in axis
    assert axis.count('text-anchor="middle"') == axis.count("<text")


@pytest.mark.django_db(transaction=True)
def test_the_axis_has_its_numbers_on_a_phone(live_server, alices_page, stock):
    alices_page.set_viewport_size({"width": 400, "height": 800})
    alices_page.goto(f"{live_server.url}{reverse('evaluator-passport', args=[stock.judge.evaluator_id])}")

    box = alices_page.locator(".passport-table thead .axis").bounding_box()

    assert box["width"] > 300


def test_sealed_labels_are_opened_on_the_page(client, alice, stock):
    address = reverse("evaluator-passport", args=[stock.judge.evaluator_id])
    client.force_login(alice)
    closed = text_of(client.get(address))
    tuned = passports.of(stock.judge, stock.label_set).tuned.partition("\u202f")[
        0
    ]  # of labels that ids choose
    assert f"Not proven yet: {tuned}" in closed.replace("\u202f", " ")
    assert "it may have been tuned on" in closed
    assert "Not checked" not in closed
    assert "answers to tune, not sealed" in closed
    assert "Where it disagrees with people" in closed

    answer = client.post(f"{address}open/", {"label_set": stock.label_set.pk}, follow=True)
    opened = text_of(answer)
    assert passports.of(stock.judge, stock.label_set).sentence in opened
    assert "Not proven" not in opened
    assert "on v2" in opened
    assert "opened 1 time for v1" in opened


def test_lists_and_label_sets_say_of_a_judge_what_its_passport_says(
    client, alice, project, stock, monkeypatch
):
    monkeypatch.setattr(standing, "is_judge", lambda version: version == stock.judge)
    client.force_login(alice)
    said = passports.in_short(stock.judge).replace("\u202f", " ")
    assert said.startswith("not proven: ")
    figures = said.removeprefix("not proven: ")

    assert said in text_of(client.get(f"/p/{project.slug}/evaluators/"))
    of_labels = " ".join(
        text_of(client.get(f"/evaluators/{stock.label_set.pk}/")).replace("\u202f", " ").split()
    )
    assert f"({figures} it may have been tuned on)" in of_labels


def test_what_cannot_be_undone_takes_two_steps(client, alice, stock):
    """The button that opens the labels is folded below the word that names it, beside what follows from it."""
    client.force_login(alice)
    page = client.get(reverse("evaluator-passport", args=[stock.judge.evaluator_id])).content.decode()
    folded = page.partition("<summary>Open the sealed labels</summary>")[2].partition("</details>")[0]
    assert "It cannot be undone" in folded
    assert page.count("/passport/open/") == folded.count("/passport/open/") == 1


def test_a_judge_that_guesses_is_called_worthless(client, alice, project):
    stock = people.labelled(project, alice, right=0.5)
    client.force_login(alice)
    address = reverse("evaluator-passport", args=[stock.judge.evaluator_id])
    assert "not even on the labels that it may have been tuned on" in text_of(client.get(address))

    passports.open_sealed(stock.judge, stock.label_set, alice)
    assert "its agreement beyond chance is not clear" in text_of(client.get(address))


def test_too_few_labels_open_nothing(client, alice, project):
    stock = people.labelled(project, alice, examples=12, labels=4)
    client.force_login(alice)
    address = reverse("evaluator-passport-open", args=[stock.judge.evaluator_id])
    assert "a passport needs 30" in text_of(client.post(address, follow=True))


def test_the_table_is_exported(client, alice, stock):
    passports.open_sealed(stock.judge, stock.label_set, alice)
    client.force_login(alice)
    lines = (
        client.get(reverse("passport-export", args=[stock.judge.evaluator_id])).content.decode().splitlines()
    )
    assert lines[0].endswith("rate,rate_low,rate_high")
    assert {line.split(",")[0] for line in lines[1:]} >= {"people", "judge v1 on v1", "judge v1 on v2"}


def test_a_page_asks_the_database_a_bounded_number_of_times(
    client, alice, stock, django_assert_max_num_queries
):
    passports.open_sealed(stock.judge, stock.label_set, alice)
    client.force_login(alice)
    client.get(reverse("evaluator-passport", args=[stock.judge.evaluator_id]))
    with django_assert_max_num_queries(75):
        client.get(reverse("evaluator-passport", args=[stock.judge.evaluator_id]))


def test_of_peoples_labels_it_says_how_far_people_agree(client, alice, stock):
    """People are the measure: their labels are held against nobody else's."""
    client.force_login(alice)
    page = text_of(client.get(reverse("evaluator-passport", args=[stock.label_set.pk])))
    assert "How far people agree" in page
    assert "Person against person" in page
    assert "People agree on" in page
    assert "ecked against people" not in page.replace("evaluators are checked against", "")
    assert "Ask people" not in page


@pytest.mark.parametrize("purpose", ["repeats", "attacks"])
def test_a_judge_is_asked_again_with_the_money_that_is_named(
    client, alice, project, settings, stock, purpose
):
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    evaluator = judged.judge(project, stock).evaluator
    server = connections.create(project, None, "server", "http://127.0.0.1:9/v1", "k")
    Evaluator.objects.filter(pk=evaluator.pk).update(connection=server)
    address = reverse("evaluator-again", args=[evaluator.pk])
    client.force_login(alice)

    without = client.post(address, {"purpose": purpose})
    assert without.status_code == 400
    client.post(address, {"purpose": purpose, "max_calls": "500"})

    judging = Judging.objects.get(purpose=purpose)
    assert judging.size > 0
    assert judging.budget.max_calls == 500
    assert AuditEntry.objects.get(action="evaluator-again").actor == alice
