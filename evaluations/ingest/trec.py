"""Reads the files of TREC: runs (`qid Q0 docid rank score tag`) and judgements (`qid 0 docid grade`), by query."""

from collections.abc import Sequence

from evaluations.numerals import is_number
from evaluations.values import JSON

from .batch import Row

SUFFIXES = (".trec", ".run", ".qrels", ".res")
RUN, JUDGEMENTS = 6, 4  # fields
KEY, RANKED, RELEVANT, TAG = "id", "output", "reference", "model"
QUERY, UNNAMED = "query", {"column_1", "column_2"}


def rows(content: bytes) -> list[Row]:
    """A row for each query: its ranked documents and the tag of the run, or the grades of its documents.

    No rows if the text is neither. Documents are ranked by their score, as trec_eval does, and then as they stand.

    >>> rows(b"q1 Q0 d7 1 3.5 bm25\\nq1 Q0 d2 2 4.5 bm25\\n")
    [{'id': 'q1', 'output': ['d2', 'd7'], 'model': 'bm25'}]
    >>> rows(b"q1 0 d7 2\\nq1 0 d2 -1\\n"), rows(b"a text of four words\\n")
    ([{'id': 'q1', 'reference': {'d7': 2, 'd2': 0}}], [])
    """
    lines = [line.split() for line in content.decode("utf-8", "replace").splitlines() if line.strip()]
    if not lines or len({*map(len, lines)}) > 1:
        return []
    if len(lines[0]) == RUN and all(map(_is_ranked, lines)):
        return _ranked(lines)
    if len(lines[0]) == JUDGEMENTS and all(map(_is_judged, lines)):
        return _judged(lines)
    return []


def named(rows_of_queries: Sequence[Row]) -> Sequence[Row]:
    """Rows of a list of queries without names of columns, with those that runs have; any others as they are."""
    if any(row.keys() != UNNAMED for row in rows_of_queries):
        return rows_of_queries
    return [dict(zip((KEY, QUERY), row.values(), strict=True)) for row in rows_of_queries]


def _is_ranked(cells: Sequence[str]) -> bool:
    return cells[1].upper() in ("Q0", "0") and cells[3].isdecimal() and is_number(cells[4])


def _is_judged(cells: Sequence[str]) -> bool:
    return (cells[1].isdecimal() or cells[1].upper() == "Q0") and cells[3].removeprefix("-").isdecimal()


def _ranked(lines: Sequence[Sequence[str]]) -> list[Row]:
    found = dict[str, list[tuple[float, str]]]()
    for query, _, document, _, score, _ in lines:
        found.setdefault(query, []).append((-float(score), document))
    tags = {query: tag for query, *_, tag in lines}
    return [
        {KEY: query, RANKED: [document for _, document in sorted(one, key=_score)], TAG: tags[query]}
        for query, one in found.items()
    ]


def _score(ranked: tuple[float, str]) -> float:
    return ranked[0]


def _judged(lines: Sequence[Sequence[str]]) -> list[Row]:
    found = dict[str, dict[str, JSON]]()
    for query, _, document, grade in lines:
        found.setdefault(query, {})[document] = max(int(grade), 0)
    return [{KEY: query, RELEVANT: grades} for query, grades in found.items()]
