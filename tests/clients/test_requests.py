"""The requests that leave the site: their exact addresses and headers, whatever the environment says."""

import json
import os
import subprocess
import sys

import httpx2
import pytest

from evaluations.clients import Guard
from evaluations.clients.outbound import GuardedTransport
from evaluations.clients.server import Server
from evaluations.clients.way import PLAIN, Way

KEY = "sk-golden-0123456789"
VARIABLES = {
    "AZURE_OPENAI_AD_TOKEN": "environment-token",
    "AZURE_OPENAI_API_KEY": "environment-key",
    "AZURE_OPENAI_ENDPOINT": "https://environment.example",
    "HTTPS_PROXY": "http://environment.example:1",
    "HTTP_PROXY": "http://environment.example:1",
    "OPENAI_ADMIN_KEY": "environment-admin",
    "OPENAI_API_KEY": "environment-key",
    "OPENAI_API_TYPE": "azure",
    "OPENAI_API_VERSION": "environment-version",
    "OPENAI_BASE_URL": "https://environment.example/v1",
    "OPENAI_CUSTOM_HEADERS": "X-Environment: yes\nAuthorization: Bearer environment",
    "OPENAI_LOG": "debug",
    "OPENAI_ORG_ID": "environment-organization",
    "OPENAI_ORGANIZATION": "environment-organization",
    "OPENAI_PROJECT_ID": "environment-project",
    "OPENAI_WEBHOOK_SECRET": "environment-secret",
}
USUAL = {
    "accept": "application/json",
    "accept-encoding": "gzip",
    "connection": "keep-alive",
    "user-agent": "evalsite",
}
CHAT = {"model": "gpt 5/mini", "messages": [{"role": "user", "content": "é"}], "a_field_of_tomorrow": [2**70]}
EMBED = {"model": "small", "input": ["a"], "encoding_format": "base64", "dimensions": 4}


@pytest.fixture
def sent(monkeypatch):
    """The requests that reach the guarded transport."""
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    requests = []

    def handle(transport, request):
        request.read()
        requests.append(request)
        answer = {"data": [{"embedding": [1, 2, 3, 4], "id": "small"}], "choices": [{"message": {}}]}
        return httpx2.Response(200, json=answer, request=request)

    monkeypatch.setattr(GuardedTransport, "handle_request", handle)
    return requests


def ask(base_url, key, way=PLAIN):
    server = Server(base_url, key, Guard(), 1, way)
    server.chat(CHAT, 5)
    server.embeddings("small", ["a"], 4, 5)
    server.models(5)
    server.close()


GOLDEN = {
    "OpenAI": (
        ("https://api.openai.com/v1", KEY),
        [
            "https://api.openai.com/v1/chat/completions",
            "https://api.openai.com/v1/embeddings",
            "https://api.openai.com/v1/models",
        ],
        {"host": "api.openai.com", "authorization": f"Bearer {KEY}"},
    ),
    "Azure": (
        ("https://res.openai.azure.com", KEY, Way(api_version="2024-10-21")),
        [
            "https://res.openai.azure.com/openai/deployments/gpt%205%2Fmini/chat/completions?api-version=2024-10-21",
            "https://res.openai.azure.com/openai/deployments/small/embeddings?api-version=2024-10-21",
            "https://res.openai.azure.com/openai/models?api-version=2024-10-21",
        ],
        {"host": "res.openai.azure.com", "api-key": KEY},
    ),
    "plain server without a key": (
        ("http://127.0.0.1:11434/v1/", ""),
        [
            "http://127.0.0.1:11434/v1/chat/completions",
            "http://127.0.0.1:11434/v1/embeddings",
            "http://127.0.0.1:11434/v1/models",
        ],
        {"host": "127.0.0.1:11434"},
    ),
    "gateway": (
        ("https://llm.example/team", "", Way({"Authorization": "Basic eA==", "X-Team": "a"}, {"tag": "e v"})),
        [
            "https://llm.example/team/chat/completions?tag=e+v",
            "https://llm.example/team/embeddings?tag=e+v",
            "https://llm.example/team/models?tag=e+v",
        ],
        {"host": "llm.example", "authorization": "Basic eA==", "x-team": "a"},
    ),
}


@pytest.mark.parametrize(("server", "urls", "headers"), GOLDEN.values(), ids=GOLDEN)
def test_requests_have_these_addresses_and_headers_and_no_others(sent, server, urls, headers):
    ask(*server)

    assert [str(request.url) for request in sent] == urls
    for request, body in zip(sent, [CHAT, EMBED, None], strict=True):
        of_body = {}
        if body:
            of_body = {"content-type": "application/json", "content-length": str(len(request.content))}
            assert json.loads(request.content) == body
        assert dict(request.headers) == USUAL | headers | of_body


def test_a_deployment_in_the_address_of_azure_is_kept(sent):
    ask("https://res.openai.azure.com/openai/deployments/mine", KEY, Way(api_version="v"))

    assert str(sent[0].url) == (
        "https://res.openai.azure.com/openai/deployments/mine/chat/completions?api-version=v"
    )


def test_no_key_of_azure_comes_from_the_environment(sent):
    ask("https://res.openai.azure.com", "", Way(api_version="v"))

    assert not any("authorization" in request.headers or "api-key" in request.headers for request in sent)


@pytest.mark.long
def test_the_package_is_loaded_by_the_first_client_and_leaves_the_logs_alone():
    script = """
import logging, sys
import evaluations.clients as clients
from evaluations.clients import chat_client, embedding_client, probing
assert "openai" not in sys.modules
chat_client.ChatClient("http://127.0.0.1/v1", "", clients.Guard())
assert "openai" in sys.modules
assert not logging.getLogger().handlers and logging.getLogger("openai").level == logging.NOTSET
"""
    subprocess.run([sys.executable, "-c", script], env=os.environ | VARIABLES, check=True, timeout=180)
