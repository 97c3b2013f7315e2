"""What people said inside lists of their answers, as labelling tools export it: {"annotations": [{"user": 1, …}, …]}.

For each question a column has what most of them said, and nothing where as many said something else.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from .batch import Row
from .looked_at import Columns
from .parted import only_of
from .preferred import AND, SIDES, is_side
from .suggest import plain
from .whole_answers import value_of

# the fields that say who gave an answer, and who or what suggested one
PEOPLE = {
    *("annotator", "annotator_id", "completed_by", "labeler", "rater", "rater_id", "user", "user_id"),
    *("worker", "worker_id"),
}
SUGGESTING = {"agent"}
ENDS = tuple(f".{name}s" for name in sorted(PEOPLE))  # of columns of names beside lists of answers
QUESTIONS = ("from_name", "question", "question_name")  # the fields that say what was asked
COMPARED = "to_name"  # the field with the names of two texts, the left and the right one
UNDONE = {"discarded", "draft", "pending"}  # states of an answer that is none
MOST_QUESTIONS, DEEPEST = 10, 6
# behind the name of a column of lists, what most of its people said, and of a question, what was suggested
MOST, SUGGESTED = "most", "suggested"
Answer = str | int | float


class Said(NamedTuple):
    """The column of a question with what most people said, which stands in `column`; "" of a list of plain answers."""

    column: str
    question: str
    name: str
    is_suggested: bool = False


def find(rows: Sequence[Row]) -> tuple[Said, ...]:
    """The questions that people answered inside a column, those with suggestions at the end.

    >>> result = [{"from_name": "better", "value": {"selected": "left"}}]
    >>> find([{"annotations": [{"completed_by": 1, "result": result}]}])
    (Said(column='annotations', question='better', name='better', is_suggested=False),)
    >>> find([{"responses": {"tone": [{"value": "calm", "user_id": "u1"}]}}])
    (Said(column='responses', question='tone', name='tone', is_suggested=False),)
    >>> find([{"tone": ["calm", "calm", "rude"], "tone.users": ["u1", "u2", "u3"]}])
    (Said(column='tone', question='', name='tone most', is_suggested=False),)
    >>> find([{"results": [{"name": "f1", "value": 0.5}]}])
    ()
    """
    columns = [*dict.fromkeys(name for row in rows for name in row)]
    found: list[Said] = []
    for column in columns:
        cells = [value_of(row.get(column)) for row in rows]
        for naming in (PEOPLE, SUGGESTING):
            questions = dict.fromkeys(name for cell in cells for name, _ in _answers(cell, naming))
            for question in [*questions][:MOST_QUESTIONS]:
                name = f"{question} {SUGGESTED}" if naming is SUGGESTING else question
                taken = {*columns, *(one.name for one in found)}
                free = f"{column} {name}" if name in taken else name
                found.append(Said(column, question, free, naming is SUGGESTING))
        if any(_people_beside(column, row) for row in rows):
            found.append(Said(column, "", f"{column} {MOST}"))
    return tuple(sorted(found, key=lambda one: one.is_suggested))


def suggested(file: Columns) -> None:
    """What most people said of a question is right, and what was suggested to them an answer, where nothing else is."""
    if file.of("reference", "output", "preferred"):
        return
    for name in file.columns:
        if (answer := f"{name} {SUGGESTED}") in file.columns:
            file.guess(name, "reference", "it is what most people said")
            file.guess(answer, "output", f"it is what was suggested for “{name[:40]}”")
            return


def columns_of(said: Sequence[Said]) -> set[str]:
    """The columns of the answers, and those of the people beside them."""
    columns = {one.column for one in said}
    return columns | {f"{column}{end}" for column in columns for end in ENDS}


def with_columns(row: Row, said: Sequence[Said]) -> Row:
    """The row with a column for each question, behind the one that holds its answers; of suggestions at the end.

    >>> row = {"tone": ["calm", "calm", "rude"], "tone.users": ["u1", "u2", "u3"]}
    >>> with_columns(row, find([row]))
    {'tone': ['calm', 'calm', 'rude'], 'tone most': 'calm', 'tone.users': ['u1', 'u2', 'u3']}
    """
    arranged = Row()
    for name, value in row.items():
        arranged[name] = value
        for one in said:
            if one.column == name and not one.is_suggested:
                arranged[one.name] = _most(one, value)
    for one in said:
        if one.is_suggested:
            arranged[one.name] = _most(one, row.get(one.column))
    return arranged


def _most(said: Said, cell: Any) -> Answer | None:
    """What most people said; None where several answers were said as often, and of two sides both."""
    cell = value_of(cell)
    naming = SUGGESTING if said.is_suggested else PEOPLE
    answers = [value for name, value in _answers(cell, naming) if name == said.question]
    if not said.question:
        answers = [value for value in cell if isinstance(value, Answer)] if isinstance(cell, list) else []
    counts = Counter(answers).most_common(2)
    is_even = len(counts) > 1 and counts[0][1] == counts[1][1]
    if is_even and len({*answers}) == len(SIDES) and all(map(_is_of_side, answers)):
        return AND.join(sorted({*map(str, answers)}))
    return counts[0][0] if counts and not is_even else None


def _is_of_side(answer: Answer) -> bool:
    """Whether an answer names a side, alone or at the end of the name of a text: "left", "summary_left"."""
    return isinstance(answer, str) and is_side(answer.rpartition("_")[2])


def _people_beside(column: str, row: Row) -> bool:
    """Whether a cell is a list of answers beside one of people, as "tone" beside "tone.users"."""
    cell = value_of(row.get(column))
    people = next((value_of(row[name]) for end in ENDS if (name := f"{column}{end}") in row), None)
    return isinstance(cell, list) and isinstance(people, list) and 0 < len(cell) == len(people)


def _answers(
    node: Any, naming: set[str], question: str = "", is_named: bool = False, depth: int = 0
) -> Iterator[tuple[str, Answer]]:
    """The questions and answers inside a cell that stand in an object which names who gave them."""
    if depth > DEEPEST:
        return
    if isinstance(node, list):
        for member in node:
            if isinstance(member, dict | list):
                yield from _answers(member, naming, question, is_named, depth + 1)
    if not isinstance(node, dict) or node.get("was_cancelled") or node.get("status") in UNDONE:
        return
    is_named = is_named or any(plain(name) in naming for name in node)
    if "value" in node:
        asked = next((node[name] for name in QUESTIONS if isinstance(node.get(name), str)), question)
        value = _by_side(_only(node["value"]), node.get(COMPARED))
        if asked and is_named and isinstance(value, Answer):
            yield asked, value
        return
    for name, member in node.items():
        if isinstance(member, dict | list):
            yield from _answers(member, naming, name, is_named, depth + 1)


def _only(value: Any) -> Any:
    """The only member of an object or list, as "left" of {"selected": "left"} and {"choices": ["left"]}."""
    if isinstance(value, dict) and len(value) == 1:
        return only_of(next(iter(value.values())))
    return only_of(value)


def _by_side(value: Any, compared: Any) -> Any:
    """The name of the text on the side that a value names, where two are compared.

    >>> _by_side("right", "answer1,answer2"), _by_side("right", ["text"])
    ('answer2', 'right')
    """
    names = [*map(str.strip, compared.split(","))] if isinstance(compared, str) else compared
    if (
        not isinstance(names, list)
        or len(names) != len(SIDES)
        or not all(isinstance(one, str) for one in names)
    ):
        return value
    said = f"{value}".casefold()
    return next((name for name, side in zip(names, SIDES, strict=True) if said in side), value)
