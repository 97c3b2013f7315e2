"""Handles ended calls: their answers are stored, or their questions are asked again after a pause."""

import random
import time
from collections.abc import Sequence

from django.conf import settings

from evaluations.commit_points import reached

from .asked import Outcome
from .calls import LeasedChunk
from .database_retry import retry_while_unavailable

LONGEST_PAUSE = 30.0


def store(leased: LeasedChunk, outcomes: Sequence[Outcome]) -> None:
    """Store ended calls; calls to repeat come before new ones, after a pause.

    Arrived answers survive an outage of the database.
    """
    attempts = leased.asked.attempts
    ended = [outcome for outcome in outcomes if not _goes_on(outcome, attempts)]
    again = [outcome for outcome in outcomes if _goes_on(outcome, attempts)]
    leased.has_failures |= any(outcome.has_failed for outcome in ended)
    retry_while_unavailable(lambda: leased.asked.store(ended, again))
    leased.waiting.extendleft(leased.asked.more())
    for outcome in outcomes:
        if outcome.tokens and outcome.is_overbilled:
            leased.asked.learn(outcome.tokens)
    now = time.monotonic()
    for outcome in again:
        outcome.question.not_before = now + _pause(outcome)
        leased.waiting.appendleft(outcome.question)
    reached("answers_stored")


def _goes_on(outcome: Outcome, attempts: int) -> bool:
    """Whether the question should be asked again."""
    error = outcome.error
    return error is not None and not error.permanent and outcome.question.attempts < attempts


def _pause(outcome: Outcome) -> float:
    """Seconds until the next attempt: what the server asks for, else exponential backoff with jitter."""
    if outcome.error and outcome.error.retry_after is not None:
        return float(min(outcome.error.retry_after, settings.EVALSITE_LEASE)) * (1 + random.random() / 10)
    return random.uniform(0, min(LONGEST_PAUSE, 0.25 * 2**outcome.question.attempts))
