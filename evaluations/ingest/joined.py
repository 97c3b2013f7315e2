"""Joins tables that a benchmark or a script wrote as several files: examples, right answers, outputs of each variant.

Tables of the same columns are those of variants, if they have the same examples, else parts of one table. The others
are joined by the column that names the examples. The outcome has a row for each variant and example.
"""

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain, combinations
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
LINE = "line"  # the column of the number of a row
SHOWN = 120  # characters of the end of a path
# names of files with the right answers, and words in names of files with the examples
RIGHT_ANSWERS = {
    "answer",
    "answer_key",
    "answers",
    "label",
    "labels",
    "solution",
    "solutions",
    "target",
    "targets",
}
DATA = {
    "corpus",
    "data",
    "dataset",
    "dev",
    "examples",
    "inputs",
    "prompts",
    "questions",
    "source",
    "src",
    "test",
}
DATA |= {"train", "val", "validation"}
# words in names of files and columns that all variants have
GENERIC = (
    PREDICTED | OUTPUTS | {"answers", "completions", "eval", "generations", "hyp", "outputs", "predictions"}
)
GENERIC |= {"preds", "responses", "result", "results", "run", "samples", "scores", "sys", "system"}
_UNDERSCORE = Pattern("_")
_SEPARATOR = Pattern(r"[_\s-]")
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
    for group in _alike(_numbered(tables)):
        if found := _variants(group):
            variants.append(found)
        else:
            others += _data(group)
    variants.sort(key=lambda group: (-_is_of_outputs(group), -sum(len(table.rows) for table in group)))
    base = _side_by_side(others, bool(variants)) if others else Joined([], [])
    return _with_variants(base, variants[0], variants[1:]) if variants else base


# ---- tables of the same kind ------------------------------------------------------------------------------------


def _numbered(tables: Sequence[Table]) -> list[Table]:
    """The tables with the numbers of their rows, if all have as many and nothing in any names examples of another."""
    if len({len(table.rows) for table in tables}) > 1:
        return [*tables]
    if any(_key_of(pair) or _pair(*pair) for pair in combinations(tables, 2)):
        return [*tables]
    numbers = [[{LINE: place} | row for place, row in enumerate(table.rows, 1)] for table in tables]
    return [replace(table, rows=rows) for table, rows in zip(tables, numbers, strict=True)]


def _alike(tables: Sequence[Table]) -> list[list[Table]]:
    """The tables in groups of mostly the same columns; those named as examples or right answers are not variants."""
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
    return share >= ALIKE and is_named_as_data(one.path) == is_named_as_data(other.path)


def is_named_as_data(path: str) -> bool:
    """Whether a file is named after what is asked or right: "gold.csv", "src.txt", "possible_answer/simple.json".

    >>> [is_named_as_data(name) for name in ("gold", "data/ref.de", "predictions_gold-mt", "answers_gpt-4o")]
    [True, True, False, False]
    """
    words = {*filter(None, _WORD.split(path.casefold()))}
    if words & GENERIC:
        return False
    return (
        bool(words & (REFERENCE_WORDS | REFERENCES | DATA)) or plain(path.rpartition("/")[2]) in RIGHT_ANSWERS
    )


def _is_of_outputs(group: Sequence[Table]) -> bool:
    return "output" in roles(group[0].columns).values()


def _variants(group: Sequence[Table]) -> list[Table]:
    """A table for each variant, with its name, if those of a group are the same examples; else none."""
    key = _key_of(group) if len(group) > 1 and not is_named_as_data(group[0].path) else None
    if key is None:
        return []
    asked = [name for name, role in roles(group[0].columns).items() if role == "inputs"]
    places = [_places(table.path) for table in group]
    if len({*map(len, places)}) == 1:
        for place in range(len(places[0])):
            parts = dict[str, list[Table]]()
            for table, at in zip(group, places, strict=True):
                parts.setdefault(at[place], []).append(table)
            if len(parts) > 1 and _tell_apart([*parts.values()], [key, *asked]):
                named = zip(_short(parts), parts.values(), strict=True)
                return [replace(_stacked(part, key), variant=name) for name, part in named]
    return [replace(table, variant=name) for table, name in zip(group, _names(group), strict=True)]


def _data(group: Sequence[Table]) -> list[Table]:
    """The tables of a group without variants: parts of one table, or several about the same examples."""
    return [*group] if len(group) == 1 or _key_of(group) else [_stacked(group)]


def _places(path: str) -> list[str]:
    """The folders of a path, and the words of its name: what may tell variants apart."""
    *folders, name = path.split("/")
    return [*folders, *name.split("_")]


def _tell_apart(parts: Sequence[Sequence[Table]], names: Sequence[str]) -> bool:
    """Whether each part has each example once, and all have the same ones: such are parts of one variant each.

    An example is what these columns say: keys may be counted anew in each file.
    """
    sets = list[set[Key]]()
    for tables in parts:
        keys = [{repr([_key(row.get(name)) for name in names]) for row in table.rows} for table in tables]
        every = set[Key]().union(*keys)
        if len(every) < UNIQUE * sum(map(len, keys)):
            return False
        sets.append(every)
    return all(_share(one, sets[0]) >= COMMON for one in sets[1:])


def _key_of(group: Sequence[Table]) -> str | None:
    """The column by which the tables name the same examples; None if they have no examples in common."""
    shared = [name for name in group[0].columns if all(name in table.columns for table in group)]
    parts = roles(shared)
    found = [
        (parts[name] == "key", share, -place, name)
        for place, name in enumerate(shared)
        if parts[name] != "output" and plain(name) not in GENERIC
        if (share := _commonness(group, name)) >= COMMON and _ask_the_same(group, name)
    ]
    return max(found)[-1] if found else None


def _commonness(group: Sequence[Table], name: str) -> float:
    """The median share of a table's names of examples that some other table has; 0 if it does not name them."""
    keys = [_keys(table, name) for table in group]
    if any(len(one) <= COMMON * len(table.rows) for table, one in zip(group, keys, strict=True)):
        return 0.0
    count = Counter(chain.from_iterable(keys))
    shares = sorted(sum(count[key] > 1 for key in one) / len(one) for one in keys)
    return shares[len(shares) // 2]


def _ask_the_same(group: Sequence[Table], key: str) -> bool:
    """Whether the first two tables ask mostly the same in the rows of one key, if they say what is asked."""
    asked = [name for name, role in roles(group[0].columns).items() if role == "inputs" and name != key]
    asked = [name for name in asked if name in group[1].columns]
    first, second = (_by_key(table, key) for table in group[:2])
    pairs = [(row, second[name]) for name, row in first.items() if name in second]
    same = sum(all(one.get(name) == other.get(name) for name in asked) for one, other in pairs)
    return same >= COMMON * len(pairs)


def _keys(table: Table, name: str) -> set[Key]:
    return {_key(row[name]) for row in table.rows if row.get(name) not in (None, "")}


def _key(value: Any) -> Key:
    """What names an example, as text: a number in one file is a text in another."""
    return value if isinstance(value, str) else repr(value)


def _by_key(table: Table, name: str) -> dict[Key, Row]:
    """The rows by what names their example; the first of several."""
    return {_key(row[name]): row for row in reversed(table.rows) if row.get(name) is not None}


def _share(one: set[Key], other: set[Key]) -> float:
    return len(one & other) / max(min(len(one), len(other)), 1)


def _stacked(tables: Sequence[Table], key: str = "") -> Table:
    """The rows of parts of one table, with the part of each as its split.

    Names of examples that occur in several parts get that of their part before them.
    """
    if len(tables) == 1:
        return tables[0]
    if key and len(set[Key]().union(*(_keys(table, key) for table in tables))) < sum(
        len(_keys(table, key)) for table in tables
    ):
        named = zip(tables, _names(tables), strict=True)
        tables = [
            replace(table, rows=[row | {key: f"{name} {_key(row.get(key))}"} for row in table.rows])
            for table, name in named
        ]
    column = next(name for name in ("split", "part", "file") if name not in tables[0].columns)
    parts = zip(tables, _names(tables), strict=True)
    return Table(tables[0].path, [row | {column: name} for table, name in parts for row in table.rows])


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


def _short(names: Iterable[str]) -> list[str]:
    """Names without what all have at both ends: any words between underscores, generic ones between other signs."""
    return _trimmed(_trimmed([*names], _UNDERSCORE, None), _SEPARATOR, GENERIC)


def _trimmed(names: list[str], separator: "Pattern[str]", words: Set[str] | None) -> list[str]:
    """The names without the words at both ends that all have, if they are among `words`."""
    for end in (0, -1):
        while len({separator.split(name)[end] for name in names}) == 1:
            word = separator.split(names[0])[end]
            if word in names or (words is not None and word.casefold() not in words):
                break
            names = [name[len(word) + 1 :] if end == 0 else name[: -len(word) - 1] for name in names]
    return names


# ---- joining ----------------------------------------------------------------------------------------------------


def _side_by_side(tables: Sequence[Table], may_be_alone: bool) -> Joined:
    """The rows of the table of examples with the columns of the others that name the same ones.

    Raises `FileError` if there are none, unless it `may_be_alone`.
    """
    first, *others = sorted(tables, key=lambda table: (-_has_inputs(table), -len(table.rows)))
    rows, taken, told, keys = [Row(row) for row in first.rows], {*first.columns}, list[str](), list[str]()
    for table in others:
        pair = _pair(Table(first.path, rows), table)
        by_key = _by_key(table, pair[1]) if pair else {}
        if pair is None or sum(_key(row.get(pair[0])) in by_key for row in rows) < COMMON * len(rows):
            told.append(f"Not read: “{table.path[-SHOWN:]}”, which does not name most of the examples.")
            continue
        keys.append(pair[1])
        names = _free_names(table, pair[1], taken)
        taken |= {*names.values()}
        for row in rows:
            beside = by_key.get(_key(row.get(pair[0])), {})
            row |= {new: beside[name] for name, new in names.items() if name in beside}
    if others and not keys and not may_be_alone:
        message = f"The {grouped(len(tables))} tables do not name the same examples in any column."
        raise FileError("compressed_file", message)
    return Joined(rows, [*chain.from_iterable(_named_by(key) for key in dict.fromkeys(keys)), *told])


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
    known = {name: keys for name in _naming(one) if len(keys := _keys(one, name)) >= UNIQUE * len(one.rows)}
    sent = {
        name: keys for name in _naming(other) if len(keys := _keys(other, name)) > COMMON * len(other.rows)
    }
    pairs = [
        (len(keys & known[column]) / len(keys), column == name, column, name)
        for name, keys in sent.items()
        for column in known
        if len(keys & known[column]) > COMMON * len(keys)
    ]
    best = max(pairs, key=lambda pair: pair[:2], default=None)
    return best and best[2:]


def _naming(table: Table) -> list[str]:
    """The columns that may name examples: none of answers."""
    return [
        name
        for name, role in roles(table.columns).items()
        if role not in ("output", "reference") and plain(name) not in GENERIC
    ]


def _with_variants(base: Joined, group: Sequence[Table], more: Sequence[Sequence[Table]]) -> Joined:
    """A row for each variant and example, with what the base says of the example."""
    told = [*base.told]
    for tables in more:
        group = _merged(group, tables, told)
    every = Table("", [row for table in group for row in table.rows])
    examples, key = _examples(Table("", base.rows), group) if base.rows else ({}, "")
    if base.rows and not key:
        told.append("Not read: the other files, because they do not name the same examples as the outputs.")
    if without := len(examples.keys() - _keys(every, key)):
        told.append(f"Not read: {grouped(without)} examples for which no file has an output.")
    column = next((name for name in every.columns if _tells_apart(name, group)), "")
    naming = column or next(name for name in ("model", "variant", "file") if name not in every.columns)
    rows = [
        ({key: row[key]} if key in row else {})
        | examples.get(_key(row.get(key)), {})
        | row
        | ({} if column else {naming: table.variant})
        for table in group
        for row in table.rows
    ]
    how = f"“{naming}” names the variants{'' if column else ', as folders or files do'}."
    return Joined(rows, [how, *_named_by(key), *told])


def _named_by(key: str) -> list[str]:
    if key == LINE:
        return ["The rows are joined in their order, because nothing names the examples."]
    return [f"“{key}” names the examples."] if key else []


def _tells_apart(name: str, group: Sequence[Table]) -> bool:
    """Whether a column names each of the tables already."""
    values = (
        [{_key(row.get(name)) for row in table.rows} for table in group] if plain(name) in TELL_APART else []
    )
    return all(len(one) == 1 for one in values) and len(set[str]().union(*values)) == len(group)


def _examples(data: Table, group: Sequence[Table]) -> tuple[dict[Key, Row], str]:
    """The examples by what names them in the tables of variants, and that column; none and "" if nothing does.

    A column that both have with other contents is the expected one in an example.
    """
    pair = _pair(data, max(group, key=lambda table: len(table.rows)))
    if pair is None:
        return {}, ""
    known = _by_key(data, pair[0])
    rows = [(known.get(_key(row.get(pair[1])), row), row) for table in group for row in table.rows]
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


def _merged(group: Sequence[Table], tables: Sequence[Table], told: list[str]) -> Sequence[Table]:
    """The tables with the columns of further ones of the same variants, if these say something of nearly all rows."""
    by_name = {table.variant: table for table in tables}
    merged = list[Table]()
    for table in group:
        key = _key_of([table, by_name[table.variant]]) if table.variant in by_name else None
        beside = _by_key(by_name[table.variant], key) if key else {}
        found = [beside.get(_key(row.get(key or "")), {}) for row in table.rows]
        if sum(map(bool, found)) < WHOLE * len(found):
            names = ", ".join(f"“{one.path[-SHOWN:]}”" for one in tables[:3])
            told.append(f"Not read: {names}, which say something of a part of the outputs only.")
            return group
        merged.append(replace(table, rows=[one | row for one, row in zip(found, table.rows, strict=True)]))
    return merged
