"""All examples of docs/api.md run in order against a live server, and print what the page shows."""

import re

import pytest
from drf_spectacular.generators import SchemaGenerator

from evaluations.access import api_keys
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


def test_every_address_in_the_text_is_a_route():
    addresses = set(SchemaGenerator().get_schema(public=True)["paths"])

    assert set(re.findall(r"`(?:[A-Z]+ )?(/api/v1/[^`?]*)`", PAGE + ROUTES)) - addresses == set()
