"""The front page, the lists, the palette and the sample."""

import re
from datetime import timedelta

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evaluations.access import projects
from evaluations.comparisons import overviews
from evaluations.comparisons.over_time import courses
from evaluations.datasets import datasets
from evaluations.engine import queue
from evaluations.experiments import experiments, samples, search
from evaluations.launches import launches
from evaluations.launches.plans import Plan, Variant
from evaluations.models import (
    Budget,
    Dataset,
    Evaluator,
    EvaluatorVersion,
    Experiment,
    Gate,
    Generation,
    Launch,
    Output,
    Run,
)
from evaluations.prompts import prompts
from evaluations.prompts.content import Content
from evaluations.web.projects.home import EXPERIMENTS
from tests import factories
from tests.comparisons import columns
from tests.pages import markup, text_of


@pytest.fixture
def scored_sample(project, alice) -> Experiment:
    return factories.scored_sample(project, alice)


def test_an_empty_project_teaches_four_ways_to_begin(alices):
    html = markup(alices.get("/"))

    assert "Nothing to compare yet" in html
    assert 'action="/p/default/sample/"' in html
    assert 'href="/p/default/datasets/upload/"' in html
    assert 'href="/p/default/prompts/new/"' in html
    assert "http://testserver/api/v1/datasets/" in html


def test_an_empty_list_of_experiments_has_one_main_way_and_others(alices):
    html = markup(alices.get("/p/default/experiments/"))

    assert html.count("button-main") == 1
    assert re.search(r'button-main" href="/p/default/datasets/upload/"', html)
    assert re.search(r'href="/p/default/prompts/new/">I have prompts and no outputs<', html)


def test_experiments_stand_in_the_order_in_which_they_finished(alices, project):
    exact, dataset = factories.evaluator(project), factories.dataset(project)
    older, newer = (experiments.create(project, None, name, dataset, [exact]) for name in ("older", "newer"))
    factories.scored_run(newer)
    factories.scored_run(older)

    lines = alices.get("/").context["lines"]

    assert [line.line.things[0].experiment for line in lines] == [older, newer]


def test_a_gate_whose_newest_check_did_not_pass_needs_attention(alices, project):
    experiment = factories.experiment(project)
    old, new = (factories.scored_run(experiment, variant=name) for name in ("old", "new"))
    form = {"name": "ship", "baseline": old.pk, "missing": "worst", "0-rule": "examples", "0-number": "9"}
    alices.post(f"/p/default/gates/new/?experiment={experiment.pk}", form)
    gate = Gate.objects.get()
    assert "Needs attention" not in text_of(alices.get("/p/default/"))

    alices.post(f"/gates/{gate.pk}/check/", {"run": new.pk})

    page = text_of(alices.get("/p/default/"))
    assert re.search(r"Needs attention (FAIL|INCONCLUSIVE) Gate ship did not pass new \.", page)


def test_home_says_of_how_many_variants_a_gate_said_so(alices, project):
    experiment = factories.experiment(project)
    wrong = factories.scored_run(experiment, ["no"] * 3, "wrong")
    old, new = (factories.scored_run(experiment, variant=name) for name in ("old", "new"))
    form = {"name": "ship", "baseline": old.pk, "missing": "worst", "0-rule": "no_new_failures"}
    form |= {"0-evaluator": Evaluator.objects.get().pk, "0-number": ""}
    alices.post(f"/p/default/gates/new/?experiment={experiment.pk}", form)
    gate = Gate.objects.get()

    for run in (wrong, new):
        alices.post(f"/gates/{gate.pk}/check/", {"run": run.pk})

    page = text_of(alices.get("/p/default/"))
    said = "Gate ship did not pass wrong . Of the 2 variants it judged in the last 7 days, 1 passed."
    assert f"Needs attention FAIL {said}" in page


def test_examples_that_nobody_answered_need_attention(alices, alice, project):
    experiment = factories.experiment(project)
    factories.scored_run(experiment)
    assert "Needs attention" not in text_of(alices.get("/p/default/"))

    datasets.append(experiment.dataset, alice, [{"inputs": {}, "reference": {"answer": "Bern"}}])

    page = text_of(alices.get("/p/default/"))
    assert f"v2 has 1 more example, not answered in {experiment.name} . Use v2" in page


def test_a_judge_that_waits_in_an_older_experiment_needs_attention(alices, project):
    experiment = factories.experiment(project)
    scoring = factories.scored_run(experiment).scorings.get()
    scoring.summary["counts"]["not_sent"] = 2
    scoring.save()
    config = {"messages": [{"content": "Is {{ output }} right?"}], "model": "m"}
    EvaluatorVersion.objects.filter(pk=scoring.evaluator_version_id).update(kind="judge", config=config)
    for number in range(EXPERIMENTS):
        experiments.create(project, None, f"later {number}", experiment.dataset, [])

    assert "waits for money: 2 answers of" in text_of(alices.get("/p/default/"))


def test_a_person_without_a_project_reads_how_to_join_one(as_user, project, django_user_model):
    lonely = django_user_model.objects.create_user("lonely")

    assert "You are not in a project yet" in text_of(as_user(lonely).get("/"))


def test_home_reads_the_projects_of_a_person_once(alices):
    with CaptureQueriesContext(connection) as queries:
        alices.get("/")

    assert sum('FROM "evaluations_project"' in query["sql"] for query in queries) == 1


def test_home_is_the_project_one_was_in_last(alices, alice):
    projects.create("Second", alice)

    assert alices.get("/").context["project"].slug == "default"
    alices.get("/p/second/")
    assert alices.get("/").context["project"].slug == "second"


def test_the_front_page_names_the_better_variant(alices, scored_sample):
    page = alices.get("/")

    assert "Yes: with our rules best of 3" in text_of(page)
    assert 'class="interval"' in markup(page)
    assert "+0.542" in text_of(page)  # 0.5425, as Python rounds it


@pytest.mark.parametrize(
    ("wrong", "end"),
    [([], "10"), ([2], "10"), ([40], "50"), ([2, 2, 40], "50"), ([2, 20, 40], "50"), ([2, 8], "10")],
)
def test_the_axis_holds_every_difference_with_a_verdict(alices, project, wrong, end):
    """The difference of each experiment is the share of wrong answers among 100; with two there is no verdict."""
    references = [str(n) for n in range(100)]
    dataset, exact = factories.dataset(project, references), factories.evaluator(project)
    for number, count in enumerate(wrong):
        experiment = experiments.create(project, None, f"experiment {number}", dataset, [exact])
        factories.scored_run(experiment, references, "base")
        factories.scored_run(experiment, ["no"] * count + references[count:], "other")

    for address in ("/", "/p/default/experiments/"):
        assert [end] * bool(wrong) == re.findall(r">−(\d+) points</text>", markup(alices.get(address)))


def test_current_work_is_on_the_front_page(alices, alice, project):
    samples.load(project, alice)

    page = alices.get("/")
    part = alices.get("/p/default/", headers={"HX-Request": "true"})

    told = [re.findall(r"scored 0 of (\d+)", text_of(one)) for one in (page, part)]
    assert told == [["180"], ["180"]]
    assert 'hx-trigger="every 2s"' in markup(part)


@pytest.mark.parametrize("has_work", [False, True])
def test_a_pilot_that_is_done_waits_for_a_person(alices, project, has_work):
    experiment = factories.experiment(project)
    budget = Budget.objects.create(project=project)
    launch = Launch.objects.create(
        project=project, experiment=experiment, budget=budget, seed=1, size=3, status=Launch.Status.ESTIMATING
    )
    run = factories.run(experiment, start=has_work)
    Run.objects.filter(pk=run.pk).update(status=Run.Status.GENERATING)
    Generation.objects.create(run=run, launch=launch, model="tiny")

    page = alices.get("/p/default/")

    assert ("The pilot of v1" in text_of(page)) == (not has_work)
    assert (f'href="/launches/{launch.pk}/"' in markup(page)) == (not has_work)
    assert ('hx-trigger="every 2s"' in markup(page)) == has_work


def test_the_page_reloads_when_all_work_has_ended(alices, scored_sample):
    part = alices.get("/p/default/", headers={"HX-Request": "true"})

    assert part["HX-Refresh"] == "true"


@pytest.mark.parametrize("address", ["experiments", "datasets", "evaluators"])
def test_a_list_finds_by_name(alices, scored_sample, address):
    matches = alices.get(f"/p/default/{address}/?q=s")
    no_matches = alices.get(f"/p/default/{address}/?q=zebra")

    assert markup(matches).count('<a class="question"') > 0
    assert markup(no_matches).count('<a class="question"') == 0
    assert "Show all" in text_of(no_matches)


def test_an_evaluator_says_whether_low_is_better(alices, project):
    factories.evaluator(project, "levenshtein_distance", "distance")
    factories.evaluator(project, "levenshtein_similarity", "similarity")

    rows = re.findall(r"<tr data-row>.*?</tr>", markup(alices.get("/p/default/evaluators/")))

    assert ["lower is better" in row for row in rows] == [False, True]


def test_the_palette_finds_datasets_by_name(alices, dataset):
    part = markup(alices.get("/p/default/search/?q=NUMB", headers={"HX-Request": "true"}))

    assert f'href="/datasets/{dataset.pk}/"' in part
    assert "<html" not in part


def test_the_page_of_the_search_shows_a_few_of_each_kind_and_leads_to_all(alices, project):
    for number in range(search.OF_EACH + 2):
        factories.evaluator(project, name=f"likeness {number}")

    page = alices.get("/p/default/search/?q=likeness")
    assert len(page.context["hits"]) == search.OF_EACH
    assert "q=likeness&amp;of=evaluator" in page.content.decode()
    assert len(alices.get("/p/default/search/?q=likeness&of=evaluator").context["hits"]) == search.OF_EACH + 2


def test_somebody_signed_in_keeps_the_navigation_where_a_page_is_missing(alices, client, project):
    alices.get("/p/default/")

    assert 'action="/p/default/search/"' in alices.get("/experiments/999/").content.decode()
    assert "topbar" not in client.get("/rate/nowhere/").content.decode()


def test_the_palette_finds_no_deleted_objects(alices, dataset):
    alices.post(f"/datasets/{dataset.pk}/delete/")

    assert "No name contains" in text_of(alices.get("/p/default/search/?q=numb"))


# ---- the sample ----


def test_home_looks_for_the_sample_among_the_experiments_it_lists(alices, scored_sample):
    with CaptureQueriesContext(connection) as queries:
        page = alices.get("/")

    assert "Remove sample data" in text_of(page)
    assert not any('"name_key" = ' in query["sql"] for query in queries)


@pytest.mark.parametrize("nouns", ["datasets", "experiments"])
def test_a_list_with_the_sample_offers_to_remove_it(alices, project, scored_sample, nouns):
    address = f"/p/{project.slug}/{nouns}/"
    assert "Remove sample data" in text_of(alices.get(address))

    alices.post(f"/p/{project.slug}/sample/remove/")

    assert "Remove sample data" not in text_of(alices.get(address))


def test_home_offers_to_remove_a_sample_behind_newer_experiments(alices, project, scored_sample):
    for number in range(9):
        experiments.create(project, None, f"question {number}", scored_sample.dataset, [])

    assert "Remove sample data" in text_of(alices.get("/"))


def test_one_click_removes_the_sample(alices, scored_sample):
    alices.post("/p/default/sample/remove/")

    assert not Dataset.objects.live().exists()
    assert not Experiment.objects.live().exists()
    assert not Evaluator.objects.live().exists()
    assert "Nothing to compare yet" in text_of(alices.get("/"))


def test_removing_the_sample_keeps_evaluators_that_others_use(alices, project, alice, scored_sample):
    evaluator = Evaluator.objects.get(name="Levenshtein similarity")
    experiments.create(project, alice, "Mine", factories.dataset(project), [evaluator])
    alices.post("/p/default/sample/remove/")

    assert list(Evaluator.objects.live()) == [evaluator]


def test_a_sample_that_is_being_scored_stays(alices, alice, project):
    samples.load(project, alice)

    assert alices.post("/p/default/sample/remove/").status_code == 409
    assert samples.experiment_of(project)


# ---- at a glance ----


def overview(experiment: Experiment, **variants: list[str]) -> overviews.Overview:
    for variant, outputs in variants.items():
        factories.scored_run(experiment, outputs, variant)
    return overviews.load([experiment])[0]


def test_one_variant_has_no_verdict(project):
    summary = overview(factories.experiment(project), a=["Paris", "Rome", "Oslo"])

    assert (summary.comparison.sentence.brief, summary.entry) == ([], None)


def test_without_a_clear_difference_nobody_is_named_the_best(project):
    summary = overview(factories.experiment(project), a=["Paris", "Rome", "x"], b=["Paris", "Rome", "Oslo"])

    assert summary.entry.paired.verdict == "cannot_tell"
    assert {role for role, _ in summary.comparison.sentence.brief} == {"cannot_tell"}


def test_a_list_names_the_best_variant_and_not_the_first(project):
    references = [f"answer {n}" for n in range(40)]
    partly_right, mostly_right = references[:15] + ["no"] * 25, references[:35] + ["no"] * 5
    experiment = factories.experiment(project, references=references)

    summary = overview(experiment, base=["no"] * 40, some=partly_right, most=mostly_right)

    assert summary.entry.run.variant == "most"
    assert ("name", "most") in summary.comparison.sentence.brief
    assert ("name", "some") not in summary.comparison.sentence.brief


def test_if_the_baseline_is_best_a_list_names_the_second_best_variant(alices, project):
    experiment = factories.experiment(project, "levenshtein_similarity", references=("abcd",) * 30)
    for name, output in (("old", "abcd"), ("worst", "zzzz"), ("second", "abcz")):
        factories.scored_run(experiment, [output] * 30, name)

    page = text_of(alices.get("/"))

    assert "old best of 3" in page
    assert "baseline old, next second" in page


def test_a_list_says_how_many_examples_the_experiment_has(project, alice):
    experiment = factories.experiment(project)
    datasets.append(experiment.dataset, alice, [{"inputs": {}, "reference": {"answer": "Bern"}}])
    experiment.dataset.refresh_from_db()

    assert (overview(experiment).example_count, experiment.dataset.example_count) == (3, 4)


def test_the_best_so_far_never_gets_worse_and_follows_the_direction(project):
    experiment = factories.experiment(project, "levenshtein_distance")
    [version] = experiments.versions_of(experiment)
    for outputs in (["Pari", "Rom", "Osl"], ["Paris", "Rome", "Oslo"], ["P", "R", "O"]):
        later = experiments.create(project, None, outputs[0], experiment.dataset, [version.evaluator])
        factories.scored_run(later, outputs, "v")

    assert courses.of_datasets([experiment.dataset])[experiment.dataset_id].courses == [[1.0, 0.0, 0.0]]


def test_the_runs_of_one_experiment_are_one_step_whatever_their_order(project):
    experiment = factories.experiment(project, "levenshtein_distance")
    for outputs in (["Pari", "Rom", "Osl"], ["Paris", "Rome", "Oslo"]):
        factories.scored_run(experiment, outputs, "v")

    assert courses.of_datasets([experiment.dataset])[experiment.dataset_id].courses == [[0.0]]


def test_a_line_of_fewer_than_three_runs_is_not_drawn(alices, project):
    experiment = factories.experiment(project, "exact_match", references=["a", "b"])
    for variant in ("old", "new"):
        factories.scored_run(experiment, ["a", "b"], variant)

    html = markup(alices.get("/"))

    assert 'class="sparkline"' not in html
    assert "best mean by exact match: 100.0 % , old , level with new" in text_of(html)


@pytest.mark.parametrize(
    ("better", "said"),
    [
        (0.9, "best mean by rouge_l 1-0: 0.900 , new "),
        (0.5, "best mean by rouge_l 1-0: 0.500 , new , not clearly better than old"),
    ],
)
def test_a_dataset_says_of_its_best_mean_what_it_is_not_clearly_better_than(alices, project, better, said):
    experiment = columns.experiment(project, 40, ["rouge_l"])
    spread = np.tile([-0.05, 0.05], 20)
    for variant, mean in (("old", 0.49), ("new", better)):
        columns.run(experiment, variant, [mean + (spread if variant == "old" else spread[::-1])])

    assert said in text_of(alices.get("/"))


def test_launches_that_failed_are_one_line_with_an_age(alices, project):
    dataset = factories.dataset(project)
    for name in ("first", "second", "third"):
        experiment = experiments.create(project, None, name, dataset, [])
        run = factories.run(experiment, [], start=False)
        Run.objects.filter(pk=run.pk).update(status=Run.Status.FAILED)
        budget = Budget.objects.create(project=project)
        at = timezone.now() - timedelta(hours=3)
        launch = Launch.objects.create(
            project=project,
            experiment=experiment,
            budget=budget,
            seed=1,
            size=1,
            status="failed",
            finished_at=at,
        )
        Generation.objects.create(run=run, launch=launch, model="tiny")

    page = text_of(alices.get("/p/default/"))

    assert "FAILED Launch third failed. second and first failed, too. 3 h ago Read why" in page


@pytest.mark.parametrize(("outputs", "word"), [(2, "STOPPED"), (0, "FAILED")])
def test_a_launch_that_ended_with_answers_has_stopped_in_every_list(alices, project, settings, outputs, word):
    experiment = experiments.create(project, None, "half of it", factories.dataset(project, ["a"] * 4), [])
    server = factories.connection(project, settings, "lab")
    content = Content([{"role": "user", "content": "Where?"}], "tiny", connection=server)
    asked = prompts.version_of(prompts.create(project, None, "ask", content))
    launch = launches.create(experiment, None, [Variant(asked)], Plan())
    [run] = Run.objects.filter(generation__launch=launch)
    Output.objects.bulk_create(Output(run=run, position=n, text="?") for n in range(1, 1 + outputs))
    queue.cancel_jobs(run)
    Run.objects.filter(pk=run.pk).update(status=Run.Status.FAILED)
    Launch.objects.filter(pk=launch.pk).update(status=Launch.Status.FAILED, finished_at=timezone.now())

    page, listed = (text_of(alices.get(address)) for address in ("/", "/p/default/experiments/"))

    ended = "stopped with 2 answers." if outputs else "failed."
    assert f"{word} Launch half of it {ended}" in page
    for text in (page, listed):
        assert ("stopped with 2 answers" in text) is (outputs == 2)


def test_a_run_for_a_gate_does_not_move_its_experiment_up(alices, project):
    first, second = (columns.experiment(project, 5, ["exact_match"]) for _ in range(2))
    for experiment in (first, second):
        columns.run(experiment, "a", [np.ones(5)])
    later = columns.run(first, "checked", [np.ones(5)])
    Run.objects.filter(pk=later.pk).update(for_gate=True)

    page = alices.get("/").content.decode()

    order = [page.index(f'href="/experiments/{experiment.pk}/"') for experiment in (second, first)]
    assert order == sorted(order)


def test_a_row_names_the_evaluators_by_which_the_better_variant_is_worse(alices, project):
    experiment = columns.experiment(project, 60, ["rouge_l", "exact_match"])
    columns.run(experiment, "old", [np.linspace(0.1, 0.5, 60), np.ones(60)])
    columns.run(experiment, "new", [np.linspace(0.4, 0.9, 60), np.zeros(60)])

    page = text_of(alices.get("/"))

    assert "but worse on exact_match" in page
