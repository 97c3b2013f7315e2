"""The documents say what there is."""

from pathlib import Path

import pytest

from evalsite.environment import env

DOCS = Path(__file__).resolve().parent.parent / "docs"


@pytest.mark.parametrize("name", sorted(env.scheme))
def test_every_setting_is_explained(name):
    assert f"| `{name}` |" in (DOCS / "configuration.md").read_text()


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.name)
def test_links_between_documents_lead_somewhere(page):
    for link in page.read_text().split("](")[1:]:
        target = link.split(")")[0].split("#")[0]
        assert "://" in target or not target or (page.parent / target).exists(), target
