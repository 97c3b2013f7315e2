"""The audit log: nothing that changes something is left out, and nobody reads what is not theirs."""

import csv
import io
import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.db.models import QuerySet
from django.test import Client
from django.urls import get_resolver
from django.utils import timezone

from evaluations import connections, datasets, experiments, invitations, projects, runs, uploads
from evaluations.models import AuditEntry, Dataset, Membership, Role, Run
from evaluations.web.audited import UNRECORDED
from tests import factories
from tests.api.conftest import score_all
from tests.api.test_access import TABLE, patterns
from tests.web.test_evaluators import sent

FILE = "question,answer\nwhat,this\n"
NEW = {"username": "erin", "password1": "brand new words", "password2": "brand new words"}
EVALUATOR = sent(name="Same")
SERVER = {"name": "Server", "base_url": "https://8.8.8.8/v1", "api_key": "sk-0123456789abcdef"}
# Each page that changes something: its address and what is sent. Ids are of Alice's things, `gone_…` deleted ones.
PAGES: dict[str, tuple[str, dict[str, Any]]] = {
    "account-password": (
        "/account/password/",
        {
            "old_password": "alice's long password",
            "new_password1": "brand new words",
            "new_password2": "brand new words",
        },
    ),
    "connection-default": ("/connections/{connection}/default/", {}),
    "connection-delete": ("/connections/{connection}/delete/", {}),
    "connection-detail": ("/connections/{connection}/", {"name": "Other", "base_url": "https://8.8.8.8/v1"}),
    "connection-list": ("/p/default/connections/", SERVER | {"name": "Another"}),
    "connection-restore": ("/connections/{gone_connection}/restore/", {}),
    "dataset-append": ("/datasets/{dataset}/append/", {"text": FILE}),
    "dataset-delete": ("/datasets/{dataset}/delete/", {}),
    "dataset-rename": ("/datasets/{dataset}/rename/", {"name": "Towns"}),
    "dataset-restore": ("/datasets/{gone_dataset}/restore/", {}),
    "dataset-upload": ("/p/default/datasets/upload/", {"text": FILE}),
    "evaluator-create": ("/p/default/evaluators/new/?kind=levenshtein_similarity", EVALUATOR),
    "evaluator-delete": ("/evaluators/{evaluator}/delete/", {}),
    "evaluator-detail": ("/evaluators/{evaluator}/", EVALUATOR),
    "evaluator-restore": ("/evaluators/{gone_evaluator}/restore/", {}),
    "example-create": ("/datasets/{dataset}/examples/new/", {"field-0": "a", "field-1": "b"}),
    "example-delete": ("/datasets/{dataset}/examples/1/delete/", {}),
    "example-edit": ("/datasets/{dataset}/examples/1/edit/", {"field-0": "a", "field-1": "b"}),
    "experiment-baseline": ("/experiments/{experiment}/baseline/", {"variant": "v1"}),
    "experiment-create": ("/p/default/experiments/new/", {"name": "Why?", "dataset": "{dataset}"}),
    "experiment-dataset": ("/experiments/{experiment}/dataset/", {}),
    "experiment-delete": ("/experiments/{experiment}/delete/", {}),
    "experiment-evaluators": (
        "/experiments/{experiment}/evaluators/",
        {"evaluators": "evaluator:{evaluator}"},
    ),
    "experiment-rename": ("/experiments/{experiment}/rename/", {"name": "How?"}),
    "experiment-restore": ("/experiments/{gone_experiment}/restore/", {}),
    "invitation-accept": ("/invite/{token}/", NEW),
    "invitation-create": ("/p/default/invitations/", {"role": "viewer"}),
    "invitation-withdraw": ("/p/default/invitations/{invitation}/", {}),
    "key-create": ("/account/keys/", {"name": "nightly", "project": "{project}", "scope": "read"}),
    "key-revoke": ("/account/keys/{key}/revoke/", {}),
    "key-revoke-any": ("/p/default/keys/{key}/revoke/", {}),
    "member-change": ("/p/default/members/{member}/", {"role": "viewer"}),
    "member-remove": ("/p/default/members/{member}/remove/", {}),
    "project-create": ("/p/new/", {"name": "Second"}),
    "project-delete": ("/p/default/delete/", {"typed": "Default"}),
    "project-rename": ("/p/default/rename/", {"name": "First"}),
    "project-restore": ("/p/elsewhere/restore/", {}),
    "run-cancel": ("/runs/{open_run}/cancel/", {}),
    "run-delete": ("/runs/{run}/delete/", {}),
    "run-restore": ("/runs/{gone_run}/restore/", {}),
    "run-retry": ("/runs/{run}/retry/", {}),
    "run-score": ("/runs/{run}/score/", {"evaluators": "evaluator:{evaluator}"}),
    "run-start": ("/runs/{draft}/start/", {}),
    "sample-load": ("/p/default/sample/", {}),
    "sample-remove": ("/p/default/sample/remove/", {}),
    "upload-columns": (
        "/uploads/{upload}/columns/",
        {
            "column-0": "question",
            "role-0": "input",
            "column-1": "answer",
            "role-1": "reference",
            "continue": "1",
        },
    ),
    "upload-confirm": ("/uploads/{upload}/confirm/", {"name": "Uploaded", "on_error": "reject"}),
    "variant-create": ("/experiments/{experiment}/variants/new/", {"variant": "v9", "text": "output\na\n"}),
    "variant-match": (
        "/experiments/{experiment}/variants/{variant_upload}/",
        {"output": "output", "match": "order", "start": "1"},
    ),
}
CALLS: dict[tuple[str, str], tuple[str, Any]] = {
    ("api-dataset-list", "POST"): ("datasets/", {"name": "Made", "examples": [{"inputs": "a"}]}),
    ("api-dataset-detail", "PATCH"): ("datasets/{dataset}/", {"name": "Towns"}),
    ("api-dataset-detail", "DELETE"): ("datasets/{dataset}/", None),
    ("api-dataset-restore", "POST"): ("datasets/{gone_dataset}/restore/", None),
    ("api-example-list", "POST"): (
        "datasets/{dataset}/examples/",
        {"examples": [{"inputs": {"question": "a"}}]},
    ),
    ("api-example-detail", "PATCH"): ("datasets/{dataset}/examples/1/", {"inputs": {"question": "a"}}),
    ("api-example-detail", "DELETE"): ("datasets/{dataset}/examples/1/", None),
    ("api-evaluator-list", "POST"): ("evaluators/", {"name": "Same", "kind": "exact_match"}),
    ("api-evaluator-detail", "PATCH"): ("evaluators/{evaluator}/", {"name": "Same"}),
    ("api-evaluator-detail", "DELETE"): ("evaluators/{evaluator}/", None),
    ("api-evaluator-restore", "POST"): ("evaluators/{gone_evaluator}/restore/", None),
    ("api-connection-list", "POST"): ("connections/", SERVER | {"name": "Another"}),
    ("api-connection-detail", "PATCH"): ("connections/{connection}/", {"name": "Other"}),
    ("api-connection-detail", "DELETE"): ("connections/{connection}/", None),
    ("api-connection-restore", "POST"): ("connections/{gone_connection}/restore/", None),
    ("api-experiment-list", "POST"): ("experiments/", {"name": "Why?", "dataset": "{dataset}"}),
    ("api-experiment-detail", "PATCH"): ("experiments/{experiment}/", {"name": "How?"}),
    ("api-experiment-detail", "DELETE"): ("experiments/{experiment}/", None),
    ("api-experiment-restore", "POST"): ("experiments/{gone_experiment}/restore/", None),
    ("api-experiment-evaluators", "POST"): (
        "experiments/{experiment}/evaluators/",
        {"evaluators": ["{evaluator}"]},
    ),
    ("api-run-list", "POST"): ("runs/", {"experiment": "{experiment}", "variant": "v9"}),
    ("api-run-detail", "DELETE"): ("runs/{run}/", None),
    ("api-run-restore", "POST"): ("runs/{gone_run}/restore/", None),
    ("api-run-outputs", "POST"): ("runs/{draft}/outputs/", {"outputs": [{"position": 2, "output": "a"}]}),
    ("api-run-start", "POST"): ("runs/{draft}/start/", None),
    ("api-run-cancel", "POST"): ("runs/{open_run}/cancel/", None),
    ("api-run-scorings", "POST"): ("runs/{run}/scorings/", {"evaluators": ["{evaluator}"]}),
}


@pytest.fixture
def ids(project, alice, bob, charlie) -> dict[str, Any]:
    """Of Alice's things, in every state that a write asks for."""
    long_ago = {"deleted_at": timezone.now() - timedelta(minutes=1)}
    gone = {
        "gone_dataset": factories.dataset(project, name="gone"),
        "gone_evaluator": factories.evaluator(project, name="gone"),
        "gone_connection": connections.create(project, alice, **SERVER | {"name": "gone"}),
        "gone_experiment": experiments.create(
            project, alice, "gone", factories.dataset(project, name="of it")
        ),
    }
    free = factories.evaluator(project, "levenshtein_similarity", "free")
    experiment = factories.experiment(project)
    things = {
        "project": project,
        "dataset": factories.dataset(project, name="free"),
        "evaluator": free,
        "connection": connections.create(project, alice, **SERVER),
        "experiment": experiment,
        "run": factories.scored_run(experiment),
        "draft": factories.run(experiment, ["Paris"], "v2", start=False),
        "open_run": factories.run(experiment, ["Paris"], "v3", start=False),
        "key": projects.create_key(project, alice, "nightly", "write")[0],
        "member": Membership.objects.get(user=bob),
        "upload": uploads.park(project, alice, ContentFile(FILE.encode(), name="a.csv")),
        "variant_upload": uploads.park(project, alice, ContentFile(b"output\na\nb\nc\n", name="b.csv")),
    }
    uploads.touch(things["variant_upload"], {"experiment": experiment.pk, "variant": "v9"})
    gone["gone_run"] = factories.run(experiment, variant="gone", start=False)
    for thing in gone.values():
        type(thing).objects.filter(pk=thing.pk).update(**long_ago)
    elsewhere = Membership.objects.get(user=charlie).project
    Membership.objects.create(project=elsewhere, user=alice, role=Role.ADMIN)
    type(elsewhere).objects.filter(pk=elsewhere.pk).update(**long_ago)
    invitation, token = invitations.create(project, alice, Role.VIEWER)
    found = {name: thing.pk for name, thing in (things | gone).items()}
    return found | {"invitation": invitation.pk, "token": token}


def filled(told: Any, ids: dict[str, Any]) -> Any:
    if isinstance(told, dict):
        return {name: filled(value, ids) for name, value in told.items()}
    if isinstance(told, list):
        return [filled(value, ids) for value in told]
    if not isinstance(told, str):
        return told
    whole = re.fullmatch(r"\{(\w+)\}", told)
    return ids[whole[1]] if whole else told.format(**ids)


def changes() -> QuerySet[AuditEntry]:
    """The entries without those of signing in, which every test does."""
    return AuditEntry.objects.exclude(action__startswith="sign")


@pytest.mark.parametrize("route", PAGES)
def test_every_page_that_changes_something_leaves_an_entry(as_user, alice, project, ids, route):
    client = Client() if route == "invitation-accept" else as_user(alice)
    if route == "sample-remove":
        client.post("/p/default/sample/")
        score_all()
    if route == "run-cancel":
        client.post(f"/runs/{ids['open_run']}/start/")
    if route == "experiment-dataset":
        used = Dataset.objects.get(name="capitals")
        datasets.append(used, alice, [{"inputs": {"question": "q"}}])
    if route == "upload-confirm":
        client.post(*filled(list(PAGES["upload-columns"]), ids))
    AuditEntry.objects.all().delete()

    response = client.post(*filled(list(PAGES[route]), ids))

    assert response.status_code in (201, 302), response.content
    entries = list(changes())
    assert [entry.request_id for entry in entries] == [response["X-Request-ID"]]
    assert entries[0].actor_name == ("erin" if route == "invitation-accept" else "alice")
    assert entries[0].object_name or route == "account-password"


@pytest.mark.parametrize(("route", "method"), CALLS)
def test_every_call_that_changes_something_leaves_an_entry(alice, project, ids, route, method):
    key, text = projects.create_key(project, alice, "program", "admin")
    path, body = filled(list(CALLS[route, method]), ids)
    headers = {"Authorization": f"Bearer {text}"}
    content = b"" if body is None else json.dumps(body).encode()

    if route == "api-run-cancel":
        runs.begin(Run.objects.get(pk=ids["open_run"]))
    response = Client().generic(method, f"/api/v1/{path}", content, "application/json", headers=headers)

    assert response.status_code < 300, response.content
    entry = AuditEntry.objects.get()
    assert (entry.request_id, entry.project, entry.actor) == (response["X-Request-ID"], project, alice)
    assert entry.api_key == key
    assert entry.object_name


def test_every_address_that_takes_a_change_is_walked(as_user, alice, ids):
    """A page says which methods it takes when it is sent one that does not exist."""
    client = as_user(alice)
    takes_post = set()
    for name, route, _ in patterns(get_resolver()):
        if route.startswith("api/") or name in UNRECORDED:
            continue
        address = re.sub(r"<int:\w+>", "1", route).replace("<slug:slug>", "default")
        answer = client.generic("BREW", "/" + address.replace("<str:token>", "x"))
        assert answer.status_code == 405, route
        if "POST" in answer["Allow"]:
            takes_post.add(name)
    calls = {(r, m) for r, methods in TABLE.items() for m in methods if m != "GET" and r not in UNRECORDED}

    assert takes_post == set(PAGES)
    assert calls == set(CALLS)


# ---- what is in it ----


def test_what_was_refused_or_did_nothing_leaves_no_entry(as_user, alice, bob, ids):
    as_user(bob).post("/p/default/rename/", {"name": "Bob's"})
    alices = as_user(alice)
    alices.post("/p/default/rename/", {"name": ""})
    alices.post(f"/evaluators/{ids['evaluator']}/", EVALUATOR | {"do": "try"})
    alices.get("/p/default/settings/")

    assert not changes().exists()


def test_an_entry_says_what_became_of_a_role(as_user, alice, ids):
    as_user(alice).post(f"/p/default/members/{ids['member']}/", {"role": "viewer"})

    entry = changes().get()
    assert (entry.action, entry.object_name) == ("member-change", "bob")
    assert entry.details == {"before": "editor", "role": "viewer"}


def test_an_answer_that_is_replayed_is_no_second_change(alice, project):
    _, text = projects.create_key(project, alice, "program", "write")
    headers = {"Authorization": f"Bearer {text}", "Idempotency-Key": "once"}
    body = {"name": "Made", "examples": [{"inputs": "a"}]}

    for _ in range(2):
        Client().post("/api/v1/datasets/", body, "application/json", headers=headers)

    assert AuditEntry.objects.count() == 1


def test_secrets_are_never_in_it(as_user, alice, project, ids):
    alices = as_user(alice)
    made = alices.post("/account/keys/", {"name": "n", "project": project.pk, "scope": "read"})
    link = alices.post("/p/default/invitations/", {"role": "viewer"}).context["link"]
    alices.post("/p/default/connections/", SERVER | {"name": "With a secret"})
    alices.post("/account/password/", PAGES["account-password"][1])

    kept = repr(list(AuditEntry.objects.values_list()))

    assert changes().count() == 4
    secrets = [made.context["made"][1], link.split("/")[-2], SERVER["api_key"], "brand new words"]
    assert [secret for secret in secrets if secret in kept] == []


def test_signing_in_and_out_and_failing_to_is_recorded(client, alice):
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


def test_an_entry_outlives_the_person(as_user, alice, bob, project):
    as_user(bob).post("/p/default/sample/")
    bob.delete()

    assert "bob" in as_user(alice).get("/p/default/audit/").content.decode()


# ---- reading it ----


@pytest.mark.parametrize("address", ["/p/default/audit/", "/p/default/audit/export/"])
@pytest.mark.parametrize(("who", "status"), [("alice", 200), ("bob", 403), ("dana", 403), ("charlie", 404)])
def test_the_log_of_a_project_is_for_its_administrators(as_user, project, request, address, who, status):
    assert as_user(request.getfixturevalue(who)).get(address).status_code == status


@pytest.mark.parametrize("address", ["/audit/", "/audit/export/"])
def test_the_log_of_the_site_is_for_the_site_s_administrators(as_user, client, alice, project, address):
    root = User.objects.create_superuser("root")

    assert client.get(address).status_code == 302
    assert as_user(alice).get(address).status_code == 403
    assert as_user(root).get(address).status_code == 200


def test_a_project_s_log_shows_nothing_of_others(as_user, alice, charlie, project):
    as_user(charlie).post("/p/elsewhere/rename/", {"name": "Secret plans"})

    html = as_user(alice).get("/p/default/audit/").content.decode()

    assert "Secret plans" not in html
    assert "charlie" not in html


def test_filters_find_by_person_action_and_day(as_user, alice, bob, project):
    as_user(alice).post("/p/default/rename/", {"name": "First"})
    as_user(bob).post("/p/default/sample/")
    alices = as_user(alice)

    def found(query: str) -> list[str]:
        return [entry.action for entry in alices.get(f"/p/default/audit/?{query}").context["page"].rows]

    today, tomorrow = (f"{timezone.now() + timedelta(days=n):%Y-%m-%d}" for n in (0, 1))
    assert found("") == ["sample-load", "project-rename"]
    assert found("who=bob") == ["sample-load"]
    assert found("action=project-rename") == ["project-rename"]
    assert found(f"since={today}&until={today}") == ["sample-load", "project-rename"]
    assert found(f"since={tomorrow}") == []


def test_the_export_has_the_same_entries_and_runs_in_no_spreadsheet(as_user, alice, project):
    as_user(alice).post("/p/default/rename/", {"name": "=cmd()"})

    answer = as_user(alice).get("/p/default/audit/export/")

    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert [(row["who"], row["action"], row["name"]) for row in rows] == [
        ("alice", "project-rename", "Default")
    ]
    as_user(alice).post("/p/default/rename/", {"name": "Default"})
    again = b"".join(as_user(alice).get("/p/default/audit/export/").streaming_content).decode()
    assert ",'=cmd()," in again
