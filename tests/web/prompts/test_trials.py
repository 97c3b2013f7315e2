"""Trials on the bench of a prompt, and drafts that survive a reload."""

import re
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page, expect

from evaluations.datasets import datasets
from evaluations.evaluators import connections
from evaluations.experiments import experiments, for_gates
from evaluations.models import (
    Budget,
    Connection,
    EvaluatorVersion,
    Example,
    Prompt,
    PromptDraft,
    Run,
    Spending,
    Trial,
)
from evaluations.playground import examples
from evaluations.playground import trials as playground
from evaluations.playground.trials import Variant
from evaluations.prompts import prices, prompts
from evaluations.prompts.content import Content
from evaluations.web.prompts import preview
from tests import factories, trials
from tests.clients.chat import echo, reply
from tests.clients.stub import json_reply
from tests.pages import markup, text_of

from .columns import bench_form
from .test_prompts import form_with

pytestmark = pytest.mark.django_db(transaction=True)
HTMX = {"HX-Request": "true"}


@pytest.fixture
def prompt(project, alice, dataset, settings, stub) -> Prompt:
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    connections.create(project, alice, "stub", stub.url)
    messages = [{"role": "user", "content": "Solve {{ question }}"}]
    return prompts.create(project, alice, "solve", Content(messages, "tiny"))


SAVED = {"content": "Solve {{ question }}"}  # version 1


def draft(content: str = "Now {{ question }}", **fields: Any) -> dict[str, Any]:
    return {"content": content} | fields


def chosen(*columns: dict[str, Any], **choices: Any) -> dict[str, Any]:
    """The form of a trial of version 1, or of these columns, on the first example."""
    return bench_form(*(columns or (SAVED,)), **choices)


def ask(client: Client, prompt: Prompt, form: dict[str, Any]) -> Trial:
    response = client.post(f"/prompts/{prompt.pk}/try/", form)
    assert response.status_code == 302, response.context["trial_refusal"].message
    trial = Trial.objects.latest("pk")
    assert response["Location"] == address(trial)
    return trial


def address(trial: Trial) -> str:
    return f"/prompts/{trial.prompt_id}/bench/?trial={trial.pk}"


def names(trial: Trial) -> list[str]:
    return [variant["name"] for variant in trial.variants]


# ---- asking ------------------------------------------------------------------------------------------------


def test_columns_are_asked_side_by_side(alices, prompt, stub):
    trial = ask(alices, prompt, chosen(SAVED, draft()))
    trials.answer()

    assert names(trial) == ["v1", "draft"]
    html = markup(alices.get(address(trial)))
    assert "Solve What is 1?" in html
    assert "Now What is 1?" in html


def test_one_reason_of_all_failures_is_said_once(alices, prompt, stub):
    stub.answer = lambda _: json_reply({"error": {"message": "Nobody by this key"}}, 401)
    trial = ask(alices, prompt, chosen(SAVED, draft()))
    trials.answer()

    html = text_of(alices.get(address(trial)))

    assert "2 of 2 failed" in html
    assert "completed" not in html
    assert html.count("Nobody by this key") == 1


def test_a_column_has_its_own_model_and_parameters(alices, prompt, stub):
    other = SAVED | {"model": "large"}
    trial = ask(alices, prompt, chosen(SAVED, other, draft(temperature="0.5", max_completion_tokens="9")))
    trials.answer()

    assert names(trial) == ["v1", "v1, large", "draft"]
    sent = [
        (body["model"], body.get("temperature"), body.get("max_completion_tokens")) for body in stub.requests
    ]
    assert sorted(sent, key=str) == sorted(
        [("large", None, None), ("tiny", None, None), ("tiny", 0.5, 9)], key=str
    )


def test_a_column_keeps_the_settings_that_it_does_not_show(alices, prompt, stub):
    prompts.add_version(prompt, None, {"parameters": {"top_p": 0.5}})
    ask(alices, prompt, chosen(draft(base="2")))
    trials.answer()

    assert stub.requests[0]["top_p"] == 0.5


def test_a_column_of_a_version_that_is_not_there_is_not_found(alices, prompt):
    assert alices.post(f"/prompts/{prompt.pk}/try/", chosen(draft(base="99"))).status_code == 404


def test_equal_columns_are_numbered(alices, prompt):
    assert names(ask(alices, prompt, chosen(SAVED, SAVED, draft(), draft("Or {{ question }}")))) == [
        *("v1", "v1 (2)", "draft, Now …", "draft, Or …")
    ]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ((draft(model="tiny"), draft(model="large")), ["draft, tiny", "draft, large"]),
        (
            (draft("Solve {{ question }} now"), draft("Solve {{ question }} now Be brief.")),
            ["draft", "draft, Be brief."],
        ),
        (
            (draft(temperature="0"), draft(temperature="0.7")),
            ["draft, temperature 0", "draft, temperature 0.7"],
        ),
        ((draft(), draft()), ["draft", "draft (2)"]),
    ],
)
def test_drafts_are_called_after_what_differs_between_them(alices, prompt, columns, expected):
    assert names(ask(alices, prompt, chosen(*columns))) == expected


def test_an_answer_to_what_a_column_said_before_says_so(alices, prompt):
    trial = ask(alices, prompt, chosen(SAVED))
    alices.post(f"/prompts/{prompt.pk}/bench/", chosen(draft("Another {{ question }}"), do="draft"))

    html = alices.get(f"/prompts/{prompt.pk}/bench/?trial={trial.pk}").content.decode()

    cell = re.search(r'<div\s+class="bench-cell"[^>]*data-stale.*?</div>', html, re.DOTALL)
    assert cell
    assert "answer to an earlier draft" in cell[0]


def test_messages_that_are_alike_are_folded_but_not_in_a_column_that_was_just_added(alices, prompt):
    two = [SAVED, SAVED | {"model": "large"}]
    trial = ask(alices, prompt, chosen(*two))
    folded = 'class="equal-message"'

    assert markup(alices.post(address(trial), chosen(*two))).count(folded) == 2
    assert folded not in markup(alices.post(address(trial), chosen(*two, do="add")))


def positions(trial: Trial) -> list[int]:
    return [row["position"] for row in trial.examples]


def test_examples_are_chosen_by_position_key_or_chance(alices, prompt):
    assert positions(ask(alices, prompt, chosen(try_names="7, k3"))) == [7, 3]
    assert len(positions(ask(alices, prompt, chosen(try_from="random", try_seed="5")))) == 5


def test_examples_filled_in_for_another_dataset_are_not_looked_for(alices, prompt):
    assert positions(ask(alices, prompt, chosen(try_names="97, 98", try_names_were="97, 98"))) == [1, 2, 3]


def test_the_worst_examples_of_a_run_are_offered_and_asked(alices, project, prompt):
    experiment = factories.experiment(project, references=["a", "b", "c"])
    run = factories.scored_run(experiment, ["a", "x", "c"])
    [evaluator] = run.scorings.values_list("evaluator_version__evaluator", flat=True)
    dataset = experiment.dataset

    trial = ask(alices, prompt, chosen(try_from=f"worst:{run.pk}:{evaluator}", dataset=dataset.pk))

    assert (trial.dataset, positions(trial)[0]) == (dataset, 2)


@pytest.mark.parametrize(
    ("text", "question"), [("What is love?", "What is love?"), ('{"question": [1]}', "[1]")]
)
def test_inputs_are_typed_as_texts_or_json(alices, prompt, stub, text, question):
    ask(alices, prompt, chosen(try_from="typed", try_typed=text))
    trials.answer()

    assert stub.requests[0]["messages"][0]["content"] == f"Solve {question}"


@pytest.mark.parametrize(
    ("references", "scores"),
    [
        ("Solve a?\n\nelse", [[True], [], [False]]),
        ('\n{"answer": "Solve b?"}', [[], [True], []]),
        ("", [[], [], []]),
    ],
)
def test_typed_inputs_are_scored_against_the_reference_on_their_line(
    alices, project, prompt, stub, references, scores
):
    stub.answer = echo
    exact = factories.evaluator(project)
    typed = {"try_from": "typed", "try_typed": "a?\nb?\nc?", "try_references": references}
    trial = ask(alices, prompt, chosen(try_evaluators=[f"evaluator:{exact.pk}"], **typed))
    trials.answer()

    assert [[score["passed"] for score in answer.scores] for answer in trial.answers.all()] == scores
    assert references.strip() in alices.get(f"/prompts/{prompt.pk}/bench/").context["trial_form"].references


def test_a_reference_without_an_example_is_named(alices, prompt):
    form = chosen(try_from="typed", try_typed="a?", try_references="1\n2")

    refusal = alices.post(f"/prompts/{prompt.pk}/try/", form).context["trial_refusal"]

    assert refusal.message == "The reference “2” is on a line without an example."


# ---- the price beside Run ------------------------------------------------------------------------------------


@pytest.fixture
def price(prompt) -> None:
    """One unit of the currency for a million tokens."""
    prices.set_price(Connection.objects.get(), "tiny", 10**6, 10**6, None, timezone.now().date())


def shown_price(html: str) -> str:
    return " ".join(re.search(r'id="trial-price"[^>]*>([^<]*)<', html)[1].split())


@pytest.mark.usefixtures("price")
def test_the_price_beside_run_is_the_highest_cost_of_the_calls(alices, prompt):
    form = chosen(draft(max_completion_tokens="100"), do="draft")

    response = alices.post(f"/prompts/{prompt.pk}/bench/", form, headers=HTMX)

    body = (
        '{"model":"tiny","messages":[{"role":"user","content":"Now What is 1?"}],"max_completion_tokens":100}'
    )
    cost = Decimal(len(body) + 100) / 10**6
    assert shown_price(markup(response)) == f"at most {cost:.5f} USD"
    assert 'hx-swap-oob="true"' in markup(response)
    assert shown_price(markup(alices.get(f"/prompts/{prompt.pk}/bench/"))) == f"at most {cost:.5f} USD"


@pytest.mark.parametrize(
    ("column", "choices", "words"),
    [
        ({}, {}, "cost unknown without max tokens"),
        ({"max_completion_tokens": "100", "model": "free"}, {}, "cost unknown"),
        ({}, {"try_names": "999"}, "cost unknown"),
    ],
)
@pytest.mark.usefixtures("price")
def test_a_price_that_nobody_knows_is_called_unknown_with_what_is_missing(
    alices, prompt, column, choices, words
):
    form = chosen(draft(**column), do="draft", **choices)

    page = markup(alices.post(f"/prompts/{prompt.pk}/bench/", form, headers=HTMX))

    assert shown_price(page) == words


def test_the_worst_examples_are_offered_of_the_newest_run_of_each_name_and_of_none_sent_for_a_gate(
    alices, project, prompt
):
    experiment = factories.experiment(project)
    older, newer, sent = (factories.scored_run(experiment, variant=name) for name in ("v1", "v1", "pr-17"))
    for_gates.keep_apart(sent, True)
    evaluator, bench = experiment.primary_id, f"/prompts/{prompt.pk}/bench/"
    kept = f"worst:{older.pk}:{evaluator}"

    offered, offered_again = (
        [value for value, _ in page.context["trial_form"].worst]
        for page in (
            alices.post(bench, chosen(dataset=experiment.dataset_id)),
            alices.post(bench, chosen(dataset=experiment.dataset_id, try_from=kept)),
        )
    )

    assert offered == [f"worst:{newer.pk}:{evaluator}"]
    assert offered_again == [kept]


def spent(client: Client, prompt: Prompt) -> str:
    trial = ask(client, prompt, chosen())
    trials.answer()
    return client.get(address(trial)).context["shown_trial"].spent


@pytest.mark.usefixtures("price")
def test_a_trial_says_what_its_answers_cost(alices, prompt):
    assert spent(alices, prompt) == "spent < 0.0001 USD"


@pytest.mark.usefixtures("price")
def test_nothing_is_called_spent_before_it_is_answered(alices, prompt):
    """What is set aside for calls that go on is their highest cost."""
    trial = ask(alices, prompt, chosen())
    Budget.objects.filter(pk=trial.budget_id).update(committed=5_000_000_000)

    shown = alices.get(address(trial)).context["shown_trial"].spent

    assert shown == "at most 0.0050 USD"


@pytest.mark.usefixtures("price")
def test_calls_of_a_model_without_a_price_are_in_no_highest_cost(alices, prompt):
    trial = ask(alices, prompt, chosen(SAVED, SAVED | {"model": "unpriced"}))
    Budget.objects.filter(pk=trial.budget_id).update(committed=5_000_000_000)

    shown = alices.get(address(trial)).context["shown_trial"].spent

    assert shown == "at most 0.0050 USD, as far as prices are known"


def test_the_cost_of_a_model_without_a_price_is_not_shown_as_0(alices, prompt):
    assert spent(alices, prompt) == "cost unknown"


def test_answers_are_scored_by_the_ticked_evaluators(alices, project, prompt):
    factories.evaluator(project, name="left out")
    ticked = factories.evaluator(project, name="ticked")

    trial = ask(alices, prompt, chosen(try_evaluators=[f"evaluator:{ticked.pk}"]))
    trials.answer()

    assert [score["name"] for score in trial.answers.get().scores] == ["ticked"]


@pytest.mark.parametrize(
    ("form", "code", "status"),
    [
        (chosen(draft("{{ nobody }}")), "unknown_variable", 400),
        (chosen(try_names=""), "invalid_trial", 400),
        (chosen(try_names="999"), "not_found", 404),
        (chosen(try_from="typed", try_typed=""), "invalid_trial", 400),
        (chosen(try_from="typed", try_typed="{"), "invalid_trial", 400),
        (chosen(try_from="worst:9:9"), "not_found", 404),
        (chosen(try_from="worst:x"), "not_found", 404),
        (chosen(draft(seed="x")), "invalid_prompt", 400),
        (chosen(draft(model="")), "invalid_trial", 400),
    ],
)
def test_a_refused_trial_keeps_what_was_typed(alices, prompt, stub, form, code, status):
    response = alices.post(f"/prompts/{prompt.pk}/try/", form)

    assert (response.status_code, response.context["trial_refusal"].code) == (status, code)
    assert PromptDraft.objects.get().form["try_from"] == [form["try_from"]]
    assert not Trial.objects.exists()


@pytest.mark.parametrize(
    ("form", "code"),
    [
        (chosen(draft(connection="999")), "unknown_connection"),
        (chosen(dataset="999"), "not_found"),
    ],
)
def test_what_the_project_does_not_have_is_kept_on_the_page_alone(alices, prompt, stub, form, code):
    response = alices.post(f"/prompts/{prompt.pk}/try/", form)

    assert (response.status_code, response.context["trial_refusal"].code) == (404, code)
    assert response.context["columns"]
    assert not PromptDraft.objects.exists()
    assert not Trial.objects.exists()


# ---- answers -----------------------------------------------------------------------------------------------


def test_answers_are_polled_until_all_have_arrived(alices, prompt):
    trial = ask(alices, prompt, chosen())
    waiting = alices.get(f"/trials/{trial.pk}/", headers=HTMX)

    trials.answer()

    ended = alices.get(f"/trials/{trial.pk}/", headers=HTMX)
    assert f'hx-get="/trials/{trial.pk}/?at=0"' in markup(waiting)
    assert "hx-get" not in markup(ended)
    assert "<main" not in markup(ended)
    assert alices.get(f"/trials/{trial.pk}/")["Location"] == address(trial)


def test_an_answer_is_read_whole_or_raw_and_copied(alices, prompt, stub):
    said = "**Bold** " + "word " * 600 + "end."
    stub.answer = lambda _: reply(said)
    trial = ask(alices, prompt, chosen())
    trials.answer()

    rendered, raw = (markup(alices.get(address(trial) + query)) for query in ("", "&raw=1"))

    assert "<strong>Bold</strong>" in rendered
    assert "**Bold**" in raw.partition("bench-answers")[2]
    assert all(
        "end.</p>" in page and "Show all" in page and 'aria-label="Copy the answer"' in page
        for page in (rendered, raw)
    )


def test_without_a_script_the_answers_are_reloaded_by_a_link(alices, prompt):
    trial = ask(alices, prompt, chosen())

    assert f'href="?trial={trial.pk}">Reload' in markup(alices.get(address(trial)))


def below(client: Client, trial: Trial) -> list[tuple[int, bool] | None]:
    """The answers below each column: the index of the variant, and whether the column has changed since."""
    shown = client.get(address(trial)).context["shown_trial"].places
    return [place and (place.variant, place.is_stale) for place in shown]


def test_answers_stay_below_their_columns(alices, prompt):
    trial = ask(alices, prompt, chosen(SAVED, draft()))
    assert below(alices, trial) == [(0, False), (1, False)]

    alices.post(f"/prompts/{prompt.pk}/bench/", chosen(SAVED, draft(), do="remove-0"))
    assert below(alices, trial) == [(1, False)]

    alices.post(
        f"/prompts/{prompt.pk}/bench/", chosen(draft("Or {{ question }}"), draft(), SAVED, do="draft")
    )
    assert below(alices, trial) == [None, (1, False), (0, False)]

    alices.post(f"/prompts/{prompt.pk}/bench/", chosen(draft("Or {{ question }}"), draft(), do="draft"))
    assert below(alices, trial) == [(0, True), (1, False)]


def test_a_column_that_is_saved_keeps_its_answers(alices, prompt):
    trial = ask(alices, prompt, chosen(SAVED, draft()))

    response = alices.post(f"{address(trial)}", chosen(SAVED, draft(), do="save-1"))

    assert response["Location"] == address(trial)
    assert prompts.version_of(prompt, 2).messages[0]["content"] == "Now {{ question }}"
    assert below(alices, trial) == [(0, False), (1, False)]
    page = alices.get(address(trial)).context
    assert [variant.name for _, variant in page["columns"]] == ["v1", "v2"]


def test_all_columns_are_launched_with_the_first_as_baseline(alices, project, prompt, dataset):
    primary = [factories.evaluator(project, name=name) for name in ("other", "primary")][-1]
    columns = [draft(), SAVED | {"model": "small"}, SAVED]

    response = alices.post(
        f"/prompts/{prompt.pk}/bench/",
        chosen(*columns, try_evaluators=[f"evaluator:{primary.pk}"], do="launch"),
    )

    page = alices.get(response["Location"]).context
    variants = [(cell.version.number, cell.model) for cell in page["form"].matrix.chosen]
    assert sorted(variants) == [(1, "small"), (1, "tiny"), (2, "tiny")]
    assert page["baseline"] == "solve v2"
    assert page["dataset"] == dataset
    assert page["form"]["evaluators"].value() == [f"evaluator:{primary.pk}"]
    assert page["form"]["name"].value() == "Which of solve v2 and v1 is better?"


def test_a_column_that_cannot_be_saved_leads_to_no_launch(alices, prompt):
    response = alices.post(f"/prompts/{prompt.pk}/bench/", chosen(SAVED, draft(seed="x"), do="launch"))

    assert (response.status_code, response.context["trial_refusal"].code) == (400, "invalid_prompt")
    prompt.refresh_from_db()
    assert prompt.version == 1


def test_the_trial_of_another_person_shows_what_was_asked(alices, as_user, bob, prompt):
    trial = ask(alices, prompt, chosen(SAVED, draft(temperature="0.5")))
    as_user(bob).post(f"/prompts/{prompt.pk}/bench/", chosen(draft("mine"), do="draft"))

    page = as_user(bob).get(address(trial)).context

    assert [column.messages[0].text for column, _ in page["columns"]] == [
        *("Solve {{ question }}", "Now {{ question }}")
    ]
    assert [place.is_stale for place in page["shown_trial"].places] == [False, False]


def test_answers_are_shown_as_changes_from_the_first_variant(alices, prompt):
    trial = ask(alices, prompt, chosen(SAVED, draft("Solve now {{ question }}")))
    trials.answer()

    page = alices.get(f"{address(trial)}&changes=1").context["shown_trial"]

    first, second = page.rows[0].cells
    assert not first.text.has_changes
    assert second.text.summary == "1 change"


def test_two_long_answers_are_folded_alike_and_open_in_place(alices, prompt, stub):
    text = "".join(f"This is sentence {number} of a long policy. " for number in range(60))
    stub.answer = lambda request: reply(
        text + ("No." if "now" in request["messages"][0]["content"] else "Yes.")
    )
    trial = ask(alices, prompt, chosen(SAVED, draft("Solve now {{ question }}")))
    trials.answer()

    page = alices.get(f"{address(trial)}&changes=1")

    first, second = page.context["shown_trial"].rows[0].cells
    assert [passage.folded for passage in first.text.passages] == [
        passage.folded for passage in second.text.passages
    ]
    html = page.content.decode()
    assert html.count('<details class="same-fold">') == 2
    assert '<p class="same-fold">' not in html


def test_calls_of_tools_are_shown_as_calls_and_their_changes(alices, prompt, stub):
    def answer(request):
        city = "Oslo" if "now" in request["messages"][0]["content"] else "Rome"
        calls = [{"id": "c", "type": "function", "function": {"name": "weather", "arguments": city}}]
        return reply(None, "tool_calls", tool_calls=calls)

    stub.answer = answer
    trial = ask(alices, prompt, chosen(SAVED, draft("Solve now {{ question }}")))
    trials.answer()

    page = alices.get(address(trial))
    [row] = page.context["shown_trial"].rows
    assert [cell.text.messages[0].text for cell in row.cells] == ["weather(Rome)", "weather(Oslo)"]
    assert page.content.decode().count('class="call"') == 2

    changed = alices.get(f"{address(trial)}&changes=1").context["shown_trial"]
    assert changed.rows[0].cells[1].text.stretches


def test_a_trial_is_stopped_and_asked_again(alices, prompt):
    trial = ask(alices, prompt, chosen())

    alices.post(f"/trials/{trial.pk}/stop/", chosen())
    assert trial.answers.get().error["code"] == "stopped"
    # it ended while the page was being read
    assert alices.post(f"/trials/{trial.pk}/stop/").status_code == 302
    alices.post(f"/trials/{trial.pk}/again/")

    assert trial.answers.get().state == "ready"


@pytest.mark.parametrize(
    ("is_asked", "has_price", "words"),
    [
        (True, True, "cost of stopped answers unknown"),
        (True, False, "cost of stopped answers and of models without a price unknown"),
        (False, True, "spent 0.00 USD"),
    ],
)
def test_what_an_answer_cost_that_was_stopped_while_it_came_is_not_known(
    request, alices, prompt, is_asked, has_price, words
):
    if has_price:
        request.getfixturevalue("price")
    trial = ask(alices, prompt, chosen())
    if is_asked:
        paid = Spending.objects.create(month=trial.budget, budget=trial.budget, model="tiny", worst=5)
        trial.answers.update(spending=paid, partial="Par")

    alices.post(f"/trials/{trial.pk}/stop/", chosen())

    assert alices.get(address(trial)).context["shown_trial"].spent == words


@pytest.mark.usefixtures("price")
def test_where_the_highest_cost_is_not_known_that_of_the_answers_below_stands_beside_the_button(
    alices, prompt
):
    trial = ask(alices, prompt, chosen())
    trials.answer()

    shown = alices.get(address(trial))

    assert re.search(r"(at most|about) 0\.0\d+ USD", text_of(shown))
    assert "cost unknown" not in text_of(shown)


def test_each_answer_has_its_own_stop_and_retry(alices, prompt):
    trial = ask(alices, prompt, chosen(SAVED, draft()))
    waiting = markup(alices.get(f"/trials/{trial.pk}/", headers=HTMX))

    stopped = markup(alices.post(f"/trials/{trial.pk}/stop/?at=0.1", {"cell": "1.0"}, headers=HTMX))
    trials.answer()
    retried = alices.post(f"/trials/{trial.pk}/again/", {"cell": "1.0"})

    assert waiting.count('aria-label="Stop the answer of ') == 2
    assert 'aria-label="Stop the answer of v1' in stopped
    assert 'aria-label="Retry the answer of draft' in stopped
    assert retried["Location"] == address(trial)
    assert [answer.state for answer in trial.answers.order_by("variant")] == ["done", "ready"]


def test_output_of_a_model_is_shown_as_text(alices, prompt, stub):
    stub.answer = lambda request: reply("</td><script>x()</script>")
    trial = ask(alices, prompt, chosen(draft("Now")))
    trials.answer()

    for query in ("", "&changes=1"):
        assert "<script>x()" not in markup(alices.get(f"{address(trial)}{query}"))


def test_a_viewer_reads_the_answers_and_asks_nothing(as_user, alices, dana, prompt):
    trial = ask(alices, prompt, chosen())
    trials.answer()

    html = markup(as_user(dana).get(address(trial)))

    assert "Solve What is 1?" in html
    assert not re.search(r"<\w+\b[^>]*\sdata-run\b", html)


def test_a_trial_of_another_prompt_is_not_shown(alices, project, prompt):
    trial = ask(alices, prompt, chosen())
    second = factories.prompt(project, name="other")

    assert alices.get(f"/prompts/{second.pk}/bench/?trial={trial.pk}").context["shown_trial"] is None


# ---- columns -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "texts"),
    [
        ("add", ["one", "two", "two"]),
        ("copy-0", ["one", "one", "two"]),
        ("remove-0", ["two"]),
        ("remove-9", ["one", "two"]),
        ("copy-x", ["one", "two"]),
    ],
)
def test_columns_are_added_copied_and_removed_and_stay_so(alices, prompt, action, texts):
    form = chosen(draft("one"), draft("two"), do=action)

    for page in (
        alices.post(f"/prompts/{prompt.pk}/bench/", form),
        alices.get(f"/prompts/{prompt.pk}/bench/"),
    ):
        assert [column.messages[0].text for column, _ in page.context["columns"]] == texts


def test_all_columns_without_a_model_are_named_and_marked(alices, prompt):
    form = bench_form({**SAVED, "model": ""}, {**SAVED, "model": "", "content": "Solve it"}, do="run")

    response = alices.post(f"/prompts/{prompt.pk}/try/", form)

    refusal = response.context["trial_refusal"]
    assert sorted(refusal.fields) == ["variants/0", "variants/1"]
    assert "have no model" in str(refusal)
    assert markup(response).count('aria-invalid="true" autofocus') == 2


def test_a_bench_has_at_most_four_columns_and_at_least_one(alices, prompt):
    def count(*columns: dict[str, Any], action: str) -> int:
        page = alices.post(f"/prompts/{prompt.pk}/bench/", chosen(*columns, do=action))
        return len(page.context["columns"])

    assert count(*[SAVED] * 4, action="add") == 4
    assert count(*[SAVED] * 4, action="copy-1") == 4
    assert count(SAVED, action="remove-0") == 1


def test_a_bench_without_a_model_names_known_ones_and_takes_one_by_a_click(alices, project, prompt, dataset):
    bare = prompts.create(project, None, "bare", Content([{"role": "user", "content": "{{ question }}"}], ""))
    page = f"/prompts/{bare.pk}/bench/"
    assert "Choose a model: tiny" in text_of(alices.get(page))
    assert "choose a model first" in text_of(alices.get(page))

    form = bench_form({"content": "{{ question }}", "model": ""}) | {"do": "model-0-tiny"}
    response = alices.post(page, form)

    assert response.context["columns"][0][0].form["model"].value() == "tiny"
    assert "choose a model first" not in text_of(response)


def test_a_bench_shows_its_examples_before_it_asks(alices, prompt, dataset):
    page = alices.get(f"/prompts/{prompt.pk}/bench/")

    assert [row.name for row in page.context["first_examples"]]
    assert "What is 1?" in text_of(page)


def test_other_examples_that_are_chosen_are_shown_before_they_are_asked(alices, prompt):
    typed = chosen(try_names="2", do="draft")

    part = markup(alices.post(f"/prompts/{prompt.pk}/bench/", typed, headers=HTMX))

    assert 'id="answers" hx-swap-oob="true"' in part
    assert "What is 2?" in part
    assert "What is 1?" not in part


def test_answers_are_not_replaced_by_the_examples_that_are_chosen_next(alices, prompt):
    trial = ask(alices, prompt, chosen())
    typed = chosen(try_names="2", do="draft")

    page = markup(alices.get(address(trial)))
    [kept_at] = re.findall(r'hx-post="([^"]+/bench/[^"]*)"', page)
    part = markup(alices.post(kept_at, typed, headers=HTMX))

    assert 'id="saved"' in part
    assert 'id="answers"' not in part


@pytest.mark.parametrize("width", [320, 1280])
def test_the_word_reference_stands_on_one_line(prompt, live_server, alices_page: Page, width):
    alices_page.set_viewport_size({"width": width, "height": 800})
    alices_page.goto(f"{live_server.url}/prompts/{prompt.pk}/bench/")

    lines = alices_page.locator(".asking-reference > .label").first.evaluate(
        """label => {
            const range = document.createRange();
            range.selectNodeContents(label);
            return new Set([...range.getClientRects()].map(line => line.top)).size;
        }"""
    )

    assert lines == 1


def test_a_trial_of_saved_versions_by_a_program_has_saved_columns(bob, alices, project, prompt):
    """Though the versions name the connection that is the usual one of the project, too."""
    server = Connection.objects.get()
    versions = [
        prompts.add_version(prompt, None, {"model": model, "connection": server})[0]
        for model in ("large", "huge")
    ]
    project.refresh_from_db()
    assert project.default_connection == server
    trial = playground.create(
        prompt,
        bob,
        [Variant(Content.from_version(version), version.number) for version in versions],
        examples.typed([{"inputs": {"question": "What is 1?"}}]),
    )

    page = alices.get(address(trial))

    assert [variant.name for _, variant in page.context["columns"]] == ["v2", "v3"]
    assert "Save as v" not in text_of(page)
    assert page.context["unsaved"] == 0


def test_run_again_is_grey_while_the_bench_is_asked(alices, prompt, stub):
    trial = ask(alices, prompt, chosen(SAVED))
    running = markup(alices.get(address(trial)))
    trials.answer()
    part = alices.get(f"/trials/{trial.pk}/?at=0", headers={"HX-Request": "true"})

    assert 'class="button" id="run"' in " ".join(running.split())
    assert 'class="button button-main" id="run"' in " ".join(markup(part).split())


def test_a_bench_begins_with_the_two_newest_versions(alices, prompt):
    prompts.add_version(prompt, None, {"model": "large"})
    prompts.add_version(prompt, None, {"model": "huge"})

    page = alices.get(f"/prompts/{prompt.pk}/bench/").context

    assert [variant.name for _, variant in page["columns"]] == ["v2", "v3"]


def test_the_draft_of_the_editor_becomes_a_column(alices, prompt):
    for _ in range(2):  # once, however often it is tried
        trial = ask(alices, prompt, form_with("Mine", model="tiny", do="bench"))
        assert names(trial) == ["v1", "draft"]

    page = alices.get(f"/prompts/{prompt.pk}/bench/").context
    texts = [(variant.name, column.messages[0].text) for column, variant in page["columns"]]
    assert texts == [("v1", "Solve {{ question }}"), ("draft", "Mine")]


def test_what_is_new_on_the_bench_is_marked_beside_the_message_that_it_belongs_to(alices, alice, prompt):
    first = prompts.version_of(prompt).messages
    added = [{"role": "system", "content": "You are a clerk."}, *first]
    prompts.add_version(prompt, alice, Content(messages=added).parts(), "clerk", None)

    (_, _), (second, _) = alices.get(f"/prompts/{prompt.pk}/bench/").context["columns"]

    assert [beside for _, _, beside in second.drafts] == [None, *range(len(first))]


def test_the_dataset_of_the_last_launch_is_chosen_behind_many_newer_ones(
    alices, project, prompt, dataset, monkeypatch
):
    experiment = experiments.create(project, None, "asked", dataset, [])
    run = factories.run(experiment, ["a"] * dataset.example_count)
    Run.objects.filter(pk=run.pk).update(prompt_version=prompts.version_of(prompt))
    monkeypatch.setattr(preview, "OFFERED", 1)
    datasets.create(project, None, "newer", [{"inputs": {"question": "?"}}])

    assert alices.get(f"/prompts/{prompt.pk}/bench/").context["dataset"] == dataset


def test_what_cannot_be_asked_is_said_on_the_bench_whose_buttons_go_on_there(alices, prompt):
    response = alices.post(
        f"/prompts/{prompt.pk}/try/", form_with("Ask {{ nobody }}", model="tiny", do="bench")
    )

    assert response.status_code == 400
    assert "nobody" in response.context["trial_refusal"].message
    assert [variant.name for _, variant in response.context["columns"]] == ["v1", "draft"]
    assert f'action="/prompts/{prompt.pk}/bench/"' in markup(response)
    assert not Trial.objects.exists()


@pytest.mark.parametrize(("text", "is_offered"), [("Typed", True), (SAVED["content"], False)])
def test_a_column_can_be_saved_as_soon_as_it_differs(alices, prompt, text, is_offered):
    response = alices.post(f"/prompts/{prompt.pk}/bench/", chosen(draft(text), do="draft"), headers=HTMX)

    assert ("Save as v2" in markup(response)) is is_offered
    assert (">draft<" in markup(response)) is is_offered


def columns_after_trying(client: Client, prompt: Prompt, version: int, **form: Any) -> list[str]:
    """The names of the columns of the bench that *Try it* opens from this version."""
    shown_version = {"content": prompts.version_of(prompt, version).messages[0]["content"], "model": "tiny"}
    client.post(f"/prompts/{prompt.pk}/try/?version={version}", form_with(do="bench", **shown_version | form))
    page = client.get(f"/prompts/{prompt.pk}/bench/").context
    return [variant.name for _, variant in page["columns"]]


def add_versions(prompt: Prompt, *texts: str) -> None:
    for text in texts:
        prompts.add_version(prompt, None, {"messages": [{"role": "user", "content": text}]})


@pytest.mark.parametrize(
    ("version", "columns"), [(1, ["v1", "v4"]), (2, ["v1", "v2"]), (3, ["v2", "v3"]), (4, ["v3", "v4"])]
)
def test_a_version_is_tried_beside_the_one_before(alices, prompt, version, columns):
    add_versions(prompt, "second", "third", "Solve {{ question }}")

    assert columns_after_trying(alices, prompt, version) == columns


def test_a_version_is_tried_beside_the_columns_of_last_time(alices, prompt):
    add_versions(prompt, "second", "Solve {{ question }}")
    alices.post(f"/prompts/{prompt.pk}/bench/", chosen(SAVED, draft("second", base="2"), do="draft"))

    assert columns_after_trying(alices, prompt, 3) == ["v1", "v2", "v3"]
    assert columns_after_trying(alices, prompt, 2) == ["v1", "v2", "v3"]


def test_a_full_bench_gives_room_by_a_saved_version_that_is_not_the_baseline(alices, prompt):
    add_versions(prompt, "second", "third")
    second, mine = draft("second", base="2"), draft("mine")
    alices.post(f"/prompts/{prompt.pk}/bench/", chosen(SAVED, second, mine, draft("more"), do="draft"))

    assert columns_after_trying(alices, prompt, 3) == ["v1", "draft, mine", "draft, more", "v3"]


def test_a_version_is_tried_on_the_dataset_of_its_preview(alices, project, prompt, dataset):
    datasets.create(project, None, "Newer", [{"inputs": {"question": "?"}}])

    columns_after_trying(alices, prompt, 1, dataset=dataset.pk)

    assert alices.get(f"/prompts/{prompt.pk}/bench/").context["dataset"] == dataset


def test_a_draft_that_cannot_be_sent_stays_in_the_editor(alices, prompt):
    response = alices.post(f"/prompts/{prompt.pk}/try/", form_with("Mine", seed="x", do="bench"))

    assert response.status_code == 400
    assert shown(alices, prompt) == ["Mine"]


def test_the_primary_of_the_dataset_scores_however_new_it_is(alices, project, prompt, dataset):
    for number in range(25):
        factories.evaluator(project, "exact_match", f"older {number}")
    primary = factories.evaluator(project, "contains", "decides here")
    experiments.create(project, None, "before", dataset, [primary])

    page = alices.get(f"/prompts/{prompt.pk}/bench/?dataset={dataset.pk}")

    assert [one.name for one in page.context["trial_form"].evaluators] == ["decides here"]


def test_the_dataset_last_asked_about_is_chosen(alices, project, prompt, dataset):
    ask(alices, prompt, chosen(dataset=dataset.pk))
    datasets.create(project, None, "Newer", [{"inputs": {"question": "?"}}])
    PromptDraft.objects.all().delete()

    assert alices.get(f"/prompts/{prompt.pk}/bench/").context["dataset"] == dataset


# ---- drafts ------------------------------------------------------------------------------------------------


def shown(client: Client, prompt: Prompt, query: str = "") -> list[str]:
    context = client.get(f"/prompts/{prompt.pk}/{query}").context
    return [draft.text for draft, _ in context["drafts"]]


def test_a_draft_outlasts_a_reload(alices, prompt):
    alices.post(f"/prompts/{prompt.pk}/", form_with("Half a thou", model="tiny", do="draft"))

    assert shown(alices, prompt) == ["Half a thou"]


def test_a_draft_is_shown_to_its_maker_only(alices, as_user, bob, prompt):
    alices.post(f"/prompts/{prompt.pk}/", form_with("Half a thou", model="tiny", do="draft"))

    assert shown(as_user(bob), prompt) == ["Solve {{ question }}"]


def test_a_draft_changes_no_version(alices, prompt):
    alices.post(f"/prompts/{prompt.pk}/", form_with("Half a thou", model="tiny", do="draft"))

    assert shown(alices, prompt, "?version=1") == ["Solve {{ question }}"]
    assert prompts.version_of(prompt).number == 1


def test_a_draft_stays_based_on_its_version(alices, prompt):
    prompts.add_version(prompt, None, {"messages": [{"role": "user", "content": "second"}]})

    alices.post(f"/prompts/{prompt.pk}/?version=1", form_with("mine", model="tiny", do="draft"))

    context = alices.get(f"/prompts/{prompt.pk}/").context
    assert (context["base"].number, context["is_draft"]) == (1, True)


@pytest.mark.parametrize("text", ["Solve {{ question }}", "Now {{ question }}"])
def test_a_text_that_is_saved_on_the_bench_is_no_draft_of_the_version_before(alices, prompt, text):
    """Neither the form that *Try it* sent unchanged nor the one whose text became a column replaces the new version."""
    alices.post(f"/prompts/{prompt.pk}/try/", form_with(text, model="tiny", do="bench"))
    alices.post(f"/prompts/{prompt.pk}/bench/", chosen(SAVED, draft(), do="save-1"))

    page = alices.get(f"/prompts/{prompt.pk}/")

    assert (page.context["base"].number, page.context["is_draft"]) == (2, False)
    assert shown(alices, prompt) == ["Now {{ question }}"]


def test_a_version_that_is_shown_unchanged_replaces_no_draft(alices, prompt):
    alices.post(f"/prompts/{prompt.pk}/", form_with("mine", model="tiny", do="draft"))

    for do, end in (("draft", ""), ("preview", ""), ("bench", "try/")):
        alices.post(f"/prompts/{prompt.pk}/{end}?version=1", form_with(model="tiny", do=do))

    assert shown(alices, prompt) == ["mine"]


def test_a_form_keeps_its_version_when_a_newer_one_is_saved(alices, prompt):
    prompts.add_version(prompt, None, {"messages": [{"role": "user", "content": "second"}]})

    alices.post(f"/prompts/{prompt.pk}/", form_with("mine", model="tiny", do="draft", base="1"))

    assert alices.get(f"/prompts/{prompt.pk}/").context["base"].number == 1


def test_a_draft_is_discarded_once_there_is_one(prompt, live_server, alices_page: Page):
    page = alices_page
    page.goto(f"{live_server.url}/prompts/{prompt.pk}/")
    expect(page.get_by_role("button", name="Discard draft")).to_be_hidden()
    page.locator("textarea[name=content]").fill("Typed {{ question }}")
    expect(page.locator("#saved")).to_have_text("draft saved")
    page.get_by_role("button", name="Discard draft").click()

    expect(page.locator("textarea[name=content]")).to_have_value("Solve {{ question }}")


@pytest.mark.parametrize("end", ["", "discard/"])
def test_saving_or_discarding_ends_a_draft(alices, prompt, end):
    alices.post(f"/prompts/{prompt.pk}/", form_with("mine", model="tiny", do="draft"))

    alices.post(f"/prompts/{prompt.pk}/{end}", form_with("mine", model="tiny", do="save"))

    assert not PromptDraft.objects.exists()


def test_a_draft_that_is_too_long_is_not_kept(alices, prompt):
    alices.post(f"/prompts/{prompt.pk}/", form_with("x" * 1_000_001, do="draft"))

    assert not PromptDraft.objects.exists()


def test_a_prompt_is_tried_by_keyboard_and_answers_appear(prompt, live_server, alices_page: Page):
    Example.objects.filter(key="k3").update(key="K" * 200)
    page = alices_page
    page.goto(f"{live_server.url}/prompts/{prompt.pk}/")
    page.locator("textarea[name=content]").fill("Typed {{ question }}")
    page.locator("textarea[name=content]").press("Control+Enter")

    column = page.locator("textarea[name=c1-content]")
    expect(column).to_have_value("Typed {{ question }}")
    expect(page.locator(".new-words")).to_have_text("Typed")
    expect(page.locator("#answers .state").first).to_be_visible()
    trials.answer()

    expect(page.locator("#answers .said .text").last).to_have_text("Typed What is 3?")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "a long key is wrapped"
    column.fill("Changed {{ question }}")
    expect(page.locator("#answers .bench-cell[data-column='1']").first).to_have_attribute("data-stale", "")
    expect(page.locator("#saved")).to_have_text("draft saved")
    page.reload()
    expect(column).to_have_value("Changed {{ question }}")


def test_a_button_that_is_pressed_while_the_answers_are_asked_for_again_keeps_its_click(
    prompt, live_server, alices_page: Page
):
    page = alices_page
    page.goto(f"{live_server.url}/prompts/{prompt.pk}/bench/")
    page.locator("#run").click()
    stop = page.locator("[data-stop]")
    stop.hover()
    page.mouse.down()
    for _ in range(2):
        with page.expect_response(lambda response: "/trials/" in response.url):
            pass
    page.mouse.up()

    expect(page.locator("#answers .state[data-state=stopped]").first).to_be_visible()


def test_the_bench_scores_by_what_suits_the_references_and_follows_what_decides(alices, project, prompt):
    examples = [{"inputs": {"question": "1 + 1?"}, "reference": {"answer": "The sum is 2"}}]
    sums = datasets.create(project, None, "Sums", examples)
    ask(alices, prompt, chosen(dataset=sums.pk))
    suited = alices.get(f"/prompts/{prompt.pk}/bench/").context["trial_form"].suggested
    trial = ask(alices, prompt, chosen(dataset=sums.pk, try_evaluators=suited, try_suggested=suited))

    assert [version.kind for version in EvaluatorVersion.objects.filter(pk__in=trial.evaluators)] == [
        "numeric_match"
    ]
    other = factories.evaluator(project, name="decides now")
    experiments.set_primary(experiments.create(project, None, "Sums", sums, [other]), other)
    form = alices.get(f"/prompts/{prompt.pk}/bench/").context["trial_form"]
    assert [one.name for one in form.evaluators] == ["decides now"]

    ask(alices, prompt, chosen(dataset=sums.pk, try_evaluators=["evaluator:999"]))  # deleted meanwhile
    form = alices.get(f"/prompts/{prompt.pk}/bench/").context["trial_form"]
    assert [one.name for one in form.evaluators] == ["decides now"]


def test_a_chosen_dataset_is_on_the_bench_however_old_it_is(alices, prompt, dataset, project, monkeypatch):
    monkeypatch.setattr(preview, "OFFERED", 1)
    newest = factories.experiment(project, references=["a"]).dataset

    chosen = alices.get(f"/prompts/{prompt.pk}/bench/?dataset={dataset.pk}").context

    assert chosen["trial_form"].dataset == dataset
    assert chosen["datasets"] == [newest, dataset]


def test_the_bench_says_why_an_evaluator_scores_it_and_shows_what_it_says(alices, prompt, project):
    references = [f"It is {n}." for n in range(12)]
    experiment = factories.experiment(project, references=references)
    factories.scored_run(experiment, [*references[:6], *["no"] * 6], "v1")

    page = text_of(alices.get(f"/prompts/{prompt.pk}/bench/?dataset={experiment.dataset_id}"))

    assert "exact match is selected, because it decided in the last experiment on this dataset" in page
    assert "Three of your rows, scored by each" in page
