"""The audit log contains every change, and only administrators see it."""

import csv
import io
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.test import Client
from django.utils import timezone

from evaluations.access import api_keys, audit
from evaluations.datasets import datasets
from evaluations.models import AuditEntry, Evaluator, Membership, Trial, Upload
from tests import factories
from tests.authorization.calls import EVALUATOR, PASSWORDS, SERVER
from tests.authorization.world import NOWHERE, things_of
from tests.pages import markup, text_of


@pytest.fixture
def ids(project, alice, settings) -> dict[str, Any]:
    """The ids of Alice's objects, in every state that writes need."""
    settings.PROVIDER_ALLOWED_HOSTS = [NOWHERE.split("/")[2]]
    return things_of(project, alice)


def changes() -> QuerySet[AuditEntry]:
    """The entries, without those of the sign-ins of every test."""
    return AuditEntry.objects.exclude(action__startswith="sign")


# ---- entries ----


def test_a_day_as_an_example_does_not_look_like_a_chosen_day(alices, project):
    page = markup(alices.get(f"/p/{project.slug}/audit/"))

    assert page.count('placeholder="such as 27 Nov 2026"') == 2


def test_refused_and_empty_changes_leave_no_entry(as_user, alice, bob, ids):
    as_user(bob).post("/p/default/rename/", {"name": "Bob's"})
    alices = as_user(alice)
    alices.post("/p/default/rename/", {"name": ""})
    alices.post(f"/evaluators/{ids['evaluator']}/", EVALUATOR | {"do": "try"})
    alices.get("/p/default/settings/")

    assert not changes().exists()


def test_an_entry_has_the_old_and_the_new_role(as_user, alice, ids):
    as_user(alice).post(f"/p/default/members/{ids['member']}/", {"role": "viewer"})

    entry = changes().get()
    assert (entry.action, entry.object_name) == ("member-change", "plainguest")
    assert entry.details == {"before": "editor", "role": "viewer"}


def test_an_answer_that_is_replayed_is_no_second_change(alice, project):
    _, text = api_keys.create_key(project, alice, "program", "write")
    headers = {"Authorization": f"Bearer {text}", "Idempotency-Key": "once"}
    body = {"name": "Made", "examples": [{"inputs": "a"}]}

    for _ in range(2):
        Client().post("/api/v1/datasets/", body, "application/json", headers=headers)

    assert AuditEntry.objects.count() == 1


def test_the_audit_log_contains_no_secret(as_user, alice, project, ids):
    alices = as_user(alice)
    response = alices.post(
        "/account/keys/", {"name": "n", "project": project.pk, "scope": "read"}, follow=True
    )
    link = (
        alices.post("/p/default/invitations/", {"role": "viewer"}, follow=True).context["shown_once"].secret
    )
    alices.post("/p/default/connections/", SERVER)
    alices.post("/account/password/", PASSWORDS)

    entries = repr(list(AuditEntry.objects.values_list()))

    assert changes().count() == 4
    secrets = [
        response.context["shown_once"].secret,
        link.split("/")[-2],
        SERVER["api_key"],
        "brand new words",
    ]
    assert [secret for secret in secrets if secret in entries] == []


def test_every_sign_in_attempt_is_recorded(client, alice):
    client.post("/signin/", {"username": "alice", "password": "wrong"})
    client.post("/signin/", {"username": "a password typed here", "password": "wrong"})
    client.post("/signin/", {"username": "alice", "password": "alice's long password"})
    client.post("/signout/")

    entries = AuditEntry.objects.order_by("pk").values_list("action", "actor_name", "object_name")
    assert list(entries) == [
        ("signin-failed", "", "alice"),
        ("signin-failed", "", ""),
        ("signin", "alice", "alice"),
        ("signout", "alice", "alice"),
    ]
    assert AuditEntry.objects.first().details == {"address": "127.0.0.1"}
    assert "typed here" not in repr(list(AuditEntry.objects.values_list()))


@pytest.mark.long
def test_an_entry_outlives_the_person(as_user, alice, bob, project):
    as_user(bob).post("/p/default/sample/")
    bob.delete()

    assert "bob" in markup(as_user(alice).get("/p/default/audit/"))


# ---- pages ----


@pytest.mark.parametrize("address", ["/p/default/audit/", "/p/default/audit/export/"])
@pytest.mark.parametrize(("name", "status"), [("alice", 200), ("bob", 403), ("dana", 403), ("charlie", 404)])
def test_the_log_of_a_project_is_for_its_administrators(as_user, project, request, address, name, status):
    assert as_user(request.getfixturevalue(name)).get(address).status_code == status


@pytest.mark.parametrize("address", ["/audit/", "/audit/export/"])
def test_the_log_of_the_site_is_for_the_site_s_administrators(as_user, client, alice, project, address):
    root = User.objects.create_superuser("root")

    assert client.get(address).status_code == 302
    assert as_user(alice).get(address).status_code == 403
    assert as_user(root).get(address).status_code == 200


def test_a_project_s_log_shows_nothing_of_others(as_user, alice, charlie, project):
    as_user(charlie).post("/p/elsewhere/rename/", {"name": "Secret plans"})

    html = markup(as_user(alice).get("/p/default/audit/"))

    assert "Secret plans" not in html
    assert "charlie" not in html


@pytest.mark.long
def test_filters_find_by_person_action_and_day(as_user, alice, bob, project):
    as_user(alice).post("/p/default/rename/", {"name": "First"})
    as_user(bob).post("/p/default/sample/")
    alices = as_user(alice)

    def actions(query: str) -> list[str]:
        return [entry.action for entry in alices.get(f"/p/default/audit/?{query}").context["page"].rows]

    today, tomorrow = (f"{timezone.now() + timedelta(days=n):%Y-%m-%d}" for n in (0, 1))
    assert actions("") == ["sample-load", "project-rename"]
    assert actions("who=bob") == ["sample-load"]
    assert actions("action=project-rename") == ["project-rename"]
    assert actions(f"since={today}&until={today}") == ["sample-load", "project-rename"]
    assert actions(f"since={tomorrow}") == []


def test_the_export_has_the_entries_of_the_page(as_user, alice, project):
    as_user(alice).post("/p/default/rename/", {"name": "Second"})

    answer = as_user(alice).get("/p/default/audit/export/")

    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert [(row["who"], row["action"], row["name"]) for row in rows] == [
        ("alice", "project-rename", "Default")
    ]


def test_no_spreadsheet_runs_a_formula_of_the_export(as_user, alice, project):
    as_user(alice).post("/p/default/rename/", {"name": "=cmd()"})
    as_user(alice).post("/p/default/rename/", {"name": "Default"})

    exported = b"".join(as_user(alice).get("/p/default/audit/export/").streaming_content).decode()

    assert ",'=cmd()," in exported


def test_the_page_names_keys_and_their_owners(as_user, alice, project):
    owned, _ = api_keys.create_key(project, alice, "nightly", "write")
    nobodys, _ = api_keys.create_key(project, None, "shared", "write")
    for key in (owned, nobodys):
        audit.record(key, "dataset-create", project)

    page = markup(as_user(alice).get("/p/default/audit/"))

    assert f'title="{owned}">by nightly<' in page
    assert f'title="evk_{nobodys.prefix}…">shared<' in page
    assert "by shared" not in page


def test_the_same_done_several_times_within_a_minute_is_one_row(as_user, alice, project):
    noon = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
    for second, name in enumerate(("one", "two", "three")):
        made = datasets.create(project, None, name, [])
        audit.record(alice, "dataset-create", made)
        AuditEntry.objects.filter(object_id=made.pk).update(at=noon + timedelta(seconds=second))

    page = text_of(as_user(alice).get("/p/default/audit/"))

    assert "created 3 datasets three two one" in page


@pytest.mark.parametrize(
    ("action", "words"),
    [("share-create", "made 2 links"), ("share-open", "opened, for the first time today, 2 links")],
)
def test_links_that_lead_to_several_things_are_counted(as_user, alice, project, action, words):
    for number, name in enumerate(("to Answers", "to Prompts"), 1):
        AuditEntry.objects.create(
            project=project,
            actor_name="eve",
            action=action,
            object_type="share link",
            object_id=number,
            object_name=name,
            at=datetime(2026, 3, 1, 12, 0, tzinfo=UTC),
        )

    page = text_of(as_user(alice).get("/p/default/audit/"))

    assert f"{words} Prompts Answers" in page


def test_what_was_done_twice_to_one_thing_is_not_said_of_two(as_user, alice, project):
    dataset = factories.dataset(project)
    AuditEntry.objects.all().delete()
    for _ in range(2):
        audit.record(alice, "dataset-rename", dataset)
    AuditEntry.objects.update(at=datetime(2026, 3, 1, 12, 0, tzinfo=UTC))

    assert f"renamed dataset {dataset.name}, 2 times" in text_of(as_user(alice).get("/p/default/audit/"))


def test_a_page_is_full_of_rows_though_each_may_be_of_several_entries(as_user, alice, project):
    for act in range(30):
        for _ in range(2):
            AuditEntry.objects.create(project=project, actor_name=f"person {act}", action="dataset-create")
    client = as_user(alice)

    def people(address):
        answer = client.get(address)
        return re.findall(r"person (\d+)", markup(answer).partition("<tbody>")[2]), answer.context["page"]

    newest, page = people("/p/default/audit/")
    older, last = people(page.next)
    again, _ = people(last.previous)

    assert newest == [str(n) for n in range(29, 4, -1)]
    assert older == [str(n) for n in range(4, -1, -1)]
    assert again == newest


def test_the_page_describes_actions_in_words(as_user, alice, project, ids):
    AuditEntry.objects.create(
        project=project, actor_name="alice", action="example-edit", details={"position": 371}
    )

    page = as_user(alice).get("/p/default/audit/")

    assert "edited example 371" in page.content.decode()


def test_an_entry_names_an_example_by_its_key(as_user, alice, project):
    dataset = datasets.create(project, None, "keyed", [{"key": "k7", "inputs": {"q": "Where?"}}])
    audit.record(alice, "example-edit", dataset, position=1)

    assert "edited example k7, dataset" in text_of(as_user(alice).get("/p/default/audit/"))


def test_an_entry_links_what_it_is_about_while_that_lives(as_user, alice, project):
    dataset = factories.dataset(project)
    audit.record(alice, "dataset-create", dataset)
    link = f'<a href="/datasets/{dataset.pk}/">{dataset.name}</a>'

    assert link in markup(as_user(alice).get("/p/default/audit/"))
    datasets.delete(dataset)
    assert link not in markup(as_user(alice).get("/p/default/audit/"))


def test_what_a_change_made_besides_is_linked_and_named_without_inner_numbers(as_user, alice, project):
    experiment = factories.experiment(project)
    dataset = experiment.dataset
    named = [("dataset", dataset), ("experiment", experiment)]
    made = [{"object_type": kind, "object_id": one.pk, "object_name": one.name} for kind, one in named]
    audit.record(
        alice, "dataset-create", Upload(pk=7_654_321, project=project, filename="a.csv"), **{"with": made}
    )

    answer = as_user(alice).get("/p/default/audit/")
    page = markup(answer)

    assert f"created dataset {dataset.name} from a.csv" in text_of(answer)
    for thing, kind in ((dataset, "datasets"), (experiment, "experiments")):
        assert f'<a href="/{kind}/{thing.pk}/">{thing.name}</a>' in page
    assert "number" not in page.partition("<tbody>")[2].partition("</tbody>")[0]


def test_differences_that_matter_name_their_evaluators_and_a_trial_is_said_once(as_user, alice, project):
    experiment = factories.experiment(project, "exact_match")
    evaluator = Evaluator.objects.get(project=project)
    audit.record(alice, "experiment-margin", experiment, ties={str(evaluator.pk): 0.1})
    audit.record(alice, "prompt-try", Trial(pk=6, project=project))

    page = text_of(as_user(alice).get("/p/default/audit/"))

    assert f"tied within 0.1 on {evaluator.name}" in page
    assert "ran trial 6" in page


@pytest.mark.django_db(transaction=True)
def test_an_entry_is_whole_on_a_phone(live_server, alices_page, project, alice):
    audit.record(alice, "upload-columns", project)
    alices_page.set_viewport_size({"width": 400, "height": 720})

    alices_page.goto(f"{live_server.url}/p/{project.slug}/audit/")

    row = alices_page.locator("tbody tr").first
    boxes = [cell.bounding_box() for cell in row.locator("td, th").all()]
    assert len(boxes) == 3  # when, who, what
    assert all(box["x"] + box["width"] <= 400 for box in boxes)
    assert row.bounding_box()["height"] < 100  # two or three short lines


@pytest.mark.parametrize(("role", "names"), [("viewer", True), ("annotator", False)])
def test_who_may_not_read_the_log_learns_whom_to_ask(as_user, project, alice, role, names):
    reader = User.objects.create_user("reader")
    Membership.objects.create(project=project, user=reader, role=role)

    told = as_user(reader).get("/p/default/audit/").content.decode()

    assert ("The administrator of the project (alice) can change that." in told) == names


def test_files_appended_twice_name_file_and_dataset_and_their_columns_are_a_detail(as_user, alice, project):
    dataset = factories.dataset(project, name="Answers")
    AuditEntry.objects.all().delete()
    about = {"object_type": "dataset", "object_id": dataset.pk, "object_name": "Answers"}
    for pk in (1, 2):
        for action, details in (("dataset-append", {"with": [about]}), ("upload-columns", {})):
            made = entry_of(alice, project, action, "upload", pk, "more.csv", details)
            AuditEntry.objects.filter(pk=made.pk).update(at=datetime(2026, 3, 1, 12, 0, tzinfo=UTC))

    page = text_of(as_user(alice).get("/p/default/audit/"))

    assert "uploaded more.csv for dataset Answers, 2 times" in page
    assert page.count("and chose its columns") == 2
    assert "chose the columns of file" not in page.partition("When Who What")[2]


@pytest.mark.parametrize(
    ("apart", "said"),
    [
        (True, "kept run pull request 214 apart, as sent for a gate"),
        (False, "counted run pull request 214 among the variants"),
    ],
)
def test_where_a_run_counts_is_said_in_words(as_user, alice, project, apart, said):
    details = {"for_gate": apart, "before": not apart}
    entry_of(alice, project, "run-for-gate", "run", 7, "pull request 214", details)

    page = text_of(as_user(alice).get("/p/default/audit/"))

    assert said in page
    assert "for_gate" not in page


def entry_of(user, project, action, kind, pk, name, details):
    return AuditEntry.objects.create(
        project=project,
        actor=user,
        actor_name=str(user),
        action=action,
        object_type=kind,
        object_id=pk,
        object_name=name,
        details=details,
    )
