"""The pages of versions: their changes, notes and tags, and restoring one."""

import re

import pytest

from evaluations.imports import changes, imports
from evaluations.models import DatasetImport
from tests import factories
from tests.datasets.test_differences import mirror
from tests.pages import markup, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def weekly(project):
    """v2 changes Rome to Roma, removes Oslo and adds Bern."""
    first = factories.dataset(project)
    mirror(first, [("k1", "q1", "Paris"), ("k2", "q2", "Roma"), ("k4", "q4", "Bern")])
    return first


def test_changed_examples_are_shown_before_and_after(alices, weekly):
    pages = [f"/datasets/{weekly.pk}/imports/{weekly.changes.get().pk}/", f"/datasets/{weekly.pk}/diff/"]

    for page in pages:
        html = markup(alices.get(page))
        for text in ("k2", "Oslo", "Bern"):
            assert text in html, page


def test_a_short_text_stands_beside_what_it_became(alices, weekly):
    said = text_of(alices.get(f"/datasets/{weekly.pk}/diff/"))

    assert re.search(r"\[deleted: ?Rome ?\] ?\[inserted: ?Roma ?\]", said)


def test_a_diff_shows_the_key_that_an_example_had(alices, weekly):
    mirror(weekly, [("k1", "q1", "Paris"), ("k2", "q2", "Roma"), ("k5", "q4", "Bern")])

    html = markup(alices.get(f"/datasets/{weekly.pk}/diff/"))

    assert "k5" in html
    assert "key was k4" in html


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("1", 1, ("&quot;1&quot;", "<ins>1</ins>")),
        ("even " * 1_000, "even " * 1_000 + "Oslo", ("Oslo",)),
    ],
    ids=["type", "far behind the beginning"],
)
def test_a_diff_shows_the_differences(alices, weekly, before, after, shown):
    for answer in (before, after):
        mirror(weekly, [("k1", "q1", answer)])

    html = markup(alices.get(f"/datasets/{weekly.pk}/diff/"))

    for text in shown:
        assert text in html


def test_a_diff_shows_one_kind_of_change(alices, weekly):
    html = markup(alices.get(f"/datasets/{weekly.pk}/diff/?from=1&to=2&change=removed"))

    assert "Oslo" in html
    assert "Bern" not in html


def test_a_version_is_described(alices, weekly):
    address = f"/datasets/{weekly.pk}/versions/"

    answer = alices.post(f"{address}1/describe/", {"tag": "baseline", "comment": "as delivered"})
    again = alices.post(f"{address}2/describe/", {"tag": "baseline"})

    assert (answer.status_code, again.status_code) == (302, 409)
    html = markup(alices.get(address))
    assert "baseline" in html
    assert "as delivered" in html


def test_what_is_done_with_a_version_is_in_its_menu(alices, weekly):
    html = markup(alices.get(f"/datasets/{weekly.pk}/versions/"))

    menus = re.findall(r'<div class="menu[^"]*" id="more-.*?</div>', html, re.DOTALL)
    assert [("/restore/" in menu, "/describe/" in menu) for menu in menus] == [(False, True), (True, True)]
    assert re.findall(r'aria-label="(More for .*?)"', html) == ["More for v2", "More for v1"]


def test_a_version_is_restored_by_a_worker(alices, weekly):
    answer = alices.post(f"/datasets/{weekly.pk}/versions/1/restore/")

    change = DatasetImport.objects.first()
    assert answer["Location"] == f"/datasets/{weekly.pk}/imports/{change.pk}/"
    assert (change.mode, change.status) == ("restore", "importing")
    assert "Waiting for a worker" in markup(alices.get(answer["Location"]))


def test_a_restored_version_counts_its_changes(weekly):
    change = changes.restore(weekly, 1, None)
    imports.run_import(change.imports.get().pk)

    change.refresh_from_db()
    assert (change.added, change.changed, change.removed, change.same) == (1, 1, 1, 1)


def test_a_missing_version_is_404(alices, weekly):
    assert alices.get(f"/datasets/{weekly.pk}/diff/?from=9").status_code == 404
    assert alices.post(f"/datasets/{weekly.pk}/versions/9/restore/").status_code == 404
