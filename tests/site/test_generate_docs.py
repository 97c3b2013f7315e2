"""docs/generate.md works from the first call to the verdict, with a real worker and a stand-in model server."""

import os
import re
import sys
from urllib.parse import urlsplit

import pytest

from evaluations.access import api_keys
from evaluations.clients import Guard
from evaluations.clients.urls import check_url
from tests import processes
from tests.clients.stub import Stub, json_reply
from tests.site import shell_examples

PAGE = (processes.ROOT / "docs" / "generate.md").read_text()


def answer(request):
    """The product of the numbers; in a sentence, unless only the number is requested."""
    question = request["messages"][0]["content"]
    product = str(7 * int(re.search(r"\d+", question)[0]))
    text = product if "number only" in question else f"It is {product}."
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return json_reply({"choices": [choice], "usage": {"prompt_tokens": 12, "completion_tokens": 4}})


@pytest.fixture
def model_server():
    stub = Stub(answer)
    yield stub
    stub.close()


@pytest.fixture
def client_path(tmp_path) -> str:
    """A PATH with the client installed."""
    command = tmp_path / "bin" / "evalsite"
    command.parent.mkdir()
    command.write_text(
        f'#!/bin/sh\nPYTHONPATH={processes.ROOT / "client"} exec {sys.executable} -m evalsite_client "$@"\n'
    )
    command.chmod(0o755)
    return f"{command.parent}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.processes
@pytest.mark.django_db(transaction=True)
def test_the_page_leads_to_its_verdict(
    live_server, broker, alice, project, model_server, settings, tmp_path, client_path
):
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    _, key = api_keys.create_key(project, alice, "Examples", "write")
    worker = processes.worker(tmp_path / "worker.log", broker, EVALSITE_PROVIDER_ALLOWED_HOSTS="127.0.0.1")
    try:
        differing = shell_examples.run(
            PAGE,
            "bash",
            tmp_path,
            EVALSITE_URL=live_server.url,
            EVALSITE_KEY=key,
            MODEL_SERVER=model_server.url,
            PATH=client_path,
            HOME=str(tmp_path),
        )
    finally:
        worker.end()

    assert differing == []


SERVERS = re.findall(r"^\| (\S[^|]+) \| [^|]+ \| `(http[^`]+)` \|$", PAGE, re.MULTILINE)


def test_the_table_has_the_usual_servers():
    assert {"Ollama", "vLLM", "llama.cpp"} <= {name for name, _ in SERVERS}


@pytest.mark.parametrize(("name", "address"), SERVERS)
def test_the_address_of_a_local_server_is_one_that_the_setting_allows(name, address):
    check_url(address, Guard([urlsplit(address).netloc]))

    assert urlsplit(address).path == "/v1"
