"""How one connection is called, beside its address and key."""

from collections.abc import Mapping
from dataclasses import dataclass, field

SHORTEST_SECRET = 8  # characters; a shorter value could be part of any text


@dataclass(frozen=True)
class Way:
    """`headers` and `query` are added to each request; with an `api_version`, the server is Azure OpenAI's."""

    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    api_version: str = ""

    @property
    def secrets(self) -> list[str]:
        """The values of headers, whole and by word, because `Basic` or `Bearer` may stand before a secret."""
        words = [word for value in self.headers.values() for word in (value, value.rpartition(" ")[2])]
        return [word for word in dict.fromkeys(words) if len(word) >= SHORTEST_SECRET]


PLAIN = Way()
