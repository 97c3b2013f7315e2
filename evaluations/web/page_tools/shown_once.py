"""Keys and links that a page shows only once, when they are created."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ShownOnce:
    title: str
    note: str
    secret: str
