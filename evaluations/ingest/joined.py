"""Joins tables that a benchmark or a script wrote as several files: examples, right answers, outputs of each variant.

Tables of the same columns are those of variants, if they have the same examples, else parts of one table. The others
are joined by the column that names the examples. The outcome has a row for each variant and example.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from evaluations.files.problems import FileError
from evaluations.linear import Pattern
from evaluations.numerals import grouped

from .batch import Row
from .known_names import INPUTS, OUTPUTS, REFERENCES, TELL_APART
from .role_words import INPUT_WORDS, PREDICTED, REFERENCE_WORDS
from .suggest import plain, roles

ALIKE = 0.6  # of the columns of two tables of the same kind, those that both have
COMMON = 0.5  # of the names of examples, those that two tables of the same examples have in common at least
WHOLE = 0.8  # of the rows of a variant, those of which a further table must say something
UNIQUE = 0.95  # of the values in a column of names, those that are different
EXACT = ("answer_key", "answers", "labels", "solutions", "targets")
DATA = {"corpus", "data", "dataset", "dev", "examples", "inputs", "prompts", "questions", "test", "train", "val"}
GENERIC = PREDICTED | OUTPUTS | {"answers", "eval", "generations", "outputs", "predictions", "preds", "responses"}
GENERIC |= {"result", "results", "run", "samples", "scores"}
_SEPARATOR = Pattern(r"[_\s-]+")
_WORD = Pattern(r"[^\p{L}\p{N}]+")
Key = str


@dataclass(frozen=True)
class Table:
    """The rows of one file, or of several that belong together; `path` is the one in the archive, without a suffix."""

    path: str
    rows: Sequence[Row]
    variant: str = ""
    columns: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        names = dict.fromkeys(name for row in self.rows for name in row)
        object.__setattr__(self, "columns", tuple(names))

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


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
    variants, others = list[list[Table]](), list[Table]()
    for group in _alike(tables):
        found = _variants(group)
        if len(found) > 1:
            variants.append(found)
        else:
            others += found
    variants.sort(key=lambda group: (-_is_of_outputs(group), -sum(len(table.rows) for table in group)))
    told = list[str]()
    if not variants:
        return _side_by_side(others, told)
    base = _side_by_side(others, told) if others else Joined([], told)
    return _with_variants(base, variants[0], variants[1:])


# ---- tables of the same kind ------------------------------------------------------------------------------------


def _alike(tables: Sequence[Table]) -> list[list[Table]]:
    """The tables in groups of mostly the same columns; one that is named as examples or right answers is alone."""
    groups = list[list[Table]]()
    for table in tables:
        group = next((one for one in groups if _are_alike(one[0], table)), None)
        if group is None:
            groups.append([table])
        else:
            group.append(table)
    return groups


def _are_alike(one: Table, other: Table) -> bool:
    first, second = {*one.columns}, {*other.columns}
    share = len(first & second) / max(len(first | second), 1)
    return share >= ALIKE and _is_named_as_data(one) == _is_named_as_data(other)


def _is_named_as_data(table: Table) -> bool:
    """Whether the file is named after what is asked or right: "gold.csv", "src.txt", "possible_answer/simple.json".

    >>> [_is_named_as_data(Table(name, [])) for name in ("gold", "data/ref.de", "predictions_gold-mt", "answers_gpt-4o")]
    [True, True, False, False]
    """
    words = {*_words(table.path)}
    if words & {*map(plain, GENERIC)}:
        return False
    return bool(words & (REFERENCE_WORDS | REFERENCES | DATA | {"source", "src"})) or plain(table.name) in EXACT


def _words(path: str) -> Iterator[str]:
    return filter(None, _WORD.split(path.casefold()))


def _is_of_outputs(group: Sequence[Table]) -> bool:
    return "output" in roles(group[0].columns).values()


def _variants(group: Sequence[Table]) -> list[Table]:
    """The tables of a group, one for each variant, with its name; a single one if they are parts of one table."""
    if len(group) == 1:
        return [*group]
    key = _key_of(group)
    if key is None:
        return [_stacked(group, _names(group))]
    places = [_places(table.path) for table in group]
    if len({*map(len, places)}) == 1:
        for place in range(len(places[0])):
            parts = dict[str, list[Table]]()
            for table, at in zip(group, places, strict=True):
                parts.setdefault(at[place], []).append(table)
            if len(parts) > 1 and _tell_apart([*parts.values()], key):
                named = zip(_short(parts), parts.values(), strict=True)
                return [replace(_stacked(part, _names(part)), variant=name) for name, part in named]
    return [replace(table, variant=name) for table, name in zip(group, _names(group), strict=True)]


def _places(path: str) -> list[str]:
    """The folders of a path, and the words of its name: what may tell variants apart."""
    *folders, name = path.split("/")
    return [*folders, *name.split("_")]


def _tell_apart(parts: Sequence[Sequence[Table]], key: str) -> bool:
    """Whether each part has each example once, and all have the same ones: such are parts of one variant each."""
    sets = list[set[Key]]()
    for tables in parts:
        keys = [_keys(table, key) for table in tables]
        every = set[Key]().union(*keys)
        if len(every) < UNIQUE * sum(map(len, keys)):
            return False
        sets.append(every)
    return all(_share(one, sets[0]) >= COMMON for one in sets[1:])


def _key_of(group: Sequence[Table]) -> str | None:
    """The column by which the tables name the same examples; None if they have no examples in common."""
    shared = [name for name in group[0].columns if all(name in table.columns for table in group)]
    found = [(_commonness(group, name), -place, name) for place, name in enumerate(shared)]
    share, _, name = max(found, default=(0.0, 0, ""))
    return name if share >= COMMON else None


def _commonness(group: Sequence[Table], name: str) -> float:
    """The median share of a table's names of examples that some other table has; 0 if it does not name them."""
    keys = [_keys(table, name) for table in group]
    if any(not _are_names(table, one) for table, one in zip(group, keys, strict=True)):
        return 0.0
    count = Counter(chain.from_iterable(keys))
    shares = sorted(sum(count[key] > 1 for key in one) / len(one) for one in keys)
    return shares[len(shares) // 2]


def _are_names(table: Table, keys: set[Key]) -> bool:
    return bool(keys) and len(keys) >= UNIQUE * len(table.rows) * COMMON


def _keys(table: Table, name: str) -> set[Key]:
    return {_key(row[name]) for row in table.rows if row.get(name) not in (None, "")}


def _key(value: Any) -> Key:
    """What names an example, as text: a number in one file is a text in another."""
    return value if isinstance(value, str) else repr(value)


def _share(one: set[Key], other: set[Key]) -> float:
    return len(one & other) / max(min(len(one), len(other)), 1)


def _stacked(tables: Sequence[Table], names: Sequence[str]) -> Table:
    """The rows of parts of one table, with the part of each as its split."""
    if len(tables) == 1:
        return tables[0]
    column = "split" if all("split" not in table.columns for table in tables) else "file"
    parts = zip(tables, names, strict=True)
    rows = [row | {column: name} for table, name in parts for row in table.rows]
    return Table(tables[0].path, rows)


# ---- names of variants ------------------------------------------------------------------------------------------


def _names(tables: Sequence[Table]) -> list[str]:
    """The names of variants by their paths: the folders that differ, else the part of the name that does.

    >>> _names([Table(name, []) for name in ("result/gpt-4o/simple", "result/llama/simple")])
    ['gpt-4o', 'llama']
    >>> _names([Table(name, []) for name in ("preds-gpt-4o", "preds-gpt-4.1")])
    ['gpt-4o', 'gpt-4.1']
    """
    folders = [table.path.split("/")[:-1] for table in tables]
    if len({*map(len, folders)}) == 1:
        differing = [place for place in zip(*folders, strict=True) if len({*place}) > 1]
        named = ["/".join(parts) for parts in zip(*differing, strict=True)]
        if len({*named}) == len(tables):
            return named
    names = _short([table.name for table in tables])
    return names if len({*names}) == len(tables) else [table.path for table in tables]


def _short(names: Any) -> list[str]:
    """Names without the words at both ends that all have."""
    return _without_ends(_without_ends([*names], "_", {*()}), "", GENERIC)


def _without_ends(names: list[str], separator: str, generic: set[str]) -> list[str]:
    """The names without common words at their ends: any between separators, or generic ones between signs."""
    split: Callable[[str], list[str]] = _SEPARATOR.split if not separator else lambda name: name.split(separator)
    words = [[word for word in split(name)] for name in names]
    for end in (0, -1):
        while all(len(one) > 1 for one in words) and len({one[end] for one in words}) == 1:
            if generic and words[0][end].casefold() not in generic:
                break
            names = [name[len(one[0]) + 1 :] if end == 0 else name[: -len(one[-1]) - 1] for name, one in zip(names, words, strict=True)]
            words = [one[1:] if end == 0 else one[:-1] for one in words]
    return names


# ---- joining ----------------------------------------------------------------------------------------------------


def _side_by_side(tables: Sequence[Table], told: list[str]) -> Joined:
    """The rows of the table of examples with the columns of the others that name the same ones."""
    first, *others = sorted(tables, key=lambda table: (-_has_inputs(table), -len(table.rows)))
    rows, columns = [Row(row) for row in first.rows], {*first.columns}
    for table in others:
        pair = _pair(Table(first.path, rows), table)
        by_key = _by_key(table, pair[1]) if pair else {}
        if pair is None or sum(_key(row.get(pair[0])) in by_key for row in rows) < COMMON * len(rows):
            told.append(f"Not read: “{table.path[-120:]}”, which does not name most of the examples.")
            continue
        names = _free_names(table, pair[1], columns)
        columns |= {*names.values()}
        for row in rows:
            beside = by_key.get(_key(row.get(pair[0])), {})
            row |= {names[name]: value for name, value in beside.items() if name != pair[1]}
    if others and len(told) >= len(others):
        raise FileError(
            "compressed_file",
            f"The archive has {grouped(len(tables))} tables, and no column names the same examples in two of them.",
        )
    return Joined(rows, told)


def _by_key(table: Table, name: str) -> dict[Key, Row]:
    """The rows by what names their example; the first of several."""
    return {_key(row[name]): row for row in reversed(table.rows) if row.get(name) is not None}


def _has_inputs(table: Table) -> bool:
    found = {*roles(table.columns).values()}
    return "inputs" in found or bool({*map(plain, table.columns)} & (INPUTS | INPUT_WORDS))


def _free_names(table: Table, key: str, taken: set[str]) -> dict[str, str]:
    """The columns of a table under names that are free; the only one beside the key of a taken name is the table's."""
    names = [name for name in table.columns if name != key]
    if len(names) == 1 and names[0] in taken:
        return {names[0]: table.name}
    return {name: f"{table.name} {name}" if name in taken else name for name in names}


def _pair(one: Table, other: Table) -> tuple[str, str] | None:
    """The columns by which two tables name the same examples, each once in the first; None if there are none."""
    first = {name: keys for name in one.columns if len(keys := _keys(one, name)) >= UNIQUE * len(one.rows)}
    best, found = COMMON, None
    for name in other.columns:
        keys = _keys(other, name)
        for column, known in first.items():
            share = len(keys & known) / max(len(keys), 1)
            is_better = share > best or (share == best and found is None)
            if len(keys) > 1 and is_better and (len(keys) >= COMMON * len(other.rows) or name == column):
                best, found = share, (column, name)
    return found


def _with_variants(base: Joined, group: Sequence[Table], more: Sequence[Sequence[Table]]) -> Joined:
    """A row for each variant and example, with what the base says of the example."""
    told = [*base.told]
    every = Table("", [row for table in group for row in table.rows])
    data = Table("", base.rows)
    pair = _pair(data, every) if base.rows else None
    if base.rows and pair is None:
        told.append("Not read: the other files, because they do not name the same examples as the outputs.")
    known = {_key(row[pair[0]]): row for row in base.rows if row.get(pair[0]) is not None} if pair else {}
    renamed = _renamed(data, every, pair, known)
    column = next((name for name in every.columns if _tells(name, group)), None)
    naming = "" if column else next(name for name in ("model", "variant", "file") if name not in every.columns)
    extra = [_beside(group, tables, told) for tables in more]
    rows, seen = list[Row](), set[Key]()
    for number, table in enumerate(group):
        for place, row in enumerate(table.rows):
            example = known.get(_key(row.get(pair[1]))) if pair else None
            if pair and example is not None:
                seen.add(_key(row[pair[1]]))
            whole = {renamed.get(name, name): value for name, value in (example or {}).items()} | row
            for found in extra:
                whole |= found(number, place)
            rows.append(Row(whole | ({naming: table.variant} if naming else {})))
    if without := len(known) - len(seen):
        told.append(f"Not read: {grouped(without)} examples for which no file has an output.")
    how = f"“{naming}”, after the files" if naming else f"“{column}”"
    joint = f" “{pair[1]}” names the examples." if pair else ""
    return Joined(rows, [f"The variants are in the column {how}.{joint}", *told])


def _tells(name: str, group: Sequence[Table]) -> bool:
    """Whether a column already tells the tables apart, by one name for each."""
    if plain(name) not in TELL_APART:
        return False
    values = [{_key(row.get(name)) for row in table.rows} for table in group]
    return all(len(one) == 1 for one in values) and len(set[str]().union(*values)) == len(group)


def _renamed(
    data: Table, every: Table, pair: tuple[str, str] | None, known: Mapping[Key, Row]
) -> dict[str, str]:
    """New names for columns of the base that the outputs' tables have too, with other contents."""
    if pair is None:
        return {}
    shared = [name for name in data.columns if name in every.columns and name != pair[1]]
    new = dict[str, str]()
    for name in shared:
        examples = ((known.get(_key(row.get(pair[1]))), row) for row in every.rows)
        if any(example is not None and example.get(name) != row.get(name) for example, row in examples):
            new[name] = f"expected {name}"
    return new


def _beside(
    group: Sequence[Table], tables: Sequence[Table], told: list[str]
) -> Callable[[int, int], Mapping[str, Any]]:
    """What further tables of the same variants say of each row, as a function of the variant and the row."""
    by_name = {table.variant: table for table in tables}
    matched = [by_name.get(table.variant) for table in group]
    found = list[dict[Key, Row]]()
    key = _key_of([table for table in (*group, *filter(None, matched))])
    for table, beside in zip(group, matched, strict=True):
        rows = {_key(row[key]): row for row in beside.rows if row.get(key) is not None} if key and beside else {}
        if len(rows) < WHOLE * len(table.rows):
            names = ", ".join(f"“{one.path[-120:]}”" for one in tables[:3])
            told.append(f"Not read: {names}, with a part of the examples.")
            return lambda number, place: {}
        found.append(rows)
    return lambda number, place: {
        name: value
        for name, value in found[number].get(_key(group[number].rows[place].get(key or "")), {}).items()
        if name not in group[number].columns
    }
