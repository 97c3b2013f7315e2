"""Keys and links that a page shows once, when they are created."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ShownOnce:
    title: str
    note: str
    secret: str
