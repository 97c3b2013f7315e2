"""A report of lists of ids, such as SWE-bench's: {"submitted_ids": […], "resolved_ids": […], "error_ids": […]}.

It has no answers: each id is an example, and in place of an answer stands in which lists it is. The list whose name
says what is right is the score.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from evaluations.files.text import clean
from evaluations.ingest.column_names import words_of
from evaluations.ingest.score_words import RIGHT
from evaluations.values import JSON

from .evaluation import Answer, Evaluation, Figure, Grader, Item, Score, Variant, as_object, refused, whole

TOOL = "a report of lists of ids"
HOW = "Upload a report with the ids of what was submitted and of what was resolved."
ENDING = "_ids"
NAMELESS = "none"  # until the name of the file names a model
SUBMITTED = "submitted"
NO_ANSWERS = "The file has no answers. In their place stands in which of its lists each id is."


def evaluation(document: Any) -> Evaluation:
    report = as_object(document)
    lists = {
        name.removesuffix(ENDING): dict.fromkeys(clean(str(one)) for one in value)
        for name, value in report.items()
        if name.endswith(ENDING) and isinstance(value, list)
    }
    # The ids that were not submitted are those of the other examples of a data set.
    ids = [*(lists.get(SUBMITTED) or dict.fromkeys(one for members in lists.values() for one in members))]
    right = next((name for name in lists if words_of(name) & RIGHT), "")
    if not ids or not right:
        raise refused("The file", "no list of ids in it says what is right.", HOW)
    said = {name: members for name, members in lists.items() if name != SUBMITTED}
    answers = {index: _answer(one, said, right) for index, one in enumerate(ids)}
    return Evaluation(
        tool=TOOL,
        version="report",
        name="report",
        items=[Item({"id": one}, {}, {}, one) for one in ids],
        variants=[Variant(NAMELESS, {}, [answers])],
        graders=[Grader(right, right, why="it is one of the lists")],
        figures=[*_figures(report, right, len(ids))],
        notes=[NO_ANSWERS, *_notes(report, lists, len(ids))],
    )


def _answer(one: str, said: Mapping[str, Mapping[str, Any]], right: str) -> Answer:
    names: list[JSON] = [name.replace("_", " ") for name, members in said.items() if one in members]
    is_right = one in said[right]
    return Answer(
        ", ".join(map(str, names)) or "in no list", scores={right: Score(float(is_right), is_right)}
    )


def _figures(report: Mapping[str, Any], right: str, count: int) -> Iterator[Figure]:
    """The count that the report gives beside its list: "resolved_instances"."""
    counted = next(
        (whole(value) for name, value in report.items() if name.startswith(f"{right}_") and whole(value)),
        None,
    )
    if counted is not None and counted <= count:
        yield Figure(NAMELESS, right, count, counted / count)


def _notes(report: Mapping[str, Any], lists: Mapping[str, Any], count: int) -> Iterator[str]:
    left = len({one for members in lists.values() for one in members}) - count
    if left:
        yield f"{left} ids that were not submitted are not imported."
    others = [name for name in report if name.removesuffix(ENDING) not in lists]
    if others:
        yield f"Not imported: {', '.join(others[:30])}."
