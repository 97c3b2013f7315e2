"""A launch that failed: one count and one state, on its page, on those of its experiment and runs, and by the API."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from evaluations.api.described_runs import described
from evaluations.evaluators import connections
from evaluations.launches import launches, order
from evaluations.launches.following import Follower
from evaluations.launches.plans import Plan, Variant
from evaluations.models import Budget, Connection, Launch, Output, Run
from evaluations.prompts import prices, prompts
from evaluations.prompts.content import Content
from evaluations.web.comparisons.stopped_launch import told_now
from tests import factories
from tests.pages import markup, text_of

ERROR = {"code": "too_many_failures", "message": "1 of 3 answers failed, most by “unauthorized”."}
WHY = "2 of 6 answers failed, all because the API key was rejected."


@pytest.fixture
def failed(project, settings) -> Launch:
    """Two variants on three examples: after the launch had stopped, the last answers of both came."""
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    server = connections.create(project, None, "local", "http://127.0.0.1:9/v1")
    prices.set_price(server, "tiny", 1_000_000, 2_000_000, None, timezone.now().date())
    content = Content([{"role": "user", "content": "{{ question }}"}], "tiny", {}, connection=server)
    version = prompts.version_of(prompts.create(project, None, "solve", content))
    variants = [Variant(version, name=name) for name in ("half", "whole")]
    launch = launches.create(factories.experiment(project), None, variants, Plan(seed=1))
    launches.stop(launch, launch.Status.FAILED, ERROR)
    half, whole = runs_of(launch)
    Output.objects.create(run=half, position=1, text="yes")
    for position in (2, 3):
        Output.objects.create(run=half, position=position, error="unauthorized: Incorrect API key provided")
    Output.objects.bulk_create(Output(run=whole, position=n, text="yes") for n in (1, 2, 3))
    for run in (half, whole):
        launches.count_outputs(run)
    return launch


def runs_of(launch: Launch) -> list[Run]:
    return list(Run.objects.filter(generation__launch=launch).order_by("pk"))


def test_the_experiment_counts_as_the_launch_does(alices, failed):
    experiment = alices.get(f"/experiments/{failed.experiment_id}/")

    assert WHY in text_of(alices.get(f"/launches/{failed.pk}/"))
    assert WHY in text_of(experiment)
    assert "half default baseline stopped 1 of 3" in text_of(experiment)
    assert "whole completed 3 of 3" in text_of(experiment)


def test_the_experiment_asks_failed_answers_again(alices, failed):
    page = markup(alices.get(f"/experiments/{failed.experiment_id}/"))
    assert 'class="button">Ask these 2' in page
    assert re.search(r'<a class="button" href="[^"]*">Add a variant', page)

    alices.post(f"/launches/{failed.pk}/continue/")

    assert runs_of(failed)[0].status == Run.Status.GENERATING


def test_a_run_of_which_nothing_was_asked_has_not_failed(alices, failed):
    _half, whole = runs_of(failed)
    whole.outputs.all().delete()

    assert "whole not begun" in text_of(alices.get(f"/experiments/{failed.experiment_id}/"))
    page = text_of(alices.get(f"/runs/{whole.pk}/"))
    assert "Nothing was asked yet. Its launch stopped: 2 of 6 answers failed" in page


def test_a_failed_run_is_narrowed_by_its_answers(alices, failed):
    half, _ = runs_of(failed)
    opened = alices.get(f"/runs/{half.pk}/", follow=True)
    page = text_of(opened)
    assert "All 3 Answered 1 Failed 2" in page
    assert [shown.row.position for shown in opened.context["rows"]] == [1]
    every = alices.get(f"/runs/{half.pk}/?answers=all")
    assert [shown.row.position for shown in every.context["rows"]] == [1, 2, 3]
    assert "This run stopped. 2 of 3 answers failed, all because the API key was rejected." in page

    page = alices.get(f"/runs/{half.pk}/?answers=failed")

    assert [shown.row.position for shown in page.context["rows"]] == [2, 3]
    assert "API key rejected" in text_of(page)
    assert "Incorrect API key" not in text_of(page)


def test_the_api_counts_failed_answers_when_it_is_asked(failed):
    half, _ = runs_of(failed)

    [one] = described([half])

    assert one.error["code"] == "too_many_failures"
    assert one.error["message"] == "2 of 3 answers failed, all because the API key was rejected."


@pytest.mark.parametrize("of", ["launch", "experiment"])
def test_the_connection_is_the_main_button_until_its_key_is_new(alices, failed, of):
    page = f"/launches/{failed.pk}/" if of == "launch" else f"/experiments/{failed.experiment_id}/"
    before = markup(alices.get(page))
    assert re.search(r'class="button button-main" href="/connections/\d+/">Open the connection', before)
    assert 'class="button">Ask these 2' in before

    Connection.objects.update(key_set_at=timezone.now() + timedelta(minutes=1))

    after = markup(alices.get(page))
    assert re.search(r'class="button" href="/connections/\d+/">Open the connection', after)
    assert 'class="button button-main">Ask these 2' in after


def test_answers_that_nobody_asked_for_are_counted_apart(alices, failed):
    half, whole = runs_of(failed)
    half.outputs.filter(position=3).delete()
    whole.outputs.filter(position=3).delete()

    for page in (f"/launches/{failed.pk}/", f"/experiments/{failed.experiment_id}/"):
        page = text_of(alices.get(page))
        assert "1 of 6 answers failed, all because the API key was rejected; 2 were never asked." in page
        assert "Ask these 3" in page
    assert "; 1 was never asked." in text_of(alices.get(f"/runs/{half.pk}/", follow=True))


@pytest.fixture
def scored_early(failed) -> Launch:
    """All answers of the second variant and the first one of the other, in the order of the launch, have scores."""
    half, _ = runs_of(failed)
    first, *others = order.positions(failed).tolist()
    half.outputs.all().delete()
    Output.objects.create(run=half, position=first, text="yes")
    Output.objects.bulk_create(Output(run=half, position=n, error="unauthorized: no") for n in others)
    Follower(failed).follow()
    return failed


def test_what_came_before_a_launch_stopped_is_shown_with_the_same_figures_everywhere(alices, scored_early):
    half, _whole = runs_of(scored_early)
    launch = text_of(alices.get(f"/launches/{scored_early.pk}/"))
    figure = re.search(r"([\d.]+ %) preliminary, n = 1", launch)[1]

    experiment = text_of(alices.get(f"/experiments/{scored_early.experiment_id}/"))
    run = text_of(alices.get(f"/runs/{half.pk}/", follow=True))

    assert f"stopped 1 of 3 {figure} exact match, preliminary, n = 1" in experiment
    assert "Answers so far" in experiment
    assert f"{figure} preliminary, n = 1 of 3" in run


def test_the_notice_leads_to_a_launch_only_if_the_head_does_not(alices, failed):
    page = f"/experiments/{failed.experiment_id}/"
    assert "Open the launch" not in markup(alices.get(page))

    version = failed.generations.first().prompt_version
    later = launches.create(failed.experiment, None, [Variant(version, name="later")], Plan(seed=1))
    later.generations.all().delete()

    assert f'href="/launches/{failed.pk}/">Open the launch' in markup(alices.get(page))


def test_of_two_stopped_launches_the_newest_speaks(alices, failed):
    version = failed.generations.first().prompt_version
    later = launches.create(failed.experiment, None, [Variant(version, name="later")], Plan(seed=1))
    launches.stop(later, later.Status.FAILED, {"code": "limit", "message": "The limit is spent."})
    Run.objects.filter(generation__launch=failed).update(status=Run.Status.FAILED)
    Run.objects.filter(generation__launch=later).update(status=Run.Status.FAILED)

    _, found = told_now(list(Run.objects.filter(experiment=failed.experiment).order_by("pk")))

    assert found.launch == later


def test_the_prompt_shows_the_figure_of_answers_that_came_before_its_launch_stopped(alices, scored_early):
    version = scored_early.generations.first().prompt_version
    launch = text_of(alices.get(f"/launches/{scored_early.pk}/"))
    figure = re.search(r"([\d.]+ %) preliminary, n = 3", launch)[1]

    page = text_of(alices.get(f"/prompts/{version.prompt_id}/"))

    assert f"{figure} preliminary, n = 3" in page or f"{figure} preliminary, n = 1" in page
    assert "no scores yet" not in page


def test_launch_and_experiment_list_the_baseline_first(alices, failed):
    failed.experiment.baseline = "whole"
    failed.experiment.save()

    launch = alices.get(f"/launches/{failed.pk}/")
    experiment = alices.get(f"/experiments/{failed.experiment_id}/")

    assert [row.run.variant for row in launch.context["rows"]] == ["whole", "half"]
    assert [one.run.variant for one in experiment.context["listed"]] == ["whole", "half"]


# ---- launches that stopped without a failure ---------------------------------------------------------------


@pytest.fixture
def at_limit(failed) -> Launch:
    """A launch of two variants on three examples that reached its budget with four answers, one of them failed."""
    half, whole = runs_of(failed)
    half.outputs.filter(position=3).delete()
    whole.outputs.filter(position=3).delete()
    Run.objects.filter(pk__in=(half.pk, whole.pk)).update(status=Run.Status.CANCELLED, error=None)
    Launch.objects.filter(pk=failed.pk).update(status=Launch.Status.LIMIT)
    Budget.objects.filter(pk=failed.budget_id).update(limit=10**10)
    return failed


def test_an_experiment_whose_launch_reached_its_budget_says_so_and_leads_to_it(alices, at_limit):
    experiment = alices.get(f"/experiments/{at_limit.experiment_id}/")

    words = text_of(experiment)
    assert "The budget is reached, with 3 of 6 answers. Continue with a higher limit" in words
    assert "Upload outputs, then start scoring" not in words
    assert "half default baseline stopped" in words
    assert f'button-main" href="/launches/{at_limit.pk}/"' in markup(experiment)
    listed = alices.get(f"/p/{at_limit.project.slug}/experiments/")
    assert "stopped with 3 answers" in text_of(listed)


def test_an_experiment_whose_launch_was_cancelled_can_continue_it(alices, at_limit):
    Launch.objects.filter(pk=at_limit.pk).update(status=Launch.Status.CANCELLED)
    page = f"/experiments/{at_limit.experiment_id}/"

    assert "Cancelled, with 3 of 6 answers." in text_of(alices.get(page))
    assert f'action="/launches/{at_limit.pk}/continue/"' in markup(alices.get(page))

    Run.objects.filter(pk=runs_of(at_limit)[1].pk).update(status=Run.Status.COMPLETED)
    assert "Cancelled, with" not in text_of(alices.get(page))


def test_the_page_says_by_which_rule_a_launch_stopped(alices, failed):
    rule = "A launch stops when more than 5 % of the answers of a variant failed, and at least 5."
    assert rule not in text_of(alices.get(f"/launches/{failed.pk}/"))

    Output.objects.filter(run__generation__launch=failed).update(text=None, error="unauthorized: no")
    Launch.objects.update(size=60)
    half, _ = runs_of(failed)
    Output.objects.bulk_create(Output(run=half, position=n, error="unauthorized: no") for n in (4, 5))

    assert rule in text_of(alices.get(f"/launches/{failed.pk}/"))
