"""Settings and the variables that change them."""

import re
import runpy
import stat
import subprocess
import sys

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from evalsite.environment import env
from tests.processes import ROOT


@pytest.fixture
def load(monkeypatch, tmp_path):
    """Execute settings.py with only these of our variables."""

    def load(**variables: str) -> dict:
        env.ENVIRON.files_cache.clear()
        for name in env.scheme:
            monkeypatch.delenv(name, raising=False)
            monkeypatch.delenv(f"{name}_FILE", raising=False)
        for name, value in ({"EVALSITE_DATA": str(tmp_path / "data")} | variables).items():
            monkeypatch.setenv(name, value)
        return runpy.run_path(str(ROOT / "evalsite" / "settings.py"))

    return load


def test_the_default_settings_are_safe(load, tmp_path):
    settings = load()

    assert settings["DATABASES"]["default"]["NAME"] == tmp_path / "data" / "evalsite.sqlite3"
    assert settings["DATABASES"]["default"]["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert settings["DEBUG"] is False
    assert settings["URL"] == "http://localhost:8000"


def test_only_its_owner_can_read_the_secret_key(load, tmp_path):
    first, second = load()["SECRET_KEY"], load()["SECRET_KEY"]

    file = tmp_path / "data" / "secret-key"
    assert first == second == file.read_text()
    assert len(first) >= 64
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_given_secret_key_is_taken_as_it_stands(load, tmp_path):
    settings = load(EVALSITE_SECRET_KEY="$not-a-variable", EVALSITE_SECRET_KEY_FALLBACKS="$old,older")

    assert settings["SECRET_KEY"] == "$not-a-variable"
    assert settings["SECRET_KEY_FALLBACKS"] == ["$old", "older"]
    assert not (tmp_path / "data" / "secret-key").exists()


def test_a_secret_can_come_from_a_file(load, tmp_path):
    (tmp_path / "secret").write_text("from a file\n")

    assert load(EVALSITE_SECRET_KEY_FILE=str(tmp_path / "secret"))["SECRET_KEY"] == "from a file"


def test_any_setting_can_come_from_a_file_that_ends_with_a_line_break(load, tmp_path):
    (tmp_path / "format").write_text("json\n")

    assert load(EVALSITE_LOG_FORMAT_FILE=str(tmp_path / "format"))["LOG_FORMAT"] == "json"


def test_database_url_names_a_postgresql(load):
    database = load(DATABASE_URL="postgresql://eve:s%40fe@db.example.com:5433/evals")["DATABASES"]["default"]

    assert database["ENGINE"] == "django.db.backends.postgresql"
    assert (database["USER"], database["PASSWORD"]) == ("eve", "s@fe")
    assert (database["HOST"], database["PORT"], database["NAME"]) == ("db.example.com", 5433, "evals")


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"PORT": "eight thousand"}, "PORT must be of type int"),
        ({"DATABASE_URL": "mysql://root@localhost/evals"}, "DATABASE_URL begins with 'mysql'"),
        ({"EVALSITE_NO_PROXY": ".corp.example,http://gpu"}, "EVALSITE_NO_PROXY cannot have http://gpu"),
        ({"EVALSITE_NO_PROXY": "gpu/8"}, "EVALSITE_NO_PROXY cannot have gpu/8"),
        (
            {"EVALSITE_PROVIDER_ALLOWED_HOSTS": "gpu:80,http://localhost:11434"},
            "EVALSITE_PROVIDER_ALLOWED_HOSTS: 'http://localhost:11434' is not a host",
        ),
        (
            {"EVALSITE_LOG_FORMAT_FILE": "/nowhere"},
            "EVALSITE_LOG_FORMAT_FILE, /nowhere, cannot be read: No such",
        ),
        (
            {"EVALSITE_SECRET_KEY": "one", "EVALSITE_SECRET_KEY_FILE": "/run/other"},
            "EVALSITE_SECRET_KEY and EVALSITE_SECRET_KEY_FILE are both set",
        ),
        ({"EVALSITE_LOG_FORMAT": "xml"}, "EVALSITE_LOG_FORMAT is 'xml'; it must be one of text, json"),
        ({"EVALSITE_DATA": "/proc/evalsite"}, "The folder /proc/evalsite cannot be created"),
        ({"BROKER_URL": "amqp://rabbit"}, "BROKER_URL begins with 'amqp'"),
        ({"EVALSITE_STORAGE": "gs://bucket"}, "EVALSITE_STORAGE is 'gs://bucket'"),
        ({"EVALSITE_STORAGE": "s3://"}, "EVALSITE_STORAGE is 's3://'"),
        ({"PORT": "70000"}, "PORT is 70000; the last port is 65535"),
        ({"EVALSITE_SESSION_HOURS": "0"}, "EVALSITE_SESSION_HOURS is 0; it must be at least 1"),
    ],
)
def test_a_wrong_value_is_refused_in_a_sentence_that_names_the_variable(load, variables, sentence):
    with pytest.raises(ImproperlyConfigured, match=re.escape(sentence)):
        load(**variables)


def test_a_variable_that_nothing_reads_is_known(load):
    assert load(EVALSITE_SECRET_KEI="x", EVALSITE_URL="http://evals")["UNKNOWN_VARIABLES"] == [
        "EVALSITE_SECRET_KEI"
    ]


def test_an_https_address_makes_cookies_secure_and_its_host_allowed(load):
    settings = load(EVALSITE_URL="https://evals.example.com/")

    assert settings["SESSION_COOKIE_SECURE"]
    assert settings["SESSION_COOKIE_NAME"].startswith("__Host-")
    assert "evals.example.com" in settings["ALLOWED_HOSTS"]
    assert settings["CSRF_TRUSTED_ORIGINS"] == ["https://evals.example.com"]


def test_a_site_below_a_path_has_cookies_of_its_own_there(load):
    settings = load(EVALSITE_URL="https://example.com/evals/")

    assert (settings["FORCE_SCRIPT_NAME"], settings["STATIC_URL"]) == ("/evals", "/evals/static/")
    assert settings["SESSION_COOKIE_PATH"] == settings["CSRF_COOKIE_PATH"] == "/evals/"
    assert settings["SESSION_COOKIE_NAME"].startswith("__Secure-")  # __Host- is refused with a path
    assert settings["CSRF_TRUSTED_ORIGINS"] == ["https://example.com"]


def test_two_sites_on_one_host_have_cookies_of_different_names(load):
    one, other = load(PORT="8000"), load(PORT="8001")

    for cookie in ("SESSION_COOKIE_NAME", "CSRF_COOKIE_NAME"):
        assert one[cookie] != other[cookie]


@pytest.mark.parametrize(
    "address",
    [
        "eval.example.com",
        "https://",
        "ftp://example.com",
        "https://example.com/evals?x=1",
        "https://example.com/a//b",
        "https://user@example.com",
        "https://example.com:port",
    ],
)
def test_a_public_address_that_cannot_be_served_is_refused(load, address):
    with pytest.raises(ImproperlyConfigured, match="EVALSITE_URL"):
        load(EVALSITE_URL=address)


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("DATABASE_URL", "postgresql://u:p@ss#w/rd@db/e"),
        ("DATABASE_URL", "postgresql://u:ss/word@db/e"),
        ("DATABASE_URL", "postgresql://u:ss?word@db/e"),
        ("DATABASE_URL", "postgresql://u:12?34word@db/e"),
        ("DATABASE_URL", "postgresql://u:ss%word@db/e"),
        ("DATABASE_URL", "postgresql://u:ss[word@db/e"),
        ("BROKER_URL", "redis://:ss#word@redis:6379/0"),
        ("EVALSITE_PROXY", "http://u:p@ss@proxy:3128"),
    ],
)
def test_a_password_that_is_not_encoded_is_refused_and_not_shown(load, name, address):
    with pytest.raises(ImproperlyConfigured, match="percent-encoded") as refusal:
        load(**{name: address})

    assert "ss" not in str(refusal.value).replace("password", "").replace("getpass", "")
    assert refusal.value.__cause__ is None


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://u:p%40ss%23w%2Frd@db:5432/e?sslmode=require",
        "postgresql://evalsite@/evalsite?host=/var/run/postgresql",
        "postgresql://u:p@[::1]:5432/e",
    ],
)
def test_an_encoded_address_is_accepted(load, address):
    assert load(DATABASE_URL=address)["DATABASES"]["default"]["ENGINE"].endswith("postgresql")


@pytest.mark.parametrize(
    "name", ["EVALSITE_WEB_PROCESSES", "EVALSITE_TRUSTED_PROXIES", "EVALSITE_LEASE", "PORT"]
)
def test_a_number_below_its_range_is_refused(load, name):
    with pytest.raises(ImproperlyConfigured, match=f"{name} is -1; it must be at least"):
        load(**{name: "-1"})


def test_uploads_can_wait_in_s3(load):
    storage = load(EVALSITE_STORAGE="s3://bucket/evalsite")["STORAGES"]["default"]

    assert storage["BACKEND"] == "evaluations.imports.uploads.bucket.Bucket"
    assert (storage["OPTIONS"]["bucket_name"], storage["OPTIONS"]["location"]) == ("bucket", "evalsite")


def test_uploads_can_wait_in_a_shared_folder(load, tmp_path):
    assert load(EVALSITE_STORAGE=str(tmp_path / "shared"))["MEDIA_ROOT"] == tmp_path / "shared"


def test_a_broker_that_up_started_is_found_by_other_commands(load, tmp_path):
    assert load()["CELERY_BROKER_URL"] == ""

    (tmp_path / "data" / "broker-url").write_text("redis+socket://:secret@/run/redis.sock")

    assert load()["CELERY_BROKER_URL"] == "redis+socket://:secret@/run/redis.sock"
    assert load(BROKER_URL="redis://elsewhere")["CELERY_BROKER_URL"] == "redis://elsewhere"


def test_the_settings_alone_read_the_environment():
    readers = [
        file.relative_to(ROOT).as_posix()
        for folder in ("evalsite", "evaluations")
        for file in (ROOT / folder).rglob("*.py")
        if re.search(r"os\.(getenv|environ\.get|environ\[[^\]]+\](?! = ))", file.read_text())
    ]

    assert readers == []


def test_a_mistake_in_the_settings_has_no_stack_trace(tmp_path):
    command = [sys.executable, "-m", "evalsite", "check"]
    result = subprocess.run(
        command, cwd=ROOT, env={"PORT": "x", "EVALSITE_DATA": str(tmp_path)}, capture_output=True, text=True
    )

    assert result.returncode == 1
    assert result.stderr.startswith("evalsite: PORT must be of type int")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.django_db
def test_sqlite_runs_in_the_mode_that_was_measured():
    if connection.vendor != "sqlite":
        pytest.skip("about SQLite")
    with connection.cursor() as cursor:
        modes = {
            name: cursor.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "foreign_keys", "wal_autocheckpoint")
        }

    assert modes == {
        "journal_mode": "wal",
        "synchronous": 1,
        "foreign_keys": 1,
        "wal_autocheckpoint": 3_000,
    }


def test_every_page_carries_the_strict_headers(client, db):
    response = client.get("/healthz")

    policy = response["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "same-origin"
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"
    assert response["X-Frame-Options"] == "DENY"


@pytest.fixture
def behind_proxy(load, settings, client, db):
    """Get a page of an https site behind `proxies` proxies; `scheme` is the one that the proxy reports."""

    def ask(path: str, scheme: str, proxies: str = "1"):
        site_settings = load(EVALSITE_URL="https://evals.example.com", EVALSITE_TRUSTED_PROXIES=proxies)
        names = {"ALLOWED_HOSTS", *(name for name in site_settings if name.startswith("SECURE_"))}
        for name in site_settings.keys() & names:
            setattr(settings, name, site_settings[name])
        return client.get(path, headers={"Host": "evals.example.com", "X-Forwarded-Proto": scheme})

    return ask


def test_a_plain_request_is_redirected_to_https(behind_proxy):
    answer = behind_proxy("/signin/?next=/account/", "http")

    assert answer.status_code == 301
    assert answer["Location"] == "https://evals.example.com/signin/?next=/account/"


@pytest.mark.parametrize(
    ("path", "scheme", "proxies"),
    [
        ("/signin/", "https", "1"),
        ("/healthz", "http", "1"),
        ("/readyz", "http", "1"),
        ("/signin/", "http", "0"),
    ],
    ids=["came by https", "probe", "other probe", "no proxy that would say"],
)
def test_these_requests_are_not_redirected(behind_proxy, path, scheme, proxies):
    answer = behind_proxy(path, scheme, proxies)

    assert answer.status_code in (200, 503)
    assert "Location" not in answer
