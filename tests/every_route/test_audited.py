"""Every page and every call that changes something leaves an entry in the audit log."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import Value
from django.db.models.functions import Concat
from django.test import Client

from evaluations.access import api_keys
from evaluations.datasets import datasets
from evaluations.experiments import runs
from evaluations.launches import launches
from evaluations.models import AuditEntry, Dataset, Evaluator, Experiment, Launch, Run, SecondFactor
from evaluations.web.site.audited import UNRECORDED
from tests import people
from tests.api.conftest import score_all
from tests.authorization.calls import API, PAGE_WRITES, Call, filled

# They need a state of their own; test_second_factor.py and test_passports.py show the entry.
ELSEWHERE = {"factor-app", "factor-passkey", "evaluator-again"}
CHANGES = {route: call for route, call in PAGE_WRITES.items() if route not in UNRECORDED | ELSEWHERE}
NAMELESS = {"account-password", "factor-codes", "session-end"}  # about the person, who is the actor
CALLS = {call: call_body for call, call_body in API.items() if call[1] != "GET" and call[0] not in UNRECORDED}


def with_file(path: str, body: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The call, with a file in place of its text."""
    return path, body | (
        {"file": SimpleUploadedFile("f.yaml", body["file"].encode())} if "file" in body else {}
    )


@pytest.mark.parametrize("route", CHANGES)
def test_every_page_that_changes_something_leaves_an_entry(alices, alice, ids, route):
    if route.startswith(("person-", "local-")):
        User.objects.filter(pk=alice.pk).update(is_superuser=True)
    if route.startswith("factor-"):
        SecondFactor.objects.filter(pk=ids["factor"]).update(user=alice)
    client = Client() if route == "invitation-accept" else alices
    if route == "sample-remove":
        client.post("/p/default/sample/")
        score_all()
    if route == "run-cancel":
        client.post(f"/runs/{ids['open_run']}/start/")
    if route == "run-resume":
        runs.cancel(runs.begin(Run.objects.get(pk=ids["cancelled_run"])))
    if route == "experiment-dataset":
        dataset = Experiment.objects.get(pk=ids["experiment"]).dataset
        datasets.append(dataset, alice, [{"inputs": {"question": "q"}}])
    if route == "upload-confirm":
        client.post(*filled(list(CHANGES["upload-columns"]), ids))
    AuditEntry.objects.all().delete()

    if route == "project-delete":
        launches.cancel(Launch.objects.get(pk=ids["launch"]))
    response = client.post(*with_file(*filled(list(CHANGES[route]), ids)))

    assert response.status_code == 302, response.content  # a page would be sent again by a reload
    entries = list(AuditEntry.objects.exclude(action__startswith="sign"))  # of every test
    assert [entry.request_id for entry in entries] == [response["X-Request-ID"]]
    assert entries[0].actor_name == ("erin" if route == "invitation-accept" else "alice")
    assert entries[0].object_name or route in NAMELESS


# a call that changes nothing may be sent again
@pytest.mark.parametrize("route", sorted(UNRECORDED & set(PAGE_WRITES) - {"send-call"}))
def test_every_other_form_leads_on_too(alices, ids, route):
    assert alices.post(*with_file(*filled(list(PAGE_WRITES[route]), ids))).status_code == 302


@pytest.mark.parametrize(("route", "method"), CALLS)
def test_every_call_that_changes_something_leaves_an_entry(alice, project, ids, route, method):
    key, text = api_keys.create_key(project, alice, "program", "admin")
    headers = {"Authorization": f"Bearer {text}"}

    if route == "api-run-cancel":
        runs.begin(Run.objects.get(pk=ids["open_run"]))
    if route == "api-run-resume":
        runs.cancel(runs.begin(Run.objects.get(pk=ids["cancelled_run"])))
    if route == "api-evaluator-passport-open":
        for model in (Dataset, Experiment, Evaluator):
            model.objects.update(name_key=Concat("name_key", Value(" of the world")))
        stock = people.labelled(project, alice)
        ids = ids | {"evaluator": stock.judge.evaluator_id, "label_set": stock.label_set.pk}
    if (route, method) == ("api-project-detail", "DELETE"):
        launches.cancel(Launch.objects.get(pk=ids["launch"]))
    response = Call(route, method, *CALLS[route, method]).send(Client(), ids, headers)

    assert response.status_code < 300, response.content
    entry = AuditEntry.objects.get()
    assert (entry.request_id, entry.project, entry.actor) == (response["X-Request-ID"], project, alice)
    assert entry.api_key == key
    assert entry.object_name
