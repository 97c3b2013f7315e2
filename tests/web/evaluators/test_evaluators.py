"""The editor of evaluators and the connections."""

from dataclasses import asdict

import pytest
from django.utils import timezone

from evaluations import kinds
from evaluations.clients import Probe
from evaluations.errors import NotFound
from evaluations.evaluators import connections, evaluators
from evaluations.models import Connection, Evaluator, EvaluatorVersion, Project
from tests import factories
from tests.pages import markup, text_of

NEW = "/p/default/evaluators/new/"


@pytest.fixture
def evaluator(project: Project) -> Evaluator:
    return factories.evaluator(project, "levenshtein_similarity", "closeness")


def form_with(**changes: str) -> dict[str, str]:
    """The form of Levenshtein similarity as a browser sends it."""
    form = {
        "name": "closeness",
        "threshold": "0.7",
        "max_characters": "10000",
        "unit": "code_point",
        "missing_expected": "zero",
        "actual_by": "path",
        "actual_from": "$.actual",
        "expected_by": "path",
        "expected_from": "$.expected",
        "do": "save",
    }
    return form | changes


@pytest.mark.parametrize("kind", kinds.CATALOGUE)
def test_every_kind_has_its_editor_with_its_fields_only(alices, project, kind):
    text = markup(alices.get(NEW, {"kind": kind}))

    filled = {"evaluators", "sources"} if kinds.get(kind).is_derived else set()
    filled |= {"separator"} if kind == "check" else set()  # phrases stand on lines of their own
    names = set(kinds.get(kind).schema["properties"]) - filled
    other_names = {
        name for kind_class in kinds.CATALOGUE.values() for name in kind_class.schema["properties"]
    } - names
    assert all(f'name="{name}"' in text for name in names)
    assert not any(f'name="{name}"' in text for name in other_names)


@pytest.mark.parametrize(("unit", "is_open"), [("code_point", False), ("utf16", True)])
def test_seldom_changed_settings_are_folded_unless_one_was_changed(alices, project, unit, is_open):
    evaluator = factories.evaluator(project, "levenshtein_similarity", unit=unit)

    form = alices.get(f"/evaluators/{evaluator.pk}/").context["form"]

    assert [field.name for field in form.parts()["fine"]] == ["max_characters", "unit", "missing_expected"]
    assert form.has_fine_settings is is_open


@pytest.mark.parametrize("kind", kinds.CATALOGUE)
def test_every_kind_is_on_the_shelf(alices, project, kind):
    assert f"?kind={kind}" in markup(alices.get(NEW))


def test_an_evaluator_is_saved_as_typed(alices, project):
    answer = alices.post(f"{NEW}?kind=levenshtein_similarity", form_with(threshold="0", case_sensitive="on"))

    version = EvaluatorVersion.objects.get()
    assert answer["Location"] == f"/evaluators/{version.evaluator_id}/"
    assert version.config == {
        "threshold": 0.0,
        "case_sensitive": True,
        "max_characters": 10_000,
        "unit": "code_point",
        "missing_expected": "zero",
    }
    assert version.mapping == {}


def test_a_mapping_is_saved_as_it_was_typed(alices, project):
    form = form_with(
        actual_from="$.output.answer", expected_by="literal", expected_from="yes", actual_many="first"
    )

    alices.post(f"{NEW}?kind=levenshtein_similarity", form)

    actual, expected = {"path": "$.output.answer"}, {"literal": "yes"}
    assert EvaluatorVersion.objects.get().mapping == {"actual": actual, "expected": expected, "many": "first"}


def test_an_empty_setting_that_may_be_null_is_null(alices, project):
    form = {"name": "edits", "threshold": "", "max_characters": "", "case_sensitive": "on"}
    alices.post(f"{NEW}?kind=levenshtein_distance", form_with() | form)

    assert EvaluatorVersion.objects.get().config["threshold"] is None


def test_a_preset_fills_the_form_in(alices, project):
    text = markup(alices.get(NEW, {"preset": "2signal_levenshtein"}))

    assert 'value="Levenshtein similarity"' in text
    assert '<option value="utf16" selected>' in text


def test_editing_makes_a_new_version(alices, evaluator):
    alices.post(f"/evaluators/{evaluator.pk}/", form_with(threshold="0.9"))

    evaluator.refresh_from_db()
    assert evaluator.version == 2
    assert [v.config["threshold"] for v in evaluator.versions.all()] == [0.9, 0.7]


def test_saving_without_a_change_makes_no_version(alices, evaluator):
    alices.post(f"/evaluators/{evaluator.pk}/", form_with())

    evaluator.refresh_from_db()
    assert evaluator.version == 1


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("threshold", "1.5", "It must be at most 1."),
        ("threshold", "high", "Enter a number"),
        ("threshold", "0,85", "a point before its decimals, such as 0.85"),
        ("actual_from", "$.output[", "actual_from"),
        ("name", "  ", "needed"),
    ],
)
def test_an_error_stands_beside_its_field(alices, project, field, value, sentence):
    answer = alices.post(f"{NEW}?kind=levenshtein_similarity", form_with(**{field: value}))

    assert answer.status_code == 400
    assert sentence in markup(answer)
    assert not Evaluator.objects.exists()


def test_texts_are_scored_as_they_are_typed_and_nothing_is_stored(alices, project):
    form = form_with(do="try", try_actual="The quick brown dog", try_expected="The quick brown fox")

    answer = alices.post(f"{NEW}?kind=levenshtein_similarity", form, headers={"HX-Request": "true"})

    text = markup(answer)
    assert "0.89" in text
    assert "the quick brown dog" in text
    assert "<html" not in text
    assert not Evaluator.objects.exists()


def test_a_row_is_scored_through_the_mapping_that_is_being_edited(alices, project):
    run = factories.scored_run(factories.experiment(project))
    form = form_with(do="try", on=f"run:{run.pk}", row="2", expected_from="$.reference.answer")

    text = markup(alices.post(f"{NEW}?kind=levenshtein_similarity", form))

    assert "Lyon" in text
    assert "Rome" in text
    assert "$.input.question" in text


def test_a_path_that_finds_nothing_says_so_on_the_row(alices, project):
    run = factories.scored_run(factories.experiment(project))
    form = form_with(do="try", on=f"run:{run.pk}", row="1", actual_from="$.output.answer")

    assert "unmapped" in markup(alices.post(f"{NEW}?kind=levenshtein_similarity", form))


def test_a_deleted_evaluator_can_be_brought_back(alices, evaluator):
    alices.post(f"/evaluators/{evaluator.pk}/delete/")
    assert not Evaluator.objects.live().exists()

    alices.post(f"/evaluators/{evaluator.pk}/restore/")
    assert Evaluator.objects.live().exists()


# ---- permissions ------------------------------------------------------------------------------------------

PAGES = (NEW, "/evaluators/{evaluator}/", "/p/default/connections/", "/connections/{connection}/")
WRITES = (
    NEW,
    "/evaluators/{evaluator}/",
    "/evaluators/{evaluator}/delete/",
    "/evaluators/{evaluator}/restore/",
    "/p/default/connections/",
    "/connections/{connection}/",
    "/connections/{connection}/test/",
    "/connections/{connection}/default/",
    "/connections/{connection}/delete/",
    "/connections/{connection}/restore/",
)


@pytest.fixture
def connection(project: Project) -> Connection:
    return connections.create(project, None, "provider", "https://93.184.215.14/v1", "sk-a-secret-that-stays")


def test_what_a_test_found_stays_on_the_page(alices, project, connection):
    connection.last_test = asdict(
        Probe(True, "It answers.", milliseconds=42.4, models=["judge-1", "tiny-1"])
    ) | {"at": timezone.now().isoformat()}
    connection.save()

    page = markup(alices.get(f"/connections/{connection.pk}/"))
    row = text_of(alices.get(f"/p/{project.slug}/connections/"))

    assert "42 ms" in page
    assert '<option value="judge-1">' in page
    assert "works" in row


def test_a_failed_test_is_kept(project, alice, connection, settings):
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    connection.base_url = "http://127.0.0.1:9/v1"

    found = connections.probe(connection, "", alice)

    connection.refresh_from_db()
    kept = connections.last_test(connection)
    assert kept is not None
    assert (kept.probe, kept.probe.ok) == (found, False)


def test_another_key_is_not_said_to_work(connection):
    connection.last_test = asdict(Probe(True, "It answers.")) | {"at": timezone.now().isoformat()}
    connection.save()

    connections.change(connection, name="renamed")
    assert connections.last_test(connection) is not None
    connections.change(connection, api_key="sk-another-secret-12")

    connection.refresh_from_db()
    assert connections.last_test(connection) is None


def test_the_list_of_connections_counts_who_names_them(alices, project, connection):
    judge = evaluators.create(project, None, "semantic", "exact_match", {}, {})
    judge.connection = connection
    judge.save()

    assert connections.users(project.pk)[connection.pk].judges == [judge]
    assert "1 judge" in text_of(alices.get(f"/p/{project.slug}/connections/"))


def test_only_the_rare_fields_that_are_set_stand_outside_the_fold(alices, connection):
    connections.change(connection, price_per_million=2)

    page = markup(alices.get(f"/connections/{connection.pk}/"))

    fold = page.index('<details class="more-settings"')
    assert page.index('name="price_per_million"') < fold < page.index('name="api_version"')


@pytest.fixture
def addresses(evaluator, connection):
    return {"evaluator": evaluator.pk, "connection": connection.pk}


@pytest.mark.parametrize("address", PAGES)
def test_strangers_see_no_pages_of_the_project(as_user, charlie, addresses, address):
    assert as_user(charlie).get(address.format(**addresses)).status_code == 404


@pytest.mark.parametrize("address", WRITES)
def test_strangers_change_nothing_in_the_project(as_user, charlie, addresses, address):
    assert as_user(charlie).post(address.format(**addresses)).status_code == 404


@pytest.mark.parametrize("address", WRITES)
def test_viewers_change_nothing_in_the_project(as_user, dana, addresses, address):
    assert as_user(dana).post(address.format(**addresses)).status_code == 403


@pytest.mark.parametrize("address", [a for a in WRITES if "connection" in a])
def test_connections_are_for_administrators(as_user, bob, addresses, address):
    assert as_user(bob).post(address.format(**addresses)).status_code == 403


def test_a_viewer_may_look_at_an_evaluator(as_user, dana, evaluator):
    text = markup(as_user(dana).get(f"/evaluators/{evaluator.pk}/"))

    assert "Save as" not in text


# ---- connections -------------------------------------------------------------------------------------------


def test_a_key_is_never_shown_again(alices, connection):
    text = markup(alices.get(f"/connections/{connection.pk}/")) + markup(
        alices.get("/p/default/connections/")
    )

    assert "sk-a-secret" not in text
    assert "…tays" in text


def test_a_key_lies_encrypted_in_the_database(connection):
    connection.refresh_from_db()

    assert "secret" not in connection.encrypted_key
    assert connections.key_of(connection) == "sk-a-secret-that-stays"


def test_a_changed_address_needs_the_key_again(alices, connection):
    form = {
        "name": "provider",
        "base_url": "https://93.184.215.15/v1",
        "api_key": "",
        "price_per_million": "",
    }

    answer = alices.post(f"/connections/{connection.pk}/", form)

    assert answer.status_code == 400
    connection.refresh_from_db()
    assert connection.base_url == "https://93.184.215.14/v1"


def test_an_address_inside_is_refused_beside_its_field(alices, project):
    form = {"name": "inside", "base_url": "http://127.0.0.1:6379/v1"}

    answer = alices.post("/p/default/connections/", form)

    assert answer.status_code == 400
    assert "127.0.0.1:6379 to EVALSITE_PROVIDER_ALLOWED_HOSTS" in markup(answer)
    assert not Connection.objects.exists()


def test_the_first_connection_is_the_default(connection, project):
    project.refresh_from_db()

    assert project.default_connection == connection


def test_a_connection_that_an_evaluator_names_is_not_deleted(alices, connection, project):
    factories.evaluator(project, "semantic_similarity", connection=connection.pk)

    assert alices.post(f"/connections/{connection.pk}/delete/").status_code == 409


def test_a_semantic_evaluator_is_tried_only_when_asked(alices, project):
    text = markup(alices.get(NEW, {"kind": "semantic_similarity"}))

    assert "hx-post" not in text.split('id="try"')[1].split(">")[0]


def test_an_evaluator_of_another_projects_connection_is_refused(project, charlie, connection):
    other_project = Project.objects.get(slug="elsewhere")

    with pytest.raises(NotFound) as refused:
        factories.evaluator(other_project, "semantic_similarity", connection=connection.pk)

    assert refused.value.code == "unknown_connection"


def test_pasted_texts_of_the_address_are_scored_with_a_threshold_of_0_too(alices, project):
    evaluator = evaluators.create(project, None, "Anything", "levenshtein_similarity", {"threshold": 0.0}, {})

    html = alices.get(f"/evaluators/{evaluator.pk}/", {"try_actual": "abc", "try_expected": "abd"}).content

    assert "0.67" in html.decode()


def test_the_page_of_an_evaluator_lists_its_versions(alices, project):
    evaluator = evaluators.create(project, None, "Same", "exact_match", {}, {})
    evaluators.change(evaluator, None, config={"strip": "none"})

    html = alices.get(f"/evaluators/{evaluator.pk}/").content.decode()

    assert "strip whitespace “both” → “none”" in html


@pytest.mark.parametrize(("kind", "better"), [("exact_match", "higher"), ("levenshtein_distance", "lower")])
def test_the_editor_says_which_scores_are_better(alices, project, kind, better):
    assert f"<span>{better} is better</span>" in markup(alices.get(NEW, {"kind": kind}))


def editor_in(html: str) -> str:
    return html[html.index('id="editor"') : html.index("</form>", html.index('id="editor"'))]


def test_the_editor_offers_to_delete(alices, evaluator):
    html = markup(alices.get(f"/evaluators/{evaluator.pk}/"))

    assert f'formaction="/evaluators/{evaluator.pk}/delete/"' in editor_in(html)


def test_the_facts_of_the_editor_lead_to_the_versions(alices, evaluator):
    html = markup(alices.get(f"/evaluators/{evaluator.pk}/"))

    assert '<a href="#versions">' in editor_in(html)
    assert 'id="versions"' in html


# ---- names ----


def stored_form(page, **changes):
    """The form of the page for `closeness`, as drawn, with changes."""
    return form_with(newest=str(page.context["evaluator"].version), name_was="closeness", **changes)


def test_a_new_name_alone_is_no_new_version_and_the_page_says_so(alices, evaluator):
    page = alices.get(f"/evaluators/{evaluator.pk}/")

    told = alices.post(f"/evaluators/{evaluator.pk}/", stored_form(page, name="nearness"), follow=True)

    assert "Renamed to nearness." in text_of(told)
    assert "saved as v1" not in text_of(told)


def test_a_name_that_another_tab_gave_is_not_overwritten_without_a_word(alices, evaluator):
    page = alices.get(f"/evaluators/{evaluator.pk}/")
    alices.post(f"/evaluators/{evaluator.pk}/", stored_form(page, name="nearness"))

    refused = alices.post(f"/evaluators/{evaluator.pk}/", stored_form(page, name="likeness"))

    assert refused.status_code == 409
    assert "Somebody renamed this to nearness" in text_of(refused)
    evaluator.refresh_from_db()
    assert evaluator.name == "nearness"
    again = form_with(newest="1", name_was="nearness", name="likeness")
    alices.post(f"/evaluators/{evaluator.pk}/", again)
    evaluator.refresh_from_db()
    assert evaluator.name == "likeness"


def test_the_page_opens_with_a_row_of_the_last_run_whose_scores_differ(alices, project):
    experiment = factories.experiment(project)
    run = factories.scored_run(experiment, ("Paris", "x", "y"))
    factories.scored_run(experiment, ("x", "x", "x"), variant="all wrong")

    page = alices.get(f"/evaluators/{run.experiment.primary_id}/")

    tryout = page.context["tryout"]
    assert (tryout.source.run, tryout.position) == (run, 1)
    assert tryout.outcome.result.value == 1.0


def test_the_list_says_which_datasets_an_evaluator_decides(alices, project):
    experiment = factories.experiment(project)

    [listed] = alices.get("/p/default/evaluators/").context["evaluators"]

    assert listed.primary_of == [experiment.dataset.name]


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ({"extract": "whole"}, "whole"),
        ({"extract": "other", "extract_other": r"is (\d+)"}, r"is (\d+)"),
        ({"extract": r"is (\d+)"}, r"is (\d+)"),
    ],
)
def test_which_number_is_a_choice_or_a_pattern(alices, project, sent, stored):
    drawn = alices.get(NEW, {"kind": "numeric_match"}).context["form"]
    filled = drawn.filled().data | {"do": "save"}

    alices.post(f"{NEW}?kind=numeric_match", filled | sent)

    version = EvaluatorVersion.objects.get()
    assert version.config["extract"] == stored
    html = markup(alices.get(f"/evaluators/{version.evaluator_id}/"))
    assert ('value="other" selected' in html) == (stored != "whole")


def test_only_a_stored_key_is_said_to_be_kept(alices, project, settings):
    connection = factories.connection(project, settings)
    connections.change(connection, api_key="")
    Connection.objects.update(encrypted_key="")
    address = f"/connections/{connection.pk}/"
    assert "keep the stored" not in text_of(alices.get(address))

    connections.change(Connection.objects.get(pk=connection.pk), api_key="sk-a-secret-key-123")

    page = text_of(alices.get(address))
    assert "Leave empty to keep the stored key" in page
    assert "stored headers" not in page
