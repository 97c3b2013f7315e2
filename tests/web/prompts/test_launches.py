"""The pages that start a launch and show its progress."""

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page

from evaluations import leases
from evaluations.engine import queue
from evaluations.evaluators import connections
from evaluations.evaluators.pacing import limit_of
from evaluations.experiments import samples
from evaluations.launches import launches, states, stopping
from evaluations.launches.following import Follower
from evaluations.launches.plans import Plan, Variant
from evaluations.models import (
    Answer,
    Budget,
    Connection,
    Evaluator,
    Experiment,
    Generation,
    Job,
    Launch,
    Output,
    Run,
    Spending,
    Trial,
    TrialAnswer,
)
from evaluations.prompts import ledger, prices, prompts
from evaluations.prompts.content import Content
from evaluations.scoring import scoring
from tests import factories
from tests.comparisons.test_counted import after_others
from tests.pages import markup, text_of

NEW = "/p/default/launches/new/"


@pytest.fixture
def server(project, settings) -> Connection:
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    server = connections.create(project, None, "local", "http://127.0.0.1:9/v1")
    prices.set_price(server, "tiny", 1_000_000, 2_000_000, None, timezone.now().date())
    return server


@pytest.fixture
def version(project, server):
    content = Content(
        [{"role": "user", "content": "Where is {{ question }}?"}],
        "tiny",
        {"max_completion_tokens": 50},
        connection=server,
    )
    return prompts.version_of(prompts.create(project, None, "solve", content))


@pytest.fixture
def experiment(project) -> Experiment:
    return factories.experiment(project)


@pytest.fixture
def evaluator(project) -> Evaluator:
    return factories.evaluator(project)


def form_of(version, dataset, **changes: Any) -> dict[str, Any]:
    """The form as browsers send it."""
    form = {
        "do": "start",
        "name": "Does it help?",
        "dataset": dataset.pk,
        "row": [version.pk],
        "model": ["tiny"],
        "variants": [f"{version.pk}:tiny"],
        "repetitions": "1",
        "tolerated": "5",
    }
    return form | changes


def launched(experiment, version, **plan: Any) -> Launch:
    return launches.create(experiment, None, [Variant(version)], Plan(seed=1, **plan))


def complete(launch: Launch, *, generating: bool = False) -> Run:
    """Store the answers of the only run as a worker would; unless `generating`, the run is completed."""
    run = Run.objects.get(generation__launch=launch)
    positions = run.experiment.examples.values_list("position", flat=True)
    Output.objects.bulk_create(Output(run=run, position=n, text="?") for n in positions)
    queue.cancel_jobs(run)
    if not generating:
        Run.objects.filter(pk=run.pk).update(status=Run.Status.COMPLETED)
    return run


def test_a_budget_names_the_variants_without_a_limit_of_tokens(alices, version, dataset):
    endless = [
        prompts.version_of(
            prompts.create(version.prompt.project, None, name, replace(content, parameters={}))
        )
        for name in ("long", "longer")
        for content in [Content.from_version(version)]
    ]
    rows = [version.pk, *(one.pk for one in endless)]
    form = form_of(version, dataset, row=rows, variants=[f"{pk}:tiny" for pk in rows], budget="1")

    page = text_of(alices.post(NEW, form))

    assert "(max_completion_tokens). long v1 and longer v1 have none." in page


def unlimited(version) -> Any:
    """A version of another prompt whose answers may have any length."""
    content = replace(Content.from_version(version), parameters={})
    return prompts.version_of(prompts.create(version.prompt.project, None, "endless", content))


@pytest.mark.parametrize("do", ["start", "estimate"])
def test_a_budget_names_everything_that_it_lacks_at_once(alices, version, dataset, server, do):
    endless = unlimited(version)
    form = form_of(
        version, dataset, do=do, budget="1", row=[version.pk, endless.pk], model=["tiny", "big", "huge"]
    )
    form["variants"] = [f"{version.pk}:big", f"{version.pk}:huge", f"{endless.pk}:tiny"]

    page = alices.post(NEW, form)

    said = text_of(page)
    assert (
        "A budget needs the highest cost of each call: Max tokens and prices of local for big and huge."
        in said
    )
    assert "Or name Maximum calls instead." in said
    assert f'href="/connections/{server.pk}/"' in markup(page)
    if do == "start":
        assert "(max_completion_tokens). endless v1 has none." in said
        assert "local has no price for big and huge, so their cost cannot be limited." in said


def test_the_monthly_limit_asks_for_what_it_needs_in_its_own_name(alices, project, version, dataset):
    ledger.limit_months(project, 10**14)
    endless = unlimited(version)
    form = form_of(endless, dataset, max_calls="1000")

    said = text_of(alices.post(NEW, form))

    assert "The monthly limit of the project needs a limit on the length of answers" in said
    assert "A budget needs" not in said.replace(
        "Empty: the limit in the prompt. A budget needs one of them.", ""
    )
    assert "Or name Maximum calls" not in said


def test_a_variant_that_the_experiment_has_says_so_in_its_box(alices, version, experiment):
    factories.run(experiment, variant=Variant(version).label)

    page = text_of(alices.get(NEW, {"experiment": experiment.pk, "prompt": version.prompt_id}))

    assert page.count("is here already") == 1


# ---- starting ----------------------------------------------------------------------------------------------


def test_a_launch_starts_with_the_chosen_settings(alices, version, dataset, evaluator):
    second = factories.evaluator(version.prompt.project, name="other")
    chosen = [f"evaluator:{evaluator.pk}", f"evaluator:{second.pk}"]
    form = form_of(
        version,
        dataset,
        repetitions="2",
        size="1",
        seed="7",
        budget="2.50",
        tolerated="10",
        max_tokens="20",
        parameters='{"temperature": 0}',
        evaluators=chosen,
        primary=chosen[1],
        margin="0.02",
    )

    response = alices.post(NEW, form)

    launch = Launch.objects.get()
    assert response["Location"] == f"/launches/{launch.pk}/"
    assert (launch.size, launch.seed, launch.repetitions, launch.tolerated) == (1, 7, 2, 0.1)
    assert (launch.budget.limit, launch.experiment.primary) == (2_500_000_000_000, second)
    assert launch.experiment.margins == {str(second.pk): 0.02}
    generations = launch.generations.order_by("run")
    assert [generation.parameters for generation in generations] == [
        {"max_completion_tokens": 20, "temperature": 0}
    ] * 2


def test_every_version_with_every_model_is_a_variant(alices, version, dataset):
    cells = [f"{version.pk}:tiny", f"{version.pk}:large"]

    alices.post(NEW, form_of(version, dataset, model=["tiny", "large"], variants=cells))

    assert set(Run.objects.values_list("variant", "generation__model")) == {
        ("solve v1", "tiny"),
        ("solve v1 large", "large"),
    }


def test_prompts_that_lack_columns_are_not_offered_for_an_experiment(alices, version, experiment):
    other = factories.prompt(version.prompt.project, content="{{ nothing }}", name="other")

    page = alices.get(f"{NEW}?experiment={experiment.pk}").context["form"].matrix.versions

    assert [row.prompt for row in page] == [version.prompt]
    assert other in [row.prompt for row in alices.get(NEW).context["form"].matrix.versions]


def test_prompts_run_in_an_existing_experiment(alices, version, experiment):
    form = form_of(version, experiment.dataset, experiment=experiment.pk) | {"name": "", "dataset": ""}

    alices.post(NEW, form)

    assert Launch.objects.get().experiment == experiment


def test_a_new_form_shows_the_dataset_last_used_with_the_prompt(alices, version, dataset, project):
    alices.post(NEW, form_of(version, dataset))
    newer = factories.dataset(project, name="newer")

    page = alices.get(f"{NEW}?prompt={version.prompt_id}")

    assert page.context["form"]["dataset"].value() == dataset.pk
    assert page.context["dataset"] == dataset
    assert alices.get(NEW).context["dataset"] == newer


def test_a_version_that_names_no_model_is_selected_with_the_model_that_has_a_price(alices, server, project):
    content = Content([{"role": "user", "content": "Where?"}], "", {}, connection=server)
    prompt = prompts.create(project, None, "no model", content)

    form = alices.get(f"{NEW}?prompt={prompt.pk}&version=1").context["form"]

    assert [cell.model for cell in form.matrix.chosen] == ["tiny"]


@pytest.mark.parametrize("ticked", [{"cache": "on"}, {}], ids=["ticked", "cleared"])
def test_paid_answers_are_used_again_while_that_is_selected(alices, version, dataset, ticked):
    alices.post(NEW, form_of(version, dataset) | ticked)

    assert Launch.objects.get().cache is bool(ticked)


def test_a_new_form_uses_paid_answers_again(alices, version):
    form = alices.get(f"{NEW}?prompt={version.prompt_id}").context["form"]

    assert form["cache"].value() is True


def test_the_form_keeps_a_cleared_box(alices, version, dataset):
    form = alices.post(NEW, form_of(version, dataset, do="add")).context["form"]

    assert form["cache"].value() is False


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": ""}, "name"),
        ({"repetitions": "0"}, "repetitions"),
        ({"repetitions": "many"}, "repetitions"),
        ({"variants": []}, "variants"),
        ({"budget": "much"}, "budget"),
        ({"size": "9999"}, "size"),
        ({"tolerated": "101"}, "tolerated"),
        ({"parameters": "{"}, "parameters"),
        ({"margin": "-1"}, "margin"),
        ({"margin": "0"}, "margin"),
        ({"margin": "1e13"}, "margin"),
        ({"stop": "on"}, "margin"),
        ({"stop": "on", "margin": "0.1"}, "stop"),
    ],
)
def test_a_field_that_cannot_be_used_says_so_and_all_is_kept(alices, version, dataset, changes, field):
    response = alices.post(NEW, form_of(version, dataset, note="x", seed="4711") | changes)

    assert response.status_code == 400
    assert response.context["form"].errors.keys() == {field}
    assert "Not started." in text_of(response)
    assert f'href="#{field if field == "variants" else f"id_{field}"}"' in markup(response)
    assert 'value="4711"' in markup(response)
    assert not Launch.objects.exists()
    assert not Experiment.objects.exists()


def test_a_budget_needs_a_price_and_names_the_variant(alices, version, dataset):
    form = form_of(version, dataset, model=["large"], variants=[f"{version.pk}:large"], budget="1")

    response = alices.post(NEW, form)

    assert "large" in response.context["form"].errors["variants"][0]


def test_a_variable_that_no_column_fills_is_refused_before_any_call(alices, project, server, dataset):
    content = Content([{"role": "user", "content": "{{ nothing }}"}], "tiny", connection=server)
    version = prompts.version_of(prompts.create(project, None, "wrong", content))

    response = alices.post(NEW, form_of(version, dataset))

    assert "nothing" in response.context["form"].errors["variants"][0]


def test_adding_a_row_keeps_typed_values(alices, project, version, dataset):
    second, _ = prompts.add_version(version.prompt, None, {"model": "other"})
    form = form_of(version, dataset, do="add", new_model="large", new_row=second.pk, seed="4711")

    response = alices.post(NEW, form)

    matrix = response.context["form"].matrix
    assert [row.pk for row in matrix.versions] == [version.pk, second.pk]
    assert matrix.models == ["tiny", "other", "large"]
    assert [cell.value for cell in matrix.chosen] == [f"{version.pk}:tiny", f"{second.pk}:other"]
    assert 'value="4711"' in markup(response)


def test_a_price_of_all_versions_stands_once_in_the_head_of_its_model(alices, version, dataset):
    second, _ = prompts.add_version(version.prompt, None, {"model": "other"})
    form = form_of(version, dataset, do="add", new_row=second.pk)

    matrix = alices.post(NEW, form).context["form"].matrix

    assert [(model, bool(cell and cell.rates)) for model, cell in matrix.heads] == [
        ("tiny", True),
        ("other", False),
    ]
    assert all(cell.is_priced_above for _, cells in matrix.rows for cell in cells)


def test_a_prompt_leads_to_its_launch_with_the_version_chosen(alices, version, dataset):
    response = alices.get(f"{NEW}?prompt={version.prompt_id}&version=1&dataset={dataset.pk}")

    assert [cell.value for cell in response.context["form"].matrix.chosen] == [f"{version.pk}:tiny"]
    assert f"{NEW}?prompt={version.prompt_id}&amp;version=1" in markup(
        alices.get(f"/prompts/{version.prompt_id}/")
    )


def test_the_estimate_of_a_first_launch_rests_on_bytes(alices, version, dataset):
    response = alices.post(
        NEW,
        form_of(version, dataset, do="estimate", repetitions="3"),
        headers={"HX-Target": "estimate", "HX-Request": "true"},
    )

    estimate = response.context["estimate"]
    calls = 3 * dataset.example_count
    assert (estimate.calls.low, estimate.calls.high, estimate.answers) == (calls, calls, 0)
    assert estimate.tokens_out.high == 50 * calls
    assert "<form" not in markup(response)
    # on a phone only the bar with the buttons is always in sight
    bar = markup(response).partition('class="launch-cost')[2].partition("</p>")[0]
    assert f"{calls} calls," in " ".join(bar.split())


def test_the_estimate_of_a_first_launch_rests_on_the_answers_of_the_bench(
    alices, alice, project, version, dataset, evaluator
):
    """The bench said what all examples would cost, and its button leads to a launch that knows it too."""
    form = form_of(version, dataset, do="estimate")
    other = Trial.objects.create(
        **trial_of(project, version, dataset), budget=Budget.objects.create(project=project)
    )
    for number, tokens in enumerate((10, 10, 10)):
        TrialAnswer.objects.create(
            trial=other,
            variant=0,
            example=number,
            state=TrialAnswer.State.DONE,
            text="Here",
            tokens_in=tokens,
            tokens_out=5,
            latency_ms=500,
        )

    page = alices.post(NEW, form)
    estimate = page.context["estimate"]

    assert (estimate.answers, estimate.tokens_in.high) == (3, 10 * dataset.example_count)
    assert "from 3 earlier answers on the bench" in text_of(markup(page))
    assert "The range is wide" not in text_of(markup(page))
    changed = alices.post(NEW, form | {"parameters": '{"temperature": 0.5}'})
    assert changed.context["estimate"].answers == 0


def trial_of(project, version, dataset) -> dict[str, Any]:
    asked = {
        "name": "v1",
        "version": version.number,
        "model": version.model,
        "parameters": version.parameters,
        "connection": version.connection_id,
        "messages": version.messages,
        "schema": version.schema,
        "tools": version.tools,
    }
    rows = [{"position": number, "key": None} for number in (1, 2, 3)]
    return {
        "project": project,
        "prompt": version.prompt,
        "dataset": dataset,
        "variants": [asked],
        "examples": rows,
    }


def test_the_limit_that_a_budget_needs_is_asked_for_beside_it(alices, version, dataset, evaluator):
    prompts.add_version(version.prompt, None, {"parameters": {}})
    unlimited = prompts.version_of(version.prompt)

    page = alices.post(NEW, form_of(unlimited, dataset, budget="2", evaluators=[f"evaluator:{evaluator.pk}"]))

    limits = markup(page).partition('aria-labelledby="limits"')[2].partition("</section>")[0]
    assert "id_max_tokens_error" in limits
    assert "Max tokens would make the highest cost known" in text_of(markup(page))


def test_a_budget_that_pays_for_few_answers_is_said_before_the_start(alices, version, dataset, evaluator):
    form = form_of(version, dataset, do="estimate", evaluators=[f"evaluator:{evaluator.pk}"])
    assert "This limit pays for" not in text_of(alices.post(NEW, form | {"budget": "1"}))

    page = text_of(alices.post(NEW, form | {"budget": "0.00001"}))
    assert "This limit pays for not even one of 120 answers." in page
    page = text_of(alices.post(NEW, form | {"max_calls": "2"}))
    assert "This limit pays for about 2 of 120 answers." in page


def test_calls_that_were_made_again_are_said(alices, version, experiment):
    launch = launched(experiment, version)
    run = complete(launch)
    Answer.objects.create(run=run, position=1, attempts=3)

    assert "2 calls failed at first and were made again" in text_of(alices.get(f"/launches/{launch.pk}/"))


def test_calls_that_left_no_answer_are_told_once_they_have_ended(alices, version, experiment):
    launch = launched(experiment, version)
    complete(launch)
    launches.stop(launch, Launch.Status.CANCELLED)
    Budget.objects.filter(pk=launch.budget_id).update(calls=9)
    now = timezone.now()
    month = ledger.month_of(experiment.project)
    states_of_calls = [Spending.State.RESERVED] * 4 + [Spending.State.SETTLED] * 5
    Spending.objects.bulk_create(
        Spending(budget=launch.budget, month=month, state=state, worst=1, created_at=now)
        for state in states_of_calls
    )

    page = text_of(alices.get(f"/launches/{launch.pk}/"))

    assert "5 of them left no answer here" in page
    assert "asked again" not in page


def test_the_cost_of_an_experiment_is_what_was_paid_and_calls_under_way_are_told_apart(
    alices, version, experiment
):
    launch = launched(experiment, version)
    Budget.objects.filter(pk=launch.budget_id).update(committed=5_000_000_000_000)
    Spending.objects.create(
        budget=launch.budget, month=ledger.month_of(experiment.project), worst=2_000_000_000_000
    )

    page = text_of(alices.get(f"/experiments/{experiment.pk}/"))

    assert "cost 3.00 USD; at most 5.00 with calls under way" in page


def test_cancelling_what_has_just_ended_shows_how_it_ended(alices, version, experiment):
    launch = launched(experiment, version)
    complete(launch)

    response = alices.post(f"/launches/{launch.pk}/cancel/", follow=True)

    assert response.redirect_chain == [(f"/launches/{launch.pk}/", 302)]
    assert "The launch is not generating answers, so it cannot be cancelled." in text_of(response)


def test_a_run_that_is_asked_on_counts_the_answers_it_has_already(alices, version, experiment):
    launch = launched(experiment, version)
    run = Run.objects.get(generation__launch=launch)
    Output.objects.create(run=run, position=1, text="yes")
    launches.cancel(launch)

    launches.resume(launch)

    assert "1 of 3 examples asked" in text_of(alices.get(f"/runs/{run.pk}/"))


def test_of_several_models_that_nobody_chose_none_is_selected(alices, server, project, experiment, version):
    messages = [{"role": "user", "content": "Where is {{ question }}?"}]
    bare = prompts.version_of(prompts.create(project, None, "bare", Content(messages, "", {})))
    prices.set_price(server, "aaa", 1_000_000, 2_000_000, None, timezone.now().date())
    project.default_connection = server
    project.save()

    page = alices.get(f"{NEW}?prompt={bare.prompt_id}")
    assert not page.context["form"].matrix.chosen
    assert "Choose a model: tick it in the row of a prompt." in text_of(page)

    launched(experiment, version)
    [cell] = alices.get(f"{NEW}?prompt={bare.prompt_id}").context["form"].matrix.chosen
    assert cell.model == "tiny"


def test_one_variant_of_a_launch_is_stopped_while_the_others_go_on(alices, version, experiment):
    prompts.add_version(version.prompt, None, {"parameters": {"max_completion_tokens": 9}})
    other = prompts.version_of(version.prompt)
    launch = launches.create(experiment, None, [Variant(version), Variant(other)], Plan(seed=1))
    first, second = Run.objects.filter(generation__launch=launch).order_by("pk")
    address = f"/launches/{launch.pk}/"
    assert f"/runs/{first.pk}/cancel/" in markup(alices.get(address))

    stopped = alices.post(f"/runs/{first.pk}/cancel/", {"next": address})

    assert stopped["Location"] == address
    page = markup(alices.get(address))
    assert f"/runs/{first.pk}/cancel/" not in page
    assert f"/runs/{second.pk}/cancel/" in page
    assert [run.status for run in Run.objects.order_by("pk")] == [Run.Status.CANCELLED, Run.Status.GENERATING]


@pytest.mark.parametrize("field", ["dataset", "experiment", "variants"])
def test_things_of_others_do_not_exist(alices, charlie, version, dataset, field, as_user):
    other_project = charlie.memberships.get().project
    hidden = {
        "dataset": lambda: factories.dataset(other_project),
        "experiment": lambda: factories.experiment(other_project),
        "variants": lambda: prompts.version_of(factories.prompt(other_project, "x", maker=charlie)),
    }[field]()
    value = [f"{hidden.pk}:tiny"] if field == "variants" else hidden.pk

    response = alices.post(NEW, form_of(version, dataset) | {field: value})

    assert response.status_code == 404


# ---- progress ------------------------------------------------------------------------------------------------


def test_the_page_polls_while_answers_are_awaited(alices, version, experiment):
    launch = launched(experiment, version)

    assert "every 1s" in markup(alices.get(f"/launches/{launch.pk}/"))

    Launch.objects.update(started_at=timezone.now() - timedelta(minutes=2))
    assert "every 2s" in markup(alices.get(f"/launches/{launch.pk}/"))

    launches.cancel(launch)
    assert (
        "hx-trigger" not in markup(alices.get(f"/launches/{launch.pk}/")).split('id="live"')[1].split(">")[0]
    )


def test_the_answers_of_a_running_launch_are_counted_at_each_poll(alices, version, experiment):
    launch = launched(experiment, version)
    run = Run.objects.get(generation__launch=launch)

    def polled() -> str:
        return " ".join(markup(alices.get(f"/launches/{launch.pk}/", headers={"HX-Target": "live"})).split())

    assert "<dt>Answers</dt><dd><b>0</b>" in polled()
    Output.objects.create(run=run, position=1, text="an answer")

    assert "<dt>Answers</dt><dd><b>1</b>" in polled()


def test_a_run_that_is_asked_for_leaves_its_count_to_the_progress(alices, version, experiment):
    run = Run.objects.get(generation__launch=launched(experiment, version))
    Output.objects.create(run=run, position=1, text="an answer")

    page = " ".join(markup(alices.get(f"/runs/{run.pk}/")).split())

    assert "0 outputs" not in page
    assert 'value="1" aria-label="Examples asked"' in page


def test_failures_are_grouped_by_cause_and_lead_to_examples(alices, version, experiment):
    launch = launched(experiment, version)
    run = Run.objects.get(generation__launch=launch)
    Output.objects.create(run=run, position=1, error="cut")
    Output.objects.create(run=run, position=2, error="timeout: no answer within 120 s")

    response = alices.get(f"/launches/{launch.pk}/")

    causes = {
        (failure.cause.code, failure.cause.count, failure.cause.message)
        for failure in response.context["failures"]
    }
    assert causes == {("cut", 1, ""), ("timeout", 1, "no answer within 120 s")}
    assert f"/runs/{run.pk}/?row=1" in markup(response)


def test_failed_answers_are_no_answers(alices, project, version, experiment):
    launch = launched(experiment, version)
    run = Run.objects.get(generation__launch=launch)
    Output.objects.create(run=run, position=1, error="address_not_allowed: nobody may call it")
    error = {"code": "too_many_failures", "message": "1 of 3 answers failed, most by “address_not_allowed”."}
    launches.stop(launch, launch.Status.FAILED, error)

    response = alices.get(f"/launches/{launch.pk}/")

    assert "Answers 0 of" in text_of(response)
    assert (
        "1 of 3 answers failed, all refused because the address of the server is not allowed; 2 were never asked."
        in text_of(response)
    )
    assert f'href="/connections/{run.generation.connection_id}/"' in markup(response)
    assert f"FAILED Launch {experiment.name} failed. just now Read why" in text_of(
        alices.get(f"/p/{project.slug}/")
    )


def test_failures_with_one_cause_are_retried_alone(alices, version, experiment):
    launch = launched(experiment, version)
    run = complete(launch)
    Output.objects.filter(run=run, position=1).update(text=None, error="cut")
    Output.objects.filter(run=run, position=2).update(text=None, error="timeout: no answer within 120 s")
    assert 'name="cause" value="timeout"' in markup(alices.get(f"/launches/{launch.pk}/"))

    alices.post(f"/launches/{launch.pk}/retry/", {"cause": "timeout"})

    assert list(run.outputs.filter(error__isnull=False).values_list("error", flat=True)) == ["cut"]
    assert 'name="cause"' not in markup(alices.get(f"/launches/{launch.pk}/"))


@pytest.mark.parametrize(("seconds", "waits"), [(2, False), (11, True)])
def test_a_launch_that_has_just_begun_waits_for_no_worker_yet(alices, version, experiment, seconds, waits):
    launch = launched(experiment, version)
    Job.objects.update(created_at=timezone.now() - timedelta(seconds=seconds))

    assert ("Waiting for a worker" in text_of(alices.get(f"/launches/{launch.pk}/"))) == waits


def test_a_pilot_that_ends_while_its_page_is_made_is_not_shown_as_ended_with_less(
    alices, version, experiment, monkeypatch
):
    """The page stops polling once a pilot waits, so its last state must be complete."""
    launch = launched(experiment, version, pilot=True)
    first = iter([lambda: complete(launch, generating=True)])

    def then_end(read):
        def reading(launch):
            result = read(launch)
            next(first, bool)()
            return result

        return reading

    monkeypatch.setattr(states, "of_launch", then_end(states.of_launch))
    monkeypatch.setattr(states, "pace", then_end(states.pace))

    facts = alices.get(f"/launches/{launch.pk}/").context

    assert facts["is_going"] or facts["launch_state"].progress.calls_left == 0


def test_the_time_left_is_told_after_some_answers(alices, version, experiment):
    launch = launched(experiment, version)
    early = alices.get(f"/launches/{launch.pk}/").context

    complete(launch, generating=True)
    Launch.objects.update(created_at=timezone.now() - timedelta(seconds=9))
    later = alices.get(f"/launches/{launch.pk}/").context

    assert (early["time_note"], early["seconds_left"]) == ("known after some answers", None)
    assert later["time_note"] == "scores follow"


@pytest.mark.parametrize(
    ("limited", "reason"),
    [
        (timedelta(seconds=40), "next call in about"),
        (timedelta(), "of the last 1 call refused"),
        (None, "of the last 1 call failed"),
    ],
    ids=["a pause", "a rate limit", "errors"],
)
def test_the_page_says_why_calls_wait(alices, version, experiment, server, limited, reason):
    launch = launched(experiment, version)
    queue.claim_chunk(Job.GENERATE)
    month = ledger.month_of(experiment.project)
    Spending.objects.create(
        month=month, budget=launch.budget, state="settled", worst=1, tokens_in=0, settled_at=timezone.now()
    )
    if limited is not None:
        leases.set_pulse(limit_of(server.pk), leases.now() + limited)

    assert reason in markup(alices.get(f"/launches/{launch.pk}/"))


def test_a_cancelled_launch_is_continued_with_more_money(alices, version, experiment):
    launch = launched(experiment, version, budget=10**12)
    alices.post(f"/launches/{launch.pk}/cancel/")

    alices.post(f"/launches/{launch.pk}/continue/", {"budget": "5.00"})

    launch.refresh_from_db()
    assert (launch.status, launch.budget.limit) == ("running", 5 * 10**12)


@pytest.mark.parametrize(
    ("monthly", "reason"),
    [(10**11, "The monthly limit of the project is reached."), (10**13, "The budget is reached.")],
    ids=["month", "budget"],
)
def test_the_page_says_which_limit_is_reached(alices, version, experiment, monthly, reason):
    ledger.limit_months(experiment.project, monthly)
    launch = launched(experiment, version, budget=10**12)
    launches.stop(launch, Launch.Status.LIMIT)

    assert reason in markup(alices.get(f"/launches/{launch.pk}/"))


def test_a_reached_limit_of_calls_needs_no_reason(alices, version, experiment):
    launch = launched(experiment, version, max_calls=10)
    launches.stop(launch, Launch.Status.LIMIT)
    Budget.objects.filter(pk=launch.budget_id).update(calls=10)

    notice = alices.get(f"/launches/{launch.pk}/").context["notice"]

    assert notice.title == "The call limit is reached."
    assert notice.text.startswith("Answers so far are kept.")


def test_the_page_says_that_a_server_counted_more_than_it_may(alices, version, experiment):
    launch = launched(experiment, version, budget=10**12)
    launches.stop(launch, Launch.Status.LIMIT)
    before = alices.get(f"/launches/{launch.pk}/").context["notice"].text

    Budget.objects.filter(pk=launch.budget_id).update(committed=2 * 10**12)

    after = alices.get(f"/launches/{launch.pk}/").context["notice"].text
    assert ["server billed more" in text for text in (before, after)] == [False, True]


@pytest.mark.parametrize("cost", [None, 0])
def test_only_a_known_cost_is_shown_as_a_number(alices, version, experiment, cost):
    launch = launched(experiment, version, max_calls=10)
    Answer.objects.create(run=complete(launch), position=1, cost=cost)

    assert alices.get(f"/launches/{launch.pk}/").context["is_cost_unknown"] == (cost is None)


def test_refused_calls_do_not_make_an_unknown_cost_known(alices, version, experiment):
    launch = launched(experiment, version, max_calls=10)
    run = complete(launch)
    Answer.objects.bulk_create(Answer(run=run, position=n, cost=cost) for n, cost in ((1, None), (2, 0)))

    assert alices.get(f"/launches/{launch.pk}/").context["is_cost_unknown"]


@pytest.mark.parametrize("price", [None, 0])
def test_a_cost_that_will_stay_unknown_is_no_number_while_the_calls_run(alices, version, experiment, price):
    launch = launched(experiment, version, max_calls=10)
    Spending.objects.create(budget=launch.budget, month=launch.budget, output_price=price, worst=0)

    assert alices.get(f"/launches/{launch.pk}/").context["is_cost_unknown"] == (price is None)


def test_the_page_takes_a_higher_limit_of_calls(alices, version, experiment):
    launch = launched(experiment, version, max_calls=10)
    launches.stop(launch, Launch.Status.LIMIT)

    assert alices.post(f"/launches/{launch.pk}/continue/", {"max_calls": "many"}).status_code == 400
    assert alices.post(f"/launches/{launch.pk}/continue/", {"max_calls": "40"}).status_code == 302

    launch.budget.refresh_from_db()
    assert launch.budget.max_calls == 40


def test_a_budget_that_is_no_amount_is_refused_on_the_page(alices, version, experiment):
    launch = launched(experiment, version, budget=10**12)
    launches.cancel(launch)

    response = alices.post(f"/launches/{launch.pk}/continue/", {"budget": "much"})

    assert response.status_code == 400
    assert 'value="much"' in markup(response)


def two_variants(experiment, version, **plan: Any) -> Launch:
    return launches.create(
        experiment, None, [Variant(version, "old"), Variant(version, "new")], Plan(seed=1, **plan)
    )


def answer_first(name: str, count: int, text: str) -> None:
    """Store answers for the first ranks of a run, without a server."""
    run = Run.objects.get(variant=name)
    positions = Follower(run.generation.launch).by_rank[:count].tolist()
    Output.objects.bulk_create(Output(run=run, position=position, text=text) for position in positions)


def test_scores_follow_the_answers_and_are_preliminary(alices, version, experiment):
    launch = two_variants(experiment, version)
    answer_first("new", 2, "Paris")

    stopping.catch_up(Follower(launch))

    assert "preliminary, n = 2" in text_of(alices.get(f"/launches/{launch.pk}/"))


def test_a_launch_that_stops_early_shows_each_look(alices, version, project):
    launch = two_variants(factories.experiment(project, references=["Paris"] * 120), version, margin=0.1)
    answer_first("new", 60, "Paris")
    answer_first("old", 60, "Rome")

    stopping.catch_up(Follower(launch))

    response = alices.get(f"/launches/{launch.pk}/")
    [sequence] = response.context["sequences"]
    assert (sequence.variant, sequence.baseline, sequence.last.n) == ("new", "old", 50)
    assert "stopped at 50 of 120 examples" in " ".join(markup(response).split())


def test_a_launch_that_has_ended_says_the_verdict_of_its_experiment(alices, version, project):
    launch = two_variants(factories.experiment(project, references=["Paris"] * 120), version, margin=0.1)
    assert alices.get(f"/launches/{launch.pk}/").context["verdict"] is None
    answer_first("new", 60, "Paris")
    answer_first("old", 60, "Rome")
    stopping.catch_up(Follower(launch))
    while scoring.work(seconds=10):
        pass

    html = markup(alices.get(f"/launches/{launch.pk}/"))

    assert "new is better than old on" in " ".join(re.sub("<[^>]*>", " ", html).split())
    main = html.split("<main")[1]
    links = [link.split(">")[1] for link in main.split(f'href="/experiments/{launch.experiment_id}/"')[1:]]
    assert len(links) == 2, "the name of the experiment, and the comparison"


@pytest.fixture
def added(version, server, project) -> Launch:
    """A launch of one variant, right in 60 of 120 answers, into an experiment of two others."""
    experiment = factories.experiment(project, references=["Paris"] * 120)
    for variant, right in (("terse", 70), ("verbose", 110), ("tonight", 60)):
        run = factories.scored_run(experiment, ["Paris"] * right + ["Rome"] * (120 - right), variant)
    launch = launched(experiment, version)
    Run.objects.filter(generation__launch=launch).delete()
    Generation.objects.create(run=run, launch=launch, prompt_version=version, connection=server, model="tiny")
    return launch


def test_a_launch_into_an_experiment_says_first_what_became_of_its_own_variants(alices, added):
    said = text_of(alices.get(f"/launches/{added.pk}/"))

    assert said.index("tonight is worse than terse on") < said.index(
        "Of all 3 variants: verbose is best of 3"
    )
    assert "It is ranked 3 of 3." in said


def test_a_launch_into_an_experiment_says_which_baseline_stays(alices, added):
    page = f"/p/{added.experiment.project.slug}/launches/new/?experiment={added.experiment_id}"

    assert "120 examples, compared with its baseline terse" in text_of(alices.get(page))


def test_a_launch_that_has_ended_says_whether_the_lead_is_confirmed(alices, version, server, project):
    comparison = after_others(project, 20, 0.04)
    run = comparison.sides[1].run
    launch = launched(factories.experiment(project), version)
    Run.objects.filter(generation__launch=launch).delete()
    Launch.objects.filter(pk=launch.pk).update(experiment=run.experiment)
    Generation.objects.create(run=run, launch=launch, prompt_version=version, connection=server, model="tiny")

    said = text_of(alices.get(f"/launches/{launch.pk}/"))

    assert "Not confirmed : this is comparison number 20 on this dataset" in said


def test_a_launch_that_has_ended_says_how_long_it_took(alices, version, experiment):
    launch = launched(experiment, version)
    run = complete(launch)
    assert "from start to end" not in text_of(alices.get(f"/launches/{launch.pk}/"))

    Run.objects.filter(pk=run.pk).update(finished_at=launch.started_at + timedelta(seconds=17))

    assert "17 s from start to end" in text_of(alices.get(f"/launches/{launch.pk}/"))


def test_where_no_answer_of_all_is_right_this_is_said_first(alices, version, project):
    launch = two_variants(factories.experiment(project, references=["Oslo"] * 60), version, margin=0.1)
    answer_first("new", 60, "Paris")
    answer_first("old", 60, "Rome")
    stopping.catch_up(Follower(launch))
    while scoring.work(seconds=10):
        pass

    html = markup(alices.get(f"/launches/{launch.pk}/"))

    assert re.search(r'class="verdict"><b[^>]*>[^<]*</b>\s*finds none of \d+ answers right', html)
    assert html.index("finds none of") < html.index("o clear difference")


def test_runs_that_stopped_early_are_marked(alices, version, project):
    launch = two_variants(factories.experiment(project, references=["Paris"] * 120), version, margin=0.1)
    answer_first("new", 60, "Paris")
    answer_first("old", 60, "Rome")
    stopping.catch_up(Follower(launch))
    while scoring.work(seconds=10):
        pass
    run = Run.objects.get(variant="new")

    assert ", stopped early" in markup(alices.get("/"))
    assert "stopped early, 50 of 120 examples" in markup(alices.get(f"/runs/{run.pk}/"))


def test_the_form_starts_a_launch_that_stops_early(alices, version, dataset, evaluator):
    cells = [f"{version.pk}:tiny", f"{version.pk}:large"]
    chosen = f"evaluator:{evaluator.pk}"
    form = form_of(
        version, dataset, model=["tiny", "large"], variants=cells, evaluators=[chosen], primary=chosen
    )

    alices.post(NEW, form | {"stop": "on", "margin": "0.05"})

    assert Launch.objects.get().stop["margin"] == 0.05


def test_the_form_shows_the_detectable_difference(alices, version, dataset, evaluator):
    cells = [f"{version.pk}:tiny", f"{version.pk}:large"]
    form = form_of(version, dataset, model=["tiny", "large"], variants=cells, do="estimate")

    response = alices.post(NEW, form | {"evaluators": [f"evaluator:{evaluator.pk}"], "margin": "0.5"})

    assert response.context["detects"].margin == 0.5


def test_a_list_of_launches_takes_as_many_queries_as_one(
    alices, project, version, experiment, django_assert_max_num_queries
):
    several = [launched(experiment, version) for _ in range(3)]
    for run in Run.objects.filter(generation__launch__in=several):
        Output.objects.create(run=run, position=1, error="cut")
        Answer.objects.create(run=run, position=1)

    with django_assert_max_num_queries(3):
        launch_states = states.of_launches(several)

    assert [launch_state.errors["cut"] for launch_state in launch_states.values()] == [1, 1, 1]


@pytest.mark.django_db(transaction=True)
def test_a_phone_shows_all_figures_of_a_variant(alices_page: Page, version, experiment, live_server):
    page, launch = alices_page, launched(experiment, version)
    page.set_viewport_size({"width": 400, "height": 800})

    page.goto(f"{live_server.url}/launches/{launch.pk}/")

    figures = page.get_by_role("row").last.get_by_role("cell")
    assert figures.count() == 4
    assert all(box["x"] + box["width"] <= 400 for box in (figure.bounding_box() for figure in figures.all()))


def test_ones_own_dataset_goes_before_the_samples(alices, alice, project):
    sample = samples.dataset_of(project, alice)
    asked = prompts.create(
        project, alice, "asked", Content([{"role": "user", "content": "{{ question }}"}]), dataset=sample
    )
    own = factories.dataset(project, name="own")

    assert alices.get(f"{NEW}?prompt={asked.pk}").context["dataset"] == own
    assert alices.get(f"/prompts/{asked.pk}/").context["preview"].dataset == own


def test_a_variant_that_never_began_did_not_fail(alices, version, experiment):
    launch = launched(experiment, version)
    never, other = Run.objects.get(generation__launch=launch), factories.run(experiment, variant="other")
    Run.objects.filter(pk=never.pk).update(status=Run.Status.FAILED)
    assert "not begun" not in markup(alices.get(f"/launches/{launch.pk}/"))

    begun = states.RunState(other, states.Progress(5, 5))
    idle = states.RunState(Run.objects.get(pk=never.pk), states.Progress(0, 5))
    state = states.LaunchState([begun, idle], Launch.Status.FAILED)
    assert state.word(idle) == "not begun"
