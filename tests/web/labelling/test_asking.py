"""The page on which people are asked: what a list shows, a trial first, and the form that a trial leads back to."""

import pytest
from django.urls import reverse

from evaluations.datasets import datasets
from evaluations.experiments import experiments
from evaluations.labelling import columns, sets
from evaluations.models import LabelTask, Run
from evaluations.web.labelling.task_pages import about
from tests import factories, people
from tests.pages import markup, text_of

pytestmark = pytest.mark.django_db

ANSWERS = {"old": ["x"] * 10, "new": ["x"] * 9 + ["y"]}


@pytest.fixture
def member(client, alice):
    client.force_login(alice)
    return client


@pytest.fixture
def runs(project):
    rows = [
        {
            "key": f"k{n}",
            "inputs": {},
            "reference": {"a": "x"},
            "metadata": {"tags": ["tax"] if n < 4 else ["law", "eu"]},
        }
        for n in range(10)
    ]
    dataset = datasets.create(project, None, "tagged", rows)
    experiment = experiments.create(project, None, "answers", dataset, [factories.evaluator(project)])
    return [factories.scored_run(experiment, texts, name) for name, texts in ANSWERS.items()]


def form(runs, **fields):
    asked = {"runs": [run.pk for run in runs], "answers": "pass_fail", "question": "Good?", "name": "good"}
    return asked | {"size": 3, "raters": 1, "overlap": 0, "drawn": "random", "reference": "on"} | fields


def address(runs, query=""):
    return reverse("ask-create", args=[runs[0].experiment_id]) + query


def test_people_are_asked_about_the_examples_with_a_tag(member, runs):
    query = "?metadata[tags]=law"
    page = member.get(address(runs, query)).content.decode()
    assert "tags = law" in page

    answer = member.post(address(runs, query), form(runs))
    task = LabelTask.objects.get()
    assert answer["Location"] == reverse("labeltask-detail", args=[task.pk])
    assert (task.population, task.parts[0]["size"], task.parts[1]["size"]) == ("tags = law", 6, 4)
    assert sets.config_of(task.version).purpose == "weighted"
    assert min(task.items.values_list("example", flat=True)) > 4
    assert "tags = law" in member.get(answer["Location"]).content.decode()


def test_a_list_filtered_by_scores_is_told_by_its_size(member, runs):
    member.post(address(runs, "?show=same"), form(runs))
    assert LabelTask.objects.get().population == "9 listed examples"


def test_one_rates_a_few_first_and_comes_back_to_the_form(member, runs):
    filled = form(
        runs, trial="on", guideline="Facts.", size=200, raters=3, overlap=50, stop="width", limit="0.05"
    )
    answer = member.post(address(runs, "?metadata[tags]=law"), filled)
    trial = LabelTask.objects.get()
    assert answer["Location"] == reverse("labeltask-rate", args=[trial.pk])
    assert (trial.drawn, trial.size, trial.raters, trial.stop) == ("trial", 5, 1, None)

    page = member.get(reverse("labeltask-detail", args=[trial.pk])).content.decode()
    assert f"{address(runs)}?metadata%5Btags%5D=law&amp;like={trial.pk}" in page
    again = member.get(address(runs, f"?metadata[tags]=law&like={trial.pk}"))
    chosen = {
        name: again.context["form"][name].value() for name in ("size", "raters", "overlap", "stop", "limit")
    }
    assert chosen == {"size": "200", "raters": "3", "overlap": "50", "stop": "width", "limit": "0.05"}
    assert again.context["form"]["guideline"].value() == "Facts."
    assert again.context["form"]["label_set"].value() == str(trial.version.evaluator_id)


@pytest.mark.parametrize("drawn", ["random", "groups", "evenly", "differing"])
def test_a_trial_leads_back_to_a_form_that_its_label_set_takes(member, runs, drawn):
    member.post(address(runs), form(runs, trial="on", drawn=drawn, by="tags"))
    trial = LabelTask.objects.get()
    begun = member.get(address(runs, f"?like={trial.pk}")).context["form"]
    assert begun["drawn"].value() == drawn

    filled = {field.name: field.value() for field in begun if field.value() is not None}
    answer = member.post(address(runs), filled | {"size": 3})
    task = LabelTask.objects.exclude(pk=trial.pk).get()
    assert answer["Location"] == reverse("labeltask-detail", args=[task.pk])
    assert task.version.evaluator_id == trial.version.evaluator_id


def test_a_trial_is_not_said_to_be_in_the_columns(member, runs):
    member.post(address(runs), form(runs, trial="on"))
    trial = LabelTask.objects.get()
    columns.mark(trial)
    assert "in the columns" not in member.get(reverse("labeltask-detail", args=[trial.pk])).content.decode()


@pytest.mark.parametrize("scored_by", ["label_set", "judge"])
def test_labels_and_scores_that_were_sent_become_primary_by_the_menu_of_the_page(
    member, alice, project, scored_by
):
    stock = people.labelled(project, alice)
    experiment = stock.experiment
    chosen = stock.label_set if scored_by == "label_set" else stock.judge.evaluator
    sent = {"evaluator": chosen.pk}
    answer = member.post(reverse("experiment-primary", args=[experiment.pk]), sent, follow=True)
    experiment.refresh_from_db()
    assert (answer.status_code, experiment.primary_id) == (200, chosen.pk)

    member.post(reverse("experiment-margin", args=[experiment.pk]), sent | {"margin": "0.1"})
    experiment.refresh_from_db()
    assert experiment.margins == {str(chosen.pk): 0.1}


def test_the_list_tells_tasks_apart_and_finds_them_by_experiment(member, alice, project):
    stock = people.labelled(project, alice)
    variant = stock.task.runs.order_by("pk").first().variant

    found = member.get("/p/default/tasks/", {"q": stock.experiment.name})
    missed = member.get("/p/default/tasks/", {"q": "nothing like it"})

    assert f"{stock.experiment.name}: {variant}" in text_of(found)
    assert reverse("ask-create", args=[stock.experiment.pk]) in markup(found)
    assert "No tasks match" in text_of(missed)


def test_labels_from_a_file_are_first_offered_for_the_experiments_of_the_label_set(member, alice, project):
    stock = people.labelled(project, alice)
    rows = [{"key": "k", "inputs": {}, "reference": {"a": "x"}, "metadata": {}}]
    dataset = datasets.create(project, None, "elsewhere", rows)
    other = experiments.create(project, None, "other", dataset, [stock.experiment.primary])
    newest = factories.run(other, ["x"], "newest")
    Run.objects.filter(pk=newest.pk).update(status=Run.Status.COMPLETED)

    page = member.get(reverse("labelset-labels", args=[stock.label_set.pk]))

    (_, own), (_, others) = page.context["form"].fields["run"].choices
    assert {pk for pk, _ in own} == {*stock.experiment.runs.values_list("pk", flat=True)}
    assert newest.pk in {pk for pk, _ in others}


def test_the_example_of_a_file_of_labels_has_keys_of_the_chosen_run(member, alice, project):
    stock = people.labelled(project, alice)
    rows = [
        {"key": key, "inputs": {}, "reference": {"a": "x"}, "metadata": {}} for key in ("mail-7", "mail-8")
    ]
    dataset = datasets.create(project, None, "elsewhere", rows)
    other = experiments.create(project, None, "other", dataset, [stock.experiment.primary])
    run = factories.run(other, ["x", "x"])
    Run.objects.filter(pk=run.pk).update(status=Run.Status.COMPLETED)

    page = member.post(reverse("labelset-labels", args=[stock.label_set.pk]), {"run": run.pk})

    keys = [line.partition(",")[0] for line in page.context["example"].splitlines()]
    assert keys == ["key", "mail-7", "mail-7", "mail-8"]


def test_the_form_says_how_many_people_it_takes_and_offers_no_more_examples_than_there_are(member, runs):
    sent = form(runs, size=4, raters=2, overlap=50)
    told = {"HX-Request": "true", "HX-Target": "gain"}
    gain = member.post(address(runs), sent, headers=told).context["gain"]

    assert (gain.people, gain.labels) == (3, gain.items * 2 + gain.twice)
    assert max(row.examples for row in gain.rows) <= runs[0].output_count


@pytest.mark.parametrize(
    ("by_item", "raters", "words"),
    [
        ([1, 1, 1], 1, "on 3 answers, by 1 person"),
        ([1, 1, 1], 2, "on 3 answers, each by one of 2 people"),
        ([2, 2], 2, "on 2 answers, each by 2 people"),
        ([2, 2], 5, "on 2 answers, each by 2 of 5 people"),
        ([2, 1, 1], 2, "on 3 answers, 1 of them by both of 2 people"),
        ([2, 1, 1], 0, "on 3 answers, 1 of them by several people"),
    ],
)
def test_a_task_says_how_many_people_labelled_how_many_answers(by_item, raters, words):
    assert about(by_item, raters, "pass_fail") == words


def test_the_row_of_a_task_leads_to_rating_until_it_is_done_and_shows_what_is(member, alice, project):
    begun = people.labelled(project, alice)
    fresh = LabelTask.objects.create(
        project=project, version=begun.task.version, size=2, seed=1, raters=1, overlap=0, drawn="random"
    )
    fresh.runs.set(begun.task.runs.all())

    page = markup(member.get("/p/default/tasks/"))

    assert reverse("labeltask-rate", args=[fresh.pk]) in page
    assert reverse("labeltask-rate", args=[begun.task.pk]) not in page
    assert page.count('aria-label="Labelled"') == 1
