"""All examples of docs/api.md run in order against a live server, and print what the page shows."""

import re

import pytest
from django.urls import resolve
from drf_spectacular.generators import SchemaGenerator

from evaluations.access import api_keys, permissions
from evaluations.models import Scope
from tests import processes
from tests.site import shell_examples

PAGE = (processes.ROOT / "docs" / "api.md").read_text()
ROUTES = (processes.ROOT / "docs" / "routes.md").read_text()


@pytest.mark.processes
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("language", shell_examples.SHELLS)
def test_every_example_prints_what_the_page_shows(language, live_server, worker, alice, project, tmp_path):
    _, key = api_keys.create_key(project, alice, "Examples", "write")

    differing = shell_examples.run(PAGE, language, tmp_path, EVALSITE_URL=live_server.url, EVALSITE_KEY=key)

    assert differing == []


def routes() -> dict[str, str]:
    """Every operation of the schema, with the smallest scope that allows it."""
    scopes = {}
    for path, methods in SchemaGenerator().get_schema(public=True)["paths"].items():
        view = resolve(re.sub(r"\{\w+\}", "1", path)).func.view_class
        scopes |= {f"{method.upper()} {path}": scope(view.needs[method.upper()]) for method in methods}
    return scopes


def scope(permission: str) -> str:
    return next(scope.value for scope in Scope if permission in permissions.BY_SCOPE[scope])


def test_the_table_has_every_route_with_its_scope_and_no_other():
    rows = re.findall(r"^\| `([A-Z]+ /api/v1/\S*)` \| (\w+) \|", ROUTES, re.MULTILINE)

    assert dict(rows) == routes()


def test_every_address_in_the_text_is_a_route():
    addresses = {call.split()[1] for call in routes()}

    assert set(re.findall(r"`(?:[A-Z]+ )?(/api/v1/[^`?]*)`", PAGE + ROUTES)) - addresses == set()
