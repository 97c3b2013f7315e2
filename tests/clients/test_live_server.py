"""A real OpenAI-compatible server that nobody here wrote: infinity-emb with a tiny random model, offline.

It pins older packages than ours, so it lives in an environment of its own (1.4 to 5.6 GB; some minutes):

    python3 -m venv /tmp/infinity
    /tmp/infinity/bin/pip install "infinity-emb[server,torch]==0.0.78" "transformers<5"
    LIVE_EMBEDDINGS=/tmp/infinity .venv/bin/pytest -m live_server tests/clients/test_live_server.py

The model is made by tests/data/tiny_model.py at the start; nothing is downloaded then.
"""

import os
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest

from evaluations.clients import Guard, OpenAIClient
from evaluations.evaluators import connections, embeddings
from evaluations.experiments import experiments, runs
from evaluations.models import Embedding, Evaluator
from evaluations.scoring import columns
from tests import factories, processes

ENVIRONMENT = os.environ.get("LIVE_EMBEDDINGS", "")
KEY = "live-server-key"
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "DO_NOT_TRACK": "1"}

pytestmark = [
    pytest.mark.live_server,
    pytest.mark.skipif(not ENVIRONMENT, reason="LIVE_EMBEDDINGS names no environment; see the docstring"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The base URL of infinity-emb with the tiny model."""
    folder, bin = tmp_path_factory.mktemp("model"), Path(ENVIRONMENT) / "bin"
    env = os.environ | OFFLINE
    make = [bin / "python", Path(__file__).parents[1] / "data" / "tiny_model.py", folder]
    subprocess.run(make, env=env, check=True)
    port = processes.unused_port()
    options = {
        "model-id": folder / "model",
        "served-model-name": "tiny",
        "engine": "torch",
        "device": "cpu",
        "url-prefix": "/v1",
        "host": "127.0.0.1",
        "port": port,
        "api-key": KEY,
    }
    command = [bin / "infinity_emb", "v2", "--no-bettertransformer", "--no-model-warmup"]
    for name, value in options.items():
        command += [f"--{name}", str(value)]
    with (folder / "server.log").open("w") as log:
        process = subprocess.Popen(command, env=env, stdout=log, stderr=subprocess.STDOUT)
    try:
        wait_until_ready(process, port, folder / "server.log")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(timeout=30)


def wait_until_ready(process, port, log):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2).close()
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)  # Nothing tells when another program is ready.
        else:
            return
    pytest.fail(f"The server did not start:\n{log.read_text()[-2000:]}")


@pytest.fixture
def client(server):
    client = OpenAIClient(server, KEY, Guard(["127.0.0.1"]))
    yield client
    client.close()


def test_texts_get_vectors_in_their_order(client):
    texts = ["the cat sat", "on the mat", "the cat sat"]

    together = client.embed("tiny", texts)
    alone = client.embed("tiny", texts[1:2])

    assert together.errors == {}
    assert together.dimension == 64
    assert np.array_equal(together.vectors[0], together.vectors[2])
    assert np.allclose(together.vectors[1], alone.vectors[0], atol=1e-5)
    assert together.tokens > 0


def test_many_texts_go_in_several_calls(client):
    result = client.embed("tiny", [f"question {n}" for n in range(600)])

    assert result.errors == {}
    assert result.calls >= 3


def test_a_wrong_key_gives_a_message_in_words(server):
    client = OpenAIClient(server, "wrong", Guard(["127.0.0.1"]))

    result = client.embed("tiny", ["a"])

    assert result.errors[0].code == "unauthorized"
    client.close()


def test_a_probe_finds_the_model_and_its_size(client):
    probe = client.probe("tiny")

    assert probe.ok
    assert probe.dimension == 64
    assert "tiny" in probe.models


@pytest.mark.django_db
def test_a_run_is_scored_paid_once_and_scored_again_for_nothing(server, project, settings):
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    connections.create(project, None, "Infinity", server, KEY)
    evaluator = factories.evaluator(project, "semantic_similarity", model="tiny")
    references = [f"The answer is {n}." for n in range(40)]
    experiment = experiments.create(
        project, None, "Live", factories.dataset(project, references), [evaluator]
    )

    first = factories.scored_run(experiment, references, "the same", factories.ENOUGH)
    second = factories.scored_run(experiment, references[::-1], "turned round", factories.ENOUGH)

    values = [columns.load(run.scorings.get().pk).values[:40] for run in (first, second)]
    assert np.allclose(values[0], 1.0)
    assert (values[1] < 1.0).all()
    assert first.scorings.get().usage["tokens"] > 0
    assert second.scorings.get().usage["calls"] == 0
    assert Embedding.objects.count() == 40


@pytest.mark.django_db
def test_the_right_key_completes_what_a_wrong_key_missed(server, project, settings):
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    connection = connections.create(project, None, "Infinity", server, "wrong")
    evaluator = factories.evaluator(project, "semantic_similarity", model="tiny")
    experiment = experiments.create(project, None, "Live", factories.dataset(project), [evaluator])
    run = factories.scored_run(experiment, money=factories.ENOUGH)
    failed = run.scorings.get().summary["counts"]["error"]

    connections.change(connection, api_key=KEY)
    runs.retry_errors(run, Evaluator.objects.all())
    factories.scored_run(experiment, variant="another", money=factories.ENOUGH)

    assert failed == 3
    assert run.scorings.get().summary["counts"]["scored"] == 3
    assert embeddings.connection_of(run.scorings.get().evaluator_version) == connection.pk
