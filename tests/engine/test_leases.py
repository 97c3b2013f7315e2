"""Leases and pulses, also after a wrong clock was set back."""

from datetime import timedelta

import pytest

from evaluations import leases
from evaluations.engine import consumption, queue
from evaluations.models import Chunk, Pulse
from evaluations.scoring import scoring
from tests import factories

pytestmark = pytest.mark.django_db
EVERY = timedelta(seconds=15)
DAYS = timedelta(days=8)


def pulse(ahead: timedelta) -> None:
    Pulse.objects.create(name="sweep", at=leases.now() + ahead)


@pytest.mark.parametrize(
    ("ahead", "is_due", "is_seen"),
    [
        (-4 * EVERY, True, False),
        (-EVERY / 2, False, True),
        (timedelta(seconds=2), False, True),
        (DAYS, True, False),
    ],
)
def test_a_pulse_counts_unless_it_is_old_or_a_wrong_clock_left_it(ahead, is_due, is_seen):
    pulse(ahead)

    assert leases.happened("sweep", EVERY) == is_seen
    assert consumption.is_swept() == is_seen
    assert leases.due("sweep", EVERY) == is_due
    assert leases.happened("sweep", EVERY)


def test_a_lease_that_a_wrong_clock_made_too_long_is_freed(project):
    factories.run(factories.experiment(project))
    scoring.claim()
    Chunk.objects.update(lease_until=leases.now() + DAYS)

    queue.free_expired(Chunk.objects.all())

    assert Chunk.objects.get().state == Chunk.State.READY


def test_a_fresh_lease_is_kept(project):
    factories.run(factories.experiment(project))
    scoring.claim()

    queue.free_expired(Chunk.objects.all())

    assert Chunk.objects.get().state == Chunk.State.LEASED
