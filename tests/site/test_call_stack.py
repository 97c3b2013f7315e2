"""Calls cost the same at any depth: none maps and unmaps memory repeatedly."""

import gc
import resource

import pytest

from evalsite import server
from evalsite.call_stack import with_room

DEPTHS = range(0, 240, 5)
CALLS = 500


def descend(levels):
    if levels:
        descend(levels - 1)


def faults_at(depth):
    """The number of memory pages mapped by many calls from this depth."""
    if depth:
        return faults_at(depth - 1)
    before = resource.getrusage(resource.RUSAGE_THREAD).ru_minflt
    for _ in range(CALLS):
        descend(10)
    return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt - before


@pytest.fixture
def application(monkeypatch):
    """The application that the server runs, with `faults_at` instead of all pages."""
    monkeypatch.setattr(server, "get_wsgi_application", lambda: faults_at)
    yield server.loaded_application()
    gc.unfreeze()


def test_pages_map_no_memory_at_any_depth(application):
    assert max(application(depth) for depth in DEPTHS) < CALLS / 10


def test_arguments_and_results_pass_through():
    assert with_room(divmod)(7, 2) == (3, 1)
    assert with_room(dict)(depth=1) == {"depth": 1}
