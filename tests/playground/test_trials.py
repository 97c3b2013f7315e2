"""Trials on a stand-in server: every answer arrives once, or says why it is missing."""

import threading
import time
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from django.utils import timezone

from evaluations import leases, tasks
from evaluations.clients.tokens import Tokens
from evaluations.datasets import datasets
from evaluations.errors import Conflict, Invalid, NotFound, TooManyRequests
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from evaluations.launches import ending, generating, launches, plans
from evaluations.models import (
    Budget,
    CachedAnswer,
    Chunk,
    Connection,
    Evaluator,
    ServerLimit,
    Spending,
    Trial,
    TrialAnswer,
)
from evaluations.playground import examples, scores, trials
from evaluations.playground.trials import Variant
from evaluations.prompts import ledger, prompts
from evaluations.prompts.content import Content
from tests import factories
from tests.clients.chat import echo, event, last_events, reply
from tests.clients.stub import Reply, json_reply
from tests.processes import wait_until
from tests.trials import answer as answer_trials

from .conftest import WORST

pytestmark = pytest.mark.django_db(transaction=True)


def variant(prompt: Any, number: int | None = None, name: str = "", **changes: Any) -> Variant:
    version = prompts.version_of(prompt, number)
    return Variant(Content(**Content.from_version(version).parts() | changes), version.number, name)


def begin(prompt: Any, chosen: examples.TrialExamples, *variants: Variant, **options: Any) -> Trial:
    return trials.create(prompt, None, variants or [variant(prompt)], chosen, **options)


def ask(trial: Trial) -> trials.TrialState:
    answer_trials()
    return trials.state_of(trial)


def texts(state: trials.TrialState) -> list[list[str | None]]:
    return [[answer.text for answer in row] for row in state.rows]


def codes(state: trials.TrialState) -> list[str]:
    return [answer.error["code"] if answer.error else "" for answer in state.answers]


# ---- asking ------------------------------------------------------------------------------------------------


def test_every_variant_answers_every_example(capitals, prompt, serve):
    stub = serve()
    where = prompt(stub)
    prompts.add_version(where, None, {"messages": [{"role": "user", "content": "Find {{ question }}"}]})

    trial = begin(where, examples.named(capitals, ["2", "k5"]), variant(where, 1), variant(where, 2))
    state = ask(trial)

    assert texts(state) == [["Where is q2?", "Find q2"], ["Where is q5?", "Find q5"]]
    assert (state.status, len(stub.requests)) == ("completed", 4)


def test_tokens_cost_and_time_stand_with_the_answer(capitals, prompt, serve):
    trial = begin(prompt(serve()), examples.named(capitals, ["1"]))

    [answer] = ask(trial).answers

    assert (answer.tokens_in, answer.tokens_out, answer.cost) == (10, 2, 12 * WORST)
    assert (answer.model, answer.finish_reason) == ("tiny-1", "stop")
    assert answer.latency_ms >= 0


def test_answers_are_scored_by_the_chosen_evaluators(project, capitals, prompt, serve):
    exact = factories.evaluator(project)
    stub = serve(lambda request: reply("Rome"))

    trial = begin(prompt(stub), examples.named(capitals, ["1", "2"]), chosen_evaluators=[exact])

    scores = [answer.scores[0] for answer in ask(trial).answers]
    assert [(score["name"], score["passed"]) for score in scores] == [
        ("exact match", False),
        ("exact match", True),
    ]


def test_typed_inputs_are_asked_without_a_dataset(project, prompt, serve):
    exact = factories.evaluator(project)
    rows = [{"inputs": {"question": "X"}}, {"inputs": {"question": "Y"}, "reference": "Where is Y?"}]

    trial = begin(prompt(serve()), examples.typed(rows), chosen_evaluators=[exact])
    state = ask(trial)

    assert texts(state) == [["Where is X?"], ["Where is Y?"]]
    assert [[score["passed"] for score in answer.scores] for answer in state.answers] == [[], [True]]


def test_an_evaluator_that_reads_no_reference_scores_without_one(project, prompt, serve):
    mapping = {"expected": {"path": "$.input.question"}}
    of_input = evaluators.create(project, None, "question", "exact_match", {}, mapping)
    stub = serve(lambda request: reply("X"))

    trial = begin(prompt(stub), examples.typed([{"inputs": {"question": "X"}}]), chosen_evaluators=[of_input])

    assert [score["passed"] for score in ask(trial).answers[0].scores] == [True]


def test_whole_numbers_of_any_size_are_sent_to_the_letter(prompt, serve):
    stub = serve()

    ask(begin(prompt(stub), examples.typed([{"inputs": {"question": [2**80, 1.0]}}])))

    assert stub.requests[0]["messages"][0]["content"] == f"Where is [{2**80},1.0]?"


@pytest.mark.parametrize(
    ("reply", "code", "text"),
    [
        (reply("It is", "length"), "cut", "It is"),
        (reply(""), "empty", ""),
        (json_reply({"error": {"message": "no such model"}}, 404), "not_found", None),
        (json_reply({"error": {"message": "later"}}, 429), "rate_limited", None),
    ],
)
def test_a_failed_answer_names_its_cause(capitals, prompt, serve, reply, code, text):
    stub = serve(lambda request: reply)

    [answer] = ask(begin(prompt(stub), examples.named(capitals, ["1"]))).answers

    assert (answer.error["code"], answer.text, len(stub.requests)) == (code, text, 1)


def test_an_example_without_a_value_is_not_asked(capitals, prompt, serve):
    stub = serve()

    state = ask(begin(prompt(stub, "{{ question.deep }}"), examples.named(capitals, ["1"])))

    assert (codes(state), stub.requests) == (["missing_value"], [])


def test_a_key_that_cannot_be_read_fails_the_answers(capitals, prompt, serve):
    trial = begin(prompt(serve()), examples.named(capitals, ["1", "2"]))
    Connection.objects.update(encrypted_key="not a key")

    assert codes(ask(trial)) == ["key_unreadable"] * 2


# ---- choosing ----------------------------------------------------------------------------------------------


def positions(chosen: examples.TrialExamples) -> list[int]:
    return [row["position"] for row in chosen.rows]


def test_random_examples_are_the_same_for_the_same_seed(capitals):
    first, again, other_seed = (positions(examples.at_random(capitals, 3, seed)) for seed in (1, 1, 2))

    assert first == again != other_seed
    assert len(set(first)) == 3


def test_the_worst_examples_of_a_run_come_worst_first_and_before_them_those_without_an_answer(project):
    experiment = factories.experiment(project, "levenshtein_similarity", references=["abcd"] * 4)
    run = factories.scored_run(experiment, ["abcd", "zzzz", "abzz", None])

    chosen = examples.worst(run, Evaluator.objects.get(), 3)

    assert positions(chosen) == [4, 2, 3]


def test_an_edited_example_is_found_by_its_first_and_its_new_position(capitals):
    edited = datasets.edit(capitals, None, 2, {"inputs": {"question": "Edited?"}})

    rows = examples.named(capitals, ["2", str(edited.position)]).rows

    assert [row["position"] for row in rows] == [edited.position, edited.position]
    assert [example.identity for example in datasets.first(capitals, 3)] == [1, 2, 3]


def test_a_missing_example_is_named(capitals):
    with pytest.raises(NotFound) as refusal:
        examples.named(capitals, ["1", "k99"])

    assert "k99" in refusal.value.message


@pytest.mark.parametrize("names", [[], ["1", "2", "3", "4", "5", "6"]])
def test_a_trial_asks_one_to_five_examples(capitals, names):
    with pytest.raises(Invalid) as refusal:
        examples.named(capitals, names)

    assert refusal.value.code == "invalid_trial"


# ---- refusals before any call ------------------------------------------------------------------------------


def refused(prompt: Any, chosen: examples.TrialExamples, *variants: Variant, **options: Any) -> str:
    with pytest.raises(Invalid) as refusal:
        begin(prompt, chosen, *variants, **options)
    assert not Trial.objects.exists()
    return refusal.value.code


def test_an_unknown_variable_is_refused_before_any_call(capitals, prompt, serve):
    where = prompt(serve(), "{{ nobody }} {{ answer }}")
    assert refused(where, examples.named(capitals, ["1"])) == "unknown_variable"


def test_more_than_four_variants_or_two_of_one_name_are_refused(capitals, prompt, serve):
    where, chosen = prompt(serve()), examples.named(capitals, ["1"])

    assert refused(where, chosen, *(variant(where, name=f"{n}") for n in range(5))) == "invalid_trial"
    assert refused(where, chosen, variant(where), variant(where)) == "invalid_trial"


def test_a_model_without_a_price_is_refused_under_a_monthly_limit(project, capitals, prompt, serve):
    where = prompt(serve(), max_completion_tokens=10)
    ledger.limit_months(project, 10**12)
    where.refresh_from_db()

    assert refused(where, examples.named(capitals, ["1"]), variant(where, model="huge")) == "price_required"


def test_answers_of_any_length_are_refused_under_a_budget(capitals, prompt, serve):
    assert refused(prompt(serve()), examples.named(capitals, ["1"]), budget=WORST) == "max_tokens_required"


def test_only_three_trials_of_a_person_run_at_once(capitals, prompt, serve):
    where, chosen = prompt(serve()), examples.named(capitals, ["1"])
    for _ in range(3):
        trial = begin(where, chosen)

    with pytest.raises(TooManyRequests):
        begin(where, chosen)
    ask(trial)
    assert begin(where, chosen)


# ---- money -------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_budget_is_never_exceeded(capitals, prompt, serve):
    stub = serve()
    budget = 250 * WORST

    trial = begin(
        prompt(stub, max_completion_tokens=50),
        examples.named(capitals, ["1", "2", "3", "4", "5"]),
        budget=budget,
    )
    state = ask(trial)

    trial.budget.refresh_from_db()
    assert codes(state).count("limit_reached") == 5 - len(stub.requests)
    assert 0 < trial.budget.committed == len(stub.requests) * 12 * WORST <= budget


def test_the_monthly_limit_holds_for_trials_too(project, capitals, prompt, serve):
    stub = serve()
    where = prompt(stub, max_completion_tokens=50)
    ledger.limit_months(project, 10 * WORST)
    where.refresh_from_db()

    assert codes(ask(begin(where, examples.named(capitals, ["1"])))) == ["limit_reached"]
    assert stub.requests == []


# ---- stopping and retrying ------------------------------------------------------------------------------------


def test_a_stopped_trial_hangs_up_on_its_calls_which_count_as_dear_as_they_can_be(capitals, prompt, serve):
    release = threading.Event()
    stub = serve(lambda request: release.wait(30) and echo(request))
    trial = begin(prompt(stub, max_completion_tokens=9), examples.named(capitals, ["1", "2"]))
    worker = threading.Thread(target=answer_trials)
    worker.start()
    wait_until(lambda: len(stub.requests) == 2, "both examples are asked")

    trials.stop(trial)

    assert trials.state_of(trial).status == "stopped"
    worker.join(15)
    assert not worker.is_alive()
    release.set()
    assert codes(trials.state_of(trial)) == ["stopped", "stopped"]
    assert all(spending.cost == spending.worst for spending in Spending.objects.all())


def test_stopped_calls_keep_no_place_from_a_new_trial(capitals, prompt, serve):
    release = threading.Event()
    stub = serve(lambda request: echo(request) if stub.requests[2:] else release.wait(30) and echo(request))
    asked = prompt(stub)
    first = begin(asked, examples.named(capitals, ["1", "2"]))
    worker = threading.Thread(target=answer_trials)
    worker.start()
    wait_until(lambda: len(stub.requests) == 2, "both examples are asked")

    trials.stop(first)
    second = begin(asked, examples.named(capitals, ["3"]))
    worker.join(15)

    assert not worker.is_alive()
    assert texts(ask(second)) == [["Where is q3?"]]
    release.set()


def test_what_is_asked_again_is_not_mixed_up_with_the_late_answer_of_a_stopped_call(capitals, prompt, serve):
    release, replies = threading.Event(), iter(["late"])
    stub = serve(
        lambda request: reply(next(replies)) if release.wait(30) and not stub.requests[1:] else echo(request)
    )
    trial = begin(prompt(stub), examples.named(capitals, ["1"]), cache=False)
    worker = threading.Thread(target=answer_trials)
    worker.start()
    wait_until(lambda: stub.requests, "the example is asked")
    trials.stop(trial)
    trials.ask_again(trial)
    release.set()
    worker.join(15)

    assert texts(ask(trial)) == [["Where is q1?"]]
    assert len(stub.requests) == 2


def test_nothing_more_is_asked_after_a_stop(capitals, prompt, serve):
    stub = serve()
    trial = begin(prompt(stub), examples.named(capitals, ["1", "2"]))

    trials.stop(trial)

    assert codes(ask(trial)) == ["stopped", "stopped"]
    assert stub.requests == []
    with pytest.raises(Conflict):
        trials.stop(trial)


def test_only_failed_answers_are_asked_again(capitals, prompt, serve):
    replies = iter([json_reply({"error": "later"}, 503)])
    stub = serve(lambda request: next(replies, None) or echo(request))
    trial = begin(prompt(stub), examples.named(capitals, ["1", "2", "3"]))
    assert sorted(codes(ask(trial))) == ["", "", "unavailable"]

    trials.ask_again(trial)

    state = ask(trial)
    assert texts(state) == [["Where is q1?"], ["Where is q2?"], ["Where is q3?"]]
    assert len(stub.requests) == 4
    with pytest.raises(Conflict):
        trials.ask_again(trial)


def test_one_answer_is_stopped_and_asked_again_while_the_others_go_on(capitals, prompt, serve):
    stub = serve()
    trial = begin(prompt(stub), examples.named(capitals, ["1", "2"]))
    cell = trials.Cell(variant=0, example=1)

    trials.stop(trial, cell)
    with pytest.raises(Conflict):
        trials.stop(trial, cell)
    trials.ask_again(trial, cell)
    with pytest.raises(Conflict):
        trials.ask_again(trial, cell)
    trials.stop(trial, trials.Cell(variant=0, example=0))

    assert codes(ask(trial)) == ["stopped", ""]
    assert len(stub.requests) == 1


# ---- dying workers ---------------------------------------------------------------------------------------------


def lost(trial: Trial) -> None:
    """Leave the chunks of a trial as a worker does that died a while ago."""
    past = timezone.now() - timedelta(seconds=1)
    Chunk.objects.filter(job__trial=trial).update(state="leased", token="gone", attempt=1, lease_until=past)


def test_a_call_of_a_lost_worker_is_not_paid_again_unseen(project, capitals, prompt, serve):
    stub = serve()
    trial = begin(prompt(stub), examples.named(capitals, ["1"]))
    call = ledger.Call(Connection.objects.get(), "tiny", None, Tokens(0, 0))
    [[spending], _] = ledger.reserve_many([call], None, "gone")
    trial.answers.update(spending=spending)
    lost(trial)

    ending.sweep()

    assert codes(ask(trial)) == ["worker_lost"]
    assert stub.requests == []
    spending.refresh_from_db()
    assert spending.state == Spending.State.LOST


def test_questions_left_by_a_lost_worker_are_asked_by_the_next(capitals, prompt, serve):
    trial = begin(prompt(serve()), examples.named(capitals, ["1"]))
    lost(trial)

    ending.sweep()

    assert texts(ask(trial)) == [["Where is q1?"]]


def test_an_answer_that_had_arrived_is_scored_and_not_paid_again(project, capitals, prompt, serve):
    stub, exact = serve(), factories.evaluator(project)
    trial = begin(prompt(stub), examples.named(capitals, ["1"]), chosen_evaluators=[exact])
    past = timezone.now() - timedelta(seconds=1)
    trial.answers.update(text="Paris", state="leased", token="gone", attempt=1, lease_until=past)

    scores.sweep()
    [answer] = ask(trial).answers

    assert (answer.text, answer.scores[0]["passed"], stub.requests) == ("Paris", True, [])


# ---- beside launches --------------------------------------------------------------------------------------------


def launch(project: Any, capitals: Any, where: Any) -> None:
    experiment = experiments.create(project, None, "e", capitals, [])
    launches.create(
        experiment, None, [launches.Variant(prompts.version_of(where), "v1")], launches.Plan(seed=1)
    )


@pytest.mark.long
def test_a_trial_waits_for_no_slot_of_a_launch(project, capitals, prompt, server, serve, settings):
    settings.EVALSITE_IN_FLIGHT = 2
    over = threading.Event()
    slow, quick = serve(lambda request: over.wait(30) and echo(request)), serve()
    where = prompt(slow)
    launch(project, capitals, where)
    running = threading.Thread(target=tasks.generate, args=(0,))
    running.start()
    wait_until(lambda: len(slow.requests) == 2, "the launch has taken every slot")

    chosen = examples.typed([{"inputs": {"question": "first"}}])
    trial = begin(where, chosen, variant(where, connection=server(quick)))
    wait_until(lambda: trials.state_of(trial).status == "completed", "the trial is answered")

    assert running.is_alive()
    over.set()
    running.join(30)


def test_a_trial_keeps_to_the_limit_that_launches_have_learnt(capitals, prompt, serve):
    stub = serve()
    trial = begin(prompt(stub), examples.named(capitals, ["1"]))
    ServerLimit.objects.create(connection=Connection.objects.get(), number=1, resume_at=time.time() + 60)

    assert trials.status_of(ask(trial).answers[0]) == "queued"
    assert stub.requests == []


# ---- answers that arrive piece by piece --------------------------------------------------------------------------


def test_the_beginning_of_an_answer_is_shown_while_the_rest_arrives(capitals, prompt, serve):
    seen = threading.Event()

    def parts():
        yield event(content="It is ")
        assert seen.wait(30)
        yield event(content="Rome.") + last_events()

    stub = serve(lambda request: Reply(parts=parts()))
    trial = begin(prompt(stub), examples.named(capitals, ["1"]))
    worker = threading.Thread(target=answer_trials)
    worker.start()
    wait_until(lambda: trials.state_of(trial).answers[0].partial == "It is ", "its beginning is stored")
    assert trials.status_of(trials.state_of(trial).answers[0]) == "asking"
    seen.set()
    worker.join(30)

    [answer] = trials.state_of(trial).answers
    assert (answer.text, answer.partial, answer.cost) == ("It is Rome.", None, 12 * WORST)
    assert stub.requests[0]["stream_options"] == {"include_usage": True}


def test_a_server_that_cannot_stream_is_asked_without(capitals, prompt, serve):
    refusal = json_reply({"error": {"message": "stream_options is not supported"}}, 400)
    stub = serve(lambda request: refusal if "stream" in request else echo(request))

    assert texts(ask(begin(prompt(stub), examples.named(capitals, ["1"])))) == [["Where is q1?"]]
    assert len(stub.requests) == 2


# ---- deleting -------------------------------------------------------------------------------------------------


def test_the_costs_of_a_deleted_trial_stay(capitals, prompt, serve):
    trial = begin(prompt(serve()), examples.named(capitals, ["1"]))
    ask(trial)
    trials.forget_old()
    assert Trial.objects.exists()

    Trial.objects.update(created_at=leases.now() - timedelta(hours=25))
    trials.forget_old()

    assert not Trial.objects.exists()
    assert not TrialAnswer.objects.exists()
    assert Spending.objects.get().cost == 12 * WORST
    assert [budget.month != "" for budget in Budget.objects.all()] == [True]


def test_a_deleted_connection_is_named(capitals, prompt, serve):
    trial = begin(prompt(serve()), examples.named(capitals, ["1"]))
    Connection.objects.update(deleted_at=timezone.now())

    assert codes(ask(trial)) == ["connection_removed"]
    with pytest.raises(Invalid):
        begin(trial.prompt, examples.named(capitals, ["1"]))


# ---- cached answers -------------------------------------------------------------------------------------------


def test_paid_questions_are_answered_from_the_cache(project, capitals, prompt, serve):
    stub, exact = serve(), factories.evaluator(project)
    where = prompt(stub)
    [paid] = ask(begin(where, examples.named(capitals, ["1"]))).answers

    again = begin(where, examples.named(capitals, ["1"]), chosen_evaluators=[exact])
    [answer] = ask(again).answers

    again.budget.refresh_from_db()
    assert (len(stub.requests), again.budget.committed) == (1, 0)
    assert (answer.text, answer.cached, answer.cost) == (paid.text, True, paid.cost)
    assert [score["name"] for score in answer.scores] == ["exact match"]


def test_a_trial_without_the_cache_asks_and_keeps_nothing(capitals, prompt, serve):
    stub = serve()
    where = prompt(stub)

    for _ in range(2):
        ask(begin(where, examples.named(capitals, ["1"]), cache=False))

    assert len(stub.requests) == 2
    assert not CachedAnswer.objects.exists()


def test_variants_that_ask_the_same_share_no_answer(capitals, prompt, serve):
    calls = count(1)
    stub = serve(lambda request: reply(f"answer {next(calls)}"))
    where = prompt(stub)
    same_requests = [variant(where, name="a"), variant(where, name="b")]

    first = ask(begin(where, examples.named(capitals, ["1"]), *same_requests))
    second = ask(begin(where, examples.named(capitals, ["1"]), *same_requests))

    assert len(stub.requests) == 2
    assert texts(second) == texts(first)
    assert len(set(texts(second)[0])) == 2


def test_a_failed_answer_is_asked_again_and_not_recalled(capitals, prompt, serve):
    stub = serve(lambda request: reply(""))
    where = prompt(stub)

    for _ in range(2):
        ask(begin(where, examples.named(capitals, ["1"])))

    assert len(stub.requests) == 2


def test_a_launch_reuses_the_answers_of_a_trial(project, capitals, prompt, serve):
    stub = serve()
    where = prompt(stub)
    ask(begin(where, examples.named(capitals, ["1", "2"])))
    experiment = experiments.create(project, None, "all", capitals, [factories.evaluator(project)])

    launches.create(experiment, None, [plans.Variant(prompts.version_of(where))], plans.Plan(seed=1))
    while generating.work():
        pass

    assert len(stub.requests) == 6
