"""The roles that are proposed for values inside columns of flat objects, such as `$.expected.sum` as the reference."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from evaluations import jsonpath
from evaluations.imports.columns import column_paths
from evaluations.ingest import measures
from evaluations.ingest.column_names import words_of
from evaluations.ingest.role_words import LANGUAGES
from evaluations.ingest.suggest import plain
from evaluations.metrics import whole_words
from evaluations.reading.forms import form_of
from evaluations.values import JSON, text_of

Row = Mapping[str, Any]
MOST_INPUTS = 8  # values of an object that become columns of their own, by which prompts name them


class Inner(NamedTuple):
    """A value inside a column with its proposed role and name; the role is "leave out" where nothing is proposed."""

    path: str
    column: str
    role: str = "leave out"
    name: str = ""


def flat(columns: Iterable[str], rows: Sequence[Row]) -> list[str]:
    """The columns that hold objects of plain values, and nothing else.

    >>> flat(["a", "b", "c"], [{"a": {"x": 1}, "b": {"x": [1]}, "c": "text"}, {"a": None, "b": {}, "c": {}}])
    ['a']
    """
    return [name for name in columns if _are_flat([row.get(name) for row in rows])]


def _are_flat(cells: Sequence[JSON]) -> bool:
    present = [column_paths.opened(cell) for cell in cells if cell is not None]
    return any(present) and all(
        isinstance(cell, dict) and not any(isinstance(value, dict | list) for value in cell.values())
        for cell in present
    )


def proposed(roles: Mapping[str, str], outputs: Iterable[str], rows: Sequence[Row]) -> list[Inner]:
    """Every value inside flat objects: what belongs to metadata is metadata, a few of an input are inputs, a single one
    has its column's role.

    Of several values of a reference, the only one that outputs say is the answer; otherwise the object stays whole. Of
    texts in several languages the one in the words of the outputs is the answer, and the others are what is translated.
    """
    texts = [[_text(source, row) for source in outputs] for row in rows]
    found: list[Inner] = []
    for column in flat(
        (name for name, role in roles.items() if role in ("input", "reference", "metadata")), rows
    ):
        paths = column_paths.paths(column, rows)
        answers = [path for path in paths if _is_said(path, rows, texts)]
        is_spread = roles[column] == "metadata" or len(paths) <= MOST_INPUTS * (roles[column] == "input")
        taken = paths if is_spread or len(paths) == 1 else []
        if roles[column] == "reference":
            taken = answers if len(answers) == 1 else []
            if right := _translated(paths, rows, texts):
                found += [Inner(one, column, "reference" if one == right else "input") for one in paths]
                continue
        found += [Inner(path, column, roles[column] if path in taken else "leave out") for path in paths]
    names = [*roles, *(_last(inner.path) for inner in found)]
    return [
        inner._replace(name=_last(inner.path)) if names.count(_last(inner.path)) == 1 else inner
        for inner in found
    ]


def _translated(paths: Sequence[str], rows: Sequence[Row], texts: Sequence[Sequence[str]]) -> str:
    """The path of the language that outputs are in, of an object of texts by language; "" of any other object."""
    if len(paths) < 2 or not all(plain(_last(path)) in LANGUAGES for path in paths):
        return ""
    shares = {path: _share_said(path, rows, texts) for path in paths}
    return max(paths, key=shares.__getitem__) if any(shares.values()) else ""


def _share_said(path: str, rows: Sequence[Row], texts: Sequence[Sequence[str]]) -> float:
    """The share of the words of a value that the outputs of its row have, over all rows."""
    said = known = 0
    for row, of_row in zip(rows, texts, strict=True):
        words = _words(text_of(column_paths.example(path, [row])) or "")
        answered = {word for text in of_row for word in _words(text)}
        said, known = said + len(words & answered), known + len(words)
    return said / known if known else 0.0


def _words(text: str) -> set[str]:
    """The words of a text; of one without blanks, as Chinese has them, its letters."""
    return {*text.casefold().split()} if " " in text.strip() else {*text}


def with_measures(found: Sequence[Inner], rows: Sequence[Row]) -> list[Inner]:
    """The values inside metadata with what the only output of a row took, as `$.usage.prompt_tokens`, in its role."""
    kinds = {one.path: _kind(one, rows) for one in found if one.role == "metadata"}
    if measures.TOKENS_OUT in kinds.values():
        kinds = {path: kind for path, kind in kinds.items() if kind != measures.TOKENS}
    return [one._replace(role=kinds.get(one.path) or one.role) for one in found]


def _kind(one: Inner, rows: Sequence[Row]) -> str:
    """Which of the measures of answers it is; "" if it is none."""
    values = [value for row in rows if (value := column_paths.example(one.path, [row])) is not None]
    kind = measures.kind_of({*words_of(one.column), *words_of(_last(one.path))}, values)
    return kind if kind in measures.KINDS else ""


def _last(path: str) -> str:
    return f"{jsonpath.compile(path).prefix[-1]}"


def _text(source: str, row: Row) -> str:
    """What an output says in words; nothing for data, which has all fields of its reference."""
    value = (
        column_paths.example(source, [row])
        if source not in row and source.startswith("$")
        else row.get(source)
    )
    form = form_of(value)
    return "" if form.kind == "json" else form.text


def _is_said(path: str, rows: Sequence[Row], texts: Sequence[Sequence[str]]) -> bool:
    """Whether an output of most rows has the value as a word."""
    values = [text_of(column_paths.example(path, [row])) or "" for row in rows]
    said = [
        any(whole_words.has(text, value) for text in of_row)
        for value, of_row in zip(values, texts, strict=True)
        if value
    ]
    return sum(said) * 2 > len(rows)
