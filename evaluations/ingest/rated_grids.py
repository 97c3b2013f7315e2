"""Questions about several systems in the columns of a form, "How good is it? [Copilot]", without what these wrote."""

from collections.abc import Collection

from evaluations.linear import Pattern

from .looked_at import Columns
from .preferred import words

_CELL = Pattern(r"^(.*\S)\s*[\[(]([^\[\]()]+)[\])]\s*$")
FEW = 2
LONGEST = 60  # characters of the name of a score


def rated_grids(file: Columns) -> None:
    """Columns of grades whose names end with a system in brackets, if another column says which of these is better.

    Without that the brackets may hold qualities of one answer.
    """
    by_question: dict[str, dict[str, str]] = {}
    for name in file.of("metadata"):
        if found := _CELL.search(name):
            by_question.setdefault(found[1], {})[found[2].strip()] = name
    grids = {one: found for one, found in by_question.items() if file.are_grades(found.values())}
    systems = next(({*found} for found in grids.values() if len(found) >= FEW), set[str]())
    if not systems or any(found.keys() == systems for one, found in by_question.items() if one not in grids):
        return  # such columns may have the answers
    columns = {name for found in grids.values() for name in found.values()}
    chosen = [name for name in file.columns if name not in columns and _names_each(file, name, systems)]
    if not chosen:
        return
    for name in chosen:  # subsets by it would say the same again
        file.guess(
            name, "leave out", "it names the better system, as the ratings do, and no column has answers"
        )
    file.no_answers |= {*file.columns}
    before = file.columns[: min(map(file.columns.index, columns))]
    for name in [name for name in before if file.roles[name] == "metadata" and file.has_sentences(name)][-1:]:
        file.guess(name, "inputs", "it stands before the ratings, and says of what they are")
    for question, by_system in grids.items():
        if by_system.keys() == systems:
            for system, name in by_system.items():
                reason = "it rates the system in brackets, and stands in place of its answers"
                file.guess(name, "score", reason, system, question.rstrip(" ?:")[:LONGEST])


def _names_each(file: Columns, name: str, systems: Collection[str]) -> bool:
    """Whether cells of a column are the names of each of these systems, most of them."""
    said = [words(text) for text in file.cells(name) if text]
    found = [[system for system in systems if words(system) == one] for one in said]
    named = [one[0] for one in found if one]
    return len(named) * 2 > len(said) and {*named} == {*systems}
