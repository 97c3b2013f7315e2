"""docs/generate.md is followed from the first call to the verdict, with a real worker and a stand-in model server."""

import re

import pytest

from evaluations.access import api_keys
from tests import processes
from tests.clients.stub import Stub, json_reply
from tests.site import shell_examples

PAGE = (processes.ROOT / "docs" / "generate.md").read_text()


def answer(request):
    """The product; in a sentence unless the number alone is asked for."""
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


@pytest.mark.processes
@pytest.mark.django_db(transaction=True)
def test_the_page_leads_to_its_verdict(live_server, broker, alice, project, model_server, settings, tmp_path):
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
        )
    finally:
        worker.end()

    assert differing == []
