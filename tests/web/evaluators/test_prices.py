"""Prices on the page of a connection, the currency and the monthly limit in the settings of a project."""

import re
from datetime import date

import pytest

from evaluations.clients.tokens import Tokens
from evaluations.models import AuditEntry, Connection, Price
from evaluations.prompts import ledger, prices
from tests import factories
from tests.pages import markup

FORM = {"model": "gpt-4.1-nano", "input": "0.10", "output": "0.4", "cached": "", "valid_from": "2026-03-01"}


@pytest.fixture
def connection(project, settings) -> Connection:
    return factories.connection(project, settings)


def test_a_saved_price_is_shown(alices, connection):
    alices.post(f"/connections/{connection.pk}/prices/", FORM)

    assert prices.rates(connection, "gpt-4.1-nano", date(2026, 3, 1)) == prices.Rates(
        100_000, 100_000, 400_000
    )
    html = markup(alices.get(f"/connections/{connection.pk}/"))
    assert '<td class="number" data-name="Output">0.40</td>' in html
    assert "1 Mar 2026" in html


def test_a_price_is_deleted(alices, connection):
    alices.post(f"/connections/{connection.pk}/prices/", FORM)

    alices.post(f"/prices/{Price.objects.get().pk}/delete/")

    assert not Price.objects.exists()


def test_a_day_is_typed_as_the_page_shows_it(alices, connection):
    alices.post(f"/connections/{connection.pk}/prices/", {**FORM, "valid_from": "1 Mar 2026"})

    assert Price.objects.get().valid_from == date(2026, 3, 1)


def test_no_two_fields_of_the_page_have_one_id(alices, connection):
    html = markup(alices.get(f"/connections/{connection.pk}/"))

    ids = re.findall(r' id="([^"]+)"', html)
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    ("change", "field"),
    [({"input": "a"}, "input"), ({"output": ""}, "output"), ({"valid_from": "soon"}, "valid_from")],
)
def test_a_field_that_cannot_be_used_is_named(alices, connection, change, field):
    response = alices.post(f"/connections/{connection.pk}/prices/", FORM | change)

    assert (response.status_code, list(response.context["price_form"].errors)) == (400, [field])


def test_another_projects_price_does_not_exist(as_user, charlie, connection):
    price, _ = prices.set_price(connection, "m", 1, 1, None, date(2026, 3, 1))

    assert as_user(charlie).post(f"/prices/{price.pk}/delete/").status_code == 404


def test_the_currency_is_set_in_the_settings(alices, project):
    alices.post("/p/default/rules/", {"currency": "EUR"})
    refusal = alices.post("/p/default/rules/", {"currency": "euro"})

    project.refresh_from_db()
    assert (project.currency, refusal.status_code) == ("EUR", 400)


def test_the_monthly_limit_is_shown_with_what_was_spent(alices, project, connection):
    ledger.reserve(ledger.Call(connection, "m", prices.Rates(1, 1, 1), Tokens(28_400_000_000, 0)))

    alices.post("/p/default/rules/", {"currency": "EUR", "monthly_limit": "2.50"})

    project.refresh_from_db()
    assert project.monthly_limit == 2_500_000_000_000
    assert ledger.month_of(project).limit == 2_500_000_000_000
    assert "0.028 of 2.50 EUR spent this month" in " ".join(
        markup(alices.get("/p/default/settings/")).split()
    )


def test_the_audit_log_has_the_new_monthly_limit(alices):
    alices.post("/p/default/rules/", {"currency": "EUR", "monthly_limit": "2.50"})

    assert AuditEntry.objects.get(action="project-rules").details["limit"] == "2.50"


def test_an_empty_monthly_limit_removes_it(alices, project):
    alices.post("/p/default/rules/", {"currency": "EUR", "monthly_limit": "2.50"})

    alices.post("/p/default/rules/", {"currency": "EUR", "monthly_limit": ""})

    project.refresh_from_db()
    assert (project.monthly_limit, ledger.month_of(project).limit) == (None, None)


def test_a_limit_that_is_no_amount_changes_nothing(alices, project):
    refusal = alices.post("/p/default/rules/", {"currency": "EUR", "monthly_limit": "much"})

    project.refresh_from_db()
    assert (refusal.status_code, list(refusal.context["rules_form"].errors)) == (400, ["monthly_limit"])
    assert (project.currency, project.monthly_limit) == ("USD", None)


def test_only_administrators_set_the_limit(as_user, bob, project):
    form = {"currency": "USD", "monthly_limit": "1"}

    assert as_user(bob).post("/p/default/rules/", form).status_code == 403
