"""A judge that is asked again: whether its answers still agree with people, and whether it likes an order."""

import pytest

from evaluations.evaluators import evaluators
from evaluations.judges import again, checks, drift, judgings
from evaluations.models import Delivery, Webhook
from evaluations.prompts.named import Money
from evaluations.statistics.people.twice import mcnemar, share_interval
from tests import factories, people

from .conftest import judged, said, work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def stock(project, alice):
    return people.labelled(project, alice, examples=60, labels=60, overlap=0)


@pytest.fixture
def server_of(stock, serve):
    """A server whose judge says what people say, until it `errs`."""

    class Server:
        errs = False

        def __init__(self):
            texts = stock.runs[0].outputs.order_by("position").values_list("text", flat=True)
            truth = dict(zip(texts, stock.truth[0], strict=True))
            self.truth, self.stub = truth, serve(self.answer)

        def answer(self, request):
            text = request["messages"][1]["content"].partition("]]\n")[2].partition("\n[[end")[0]
            right = bool(self.truth.get(text)) != self.errs
            return said("pass" if right else "fail", model="tiny-2" if self.errs else "tiny-1")

    return Server()


@pytest.fixture
def judge(server_of, make_judge, stock):
    version = make_judge(server_of.stub, messages=[{"content": "{{ output }} for {{ input }}"}])
    judged([stock.runs[0]], version)
    return version


@pytest.fixture
def listening(project, alice):
    return Webhook.objects.create(
        project=project,
        created_by=alice,
        url="http://127.0.0.1:9/",
        events=["judge.drifted", "judge.model_changed"],
    )


def asked_again(version, stock):
    found = again.of(version.evaluator)
    judging = judgings.ask_some(
        found.run,
        judgings.asked_version(version),
        None,
        Money(max_calls=500),
        "repeats",
        found.positions,
    )
    work()
    judging.refresh_from_db()
    assert judging.status == "completed"
    return judging


@pytest.mark.long
def test_a_judge_that_stays_the_same_raises_no_event(stock, judge, listening):
    asked_again(judge, stock)
    found = drift.newest(judge)
    assert found.labels >= 20
    assert (found.now, found.lost, found.fell) == (found.before, 0, False)
    assert not Delivery.objects.exists()


@pytest.mark.long
def test_a_judge_that_agrees_less_raises_an_event_and_says_so(
    stock, judge, listening, server_of, client, alice
):
    server_of.errs = True
    asked_again(judge, stock)
    found = drift.newest(judge)
    assert found.fell
    assert found.now < found.before
    assert found.model == "tiny-2"
    told = {delivery.event: delivery for delivery in Delivery.objects.all()}
    assert set(told) == {"judge.drifted", "judge.model_changed"}
    client.force_login(alice)
    page = client.get(f"/evaluators/{judge.evaluator_id}/passport/").content.decode()
    assert "it agrees less" in page
    assert "tiny-2" in page


@pytest.mark.long
def test_what_is_asked_again_is_really_asked(stock, judge, server_of):
    before = len(server_of.stub.requests)
    first = asked_again(judge, stock)
    again_asked = asked_again(judge, stock)
    assert again_asked.first_sample > first.first_sample
    assert len(server_of.stub.requests) - before == 2 * 2 * first.size


@pytest.mark.long
def test_a_copy_of_a_judge_knows_its_model_for_nothing_and_is_measured_anew(
    stock, judge, listening, server_of, project
):
    asked_again(judge, stock)
    copy = evaluators.create(
        project, None, "copy", "judge", judge.config, {}, connection=judge.evaluator.connection_id
    )
    version, before = evaluators.newest(copy), len(server_of.stub.requests)
    judged([stock.runs[0]], version)
    assert len(server_of.stub.requests) == before
    assert [model.model for model in version.judge_models.all()] == ["tiny-1"]
    server_of.errs = True
    judging = asked_again(version, stock)
    assert len(server_of.stub.requests) - before == 2 * judging.size
    assert drift.newest(version).fell
    told = Delivery.objects.get(event="judge.model_changed").content
    assert (told["model"], told["previous"]) == ("tiny-2", "tiny-1")


@pytest.mark.long
def test_attacks_are_tried_anew_each_time(stock, judge, server_of):
    asked, counts = judgings.asked_version(judge), []
    for _ in range(2):
        before = len(server_of.stub.requests)
        judgings.ask_some(stock.runs[0], asked, None, Money(max_calls=40), "attacks", [1, 2, 3])
        work()
        counts.append(len(server_of.stub.requests) - before)
    assert counts == [30, 30]


def test_labels_that_are_sealed_are_not_told(stock, judge):
    answers = drift.labelled(judge, stock.runs[0])
    assert 20 <= len(answers) <= 40


def test_before_it_read_anything_there_is_nothing_to_ask_again(make_judge, serve):
    assert again.of(make_judge(serve()).evaluator) is None


@pytest.mark.long
def test_a_liking_for_an_order_is_measured(serve, experiment, run, make_judge):
    other = factories.scored_run(experiment, ["Rome", "Bern", "Oslo"], variant="v2")
    rubric = [{"content": "{{ first }} or {{ second }}?"}]
    version = make_judge(serve(lambda request: said("first")), kind="pair_judge", messages=rubric)
    judged([run, other], version)
    found = checks.order(version)
    assert (found.share, found.agreed, found.is_biased) == (1.0, 0, True)
    assert found.interval == pytest.approx(
        (0.5407, 1.0), abs=1e-4
    )  # scipy.stats.binomtest(6, 6).proportion_ci


def test_the_exact_interval_and_test_are_those_of_scipy():
    assert share_interval(7, 20) == pytest.approx(
        (0.153909, 0.592189), abs=1e-6
    )  # binomtest(7, 20).proportion_ci()
    assert mcnemar(2, 10) == pytest.approx(0.0385742, abs=1e-7)  # binomtest(2, 12).pvalue


@pytest.mark.long
def test_repeats_of_another_model_are_not_mixed_in(stock, judge, server_of):
    before = checks.repeatability(judge)
    asked_again(judge, stock)
    same = checks.repeatability(judge)
    server_of.errs = True
    asked_again(judge, stock)
    changed = checks.repeatability(judge)
    assert before.asked == 0
    assert (same.model, same.changed, same.samples) == ("tiny-1", 0, 3 * same.asked)
    assert (changed.model, changed.asked, changed.changed) == ("tiny-2", same.asked, 0)
    assert changed.samples == 2 * changed.asked, "the first verdict is the other model's"
