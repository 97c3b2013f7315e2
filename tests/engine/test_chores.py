"""Chores run one after the other; one that fails stops no other."""

import logging

import pytest
from celery.exceptions import SoftTimeLimitExceeded

from evaluations.engine import chores


def broken() -> None:
    raise RuntimeError("no room")


def test_a_chore_that_fails_does_not_stop_the_next(db):
    ran = []

    chores.run_each([broken, lambda: ran.append("next")])

    assert ran == ["next"]


def test_a_chore_that_fails_is_logged_by_name_with_its_error(db, caplog):
    with caplog.at_level(logging.ERROR):
        chores.run_each([broken])

    [record] = caplog.records
    assert "broken" in record.getMessage()
    assert "no room" in str(record.exc_info)


def test_a_worker_that_shuts_down_begins_no_other_chore(db):
    ran = []

    def interrupted() -> None:
        raise SoftTimeLimitExceeded

    with pytest.raises(SoftTimeLimitExceeded):
        chores.run_each([interrupted, lambda: ran.append("next")])

    assert ran == []
