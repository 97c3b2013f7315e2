"""Dates in answers, as YYYY-MM-DD: 2021-05-03, also with a time, 3 May 2021, May 3, 2021, 3. Mai 2021, 3/5/2021."""

from collections.abc import Iterator, Sequence
from datetime import date

from evaluations import linear

MONTHS = (
    ("jan", "janv", "ene", "gen", "jän"),
    ("feb", "févr", "fév", "fev"),
    ("mar", "mär", "mrz", "maa"),
    ("apr", "avr", "abr"),
    ("may", "mai", "mag", "mei"),
    ("jun", "juin", "giu"),
    ("jul", "juil", "lug"),
    ("aug", "août", "aou", "ago"),
    ("sep", "set"),
    ("oct", "okt", "ott", "out"),
    ("nov",),
    ("dec", "dez", "déc", "dic"),
)
NUMBER_OF = {name: number for number, names in enumerate(MONTHS, 1) for name in names}
WRITTEN = linear.Pattern(
    r"(?i)\b(?:(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
    r"|(\d{1,2})(?:st|nd|rd|th|\.|º)?\s+(?:of\s+|de\s+)?(\p{L}{3,10})\.?,?\s+(?:de\s+)?(\d{4})"
    r"|(\p{L}{3,10})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})"
    r"|(\d{1,2})[./](\d{1,2})[./](\d{4})|(\d{4})/(\d{1,2})/(\d{1,2}))\b"
)


def found(text: str, *, month_first: bool = False) -> Iterator[tuple[int, int, date]]:
    """Each date of a text with where it starts and ends; of 3/5/2021 the day comes first unless `month_first`.

    >>> [str(day) for _, _, day in found("Born on May 3, 2021, baptised 4 June 2021")]
    ['2021-05-03', '2021-06-04']
    >>> [str(day) for _, _, day in found("2025-07-24T00:00:00Z")]
    ['2025-07-24']
    """
    for match in WRITTEN.finditer(text):
        parts = [match[number] for number in range(1, 16)]
        year, month, day = _parts(parts, month_first=month_first)
        try:
            yield match.start(), match.end(), date(int(year), month, int(day))
        except ValueError:
            continue


def _parts(parts: Sequence[str | None], *, month_first: bool) -> tuple[str, int, str]:
    """Year, month and day as one of the ways of writing has them; month 0 for a word that is none."""
    groups = [tuple(part or "" for part in parts[start : start + 3]) for start in range(0, 15, 3)]
    iso, day_month, month_day, signs, slashes = groups
    if iso[0] or slashes[0]:
        year, month, day = iso if iso[0] else slashes
        return year, int(month), day
    if day_month[0]:
        return day_month[2], _month(day_month[1]), day_month[0]
    if month_day[0]:
        return month_day[2], _month(month_day[0]), month_day[1]
    first, second, year = signs
    is_month_first = int(second) > len(MONTHS) or (month_first and int(first) <= len(MONTHS))
    return (year, int(first), second) if is_month_first else (year, int(second), first)


def _month(word: str) -> int:
    word = word.casefold()
    return NUMBER_OF.get(word[:4]) or NUMBER_OF.get(word[:3], 0)
