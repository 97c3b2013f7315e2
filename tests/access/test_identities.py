"""Which identities may sign in by OpenID Connect; tests/web/accounts/test_oidc.py tests the whole flow over HTTP."""

import pytest
from django.contrib.auth.models import User

from evaluations.access import identities, invitations
from evaluations.access.identities import Identity
from evaluations.errors import Forbidden, Gone
from evaluations.upkeep import checks


@pytest.fixture(autouse=True)
def _domains(settings):
    settings.OIDC_DOMAINS = ["allowed.example"]


def refusal_code(identity: Identity, token: str = "") -> str:
    before = User.objects.count()
    with pytest.raises((Forbidden, Gone)) as refusal:
        identities.welcome(identity, token)
    assert User.objects.count() == before
    return refusal.value.code


def test_an_account_is_found_by_its_address_however_it_is_written(alice):
    assert identities.welcome(Identity("Alice@Example.com", "somebody")) == alice


def test_without_a_verified_address_no_account_is_found_not_even_one_without(alice):
    User.objects.create_user("nameless")

    assert refusal_code(Identity("", "alice")) == "not_invited"


def test_a_disabled_account_stays_outside(alice):
    User.objects.update(is_active=False)

    assert refusal_code(Identity("alice@example.com", "alice")) == "account_disabled"


def test_an_address_of_two_accounts_signs_nobody_in(alice):
    User.objects.create_user("second", "alice@example.com")

    assert refusal_code(Identity("alice@example.com", "alice")) == "email_shared"


def test_an_allowed_domain_is_the_whole_domain(db):
    assert identities.welcome(Identity("fay@allowed.example", "fay")).username == "fay"
    assert refusal_code(Identity("fay@evil-allowed.example", "fay")) == "not_invited"
    assert refusal_code(Identity("fay@sub.allowed.example", "fay")) == "not_invited"


def test_an_invitation_makes_one_account_and_is_used_up(project, alice):
    _, token = invitations.create(project, alice, "editor")

    gus = identities.welcome(Identity("gus@example.com", "alice"), token)

    gus.refresh_from_db()
    assert gus.username.startswith("alice-")
    assert not gus.has_usable_password()
    assert (gus.email, gus.memberships.get().role) == ("gus@example.com", "editor")
    assert refusal_code(Identity("hal@example.com", "hal"), token) == "invitation_gone"


def test_an_invitation_for_an_address_needs_that_address_verified(project, alice):
    _, token = invitations.create(project, alice, "viewer", "erin@example.com")

    assert refusal_code(Identity("", "erin"), token) == "invitation_for_another"
    assert refusal_code(Identity("mallory@example.com", "erin"), token) == "invitation_for_another"
    assert identities.welcome(Identity("ERIN@example.com", "erin"), token).username == "erin"


@pytest.mark.parametrize(
    ("issuer", "installed", "client", "error_codes"),
    [
        ("", False, "", []),
        ("https://id.example.com", True, "x", []),
        ("http://localhost:9400", True, "x", []),
        ("https://id.example.com", False, "x", ["evalsite.E011"]),
        ("http://id.example.com", True, "x", ["evalsite.E012"]),
        ("https://id.example.com", True, "", ["evalsite.E013"]),
    ],
)
def test_half_a_single_sign_on_is_an_error(settings, issuer, installed, client, error_codes):
    settings.OIDC_ISSUER, settings.OIDC = issuer, bool(issuer) and installed
    settings.OIDC_CLIENT = {"client_id": client, "secret": client}

    assert [problem.id for problem in checks.oidc_is_whole()] == error_codes
