"""Those who read the answers of launches, and are paid from the same budgets; a room registers them."""

from collections.abc import Sequence

from evaluations.models import Launch, Run

from .asked import Question


class Readers:
    """Nobody."""

    def set_aside(self, run: Run, questions: Sequence[Question]) -> None:
        """Note with each question what its answer will cost to read, at most."""

    def free(self, launch: Launch) -> bool:
        """Whether money that is set aside will be free, because what was answered so far is read first."""
        return False


_registered = [Readers()]


def register(readers: Readers) -> None:
    _registered.append(readers)


def known() -> Readers:
    """The readers that were registered last."""
    return _registered[-1]
