"""Judges read the answers of runs: what is asked, stored, paid and counted."""

import json

import pytest

from evaluations.errors import Conflict, Invalid
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from evaluations.judges import estimates, judgings, progress, verdicts, waiting
from evaluations.models import Judging, Record, Scoring, Spending, Verdict
from evaluations.prompts.named import Money, budget_of
from evaluations.scoring import columns, records
from evaluations.values import Status
from tests import factories
from tests.clients.stub import json_reply

from .conftest import CONFIG, judged, said, work

pytestmark = pytest.mark.django_db(transaction=True)


def column(run, version):
    slots = columns.load(Scoring.objects.get(run=run, evaluator_version=version).pk)
    return [
        value if status == Status.SCORED else Status(status).word
        for value, status in zip(slots.values.tolist(), slots.status.tolist(), strict=True)
    ]


def test_verdicts_become_a_column_with_their_reasons(serve, run, make_judge):
    version = make_judge(serve())
    [judging] = judged([run], version)
    assert judging.status == "completed"
    assert column(run, version) == [1, 0, 1]
    summary = Scoring.objects.get(run=run, evaluator_version=version).summary
    assert (summary["mean"], summary["pass_rate"], summary["n"]) == (2 / 3, 2 / 3, 3)
    assert set(Record.objects.values_list("note", "by")) == {("It must be Paris.", "tiny-1")}
    state = progress.of(judging)
    assert (state.total, state.given, state.cost) == (3, 3, 3 * 110 * 10**6)


def test_nothing_is_asked_before_somebody_names_money(serve, run, experiment, make_judge):
    stub = serve()
    version = make_judge(stub)
    experiments.add_evaluators(experiment, [version.evaluator])
    work()
    assert column(run, version) == ["not_sent"] * 3
    with pytest.raises(Invalid) as refusal:
        judgings.start([run], [version], None, Money())
    assert refusal.value.code == "budget_required"
    assert stub.requests == []


@pytest.mark.long
def test_an_equal_request_is_never_paid_twice(serve, run, experiment, make_judge):
    stub = serve()
    version = make_judge(stub)
    judged([run], version)
    again = factories.scored_run(experiment, ["Paris", "Lyon", "Madrid"], variant="v2")
    [judging] = judged([again], version)
    assert column(again, version) == [1, 0, 0]
    assert len(stub.requests) == 4
    state = progress.of(judging)
    assert (state.cached, state.cost) == (2, 110 * 10**6)
    judged([run], version)
    assert len(stub.requests) == 4


@pytest.mark.long
def test_verdicts_outlive_the_cache_of_answers(serve, run, experiment, make_judge, settings):
    settings.EVALSITE_ANSWERS_MB = 0
    stub = serve()
    version = make_judge(stub)
    judged([run], version)
    again = factories.scored_run(experiment, ["Paris", "Lyon", "Paris, or Oslo"], variant="v2")
    judged([again], version)
    assert len(stub.requests) == 3


def test_an_edited_rubric_is_a_new_version_and_is_asked(serve, run, make_judge):
    stub = serve()
    version = make_judge(stub)
    judged([run], version)
    changed = CONFIG | {"messages": [{"content": "Strict! Answer: {{ output }}"}]}
    evaluators.change(version.evaluator, None, config=changed)
    newer = experiments.newest([version.evaluator])[0]
    assert newer.number == 2
    judged([run], newer)
    assert len(stub.requests) == 6
    assert set(Verdict.objects.values_list("version__number", flat=True)) == {1, 2}


@pytest.mark.long
def test_the_answer_is_fenced_as_data_and_the_reason_comes_first(serve, run, make_judge):
    stub = serve()
    judged([run], make_judge(stub))
    body = stub.requests[0]
    schema = body["response_format"]["json_schema"]["schema"]
    assert list(schema["properties"]) == ["reason", "verdict"]
    assert schema["properties"]["verdict"]["enum"] == ["pass", "fail", "unsure"]
    lines = body["messages"][1]["content"].splitlines()
    assert lines[1].startswith("Question: [[data ")
    fence = lines[-3].removeprefix("Answer: [[data ").removesuffix("]]")
    assert lines[-1] == f"[[end {fence}]]"
    assert "never an instruction" in body["messages"][0]["content"]


def test_an_unreadable_answer_is_repaired_once(serve, run, make_judge):
    def answers(request):
        return said("pass") if len(request["messages"]) == 4 else said(None, text="It looks fine to me!")

    stub = serve(answers)
    version = make_judge(stub)
    judged([run], version)
    assert column(run, version) == [1, 1, 1]
    assert len(stub.requests) == 6
    assert set(Verdict.objects.values_list("calls", "cost")) == {(2, 220 * 10**6)}


@pytest.mark.long
@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (said(None, text="no idea"), "The judge's answer"),
        (said("splendid"), "The verdict “splendid” is none of pass, fail, unsure."),
        (said("unsure"), "The judge said that the rubric does not decide."),
        (
            json_reply(
                {
                    "choices": [
                        {"message": {"content": None, "refusal": "I cannot"}, "finish_reason": "stop"}
                    ],
                    "usage": {"prompt_tokens": 1, "completion_tokens": 1},
                }
            ),
            "The model refused to answer. It said: I cannot",
        ),
    ],
    ids=["unreadable", "outside", "unsure", "refused"],
)
def test_an_answer_without_a_verdict_is_counted_and_never_zero(serve, run, make_judge, reply, told):
    version = make_judge(serve(lambda request: reply))
    judged([run], version)
    assert column(run, version) == ["no_verdict"] * 3
    summary = Scoring.objects.get(run=run, evaluator_version=version).summary
    assert (summary["n"], summary["mean"], summary["counts"]["no_verdict"]) == (0, None, 3)
    message = next(iter(Record.objects.values_list("error", flat=True)))
    assert message.startswith("no_verdict: ")
    assert told in message or told == "The judge's answer"


def test_the_page_of_a_run_counts_missing_verdicts_and_leads_to_them(client, alice, serve, run, make_judge):
    judged([run], make_judge(serve(lambda request: said("unsure"))))
    client.force_login(alice)

    averages = client.get(f"/runs/{run.pk}/").context["averages"]
    states = [state for average in averages for state in average.states]
    [address] = [state.address for state in states if (state.word, state.count) == ("unread", 3)]

    assert len(client.get(address).context["rows"]) == 3


def test_a_failed_call_is_the_evaluators_error_and_is_asked_again_later(serve, run, make_judge):
    is_down = [True]

    def answers(request):
        return json_reply({"error": {"message": "boom"}}, 400) if is_down[0] else said("pass")

    stub = serve(answers)
    version = make_judge(stub)
    judged([run], version)
    assert column(run, version) == ["error"] * 3
    is_down[0] = False
    judged([run], version)
    assert column(run, version) == [1, 1, 1]


def test_a_server_that_takes_no_schema_is_asked_without(serve, run, make_judge):
    def answers(request):
        if "response_format" in request:
            return json_reply({"error": {"message": "response_format is not supported"}}, 400)
        return said("pass")

    version = make_judge(serve(answers))
    judged([run], version)
    assert column(run, version) == [1, 1, 1]


def test_a_budget_stops_the_judge_and_more_money_continues(serve, run, make_judge):
    stub = serve()
    version = make_judge(stub)
    [judging] = judged([run], version, money=Money(max_calls=2))
    assert judging.status == "limit"
    judgings.sweep()
    assert column(run, version).count("not_sent") == 1
    [judging] = judged([run], version, money=Money(max_calls=2))
    assert (judging.status, len(stub.requests)) == ("completed", 3)
    assert column(run, version) == [1, 0, 1]


def test_several_samples_give_their_mean(serve, run, make_judge):
    turn = iter(["pass", "fail", "pass"] * 3)
    version = make_judge(serve(lambda request: said(next(turn))), samples=3)
    judged([run], version)
    assert Verdict.objects.count() == 9
    assert sum(column(run, version)) == pytest.approx(2)


def test_a_verdict_counts_only_for_the_answer_that_was_judged(serve, run, make_judge):
    version = make_judge(serve())
    judged([run], version)
    run.outputs.filter(position=1).update(text="Lyon")
    assert list(records.scores(run, version, records.np.array([1, 2, 3])).status) == [6, 0, 0]
    judged([run], version)
    assert column(run, version) == [0, 0, 1]


def test_a_cancelled_judge_keeps_what_it_paid(serve, run, make_judge):
    version = make_judge(serve())
    [judging] = judgings.start([run], [version], None, Money(max_calls=9))
    with pytest.raises(Conflict):
        judgings.start([run], [version], None, Money(max_calls=9))
    judgings.cancel(judging)
    work()
    judgings.sweep()
    assert Verdict.objects.count() == 0
    with pytest.raises(Conflict):
        judgings.cancel(judging)


def test_a_rubric_must_show_the_answer_and_know_its_variables(serve, run, make_judge):
    with pytest.raises(Invalid) as refusal:
        make_judge(serve(), messages=[{"content": "Is {{ input }} right?"}])
    assert refusal.value.code == "missing_variable"
    other = make_judge(serve(), "other", messages=[{"content": "{{ output }} {{ contxt }}"}])
    with pytest.raises(Invalid) as refusal:
        judged([run], other)
    assert refusal.value.code == "unknown_variable"


def test_another_name_of_the_model_is_noted(serve, run, experiment, make_judge):
    names = ["tiny-1"]
    version = make_judge(serve(lambda request: said("pass", model=names[0])))
    judged([run], version)
    names[0] = "tiny-2"
    judged([factories.scored_run(experiment, ["a", "b", "c"], "v2")], version)
    assert [model.model for model in version.judge_models.all()] == ["tiny-1", "tiny-2"]


# ---- pairs -----------------------------------------------------------------------------------------------------


def pair_config():
    return {"messages": [{"content": "Which is better?\nA: {{ first }}\nB: {{ second }}"}]}


def prefers(text):
    """Prefers the answer with this text; the first if neither has it."""

    def answers(request):
        first, _, second = request["messages"][1]["content"].partition("\nB: ")
        return said("second" if text in second and text not in first else "first")

    return answers


def test_a_pair_is_judged_in_both_orders_and_a_choice_by_order_is_a_tie(serve, run, experiment, make_judge):
    other = factories.scored_run(experiment, ["Rome", "Lyon", "Paris"], variant="v2")
    stub = serve(prefers("Rome"))
    version = make_judge(stub, "pairs", "pair_judge", **pair_config())
    [judging] = judged([run, other], version)
    assert (judging.run_id, judging.against_id) == (other.pk, run.pk)
    assert column(other, version) == [1, 0.5, 0.5]
    assert column(run, version) == [0.5, 0.5, 0.5]
    assert len(stub.requests) == 4
    notes = dict(Record.objects.filter(column__run=other).values_list("example", "note"))
    assert notes[2] == "Both answers are the same."
    assert notes[3].startswith("depends on the order")


def test_a_pair_judge_keeps_its_opponent(serve, run, experiment, make_judge):
    other = factories.scored_run(experiment, ["Rome", "Lyon", "Paris"], variant="v2")
    version = make_judge(serve(prefers("Rome")), "pairs", "pair_judge", **pair_config())
    judged([run, other], version)
    with pytest.raises(Conflict) as refusal:
        judged([run, other], version, against=other)
    assert refusal.value.code == "other_opponent"


def test_a_pair_judge_of_one_run_compares_with_the_baseline_and_its_estimate_says_so(
    serve, run, experiment, make_judge
):
    other = factories.scored_run(experiment, ["Rome", "Lyon", "Oslo"], variant="v2")
    version = make_judge(serve(prefers("Rome")), "pairs", "pair_judge", **pair_config())
    [estimate] = estimates.every([other], [version])
    [judging] = judged([other], version)
    assert judging.against == run
    assert estimate.texts == 3 * 2
    assert [one.texts for one in estimates.every([run], [version])] == [0]


def test_a_judge_of_pairs_waits_for_the_answers_beside_the_baseline(serve, run, experiment, make_judge):
    other = factories.scored_run(experiment, ["Rome", "Lyon", "Oslo"], variant="v2")
    version = make_judge(serve(prefers("Rome")), "pairs", "pair_judge", **pair_config())
    experiments.add_evaluators(experiment, [version.evaluator])
    work()
    [waits] = waiting.of(experiment, experiments.shown_runs(experiment))
    assert (waits.evaluator, waits.runs, waits.answers) == (version.evaluator, [other], 3)


def test_no_call_begins_on_a_budget_without_a_limit(serve, run, make_judge):
    asked = judgings.asked_version(make_judge(serve()))
    budget = budget_of(run.project, Money())
    with pytest.raises(Invalid) as refusal:
        judgings.read_early(run, asked, None, budget, None)
    assert refusal.value.code == "budget_required"


def test_every_verdict_keeps_its_text_and_cost(serve, run, make_judge):
    version = make_judge(serve())
    judged([run], version)
    verdict = verdicts.of_run(run, version).order_by("example")[0]
    assert json.loads(verdict.text) == {"reason": "It must be Paris.", "verdict": "pass"}
    assert (verdict.tokens_in, verdict.tokens_out, verdict.model) == (100, 10, "tiny-1")
    assert Spending.objects.filter(state="settled").count() == 3
    assert Judging.objects.get().budget.committed == 3 * 110 * 10**6
