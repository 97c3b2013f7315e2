"""How fast a server may be called: learnt from its answers, and shared by all processes that call it.

A server's limit is taken as calls in any second. What is known of it (`Limit`) is common to all processes; each takes a
slice of it for the next second, and spreads its calls evenly. When the server asks for fewer calls, the process that
hears it first lowers the limit under a new number, which takes back all slices.
"""

import math
import time
from collections import deque
from dataclasses import dataclass, replace

from evaluations.clients.limit import Board, Limit
from evaluations.clients.rate_limits import Allowance, Left
from evaluations.clients.service_error import ServiceError

SHARE = 0.99  # of the calls that a server has accepted in a second, which are made in one
WINDOW = 1.02  # seconds in which as many calls are made as in one: calls arrive a little early or late
AGREES = 0.15  # two objections agree if their rates differ by less than this share
CALM = 3.0  # seconds without an objection after which one is chance
LEAST_KEPT = 0.93  # share of a rate below which it does not fall at once while most calls are accepted
FEW = 0.8  # share of accepted calls above which most are accepted
LONG = 5.0  # seconds of Retry-After from which the server means more than one second's calls
LOOK_EVERY = 0.1  # seconds between two looks at what other processes have learnt
LONGEST = 10.0  # seconds for which a process waits for its part: a change of the limit gives out new ones
KEPT = 100.0  # seconds for which calls are remembered
LOW = 0.05  # share of an allowance below which a server's own figures set the rate
LAST, CHANCE = 50, 0.1  # recent calls, and the share of them that may fail by chance
UNKNOWN = 0.25  # share of the calls of a second that is tried next if a server refused them all
TRIES = 3
LEAST = 2.0  # calls per second, however many a server refuses that names no time
SECOND = 1.0


@dataclass(eq=False)
class Sent:
    """A call: when it was sent, under which number of the limit, and whether the server refused it."""

    at: float
    number: int
    is_refused: bool = False


@dataclass(eq=False)
class _Objection:
    """The first refused call after a change of the limit, the rate that was tried, and when its first call was sent.

    The limit that follows is known `since` then; `rate` is what this process has measured, which makes its `part` of
    all calls.
    """

    call: Sent
    retry_after: float
    limit: Limit
    tried: float | None
    begun_at: float
    since: float
    rate: float = 0.0
    part: float = 1.0

    def agrees(self, rate: float) -> bool:
        """Whether this is about the rate that was tried."""
        return self.tried is not None and abs(rate / self.tried - 1) < AGREES


@dataclass(eq=False)
class _Slice:
    """The calls of this process from the part `begin` of a period on, of which `spent` have been made."""

    number: int
    period: int
    begin: float
    calls: int
    spent: int = 0
    part: float = 1.0


class Pace:
    """The use of one server by this process. Times are monotonic; `wall` is the wall clock at monotonic time 0.

    Until a server objects, the number of calls in flight doubles with each window of good answers. It halves when the
    server is in trouble (a few errors among many answers do not count).
    """

    def __init__(self, in_flight: float, maximum: int, board: Board, wall: float | None = None):
        self.in_flight, self.maximum = min(in_flight, maximum), maximum
        self.refused_at = 0.0
        self._board = board
        self._wall = time.time() - time.monotonic() if wall is None else wall
        self._limit, self._looked_at = Limit(), -math.inf
        self._slice: _Slice | None = None
        self._calls: deque[Sent] = deque()
        self._begun_at: float | None = None  # when the first call after the last objection was sent
        self._objection: _Objection | None = None
        self._is_new = True  # true until the server first objects
        self._last: deque[bool] = deque(maxlen=LAST)  # whether each of the last calls was answered
        self._eased_at = 0.0
        self._tokens = 0.0  # of a call, on average

    @property
    def resume_at(self) -> float:
        """The moment until which the server wants no call."""
        return self._limit.resume_at - self._wall

    # ---- making calls ----------------------------------------------------------------------------------------

    def room(self, in_flight: int, now: float) -> int:
        """How many more calls may be made now."""
        self._look(now)
        wall = now + self._wall
        if wall < self._limit.resume_at:
            return 0
        room = max(0, int(self.in_flight) - in_flight)
        if not room or self._limit.rate is None:
            return room
        return min(room, self._left_of_slice(wall))

    def pause(self, now: float) -> float:
        """About the seconds after which a call that found no room may find some."""
        wall = now + self._wall
        return max(
            SECOND, self.resume_at - now, 1 / (self._limit.rate_at(wall) or 1.0), self._until_due(wall)
        )

    def _until_due(self, wall: float) -> float:
        """The seconds until the next call of the slice is due; once all have been made, until the slice ends."""
        held, span = self._slice, self._limit.span()
        if held is None or held.number != self._limit.number or wall >= (held.period + 1) * span:
            return 0.0
        share = held.spent / held.calls if held.spent < held.calls else 1.0
        return min(LONGEST, (held.period + held.begin + (1 - held.begin) * share) * span - wall)

    def sent(self, now: float) -> Sent:
        """Note a call that is made now; the result belongs to `refused`."""
        call = Sent(now, self._limit.number)
        self._calls.append(call)
        while self._calls[0].at < now - KEPT:
            self._calls.popleft()
        if self._begun_at is None:
            self._begun_at = now
        if self._slice:
            self._slice.spent += 1
        return call

    def _left_of_slice(self, wall: float) -> int:
        """How many calls of the slice are due: they are spread evenly, and no second has more than its share."""
        span, rate = self._limit.span(), self._limit.rate_at(wall) or 1.0
        period = int(wall / span)
        elapsed = wall / span - period
        held = self._slice
        if held is None or held.period != period or held.number != self._limit.number:
            follows = held is not None and held.period == period - 1 and held.number == self._limit.number
            begin, late = (0.0, held.calls - held.spent) if held and follows else (elapsed, 0)
            wanted = max(1, round(rate * span * (1 - begin)))
            calls = self._board.take(self._limit.number, period, wanted)
            if calls is None:
                self._looked_at = -math.inf
                return 0
            # Calls that came late to the last slice may still be made.
            self._slice = held = _Slice(
                self._limit.number, period, begin, calls, -min(late, calls), calls / wanted
            )
        due = int(held.calls * (elapsed - held.begin) / (1 - held.begin)) + 1
        most = math.ceil(held.calls / (1 - held.begin) / span - 0.01) - self._recent(wall - self._wall)
        return max(0, min(min(due, held.calls) - held.spent, most))

    def _part(self) -> float:
        """The share of all calls that this process makes."""
        return self._slice.part if self._slice and self._slice.part else 1.0

    def _recent(self, now: float) -> int:
        """The calls that were sent within the last second, and a little more."""
        count = 0
        for call in reversed(self._calls):
            if call.at <= now - WINDOW:
                break
            count += 1
        return count

    def _look(self, now: float) -> None:
        if now >= self._looked_at + LOOK_EVERY:
            self._looked_at = now
            self._take_over()

    def _take_over(self) -> None:
        """Take over what other processes have learnt."""
        was_unlimited, self._limit = self._limit.rate is None, self._board.limit()
        if was_unlimited and self._limit.rate is not None:
            self._join()

    # ---- learning --------------------------------------------------------------------------------------------

    def answered(self, now: float, left: Left | None = None, tokens: int = 0) -> None:
        """Note an answer, what its headers say is left of the server's limits, and the tokens that it took."""
        self.in_flight = min(self.maximum, self.in_flight + (1.0 if self._is_new else 1 / self.in_flight))
        self._last.append(True)
        if tokens:
            self._tokens = 0.9 * self._tokens + 0.1 * tokens if self._tokens else float(tokens)
        if left and (rate := self._stated(left)):
            self._obey(rate, now)

    def erred(self, now: float, error: ServiceError, call: Sent, longest: float) -> None:
        """Note a call without an answer; no pause that the server asks for lasts longer than the `longest`."""
        pause = min(error.retry_after or 0.0, longest)
        if error.code == "rate_limited":
            self.refused(now, pause, call)
        elif not error.permanent and error.code != "deadline":
            self.failed(now, pause)

    def refused(self, now: float, retry_after: float, call: Sent) -> None:
        """Slow down: the server asked for fewer calls. It means all calls sent before, so only the first counts."""
        self.refused_at = now
        call.is_refused = True
        self._look(now)
        wall, limit = now + self._wall, self._limit
        resume_at = max(limit.resume_at, wall + retry_after)
        # Right after a change, the server still counts the calls that were sent before.
        if call.number != limit.number or call.at + self._wall < limit.since + WINDOW:
            self._measure_again()
            if retry_after >= LONG and resume_at > self._limit.resume_at + SECOND:
                self._change(replace(self._limit, resume_at=resume_at))
            return
        objection = _Objection(
            call, retry_after, limit, limit.rate_at(wall), self._begun_at or call.at, wall, part=self._part()
        )
        objection.rate = rate = self._measured(objection)
        if self._change(Limit(0, rate, wall, objection.agrees(rate), resume_at)):
            self._objection, self._begun_at = objection, None

    def _measured(self, objection: "_Objection") -> float:
        """The calls per second that the server has accepted, before it refused a call."""
        call, tried, known = objection.call, objection.tried, objection.limit.rate
        window = [sent for sent in self._calls if call.at - SECOND < sent.at <= call.at]
        accepted = sum(not sent.is_refused for sent in window)
        if tried is None or known is None:
            # Where everything was refused, nothing is known of the limit but that it is lower.
            rate = max(1.0, accepted or UNKNOWN * len(window))
        elif call.at + self._wall > max(objection.limit.since, objection.limit.resume_at) + CALM:
            # A rate that held for so long is refused by chance: calls were late, and came together.
            rate = min(tried, max(known, SHARE * accepted / objection.part))
        elif (share := accepted / len(window)) < FEW:
            rate = tried * max(0.5, share)
        else:  # What the server accepted within a second, of which this process made its part.
            rate = min(tried, max(LEAST_KEPT * known, SHARE * accepted / objection.part))
        if objection.retry_after >= LONG:
            since_last = [sent for sent in self._calls if sent.at >= objection.begun_at]
            span = max(SECOND, call.at - objection.begun_at) + objection.retry_after
            rate = min(rate, max(1, sum(not sent.is_refused for sent in since_last)) / span)
        # A server that names no time is asked at least this often: its limit cannot be known otherwise.
        return max(0.01 if objection.retry_after else LEAST, rate)

    def _measure_again(self) -> None:
        """Lower the rate of the last objection: a call that seemed accepted is refused now."""
        objection = self._objection
        for _ in range(TRIES):
            known = self._limit
            if objection is None or known.rate is None or known.since != objection.since:
                return
            rate = self._measured(objection)
            lowered = max(0.01, known.rate - (objection.rate - rate))
            if rate >= objection.rate:
                return
            if self._change(replace(known, rate=lowered, is_sure=objection.agrees(rate))):
                objection.rate = rate
                return

    def _join(self) -> None:
        """Add the calls of this process to a limit that another one, which knew only its own, has just set."""
        for _ in range(TRIES):
            known = self._limit
            at = known.since - self._wall
            mine = sum(not call.is_refused for call in self._calls if at - SECOND < call.at <= at)
            if known.rate is None or known.is_sure or not mine:
                return
            if self._change(replace(known, rate=known.rate + mine)):
                self._objection = _Objection(
                    Sent(at, known.number), 0.0, Limit(), None, at, known.since, mine
                )
                return

    def failed(self, now: float, retry_after: float = 0.0) -> None:
        """Note a call that ended in a server error or without an answer, and the pause that the server asks for."""
        resume_at = now + self._wall + retry_after
        if retry_after and resume_at > self._limit.resume_at + SECOND / 2:
            self._look(now)
            self._change(replace(self._limit, resume_at=max(self._limit.resume_at, resume_at)))
        self._last.append(False)
        if self._last.count(False) <= CHANCE * len(self._last):
            return
        self._is_new = False
        if now - self._eased_at > SECOND:
            self.in_flight, self._eased_at = max(1.0, self.in_flight / 2), now

    def _stated(self, left: Left) -> float | None:
        """The calls per second that the server's figures allow; None while much is left."""
        stated = [
            _rate(allowance, cost)
            for allowance, cost in ((left.requests, 1.0), (left.tokens, self._tokens))
            if allowance and cost and allowance.left < max(LOW * allowance.limit, self.in_flight * cost)
        ]
        return min((rate for rate in stated if rate), default=None)

    def _obey(self, rate: float, now: float) -> None:
        """Slow down to the rate that the server states, before it has to refuse a call."""
        self._look(now)
        wall = now + self._wall
        tried = self._limit.rate_at(wall)
        if tried is None or tried > rate * (1 + AGREES):
            self._change(Limit(0, SHARE * rate, wall, True, self._limit.resume_at))

    def _change(self, limit: Limit) -> bool:
        """Replace the known limit under a new number; False if another process has changed it meanwhile."""
        limit = replace(limit, number=self._limit.number + 1)
        if self._board.change(limit):
            self._limit = limit
            return True
        self._take_over()
        return False


def _rate(allowance: Allowance, cost: float) -> float | None:
    per_second = allowance.per_second
    return per_second / cost if per_second else None
