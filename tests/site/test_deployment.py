"""systemd and Kubernetes accept the files in deploy/, which agree with the settings and with compose."""

import re
import shutil
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import kubernetes_validate as validate
import pytest
import yaml

from evalsite.environment import env
from evalsite.up import WORKERS
from evaluations import task_names
from tests.processes import ROOT

UNITS = sorted((ROOT / "deploy" / "systemd").iterdir())
OBJECTS = list(yaml.safe_load_all((ROOT / "deploy" / "kubernetes" / "evalsite.yaml").read_text()))
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
PROGRAMS = "/srv/evalsite/app/.venv/bin/"


def of_kind(*kinds: str) -> dict[str, dict]:
    return {document["metadata"]["name"]: document for document in OBJECTS if document["kind"] in kinds}


PODS = {name: document["spec"]["template"]["spec"] for name, document in of_kind("Deployment", "Job").items()}
EVALSITE_PODS = {name: pod for name, pod in PODS.items() if name != "redis"}


def container(pod: dict) -> dict:
    [only] = pod["containers"]
    return only


# ---- systemd ----


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_accepts_the_units(tmp_path):
    """With the programs of this environment, because systemd checks that they exist."""
    for unit in UNITS:
        (tmp_path / unit.name).write_text(
            unit.read_text().replace(PROGRAMS, f"{Path(sys.executable).parent}/")
        )

    command = ["systemd-analyze", "verify", "--man=no", *map(str, sorted(tmp_path.iterdir()))]
    verified = subprocess.run(command, capture_output=True, text=True, timeout=180)

    assert [line for line in verified.stderr.splitlines() if "evalsite" in line] == []
    assert verified.returncode == 0


def services() -> dict[str, dict[str, str]]:
    parsed = {}
    for unit in UNITS:
        if unit.suffix == ".service":
            parser = ConfigParser(interpolation=None, strict=True)
            parser.optionxform = str
            parser.read_string(unit.read_text())
            parsed[unit.stem.removeprefix("evalsite-")] = dict(parser["Service"])
    return parsed


def test_units_run_the_commands_of_compose():
    # systemd reads "%%" as "%"
    commands = {
        name: service["ExecStart"].removeprefix(PROGRAMS).replace("%%", "%")
        for name, service in services().items()
    }

    assert set(commands) == {"web", "beat", *WORKERS}
    assert {name: commands[name] for name in ("beat", *WORKERS)} == {
        name: " ".join(COMPOSE[name]["command"]) for name in ("beat", *WORKERS)
    }
    assert commands["web"] == "python -m evalsite.server"


@pytest.mark.parametrize("name", WORKERS)
def test_a_worker_of_a_unit_has_the_time_to_end_in_order(name):
    assert f"{services()[name]['TimeoutStopSec']}s" == COMPOSE[name]["stop_grace_period"]


@pytest.mark.parametrize("name", WORKERS)
def test_compose_runs_the_workers_of_up(name):
    [*_, flag, node, queues_flag, queues] = COMPOSE[name]["command"]

    assert (flag, node, queues_flag, queues) == ("--hostname", f"{name}@%h", "--queues", WORKERS[name])


def test_every_queue_has_a_worker():
    queues = [queue for queues in WORKERS.values() for queue in queues.split(",")]

    assert sorted(queues) == sorted(set(task_names.QUEUES.values()))


# ---- Kubernetes ----


@pytest.mark.parametrize(
    "document", OBJECTS, ids=lambda document: f"{document['kind']} {document['metadata']['name']}"
)
def test_kubernetes_accepts_the_object(document):
    validate.validate(document, validate.latest_version(), strict=True)


def test_a_slip_of_the_pen_would_be_noticed():
    slip = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "datta": {}}

    with pytest.raises(validate.ValidationError):
        validate.validate(slip, validate.latest_version(), strict=True)


def test_pods_run_the_commands_of_compose():
    commands = {name.removeprefix("evalsite-"): container(pod).get("command") for name, pod in PODS.items()}

    assert commands == {"web": None} | {
        name: COMPOSE[name]["command"] for name in ("migrate", "beat", "redis", *WORKERS)
    }


def test_every_variable_of_the_config_map_is_one_that_the_settings_read():
    [config] = of_kind("ConfigMap").values()

    assert set(config["data"]) - set(env.scheme) == set()


@pytest.mark.parametrize("name", PODS)
def test_kubernetes_puts_no_variables_of_its_own_among_the_settings(name):
    """A service named evalsite-web would set variables such as EVALSITE_WEB_PORT."""
    assert PODS[name]["enableServiceLinks"] is False


@pytest.mark.parametrize("name", PODS)
def test_no_pod_has_privileges(name):
    pod = PODS[name]

    assert pod["securityContext"]["runAsNonRoot"]
    assert pod["automountServiceAccountToken"] is False
    assert container(pod)["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
    }


@pytest.mark.parametrize("name", EVALSITE_PODS)
def test_the_user_of_a_pod_is_that_of_the_image(name):
    [user] = re.findall(r"useradd --uid (\d+)", (ROOT / "Dockerfile").read_text())

    assert EVALSITE_PODS[name]["securityContext"]["runAsUser"] == int(user)


def test_all_parts_run_one_image():
    assert len({container(pod)["image"] for pod in EVALSITE_PODS.values()}) == 1


def test_every_service_and_path_leads_to_a_port_of_a_pod():
    ports = {
        (document["spec"]["template"]["metadata"]["labels"]["part"], port["name"])
        for document in of_kind("Deployment").values()
        for port in container(document["spec"]["template"]["spec"]).get("ports", [])
    }
    services_by_name = of_kind("Service")

    targets = {
        (s["spec"]["selector"]["part"], port["targetPort"])
        for s in services_by_name.values()
        for port in s["spec"]["ports"]
    }
    assert targets == ports
    [ingress] = of_kind("Ingress").values()
    [path] = ingress["spec"]["rules"][0]["http"]["paths"]
    assert path["backend"]["service"]["name"] in services_by_name


def test_the_broker_is_the_service_of_redis():
    [config] = of_kind("ConfigMap").values()
    redis = of_kind("Service")["redis"]

    assert config["data"]["BROKER_URL"] == f"redis://redis:{redis['spec']['ports'][0]['port']}/0"


def test_no_secret_is_in_the_file():
    assert of_kind("Secret") == {}
    assert {"DATABASE_URL", "EVALSITE_SECRET_KEY"} & set(of_kind("ConfigMap")["evalsite"]["data"]) == set()
