"""Runs that a pipeline sends for a gate stay out of all that is said of the variants of an experiment."""

import re
from urllib.parse import urlsplit

import pytest

from evaluations.comparisons import overviews
from evaluations.comparisons.over_time import courses, leaderboards, trends
from evaluations.experiments import experiments, for_gates, runs
from evaluations.gates import gates, newest, sent
from evaluations.gates.gates import Plan
from evaluations.models import Run
from evaluations.reports import sharing
from evaluations.scoring import scoring
from tests import factories
from tests.pages import text_of

pytestmark = pytest.mark.django_db


def scored(experiment, variant, answers, **options):
    rows = [{"position": n, "output": answer} for n, answer in enumerate(answers, 1)]
    run = runs.create(experiment, None, variant, rows, **options)
    while scoring.work(seconds=5):
        pass
    run.refresh_from_db()
    return run


@pytest.fixture
def experiment(project):
    made = factories.experiment(project)
    for variant, answers in (("v1", ("Paris", "a", "b")), ("v2", ("Paris", "Rome", "b"))):
        scored(made, variant, answers)
    experiments.set_baseline(made, "v1")
    return made


@pytest.fixture
def pull_request(experiment):
    """A run of a pull request that is worse than all, and that the gate fails."""
    run = scored(experiment, "pr-17", ("x", "y", "z"), for_gate=True)
    baseline = experiments.shown_runs(experiment)[0]
    evaluator = experiments.versions_of(experiment)[0].evaluator
    criterion = {"rule": "no_new_failures", "evaluator": evaluator.pk}
    gate = gates.create(experiment.project, None, "hold", Plan(baseline, [criterion]))
    gates.keep(gates.check(gate, run))
    return run


def variants_of(listed):
    return [run.variant for run in listed]


def test_it_is_in_no_comparison_of_the_experiment(experiment, pull_request):
    [overview] = overviews.load([experiment])

    assert variants_of(experiments.shown_runs(experiment)) == ["v1", "v2"]
    assert variants_of(experiments.with_repeats(experiments.runs_of(experiment), "v1")) == ["v1", "v2"]
    assert variants_of(experiments.exported_runs(experiment)) == ["v1", "v2"]
    assert variants_of(overview.shown) == variants_of(overview.runs) == ["v1", "v2"]
    assert variants_of(sharing.of_experiment(experiment).sides.runs) == ["v1", "v2"]


def test_it_is_in_no_trend_and_on_no_leaderboard(experiment, pull_request):
    trend = trends.trend(experiment.dataset)

    assert variants_of(point.run for point in trend.points) == ["v1", "v2"]
    assert len(leaderboards.leaderboard(trend).standings) == 2
    assert len(courses.of_datasets([experiment.dataset])[experiment.dataset_id].points) == 2


def test_its_verdict_is_kept_beside_the_experiment(experiment, pull_request):
    [one] = sent.to_experiment(experiment)

    assert (one.run, one.check.verdict) == (pull_request, "fail")
    assert newest.of_experiment(experiment) == []


def test_counted_among_the_variants_it_is_one(experiment, pull_request):
    for_gates.keep_apart(pull_request, False)

    assert variants_of(experiments.shown_runs(experiment)) == ["v1", "v2", "pr-17"]
    assert sent.to_experiment(experiment) == []


def test_the_experiment_names_it_in_one_line_that_leads_to_a_comparison_with_it(
    client, alice, experiment, pull_request
):
    client.force_login(alice)
    page = client.get(f"/experiments/{experiment.pk}/")

    assert "1 run was sent for a gate: pr-17 FAIL · Show them among the variants" in text_of(page)
    address = page.context["sent_for_gates"].among
    among = client.get(address)
    assert urlsplit(address).path == "/compare/"
    assert [run.variant for run in among.context["comparison"].sides.runs] == ["v1", "v2", "pr-17"]


def test_a_comparison_with_it_names_the_verdicts_that_count(client, alice, experiment, pull_request):
    client.force_login(alice)
    v1, v2 = experiments.shown_runs(experiment)

    among, alone = (
        " ".join(text_of(client.get("/compare/", {"runs": [run.pk for run in runs]})).split())
        for runs in ((v1, v2, pull_request), (v1, pull_request))
    )

    assert "With 1 run sent for a gate:" in among
    assert f"The verdict that counts is that of the 2 variants of {experiment.name}" in among
    assert "Sent for a gate, whose verdict counts: pr-17 FAIL" in among
    assert "Sent for a gate, whose verdict counts: pr-17 FAIL" in alone
    assert "The verdict that counts" not in alone


def test_its_page_says_the_verdict_of_the_gate_and_links_the_check(client, alice, experiment, pull_request):
    client.force_login(alice)
    unjudged = scored(experiment, "pr-18", ("x", "y", "z"), for_gate=True)
    [check] = pull_request.gate_checks.all()

    page = client.get(f"/runs/{pull_request.pk}/")

    assert "sent for a gate: FAIL at hold , so it is none of the variants" in " ".join(text_of(page).split())
    assert f'href="/gates/{check.gate_id}/?check={check.pk}"' in page.content.decode()
    assert "sent for a gate, not judged yet" in text_of(client.get(f"/runs/{unjudged.pk}/"))


def test_its_page_counts_it_among_the_variants_and_undoes_that(client, alice, pull_request):
    client.force_login(alice)

    for apart, stored in (("no", False), ("yes", True)):
        page = client.post(f"/runs/{pull_request.pk}/for-gate/", {"apart": apart}, follow=True)
        assert Run.objects.get(pk=pull_request.pk).for_gate is stored
        [undo] = re.findall(r'"(/runs/\d+/for-gate/\?apart=\w+)"', page.content.decode())
        client.post(undo, follow=True)
        assert Run.objects.get(pk=pull_request.pk).for_gate is not stored


def test_repetitions_of_a_variant_are_not_those_sent_under_its_name(experiment):
    again = scored(experiment, "v2", ("x", "y", "z"), for_gate=True)

    assert variants_of(experiments.shown_runs(experiment)) == ["v1", "v2"]
    assert again not in experiments.shown_runs(experiment)
