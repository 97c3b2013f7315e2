"""The list of prompts and their editor."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from evaluations.datasets import datasets
from evaluations.evaluators import connections
from evaluations.experiments import about, experiments
from evaluations.models import Prompt
from evaluations.prompts import prices, prompts
from tests import factories
from tests.pages import markup, text_of

from .columns import bench_form

NEW = "/p/default/prompts/new/"


@pytest.fixture
def prompt(project, alice, dataset) -> Prompt:
    return factories.prompt(project, "Solve {{ question }}", maker=alice)


def form_with(*contents: str, **changes: Any) -> dict[str, Any]:
    """The form as browsers send it, with the user's messages."""
    texts = contents or ("Solve {{ question }}",)
    form = {"name": "solve", "role": ["user"] * len(texts), "as": ["text"] * len(texts), "content": texts}
    return form | {"do": "save"} | changes


def test_a_prompt_is_saved_as_typed(alices, project, settings):
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    local = connections.create(project, None, "local", "http://127.0.0.1:9/v1")
    form = {
        "model": "llama3",
        "connection": local.pk,
        "temperature": "0.0",
        "max_completion_tokens": "512",
        "seed": "7",
        "parameters": '{"top_p": 0.9}',
        "schema": '{"type": "object"}',
        "tools": '[{"type": "function"}]',
        "note": "first",
    }

    response = alices.post(NEW, form_with("One", "Two\r\nlines", role=["system", "user"], **form))

    version = prompts.version_of(Prompt.objects.get())
    assert response["Location"] == f"/prompts/{version.prompt_id}/"
    assert version.messages == [
        {"role": "system", "content": "One"},
        {"role": "user", "content": "Two\nlines"},
    ]
    assert version.parameters == {
        "temperature": 0.0,
        "max_completion_tokens": 512,
        "seed": 7,
        "top_p": 0.9,
    }
    assert (version.model, version.connection, version.note) == ("llama3", local, "first")
    assert (version.schema, version.tools) == ({"type": "object"}, [{"type": "function"}])


def test_a_new_prompt_begins_with_a_column_of_the_newest_dataset(alices, dataset):
    assert "{{ question }}</textarea>" in markup(alices.get(NEW))


def test_a_new_prompt_begins_with_a_column_of_the_chosen_dataset(alices, dataset):
    newer = datasets.create(dataset.project, None, "newer", [{"inputs": {"clause": "x"}}])
    chosen = form_with(content="{{ clause }}", do="preview", dataset=dataset.pk)

    assert "{{ question }}</textarea>" in markup(alices.get(f"{NEW}?dataset={dataset.pk}"))
    assert "{{ question }}</textarea>" in markup(alices.post(NEW, chosen, headers={"HX-Request": "true"}))
    for typed in (chosen | {"content": "{{ clause }}?"}, chosen | {"dataset": newer.pk}):
        drafts = alices.post(NEW, typed).context["drafts"]
        assert [draft.text for draft, _ in drafts] == [typed["content"]], "what is typed stays"


def test_a_variable_without_a_column_is_said_in_a_sentence(alices, dataset):
    page = markup(alices.post(NEW, form_with("{{ claus }}", do="preview", dataset=dataset.pk)))

    assert "has no column “claus”. " in page
    assert "unknown_variable" not in page


def test_saving_a_new_text_makes_the_next_version(alices, prompt):
    alices.post(f"/prompts/{prompt.pk}/", form_with("Think about {{ question }}", note="deeper"))

    prompt.refresh_from_db()
    saved = prompts.version_of(prompt)
    assert (saved.number, saved.note) == (2, "deeper")


@pytest.mark.parametrize(("note", "said"), [("deeper", "deeper"), ("", "user message, Temperature")])
def test_the_list_says_what_changed_in_the_newest_version(alices, prompt, note, said):
    form = form_with("Think about {{ question }}", note=note, temperature="0.5")
    alices.post(f"/prompts/{prompt.pk}/", form)

    assert f'<td class="wraps aside">{said}</td>' in alices.get("/p/default/prompts/").content.decode()


def test_saving_a_new_name_renames(alices, prompt):
    alices.post(f"/prompts/{prompt.pk}/", form_with("Think about {{ question }}", name="think"))

    prompt.refresh_from_db()
    assert prompt.name == "think"


@pytest.mark.parametrize(
    ("messages", "parameters"),
    [
        ([{"role": "user", "content": "\n  Solve {{ question }}\n"}], {"temperature": 0.0, "seed": 7}),
        ([{"role": "user", "content": "a", "name": "ada"}], {"top_p": 1, "temperature": 0}),
        (
            [{"role": "user", "content": [{"type": "text", "text": "ä\n{{ question }}"}]}],
            {"temperature": "hot"},
        ),
        ([{"role": "user", "content": "<b>&amp;"}], {"stop": ["\n"], "seed": True}),
    ],
)
def test_a_version_that_is_shown_and_saved_again_stays_as_it_is(alices, prompt, messages, parameters):
    prompts.add_version(prompt, None, {"messages": messages, "parameters": parameters})
    form = alices.get(f"/prompts/{prompt.pk}/").context

    drafts = [draft for draft, _ in form["drafts"]]
    typed = {name: value for name, value in form["form"].initial.items() if value is not None}
    texts = {
        "role": [draft.role for draft in drafts],
        "as": ["json" if d.is_json else "text" for d in drafts],
    }
    response = alices.post(
        f"/prompts/{prompt.pk}/",
        typed | texts | {"content": [draft.text.replace("\n", "\r\n") for draft in drafts], "do": "save"},
    )

    assert response.status_code == 302
    assert (Prompt.objects.get().version, prompts.version_of(prompt).messages) == (2, messages)


@pytest.mark.parametrize(
    ("do", "expected"),
    [
        ("add", ["a", "b", "c", ""]),
        ("up-2", ["a", "c", "b"]),
        ("up-0", ["a", "b", "c"]),
        ("down-0", ["b", "a", "c"]),
        ("remove-1", ["a", "c"]),
        ("remove-7", ["a", "b", "c"]),
        ("preview", ["a", "b", "c"]),
    ],
)
def test_messages_are_added_moved_and_removed_without_saving(alices, prompt, do, expected):
    response = alices.post(f"/prompts/{prompt.pk}/", form_with("a", "b", "c", do=do))

    assert response.status_code == 200
    assert [draft.text for draft, _ in response.context["drafts"]] == expected
    assert Prompt.objects.get().version == 1


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"temperature": "warm"}, "temperature"),
        ({"seed": "1.5"}, "seed"),
        ({"parameters": "[]"}, "parameters"),
        ({"parameters": '{"stream": true}'}, "parameters"),
        ({"schema": "{"}, "schema"),
        ({"tools": '["f"]'}, "tools"),
        ({"tools": '[{"type": "\\ud800"}]'}, "tools"),
        ({"name": ""}, "name"),
        ({"note": "n" * 201}, "note"),
    ],
)
def test_a_field_that_cannot_be_used_is_named(alices, prompt, form, field):
    response = alices.post(f"/prompts/{prompt.pk}/", form_with(**form))

    assert response.status_code == 400
    assert list(response.context["form"].errors) == [field]
    assert Prompt.objects.get().version == 1


@pytest.mark.parametrize("text", ["{", '"text"', '{"role": "robot", "content": "a"}', "[1]", ""])
def test_a_message_of_json_that_cannot_be_sent_is_named(alices, prompt, text):
    response = alices.post(f"/prompts/{prompt.pk}/", form_with(text, **{"as": ["json"]}))

    assert response.status_code == 400
    assert response.context["form"].message_errors[0]
    assert Prompt.objects.get().version == 1


def test_another_projects_connection_cannot_be_chosen(alices, prompt, charlie, settings):
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    elsewhere = charlie.memberships.get().project
    foreign = connections.create(elsewhere, None, "theirs", "http://127.0.0.1:9/v1")

    assert alices.post(f"/prompts/{prompt.pk}/", form_with(connection=foreign.pk)).status_code == 404


def test_the_preview_shows_the_request_for_the_chosen_example(alices, prompt, dataset):
    form = form_with("Now {{ question }}", do="preview", dataset=dataset.pk, row="3", model="m", seed="7")

    preview = alices.post(f"/prompts/{prompt.pk}/", form, headers={"HX-Request": "true"})

    assert preview.context["preview"].filled == [{"role": "user", "content": "Now What is 3?"}]
    assert '"seed": 7' in preview.context["preview"].request
    assert "<main" not in markup(preview)


def test_the_preview_takes_a_key_and_fills_in_an_example_that_the_dataset_has(
    alices, project, prompt, dataset
):
    keyed = factories.dataset(project)
    datasets.remove(keyed, None, 1)

    def shown(**values: Any) -> Any:
        form = form_with("{{ question }}", do="preview", dataset=keyed.pk, **values)
        return alices.post(f"/prompts/{prompt.pk}/", form).context["preview"]

    for values in ({"row": "1", "row_was": "1"}, {"row": "5", "row_was": "5"}, {"row": "k2"}, {"row": "2"}):
        assert shown(**values).shown == [("user", "q2")]
    assert shown(row="5", row_was="1").refusal.hint == "Enter its position or its key."


def test_the_preview_shows_a_message_that_is_more_than_a_text_as_it_is_sent(alices, prompt, dataset):
    call = '{"role":"assistant","content":null,"tool_calls":[{"type":"function","id":"{{ question }}"}]}'
    form = form_with(call, do="preview", dataset=dataset.pk, **{"as": ["json"]})

    preview = alices.post(f"/prompts/{prompt.pk}/", form).context["preview"]

    assert preview.shown == [("assistant", call)]


def test_a_draft_that_changes_true_to_1_is_a_draft(alices, prompt):
    prompts.add_version(prompt, None, {"parameters": {"logprobs": True}})
    form = form_with(do="preview", parameters='{"logprobs": 1}')

    assert alices.post(f"/prompts/{prompt.pk}/", form).context["is_draft"]


def test_the_preview_takes_the_newest_dataset_whose_columns_fill_the_variables(alices, prompt, dataset):
    datasets.create(
        dataset.project, None, "unlike", [{"inputs": {"other": "x"}, "reference": {"answer": "y"}}]
    )

    assert alices.get(f"/prompts/{prompt.pk}/").context["preview"].dataset == dataset


@pytest.mark.parametrize("page", ["", "bench/"])
def test_the_dataset_on_which_a_prompt_is_saved_stays_with_it(alices, as_user, bob, dataset, page):
    datasets.create(dataset.project, None, "newer", [{"inputs": {"question": "x"}}])

    alices.post(NEW, form_with(dataset=dataset.pk))

    kept = as_user(bob).get(f"/prompts/{Prompt.objects.get().pk}/{page}").context
    assert (kept["preview"].dataset if page == "" else kept["dataset"]) == dataset


def test_a_dataset_that_does_not_fill_the_variables_does_not_stay(alices, dataset):
    unlike = datasets.create(dataset.project, None, "unlike", [{"inputs": {"other": "x"}}])

    alices.post(NEW, form_with(dataset=unlike.pk))

    assert alices.get(f"/prompts/{Prompt.objects.get().pk}/").context["preview"].dataset == dataset


def test_a_version_saved_on_the_bench_keeps_the_dataset(alices, prompt, dataset):
    datasets.create(dataset.project, None, "newer", [{"inputs": {"question": "x"}}])
    column = {"content": "Now {{ question }}"}
    alices.post(f"/prompts/{prompt.pk}/bench/", bench_form(column, dataset=dataset.pk, do="save-0"))

    assert alices.get(f"/prompts/{prompt.pk}/").context["preview"].dataset == dataset


@pytest.mark.parametrize(
    ("content", "unknown"),
    [("{{ question }}", []), ("{{ answer }} {{ age }}", ["answer", "age"])],
)
def test_unknown_variables_are_shown_and_do_not_keep_from_saving(alices, prompt, content, unknown):
    preview = alices.post(f"/prompts/{prompt.pk}/", form_with(content, do="preview")).context["preview"]
    assert [variable.name for variable in preview.variables if variable.is_unknown] == unknown
    assert bool(preview.refusal) == bool(unknown)

    assert alices.post(f"/prompts/{prompt.pk}/", form_with(content, note="x")).status_code == 302


def test_an_older_version_is_shown_and_compared(alices, prompt):
    for text in ("second", "third"):
        prompts.add_version(prompt, None, {"messages": [{"role": "user", "content": text}]})

    newest = alices.get(f"/prompts/{prompt.pk}/").context
    oldest = alices.get(f"/prompts/{prompt.pk}/?version=1&against=3").context

    assert (newest["base"].number, newest["older"].number) == (3, 2)
    assert [change.old_text for change in newest["changes"].messages] == ["second"]
    assert (oldest["base"].number, oldest["older"].number) == (1, 3)
    assert alices.get(f"/prompts/{prompt.pk}/?version=4").status_code == 404


def test_a_version_shows_the_scores_of_its_runs(alices, project, prompt):
    experiment = factories.experiment(project, references=["a", "b"])
    run = factories.scored_run(experiment, ["a", "x"])
    about.describe(run, {"prompt": prompt.pk, "prompt_version": 1})

    [line] = alices.get(f"/prompts/{prompt.pk}/").context["history"]

    uses = [use for tried in line.tried for use in tried.uses]
    assert [(use.run, use.scoring.summary["mean"], use.scoring.summary["n"]) for use in uses] == [
        (run, 0.5, 2)
    ]


def test_a_version_has_a_line_for_each_experiment_and_the_list_the_last_score(alices, project, prompt):
    experiment = factories.experiment(project, references=["a", "b"])
    for variant, outputs in (("solve v1 small", ["a", "x"]), ("solve v1 large", ["a", "b"])):
        run = factories.scored_run(experiment, outputs, variant)
        about.describe(run, {"prompt": prompt.pk, "prompt_version": 1})

    [line] = alices.get(f"/prompts/{prompt.pk}/").context["history"]
    [row] = alices.get("/p/default/prompts/").context["rows"]

    [tried] = line.tried
    assert [use.name for use in tried.uses] == ["large", "small"]
    assert row.last.scoring.summary["mean"] == 1.0


def test_the_list_says_what_its_last_score_counts_as_worst(alices, project, prompt):
    experiment = factories.experiment(project, "numeric_match", references=["1", "2", "3", "4"])
    run = factories.scored_run(experiment, ["1", "2", "3", None], "solve v1")
    about.describe(run, {"prompt": prompt.pk, "prompt_version": 1})

    page = text_of(alices.get("/p/default/prompts/"))

    assert "75.0 % solve v1, numeric match, n = 4 1 unanswered as wrong; 100.0 % answered only" in " ".join(
        page.split()
    )


def test_the_list_says_that_its_last_score_is_of_a_sample(alices, project, prompt):
    experiment = factories.experiment(project, references=["a", "b", "c"])
    run = factories.run(experiment, ["a", "x"], "solve v1 large", split=factories.split(experiment.dataset))
    factories.scoring.work(seconds=10)
    about.describe(run, {"prompt": prompt.pk, "prompt_version": 1})

    page = " ".join(text_of(alices.get("/p/default/prompts/")).split())

    assert "50.0 % solve v1 large, exact match, n = 2 of 3" in page


def test_a_comparison_that_is_asked_for_stands_above_the_messages(alices, prompt):
    prompts.add_version(prompt, None, {"messages": [{"role": "user", "content": "second"}]})
    title, messages = "v2 compared with v1", 'id="messages"'

    asked = markup(alices.get(f"/prompts/{prompt.pk}/?version=2&against=1"))
    beside = markup(alices.get(f"/prompts/{prompt.pk}/"))

    assert asked.index(title) < asked.index(messages)
    assert beside.index(messages) < beside.index(title)


def test_what_ran_by_the_model_of_a_version_comes_before_what_ran_by_others(alices, project, prompt):
    first = factories.experiment(project, references=["a", "b"])
    second = experiments.create(project, None, "another question", first.dataset, [first.primary])
    for experiment, variant in ((first, "solve v1"), (second, "solve v1 another model")):
        run = factories.scored_run(experiment, ["a", "x"], variant)
        about.describe(run, {"prompt": prompt.pk, "prompt_version": 1})

    [line] = alices.get(f"/prompts/{prompt.pk}/").context["history"]

    assert [use.name for tried in line.tried for use in tried.uses] == ["", "another model"]


def test_the_last_score_of_the_list_is_of_the_newest_version(alices, project, prompt):
    prompts.add_version(prompt, None, {"messages": [{"role": "user", "content": "second"}]})
    experiment = factories.experiment(project, references=["a", "b"])
    for number, outputs in ((2, ["a", "b"]), (1, ["x", "x"])):
        run = factories.scored_run(experiment, outputs, f"solve v{number}")
        about.describe(run, {"prompt": prompt.pk, "prompt_version": number})

    [row] = alices.get("/p/default/prompts/").context["rows"]

    assert row.last.run.prompt_version.number == 2


def test_the_list_leaves_out_empty_columns_and_says_what_lacks_a_score(alices, project, prompt):
    page = alices.get("/p/default/prompts/")
    assert "In use" not in page.context["columns"]
    assert "no answer yet" in text_of(page)

    factories.run(factories.experiment(project), start=False, about={"prompt": prompt.pk})

    assert "no score yet" in text_of(alices.get("/p/default/prompts/"))


def test_the_model_is_shown_with_its_price(alices, project, prompt, settings):
    server = factories.connection(project, settings)
    prices.set_price(server, "m", 100_000, 400_000, None, prices.today())
    form = form_with(do="preview", connection=server.pk, model="m")

    page = markup(alices.post(f"/prompts/{prompt.pk}/", form))

    assert "0.10 input, 0.40 output, USD per million tokens" in " ".join(page.split())


def test_a_draft_is_compared_with_the_version_it_is_based_on(alices, prompt):
    context = alices.post(f"/prompts/{prompt.pk}/", form_with("Other", do="preview")).context

    assert [(change.old_text, change.new_text) for change in context["changes"].messages] == [
        ("Solve {{ question }}", "Other")
    ]


def test_a_deleted_prompt_can_be_restored_from_the_message(alices, prompt):
    page_after = alices.post(f"/prompts/{prompt.pk}/delete/", follow=True)
    assert f"/prompts/{prompt.pk}/restore/" in markup(page_after)
    assert alices.get(f"/prompts/{prompt.pk}/").status_code == 404

    alices.post(f"/prompts/{prompt.pk}/restore/")

    assert alices.get(f"/prompts/{prompt.pk}/").status_code == 200


def test_the_version_that_is_shown_is_duplicated(alices, prompt):
    prompts.add_version(prompt, None, {"messages": [{"role": "user", "content": "second"}]})

    alices.post(f"/prompts/{prompt.pk}/duplicate/?version=1")

    copy = Prompt.objects.get(name="solve (copy)")
    assert prompts.version_of(copy).messages == prompts.version_of(prompt, 1).messages


def test_a_viewer_cannot_change_a_prompt(as_user, dana, prompt):
    page = as_user(dana).get(f"/prompts/{prompt.pk}/?row=2")

    assert page.context["preview"].filled[0]["content"] == "Solve What is 2?"
    assert 'method="post" action="/prompts/' not in markup(page)
    assert as_user(dana).post(f"/prompts/{prompt.pk}/", form_with("mine")).status_code == 403


def test_contents_of_a_prompt_are_shown_as_text(alices, project, dataset):
    hostile = "</textarea></pre><script>x()</script><img onerror=x()>"
    prompt = factories.prompt(project, f"{hostile}{{{{ {hostile} }}}}", name=hostile)

    html = markup(alices.get(f"/prompts/{prompt.pk}/")) + markup(alices.get("/p/default/prompts/"))

    assert "<script>x()" not in html
    assert "<img onerror" not in html


@pytest.fixture
def editor(prompt, live_server, alices_page: Page) -> Page:
    """The editor of the prompt in a browser."""
    alices_page.goto(f"{live_server.url}/prompts/{prompt.pk}/")
    return alices_page


@pytest.mark.django_db(transaction=True)
def test_variables_are_marked_while_they_are_typed(editor: Page):
    editor.locator("textarea[name=content]").fill(r"{{ question }} \{{ kept }} {{ age }} {{ question.0 }}")

    expect(editor.locator(".template-ink .variable")).to_have_text(
        ["{{ question }}", "{{ age }}", "{{ question.0 }}"]
    )
    expect(editor.locator("[data-variables] [data-unknown]")).to_have_text(["age"])


@pytest.mark.django_db(transaction=True)
def test_a_variable_that_is_not_closed_is_marked_and_the_preview_greyed(editor: Page):
    editor.locator("textarea[name=content]").fill("Solve {{ question, and {{ question }}")

    expect(editor.locator(".template-ink [data-open]")).to_have_text(["{{ question, and "])
    expect(editor.locator("[data-variables]")).to_contain_text("a {{ is not closed")
    expect(editor.locator("#preview")).to_have_attribute("data-stale", "")


@pytest.mark.django_db(transaction=True)
def test_a_message_is_copied_as_it_is_typed(editor: Page):
    editor.context.grant_permissions(["clipboard-read", "clipboard-write"])
    editor.locator("textarea[name=content]").fill("Answer {{ question }}")
    editor.get_by_role("button", name="Copy message 1").click()

    expect(editor.locator("#said")).to_have_text("Copied")
    assert editor.evaluate("navigator.clipboard.readText()") == "Answer {{ question }}"


@pytest.mark.django_db(transaction=True)
def test_the_preview_follows_the_chosen_dataset_and_what_is_typed(dataset, live_server, alices_page: Page):
    datasets.create(dataset.project, None, "newer", [{"inputs": {"clause": "x"}}])
    page = alices_page
    page.goto(f"{live_server.url}{NEW}")
    text, preview = page.locator("textarea[name=content]"), page.locator("#preview")
    expect(text).to_have_value("{{ clause }}")
    page.locator("select[name=dataset]").select_option(str(dataset.pk))
    expect(text).to_have_value("{{ question }}")
    expect(page.locator("[data-variables]")).to_have_text("question column")

    text.fill("{{ nobody }}")
    preview.get_by_role("button", name="Preview").click()
    expect(preview).to_contain_text("has no column “nobody”")
    text.fill("Hello {{ question }} ok")

    expect(preview).to_contain_text("Hello What is 1? ok")


@pytest.mark.django_db(transaction=True)
def test_what_is_typed_while_another_dataset_is_read_stays(dataset, live_server, alices_page: Page):
    datasets.create(dataset.project, None, "newer", [{"inputs": {"clause": "x"}}])
    page, held = alices_page, []
    page.goto(f"{live_server.url}{NEW}")
    page.route(
        f"**{NEW}", lambda route: held.append(route) if route.request.method == "POST" else route.continue_()
    )
    with page.expect_request(f"**{NEW}"):
        page.locator("select[name=dataset]").select_option(str(dataset.pk))
    text = page.locator("textarea[name=content]")
    text.fill("Say {{ question }}")

    held[0].continue_()

    expect(page.locator("#preview")).to_contain_text("What is 1?")
    expect(text).to_have_value("Say {{ question }}")
    expect(page.locator(".template-ink .variable")).to_have_text(["{{ question }}"])


@pytest.mark.django_db(transaction=True)
def test_in_a_message_as_json_only_variables_of_its_content_are_marked(prompt, editor: Page):
    call = {"type": "function", "function": {"name": "f", "arguments": "{{ age }}"}}
    message = {"role": "assistant", "content": "{{ question }}", "tool_calls": [call]}
    prompts.add_version(prompt, None, {"messages": [message]})

    editor.reload()

    expect(editor.locator(".template-ink .variable")).to_have_text(["{{ question }}"])
    expect(editor.locator("[data-variables] .variable")).to_have_text(["question"])


def test_without_a_connection_the_pages_that_call_a_model_lead_to_one(alices, project, prompt, settings):
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    pages = (
        f"/prompts/{prompt.pk}/",
        f"/prompts/{prompt.pk}/bench/",
        f"/p/{project.slug}/launches/new/?prompt={prompt.pk}",
    )
    lead = f'href="/p/{project.slug}/connections/">Add a connection'

    without = [lead in markup(alices.get(page)) for page in pages]
    connections.create(project, None, "local", "http://127.0.0.1:9/v1")
    project.refresh_from_db()

    assert without == [True] * len(pages)
    assert [lead in markup(alices.get(page)) for page in pages] == [False] * len(pages)


def test_the_last_score_of_the_list_says_by_which_model(alices, project, prompt):
    run = factories.scored_run(factories.experiment(project, references=["a"]), ["a"], "solve v1 large")
    about.describe(run, {"prompt": prompt.pk, "prompt_version": 1})

    assert "large, exact match" in " ".join(markup(alices.get("/p/default/prompts/")).split())


def test_what_was_saved_meanwhile_is_marked_against_what_was_typed(alices, prompt):
    address, was = f"/prompts/{prompt.pk}/", {"newest": "1", "base": "1"}
    alices.post(address, form_with("Say it briefly.", **was))

    page = text_of(alices.post(address, form_with("Say it at length.", **was)))

    assert "Yours compared with v2, saved meanwhile" in page
    assert "Say it [deleted: briefly ] [inserted: at length ] ." in page
    assert "Read v2" in page


def test_a_name_that_another_tab_gave_is_not_replaced_without_a_word(alices, prompt):
    address, was = f"/prompts/{prompt.pk}/", {"newest": "1", "base": "1", "name_was": "solve"}
    Prompt.objects.filter(pk=prompt.pk).update(name="solved elsewhere")

    refused = alices.post(address, form_with(name="solve here", **was))
    prompt.refresh_from_db()
    again = alices.post(address, form_with(name="solve here", **was | {"name_was": "solved elsewhere"}))

    assert (refused.status_code, prompt.name) == (409, "solved elsewhere")
    assert "Somebody renamed this to solved elsewhere in the meantime" in text_of(refused)
    assert "compared with v1, saved meanwhile" not in text_of(refused)
    assert again.status_code == 302
