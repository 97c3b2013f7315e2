"""The editor of a judge: written, tried on five rows, saved, and let loose with a budget."""

import pytest
from django.urls import reverse

from evaluations.experiments import experiments
from evaluations.judges import judgings
from evaluations.models import Evaluator, Judging
from evaluations.prompts import money
from evaluations.prompts.named import Money
from tests import factories
from tests.judges.conftest import *  # noqa: F403 - the fixtures of a judge
from tests.judges.conftest import judged, said, work
from tests.pages import text_of

pytestmark = pytest.mark.django_db(transaction=True)


def fields(run, connection, **changed):
    return {
        "name": "Right",
        "rubric": "Is it right? {{ output }}\nReference: {{ expected }}\nAnswer: {{ output }}",
        "answers": "pass_fail",
        "connection": str(connection.pk),
        "model": "tiny",
        "temperature": "0",
        "longest": "50",
        "samples": "1",
        "on": str(run.pk),
        "budget": "0.05",
        "preset": "correct",
    } | changed


@pytest.fixture
def alices(client, alice):
    client.force_login(alice)
    return client


def test_a_trial_that_asks_can_be_stopped_and_not_begun_twice(alices, project, run, serve, server):
    connection = server(serve())
    address = f"{reverse('evaluator-create', args=[project.slug])}?kind=judge"
    asking = alices.post(address, fields(run, connection, do="try")).content.decode()
    judging = Judging.objects.get()

    stopped = alices.post(address, fields(run, connection, do="stop", judging=str(judging.pk)))

    assert 'value="stop"' in asking
    assert 'value="try"' not in asking
    judging.refresh_from_db()
    assert judging.status == Judging.Status.CANCELLED
    assert "Stopped; what it said so far is kept." in stopped.content.decode()
    assert 'value="try"' in stopped.content.decode()
    assert stopped.context["form"]["rubric"].value() == fields(run, connection)["rubric"]


def test_a_trial_shows_the_reference_of_each_row(alices, project, run, serve, server):
    address = f"{reverse('evaluator-create', args=[project.slug])}?kind=judge"

    alices.post(address, fields(run, server(serve()), do="try"))
    fragment = text_of(
        alices.get(reverse("judging-tried", args=[Judging.objects.get().pk]), headers={"HX-Request": "true"})
    )

    assert [f"Reference {city}" in fragment for city in ("Paris", "Rome", "Oslo")] == [True] * 3


def test_wrong_answers_are_among_the_rows_that_a_judge_is_tried_on(alices, project, serve, server):
    many = factories.experiment(project, references=["Paris"] * 60)
    run = factories.scored_run(many, ["Paris"] * 57 + ["Lyon"] * 3)
    address = f"{reverse('evaluator-create', args=[project.slug])}?kind=judge"

    alices.post(address, fields(run, server(serve()), do="try"))

    positions = Judging.objects.get().positions
    assert len(positions) == 5
    assert sum(position > 57 for position in positions) == 2


def test_a_rubric_is_tried_saved_and_edited(alices, project, run, serve, server):
    connection = server(serve())
    address = f"{reverse('evaluator-create', args=[project.slug])}?kind=judge"
    begun = alices.get(f"{address}&preset=helpful").content.decode()
    assert "You check answers for the person who asked." in begun

    tried = alices.post(address, fields(run, connection, do="try"))
    assert tried.status_code == 200, tried.content.decode()[:3000]
    assert "Asked 0 of 3, waiting for a free caller." in " ".join(tried.content.decode().split())
    assert "Nothing is asked before" in begun
    assert "Nothing is asked before" not in tried.content.decode()
    judging = Judging.objects.get()
    assert not Evaluator.objects.filter(name="Right").exists()
    work()
    fragment = alices.get(
        reverse("judging-tried", args=[judging.pk]), headers={"HX-Request": "true"}
    ).content.decode()
    assert fragment.count("It must be Paris.") == 3
    assert "The whole prompt for the first row" in fragment

    saved = alices.post(address, fields(run, connection, do="save"), follow=True)
    assert saved.status_code == 200
    judge = Evaluator.objects.get(name="Right")
    assert (judge.connection, judge.version) == (connection, 1)
    again = fields(run, connection, do="save", rubric="Strict! {{ output }}", newest="1")
    alices.post(reverse("evaluator-detail", args=[judge.pk]), again)
    judge.refresh_from_db()
    assert judge.version == 2


def test_the_page_of_a_run_says_that_a_judge_is_scoring_it(alices, run, serve, make_judge):
    judgings.start([run], [make_judge(serve())], None, Money(budget=10**15))

    begun = text_of(alices.get(f"/runs/{run.pk}/"))
    work()
    ended = text_of(alices.get(f"/runs/{run.pk}/"))

    assert "scoring" in begun
    assert "not sent" not in begun
    assert "scoring" not in ended


def test_what_evalsite_adds_follows_what_the_judge_may_say(alices, project, run, serve, server):
    connection = server(serve())
    address = f"{reverse('evaluator-create', args=[project.slug])}?kind=judge"
    rubric = "Pass: it is right.\nFail: it is not.\n{{ output }}"
    scale = {"answers": "scale", "minimum": "1", "maximum": "5", "rubric": rubric}

    begun = text_of(alices.get(address))
    passes, graded, half_typed = (
        text_of(alices.post(address, fields(run, connection, do="adds", **typed)))
        for typed in ({"rubric": rubric}, scale, scale | {"maximum": ""})
    )
    tried = alices.post(address, fields(run, connection, do="try", **scale))
    work()
    sent = (
        alices.get(reverse("judging-tried", args=[Judging.objects.get().pk]), headers={"HX-Request": "true"})
        .context["tried"]
        .messages[0]
    )

    assert "exactly one of “pass”, “fail”, “unsure”" in begun
    assert "exactly one of “pass”, “fail”, “unsure”" in passes
    assert "exactly one of “5”, “4”, “3”, “2”, “1”, “unsure”" in graded
    assert "the judge may say only 5, 4, 3, 2, 1, unsure" in graded
    assert "may say only" not in begun + passes
    assert "exactly one of" in half_typed
    assert tried.context["adds"].instruction == sent["content"]


def test_a_trial_says_once_that_no_verdict_could_be_read_and_costs_nothing_again(
    alices, project, run, serve, server
):
    connection = server(serve(lambda request: said(None, text="Hard to say.")))
    address = f"{reverse('evaluator-create', args=[project.slug])}?kind=judge"
    shown = []
    for _ in range(2):
        alices.post(address, fields(run, connection, do="try"))
        work()
        shown.append(
            text_of(
                alices.get(
                    reverse("judging-tried", args=[Judging.objects.latest("pk").pk]),
                    headers={"HX-Request": "true"},
                )
            )
        )

    assert [words.count("None of 3 answers of the judge could be read") for words in shown] == [1, 1]
    assert "These rows, 3 verdicts known before 0.00 USD" in shown[1]


def test_a_model_without_a_price_is_tried_within_a_number_of_calls(alices, project, run, serve, server):
    connection = server(stub := serve())
    address = f"{reverse('evaluator-create', args=[project.slug])}?kind=judge"
    unpriced = fields(run, connection, do="try", model="new")
    assert alices.post(address, unpriced).status_code == 400

    assert alices.post(address, unpriced | {"budget": ""}).status_code == 200
    work()

    assert len(stub.requests) == 3
    assert Judging.objects.get().budget.max_calls == 50


def test_a_trial_without_a_limit_spends_little_of_a_model_with_a_price(alices, project, run, serve, server):
    connection = server(serve())
    address = f"{reverse('evaluator-create', args=[project.slug])}?kind=judge"

    empty = alices.get(address).context["form"]["budget"].value()
    alices.post(address, fields(run, connection, do="try", budget=""))

    budget = Judging.objects.get().budget
    assert not empty, "what is filled in would be refused for a model without a price"
    assert (budget.limit, budget.max_calls) == (money.cost("0.05", "budget"), None)


def test_what_cannot_be_asked_is_said_beside_its_field(alices, project, run, serve, server):
    connection = server(serve())
    address = f"{reverse('evaluator-create', args=[project.slug])}?kind=judge"
    refused = alices.post(address, fields(run, connection, do="try", rubric="Is it right?"))
    assert refused.status_code == 400
    assert "The rubric does not show the answer" in refused.content.decode()
    assert not Judging.objects.exists()


def test_a_rubric_without_the_answer_is_not_saved(alices, project, run, serve, server):
    connection = server(serve())
    address = f"{reverse('evaluator-create', args=[project.slug])}?kind=judge"

    refused = alices.post(address, fields(run, connection, rubric="Is {{ input }} right?"))

    assert refused.status_code == 400
    assert "write {{ output }} where it belongs" in refused.content.decode()
    assert not Evaluator.objects.filter(versions__kind="judge").exists()


def test_the_page_of_evaluators_takes_money_and_the_row_says_why(alices, experiment, run, serve, make_judge):
    version = make_judge(serve())
    address = reverse("experiment-evaluators", args=[experiment.pk])
    assert "at most about" in alices.get(address).content.decode()
    sent = alices.post(
        address, {"evaluators": [f"evaluator:{version.evaluator_id}"], "budget": "0.50", "previewed": "1"}
    )
    assert sent.status_code == 302
    work()
    judging = Judging.objects.get()
    assert judging.status == "completed"
    page = alices.get(reverse("evaluator-detail", args=[version.evaluator_id])).content.decode()
    assert "What it has read" in page
    row = alices.get(f"{reverse('run-detail', args=[run.pk])}?evaluator={version.evaluator_id}&example=1")
    assert row.status_code == 200


def test_a_judge_can_be_stopped_on_its_page(alices, run, serve, make_judge):
    version = make_judge(serve())
    [judging] = judged([run], version)
    stopped = alices.post(reverse("judging-cancel", args=[judging.pk]))
    assert stopped.status_code == 409
    assert experiments.newest([version.evaluator]) == [version]
