"""Sign-in and sign-out."""

import re
from collections.abc import Iterator

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from evaluations.access import limits, password_line, passwords, signin_links
from evaluations.models import SignInLink
from evaluations.web.accounts import devices, wanted
from tests.pages import markup

SIGNIN = "/signin/"


def try_password(client, username: str, password: str, **more: str):
    return client.post(SIGNIN, {"username": username, "password": password} | more)


def words_of(response) -> str:
    return " ".join(re.sub(r"<[^>]+>|\w*csrf\w*", " ", markup(response)).split())


def test_a_stranger_is_asked_to_sign_in_first(client, db):
    response = client.get("/account/")

    assert response.status_code == 302
    assert response["Location"] == "/signin/?next=/account/"


HTMX = {"HX-Request": "true", "HX-Current-URL": "http://testserver/runs/?q=a%20b"}


def test_a_part_of_a_page_asked_for_after_signing_out_leaves_the_page_with_what_is_typed(client, db):
    """A sign-in form would appear inside the page, and a redirect would throw away an unsaved text."""
    response = client.get("/account/", headers=HTMX)

    assert response.status_code == 401
    assert response.content == b""


def test_a_form_sent_after_signing_out_leads_back_to_its_page(client, db):
    """The address that a form is sent to does not answer GET."""
    response = client.post("/account/", headers={"Referer": "http://testserver/datasets/7/"})

    assert response["Location"] == "/signin/?next=/datasets/7/"


@pytest.mark.parametrize(
    "page", ["https://evil.example/x", "http://testserver.evil.example/x", "//[", "javascript:1"]
)
def test_links_back_never_lead_to_another_site(client, db, page):
    response = client.post("/account/", headers={"Referer": page})

    assert response["Location"] == "/signin/?next=/"


def test_a_right_password_leads_home(client, alice):
    response = try_password(client, "alice", "alice's long password")

    assert response["Location"] == "/"
    assert client.session["_auth_user_id"] == str(alice.pk)


def test_unknown_inactive_and_wrong_get_the_same_words(client, alice, bob):
    User.objects.filter(pk=bob.pk).update(is_active=False)

    answers = [
        try_password(client, *credentials)
        for credentials in [("nobody", "x"), ("bob", "bob's long password"), ("alice", "wrong")]
    ]

    assert len({answer.status_code for answer in answers}) == 1
    assert len({words_of(answer) for answer in answers}) == 1
    assert "Wrong user name or password" in words_of(answers[0])


def test_signing_in_gives_a_new_session(client, alice, settings):
    client.get(SIGNIN)
    session = client.session
    session["seen"] = True
    session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = before = session.session_key

    try_password(client, "alice", "alice's long password")

    assert client.session.session_key != before


@pytest.mark.parametrize(
    "address", ["//evil.example", "https:evil", "javascript:alert(1)", "/\\evil", "https://evil.example/"]
)
def test_signing_in_never_leads_elsewhere(client, alice, address):
    response = try_password(client, "alice", "alice's long password", next=address)

    assert response["Location"] == "/"


def test_signing_in_leads_to_where_one_wanted_to_go(client, alice):
    response = try_password(client, "alice", "alice's long password", next="/account/")

    assert response["Location"] == "/account/"


def test_many_wrong_passwords_lock_the_name_for_this_address(client, alice, bob):
    for _ in range(6):
        response = try_password(client, "alice", "wrong")

    assert response.status_code == 429
    assert response["Retry-After"] == "900"
    assert "Too many wrong passwords" in markup(response)
    assert try_password(client, "alice", "alice's long password").status_code == 429
    assert try_password(client, "bob", "bob's long password").status_code == 302


def test_a_lock_does_not_reach_another_address(client, alice):
    for _ in range(6):
        try_password(client, "alice", "wrong")

    response = client.post(
        SIGNIN, {"username": "alice", "password": "alice's long password"}, REMOTE_ADDR="192.0.2.7"
    )

    assert response.status_code == 302


@pytest.fixture
def busy(monkeypatch) -> Iterator[None]:
    """Passwords of others are being checked, and nobody waits."""
    monkeypatch.setattr(password_line, "PATIENCE", 0)
    with password_line.LINE.wait(0):
        yield


def test_after_a_wrong_password_an_address_waits_for_all_others(client, alice, bob, busy):
    try_password(client, "alice", "wrong")
    right = {"username": "bob", "password": "bob's long password"}

    waiting = client.post(SIGNIN, right)

    assert (waiting.status_code, waiting["Retry-After"]) == (429, "5")
    assert client.post(SIGNIN, right, REMOTE_ADDR="192.0.2.7").status_code == 302


def test_after_a_right_password_an_address_does_not_wait(alice, bob, busy):
    try_password(Client(), "alice", "alice's long password")

    assert try_password(Client(), "bob", "bob's long password").status_code == 302


def test_a_device_that_signed_in_before_does_not_wait_for_others(client, alice, busy):
    try_password(client, "alice", "alice's long password")
    client.post("/signout/")
    try_password(Client(), "nobody", "wrong")

    assert try_password(client, "alice", "alice's long password").status_code == 302


@pytest.fixture
def one_minute(monkeypatch) -> None:
    """Attempts are counted per minute, and a slow machine could need more than one."""
    monkeypatch.setattr(limits, "clock", lambda: 1_000_000_000)


@pytest.mark.usefixtures("one_minute")
def test_guesses_at_one_name_leave_attempts_for_others_at_the_address(client, alice, bob):
    for _ in range(40):
        try_password(client, "alice", "wrong")

    assert try_password(client, "bob", "bob's long password").status_code == 302


@pytest.mark.usefixtures("one_minute")
def test_guesses_at_many_names_close_the_address_to_strangers(client, alice):
    answers = [try_password(client, f"nobody{number}", "wrong").status_code for number in range(30)]

    assert set(answers) == {200}
    assert try_password(client, "alice", "alice's long password").status_code == 429


@pytest.mark.usefixtures("one_minute")
def test_a_device_that_signed_in_before_is_not_shut_out_by_guessers_at_its_address(client, alice, bob):
    try_password(client, "alice", "alice's long password")
    client.post("/signout/")
    for number in range(31):
        try_password(Client(), f"nobody{number}", "wrong")

    assert try_password(client, "bob", "bob's long password").status_code == 429
    assert try_password(client, "alice", "alice's long password").status_code == 302


def test_a_device_may_guess_no_more_than_a_stranger(client, alice):
    try_password(client, "alice", "alice's long password")
    client.post("/signout/")

    answers = [try_password(client, "alice", "wrong") for _ in range(7)]

    assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 2


def test_the_cookie_of_a_device_names_nobody(client, alice):
    response = try_password(client, "alice", "alice's long password")

    cookie = response.cookies[devices.COOKIE]
    assert re.fullmatch("[0-9a-f]{64}", cookie.value)
    assert cookie["httponly"]
    assert (cookie["path"], cookie["samesite"]) == ("/signin/", "Lax")


def test_a_huge_password_is_refused_before_it_is_hashed(client, alice, monkeypatch):
    tried = []
    monkeypatch.setattr(
        "django.contrib.auth.forms.authenticate", lambda *args, **arguments: tried.append(arguments)
    )

    response = try_password(client, "alice", "x" * 1_001)

    assert tried == []
    assert "at most 1000 characters" in markup(response)


# ---- links ----


@pytest.fixture
def link(alice) -> str:
    return reverse("signin-link", args=[signin_links.make_signin_link(alice)])


def test_viewing_a_link_does_not_use_it_up(client, link):
    first, second = client.get(link), client.head(link)

    assert (first.status_code, second.status_code) == (200, 200)
    assert SignInLink.objects.get().used_at is None


def test_the_button_of_a_link_signs_in_once(client, alice, link):
    first = client.post(link)
    client.logout()
    second = client.post(link)

    assert first["Location"] == "/"
    assert second.status_code == 410
    assert "_auth_user_id" not in client.session


@pytest.mark.parametrize(
    ("address", "page"),
    [
        ("/runs/7/?q=a%20b&row=3", "/runs/7/?q=a%20b&row=3"),
        ("https://evil.example/", "/"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        (f"/runs/?q={'x' * 4000}", "/"),
    ],
)
def test_a_link_leads_to_the_page_that_was_wanted(client, link, address, page):
    client.get(SIGNIN, {"next": address})

    assert client.post(link)["Location"] == page


def test_a_link_leads_to_the_page_of_a_stranger_who_was_sent_to_sign_in(client, link):
    client.get("/datasets/7/?page=2", follow=True)

    assert client.post(link)["Location"] == "/datasets/7/?page=2"


def test_a_cookie_of_another_site_leads_home(client, link):
    client.cookies[wanted.COOKIE] = "https://evil.example/"

    assert client.post(link)["Location"] == "/"


def test_a_page_is_wanted_once(client, alice, link):
    client.get(SIGNIN, {"next": "/account/"})
    try_password(client, "alice", "alice's long password", next="/account/")
    client.logout()

    assert client.post(link)["Location"] == "/"


def test_a_used_link_says_so_kindly(client, link):
    client.post(link)

    page = client.get(link)

    assert page.status_code == 410
    assert "<form" not in markup(page)


@pytest.mark.parametrize(("is_signed_in", "way"), [(True, 'href="/"'), (False, 'href="/signin/"')])
def test_a_used_link_leads_on(client, link, is_signed_in, way):
    client.post(link)
    if not is_signed_in:
        client.logout()

    assert way in markup(client.get(link))


def test_a_link_dies_with_a_change_of_the_password(client, alice, link):
    passwords.change_password(alice, "another long password")

    assert client.post(link).status_code == 410


def test_signing_out_takes_a_post(client, alice):
    client.force_login(alice)

    opened = client.get("/signout/")
    assert opened.status_code == 405
    assert "It only takes what a form sends" in opened.content.decode()
    assert client.post("/signout/")["Location"] == "/signin/"
    assert "_auth_user_id" not in client.session


def test_a_form_without_its_token_is_refused(alice):
    strict = Client(enforce_csrf_checks=True)

    assert strict.post(SIGNIN, {"username": "alice", "password": "x"}).status_code == 403


def test_a_form_that_is_out_of_date_leads_back_to_itself_and_to_no_other_site(alice):
    strict = Client(enforce_csrf_checks=True)
    own = strict.post("/signout/", headers={"Referer": "http://testserver/datasets/1/?page=2"})
    foreign = strict.post("/signout/", headers={"Referer": "http://elsewhere.example/datasets/1/"})

    assert 'href="/datasets/1/?page=2">Back to the form' in markup(own)
    assert "Back to the form" not in markup(foreign)


def test_every_failed_sign_in_costs_the_same_work(client, alice, bob, monkeypatch):
    """Hashing takes the time: it happens once, with or without such an account."""
    hashed = []
    encode = MD5PasswordHasher.encode
    monkeypatch.setattr(MD5PasswordHasher, "encode", lambda *args: hashed.append(args[1]) or encode(*args))
    User.objects.filter(pk=bob.pk).update(is_active=False)
    erin = User.objects.create_user("erin")  # she signed up by a link and has no password

    for name in ("alice", "bob", "nobody", erin.username):
        hashed.clear()
        client.post("/signin/", {"username": name, "password": "a wrong one"})
        assert len(hashed) == 1, name
