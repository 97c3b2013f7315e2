"""What a page says of an evaluator that was saved."""

from evaluations.models import Evaluator
from evaluations.short_texts import ended


def said(saved: Evaluator, before: tuple[str, int] | None) -> str:
    """A new version, a new name, both or neither; `before` is name and version, None for a new evaluator."""
    if before is None or saved.version != before[1]:
        return f"{saved.name} saved as v{saved.version}."
    if saved.name != before[0]:
        return ended(f"Renamed to {saved.name}")
    return f"{saved.name} is as it was: v{saved.version}."
