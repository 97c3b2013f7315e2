"""Raters with a link, annotators and members see the same page, and nothing else."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from evaluations import leases
from evaluations.labelling import links, raters, rating, tasks
from evaluations.models import Label, Membership, Rater, RaterLink, Role
from tests import factories
from tests.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def stranger():
    return Client()


def join(client, task, name="Ann"):
    link, token = links.create(task, None)
    answer = client.post(reverse("rater-join", args=[token]), {"name": name})
    assert answer["Location"] == reverse("labeltask-rate", args=[task.pk])
    return link, token


def rate(client, task, rater):
    seat = rating.held(rater)
    sent = {"item": seat.item.token, "lease": seat.lease, "value": "pass", "note": "ж" * 4_000}
    return client.post(reverse("label-create", args=[task.pk]), sent)


def test_a_person_without_an_account_labels_by_a_link(stranger, task):
    join(stranger, task)
    rater = Rater.objects.get()
    assert (rater.name, rater.user) == ("Ann", None)

    rate(stranger, task, rater)

    assert Label.objects.get().rater == rater
    page = stranger.get(reverse("labeltask-rate", args=[task.pk])).content.decode()
    assert "1</b> of 6" in page
    assert 'role="status" tabindex="-1" autofocus>' in page
    assert "Ann" not in page


def test_the_guideline_can_be_folded_and_stays_so(stranger, task):
    join(stranger, task)
    stranger.post(reverse("labeltask-begin", args=[task.pk]))

    page = stranger.get(reverse("labeltask-rate", args=[task.pk])).content.decode()

    assert re.search(r'<details\s+class="pane guideline"\s+data-remember="guideline"\s+open\s*>', page)
    rate(stranger, task, Rater.objects.get())
    after = stranger.get(reverse("labeltask-rate", args=[task.pk])).content.decode()
    assert re.search(r'data-remember="guideline"\s+data-read\s+open\s*>', after)


def test_a_guideline_shows_its_list_and_the_key_of_help_is_on_the_page(stranger, task):
    task.version.config |= {"guideline": "Yes if it helps.\n\n* no jargon\n* the right amount"}
    task.version.save()
    join(stranger, task)
    stranger.post(reverse("labeltask-begin", args=[task.pk]))

    page = stranger.get(reverse("labeltask-rate", args=[task.pk])).content.decode()

    assert "<li>no jargon</li>" in page
    assert 'data-key="?"' in page


@pytest.mark.parametrize(
    "address", ["/", "/p/first/", "/labels/{task}/", "/runs/{run}/", "/labels/{other}/rate/", "/account/"]
)
def test_a_link_opens_one_task_and_nothing_else(stranger, task, label_set, alice, variants, address):
    other = tasks.create(label_set, alice, variants, tasks.Plan(size=1, seed=1))
    join(stranger, task)

    answer = stranger.get(address.format(task=task.pk, other=other.pk, run=variants[0].pk))

    assert answer.status_code in (302, 404)
    assert "quokka" not in answer.content.decode()


def test_the_list_of_keys_has_all_keys_of_rating_before_the_first_answer(stranger, task):
    join(stranger, task)

    page = " ".join(text_of(stranger.get(reverse("labeltask-rate", args=[task.pk]))).split())

    assert "On this page P Pass F Fail U Unsure N Write a note; Esc leaves it Z Take the last" in page


def test_looking_at_a_link_gives_no_rights(stranger, task):
    token = links.create(task, None)[1]
    assert stranger.get(reverse("rater-join", args=[token])).status_code == 200
    assert stranger.get(reverse("labeltask-rate", args=[task.pk])).status_code == 302


@pytest.mark.parametrize("ending", ["withdrawn", "expired", "closed"])
def test_an_ended_link_opens_nothing(stranger, task, ending):
    link, token = join(stranger, task)
    if ending == "withdrawn":
        links.withdraw(link)
    elif ending == "expired":
        RaterLink.objects.update(expires_at=leases.now())
    else:
        type(task).objects.update(deleted_at=leases.now())

    assert stranger.get(reverse("labeltask-rate", args=[task.pk])).status_code == 404
    assert Client().get(reverse("rater-join", args=[token])).status_code == 410


def test_a_link_is_for_one_rater(stranger, task):
    _, token = join(stranger, task)
    Client().post(reverse("rater-join", args=[token]), {"name": "Somebody else"})
    assert Rater.objects.get().name == "Ann"


def test_a_link_needs_a_name(stranger, task):
    token = links.create(task, None)[1]
    assert stranger.post(reverse("rater-join", args=[token]), {"name": " "}).status_code == 400
    assert not Rater.objects.exists()


def test_an_annotator_sees_the_tasks_in_which_they_are_asked(client, project, task, bob):
    Membership.objects.filter(user=bob).update(role=Role.ANNOTATOR)
    client.force_login(bob)
    assert client.get(reverse("labeltask-rate", args=[task.pk])).status_code == 404

    raters.ask(task, bob)

    assert client.get("/", follow=True).redirect_chain == [("/rate/", 302)]
    assert "Is it right?" in client.get("/rate/").content.decode()
    client.post(reverse("labeltask-begin", args=[task.pk]))
    assert client.get(reverse("labeltask-rate", args=[task.pk])).status_code == 200
    assert client.get(reverse("labeltask-detail", args=[task.pk])).status_code == 404
    assert client.get(f"/p/{project.slug}/").status_code == 404


def test_whoever_comes_when_all_is_rated_is_not_asked_to_begin(client, alice, task):
    bob = factories.rater(task, 2)
    while rating.begin(bob):
        seat = rating.held(bob)
        rating.rate(bob, seat.item.token, seat.lease, "pass")
    client.force_login(alice)

    page = client.get(reverse("labeltask-rate", args=[task.pk])).content.decode()

    assert "Every answer is rated" in page
    assert "one answer at a time" not in page
    assert "Back to the task" in page


@pytest.mark.parametrize("hides", [False, True])
def test_whoever_decides_where_raters_differ_sees_the_reference_that_they_saw(
    client, alice, label_set, variants, hides
):
    plan = tasks.Plan(size=1, seed=7, raters=2, overlap=0, hides_reference=hides)
    task = tasks.create(label_set, alice, variants, plan)
    for number, answer in enumerate(["pass", "fail"], 1):
        rater = factories.rater(task, number)
        while rating.begin(rater):
            seat = rating.held(rater)
            rating.rate(rater, seat.item.token, seat.lease, answer)
    client.force_login(alice)

    page = text_of(client.get(reverse("labelset-adjudications", args=[task.version.evaluator_id])))

    assert "Rater 2" in page
    assert ("Reference" in page) is not hides


def test_where_raters_differ_one_answer_is_decided_at_a_time(client, alice, label_set, variants):
    """A decision leads to the next answer that is open; in the list it leads back to the list."""
    task = tasks.create(label_set, alice, variants, tasks.Plan(size=1, seed=7, raters=2, overlap=0))
    for number, answer in enumerate(["pass", "fail"], 1):
        rater = factories.rater(task, number)
        while rating.begin(rater):
            seat = rating.held(rater)
            rating.rate(rater, seat.item.token, seat.lease, answer)
    client.force_login(alice)
    address = reverse("labelset-adjudications", args=[label_set.pk])

    first = client.get(address)
    assert "1 of 2" in text_of(first)
    assert 'data-key="p"' in first.content.decode()
    token = first.context["shown"].item.token
    second = client.post(address, {"item": token, "value": "pass"}, follow=True)
    assert (second.context["place"].number, second.context["place"].decided) == (2, 1)
    assert second.context["shown"].item.token != token

    again = client.get(address, {"item": token})
    assert "Take the decision back" in text_of(again)
    listed = client.get(f"{address}?list")
    assert len(listed.context["listed"]) == 2
    back = client.post(address, {"item": second.context["shown"].item.token, "value": "fail", "list": ""})
    assert back["Location"].endswith("?list")


def test_a_task_whose_labels_are_all_given_asks_its_owner_to_end_it_and_no_more_to_rate(client, alice, task):
    client.force_login(alice)
    address, rate_address = (reverse(name, args=[task.pk]) for name in ("labeltask-detail", "labeltask-rate"))
    assert rate_address in client.get(address).content.decode()
    bob = factories.rater(task, 2)
    while rating.begin(bob):
        seat = rating.held(bob)
        rating.rate(bob, seat.item.token, seat.lease, "pass")

    page = client.get(address).content.decode()

    assert rate_address not in page
    assert "End the task" in text_of(page)


def test_whoever_rated_all_that_they_can_reads_how_many_need_somebody_else(
    client, alice, label_set, variants
):
    task = tasks.create(label_set, alice, variants, tasks.Plan(size=3, seed=7, raters=2, overlap=0))
    rater = rating.rater_of(task, alice)
    assert rating.left_for(task, rater) == rating.left_for(task, None) == 6
    while seat := rating.begin(rater):
        rating.rate(rater, seat.item.token, seat.lease, "pass")
    client.force_login(alice)

    words = text_of(client.get(reverse("labeltask-rate", args=[task.pk])))

    assert "6 of 6 for you 6 need somebody else" in words
    assert "6 labels of 12 need somebody else" in words
    assert "Go on" not in words


def test_a_lost_lease_keeps_the_note_in_sight(client, alice, task):
    client.force_login(alice)
    client.post(reverse("labeltask-begin", args=[task.pk]))
    seat = rating.held(Rater.objects.get())
    sent = {"item": seat.item.token, "lease": "another", "value": "pass", "note": "a long thought"}

    page = client.post(reverse("label-create", args=[task.pk]), sent, follow=True).content.decode()

    assert "no longer yours" in page
    assert "a long thought" in page
    assert not Label.objects.exists()


def test_two_tabs_store_one_label(client, alice, task):
    client.force_login(alice)
    client.post(reverse("labeltask-begin", args=[task.pk]))
    rater = Rater.objects.get()
    seat = rating.held(rater)
    for value in ("pass", "fail"):
        sent = {"item": seat.item.token, "lease": seat.lease, "value": value}
        client.post(reverse("label-create", args=[task.pk]), sent)

    assert [label.answer for label in Label.objects.all()] == ["pass"]
    assert rating.held(rater).item_id != seat.item_id


def test_a_review_shows_variant_and_scores_and_is_marked(client, alice, variants):
    client.force_login(alice)

    client.post(reverse("run-review", args=[variants[0].pk]) + "?q=Lyon")
    task = variants[0].label_tasks.get()
    assert (task.is_blind, task.drawn, task.size) == (False, "chosen", 1)
    client.post(reverse("labeltask-begin", args=[task.pk]))
    page = client.get(reverse("labeltask-rate", args=[task.pk])).content.decode()

    assert "quokka one" in page
    assert "exact match" in page
    assert "labels are marked" in page


def test_the_listed_examples_of_an_experiment_are_reviewed_for_all_variants(client, alice, variants):
    client.force_login(alice)

    client.post(reverse("experiment-review", args=[variants[0].experiment_id]) + "?q=Lyon")

    task = variants[0].label_tasks.get()
    assert not task.is_blind
    assert sorted((item.run.variant, item.example) for item in task.items.all()) == [
        ("quokka one", 2),
        ("quokka two", 2),
    ]


def test_a_comment_is_written_beside_an_answer_and_listed(client, alice, bob, project, variants):
    client.force_login(bob)
    run = variants[0]
    client.post(reverse("run-comment", args=[run.pk, 2]), {"text": "A town of the Gauls."})

    assert "A town of the Gauls." in client.get(f"/runs/{run.pk}/?row=2").content.decode()
    assert "A town of the Gauls." not in client.get(f"/runs/{variants[1].pk}/?row=2").content.decode()
    listed = client.get(reverse("comment-list", args=[project.slug])).content.decode()
    assert f"/runs/{run.pk}/?row=2" in listed
    [row] = client.get(reverse("comment-list", args=[project.slug])).context["listed"]
    assert row.text == run.outputs.get(position=2).text


def test_a_comment_is_done_and_open_again_for_everybody(client, alice, bob, project, variants):
    client.force_login(bob)
    page = reverse("comment-list", args=[project.slug])
    client.post(reverse("run-comment", args=[variants[0].pk, 2]), {"text": "A town of the Gauls."})
    [row] = client.get(page).context["listed"]

    def numbers():
        return [len(client.get(page, {"done": done}).context["listed"]) for done in ("", "false", "true")]

    client.force_login(alice)
    assert numbers() == [1, 1, 0]
    client.post(reverse("comment-done", args=[row.comment.pk]))
    assert numbers() == [1, 0, 1]
    assert "Open again the comment" in client.get(f"/runs/{variants[0].pk}/?row=2").content.decode()
    client.post(reverse("comment-done", args=[row.comment.pk]), {"done": "false"})
    assert numbers() == [1, 1, 0]


def test_a_link_is_made_on_the_page_of_the_task_and_shown_once(client, alice, task):
    client.force_login(alice)
    made = client.post(reverse("labeltask-links", args=[task.pk]), {"days": "7"}, follow=True)

    assert made.redirect_chain == [(reverse("labeltask-detail", args=[task.pk]), 302)]
    assert "/rate/" in made.content.decode()
    assert RaterLink.objects.get().digest not in made.content.decode()


@pytest.mark.parametrize("answers", ["pass_fail", "pair", "labels", "scale"])
def test_people_are_asked_by_the_form(client, alice, project, answers):
    experiment = factories.experiment(project)
    runs = [factories.scored_run(experiment, ["a", "b", "c"], name) for name in ("old", "new")]
    client.force_login(alice)
    sent = {
        "runs": [run.pk for run in runs],
        "name": "asked",
        "answers": answers,
        "labels": "good, bad",
        "minimum": "1",
        "maximum": "5",
        "question": "Right?",
        "size": "2",
        "raters": "1",
        "overlap": "0",
    }

    answer = client.post(reverse("ask-create", args=[experiment.pk]), sent, follow=True)

    assert answer.redirect_chain, answer.context["form"].errors
    task = runs[0].label_tasks.get()
    assert task.items.count() == (2 if answers == "pair" else 4)
    assert "Right?" in answer.content.decode()
