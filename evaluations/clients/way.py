"""How one connection is called, beside its address and key."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Way:
    """`headers` and `query` are added to each request; with an `api_version`, the server is Azure OpenAI's."""

    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    api_version: str = ""


PLAIN = Way()
