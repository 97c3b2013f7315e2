"""No page is wider than its window, whatever its things are called: every address, with names of unbroken letters."""

from typing import Any

import pytest
from playwright.sync_api import Page

from evaluations.access import projects
from evaluations.datasets import datasets
from evaluations.experiments import experiments
from evaluations.labelling import sent_labels, sets
from evaluations.models import Project
from tests import factories
from tests.authorization.calls import PAGES, filled
from tests.authorization.world import NOWHERE, things_of
from tests.web.test_scripts import NO_PAGES

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]
LONG = "Name_" + "abcdefghij" * 15
# What reaches beyond the window: the innermost elements that do.
BEYOND = """() => document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll("body *")]
    .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right + scrollX > innerWidth + 1)
    .slice(-3).map((one) => `${one.tagName}.${one.className} to ${one.getBoundingClientRect().right}`)"""
# Cells of the outputs on which evaluators disagree whose texts are taller than they are, and lie over the next.
COVERED = """() => [...document.querySelectorAll(".disagreements tbody td")]
  .filter((cell) => cell.scrollHeight > cell.clientHeight + 2).map((cell) => `too low for ${cell.innerText}`)"""


def labelled(project: Project, alice: Any) -> dict[str, int]:
    """Two variants, evaluators and people who differ, whose every name, key, label and text has 200 letters or so."""
    texts = [f"{n}{LONG}" for n in range(12)]
    rows = [
        {"key": f"key{text}", "inputs": {LONG: text}, "reference": {LONG: text}, "metadata": {LONG: LONG}}
        for text in texts
    ]
    used = [
        factories.evaluator(project, kind, f"{LONG}{kind}")
        for kind in ("exact_match", "levenshtein_similarity")
    ]
    dataset = datasets.create(project, alice, f"{LONG} of labels", rows)
    experiment = experiments.create(project, alice, f"{LONG} labelled", dataset, used)
    runs = [
        factories.scored_run(experiment, [*texts[:k], *(text[3:] for text in texts[k:])], f"{LONG}{k}")
        for k in (4, 8)
    ]
    answers = [f"Good{LONG}", f"Bad{LONG}"]
    plan = {"answers": "labels", "labels": ", ".join(answers), "question": LONG, "guideline": LONG}
    label_set = sets.create(project, alice, f"{LONG} said", plan)
    for run in runs:
        run.refresh_from_db()
        said = [
            {"position": n, "value": answers[(n + k) % 2], "rater": f"{k}{LONG}"[:100], "note": LONG}
            for n in range(1, 12)
            for k in (0, 1)
        ]
        sent_labels.send(label_set, alice, run, said, is_random=True)
    return {
        "experiment": experiment.pk,
        "run": runs[0].pk,
        "other_run": runs[1].pk,
        "label_set": label_set.pk,
        "evaluator": used[0].pk,
    }


@pytest.fixture
def addresses(alice, settings) -> list[str]:
    settings.PROVIDER_ALLOWED_HOSTS = [NOWHERE.split("/")[2]]
    alice.is_superuser = True
    alice.save()
    project = projects.create(f"{LONG} project", alice)
    ids = things_of(project, alice, LONG)
    shown = [filled(path, ids) for name, path in PAGES.items() if name not in NO_PAGES]
    ids |= labelled(project, alice)
    of_labels = [
        name for name in PAGES if name not in NO_PAGES and any(f"{{{one}}}" in PAGES[name] for one in ids)
    ]
    shown += [filled(PAGES[name], ids) for name in of_labels]
    opened = (
        "/experiments/{experiment}/?agreement=open",
        "/evaluators/{label_set}/adjudications/?list",
        "/runs/{run}/",
    )
    return list(dict.fromkeys([*shown, *(filled(path, ids) for path in opened)]))


def test_no_page_is_wider_than_its_window(alices_page: Page, live_server, addresses):
    assert len(addresses) > 80
    faults = []
    for address in addresses:
        alices_page.goto(f"{live_server.url}{address}")
        for width in (1280, 320):
            alices_page.set_viewport_size({"width": width, "height": 800})
            faults += [f"{address} at {width}: {one}" for one in alices_page.evaluate(BEYOND)]
        faults += [f"{address} at 320: {one}" for one in alices_page.evaluate(COVERED)]

    assert "\n".join(faults) == ""
