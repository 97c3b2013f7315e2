"""Address and key from arguments, environment and file."""

import stat

import pytest

from evalsite_client import settings
from evalsite_client.errors import NotConfigured
from evalsite_client.settings import Settings

STORED = Settings("https://eval.example.com", "evk_stored")


def test_arguments_take_precedence_over_environment_and_file(monkeypatch):
    settings.store(STORED)
    monkeypatch.setenv("EVALSITE_URL", "http://localhost:8000/")
    monkeypatch.setenv("EVALSITE_KEY", "evk_env")

    assert settings.load("http://other:1", "evk_given") == Settings("http://other:1", "evk_given")
    assert settings.load() == Settings("http://localhost:8000", "evk_env")


def test_the_file_is_the_last_resort():
    settings.store(STORED)

    assert settings.load() == STORED


def test_only_its_owner_reads_the_file():
    path = settings.store(STORED)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_others_can_read_is_refused():
    settings.store(STORED).chmod(0o640)

    with pytest.raises(NotConfigured, match="chmod 600"):
        settings.load()


def test_the_stored_key_goes_to_no_other_site():
    settings.store(STORED)

    with pytest.raises(NotConfigured):
        settings.load("https://elsewhere.example.com")
    assert settings.load("https://eval.example.com/").key == "evk_stored"


@pytest.mark.parametrize("text", ["{", "[]", '{"url": 3}', '{"url": "https://x.example"}'])
def test_a_broken_file_is_an_error_with_a_remedy(text):
    settings.store(STORED).write_text(text)

    with pytest.raises(NotConfigured, match="evalsite login"):
        settings.load()


@pytest.mark.parametrize(
    "url", ["eval.example.com", "ftp://eval.example.com", "https://", "https://x.example/?a=1"]
)
def test_an_invalid_address_is_refused(url):
    with pytest.raises(NotConfigured):
        settings.load(url, "evk_x")


def test_the_key_is_in_no_traceback():
    assert "evk_stored" not in repr(STORED)
