"""docker-compose.yml."""

import re
import runpy

import pytest
import yaml

from evalsite.environment import env
from tests.processes import ROOT

COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES = COMPOSE["services"]
EVALSITE_SERVICES = ("migrate", "web", "worker", "caller", "sweeper", "beat")
DOCKERFILE = (ROOT / "Dockerfile").read_text()
BOTO3_READS = {name for name in SERVICES["web"]["environment"] if name.startswith("AWS_")}


def test_the_compose_file_has_every_service():
    assert set(SERVICES) == {*EVALSITE_SERVICES, "postgres", "redis"}


def test_no_variable_stands_within_another():
    """`${A:-${B}}` is read by newer programs only: Debian's docker-compose ends the outer one at the first brace."""
    assert re.findall(r"\$\{[^}]*\$", (ROOT / "docker-compose.yml").read_text()) == []


def test_web_listens_where_it_is_published_and_probed():
    port = "${PORT:-8000}"

    assert SERVICES["web"]["environment"]["PORT"] == port
    assert SERVICES["web"]["ports"] == [f"{port}:{port}"]
    for name in ("web", "beat"):
        assert f":{port}/" in SERVICES[name]["healthcheck"]["test"][-1]


@pytest.mark.parametrize("name", EVALSITE_SERVICES)
def test_every_variable_that_is_set_is_one_that_the_settings_read(name):
    assert set(SERVICES[name]["environment"]) - set(env.scheme) == BOTO3_READS


def test_the_credentials_of_a_bucket_are_those_of_the_manual():
    """The settings do not know them: a name that boto3 does not read would be without effect."""
    named = re.findall(r"\bAWS_[A-Z0-9_]+", (ROOT / "docs/deployment.md").read_text())

    assert set(named) == BOTO3_READS


def test_every_setting_of_a_site_of_containers_can_be_set():
    """A setting that is missing here would be without effect in .env: nobody would see why."""
    fixed_or_for_developers = {"EVALSITE_DATA", "EVALSITE_HOST", "EVALSITE_DEBUG", "EVALSITE_FAIL_AT"}

    assert set(env.scheme) - set(SERVICES["web"]["environment"]) == fixed_or_for_developers


def test_a_setting_of_the_image_is_not_unset():
    """Docker removes a variable of the image that is named without a value."""
    without_value = {name for name, value in SERVICES["web"]["environment"].items() if value is None}

    assert without_value & set(re.findall(r"\b(EVALSITE_[A-Z_]+|PORT)=", DOCKERFILE)) == set()


def test_every_variable_of_the_image_is_one_that_somebody_reads():
    names = set(re.findall(r"\b(EVALSITE_[A-Z_]+)=", DOCKERFILE))

    assert names
    assert names - set(env.scheme) == set()


@pytest.mark.parametrize("name", EVALSITE_SERVICES)
def test_the_machine_itself_has_a_name(name):
    """For model servers beside Docker; on Linux the host has no name otherwise."""
    assert SERVICES[name]["extra_hosts"] == ["host.docker.internal:host-gateway"]


@pytest.mark.parametrize("name", sorted(set(SERVICES) - {"migrate"}))
def test_every_lasting_service_is_watched_and_comes_back(name):
    assert SERVICES[name]["healthcheck"]["test"]
    assert SERVICES[name]["restart"] == "unless-stopped"


@pytest.mark.parametrize("name", ["web", "worker", "caller", "sweeper", "beat"])
def test_nothing_serves_before_the_database_is_migrated_and_the_broker_answers(name):
    assert SERVICES[name]["depends_on"] == {
        "migrate": {"condition": "service_completed_successfully"},
        "redis": {"condition": "service_healthy"},
    }
    assert SERVICES["migrate"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}


def test_redis_never_evicts():
    command = SERVICES["redis"]["command"]

    assert command[command.index("--maxmemory-policy") + 1] == "noeviction"


def test_only_the_web_service_is_reached_from_outside():
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["web"]


def test_workers_can_be_scaled():
    """`docker compose up --scale worker=4`: a worker must use nothing that exists only once per host."""
    assert not {"container_name", "ports", "hostname"} & set(SERVICES["worker"])


def test_a_worker_has_the_time_to_end_in_order():
    assert SERVICES["worker"]["stop_grace_period"] == "60s"


def test_uploads_and_the_database_outlive_their_containers():
    folder = re.search(r"EVALSITE_STORAGE=(\S+)", DOCKERFILE).group(1)

    assert all(f"uploads:{folder}" in SERVICES[name]["volumes"] for name in EVALSITE_SERVICES)
    assert "postgres:/var/lib/postgresql/data" in SERVICES["postgres"]["volumes"]
    assert set(COMPOSE["volumes"]) == {"postgres", "uploads"}


def test_the_settings_take_the_addresses_of_the_compose_network(monkeypatch, tmp_path):
    environment = SERVICES["web"]["environment"]
    monkeypatch.setenv("EVALSITE_DATA", str(tmp_path))
    for name in ("DATABASE_URL", "BROKER_URL"):
        monkeypatch.setenv(name, re.sub(r"\$\{\w+:-(\w+)\}", r"\1", environment[name]))

    settings = runpy.run_path(str(ROOT / "evalsite" / "settings.py"))

    database = settings["DATABASES"]["default"]
    assert (database["HOST"], database["USER"], database["NAME"]) == ("postgres", "evalsite", "evalsite")
    assert settings["CELERY_BROKER_URL"] == "redis://redis:6379/0"


def test_there_is_no_default_secret_key():
    assert ":?" in SERVICES["web"]["environment"]["EVALSITE_SECRET_KEY"]


def test_the_image_does_not_run_as_root():
    users = re.findall(r"^USER (\S+)", DOCKERFILE, re.MULTILINE)

    assert users[-1] not in ("root", "0")
    assert DOCKERFILE.index("USER evalsite") < DOCKERFILE.index("\nCMD")


@pytest.mark.parametrize("source", re.findall(r"^COPY (?!--from)(\S+)", DOCKERFILE, re.MULTILINE))
def test_files_copied_by_the_image_exist_and_are_not_ignored(source):
    allowed = (ROOT / ".dockerignore").read_text().splitlines()

    assert (ROOT / source).exists()
    assert f"!{source}" in allowed
