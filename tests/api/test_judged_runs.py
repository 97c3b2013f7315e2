"""Money for judges that is named with a launch or a new run, by the API."""

import pytest
from django.utils import timezone

from evaluations.evaluators import connections, evaluators
from evaluations.experiments import experiments
from evaluations.judges import allowances
from evaluations.models import Budget, Run
from evaluations.prompts import prices, prompts
from evaluations.prompts.content import Content
from tests import factories
from tests.judges.conftest import CONFIG, work
from tests.judges.test_allowances import answers_and_verdicts

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def stub(serve):
    return serve(answers_and_verdicts)


@pytest.fixture
def server(project, settings, stub):
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    server = connections.create(project, None, "models", stub.url, "k-secret-123")
    prices.set_price(server, "tiny", 1_000_000, 1_000_000, None, timezone.now().date())
    return server


@pytest.fixture
def experiment(project, server):
    experiment = factories.experiment(project, references=["Paris", "Rome", "Oslo"])
    judge = evaluators.create(project, None, "Right", "judge", CONFIG, {}, connection=server.pk)
    experiments.add_evaluators(experiment, [judge])
    return experiment


@pytest.fixture
def body(project, experiment, server):
    messages = [{"role": "user", "content": "Where is {{ question }}?"}]
    content = Content(messages, "tiny", {"max_completion_tokens": 10}, connection=server)
    return {
        "experiment": experiment.pk,
        "variants": [{"prompt": prompts.create(project, None, "p", content).pk}],
    }


OUTPUTS = [{"position": position, "output": "Paris"} for position in (1, 2, 3)]


def verdicts(stub):
    return sum("response_format" in request for request in stub.requests)


def test_a_launch_counts_its_judges_and_says_before_what_they_cost(writer, body, stub):
    estimated = writer.post("launches/", body | {"budget": "1", "estimate_only": True}).json()
    [judge] = estimated["judges"]
    assert (judge["texts"], judge["cost"] > 0) == (3, True)
    assert stub.requests == []
    launch = writer.post("launches/", body | {"budget": "1"}).json()
    work()
    launch = writer.get(f"launches/{launch['id']}/").json()
    assert (launch["calls"], launch["spent"]) == (6, "0.000363")
    [reading] = launch["judges"]
    assert (reading["status"], reading["done"], reading["cost"]) == ("completed", 3, "0.00033")


@pytest.mark.parametrize("extra", [{}, {"budget": "1", "judges": False}], ids=["without money", "left out"])
def test_no_judge_is_asked_that_nobody_paid_for(writer, body, stub, extra):
    launch = writer.post("launches/", body | extra).json()
    work()
    assert verdicts(stub) == 0
    assert writer.get(f"launches/{launch['id']}/").json()["judges"] == []


def test_a_launch_whose_judge_has_no_price_is_refused_before_anything_is_asked(
    writer, body, stub, experiment
):
    [version] = allowances.judges_of(experiment)
    changed = CONFIG | {"model": "other"}
    evaluators.change(version.evaluator, None, config=changed)
    experiments.add_evaluators(experiment, [version.evaluator])
    for extra in ({}, {"estimate_only": True}):
        refused = writer.post("launches/", body | {"budget": "1"} | extra)
        assert refused.json()["error"]["code"] == "price_required"
    assert not Run.objects.exists()


def test_continue_lets_the_judges_of_a_launch_read_the_rest(writer, body, stub):
    launch = writer.post("launches/", body | {"max_calls": 4}).json()
    work()
    [reading] = writer.get(f"launches/{launch['id']}/").json()["judges"]
    assert (reading["status"], verdicts(stub)) == ("limit", 1)
    assert writer.post(f"launches/{launch['id']}/continue/", {"max_calls": 9}).status_code == 200
    work()
    [reading] = writer.get(f"launches/{launch['id']}/").json()["judges"]
    assert (reading["status"], verdicts(stub)) == ("completed", 3)


def test_a_new_run_is_read_with_the_money_named_for_it(writer, experiment, stub):
    run = {"experiment": experiment.pk, "variant": "v1", "outputs": OUTPUTS}
    [estimate] = writer.post("runs/", run | {"estimate_only": True}).json()["estimates"]
    assert estimate["texts"] == 3
    assert not Run.objects.exists()
    assert writer.post("runs/", run).status_code == 201
    work()
    assert verdicts(stub) == 0
    assert writer.post("runs/", run | {"variant": "v2", "budget": "0.5"}).status_code == 201
    work()
    assert verdicts(stub) == 3
    budget = Budget.objects.get(judgings__isnull=False)
    assert budget.committed == 330 * 10**6


def test_a_draft_keeps_the_money_until_it_is_started(writer, experiment, stub):
    run = {"experiment": experiment.pk, "variant": "v1", "outputs": OUTPUTS, "start": False, "max_calls": 9}
    draft = writer.post("runs/", run).json()
    work()
    assert verdicts(stub) == 0
    writer.post(f"runs/{draft['id']}/start/", {})
    work()
    assert verdicts(stub) == 3
