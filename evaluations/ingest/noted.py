"""The forms of rows that a format names, each with the warning that says so to the user."""

from collections.abc import Sequence
from dataclasses import replace

from evaluations.files.codes import HINTS
from evaluations.files.formats import Format
from evaluations.files.problems import FileWarning

from . import (
    annotated,
    joint_models,
    last_answers,
    listed,
    marked,
    numbered,
    one_hot,
    own_exports,
    pair_scores,
    printed,
    rated,
    tag_lists,
)
from .batch import Row


def of_own(fmt: Format, own: own_exports.Own) -> Format:
    """The format of a file that Evalsite wrote."""
    named = ", ".join(f"“{name[:80]}”" for name, _ in own.outputs[:4])
    more = f" and {len(own.outputs) - 4} more" if len(own.outputs) > 4 else ""
    message = f"The file is an export of Evalsite with the outputs of {named}{more}."
    if own.is_of_run:
        message = "The file is an export of a run of Evalsite."
    warning = FileWarning("own_export", message, HINTS["own_export"])
    return replace(fmt, own=tuple(own), warnings=(*fmt.warnings, warning))


def with_tasks(fmt: Format, rows: Sequence[Row]) -> tuple[Format, Sequence[Row]]:
    """The format with the tasks of a labelling tool, and the rows as it reads them."""
    found = annotated.find(rows)
    if found is None:
        return fmt, rows
    listed = ", ".join(name[:40] for name, _ in found.models[:4])
    by_model = f", and those of {listed} in a column each" if listed else ""
    message = f"What people said of the tasks is “{found.right[:80]}”{by_model}."
    if unread := annotated.left_out(rows):
        message += f" Not imported: {', '.join(f'“{name[:80]}”' for name in unread[:10])}"
        message += ", …" if len(unread) > 10 else "."
    warning = FileWarning("tasks_of_people", message, HINTS["tasks_of_people"], left_out=tuple(unread))
    arranged = [annotated.with_columns(row, found)[0] for row in rows]
    return replace(fmt, tasks=tuple(found), warnings=(*fmt.warnings, warning)), arranged


def with_printed(fmt: Format, rows: Sequence[Row]) -> tuple[Format, Sequence[Row]]:
    """The format with the columns of what Python printed, and the rows as it reads them."""
    columns = printed.find(rows)
    if not columns:
        return fmt, rows
    return replace(fmt, printed=tuple((name,) for name in columns)), [
        printed.with_values(row, columns) for row in rows
    ]


def with_entities(fmt: Format, rows: Sequence[Row]) -> tuple[Format, Sequence[Row]]:
    """The format with the columns of tags, and the rows as it reads them."""
    found = tag_lists.find(rows)
    if found is None:
        return fmt, rows
    names = " and ".join(f"“{name[:80]}”" for name in found.tags[:4])
    message = f"The tags of “{found.words[:80]}” in {names} are the entities that they name."
    fmt = warned(replace(fmt, tag_lists=tuple(found)), "tags_as_entities", message)
    return fmt, [tag_lists.with_entities(row, found) for row in rows]


def with_rated(fmt: Format, rows: Sequence[Row]) -> tuple[Format, Sequence[Row]]:
    """The format with the columns of raters' marks by quality, and the rows as it reads them."""
    found = rated.find(rows)
    if not found:
        return fmt, rows
    names = " and ".join(f"“{name[:80]}”" for name, _ in found[:4])
    message = (
        f"What several raters said in {names} is a column for each quality, with the mark of each rater."
    )
    fmt = warned(replace(fmt, rated=found), "answers_of_people", message)
    return fmt, [rated.with_columns(row, found) for row in rows]


def with_listed(fmt: Format, rows: Sequence[Row]) -> tuple[Format, Sequence[Row]]:
    """The format with the columns of several right answers, and the rows as it reads them."""
    columns = listed.find(rows)
    if not columns:
        return fmt, rows
    names = " and ".join(f"“{name[:80]}”" for name, _ in columns)
    fmt = warned(
        replace(fmt, listed=columns), "answers_listed", f"Each answer in {names} is right by itself."
    )
    return fmt, [listed.with_lists(row, columns) for row in rows]


def with_marked(fmt: Format, rows: Sequence[Row]) -> tuple[Format, Sequence[Row]]:
    """The format with the columns whose options are marked, and the rows as it reads them."""
    columns = marked.find(rows)
    if not columns:
        return fmt, rows
    listed = " and ".join(f"“{name[:80]}”" for name in columns)
    message = f"The options in {listed} that are marked 1 are the right ones."
    with_columns = replace(fmt, marked=tuple((name,) for name in columns))
    arranged = [marked.with_answers(row, columns) for row in rows]
    return warned(with_columns, "options_marked", message), arranged


def with_choice(fmt: Format, rows: Sequence[Row]) -> tuple[Format, Sequence[Row]]:
    """The format with the columns of zeros and ones that name the better answer, and the rows as it reads them."""
    columns = one_hot.find(rows)
    if not columns:
        return fmt, rows
    listed = ", ".join(f"“{name[:80]}”" for name, _ in columns[:4])
    message = f"One of {listed} is 1 in each row: “{one_hot.NAME}” names the better answer, or a tie."
    arranged = [one_hot.with_choice(row, columns) for row in rows]
    return warned(replace(fmt, one_hot=columns), "choice_in_columns", message), arranged


def with_pair_scores(fmt: Format, rows: Sequence[Row]) -> tuple[Format, Sequence[Row]]:
    """The format with the scores of chosen and rejected texts, and the rows as it reads them."""
    pairs = pair_scores.find(rows)
    if not pairs:
        return fmt, rows
    chosen, rejected, name = pairs[0]
    message = f"“{name[:80]}” says whether “{chosen[:80]}” is higher than “{rejected[:80]}”."
    arranged = [pair_scores.with_verdicts(row, pairs) for row in rows]
    return warned(replace(fmt, pair_scores=pairs), "scores_of_pairs", message), arranged


def with_joint_models(fmt: Format, rows: Sequence[Row]) -> tuple[Format, Sequence[Row]]:
    """The format with the column that names both models of a row, and the rows as it reads them."""
    found = joint_models.find(rows)
    if found is None:
        return fmt, rows
    return replace(fmt, joint_models=(found,)), [joint_models.with_models(row, found) for row in rows]


def with_last_answers(fmt: Format, rows: Sequence[Row]) -> Format:
    """The format with the conversations that end with an answer."""
    found = last_answers.find(rows)
    if found is None:
        return fmt
    message = f"Conversations in “{found[0][:80]}” end with an answer: it is the column “{found[1]}”."
    return warned(replace(fmt, answered=(found,)), "answers_in_conversations", message)


def with_numbers(fmt: Format, rows: Sequence[Row]) -> Format:
    """The format with the columns whose rows are to be numbered."""
    found = numbered.find(rows)
    if found is None:
        return fmt
    key, variant, name = found
    message = f"“{key[:80]}” and “{variant[:80]}” name several rows together; “{name}” numbers these."
    return warned(replace(fmt, numbered=(found,)), "rows_numbered", message)


def warned(fmt: Format, code: str, message: str) -> Format:
    return replace(fmt, warnings=(*fmt.warnings, FileWarning(code, message, HINTS[code])))
