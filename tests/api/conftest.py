"""Clients with API keys, and a dataset, an evaluator and runs for them to read and change."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from evaluations.access import api_keys
from evaluations.imports import imports
from evaluations.models import Import, Membership, Project, Scope
from evaluations.scoring import scoring
from tests import factories

ROOT = "/api/v1/"


class Program:
    """A client of the API with one key; `get("runs/")` is GET /api/v1/runs/."""

    def __init__(self, key: str = ""):
        self.client = Client(raise_request_exception=False)
        self.headers = {"Authorization": f"Bearer {key}"} if key else {}

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> HttpResponse:
        content = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.client.generic(
            method,
            path if path.startswith(("/", "http")) else ROOT + path,
            content,
            headers.pop("content_type", "application/json"),
            headers=self.headers | headers,
        )

    def get(self, path: str, **headers: str) -> HttpResponse:
        return self.send("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> HttpResponse:
        return self.send("POST", path, body, **headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> HttpResponse:
        return self.send("PATCH", path, body, **headers)

    def delete(self, path: str) -> HttpResponse:
        return self.send("DELETE", path)

    def upload(self, path: str, content: bytes, filename: str = "answers.csv", **fields: Any) -> HttpResponse:
        """POST a multipart form; `headers` may contain Idempotency-Key, for example."""
        headers = self.headers | fields.pop("headers", {})
        texts = {
            name: value if isinstance(value, str) else json.dumps(value) for name, value in fields.items()
        }
        form = texts | {"file": SimpleUploadedFile(filename, content)}
        return self.client.post(ROOT + path, form, headers=headers)

    def create(self, path: str, body: Any) -> dict[str, Any]:
        """The created object; fails unless the POST succeeds."""
        response = self.post(path, body)
        assert response.status_code in (201, 202), response.content
        return response.json()


def program(project: Project, scope: str, owner: Any = None) -> Program:
    return Program(api_keys.create_key(project, owner, f"{scope} key", scope)[1])


@pytest.fixture
def writer(project) -> Program:
    """A client with a write key of Alice's."""
    return program(project, Scope.WRITE)


@pytest.fixture
def runner(project) -> Program:
    return program(project, Scope.RUN)


@pytest.fixture
def reader(project) -> Program:
    return program(project, Scope.READ)


@pytest.fixture
def stranger(charlie) -> Program:
    """A client with a write key of Charlie's own project."""
    return program(Membership.objects.get(user=charlie).project, Scope.WRITE)


@pytest.fixture
def nobody(db) -> Program:
    return Program()


def import_all() -> None:
    """Read every waiting file, as workers do."""
    for import_id in Import.objects.values_list("pk", flat=True):
        imports.run_import(import_id)


def score_all() -> None:
    """Copy outputs of edited examples and score every queued run, as workers do."""
    factories.copy_outputs()
    while scoring.work(seconds=5):
        pass


EXAMPLES = [
    {"key": "a", "inputs": {"question": "Capital of France?"}, "reference": {"answer": "Paris"}},
    {"key": "b", "inputs": {"question": "Capital of Italy?"}, "reference": {"answer": "Rome"}},
    {"key": "c", "inputs": {"question": "Capital of Spain?"}, "reference": {"answer": "Madrid"}},
]
OUTPUTS = [{"key": "a", "output": "Paris"}, {"key": "b", "output": "Roma"}, {"key": "c", "output": "Lisbon"}]

CSV_OF_OUTPUTS = b"id,answer\na,Paris\nb,Rome\nc,Madrid\n"


@pytest.fixture
def dataset(writer) -> dict[str, Any]:
    return writer.create("datasets/", {"name": "Capitals", "examples": EXAMPLES})


@pytest.fixture
def evaluator(writer) -> dict[str, Any]:
    return writer.create(
        "evaluators/", {"name": "Edits", "kind": "levenshtein_distance", "config": {"threshold": 1}}
    )


@pytest.fixture
def experiment(writer, dataset, evaluator) -> dict[str, Any]:
    body = {"name": "Which prompt?", "dataset": dataset["id"], "evaluators": [evaluator["id"]]}
    return writer.create("experiments/", body)


@pytest.fixture
def draft(writer, experiment) -> dict[str, Any]:
    body = {"experiment": experiment["id"], "variant": "short", "outputs": OUTPUTS, "start": False}
    return writer.create("runs/", body)


@pytest.fixture
def queued(writer, experiment) -> dict[str, Any]:
    return writer.create("runs/", {"experiment": experiment["id"], "variant": "short", "outputs": OUTPUTS})


@pytest.fixture
def completed(writer, queued) -> dict[str, Any]:
    score_all()
    return writer.get(f"runs/{queued['id']}/").json()
