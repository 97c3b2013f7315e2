"""Trials in the editor of a prompt: calls, arriving answers, and a draft that survives a reload."""

import re
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page, expect

from evaluations.evaluators import connections
from evaluations.models import Connection, Prompt, PromptDraft, Trial
from evaluations.prompts import prices, prompts
from evaluations.prompts.content import Content
from tests import factories, trials
from tests.clients.chat import echo, reply
from tests.pages import markup

from .test_prompts import form_with

pytestmark = pytest.mark.django_db(transaction=True)
HTMX = {"HX-Request": "true"}


@pytest.fixture
def prompt(project, alice, dataset, settings, stub) -> Prompt:
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    connections.create(project, alice, "stub", stub.url)
    messages = [{"role": "user", "content": "Solve {{ question }}"}]
    return prompts.create(project, alice, "solve", Content(messages, "tiny"))


def chosen(*contents: str, **changes: Any) -> dict[str, Any]:
    """The form of a trial: the draft and version 1 on the first example."""
    choices = {"try_from": "named", "try_names": "1", "try_versions": ["draft", "1"], "model": "tiny"}
    return form_with(*contents, **choices | {"do": "try"} | changes)


def ask(client: Client, prompt: Prompt, form: dict[str, Any]) -> Trial:
    response = client.post(f"/prompts/{prompt.pk}/try/", form)
    assert response.status_code == 302, response.context["trial_refusal"].message
    trial = Trial.objects.latest("pk")
    assert response["Location"] == f"/prompts/{prompt.pk}/?trial={trial.pk}#try"
    return trial


def names(trial: Trial) -> list[str]:
    return [variant["name"] for variant in trial.variants]


# ---- asking ------------------------------------------------------------------------------------------------


def test_the_draft_is_asked_beside_its_version(alices, prompt, stub):
    trial = ask(alices, prompt, chosen("Now {{ question }}"))
    trials.answer()

    assert names(trial) == ["v1", "draft"]
    html = markup(alices.get(f"/prompts/{prompt.pk}/?trial={trial.pk}"))
    assert "Solve What is 1?" in html
    assert "Now What is 1?" in html


def test_a_draft_that_changes_nothing_is_asked_once_as_its_version(alices, prompt):
    assert names(ask(alices, prompt, chosen())) == ["v1"]


def test_every_version_is_asked_with_every_model(alices, prompt):
    trial = ask(alices, prompt, chosen("Now {{ question }}", try_models="small, large"))

    assert names(trial) == ["v1, small", "v1, large", "draft, small", "draft, large"]


def positions(trial: Trial) -> list[int]:
    return [row["position"] for row in trial.examples]


def test_examples_are_chosen_by_position_key_or_chance(alices, prompt):
    assert positions(ask(alices, prompt, chosen(try_names="7, k3"))) == [7, 3]
    assert len(positions(ask(alices, prompt, chosen(try_from="random", try_seed="5")))) == 5


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
    trial = ask(alices, prompt, chosen(try_evaluators=[exact.pk], try_versions=["1"], **typed))
    trials.answer()

    assert [[score["passed"] for score in answer.scores] for answer in trial.answers.all()] == scores
    assert references.strip() in alices.get(f"/prompts/{prompt.pk}/").context["trial_form"].references


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
    form = chosen("Now {{ question }}", max_completion_tokens="100", try_versions=["draft"], do="draft")

    response = alices.post(f"/prompts/{prompt.pk}/", form)

    body = (
        '{"model":"tiny","messages":[{"role":"user","content":"Now What is 1?"}],"max_completion_tokens":100}'
    )
    cost = Decimal(len(body) + 100) / 10**6
    assert shown_price(markup(response)) == f"at most {cost:.5f} USD"
    assert 'hx-swap-oob="true"' in markup(response)
    assert shown_price(markup(alices.get(f"/prompts/{prompt.pk}/"))) == f"at most {cost:.5f} USD"


@pytest.mark.parametrize(
    "changes", [{}, {"max_completion_tokens": "100", "model": "free"}, {"try_names": "999"}]
)
@pytest.mark.usefixtures("price")
def test_a_price_that_nobody_knows_is_called_unknown(alices, prompt, changes):
    form = chosen("Now {{ question }}", try_versions=["draft"], do="draft", **changes)

    assert shown_price(markup(alices.post(f"/prompts/{prompt.pk}/", form))) == "cost unknown"


def spent(client: Client, prompt: Prompt) -> str:
    trial = ask(client, prompt, chosen("Solve {{ question }}", try_versions="1"))
    trials.answer()
    return client.get(f"/prompts/{prompt.pk}/?trial={trial.pk}").context["shown_trial"].spent


@pytest.mark.usefixtures("price")
def test_a_trial_says_what_its_answers_cost(alices, prompt):
    assert re.fullmatch(r"spent 0\.0\d+ USD", spent(alices, prompt))


def test_the_cost_of_a_model_without_a_price_is_not_shown_as_0(alices, prompt):
    assert spent(alices, prompt) == "cost unknown"


def test_answers_are_scored_by_the_ticked_evaluators(alices, project, prompt):
    factories.evaluator(project, name="left out")
    ticked = factories.evaluator(project, name="ticked")

    trial = ask(alices, prompt, chosen(try_evaluators=[ticked.pk]))
    trials.answer()

    assert [score["name"] for score in trial.answers.get().scores] == ["ticked"]


@pytest.mark.parametrize(
    ("form", "code", "status"),
    [
        (chosen("{{ nobody }}"), "unknown_variable", 400),
        (chosen("Now", try_models="a,b,c"), "invalid_trial", 400),
        (chosen(try_names=""), "invalid_trial", 400),
        (chosen(try_names="999"), "not_found", 404),
        (chosen(try_from="typed", try_typed=""), "invalid_trial", 400),
        (chosen(try_from="typed", try_typed="{"), "invalid_trial", 400),
        (chosen(try_from="worst:9:9"), "not_found", 404),
        (chosen(try_from="worst:x"), "not_found", 404),
        (chosen(try_versions=["99"]), "invalid_trial", 400),
        (chosen(seed="x"), "invalid_prompt", 400),
        (chosen(try_versions=["draft"], model=""), "invalid_trial", 400),
    ],
)
def test_a_refused_trial_keeps_the_draft(alices, prompt, stub, form, code, status):
    response = alices.post(f"/prompts/{prompt.pk}/try/", form)

    assert (response.status_code, response.context["trial_refusal"].code) == (status, code)
    assert PromptDraft.objects.get().form["try_from"] == [form["try_from"]]
    assert not Trial.objects.exists()


def test_after_a_refusal_saving_saves(alices, prompt):
    page = markup(alices.post(f"/prompts/{prompt.pk}/try/?version=1", chosen("{{ nobody }}")))

    assert f'action="/prompts/{prompt.pk}/?version=1"' in page


# ---- answers -----------------------------------------------------------------------------------------------


def test_answers_are_polled_until_all_have_arrived(alices, prompt):
    trial = ask(alices, prompt, chosen())
    waiting = alices.get(f"/trials/{trial.pk}/", headers=HTMX)

    trials.answer()

    ended = alices.get(f"/trials/{trial.pk}/", headers=HTMX)
    assert f'hx-get="/trials/{trial.pk}/"' in markup(waiting)
    assert "hx-get" not in markup(ended)
    assert "<main" not in markup(ended)
    assert alices.get(f"/trials/{trial.pk}/")["Location"] == f"/prompts/{prompt.pk}/?trial={trial.pk}#try"


def test_without_a_script_the_answers_are_reloaded_by_a_link(alices, prompt):
    trial = ask(alices, prompt, chosen())

    # An address with the page's own fragment would load nothing.
    assert f'<a href="?trial={trial.pk}">' in markup(alices.get(f"/prompts/{prompt.pk}/?trial={trial.pk}"))


def launch_address(client: Client, trial: Trial) -> str:
    trials.answer()
    return client.get(f"/prompts/{trial.prompt_id}/?trial={trial.pk}").context["shown_trial"].launch_address


def test_an_ended_trial_links_to_a_launch_of_its_variants(alices, project, prompt, dataset):
    prompts.add_version(prompt, None, {"model": "small"})
    prompts.add_version(prompt, None, {"model": "large"})
    primary = [factories.evaluator(project, name=name) for name in ("other", "primary")][-1]
    form = chosen(try_versions=["1", "2"], try_models="small,tiny", try_evaluators=[primary.pk])
    trial = ask(alices, prompt, form)

    page = alices.get(launch_address(alices, trial)).context

    variants = [(cell.version.number, cell.model) for cell in page["form"].matrix.chosen]
    assert sorted(variants) == [(1, "small"), (1, "tiny"), (2, "small"), (2, "tiny")]
    assert page["dataset"] == dataset
    assert page["form"]["evaluators"].value() == [f"evaluator:{primary.pk}"]


def test_a_draft_is_launched_once_it_is_saved(alices, prompt):
    trial = ask(alices, prompt, chosen("Now {{ question }}", try_versions=["draft"]))
    assert launch_address(alices, trial) == ""
    assert "Save the draft to run it." in markup(alices.get(f"/prompts/{prompt.pk}/?trial={trial.pk}"))


def test_typed_inputs_lead_to_no_launch(alices, prompt):
    trial = ask(alices, prompt, chosen(try_from="typed", try_typed="What is love?"))

    assert launch_address(alices, trial) == ""


def test_answers_are_shown_as_changes_from_the_first_variant(alices, prompt):
    trial = ask(alices, prompt, chosen("Solve now {{ question }}"))
    trials.answer()

    page = alices.get(f"/prompts/{prompt.pk}/?trial={trial.pk}&changes=1").context["shown_trial"]

    first, second = page.rows[0].cells
    assert not first.text.has_changes
    assert second.text.summary == "1 change"


def test_calls_of_tools_are_shown_as_calls_and_their_changes(alices, prompt, stub):
    def answer(request):
        city = "Oslo" if "now" in request["messages"][0]["content"] else "Rome"
        calls = [{"id": "c", "type": "function", "function": {"name": "weather", "arguments": city}}]
        return reply(None, "tool_calls", tool_calls=calls)

    stub.answer = answer
    trial = ask(alices, prompt, chosen("Solve now {{ question }}"))
    trials.answer()

    page = alices.get(f"/prompts/{prompt.pk}/?trial={trial.pk}")
    [row] = page.context["shown_trial"].rows
    assert [cell.text.messages[0].text for cell in row.cells] == ["weather(Rome)", "weather(Oslo)"]
    assert page.content.decode().count('class="call"') == 2

    changed = alices.get(f"/prompts/{prompt.pk}/?trial={trial.pk}&changes=1").context["shown_trial"]
    assert changed.rows[0].cells[1].text.stretches


def test_a_trial_is_stopped_and_asked_again(alices, prompt):
    trial = ask(alices, prompt, chosen())

    alices.post(f"/trials/{trial.pk}/stop/", chosen())
    assert trial.answers.get().error["code"] == "stopped"
    # it ended while the page was being read
    assert alices.post(f"/trials/{trial.pk}/stop/").status_code == 302
    alices.post(f"/trials/{trial.pk}/again/")

    assert trial.answers.get().state == "ready"


def test_output_of_a_model_is_shown_as_text(alices, prompt, stub):
    stub.answer = lambda request: reply("</td><script>x()</script>")
    trial = ask(alices, prompt, chosen("Now"))
    trials.answer()

    for query in ("", "&changes=1"):
        assert "<script>x()" not in markup(alices.get(f"/prompts/{prompt.pk}/?trial={trial.pk}{query}"))


def test_a_viewer_reads_the_answers_and_asks_nothing(as_user, alices, dana, prompt):
    trial = ask(alices, prompt, chosen())
    trials.answer()

    html = markup(as_user(dana).get(f"/prompts/{prompt.pk}/?trial={trial.pk}"))

    assert "Solve What is 1?" in html
    assert "data-run" not in html


def test_a_trial_of_another_prompt_is_not_shown(alices, project, prompt):
    trial = ask(alices, prompt, chosen())
    second = factories.prompt(project, name="other")

    assert alices.get(f"/prompts/{second.pk}/?trial={trial.pk}").context["shown_trial"] is None


# ---- drafts ------------------------------------------------------------------------------------------------


def shown(client: Client, prompt: Prompt, query: str = "") -> list[str]:
    context = client.get(f"/prompts/{prompt.pk}/{query}").context
    return [draft.text for draft, _ in context["drafts"]]


def test_a_draft_outlasts_a_reload(alices, prompt):
    alices.post(f"/prompts/{prompt.pk}/", chosen("Half a thou", do="draft"))

    assert shown(alices, prompt) == ["Half a thou"]


def test_a_draft_is_shown_to_its_maker_only(alices, as_user, bob, prompt):
    alices.post(f"/prompts/{prompt.pk}/", chosen("Half a thou", do="draft"))

    assert shown(as_user(bob), prompt) == ["Solve {{ question }}"]


def test_a_draft_changes_no_version(alices, prompt):
    alices.post(f"/prompts/{prompt.pk}/", chosen("Half a thou", do="draft"))

    assert shown(alices, prompt, "?version=1") == ["Solve {{ question }}"]
    assert prompts.version_of(prompt).number == 1


def test_a_draft_stays_based_on_its_version(alices, prompt):
    prompts.add_version(prompt, None, {"messages": [{"role": "user", "content": "second"}]})

    alices.post(f"/prompts/{prompt.pk}/?version=1", chosen("mine", do="draft"))

    context = alices.get(f"/prompts/{prompt.pk}/").context
    assert (context["base"].number, context["is_draft"]) == (1, True)


@pytest.mark.parametrize("end", ["", "discard/"])
def test_saving_or_discarding_ends_a_draft(alices, prompt, end):
    alices.post(f"/prompts/{prompt.pk}/", chosen("mine", do="draft"))

    alices.post(f"/prompts/{prompt.pk}/{end}", chosen("mine", do="save"))

    assert not PromptDraft.objects.exists()


def test_a_draft_that_is_too_long_is_not_kept(alices, prompt):
    alices.post(f"/prompts/{prompt.pk}/", chosen("x" * 1_000_001, do="draft"))

    assert not PromptDraft.objects.exists()


@pytest.mark.browser
def test_a_prompt_is_tried_by_keyboard_and_answers_appear(prompt, live_server, alices_page: Page):
    page = alices_page
    page.goto(f"{live_server.url}/prompts/{prompt.pk}/")

    page.locator("textarea[name=content]").fill("Typed {{ question }}")
    expect(page.locator("#saved")).to_have_text("draft saved")
    page.locator("textarea[name=content]").press("Control+Enter")
    expect(page.locator("#answers .state").first).to_be_visible()
    trials.answer()

    expect(page.locator("#answers td .text").last).to_have_text("Typed What is 3?")
    page.reload()
    expect(page.locator("textarea[name=content]")).to_have_value("Typed {{ question }}")
