"""Reads the files of TREC: runs (`qid Q0 docid rank score tag`) and judgements (`qid 0 docid grade`), by query.

Runs of MS MARCO have three fields: `qid docid rank`.
"""

from collections.abc import Collection, Sequence

from evaluations.numerals import is_integer, is_number
from evaluations.values import JSON

from .batch import Row
from .file_tables import as_key

SUFFIXES = (".trec", ".run", ".qrels", ".res")
RUN, JUDGEMENTS, BEIR, SHORT_RUN = 6, 4, 3, 3  # fields
HALF, SOME = 0.5, 0.1  # shares of rows that name queries or documents of runs
KEY, RANKED, RELEVANT, TAG = "id", "output", "reference", "model"
QUERY, UNNAMED = "query", ("column_1", "column_2")


def rows(content: bytes) -> list[Row]:
    """A row for each query: its ranked documents and the tag of the run, or the grades of its documents.

    No rows if the text is neither. Documents are ranked by their score, as trec_eval does, and then as they stand.

    >>> rows(b"q1 Q0 d7 1 3.5 bm25\\nq1 Q0 d2 2 4.5 bm25\\n")
    [{'id': 'q1', 'output': ['d2', 'd7'], 'model': 'bm25'}]
    >>> rows(b"q1 0 d7 2\\nq1 0 d2 -1\\n"), rows(b"a text of four words\\n")
    ([{'id': 'q1', 'reference': {'d7': 2, 'd2': 0}}], [])
    >>> rows(b"7 90 1\\n7 80 2\\n8 90 1\\n")
    [{'id': '7', 'output': ['90', '80']}, {'id': '8', 'output': ['90']}]
    """
    lines = [line.split() for line in content.decode("utf-8", "replace").splitlines() if line.strip()]
    if not lines or len({*map(len, lines)}) > 1:
        return []
    if len(lines[0]) == RUN and all(map(_is_ranked, lines)):
        return _ranked(lines)
    if len(lines[0]) == JUDGEMENTS and all(map(_is_judged, lines)):
        return _judged(lines)
    if len(lines[0]) == SHORT_RUN and _are_short_runs(lines):
        return _ranked([[query, "Q0", document, rank, f"-{rank}", ""] for query, document, rank in lines])
    return []


def named(rows_of_queries: Sequence[Row], queries: Collection[str] = ()) -> Sequence[Row]:
    """Rows of a list of queries without names of columns, with those that runs have; any others as they are.

    Of these, the first row may stand in place of the names.
    """
    first = [*rows_of_queries[0]]
    if len(first) == len(UNNAMED) and first[0] in queries:
        rows_of_queries = [dict(zip(UNNAMED, first, strict=True)), *rows_of_queries]
    elif any({*row} != {*UNNAMED} for row in rows_of_queries):
        return rows_of_queries
    return [dict(zip((KEY, QUERY), row.values(), strict=True)) for row in rows_of_queries]


def beside_runs(table: Sequence[Row], runs: Sequence[Sequence[Row]]) -> Sequence[Row]:
    """What a table says of the queries of runs: judgements as BEIR has them, `query-id corpus-id score`, by query.

    None of it if the table has the documents themselves; all other tables are as `named`.

    >>> runs = [[{"id": "q1", "output": ["d7", "d2"]}, {"id": "q2", "output": ["d5", "d7"]}]]
    >>> beside_runs([{"query-id": "q1", "corpus-id": "d2", "score": 1}], runs)
    [{'id': 'q1', 'reference': {'d2': 1}}]
    >>> beside_runs([{"_id": "d2", "text": "…"}, {"_id": "d5", "text": "…"}], runs)
    []
    """
    queries = {as_key(row[KEY]) for run in runs for row in run}
    documents = {as_key(document) for run in runs for row in run for document in _listed(row.get(RANKED))}
    names = {as_key(next(iter(row.values()), None)) for row in table}
    if len(names & documents) >= HALF * len(documents) and not names & queries:
        return []
    cells = [[as_key(cell) for cell in row.values()] for row in table]
    are_three = len(table[0]) == BEIR and all(len(one) == BEIR and is_integer(one[-1]) for one in cells)
    if are_three and _share(table, queries, 0) >= HALF and _share(table, documents, 1) >= SOME:
        return _judged([(query, "0", document, grade) for query, document, grade in cells])
    return named(table, queries)


def _listed(value: JSON) -> Sequence[JSON]:
    return value if isinstance(value, list) else ()


def _share(table: Sequence[Row], known: Collection[str], place: int) -> float:
    """The share of the rows that have one of these in the column at this place."""
    cells = [[*row.values()] for row in table]
    return sum(len(one) > place and as_key(one[place]) in known for one in cells) / len(cells)


def _is_ranked(cells: Sequence[str]) -> bool:
    return cells[1].upper() in ("Q0", "0") and cells[3].isdecimal() and is_number(cells[4])


def _are_short_runs(lines: Sequence[Sequence[str]]) -> bool:
    """Whether the last fields count the documents of each query from 1."""
    ranks = dict[str, list[str]]()
    for query, _, rank in lines:
        ranks.setdefault(query, []).append(rank)
    return all([*map(str, range(1, len(one) + 1))] == one for one in ranks.values()) and len(ranks) < len(
        lines
    )


def _is_judged(cells: Sequence[str]) -> bool:
    return (cells[1].isdecimal() or cells[1].upper() == "Q0") and cells[3].removeprefix("-").isdecimal()


def _ranked(lines: Sequence[Sequence[str]]) -> list[Row]:
    found = dict[str, list[tuple[float, str]]]()
    for query, _, document, _, score, _ in lines:
        found.setdefault(query, []).append((-float(score), document))
    tags = {query: tag for query, *_, tag in lines}
    ranked: list[Row] = []
    for query, one in found.items():
        row: Row = {KEY: query, RANKED: [document for _, document in sorted(one, key=_score)]}
        ranked.append(row | {TAG: tags[query]} if tags[query] else row)
    return ranked


def _score(ranked: tuple[float, str]) -> float:
    return ranked[0]


def _judged(lines: Sequence[Sequence[str]]) -> list[Row]:
    found = dict[str, dict[str, JSON]]()
    for query, _, document, grade in lines:
        found.setdefault(query, {})[document] = max(int(grade), 0)
    return [{KEY: query, RELEVANT: grades} for query, grades in found.items()]
