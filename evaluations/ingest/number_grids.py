"""Numbers that several systems estimate, a column for each of a few fields, beside those that were measured.

“Lab value kcal”, “Lab value Protein (g)”, “Calculator kcal”, “Calculator Protein (g)”, “Gemini kcal”, …: the first
field of each system is its output, because one experiment compares numbers of one unit.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from evaluations.linear import Pattern

from .graded_numbers import are_estimates
from .likely import has_numbers
from .looked_at import AGREEMENT, Columns, mean
from .role_words import MEASURED, REFERENCE_WORDS

FIELDS, GROUPS = 2, 3  # at least: what is right, and two systems
OF_LABORATORIES = {"lab", "laboratory", "labor", "laborwert", "labo", "laboratoire", "laboratorio"}
OF_RIGHT = REFERENCE_WORDS | MEASURED | OF_LABORATORIES | {"検査値", "化验", "化验值"}
_CUT = Pattern(r"[\s_.:/|-]+")
Grid = dict[str, dict[str, str]]  # columns by group, then by field


def number_grids(file: Columns) -> None:
    """The first field of a grid of numbers: that of the group called right or measured, and those of the systems.

    Where they are the same numbers in many rows, they are readings, of which each is right or wrong.
    """
    if file.of("reference", "output", "score", "low score", "preferred"):
        return
    names = [name for name in file.free if has_numbers([text for text in file.cells(name) if text])]
    grid = find(names)
    right = [group for group in grid if any(file.words[name] & OF_RIGHT for name in grid[group].values())]
    if len(right) != 1:
        return
    field = next(iter(grid[right[0]]))
    known = grid[right[0]][field]
    said = [fields[field] for group, fields in grid.items() if group != right[0]]
    if are_estimates(file, known, said) and not any(_are_same(file, known, name) for name in said):
        file.guess(known, "reference", "it is the first of the numbers that are named as right")
        for name in said:
            file.guess(name, "output", f"its numbers rise and fall with “{known[:40]}”")


def find(names: Sequence[str]) -> Grid:
    """The largest grid of columns, named after a group and a field or the other way round; {} if there is none.

    >>> grid = find(["Lab kcal", "Lab fat (g)", "A kcal", "A fat (g)", "B 2 kcal", "B 2 fat (g)", "age"])
    >>> [*grid], grid["B 2"]
    (['Lab', 'A', 'B 2'], {'kcal': 'B 2 kcal', 'fat (g)': 'B 2 fat (g)'})
    >>> find(["kcal_lab", "fat_lab", "kcal_a", "fat_a", "kcal_b", "fat_b"])["lab"]
    {'kcal': 'kcal_lab', 'fat': 'fat_lab'}
    >>> find(["Lab kcal", "A kcal", "B kcal"])
    {}
    """
    found = [one for is_behind in (False, True) for one in _grids(names, is_behind)]
    return max(found, key=lambda grid: (sum(map(len, grid.values())), -len(grid)), default={})


def _grids(names: Sequence[str], is_behind: bool) -> Iterator[Grid]:
    """The grids of names in which the group stands before the field, or behind it."""
    groups: dict[str, dict[str, str]] = defaultdict(dict)
    for name in names:
        for cut in _CUT.finditer(name):
            before, behind = name[: cut.start()], name[cut.end() :]
            if before and behind:
                group, field = (behind, before) if is_behind else (before, behind)
                groups[group][field] = name
    for fields in groups.values():
        grid = {
            group: {field: own[field] for field in fields}
            for group, own in groups.items()
            if fields.keys() <= own.keys()
        }
        if len(fields) >= FIELDS and len(grid) >= GROUPS:
            yield grid


def _are_same(file: Columns, one: str, other: str) -> bool:
    pairs = zip(file.cells(one), file.cells(other), strict=True)
    return mean(bool(text) and text == said for text, said in pairs) >= AGREEMENT
