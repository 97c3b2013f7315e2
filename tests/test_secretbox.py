"""Encrypted secrets: bound to their owner, readable as long as the site knows the key."""

import pytest

from evaluations import secretbox


def test_a_secret_is_read_by_its_owner():
    assert secretbox.unseal(3, secretbox.seal(3, "sk:1:2")) == "sk:1:2"


def test_a_secret_in_the_row_of_another_owner_is_unreadable():
    sealed = secretbox.seal(3, "sk-1")

    with pytest.raises(secretbox.Unreadable):
        secretbox.unseal(31, sealed)


def test_a_secret_of_an_older_site_key_stays_readable(settings):
    settings.SECRET_KEY = "old key"
    sealed = secretbox.seal(3, "sk-1")

    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "new key", ["old key"]

    assert secretbox.unseal(3, sealed) == "sk-1"


def test_a_secret_of_a_forgotten_site_key_is_unreadable(settings):
    settings.SECRET_KEY = "old key"
    sealed = secretbox.seal(3, "sk-1")

    settings.SECRET_KEY = "new key"

    with pytest.raises(secretbox.Unreadable):
        secretbox.unseal(3, sealed)
