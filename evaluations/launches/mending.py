"""The connection whose page mends what stopped a launch, such as a rejected key."""

from dataclasses import dataclass

from evaluations.models import Connection, Launch

from .causes import OF_CONNECTION


@dataclass(frozen=True)
class Mending:
    """Without a `connection` no page mends it; `is_done` if the key is newer than the failure."""

    connection: Connection | None = None
    is_done: bool = False

    @property
    def comes_first(self) -> bool:
        """Whether answers that are asked for before it fail again."""
        return self.connection is not None and not self.is_done


NOTHING = Mending()


def of_launch(launch: Launch, code: str) -> Mending:
    """What mends a launch that an error of this code stopped."""
    connection = _connection(launch) if code in OF_CONNECTION else None
    key_set, ended = connection and connection.key_set_at, launch.finished_at
    return Mending(connection, bool(key_set and ended and key_set > ended))


def _connection(launch: Launch) -> Connection | None:
    """The connection of all runs; None where they have several."""
    live = Connection.objects.live().filter(pk__in=launch.generations.values("connection"))
    found = list(live[:2])
    return found[0] if len(found) == 1 else None
