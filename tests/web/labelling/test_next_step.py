"""Pages of label tasks say how far the work is, and have what comes next in sight."""

import pytest
from django.test import Client
from django.urls import reverse

from evaluations.labelling import links, rating, sets, tasks
from evaluations.models import Rater
from tests import factories
from tests.pages import markup, text_of

pytestmark = pytest.mark.django_db


def rate_all(rater: Rater) -> None:
    while rating.begin(rater):
        seat = rating.held(rater)
        rating.rate(rater, seat.item.token, seat.lease, "pass")


def test_a_person_for_whom_nothing_is_left_reads_no_count_of_zero(alices, task):
    rate_all(factories.rater(task, 2))

    words = text_of(alices.get(reverse("labeltask-rate", args=[task.pk])))

    assert "Every answer is rated" in words
    assert "0 of 0" not in words


def test_a_task_draws_how_much_of_it_is_labelled(alices, task):
    rate_all(factories.rater(task, 2))

    html = markup(alices.get(reverse("labeltask-detail", args=[task.pk])))

    assert '<progress max="6" value="6" aria-label="Labelled">' in html


def test_a_task_that_nobody_began_asks_for_somebody_before_it_lists_raters(alices, task):
    address = reverse("labeltask-detail", args=[task.pk])
    before = markup(alices.get(address))
    rate_all(factories.rater(task, 2))
    after = markup(alices.get(address))

    assert before.index("Ask somebody") < before.index(">Raters<")
    assert after.index(">Raters<") < after.index("Ask somebody")


def test_where_no_raters_differ_the_page_leads_to_asking_one_more(alices, project, label_set):
    html = markup(alices.get(reverse("labelset-adjudications", args=[label_set.pk])))

    assert "No answer has different labels from two people." in html
    assert f'href="{reverse("labeltask-list", args=[project.slug])}">Ask one more person</a>' in html


def test_a_link_to_a_task_without_a_guideline_keeps_no_empty_half_for_it(alice, project, variants, task):
    bare = sets.create(project, alice, "bare", {"question": "Is it right?", "guideline": ""})
    without = tasks.create(bare, alice, variants, tasks.Plan(size=3, seed=7, overlap=0))
    pages = []
    for asked in (task, without):
        _, token = links.create(asked, None)
        pages.append(markup(Client().get(reverse("rater-join", args=[token]))))

    assert ["Guideline</h2>" in html for html in pages] == [True, False]
    assert ["There is no guideline" in html for html in pages] == [False, True]
    assert all("You answer: " in html for html in pages)
