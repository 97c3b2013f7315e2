"""Clients of stub servers, with a clock that does not wait."""

import random
from contextlib import ExitStack

import pytest

from evaluations.clients import Guard, OpenAIClient
from tests.clients.stub import embedded


class Nap:
    """A sleep that takes no time: it records the pauses and advances the clock."""

    def __init__(self, start=0.0):
        self.pauses = []
        self.time = start

    def sleep(self, seconds):
        self.pauses.append(seconds)
        self.time += seconds

    def clock(self):
        return self.time


@pytest.fixture
def nap():
    return Nap()


@pytest.fixture
def usual_answer():
    return embedded


@pytest.fixture
def connect(nap):
    """A client of a stub, one call at a time, that never really waits."""
    with ExitStack() as stack:

        def start(stub, key="k-secret-123", **options):
            options = {
                "concurrency": 1,
                "sleep": nap.sleep,
                "clock": nap.clock,
                "chance": random.Random(5),
            } | options
            client = OpenAIClient(stub.url, key, Guard(["127.0.0.1"]), **options)
            stack.callback(client.close)
            return client

        yield start
