"""Times of the day in answers, as HH:MM: 3:45 PM, 3.45 p.m., 15:45, 15h45, 3 pm, noon."""

from collections.abc import Iterator

from evaluations.linear import Pattern

WRITTEN = Pattern(
    r"(?i)\b(?:(\d{1,2})\s?(?:[:h]|\.)\s?(\d{2})(?::\d{2})?(?:\s*([ap])\.?\s?m\b\.?)?"
    r"|(\d{1,2})\s*([ap])\.?\s?m\b\.?|(noon|midnight)\b)"
)
NAMED = {"noon": "12:00", "midnight": "00:00"}


def found(text: str) -> Iterator[tuple[int, int, str]]:
    """Each time of a text with where it starts and ends.

    >>> [time for *_, time in found("At 3:45 PM or 15h45, not at 12 am, 25:10 or noon")]
    ['15:45', '15:45', '00:00', '12:00']
    """
    for match in WRITTEN.finditer(text):
        if match[6]:
            yield match.start(), match.end(), NAMED[match[6].casefold()]
            continue
        hour, minute = int(match[1] or match[4]), int(match[2] or 0)
        half = (match[3] or match[5] or "").casefold()
        if half and 1 <= hour <= 12:
            hour = hour % 12 + (12 if half == "p" else 0)
        if hour < 24 and minute < 60:
            yield match.start(), match.end(), f"{hour:02d}:{minute:02d}"
