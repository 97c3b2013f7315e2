"""Detects the delimiter of a CSV file by a vote of its first records.

`csv.Sniffer` mistakes the spaces of prose for delimiters. Here a delimiter wins if it occurs in the header, and the
most records, with quotes respected, have as many cells as the header.
"""

import csv
import io
from itertools import islice

from evaluations.files.formats import DELIMITERS
from evaluations.linear import SPACE, Pattern

RECORDS = 50
_SEP_LINE = Pattern(rf'[{SPACE}]*"?sep=([,;\t|])"?\r?\n?', ignore_case=True)


def vote(head: str, default: str = ",") -> str:
    """The delimiter. `head` are the first whole lines of the file; `default` is for files of one column, and for ties.

    >>> vote("a;b\\n1,5;2\\n"), vote("1\\tNow, or when?\\n2\\tHere, or where?\\n", "\\t")
    (';', '\\t')
    """
    scores = {delimiter: _score(head, delimiter) for delimiter in DELIMITERS}
    best = max(scores, key=lambda delimiter: (scores[delimiter], delimiter == default))
    return best if scores[best] > (0, 0) else default


def _score(head: str, delimiter: str) -> tuple[float, int]:
    """The sort key of a delimiter: share of records as wide as the header, then its width; (0, 0) for one column."""
    counts = []
    reader = csv.reader(io.StringIO(head, newline=""), delimiter=delimiter, strict=True)
    try:
        for cells in islice(filter(None, reader), RECORDS):
            counts.append(len(cells))
    except csv.Error:
        # Records before an invalid quote, or before the end of the sample, still count.
        pass
    if not counts or counts[0] < 2:
        return (0, 0)
    return counts.count(counts[0]) / len(counts), counts[0]


def sep_line(head: str) -> str | None:
    """The delimiter named in Excel's first line `sep=;`; None without such a line."""
    match = _SEP_LINE.match(head.partition("\n")[0])
    return match[1] if match else None
