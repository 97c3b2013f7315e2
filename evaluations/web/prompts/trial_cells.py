"""The answers of a trial as they stand below the columns of the bench: a cell for each, in rows of examples."""

from dataclasses import dataclass
from typing import NamedTuple

from evaluations.models import TrialAnswer
from evaluations.reading.reading import Reading
from evaluations.values import JSON


class CellState(NamedTuple):
    """The state of an answer that has not arrived, as shown: its colour (as `data-state`), icon and word."""

    colour: str
    icon: str
    word: str


STATES = {
    "queued": CellState("queued", "waiting", "Queued"),
    "asking": CellState("running", "running", "Generating"),
    "scoring": CellState("running", "running", "Scoring"),
    "failed": CellState("failed", "care", "Failed"),
    "stopped": CellState("stopped", "stopped", "Stopped"),
}


class Place(NamedTuple):
    """Which variant of a trial stands below a column, by its index; stale if the column has changed since."""

    variant: int
    is_stale: bool = False


@dataclass(frozen=True)
class Cell:
    """An answer; with its changes from the first column's answer if they are requested.

    `whole` is there where `text` is only the beginning of an answer that has arrived.
    """

    variant: str
    answer: TrialAnswer
    status: str
    text: Reading
    whole: Reading | None = None
    is_stale: bool = False

    @property
    def state(self) -> CellState | None:
        return STATES.get(self.status)

    @property
    def place(self) -> str:
        return f"{self.answer.variant}.{self.answer.example}"

    @property
    def can_stop(self) -> bool:
        return self.status in ("queued", "asking", "scoring")

    @property
    def can_retry(self) -> bool:
        return bool(self.answer.error and self.answer.body)

    @property
    def was_stopped_while_asked(self) -> bool:
        """Whether its call was stopped while it went on: the server charges for it, and nobody said how much."""
        return self.status == "stopped" and self.answer.spending_id is not None

    @property
    def has_unknown_cost(self) -> bool:
        return self.answer.text is not None and self.answer.cost is None and not self.answer.cached

    @property
    def tokens(self) -> tuple[int, int] | None:
        """Tokens in and out."""
        counts = (self.answer.tokens_in, self.answer.tokens_out)
        return (counts[0] or 0, counts[1] or 0) if any(counts) else None


@dataclass(frozen=True)
class Row:
    """An example, and the cell of each column; None below a column that was not asked."""

    name: str
    inputs: list[tuple[str, JSON]]
    reference: list[tuple[str, JSON]]
    cells: list[Cell | None]
