"""Advice where references are code, which no evaluator here runs: the same code, or similar letters."""

from collections.abc import Sequence
from itertools import cycle
from typing import Any

from evaluations import linear
from evaluations.mapping.reading import compile_steps
from evaluations.mapping.reasoning import split_reasoning
from evaluations.mapping.step import NotFound
from evaluations.metrics import patterns
from evaluations.values import JSON, text_of

SAME = 0.4  # share of outputs that must be the reference but for writing, so that this tells variants apart
CLASS = linear.Pattern(r"\\[dwsb]|\[[^\]]+\]|\(\?:|\.[*+]")
REPEATED = linear.Pattern(r"[*+?]|\{\d|^\^|\$$")
QUERIES = ("SELECT ", "WITH ", "INSERT ", "UPDATE ", "DELETE ")
QUERY_MARKS = (" FROM ", " SET ", " INTO ", " AS (")
# a text between fences, and one without any as it is, without a last semicolon
PERHAPS_FENCED = {
    "step": "pattern",
    "pattern": r"(?s)\A(?:.*?```[^\n]*\n)?(.*?);?\s*(?:```.*)?\z",
    "group": 1,
}
# a query at the beginning of a line or behind a colon, up to its semicolon or an empty line
QUERY = {
    "step": "pattern",
    "pattern": (
        r"(?is)(?:\A|[:\n`])\s*((?:select|with|insert\s+into|update|delete\s+from)\s[^;]*?)\s*"
        r"(?:;|\n\s*\n|```|\z)"
    ),
    "group": 1,
}
SOME = 0.05  # share of outputs with sentences around their query
QUOTES = {*"'\""}


def is_query(text: str) -> bool:
    """Whether a text is a query in SQL, with its words in capitals or all in small letters, and no sentence."""
    text = text.strip()
    if text.startswith(tuple(map(str.lower, QUERIES))) and not text.endswith((".", "!", "?")):
        text = text.upper()
    return text.startswith(QUERIES) and any(mark in text.replace("\n", " ") for mark in QUERY_MARKS)


def is_pattern(text: str) -> bool:
    r"""Whether a text is a regular expression.

    >>> [is_pattern(text) for text in (r"^a\d{3}$", "[A-Z]+-[0-9]{4}", "$5 [sic]", r"\frac{1}{2}")]
    [True, True, False, False]
    """
    text = text.strip()
    is_list = text.startswith(('["', "['", "[{", "[["))
    if " " in text or is_list or not (CLASS.search(text) and REPEATED.search(text)):
        return False
    try:
        patterns.compile(text)
    except patterns.PatternError:
        return False
    return True


def are_queries(references: Sequence[JSON]) -> bool:
    return sum(is_query(text_of(one) or "") for one in references) * 2 > len(references)


def as_written(references: Sequence[JSON], outputs: Sequence[JSON]) -> list[Any]:
    """The steps that leave code without what another hand writes otherwise: blanks, and letter case in queries.

    Where outputs have sentences around their queries, these are left out, too; so are quotes and brackets where only
    outputs have quotes, as queries of WikiSQL have none.
    """
    case = {"case": "fold"} if are_queries(references) else {}
    if case and _quoted(outputs) * 2 > len(outputs) and not _quoted(references):
        case["punctuation"] = "remove"
    plain, in_text = (
        [first, {"step": "normalize", "whitespace": "remove"} | case] for first in (PERHAPS_FENCED, QUERY)
    )
    if not case or _same(in_text, references, outputs) - _same(plain, references, outputs) <= SOME * len(
        outputs
    ):
        return plain
    return in_text


def same(references: Sequence[JSON], outputs: Sequence[JSON]) -> int:
    """How many outputs are the code of the reference beside them, but for writing."""
    return _same(as_written(references, outputs), references, outputs)


def _quoted(texts: Sequence[JSON]) -> int:
    return sum(not QUOTES.isdisjoint(text_of(text) or "") for text in texts)


def _same(steps: Sequence[Any], references: Sequence[JSON], outputs: Sequence[JSON]) -> int:
    read = compile_steps(steps).value

    def code(text: str) -> JSON:
        try:
            return read(text)
        except NotFound:
            return None

    known = [code(text_of(one) or "") for one in references]
    given = [code(split_reasoning(text_of(output) or "")[1]) for output in outputs]
    return sum(
        output is not None and output == right for output, right in zip(given, cycle(known), strict=False)
    )
