"""Nothing paid starts unasked: no page and no call lets an evaluator call a server without money that was named."""

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import transaction
from django.test import Client

from evaluations.access import api_keys
from evaluations.errors import Invalid
from evaluations.evaluators import evaluators
from evaluations.judges import allowances, judgings
from evaluations.models import (
    Allowance,
    Budget,
    Evaluator,
    Experiment,
    ExperimentEvaluator,
    Job,
    Judging,
    Run,
    Spending,
)
from evaluations.prompts.named import Money
from tests import factories
from tests.authorization.calls import CALLS, Call

MONEY = {"budget", "max_calls"}


@pytest.fixture
def judge(ids) -> Evaluator:
    """A judge that every experiment of the project uses."""
    return used_everywhere(Evaluator.objects.get(pk=ids["judge"]))


@pytest.fixture
def semantic(project, ids) -> Evaluator:
    """An evaluator by embeddings of a server that every experiment of the project uses."""
    return used_everywhere(
        factories.evaluator(project, "semantic_similarity", connection=ids["connection"], model="m")
    )


def used_everywhere(evaluator: Evaluator) -> Evaluator:
    version = evaluators.newest(evaluator)
    for experiment in Experiment.objects.filter(project=evaluator.project):
        ExperimentEvaluator.objects.create(experiment=experiment, evaluator_version=version)
    return evaluator


def started() -> tuple[int, ...]:
    """The judges that ask a model, the evaluators that will, and calls that were entered outside of prompts.

    The sample's verdicts are recorded and ask none.
    """
    return (
        Judging.objects.filter(status=Judging.Status.RUNNING).count(),
        Allowance.objects.count(),
        Job.objects.filter(budget__isnull=False).count(),
        Spending.objects.count(),
    )


def changing() -> list[Call]:
    """Every call that changes something and names no money."""
    return [call for call in CALLS if call.method != "GET" and not MONEY & set(call.body or ())]


@pytest.mark.long
def test_no_way_lets_a_paid_evaluator_score_without_money(alice, project, ids, judge, semantic):
    User.objects.filter(pk=alice.pk).update(is_superuser=True)
    headers = {"Authorization": f"Bearer {api_keys.create_key(project, alice, 'program', 'admin')[1]}"}
    before, faults, done = started(), [], 0
    for call in changing():
        cache.clear()
        with transaction.atomic():
            client = Client()
            if not call.is_api:
                client.force_login(alice)
            response = call.send(client, ids, headers if call.is_api else {})
            done += response.status_code < 400 and "/signin/" not in response.get("Location", "")
            if any(now > then for now, then in zip(started(), before, strict=True)):
                faults.append(call.name)
            transaction.set_rollback(True)

    assert faults == []
    assert done > 200


def test_a_budget_without_a_limit_pays_nobody(project, ids, judge, semantic):
    run, unnamed = Run.objects.get(pk=ids["run"]), Budget.objects.create(project=project)
    asked = judgings.asked_version(evaluators.newest(judge))
    ways = [
        lambda: judgings.begin([run], [asked.version], None, unnamed),
        lambda: judgings.read_early(run, asked, None, unnamed, None),
        lambda: judgings.ask_some(run, asked, None, Money(), "try", [1]),
        lambda: allowances.allow([run], [asked.version], unnamed),
        lambda: allowances.allow([run], [evaluators.newest(semantic)], unnamed),
    ]
    before = started()
    for way in ways:
        with pytest.raises(Invalid) as refusal:
            way()
        assert refusal.value.code == "budget_required"
    assert started() == before
