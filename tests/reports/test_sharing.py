"""Links without an account: what they show, what they never show, and when they stop."""

import base64
import re
from datetime import timedelta
from hashlib import sha256

import pytest
from django.test import Client
from django.utils import timezone

from evaluations import owned
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.grouping.example_filter import ExampleFilter
from evaluations.datasets import splits
from evaluations.datasets.splits import Rule
from evaluations.errors import Forbidden, Gone, Invalid, TooManyRequests
from evaluations.experiments import experiments
from evaluations.models import AuditEntry, Output, ShareLink
from evaluations.reports import page, sharing
from evaluations.reports.sharing import Plan
from tests import factories

pytestmark = pytest.mark.django_db

BEFORE, AFTER = ("Paris", "Rome", "Osla"), ("Paris", "Milan", "Oslo")


@pytest.fixture
def experiment(project):
    return factories.experiment(project, "exact_match")


@pytest.fixture
def comparison(experiment):
    runs = [
        factories.scored_run(experiment, outputs, name) for outputs, name in ((BEFORE, "old"), (AFTER, "new"))
    ]
    return Comparison(runs, runs[0])


def made(comparison, kind="report", **options):
    return sharing.create(comparison.sides.experiment, comparison, None, Plan(kind, **options))


def opened(token):
    return Client().get(f"/s/{token}/")


@pytest.mark.parametrize("texts", [True, False])
def test_only_a_link_without_texts_says_that_it_has_none(experiment, texts):
    runs = [factories.scored_run(experiment, AFTER, name) for name in ("old", "new")]  # no example got worse
    _, token = made(Comparison(runs, runs[0]), texts=texts)

    words = " ".join(opened(token).content.decode().split())

    assert ("The examples are not part of this link." in words) is not texts
    assert ("No example got worse or better" in words) is texts


def test_a_stranger_is_told_the_terms_first_and_finds_p_and_digests_in_one_fold(comparison):
    _, token = made(comparison)
    text = opened(token).content.decode()
    first, fold = text.split('<details class="report-computed"')

    assert first.index("How to read it") < first.index("<table")
    assert "<dl" not in re.sub(r"<details.*?</details>", "", first, flags=re.DOTALL), (
        "figures stand near the top"
    )
    assert [
        term for term in ("No clear difference", "Better / worse / tied", "<dt>p</dt>") if term not in first
    ] == []
    assert "It decides the verdict." in first
    assert 'data-name="p"' not in text
    assert "<code>" not in first
    assert [word for word in ("p =", "How it was computed", "SHA-256") if word not in fold] == []


@pytest.mark.parametrize("kind", ["experiment", "comparison", "report"])
def test_a_stranger_reads_the_figures_and_nothing_else(comparison, kind):
    _, token = made(comparison, kind, note="Look at Rome <b>")
    page = opened(token)
    text = page.content.decode()

    assert page.status_code == 200
    assert comparison.sentence.text in re.sub(r"</?b\b[^>]*>", "", text)
    assert ".stacks thead" in text, "tables are lists on a phone"
    assert "Look at Rome &lt;b&gt;" in text
    assert "Milan" not in text
    assert "Osla" not in text
    assert re.findall(r'href="([^"]*)"', text) == ["#content"]
    assert "<script" not in text
    assert page["X-Robots-Tag"] == "noindex, nofollow"
    assert page["Referrer-Policy"] == "no-referrer"
    assert "no-store" in page["Cache-Control"]
    assert "script" not in page["Content-Security-Policy"]
    assert not page.cookies


def test_texts_are_shown_only_if_somebody_said_so(comparison):
    _, token = made(comparison, texts=True)

    assert "Milan" in opened(token).content.decode()


def test_other_runs_on_the_dataset_do_not_show(comparison, experiment):
    used = [comparison.evaluators.primary]
    other = experiments.create(experiment.project, None, "another", experiment.dataset, used)
    factories.scored_run(other, BEFORE, "secret variant")
    _, token = made(comparison, "experiment")

    assert "secret variant" not in opened(token).content.decode()


def test_a_kept_report_stays_and_a_current_one_moves(comparison, experiment):
    kept, current = made(comparison)[1], made(comparison, "experiment")[1]
    factories.scored_run(experiment, BEFORE, "third")

    assert "third" not in opened(kept).content.decode()
    assert "third" in opened(current).content.decode()


def test_a_kept_report_is_styled_after_an_upgrade(comparison, monkeypatch):
    """Its style sheet is kept with it, so the header must allow that one and not the one of today."""
    token = made(comparison)[1]
    monkeypatch.setattr(page, "sheet", lambda: "body { margin: 0 }")
    page.policy.cache_clear()
    shown = opened(token)
    style = shown.content.decode().partition("<style>")[2].partition("</style>")[0]
    page.policy.cache_clear()

    assert len(style) > 1000
    assert base64.b64encode(sha256(style.encode()).digest()).decode() in shown["Content-Security-Policy"]


def test_a_view_keeps_its_filter(comparison, experiment):
    split = splits.create(experiment.dataset, None, "half", Rule(positions=[1, 2]))
    filtered = Comparison(
        comparison.sides.runs, comparison.sides.baseline.run, example_filter=ExampleFilter((), split)
    )
    _, token = made(filtered, "comparison")

    assert "2 of 3 examples remain" in " ".join(opened(token).content.decode().split())
    splits.delete(split)
    assert opened(token).status_code == 410


def test_only_the_digest_is_stored(comparison):
    link, token = made(comparison)

    assert token not in str(ShareLink.objects.filter(pk=link.pk).values())


def test_an_ended_link_says_so_and_can_come_back(comparison):
    link, token = made(comparison)
    sharing.end(link)
    gone = opened(token)
    assert gone.status_code == 410
    assert link.project.name in gone.content.decode()

    owned.restore(link)
    assert opened(token).status_code == 200


def test_a_link_that_never_existed_names_nobody(comparison):
    gone = opened("never")

    assert gone.status_code == 410
    assert gone.content.decode().count("link has ended") == 2  # the title and the heading
    assert "Ask whoever sent it for a new one." in gone.content.decode()
    assert comparison.sides.experiment.project.name not in gone.content.decode()


def test_a_link_ends_by_itself(comparison):
    link, token = made(comparison, expires_at=timezone.now() + timedelta(days=1))
    ShareLink.objects.filter(pk=link.pk).update(expires_at=timezone.now())

    assert opened(token).status_code == 410


def test_no_link_lasts_longer_than_a_year(comparison):
    for days in (0, 366):
        with pytest.raises(Invalid):
            made(comparison, expires_at=timezone.now() + timedelta(days=days))


def test_a_link_stops_with_what_it_shows(comparison, experiment):
    tokens = [made(comparison, kind)[1] for kind in ("report", "comparison")]
    run = comparison.sides.runs[1]
    type(run).objects.filter(pk=run.pk).update(deleted_at=timezone.now())
    assert [opened(token).status_code for token in tokens] == [410, 410]

    type(run).objects.filter(pk=run.pk).update(deleted_at=None)
    experiments.delete(experiment)
    assert [opened(token).status_code for token in tokens] == [410, 410]


def test_a_project_without_links_makes_none_and_shows_none(comparison, project):
    _, token = made(comparison)
    sharing.allow(project, False)
    comparison.sides.experiment.project.refresh_from_db()

    assert opened(token).status_code == 410
    with pytest.raises(Forbidden):
        made(comparison)


def test_openings_are_counted_and_the_first_of_a_day_is_in_the_audit_log(comparison):
    link, token = made(comparison)
    for _ in range(3):
        opened(token)
    link.refresh_from_db()

    assert link.opened == 3
    assert link.last_opened_at is not None
    assert AuditEntry.objects.filter(action="share-open", object_id=link.pk).count() == 1


def test_guesses_are_limited(comparison, monkeypatch):
    monkeypatch.setattr(sharing, "PER_MINUTE", 2)
    for _ in range(2):
        with pytest.raises(Gone):
            sharing.find("never", "192.0.2.1")

    with pytest.raises(TooManyRequests):
        sharing.find("never", "192.0.2.1")


def test_a_purged_text_leaves_the_current_link_readable(comparison):
    _, token = made(comparison, "comparison", texts=True)
    Output.objects.filter(run=comparison.sides.runs[1]).update(text="")

    assert opened(token).status_code == 200


def test_the_list_of_links_has_those_that_ended_with_how_often_they_were_opened(alice, project, comparison):
    alices = Client()
    alices.force_login(alice)
    link, token = made(comparison, note="For the board")
    opened(token)
    alices.post(f"/shares/{link.pk}/delete/")

    page = alices.get(f"/p/{project.slug}/shares/").content.decode()

    assert "No links yet" not in page
    assert ("Ended links" in page, "For the board" in page, "1 time" in page) == (True, True, True)
    assert page.count('aria-label="Bring back the link to') == 1
