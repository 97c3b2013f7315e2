"""Values of examples and outputs as texts for pages."""

from evaluations.values import JSON, text_of

LONGEST = 1_200


def as_text(value: JSON) -> str:
    """A text as it is, nothing as an empty one, all else as JSON."""
    return text_of(value) or ""


def cut(text: str, whole: bool = False, most: int = LONGEST) -> str:
    """The beginning of a long text, which ends with an ellipsis then."""
    return text if whole or len(text) <= most else f"{text[:most]}…"
