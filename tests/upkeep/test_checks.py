"""System checks of the configuration."""

import os
import subprocess
import sys

import pytest

from evalsite import broker
from evaluations.clients.way_out import WayOut
from evaluations.upkeep import checks
from tests.processes import ROOT, Process

GOOD_KEY = "only-for-tests-0123456789-abcdefghijklmnopqrstuvwxyz"


def ids(messages) -> list[str]:
    return [message.id for message in messages]


@pytest.mark.parametrize(
    ("key", "problem_ids"),
    [
        (GOOD_KEY, []),
        ("change-me-0123456789-abcdefghijklmnopqrstuvwxyz-0123", ["evalsite.E001"]),
        ("short-but-diverse-0123456789", ["evalsite.E001"]),
        ("ab" * 40, ["evalsite.E001"]),
    ],
)
def test_a_secret_key_that_others_can_guess_is_an_error(settings, key, problem_ids):
    settings.SECRET_KEY = key

    assert ids(checks.secret_key()) == problem_ids


@pytest.mark.parametrize(
    ("debug", "hosts", "listens", "problem_ids"),
    [
        (True, ["localhost", "127.0.0.1"], "127.0.0.1", []),
        (True, ["evals.example.com"], "127.0.0.1", ["evalsite.E002"]),
        (True, ["localhost"], "0.0.0.0", ["evalsite.E002"]),
        (False, ["evals.example.com"], "0.0.0.0", []),
    ],
)
def test_debugging_for_others_than_this_machine_is_an_error(settings, debug, hosts, listens, problem_ids):
    settings.DEBUG, settings.ALLOWED_HOSTS, settings.HOST = debug, hosts, listens

    assert ids(checks.debug_is_local()) == problem_ids


@pytest.mark.parametrize(
    ("hosts", "problem_ids"),
    [
        (["*"], ["evalsite.E003"]),
        (["https://evals.example.com"], ["evalsite.E016"]),
        (["evals.example.com:8000"], ["evalsite.E016"]),
        (["evals.example.com", "[::1]", ".example.com"], []),
    ],
)
def test_hosts_that_allow_all_or_none_are_an_error(settings, hosts, problem_ids):
    settings.ALLOWED_HOSTS = hosts

    assert ids(checks.allowed_hosts()) == problem_ids


@pytest.mark.parametrize(
    ("kind", "problem_ids"), [("nfs4", ["evalsite.E004"]), ("cifs", ["evalsite.E004"]), ("ext4", [])]
)
def test_sqlite_on_a_network_file_system_is_an_error(settings, monkeypatch, tmp_path, kind, problem_ids):
    mounts = tmp_path / "mounts"
    mounts.write_text(
        f"/dev/sda1 / ext4 rw 0 0\nserver:/x {tmp_path} {kind} rw 0 0\nproc /proc proc rw 0 0\n"
    )
    monkeypatch.setattr(checks, "MOUNTS", mounts)
    engine = "django.db.backends.sqlite3"
    monkeypatch.setitem(
        settings.DATABASES, "default", {"ENGINE": engine, "NAME": tmp_path / "x" / "e.sqlite3"}
    )

    assert ids(checks.database_is_on_a_local_disk()) == problem_ids


def test_a_folder_that_cannot_be_written_is_an_error(settings, monkeypatch, tmp_path):
    settings.DATA = tmp_path
    monkeypatch.setattr(os, "access", lambda folder, mode: folder != tmp_path)

    assert ids(checks.folders_are_writable()) == ["evalsite.E005"]


@pytest.mark.processes
@pytest.mark.parametrize(("policy", "problem_ids"), [("noeviction", []), ("allkeys-lru", ["evalsite.W006"])])
def test_a_redis_that_evicts_keys_is_a_warning(settings, tmp_path, unused_port, policy, problem_ids):
    command = [broker.servers()[0], "--port", str(unused_port), "--save", "", "--maxmemory-policy", policy]
    server = Process(command, tmp_path / "redis.log", cwd=tmp_path)
    try:
        server.wait_for("eady to accept connections")
        settings.CELERY_BROKER_URL = f"redis://127.0.0.1:{unused_port}/0"

        assert ids(checks.broker_keeps_messages()) == problem_ids
    finally:
        server.end()


def test_a_broker_that_does_not_answer_is_no_reason_to_stay_down(settings, unused_port):
    settings.CELERY_BROKER_URL = f"redis://127.0.0.1:{unused_port}/0"

    assert checks.broker_keeps_messages() == []


@pytest.mark.django_db
def test_a_migrated_database_is_current():
    assert checks.schema_is_current() == []


@pytest.mark.long
def test_an_old_schema_is_refused_with_a_remedy(tmp_path):
    result = manage("check", "--deploy", "--tag", "schema", EVALSITE_DATA=str(tmp_path))

    assert result.returncode == 1
    assert "(evalsite.E007)" in result.stderr
    assert "Run: python manage.py migrate" in result.stderr


@pytest.mark.long
def test_an_unsafe_set_up_keeps_every_command_from_starting(tmp_path):
    result = manage("up", EVALSITE_DATA=str(tmp_path), EVALSITE_SECRET_KEY="change-me")

    assert result.returncode == 1
    assert "(evalsite.E001)" in result.stderr


@pytest.mark.long
@pytest.mark.parametrize("path", ["/runs", "/static"])
def test_a_path_like_an_address_of_the_site_keeps_it_from_starting(tmp_path, path):
    result = manage("up", EVALSITE_DATA=str(tmp_path), EVALSITE_URL=f"https://host.example{path}")

    assert result.returncode == 1
    assert "evalsite.E014" in result.stderr


@pytest.mark.long
def test_a_misspelt_variable_is_a_warning_that_lets_the_site_start(tmp_path):
    result = manage("check", "--tag", "files", EVALSITE_DATA=str(tmp_path), EVALSITE_PORT="9000")

    assert result.returncode == 0
    assert "(evalsite.W009)" in result.stderr
    assert "EVALSITE_PORT" in result.stderr


@pytest.mark.long
def test_the_key_of_the_client_is_no_misspelt_variable(tmp_path):
    result = manage("check", "--tag", "files", EVALSITE_DATA=str(tmp_path), EVALSITE_KEY="evk_0_x")

    assert "no issues" in result.stdout


@pytest.mark.parametrize(
    ("listens", "url", "hosts", "problem_ids"),
    [
        ("0.0.0.0", "", ["localhost", "127.0.0.1"], ["evalsite.W018"]),
        ("0.0.0.0", "http://localhost:8000", ["localhost"], []),
        ("0.0.0.0", "", ["localhost", "evals.example.com"], []),
        ("127.0.0.1", "", ["localhost"], []),
    ],
)
def test_a_site_that_answers_to_no_name_of_others_is_a_warning(settings, listens, url, hosts, problem_ids):
    settings.HOST, settings.GIVEN_URL, settings.ALLOWED_HOSTS = listens, url, hosts

    assert ids(checks.site_has_a_name()) == problem_ids


@pytest.mark.parametrize(
    ("way_out", "issuer", "domains", "names"),
    [
        (WayOut("", ("internal.example.com",)), "", [], ["EVALSITE_NO_PROXY"]),
        (WayOut("http://proxy:3128", ("internal.example.com",)), "", [], []),
        (WayOut(), "", ["example.com"], ["EVALSITE_OIDC_DOMAINS"]),
        (WayOut(), "https://id.example.com", ["example.com"], []),
    ],
)
def test_a_setting_without_the_one_it_belongs_to_is_a_warning(settings, way_out, issuer, domains, names):
    settings.EVALSITE_WAY_OUT, settings.OIDC_ISSUER, settings.OIDC_DOMAINS = way_out, issuer, domains

    assert [message.msg.split()[0] for message in checks.settings_take_effect()] == names


@pytest.mark.parametrize(("is_there", "problem_ids"), [(False, ["evalsite.E017"]), (True, [])])
def test_a_bucket_without_its_extra_is_an_error(settings, monkeypatch, is_there, problem_ids):
    settings.STORAGE = "s3://bucket/evalsite"
    monkeypatch.setattr(checks, "find_spec", lambda name: object() if is_there else None)

    assert ids(checks.bucket_can_be_used()) == problem_ids


@pytest.mark.parametrize(
    ("url", "proxies", "problem_ids"),
    [
        ("http://localhost:8000", 0, []),
        ("http://localhost:8001", 0, ["evalsite.W020"]),
        ("http://127.0.0.1/evals", 0, ["evalsite.W020"]),
        ("http://localhost:8001", 1, []),
        ("http://eval.example.com", 0, []),
    ],
)
def test_a_public_port_at_which_nobody_listens_is_a_warning(settings, url, proxies, problem_ids):
    settings.URL, settings.PORT, settings.TRUSTED_PROXIES = url, 8000, proxies
    settings.HTTPS = False

    assert ids(checks.port_is_served()) == problem_ids


def test_postgresql_without_a_shared_key_is_a_warning(settings, monkeypatch):
    settings.GIVEN_SECRET_KEY = ""
    monkeypatch.setitem(settings.DATABASES, "default", {"ENGINE": "django.db.backends.postgresql"})

    assert ids(checks.key_is_shared_by_all_machines()) == ["evalsite.W010"]


def manage(*arguments: str, **variables: str) -> subprocess.CompletedProcess:
    """Run a management command with only these of our variables."""
    clean = {
        name: value for name, value in os.environ.items() if not name.startswith(("EVALSITE_", "DATABASE_"))
    }
    env = clean | {"DJANGO_SETTINGS_MODULE": "evalsite.settings"} | variables
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=180)


@pytest.mark.long
def test_the_production_profile_passes_every_check_of_a_deployment(tmp_path):
    """The profile of docs/configuration.md for a team behind HTTPS; it needs no running services."""
    result = manage(
        "check",
        "--deploy",
        "--fail-level",
        "WARNING",
        "--tag",
        "security",
        EVALSITE_DATA=str(tmp_path),
        EVALSITE_SECRET_KEY=GOOD_KEY,
        EVALSITE_URL="https://evals.example.com",
        EVALSITE_TRUSTED_PROXIES="1",
    )

    assert (result.returncode, "no issues" in result.stdout) == (0, True), result.stdout + result.stderr
