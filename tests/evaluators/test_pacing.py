"""The limit of a server in the database, as several processes share it."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection as database

from evaluations.clients.limit import Limit
from evaluations.evaluators import embeddings
from evaluations.evaluators.pacing import SharedLimit
from evaluations.models import Connection
from tests import factories
from tests.clients.stub import embedded, json_reply

LIMIT = Limit(1, 50.0, 100.0, is_sure=True, resume_at=101.0)


@pytest.fixture
def board(project, settings):
    return SharedLimit(factories.connection(project, settings).pk)


@pytest.mark.django_db
def test_a_limit_is_known_to_all_processes(board):
    assert board.limit() == Limit()

    assert board.change(LIMIT)

    assert SharedLimit(board.connection).limit() == LIMIT


@pytest.mark.django_db
def test_of_two_changes_of_one_limit_the_first_counts(board):
    board.change(LIMIT)

    assert board.change(Limit(2, 40.0))
    assert not board.change(Limit(2, 30.0))
    assert board.limit().rate == 40.0


@pytest.mark.django_db
def test_processes_share_the_calls_of_a_second(board):
    board.change(LIMIT)

    assert [board.take(1, 7, 50) for _ in range(2)] == [50, 0]
    assert [board.take(1, 8, 50) for _ in range(2)] == [25, 25]
    assert board.take(1, 9, 50) == 25
    assert board.take(1, 10, 50) == 50  # the other one has not come back


@pytest.mark.django_db
def test_a_changed_limit_takes_back_all_slices(board):
    board.change(LIMIT)
    board.take(1, 7, 50)

    board.change(Limit(2, 10.0))

    assert board.take(1, 7, 50) is None
    assert board.take(2, 7, 10) == 10


@pytest.mark.django_db
def test_a_clock_that_is_behind_takes_from_the_second_of_the_others(board):
    board.change(LIMIT)
    board.take(1, 8, 50)

    assert board.take(1, 5, 50) == 0


@pytest.mark.django_db(transaction=True)
def test_no_more_calls_are_handed_out_than_a_second_has(board):
    board.change(LIMIT)

    def work(period):
        try:
            return board.take(1, period, 50)
        finally:
            database.close()

    with ThreadPoolExecutor(4) as pool:
        for period in (7, 8, 9):
            assert sum(taken or 0 for taken in pool.map(work, [period] * 4)) <= 50


# ---- embeddings ------------------------------------------------------------------------------------------------


@pytest.fixture
def embedder(project, settings, stub):
    connection = factories.connection(project, settings)
    Connection.objects.filter(pk=connection.pk).update(base_url=stub.url)
    connection.refresh_from_db()
    return embeddings.Embedder(connection, "tiny", None)


@pytest.mark.django_db
def test_embeddings_wait_as_long_as_a_server_asked_others_to(embedder, stub):
    stub.answer = embedded
    began = time.time()
    SharedLimit(embedder.connection.pk).change(Limit(1, None, began, resume_at=began + 1.0))

    embedder(["a text"])

    assert len(stub.requests) == 1
    assert time.time() >= began + 0.9


@pytest.mark.long
@pytest.mark.django_db
def test_all_processes_learn_from_a_refused_embedding(embedder, stub):
    refusals = iter([json_reply({"error": {"message": "slow down"}}, 429, Retry_After="0.5")])
    stub.answer = lambda request: next(refusals, None) or embedded(request)
    began = time.time()

    embedder(["a text"])

    # the rate grows again while nothing is refused, until it is no limit any more; the pause stays as it was named
    assert SharedLimit(embedder.connection.pk).limit().resume_at >= began + 0.5
    assert len(stub.requests) == 2
