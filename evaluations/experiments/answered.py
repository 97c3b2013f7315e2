"""What follows as soon as a run has its answers: rooms register what they do then, such as judges that have money."""

from collections.abc import Callable

from evaluations.models import Run

_followers: list[Callable[[Run], None]] = []


def register(follower: Callable[[Run], None]) -> None:
    """Call a function with each run that has its answers, in the transaction that completes it."""
    _followers.append(follower)


def tell(run: Run) -> None:
    """Say that a run has its answers."""
    for follower in _followers:
        follower(run)
