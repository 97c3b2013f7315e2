"""Signed-in browsers, and a dataset."""

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from playwright.sync_api import Page, expect

from evaluations.datasets import datasets
from evaluations.models import Dataset, Membership, Project, Role

expect.set_options(timeout=60_000)  # milliseconds; other tests use the processor too

EXAMPLES = [
    {"key": f"k{n}", "inputs": {"question": f"What is {n}?"}, "reference": {"answer": f"It is {n}."}}
    for n in range(1, 121)
]


@pytest.fixture(autouse=True)
def _no_tries_counted() -> None:
    """Limits count by address and by id, which are equal in all tests."""
    cache.clear()


@pytest.fixture
def dana(project: Project) -> User:
    """Dana may only view Alice's project."""
    dana = User.objects.create_user("dana", "dana@example.com", "dana's long password")
    Membership.objects.create(project=project, user=dana, role=Role.VIEWER)
    return dana


@pytest.fixture
def as_user():
    """Makes a client signed in as a user."""

    def signed_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return signed_in


@pytest.fixture
def alices(as_user, alice: User, project: Project) -> Client:
    """Alice's client; she owns the project."""
    return as_user(alice)


@pytest.fixture
def alices_page(as_user, alice: User, project: Project, live_server, page: Page) -> Page:
    """A page of a real browser, signed in as Alice."""
    cookies = as_user(alice).cookies.items()
    page.context.add_cookies(
        [{"name": name, "value": cookie.value, "url": live_server.url} for name, cookie in cookies]
    )
    return page


@pytest.fixture
def dataset(project: Project, alice: User) -> Dataset:
    """120 examples with one input and one reference column."""
    return datasets.create(project, alice, "Numbers", EXAMPLES)
