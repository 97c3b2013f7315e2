"""A second factor: enrolled on the account page, asked for at every sign-in."""

import pyotp
import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from playwright.sync_api import Page

from evaluations.access import api_keys, second_factors, signin_links
from evaluations.models import AuditEntry, RecoveryCode, SecondFactor
from tests.pages import text_of

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


@pytest.fixture
def enrolled(alice: User) -> User:
    """Alice with an authenticator app that has not been used."""
    SecondFactor.objects.create(
        user=alice,
        kind="app",
        name="Authenticator app",
        sealed=second_factors.secretbox.seal(alice.pk, SECRET),
    )
    return alice


def code() -> str:
    return pyotp.TOTP(SECRET).now()


def first_step(client: Client, **more: str):
    return client.post("/signin/", {"username": "alice", "password": "alice's long password"} | more)


def is_signed_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


def test_codes_are_those_of_rfc_6238():
    """The SHA-1 column of RFC 6238, appendix B, last six digits."""
    secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"  # the RFC's 12345678901234567890 in base 32

    assert pyotp.TOTP(secret).generate_otp(59 // 30) == "287082"
    assert pyotp.TOTP(secret).generate_otp(1111111109 // 30) == "081804"


def test_a_password_alone_does_not_sign_in(client, enrolled):
    response = first_step(client)

    assert response["Location"] == "/signin/second/"
    assert not is_signed_in(client)
    assert client.post("/signin/second/", {"code": code()})["Location"] == "/"
    assert is_signed_in(client)


def test_the_second_step_leads_to_the_page_that_was_asked_for(client, enrolled):
    first_step(client, next="/account/")

    assert client.post("/signin/second/", {"code": code()})["Location"] == "/account/"


def test_a_link_does_not_replace_the_second_factor(client, enrolled):
    response = client.post(f"/signin/link/{signin_links.make_signin_link(enrolled)}/")

    assert response["Location"] == "/signin/second/"
    assert not is_signed_in(client)


def test_a_link_signs_in_where_no_factor_is_enrolled(client, alice):
    client.post(f"/signin/link/{signin_links.make_signin_link(alice)}/")

    assert is_signed_in(client)


def test_a_code_works_once(client, enrolled):
    used = code()
    first_step(client)
    client.post("/signin/second/", {"code": used})
    other = Client()
    first_step(other)

    response = other.post("/signin/second/", {"code": used})

    assert response.status_code == 400
    assert not is_signed_in(other)


def test_a_wrong_code_is_refused_and_logged(client, enrolled):
    first_step(client)

    response = client.post("/signin/second/", {"code": "000000" if code() != "000000" else "111111"})

    assert response.status_code == 400
    assert "Wrong code." in text_of(response)
    assert AuditEntry.objects.filter(action="signin-failed", object_name="alice").count() == 1
    assert not is_signed_in(client)


def test_after_five_wrong_codes_even_the_right_one_must_wait(client, enrolled):
    first_step(client)
    for n in range(second_factors.FREE_TRIES):
        client.post("/signin/second/", {"code": f"{(int(code()) + 1 + n) % 1_000_000:06}"})

    response = client.post("/signin/second/", {"code": code()})

    assert response.status_code == 400
    assert "Too many wrong codes." in text_of(response)
    assert not is_signed_in(client)


def test_a_new_password_between_the_steps_ends_the_sign_in(client, enrolled):
    first_step(client)
    enrolled.set_password("brand new words")
    enrolled.save()

    assert client.post("/signin/second/", {"code": code()})["Location"] == "/signin/"
    assert not is_signed_in(client)


def test_api_keys_are_not_affected(client, enrolled, project):
    _, text = api_keys.create_key(project, enrolled, "nightly", "read")

    assert client.get("/api/v1/datasets/", headers={"Authorization": f"Bearer {text}"}).status_code == 200


def test_an_app_is_enrolled_with_its_first_code_and_recovery_codes_are_shown_once(as_user, alice):
    client = as_user(alice)
    page = text_of(client.get("/account/app/"))
    secret = second_factors.secretbox.unseal(alice.pk, client.session["enrolling"])
    assert " ".join(secret[at : at + 4] for at in range(0, len(secret), 4)) in page

    response = client.post("/account/app/", {"code": pyotp.TOTP(secret).now()}, follow=True)

    assert response.redirect_chain == [("/account/", 302)]
    assert RecoveryCode.objects.filter(user=alice).count() == second_factors.RECOVERY_CODES
    assert "Recovery codes" in text_of(response)
    assert "10 recovery codes left" in text_of(client.get("/account/"))
    stored = SecondFactor.objects.get(user=alice)
    assert secret not in stored.sealed
    assert AuditEntry.objects.filter(action="factor-app").count() == 1


def test_a_wrong_first_code_enrols_nothing(as_user, alice):
    client = as_user(alice)
    client.get("/account/app/")

    assert client.post("/account/app/", {"code": "12345"}).status_code == 400
    assert not second_factors.is_enrolled(alice)


def test_a_recovery_code_signs_in_once(client, enrolled):
    recovery = second_factors.new_recovery_codes(enrolled)[0]
    first_step(client)
    assert client.post("/signin/second/", {"code": recovery.upper()}).status_code == 302
    other = Client()
    first_step(other)

    assert other.post("/signin/second/", {"code": recovery}).status_code == 400
    assert second_factors.recovery_codes_left(enrolled) == second_factors.RECOVERY_CODES - 1


def test_with_the_last_factor_the_recovery_codes_go(as_user, enrolled):
    second_factors.new_recovery_codes(enrolled)
    factor = SecondFactor.objects.get(user=enrolled)

    as_user(enrolled).post(f"/account/factors/{factor.pk}/remove/")

    assert not RecoveryCode.objects.exists()
    assert not second_factors.is_enrolled(enrolled)


def test_an_administrator_of_the_site_removes_the_factors_of_who_lost_them(as_user, enrolled, client):
    root = User.objects.create_superuser("root", "root@example.com", "root's long password")

    as_user(root).post(f"/people/{enrolled.pk}/factors/")

    first_step(client)
    assert is_signed_in(client)


def test_removing_a_factor_and_new_codes_say_first_what_is_lost(alices, enrolled):
    page = text_of(alices.get("/account/"))

    assert "can no longer sign you in" in page
    assert "The codes that you have stop working." in page


def test_the_operator_removes_them_on_the_command_line(enrolled, capsys):
    call_command("signin_link", "alice", remove_second_factors=True)

    assert not second_factors.is_enrolled(enrolled)
    assert AuditEntry.objects.filter(action="person-factors", object_name="alice").exists()


@pytest.mark.django_db(transaction=True)
def test_a_passkey_is_made_in_a_browser_and_signs_in(
    alices_page: Page, live_server, settings, alice, transactional_db
):
    """Chromium's virtual authenticator, at localhost, which browsers trust without https."""
    settings.PASSKEYS = True
    settings.URL = live_server.url.replace("127.0.0.1", "localhost")
    cookies = alices_page.context.cookies()
    alices_page.context.add_cookies(
        [{"name": c["name"], "value": c["value"], "url": settings.URL} for c in cookies]
    )
    devices = alices_page.context.new_cdp_session(alices_page)
    devices.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "usb",
        "hasResidentKey": False,
        "hasUserVerification": False,
        "automaticPresenceSimulation": True,
    }
    devices.send("WebAuthn.addVirtualAuthenticator", {"options": options})

    alices_page.goto(f"{settings.URL}/account/passkey/")
    alices_page.get_by_label("Name").fill("blue key")
    alices_page.get_by_role("button", name="Make passkey").click()
    alices_page.get_by_role("heading", name="Recovery codes").wait_for()
    assert SecondFactor.objects.get(user=alice).name == "blue key"

    alices_page.context.clear_cookies()
    alices_page.goto(f"{settings.URL}/signin/")
    alices_page.get_by_label("User name").fill("alice")
    alices_page.get_by_label("Password").fill("alice's long password")
    alices_page.get_by_role("button", name="Sign in", exact=True).click()
    alices_page.get_by_role("heading", name="Second step").wait_for()
    alices_page.get_by_role("button", name="Use a passkey").click()
    alices_page.wait_for_url(lambda url: "signin" not in url)
    alices_page.goto(f"{settings.URL}/account/")

    assert alices_page.get_by_role("heading", name="Sessions").is_visible()
    assert SecondFactor.objects.get(user=alice).used_at
