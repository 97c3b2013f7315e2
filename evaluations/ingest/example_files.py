"""Files with the text or the object of one example each: gt/line_7.gt.txt beside kraken/line_7.txt, or receipt_7.json.

The files of a folder, of one ending in a folder, or of one name in folders for each example, are what one system says.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from statistics import median
from typing import Any, NamedTuple

from evaluations import strict_json
from evaluations.files.text import clean_json
from evaluations.linear import Pattern
from evaluations.numerals import grouped

from . import tagged, trec
from .file_names import is_named_as_data
from .file_tables import Table
from .line_files import ASKED, OF_REFERENCES, OUTPUT, REFERENCE, SOURCE

FEWEST = 5  # examples
MOST_SETS = 30
COMMON = 0.5  # share of the examples of a set that another one must have, too
SHOWN, SHOWN_SETS = 80, 4  # characters of a name; sets
MANY = 50  # files of a set that are hardly texts with a line for each example
_WORDS = Pattern(r"[^\p{L}\p{N}]+")


class Place(NamedTuple):
    """Whose file it is, and of which example."""

    of: str
    example: str


def places(paths: Sequence[str]) -> dict[str, Place]:
    """The files of one example each, as their paths say; {} where no two sets of files have examples in common.

    >>> names = [f"ocr/{of}" for of in ("gt/{}.gt.txt", "kraken/{}.txt", "README.txt")]
    >>> found = places([name.format(n) for name in names for n in range(5)])
    >>> len(found), found["ocr/gt/3.gt.txt"], found["ocr/kraken/3.txt"]
    (10, Place(of='gt', example='3'), Place(of='kraken', example='3'))
    >>> places([f"page{n}/{of}.txt" for of in ("truth", "small") for n in range(5)])["page4/small.txt"]
    Place(of='small', example='page4')
    >>> places([f"{of}/newstest{n}.txt" for of in ("ref", "small") for n in range(4)])
    {}
    """
    listed = [*dict.fromkeys(paths)]
    ends = Counter((*PurePosixPath(path).parts[:-1], *PurePosixPath(path).suffixes[-2:]) for path in listed)

    folders = Counter(PurePosixPath(path).parent for path in listed)

    def by_folder(path: str) -> Place:
        own = PurePosixPath(path)
        last = own.suffixes[-2:]
        count = ends[(*own.parts[:-1], *last)]
        is_shared = len(last) == 2 and count >= FEWEST
        is_alone = count * 2 > folders[own.parent]
        end = "".join(last) if is_shared else own.suffix
        return Place(
            f"{own.parent}/{last[0][1:] if is_shared and not is_alone else ''}", own.name.removesuffix(end)
        )

    def by_name(path: str) -> Place:
        own = PurePosixPath(path)
        return Place(own.stem, str(own.parent))

    for reading in (by_folder, by_name):
        if found := _common(listed, reading):
            return found
    return {}


def _common(paths: Sequence[str], reading: Callable[[str], Place]) -> dict[str, Place]:
    """The files of sets with mostly the same examples, with the parts of names that tell the sets apart."""
    read = {path: reading(path) for path in paths}
    sets = defaultdict[str, dict[str, str]](dict)
    for path, place in read.items():
        sets[place.of].setdefault(place.example, path)
    sizes = Counter(example for of_set in sets.values() for example in of_set)
    shared = {
        of: of_set
        for of, of_set in sets.items()
        if (several := sum(sizes[example] > 1 for example in of_set)) >= FEWEST
        and several >= COMMON * len(of_set)
    }
    if not 1 < len(shared) <= MOST_SETS:
        return {}
    short = dict(zip(shared, _apart([*shared]), strict=True))
    examples = [*dict.fromkeys(example for of_set in shared.values() for example in of_set)]
    parents = dict(zip(examples, _apart(examples), strict=True))
    return {
        path: Place(short[of], parents[example])
        for of, of_set in shared.items()
        for example, path in of_set.items()
    }


def _apart(names: Sequence[str]) -> list[str]:
    """Names of folders without what all have at their beginning.

    >>> _apart(["x/gt/", "x/kraken/"]), _apart(["lines/gt", "lines/pred"]), _apart(["a", "a/b"])
    (['gt', 'kraken'], ['gt', 'pred'], ['a', 'a/b'])
    """
    parts = [[part for part in name.split("/") if part not in ("", ".")] for name in names]
    while all(len(part) > 1 for part in parts) and len({part[0] for part in parts}) == 1:
        parts = [part[1:] for part in parts]
    return ["/".join(part) for part in parts]


def tables(contents: Mapping[str, bytes]) -> tuple[list[Table], set[str]]:
    """A table for each set of files, and the paths of these files; none if they hold lists, tables or many lines."""
    found = places([*contents])
    sets = defaultdict[str, dict[str, Any]](dict)
    for path, place in found.items():
        said = _said(contents[path])
        if said is None:
            return [], set()
        sets[place.of][place.example] = said
    if not sets or _have_lines(sets) or not _say_much(sets):
        return [], set()
    columns = _columns([*sets])
    return [
        Table(of, [{"id": example, columns[of]: said} for example, said in of_set.items()])
        for of, of_set in sets.items()
    ], {*found}


def told(of_examples: Sequence[Table]) -> list[str]:
    """A sentence about these tables; none without any."""
    listed = ", ".join(
        f"{grouped(len(table.rows))} of “{table.path[:SHOWN]}”" for table in of_examples[:SHOWN_SETS]
    )
    more = f" and {len(of_examples) - SHOWN_SETS} more" if len(of_examples) > SHOWN_SETS else ""
    return [f"Each file is what one says of one example: {listed}{more}."] if of_examples else []


def _said(content: bytes) -> Any:
    """The object in a file, or its text; None if it is something else: a list, several lines of JSON, or a table."""
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n").strip(" \n\r\f")
    except UnicodeDecodeError:
        return None
    if text[:1] not in ("{", "["):
        return None if tagged.is_begun(content) or trec.rows(content) else text
    try:
        value = strict_json.parse(text.encode())
    except strict_json.JSONError:
        return None
    are_plain = isinstance(value, dict) and not any(
        isinstance(one, list) and one and isinstance(one[0], dict) for one in value.values()
    )
    return clean_json(value) if are_plain else None


def _have_lines(sets: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether files are texts of several lines each, as many in all sets: a line is an example, as in test sets."""
    counts = {
        of: {example: said.count("\n") + 1 for example, said in of_set.items() if isinstance(said, str)}
        for of, of_set in sets.items()
    }
    every = [count for of_set in counts.values() for count in of_set.values()]
    if not every or median(every) <= 1 or min(map(len, counts.values())) >= MANY:
        return False
    first, *others = counts.values()
    pairs = [
        (count, of_set[example]) for of_set in others for example, count in first.items() if example in of_set
    ]
    return all(one == other for one, other in pairs)


def _say_much(sets: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether sets say different things of different examples, and are all texts or all objects."""
    are_objects = {isinstance(said, dict) for of_set in sets.values() for said in of_set.values()}
    return len(are_objects) == 1 and any(len({*map(repr, of_set.values())}) > 1 for of_set in sets.values())


def _columns(names: Sequence[str]) -> dict[str, str]:
    """The columns of sets: what is right, asked, or said by one system."""
    words = {name: {*_WORDS.split(name.casefold())} for name in names}
    right = [name for name in names if words[name] & OF_REFERENCES or is_named_as_data(name)]
    asked = [name for name in names if words[name] & ASKED]
    right = [name for name in right if name not in asked]
    if len(asked) + len(right) == len(names):
        return dict.fromkeys(names, OUTPUT)
    numbered = [REFERENCE] if len(right) == 1 else [f"{REFERENCE}_{n}" for n in range(1, len(right) + 1)]
    others = {name: SOURCE if name in asked else OUTPUT for name in names}
    return others | dict(zip(right, numbered, strict=True))
