"""Which tables are of one kind, and which of these hold the outputs of variants: a file or a folder for each."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations

from .file_names import folder_of, is_id, is_named_as_data, names_of, places, shortened
from .file_tables import UNIQUE, Key, Table, as_key, key_pair, shared_key
from .suggest import roles

LINE = "line"  # the column of the number of a row
ALIKE = 0.6  # of the columns of two tables of the same kind, those that both have


def ask_the_same(group: Sequence[Table]) -> bool:
    """Whether two or more columns say the same of each example in all tables, and some do not.

    One of them may be the key, where it is what was asked.
    """
    key = shared_key(group) or ""
    first, *others = (table.by_key(key) for table in group)
    names = [name for name in group[0].columns if name != key]
    same = [
        all(
            first.get(example, {}).get(name) == row.get(name)
            for one in others
            for example, row in one.items()
        )
        for name in names
    ]
    is_asked = roles(group[0].columns).get(key) == "inputs"
    return sum(same) + is_asked > 1 and sum(same) < len(names)


def numbered(tables: Sequence[Table]) -> list[Table]:
    """The tables with the numbers of their rows, if all have as many and nothing in any names examples of another."""
    if len({len(table.rows) for table in tables}) > 1:
        return [*tables]
    with_keys = [table for table in tables if table.has_keys]
    if any(shared_key(pair) or key_pair(*pair) for pair in combinations(with_keys, 2)):
        return [*tables]
    numbers = [[{LINE: place} | row for place, row in enumerate(table.rows, 1)] for table in tables]
    return [replace(table, rows=rows) for table, rows in zip(tables, numbers, strict=True)]


def alike(tables: Sequence[Table]) -> list[list[Table]]:
    """The tables in groups of mostly the same columns; those named as examples or right answers are not variants."""
    groups = list[list[Table]]()
    for table in tables:
        group = next((one for one in groups if all(_are_alike(other, table) for other in one)), None)
        if group is None:
            groups.append([table])
        else:
            group.append(table)
    return groups


def _are_alike(one: Table, other: Table) -> bool:
    first, second = {*one.columns}, {*other.columns}
    share = len(first & second) / max(len(first | second), 1)
    if share < ALIKE or is_named_as_data(one.path) != is_named_as_data(other.path):
        return False
    # not the scores of a run beside its outputs
    are_of_one_run = folder_of(one.path) == folder_of(other.path) != ""
    return not are_of_one_run or is_of_outputs([one]) == is_of_outputs([other])


def is_of_outputs(group: Sequence[Table]) -> bool:
    return _have_outputs(tuple(group[0].columns))


@lru_cache(maxsize=200)  # tables of an archive, which are compared with each other
def _have_outputs(columns: tuple[str, ...]) -> bool:
    return "output" in roles(columns).values()


def of_variants(group: Sequence[Table]) -> list[Table]:
    """A table for each variant, with its name, if those of a group are the same examples; else none."""
    key = shared_key(group) if len(group) > 1 and not _are_copies(group) else None
    is_named = is_named_as_data(group[0].path) and not is_of_outputs(group)
    if key is None or (is_named and not ask_the_same(group)):
        return []
    asked = [name for name, role in roles(group[0].columns).items() if role == "inputs"]
    split = [places(table.path) for table in group]
    if len({*map(len, split)}) > 1:  # names of several words each
        split = [table.path.split("/") for table in group]
    if len({*map(len, split)}) == 1:
        for place in _named_first(split):
            parts = dict[str, list[Table]]()
            for table, at in zip(group, split, strict=True):
                parts.setdefault(at[place], []).append(table)
            if len(parts) > 1 and _tell_apart([*parts.values()], [key, *asked]):
                is_alone = len(parts) == len(split) and place >= group[0].path.count("/")
                names = shortened(_with_next_words(split, place) if is_alone else parts)
                named = zip(_whole(names, parts, place), parts.values(), strict=True)
                return [replace(stacked(part, key), variant=name) for name, part in named]
    names = names_of([table.path for table in group])
    return [replace(table, variant=name) for name, table in zip(names, group, strict=True)]


def _named_first(split: Sequence[Sequence[str]]) -> list[int]:
    """The places of words in names, those of times and ids last."""
    return sorted(range(len(split[0])), key=lambda place: all(is_id(at[place]) for at in split))


def _with_next_words(split: Sequence[Sequence[str]], place: int) -> list[str]:
    """The words at a place, with those behind it that differ between all names, too: "with_reranker"."""
    last = place
    while last + 1 < len(split[0]):
        words = {at[last + 1] for at in split}
        if len(words) < len(split) or any(map(is_id, words)):
            break
        last += 1
    return ["_".join(at[place : last + 1]) for at in split]


def _whole(names: Sequence[str], parts: Mapping[str, Sequence[Table]], place: int) -> Sequence[str]:
    """The names with the folder below, if each has one of its own that is no time or id: an organisation's model."""
    below = [
        {"/".join(folder_of(table.path).split("/")[place + 1 : place + 2]) for table in tables}
        for tables in parts.values()
    ]
    models = [one for folders in below for one in folders]
    are_own = len(models) == len(names) and len({*models}) == len(names)
    if not are_own or any(not one or is_id(one) for one in models) or {*models} == {*parts}:
        return names
    return [f"{name}/{model}" for name, model in zip(names, models, strict=True)]


def _are_copies(group: Sequence[Table]) -> bool:
    """Whether tables with inputs and right answers have the same rows, as examples in the folder of each run."""
    asks = {"inputs", "reference"} <= {*roles(group[0].columns).values()} and not is_of_outputs(group)
    return asks and len(group) > 1 and all(table.rows == group[0].rows for table in group[1:])


def data_of(group: Sequence[Table]) -> list[Table]:
    """The tables of a group without variants: parts of one table, or several about the same examples."""
    if _are_copies(group):
        return [group[0]]
    return [*group] if len(group) == 1 or shared_key(group) else [stacked(group)]


def _tell_apart(parts: Sequence[Sequence[Table]], names: Sequence[str]) -> bool:
    """Whether each part has each example once, as the outputs of one variant do.

    An example is what these columns say: keys may be counted anew in each file.
    """
    for tables in parts:
        keys = [{repr([as_key(row.get(name)) for name in names]) for row in table.rows} for table in tables]
        if len(set[Key]().union(*keys)) < UNIQUE * sum(map(len, keys)):
            return False
    return True


def stacked(tables: Sequence[Table], key: str = "") -> Table:
    """The rows of parts of one table, with the part of each as its split.

    Names of examples that occur in several parts get that of their part before them.
    """
    if len(tables) == 1:
        return tables[0]
    names = names_of([table.path for table in tables])
    keys = [table.keys(key) for table in tables] if key else []
    if len(set[Key]().union(*keys)) < sum(map(len, keys)):
        tables = [
            replace(table, rows=[row | {key: f"{name} {as_key(row.get(key))}"} for row in table.rows])
            for table, name in zip(tables, names, strict=True)
        ]
    column = next(name for name in ("split", "part", "file") if name not in tables[0].columns)
    parts = zip(tables, names, strict=True)
    return Table(tables[0].path, [row | {column: name} for table, name in parts for row in table.rows])
