"""Answers about which raters do not agree neither pass nor fail: the page of the run counts and shows them."""

import re
from urllib.parse import quote

import pytest
from django.urls import reverse

from evaluations.access import api_keys
from evaluations.labelling import rating, tasks
from evaluations.models import Scope
from tests.pages import markup, text_of

pytestmark = pytest.mark.django_db


def test_counts_of_a_run_name_what_neither_passes_nor_fails(
    alices, client, project, label_set, alice, bob, variants
):
    task = tasks.create(label_set, alice, variants[:1], tasks.Plan(size=3, seed=1, raters=2, overlap=0))
    for user, words in ((alice, ("pass", "pass", "fail")), (bob, ("pass", "fail", "fail"))):
        rater = rating.rater_of(task, user)
        while seat := rating.begin(rater):
            label = dict(zip(("Paris", "Lyon", "Oslo"), words, strict=True))[
                rating.shown(rater, seat).outputs[0]
            ]
            rating.rate(rater, seat.item.token, seat.lease, label)
    tasks.close(task)
    people, address = label_set.pk, reverse("run-detail", args=[variants[0].pk])

    page = markup(alices.get(address, {"evaluator": people}))
    between = markup(alices.get(address, {"evaluator": people, f"passed[{people}]": "neither"}))

    assert "All 3 Fail 1 Pass 1 Neither 1" in " ".join(text_of(page).split())
    assert "1 pass 1 fail 1 neither" in " ".join(text_of(page).split())
    assert "split" in between
    assert len(re.findall(r"<tr\b[^>]*\sdata-row", between)) == 1
    _, key = api_keys.create_key(project, alice, "reader", Scope.READ)
    rows = client.get(
        f"/api/v1/runs/{variants[0].pk}/results/?{quote(f'passed[{people}]')}=neither",
        headers={"Authorization": f"Bearer {key}"},
    )
    assert [row["output"] for row in rows.json()["results"]] == ["Lyon"]
