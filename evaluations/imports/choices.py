"""What a sender must know before a file is imported: the questions that the pages of an upload ask.

With `ask` the API answers with them (409 `choice_needed`); otherwise it imports with the defaults, and a warning.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from evaluations import ingest
from evaluations.errors import ChoiceNeeded, Invalid
from evaluations.models import Upload

from .columns import column_paths, guessed_roles, long_tables
from .columns.columnmap import ColumnMap
from .columns.long_tables import Long
from .uploads import uploads
from .uploads.formats import FileRefused


@dataclass(frozen=True)
class How:
    """How a file is read beside its format and mapping. `chosen` are the names of options that the sender sent."""

    long: dict[str, Any] | None = None
    decimal: str = ""
    ask: bool = False
    chosen: frozenset[str] = frozenset()


DEFAULTS = How()
Checked = TypeVar("Checked")


@dataclass(frozen=True)
class Read:
    """The roles of a file's columns, the warnings about them, what is left out, and what the sender may decide."""

    columns: ColumnMap
    warnings: list[dict[str, Any]]
    left_out: list[str]
    questions: list[dict[str, Any]]


def read(upload: Upload, mapping: dict[str, Any] | None, how: How = DEFAULTS) -> Read:
    """The mapping, by default the suggested one, with its warnings.

    Raises `Invalid` if it does not fit the columns of the file, and `ChoiceNeeded` if the sender wants to be asked.
    """
    columns = _mapped(upload, mapping, how)
    preview = uploads.preview(upload)
    columns = _with_unread(replace(columns, decimal=how.decimal), preview)
    warnings = [warning.as_dict() for warning in uploads.warnings(upload, preview)]
    questions: list[dict[str, Any]] = []
    if mapping is None:
        longs = [] if how.long else _longs(upload, preview)
        questions = _questions(preview, columns, longs, how)
        warnings += _about_suggestion(preview, columns, longs, how)
    if how.ask and questions:
        raise ChoiceNeeded(" ".join(question["question"] for question in questions), questions)
    left_out = [*columns.left_out(preview.columns), *columns.unread]
    left_out += [name for warning in warnings for name in warning.get("left_out", ())]
    return Read(columns, warnings, left_out, questions)


def _mapped(upload: Upload, mapping: dict[str, Any] | None, how: How) -> ColumnMap:
    if mapping is not None and how.long:
        raise Invalid(
            "invalid_mapping", "Send a mapping or “long”, not both: a mapping has variant and output."
        )
    if mapping is not None:
        return fitting(upload, lambda columns: ColumnMap.check(columns, mapping))
    preview = uploads.preview(upload)
    if how.long:
        return long_tables.mapped(preview, uploads.first_columns(upload), Long.of(how.long, preview.columns))
    return ColumnMap.suggested(preview)


def fitting(upload: Upload, check: Callable[[list[str]], Checked]) -> Checked:
    """What `check` makes of the file's columns; if it refuses them, of those that the file has with objects opened."""
    opened = upload.format
    if not uploads.unopened(upload):
        return check(uploads.preview(upload).columns)
    try:
        return check(uploads.preview(upload).columns)
    except Invalid as unfit:
        upload.format = opened
        try:
            return check(uploads.preview(upload).columns)
        except Invalid:
            raise unfit from None


def ask_about_sheets(upload: Upload, how: How) -> None:
    """Raise `ChoiceNeeded` if the sender wants to be asked which of several sheets is read."""
    questions = _about_sheets(uploads.preview(upload).format, how)
    if how.ask and questions:
        raise ChoiceNeeded(questions[0]["question"], questions)


def longs_of_outputs(upload: Upload, key: str | None, output: str) -> list[Long]:
    """How rows of outputs that repeat the values of their key may be told apart, the likeliest first."""
    columns = uploads.first_columns(upload) if key else {}
    if key is None or not long_tables.repeats(columns.get(key, ())):
        return []
    longs = [long.of_outputs(output) for long in long_tables.suggested(columns, key)]
    return [long for long in longs if long.column != output]


def ask_about_rows(upload: Upload, key: str | None, output: str, how: How) -> None:
    """Raise `ChoiceNeeded` if the sender wants to be asked, and rows of outputs repeat the values of their key."""
    if how.ask and (longs := longs_of_outputs(upload, key, output)):
        question = _about_rows(longs)
        raise ChoiceNeeded(question["question"], [question])


def questions_about_outputs(upload: Upload, read: Mapping[str, Any], how: How) -> list[dict[str, Any]]:
    """What the sender of outputs that are read so may decide."""
    longs = [] if how.long else longs_of_outputs(upload, row_names(read), read["output"])
    about_rows = [_about_rows(longs)] if longs else []
    return _about_sheets(uploads.preview(upload).format, how) + about_rows


def row_names(read: Mapping[str, Any]) -> str | None:
    """The column with the key or position of each row's example; None if rows are matched in order."""
    return read.get("key") or read.get("position")


def _about_rows(longs: Sequence[Long]) -> dict[str, Any]:
    text = f"Rows repeat the values of “{longs[0].id}”. What tells the rows of one example apart?"
    return _question("long", text, [long.as_dict() for long in longs], None)


def _about_sheets(fmt: ingest.Format, how: How) -> list[dict[str, Any]]:
    if len(fmt.sheets) < 2 or "sheet" in how.chosen:
        return []
    return [_question("sheet", "Which sheet has the rows?", fmt.sheets, fmt.sheet)]


def _with_unread(columns: ColumnMap, preview: ingest.Preview) -> ColumnMap:
    used = [path for _, path in columns.paths] + [
        source for _, source in columns.outputs if source.startswith("$")
    ]
    used += [score.path for score in columns.scores if score.path]
    whole = {
        column for part in ("inputs", "reference", "metadata") for column in columns.columns_of(part).values()
    }
    beside = column_paths.beside(used, preview.rows)
    return replace(columns, unread=tuple(path for path in beside if path.partition(".")[0] not in whole))


def _about_suggestion(
    preview: ingest.Preview, columns: ColumnMap, longs: Sequence[Long], how: How
) -> list[dict[str, Any]]:
    """Warnings about roles that nobody chose."""
    warnings = guessed_roles.scores_recognised(columns)
    warnings += guessed_roles.scores_without_output([] if how.long else preview.unplaced_scores)
    warnings += guessed_roles.no_roles(columns)
    return warnings + (guessed_roles.rows_repeat(longs[0].id, longs[0].as_dict()) if longs else [])


def raters(upload: Upload) -> Long | None:
    """The columns of raters and of what they said, if the rows of an example seem to be of raters."""
    preview = uploads.preview(upload)
    if not any(long_tables.role_of(name) == "rater" for name in preview.columns):
        return None
    return next((long for long in _longs(upload, preview) if long.role == "rater"), None)


def _longs(upload: Upload, preview: ingest.Preview) -> list[Long]:
    """How rows that repeat an example may be told apart; empty if no example seems to be repeated."""
    columns = uploads.first_columns(upload)
    if key := long_tables.repeated_key(preview, columns):
        return long_tables.suggested(columns, key)
    found = uploads.long_format(upload)
    if found is None:
        return []
    key = next((name for name in columns if len({*columns[name]}) == found.items), "")
    return [Long(key, "variant", found.variant, found.output)] if key else []


def _questions(
    preview: ingest.Preview, columns: ColumnMap, longs: Sequence[Long], how: How
) -> list[dict[str, Any]]:
    questions = _about_sheets(preview.format, how)
    if longs:
        questions.append(_about_rows(longs))
    if not columns.inputs and not columns.reference:
        text = "Which columns are inputs, and which the reference? None was recognised."
        questions.append(_question("mapping", text, preview.columns, None))
    return questions


def _question(field: str, text: str, values: Sequence[Any], default: Any) -> dict[str, Any]:
    return {"field": field, "question": text, "values": [*values], "default": default}


@contextmanager
def asking(how: How) -> Iterator[None]:
    """Turn the refusal of a file into a question, if an option decides and the sender wants to be asked."""
    try:
        yield
    except FileRefused as refused:
        if not how.ask or refused.choices is None:
            raise
        field, values = refused.choices
        raise ChoiceNeeded(refused.message, [_question(field, refused.message, values, None)]) from refused
