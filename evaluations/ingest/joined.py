"""Joins tables that a benchmark or a script wrote as several files: examples, right answers, outputs of each variant.

Tables of the same columns are those of variants, if they have the same examples, else parts of one table. The others
are joined by the column that names the examples. The outcome has a row for each variant and example.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from evaluations.files.problems import FileError
from evaluations.numerals import grouped, plural

from . import linked, rater_tables
from .alike_tables import LINE, alike, ask_the_same, data_of, is_of_outputs, numbered, of_variants
from .batch import Row
from .file_names import is_named_as_data, names_of
from .file_tables import COMMON, Key, Table, as_key, counting, key_pair, model_inside, shared_key
from .joint_names import with_joint_names
from .known_names import INPUTS, TELL_APART
from .odds import without_odds
from .own_columns import without_own_names
from .role_words import INPUT_WORDS
from .suggest import plain, roles

WHOLE = 0.8  # of the rows of a variant, those of which a further table must say something
SHOWN = 120  # characters of the end of a path
MOST_NAMED = 5  # tables in a message
AS_FILES, AS_ANSWERS = ", as folders, files or parts do", ", as answers do"
HOW = "Give the examples the same names in a column of each table, or upload the tables one by one."


@dataclass(frozen=True)
class Joined:
    """The rows, and sentences about what was joined and what was left out."""

    rows: list[Row]
    told: list[str]


def joined(tables: Sequence[Table]) -> Joined:
    """The rows of all tables that belong together; raises `FileError` if nothing joins them.

    >>> data = Table("questions", [{"id": n, "question": f"q{n}", "answer": f"a{n}"} for n in range(5)])
    >>> old, new = (Table(f"preds_{name}", [{"id": n, "pred": f"{name}{n}"} for n in range(5)]) for name in ("x", "y"))
    >>> found = joined([data, old, new])
    >>> found.rows[0], len(found.rows)
    ({'id': 0, 'question': 'q0', 'answer': 'a0', 'pred': 'x0', 'model': 'x'}, 10)
    """
    if of_database := linked.joined(tables):
        rows, named = of_database
        return Joined(rows, [f"{_and(named)} name the rows of the other tables."])
    tables, odds = without_odds(tables)
    variants, others = list[list[Table]](), list[Table]()
    for group in alike(numbered(with_joint_names(without_own_names(tables)))):
        if found := of_variants(group):
            variants.append(found)
        else:
            others += data_of(group)
    variants.sort(key=lambda group: (-is_of_outputs(group), -sum(len(table.rows) for table in group)))
    base = _side_by_side(others, bool(variants)) if others else Joined([], [])
    whole = _with_variants(base, variants[0], variants[1:]) if variants else base
    return replace(whole, told=[*whole.told, *odds])


def has_variants(tables: Sequence[Table]) -> bool:
    """Whether some of the tables hold outputs of variants to the same examples, as `joined` would read them.

    Their columns must say so, or another table must name the examples, or what is asked and right is the same in all:
    tables of two months may count from 1, too.
    """
    return any(
        is_of_outputs(group)
        or any(key_pair(table, group[0]) for table in tables if table not in group)
        or ask_the_same(group)
        for group in alike(without_own_names(tables))
        if of_variants(group)
    )


def _side_by_side(tables: Sequence[Table], may_be_alone: bool) -> Joined:
    """The rows of the table of examples with the columns of the others that name the same ones.

    Raises `FileError` if there are none, unless it `may_be_alone`.
    """
    first, *others = sorted(tables, key=lambda table: (-_has_inputs(table), -len(table.rows)))
    rows, taken, told, keys = [Row(row) for row in first.rows], {*first.columns}, list[str](), list[str]()
    for table in others:
        pair = key_pair(Table(first.path, rows), table)
        by_key = table.by_key(pair[1]) if pair else {}
        found = [by_key.get(as_key(row.get(pair[0]))) for row in rows] if pair else []
        if pair is None or len(found) - found.count(None) < COMMON * len(rows):
            told.append(f"Not read: {_quoted(table)}, which does not name most of the examples.")
            continue
        keys.append(pair[1])
        told += _unread(_quoted(table), len(table.rows) - _different(found))
        names = _free_names(table, pair[1], taken)
        names = {name: new for name, new in names.items() if not _is_repeated(name, taken, rows, found)}
        own, named = _named_apart(first, table, names)
        rows = [{own.get(name, name): value for name, value in row.items()} for row in rows]
        names |= named
        taken = {own.get(name, name) for name in taken} | {*names.values()}
        for row, beside in zip(rows, found, strict=True):
            row |= {new: beside[name] for name, new in names.items() if beside and name in beside}
    if others and not keys and not may_be_alone:
        message = f"The tables {_listed(tables)} do not name the same examples in any column."
        raise FileError("compressed_file", message, hint=HOW)
    return Joined(rows, [*chain.from_iterable(_named_by(key) for key in dict.fromkeys(keys)), *told])


def _different(rows: Sequence[Row | None]) -> int:
    """How many different rows these are; one that joins several is one."""
    return len({id(row) for row in rows if row})


def _unread(where: str, rows: int) -> list[str]:
    """A sentence about rows that join no others, or are further ones of one example; none if there are no such rows."""
    told = f"Not read: {plural(rows, 'row')} of {where}, whose examples are in no other file, or were named before."
    return [told] if rows else []


def _is_repeated(name: str, taken: set[str], rows: Sequence[Row], found: Sequence[Row | None]) -> bool:
    """Whether what a further table says of the examples in a column is there already."""
    pairs = zip(rows, found, strict=True)
    return name in taken and all(one is None or one.get(name) == row.get(name) for row, one in pairs)


def _and(names: Sequence[str]) -> str:
    return " and ".join(f"“{name[:SHOWN]}”" for name in names)


def _listed(tables: Sequence[Table]) -> str:
    """The names of the first tables, and how many more there are."""
    names, more = [*map(_quoted, tables[:MOST_NAMED])], len(tables) - MOST_NAMED
    last = f"{grouped(more)} more" if more > 0 else names.pop()
    return f"{', '.join(names)} and {last}"


def _quoted(table: Table) -> str:
    return f"“{table.path[-SHOWN:]}”"


def _has_inputs(table: Table) -> bool:
    found = {*roles(table.columns).values()}
    return "inputs" in found or bool({*map(plain, table.columns)} & (INPUTS | INPUT_WORDS))


def _free_names(table: Table, key: str, taken: set[str]) -> dict[str, str]:
    """The columns of a table under names that are free; the only one beside the key of a taken name is the table's."""
    names = [name for name in table.columns if name != key]
    if len(names) == 1 and names[0] in taken:
        return {names[0]: table.name}
    return {name: f"{table.name} {name}" if name in taken else name for name in names}


def _named_apart(first: Table, table: Table, names: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """New names for outputs that both tables have in a column of one name, by what sets their paths apart."""
    if is_named_as_data(first.path) != is_named_as_data(table.path):
        return {}, {}
    both = [name for name in names if name in first.columns and roles(first.columns)[name] == "output"]
    one, other = names_of([first.path, table.path])
    return {name: f"{one} {name}" for name in both}, {name: f"{other} {name}" for name in both}


def _with_variants(base: Joined, group: Sequence[Table], more: Sequence[Sequence[Table]]) -> Joined:
    """A row for each variant and example, with what the base says of the example."""
    told = [*base.told]
    for tables in more:
        group = _merged(group, tables, told)
    every = Table("", [row for table in group for row in table.rows])
    examples, key = _examples(Table("", base.rows), group) if base.rows else ({}, "")
    if base.rows and not key:
        told.append("Not read: the other files, because they do not name the same examples as the outputs.")
    elif unnamed := len(base.rows) - len(examples):
        told.append(f"Not read: {plural(unnamed, 'example')} without “{key}”, or with that of another.")
    if without := len(examples.keys() - every.keys(key)):
        told.append(f"Not read: {plural(without, 'example')} for which no file has an output.")
    column = next((name for name in every.columns if _tells_apart(name, group)), "")
    is_rated = rater_tables.are_of_raters(group)
    names = (rater_tables.RATER if is_rated else "model", "variant", "file")
    naming = column or next(name for name in names if name not in every.columns)
    models = [model_inside(table) for table in group]
    if is_said := all(models) and len({*models}) == len(models):
        group = [replace(table, variant=model) for table, model in zip(group, models, strict=True)]
    rows = [
        ({key: row[key]} if key in row else {})
        | examples.get(as_key(row.get(key)), {})
        | row
        | ({} if column else {naming: table.variant})
        for table in group
        for row in table.rows
    ]
    if is_rated:
        how = f"“{naming}” names who rated the answers."
        return Joined(rater_tables.answer_by_answer(rows, group), [how, *_named_by(key), *told])
    how = f"“{naming}” names the variants{'' if column else AS_ANSWERS if is_said else AS_FILES}."
    return Joined(rows, [how, *_named_by(key), *told])


def _named_by(key: str) -> list[str]:
    if key == LINE:
        return ["The rows are joined in their order, because nothing names the examples."]
    return [f"“{key}” names the examples."] if key else []


def _tells_apart(name: str, group: Sequence[Table]) -> bool:
    """Whether a column names each of the tables already."""
    values = (
        [{as_key(row.get(name)) for row in table.rows} for table in group]
        if plain(name) in TELL_APART
        else []
    )
    return all(len(one) == 1 for one in values) and len(set[str]().union(*values)) == len(group)


def _examples(data: Table, group: Sequence[Table]) -> tuple[dict[Key, Row], str]:
    """The examples by what names them in the tables of variants, and that column; none and "" if nothing does.

    A column that both have with other contents is the expected one in an example.
    """
    pair = key_pair(data, max(group, key=lambda table: len(table.rows)))
    if pair is None and (count := counting(group, len(data.rows))):
        name, first = count
        data = Table(data.path, [{name: number} | row for number, row in enumerate(data.rows, first)])
        pair = name, name
    if pair is None:
        return {}, ""
    known = data.by_key(pair[0])
    rows = [(known.get(as_key(row.get(pair[1])), row), row) for table in group for row in table.rows]
    both = [
        name for name in data.columns if name != pair[1] and any(name in table.columns for table in group)
    ]
    new = {
        name: f"expected {name}" for name in both if any(one.get(name) != row.get(name) for one, row in rows)
    }
    others = [name for name in data.columns if name != pair[0]]
    return {
        key: {new.get(name, name): example[name] for name in others if name in example}
        for key, example in known.items()
    }, pair[1]


def _keys(table: Table, other: Table) -> tuple[str, str]:
    """The columns by which two tables of a variant name the same examples; two empty texts if they do not."""
    key = shared_key([table, other])
    return (key, key) if key else key_pair(table, other) or ("", "")


def _without(row: Row, key: str, own: str) -> Row:
    """The row without what names its example, if the other table calls that otherwise."""
    return row if key == own else Row((name, value) for name, value in row.items() if name != key)


def _merged(group: Sequence[Table], tables: Sequence[Table], told: list[str]) -> Sequence[Table]:
    """The tables with the columns of further ones of the same variants, if these say something of nearly all rows."""
    by_name = {table.variant: table for table in tables}
    merged, used = list[Table](), 0
    for table in group:
        own, key = _keys(table, by_name[table.variant]) if table.variant in by_name else ("", "")
        beside = by_name[table.variant].by_key(key) if key else {}
        beside = {example: _without(row, key, own) for example, row in beside.items()}
        found = [beside.get(as_key(row.get(own)), {}) for row in table.rows]
        if sum(map(bool, found)) < WHOLE * len(found):
            names = ", ".join(map(_quoted, tables[:3]))
            told.append(f"Not read: {names}, which say something of a part of the outputs only.")
            return group
        used += _different(found)
        merged.append(replace(table, rows=[one | row for one, row in zip(found, table.rows, strict=True)]))
    told += _unread(_quoted(tables[0]), sum(len(table.rows) for table in tables) - used)
    return merged
