"""Money for judges that is named with a launch or a new run, by the API."""

import pytest
from django.utils import timezone

from evaluations.evaluators import connections, evaluators
from evaluations.experiments import experiments
from evaluations.judges import paid
from evaluations.models import Budget, Run, Verdict
from evaluations.prompts import prices, prompts
from evaluations.prompts.content import Content
from tests import factories
from tests.api.conftest import import_all
from tests.judges.conftest import CONFIG, answers_and_verdicts, work_on

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
    work_on()
    launch = writer.get(f"launches/{launch['id']}/").json()
    assert (launch["calls"], launch["spent"]) == (6, "0.000363")
    [reading] = launch["judges"]
    assert (reading["status"], reading["done"], reading["cost"]) == ("completed", 3, "0.00033")


@pytest.mark.parametrize("extra", [{}, {"budget": "1", "judges": False}], ids=["without money", "left out"])
def test_no_judge_is_asked_that_nobody_paid_for(writer, body, stub, extra):
    launch = writer.post("launches/", body | extra).json()
    work_on()
    assert verdicts(stub) == 0
    assert writer.get(f"launches/{launch['id']}/").json()["judges"] == []


def test_a_launch_whose_judge_has_no_price_is_refused_before_anything_is_asked(
    writer, body, stub, experiment
):
    [version] = paid.of(experiment)
    changed = CONFIG | {"model": "other"}
    evaluators.change(version.evaluator, None, config=changed)
    experiments.add_evaluators(experiment, [version.evaluator])
    for extra in ({}, {"estimate_only": True}):
        refused = writer.post("launches/", body | {"budget": "1"} | extra)
        assert refused.json()["error"]["code"] == "price_required"
    assert not Run.objects.exists()


@pytest.mark.long
def test_continue_lets_the_judges_of_a_launch_read_the_rest(writer, body, stub):
    launch = writer.post("launches/", body | {"max_calls": 4}).json()
    work_on()
    shown = writer.get(f"launches/{launch['id']}/").json()
    assert (shown["status"], shown["judges"][0]["done"], verdicts(stub)) == ("limit", 1, 1)
    assert writer.post(f"launches/{launch['id']}/continue/", {"max_calls": 9}).status_code == 200
    work_on()
    [reading] = writer.get(f"launches/{launch['id']}/").json()["judges"]
    assert (reading["status"], verdicts(stub)) == ("completed", 3)


def test_a_new_run_is_read_with_the_money_named_for_it(writer, experiment, stub):
    run = {"experiment": experiment.pk, "variant": "v1", "outputs": OUTPUTS}
    [estimate] = writer.post("runs/", run | {"estimate_only": True}).json()["estimates"]
    assert estimate["texts"] == 3
    assert not Run.objects.exists()
    assert writer.post("runs/", run).status_code == 201
    work_on()
    assert verdicts(stub) == 0
    assert writer.post("runs/", run | {"variant": "v2", "budget": "0.5"}).status_code == 201
    work_on()
    assert verdicts(stub) == 3
    budget = Budget.objects.get(judgings__isnull=False)
    assert budget.committed == 330 * 10**6


def test_a_draft_keeps_the_money_until_it_is_started(writer, experiment, stub):
    run = {"experiment": experiment.pk, "variant": "v1", "outputs": OUTPUTS, "start": False, "max_calls": 9}
    draft = writer.post("runs/", run).json()
    work_on()
    assert verdicts(stub) == 0
    writer.post(f"runs/{draft['id']}/start/", {})
    work_on()
    assert verdicts(stub) == 3


@pytest.mark.parametrize(("extra", "read"), [({}, 0), ({"max_calls": 9}, 3)])
def test_a_draft_without_money_is_read_only_with_money_named_at_its_start(
    writer, experiment, stub, extra, read
):
    run = {"experiment": experiment.pk, "variant": "v1", "outputs": OUTPUTS, "start": False}
    draft = writer.post("runs/", run).json()
    assert writer.post(f"runs/{draft['id']}/start/", extra).status_code == 200
    work_on()
    assert verdicts(stub) == read


def launched(writer, body, **extra):
    launch = writer.post("launches/", body | extra).json()
    work_on()
    return launch, f"runs/{launch['runs'][0]}/repetitions/"


@pytest.mark.long
def test_judges_of_a_launch_read_its_repetitions_within_its_limit(writer, body, stub):
    launch, address = launched(writer, body, budget="1")
    estimated = writer.post(address, {"add": 2, "estimate_only": True}).json()
    [judge] = estimated["judges"]
    assert (judge["texts"], judge["cost"] > 0) == (6, True)
    writer.post(address, {"add": 1})
    work_on()
    assert (Verdict.objects.count(), verdicts(stub)) == (6, 3), "the answers are the same, and paid once"
    shown = writer.get(f"launches/{launch['id']}/").json()
    assert (shown["spent"], shown["judges"][0]["runs"]) == ("0.000396", 2)


@pytest.mark.long
@pytest.mark.parametrize(
    ("extra", "read"), [({}, 0), ({"max_calls": 20}, 3), ({"max_calls": 20, "judges": False}, 0)]
)
def test_repetitions_of_a_launch_without_judges_are_read_only_with_money_named_for_them(
    writer, body, stub, extra, read
):
    _, address = launched(writer, body)
    writer.post(address, {"add": 1} | extra)
    work_on()
    assert verdicts(stub) == read


def test_a_file_is_estimated_before_its_outputs_are_judged(writer, experiment, stub):
    rows = b"position,output\n1,Paris\n2,Paris\n3,Paris\n"

    def send(**extra):
        mapping = {"output": "output", "position": "position"}
        fields = {"experiment": experiment.pk, "variant": "v1", "mapping": mapping}
        return writer.upload("runs/", rows, **fields | extra)

    [estimate] = send(estimate_only="true").json()["estimates"]
    assert (estimate["texts"], estimate["cost"] > 0) == (3, True)
    assert not Run.objects.exists()
    assert send(budget="0.5").status_code == 202
    import_all()
    work_on()
    assert verdicts(stub) == 3
