"""Forms that change what is stored notice that somebody else saved meanwhile, and lose nothing of what was typed."""

import importlib
import io
import pkgutil
import re
from collections.abc import Iterator

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

import evaluations.web
from evaluations.datasets import versions
from evaluations.experiments import experiments
from evaluations.imports.columns import saved_mappings
from evaluations.models import Membership, Role
from evaluations.web.forms.form import Form
from tests import factories

pytestmark = pytest.mark.django_db

# Forms that overwrite nothing which somebody else may have typed, by what they do instead.
OVERWRITE_NOTHING = {
    "only add something": """AnnotatorForm AskPeopleForm ColumnVariantsForm ConfirmForm ConnectionForm ExperimentForm
        FileForm InvitationForm KeyForm LabelsForm LaunchForm LinkForm MatchForm NewSplitForm PriceForm PrimaryForm
        SentLabelsForm SentScoresForm ShareForm SplitForm ToolForm VariantForm ViewForm WebhookForm""",
    "name the version or the rows that they change": """DeleteForm EditForm GateForm MoveForm PromptFileForm
        PromptForm ReplaceForm SetForm SettingsForm""",
    "have nothing typed: a choice or a switch": "ChooserForm EvaluatorsForm LabelForm",
    "pay, search, try or decide once": """AuditForm ContinueForm CriterionForm DeclareForm JoinForm SpendingForm
        TestForm""",
}


def forms() -> Iterator[type[Form]]:
    for module in pkgutil.walk_packages(evaluations.web.__path__, "evaluations.web."):
        if module.name != "evaluations.web.accounts.oidc":
            importlib.import_module(module.name)
    left = [Form]
    while left:
        every = left.pop().__subclasses__()
        left += every
        yield from (form for form in every if form.__module__.startswith("evaluations.web."))


def test_every_form_guards_what_is_stored_or_overwrites_nothing():
    known = {name for names in OVERWRITE_NOTHING.values() for name in names.split()}

    unguarded = {form.__name__ for form in forms() if not form.guards}

    assert unguarded == known


def field_of(html: str, name: str) -> str:
    return html.split(f'name="{name}"')[1].split('value="')[1].split('"')[0]


def shown_in(html: str, action: str) -> str:
    """The digest in the form with this address."""
    return field_of(html[html.index(f'action="{action}"') :], "seen")


@pytest.fixture
def stored(project, alice, bob) -> dict[str, tuple[str, str, str, str, str]]:
    """By thing: the page with the form, its address, a field, and what two tabs type."""
    experiment = factories.experiment(project)
    factories.scored_run(experiment, variant="terse")
    factories.scored_run(experiment, ["Paris", "Rome", "Rom"], variant="long")
    dataset, evaluator = experiment.dataset, experiments.versions_of(experiment)[0].evaluator
    split = factories.split(dataset)
    mapping = {"inputs": {"question": "question"}}
    saved = saved_mappings.create(project, alice, "weekly", mapping)
    member = Membership.objects.get(user=bob)
    page, details = f"/experiments/{experiment.pk}/", f"/experiments/{experiment.pk}/?details={evaluator.pk}"
    return {
        "experiment": (page, f"{page}rename/", "name", "first", "second"),
        "dataset": (f"/datasets/{dataset.pk}/", f"/datasets/{dataset.pk}/rename/", "name", "first", "second"),
        "split": (
            f"/datasets/{dataset.pk}/splits/",
            f"/splits/{split.pk}/rename/",
            "name",
            "first",
            "second",
        ),
        "mapping": ("/p/default/mappings/", f"/mappings/{saved.pk}/rename/", "name", "first", "second"),
        "project": ("/p/default/settings/", "/p/default/rename/", "name", "first", "second"),
        "margin": (details, f"{page}margin/", "margin", "0.05", "0.25"),
        "role": (
            "/p/default/settings/",
            f"/p/default/members/{member.pk}/",
            "role",
            Role.VIEWER,
            Role.ANNOTATOR,
        ),
    }


def as_saved(html):
    """The texts of a page without what was typed, where both are marked against each other."""
    marks = r"<ins>.*?</ins>|<span class=\"unseen\".*?</span>|<[^>]+>"
    return re.sub(marks, "", html, flags=re.DOTALL)


@pytest.mark.parametrize("thing", ["experiment", "dataset", "split", "mapping", "project", "margin", "role"])
def test_a_second_tab_does_not_overwrite_the_first_unseen(alices, stored, thing):
    page, address, field, first, second = stored[thing]
    html = alices.get(page).content.decode()
    evaluator = {"evaluator": page.rpartition("=")[2]} if thing == "margin" else {}
    sent = evaluator | {"seen": shown_in(html, address)}
    assert alices.post(address, sent | {field: first}).status_code == 302

    refused = alices.post(address, sent | {field: second})
    again = refused.content.decode()
    assert refused.status_code == 409
    assert first in as_saved(again)
    assert second in again

    seen = shown_in(again, address) if f'action="{address}"' in again else field_of(again, "seen")
    assert alices.post(address, evaluator | {"seen": seen, field: second}).status_code == 302


def test_a_version_described_meanwhile_is_not_described_over(alices, project):
    dataset = factories.dataset(project)
    address = f"/datasets/{dataset.pk}/versions/1/describe/"
    html = alices.get(f"/datasets/{dataset.pk}/versions/").content.decode()
    seen = shown_in(html, address)
    versions.describe(versions.version_of(dataset, 1), tag="live", comment="")

    refused = alices.post(address, {"tag": "old", "comment": "", "seen": seen})

    assert refused.status_code == 409
    assert versions.version_of(dataset, 1).tag == "live"


def test_days_saved_meanwhile_are_not_saved_over(alices, project):
    address = "/p/default/retention/"
    html = alices.get(f"{address}?delete_runs_after_days=30&delete_datasets_after_days=").content.decode()
    sent = {"delete_datasets_after_days": "", "seen": field_of(html, "seen")}
    alices.post(address, sent | {"delete_runs_after_days": "90"})

    assert alices.post(address, sent | {"delete_runs_after_days": "30"}).status_code == 409
    project.refresh_from_db()
    assert project.delete_runs_after_days == 90


@pytest.mark.parametrize("is_htmx", [False, True])
def test_a_file_of_a_form_whose_session_ended_asks_to_sign_in(client, project, is_htmx):
    page = "/p/default/datasets/upload/"
    headers = {"referer": f"http://testserver{page}"} | ({"hx-request": "true"} if is_htmx else {})
    file = SimpleUploadedFile("rows.csv", b"a,b\n1,2\n")

    refused = client.post(page, {"file": file, "text": "typed"}, headers=headers)

    assert refused.status_code == 401
    words = refused.content.decode()
    if is_htmx:
        assert not words  # the page stays as it is and says so
    else:
        assert "You are signed out, and nothing was sent" in words
        assert "A chosen file cannot be kept" in words
        assert f"/signin/?next={page}" in words


def test_a_file_of_a_stranger_is_refused_unread(client, project):
    file = io.BytesIO(b"a,b\n1,2\n")

    assert client.post("/p/default/datasets/upload/", {"file": file}).status_code == 413


def test_back_after_an_import_shows_the_dataset(alices, project):
    experiment = factories.experiment(project)
    address = f"/datasets/{experiment.dataset_id}/?then=experiment"

    assert alices.get(address).headers["Location"] == f"/experiments/{experiment.pk}/"
    assert alices.get(address).status_code == 200
