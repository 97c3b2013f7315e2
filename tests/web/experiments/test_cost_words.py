"""How the heads of an experiment and a launch say what was paid."""

import re
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import AnonymousUser
from django.template.loader import render_to_string

from evaluations.judges.spent import Spent
from tests.pages import text_of


@pytest.mark.parametrize(
    ("judges", "words"), [(10**10, "cost 0.010 USD, all for judges"), (4 * 10**9, "0.0040 of it for judges")]
)
def test_a_cost_that_is_all_for_judges_is_not_told_twice(rf, judges, words):
    context = {
        "spent": Spent(paid=10**10, judges=judges, maximum=10**10),
        "project": SimpleNamespace(currency="USD", slug="default"),
        "dataset": SimpleNamespace(pk=1),
    }

    request = rf.get("/")
    request.user = AnonymousUser()

    assert words in text_of(render_to_string("experiments/_experiment_head.html", context, request))


@pytest.mark.parametrize(("in_flight", "whose"), [(1, "its"), (2, "their")])
def test_a_call_under_way_is_counted_at_its_own_cost(in_flight, whose):
    context = {
        "pace": SimpleNamespace(in_flight=in_flight),
        "launch": SimpleNamespace(budget=SimpleNamespace(calls=2, max_calls=None, limit=None, committed=1)),
        "launch_state": SimpleNamespace(
            answered=0, failed=0, progress=SimpleNamespace(total=2, calls_left=2)
        ),
    }

    text = text_of(render_to_string("launches/_launch_gauges.html", context))

    assert re.search(rf"{in_flight} under way, counted at {whose} maximum cost", text)
