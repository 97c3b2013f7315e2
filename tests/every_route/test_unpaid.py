"""Nothing paid starts unasked: no page and no call lets a judge read without money that somebody named."""

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import transaction
from django.test import Client

from evaluations.access import api_keys
from evaluations.errors import Invalid
from evaluations.evaluators import evaluators
from evaluations.judges import allowances, judgings
from evaluations.judges.judgings import Money
from evaluations.models import (
    Allowance,
    Budget,
    Evaluator,
    Experiment,
    ExperimentEvaluator,
    Judging,
    Run,
)
from tests.authorization.calls import CALLS, Call

MONEY = {"budget", "max_calls"}


@pytest.fixture
def judge(ids) -> Evaluator:
    """A judge that every experiment of the project uses."""
    judge = Evaluator.objects.get(pk=ids["judge"])
    version = evaluators.newest(judge)
    for experiment in Experiment.objects.filter(project=judge.project):
        ExperimentEvaluator.objects.create(experiment=experiment, evaluator_version=version)
    return judge


def started() -> tuple[int, int]:
    """The judges that ask a model, and those that will; the sample's verdicts are recorded and ask none."""
    return Judging.objects.filter(status=Judging.Status.RUNNING).count(), Allowance.objects.count()


def changing() -> list[Call]:
    """Every call that changes something and names no money."""
    return [call for call in CALLS if call.method != "GET" and not MONEY & set(call.body or ())]


def test_no_way_lets_a_judge_read_without_money(alice, project, ids, judge):
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


def test_a_budget_without_a_limit_pays_no_judge(project, ids, judge):
    run, unnamed = Run.objects.get(pk=ids["run"]), Budget.objects.create(project=project)
    asked = judgings.asked_version(evaluators.newest(judge))
    ways = [
        lambda: judgings.begin([run], [asked.version], None, unnamed),
        lambda: judgings.read_early(run, asked, None, unnamed, None),
        lambda: judgings.ask_some(run, asked, None, Money(), "try", [1]),
        lambda: allowances.allow([run], [asked.version], unnamed),
    ]
    before = started()
    for way in ways:
        with pytest.raises(Invalid) as refusal:
            way()
        assert refusal.value.code == "budget_required"
    assert started() == before
