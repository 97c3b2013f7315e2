"""How to read a file (`Format`), and limits on files (`Limits`)."""

import codecs
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Self, get_args

from .problems import FileError, FileWarning

Kind = Literal["csv", "jsonl", "json", "parquet", "workbook"]
BINARY = ("parquet", "workbook")  # kinds without an encoding
PLACES = ("sheet", "rows")  # choices of a part of the file, by its name there
ARRANGED = (
    "own",
    "tasks",
    "opened",
    "lifted",
    "said",
    "tag_lists",
    "rated",
    "listed",
    "marked",
    "one_hot",
    "pair_scores",
    "joint_models",
    "numbered",
    "printed",
    "parted",
    "sides",
    "error_rows",
    "rater_rows",
    "grid",
    "answered",
)  # how rows are made flat, in tuples of tuples
TUPLES = ("sheets", "names", "lists", "nested", "notes")
# of these, what leaves all columns their names
IN_PLACE = {"tag_lists", "listed", "printed", "pair_scores", "joint_models", "numbered"}
OPENED = tuple(name for name in ARRANGED if name not in IN_PLACE)
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}


@dataclass(frozen=True)
class Format:
    """The detected format, or the user's choice. Converts to and from a dict, because it is stored with an import.

    `delimiter`, `header` (also of a sheet), `sep_line` (line 1 is Excel's `sep=;`), `empty_as_text`, `guarded` (an
    apostrophe guards each formula and is not part of the text) and `escape` (a backslash stands before a quote in a
    cell, instead of a second quote; "letters": quotes are
    parts of the texts) matter to CSV only. `sheet` is the one of a workbook's `sheets` that is read.
    `list_number` counts the lists of a JSON object up to the one with the rows, whose path is `rows`; None for an
    array. `names` are those of the cells, if each row is a list of cells. `names_in` is the column of the names of
    rows, if the file is an object with a row under each. `lists` are the paths that `rows` may be. `nested` are the
    fields, from outside to inside, whose lists hold the rows; `opened` are columns of objects whose fields become
    columns, each with the prefix of their names; `lifted` are columns and single fields of theirs that become columns.
    `own` says what a file that Evalsite itself wrote has (see `ingest.own_exports`).
    `tasks` are those of a labelling tool, of which people's answers and each model's become columns (see
    `ingest.annotated`).
    `said` are questions that people answered inside a column (see `ingest.people`).
    `tag_lists` are columns of words and of a tag for each, which become entities (see `ingest.tag_lists`).
    `rated` are columns of marks of several raters by quality (see `ingest.rated`).
    `listed` are columns of several right answers, each with the sign between them (see `ingest.listed`).
    `marked` are columns of options of which the right ones are marked (see `ingest.marked`), and `printed` those of
    lists and records as Python prints them (see `ingest.printed`).
    `one_hot` are columns of zeros and ones that name the better answer (see `ingest.one_hot`).
    `pair_scores` are columns of scores of a chosen and a rejected text (see `ingest.pair_scores`).
    `joint_models` is a column that names both models of a row (see `ingest.joint_models`).
    `numbered` are the columns of examples and variants with several rows each, which get numbers (see
    `ingest.numbered`).
    `parted` are columns of the outputs of several variants, each of which becomes a column (see `ingest.parted`), and
    `sides` the two sides of each row that become columns of their models (see `ingest.sides`). `error_rows` are the
    columns of rows of errors that are joined (see `ingest.error_rows`), and `rater_rows` those of rows of ratings (see
    `ingest.rater_rows`). `grid` are the columns of fields that several models read, which become objects (see
    `ingest.field_grids`). `answered` are columns of conversations whose last message becomes a column (see
    `ingest.last_answers`). `notes` are sentences about what was detected; `warnings` ask for the user's attention.
    """

    kind: Kind
    gzip: bool = False
    encoding: str = "utf-8"
    delimiter: str | None = None
    header: bool = True
    sep_line: bool = False
    empty_as_text: bool = False
    guarded: bool = False
    escape: bool | str = False
    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    list_number: int | None = None
    rows: str | None = None
    names: tuple[str, ...] = ()
    names_in: str | None = None
    lists: tuple[str, ...] = ()
    nested: tuple[str, ...] = ()
    opened: tuple[tuple[str, str], ...] = ()
    lifted: tuple[tuple[str, str], ...] = ()
    own: tuple[Any, ...] = ()
    tasks: tuple[Any, ...] = ()
    said: tuple[tuple[Any, ...], ...] = ()
    tag_lists: tuple[Any, ...] = ()
    rated: tuple[tuple[str, tuple[str, ...]], ...] = ()
    listed: tuple[tuple[str, str], ...] = ()
    marked: tuple[tuple[str], ...] = ()
    one_hot: tuple[tuple[str, str], ...] = ()
    pair_scores: tuple[tuple[str, str, str], ...] = ()
    joint_models: tuple[tuple[str, str, str, str], ...] = ()
    numbered: tuple[tuple[str, str, str], ...] = ()
    printed: tuple[tuple[str], ...] = ()
    parted: tuple[tuple[Any, ...], ...] = ()
    sides: tuple[Any, ...] = ()
    error_rows: tuple[Any, ...] = ()
    rater_rows: tuple[Any, ...] = ()
    grid: tuple[Any, ...] = ()
    answered: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[FileWarning, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        fields = asdict(self)
        return fields | {
            **{name: list(fields[name]) for name in TUPLES},
            **{name: _lists(getattr(self, name)) for name in ARRANGED},
            "warnings": [warning.as_dict() for warning in self.warnings],
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        warnings = tuple(
            FileWarning(
                **{
                    **warning,
                    "first_lines": tuple(warning["first_lines"]),
                    "left_out": tuple(warning.get("left_out", ())),
                }
            )
            for warning in stored["warnings"]
        )
        tuples = {name: tuple(stored.get(name, ())) for name in TUPLES}
        arranged = {name: _tuples(stored.get(name, ())) for name in ARRANGED}
        return cls(**{**stored, **tuples, **arranged, "warnings": warnings})

    @property
    def replaced(self) -> set[str]:
        """The columns of the file that are not among those of its rows, because others stand in their place."""
        opened = {column for column, _ in self.opened} | {one[0] for one in self.parted if _is_of_one(one)}
        pairs = (self.sides[2], *self.sides[3]) if self.sides else ()
        if self.grid:
            opened |= {column for _, found in (("", self.grid[1]), *self.grid[2]) for _, column in found}
        opened |= {*self.rater_rows[2]} if self.rater_rows else set()
        opened |= {name for name, _ in (*self.rated, *self.one_hot)}
        return opened | {name for pair in pairs for name in pair} | {*self.error_rows[1:3]} - {""}

    def override(self, choices: Mapping[str, Any]) -> Self:
        """With the user's kind, encoding, delimiter, header, empty_as_text, guarded or escape; None keeps the field."""
        choices = {
            name: choice
            for name, choice in checked_choices(choices).items()
            if name not in (*PLACES, "opened")
        }
        return replace(self, **choices) if choices else self


def _lists(value: Any) -> Any:
    return [*map(_lists, value)] if isinstance(value, tuple) else value


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list | tuple) else value


def checked_choices(choices: Mapping[str, Any]) -> dict[str, Any]:
    """The choices that are not None; raises FileError `format_option` for an invalid one."""
    allowed = {
        "kind": get_args(Kind),
        "delimiter": tuple(DELIMITERS),
        "header": (True, False),
        "empty_as_text": (True, False),
        "guarded": (True, False),
        "escape": (True, False, "letters"),
        "opened": (True, False),
    }
    chosen = {name: choice for name, choice in choices.items() if choice is not None}
    for name, choice in chosen.items():
        if name == "encoding":
            _check_encoding(choice)
        elif name in PLACES:
            if not isinstance(choice, str):
                raise FileError("format_option", f"{name} must be a name.")
        elif name not in allowed:
            raise FileError("format_option", f"{name!r} is not an option of a file format.")
        elif choice not in allowed[name]:
            raise FileError(
                "format_option", f"{name} cannot be {choice!r}; it is one of {list(allowed[name])}."
            )
    return chosen


def _check_encoding(name: str) -> None:
    try:
        "a".encode(name)
        encoding = codecs.lookup(name).name
    except (LookupError, TypeError, ValueError) as unknown:
        raise FileError("format_option", f"{name!r} is not an encoding of text.") from unknown
    # Python codecs that no file is written in.
    if encoding in {"utf-7", "idna", "punycode", "undefined"} or "escape" in encoding:
        raise FileError("format_option", f"{name!r} is not an encoding of text files.")


@dataclass(frozen=True)
class Limits:
    """Limits above which reading raises `FileError`. `file_bytes` limits the file and, separately, its unpacked size.

    A packed file may always unpack to `unpacked_bytes` and `unpacked_values`, and to more in proportion to its size.
    """

    file_bytes: int = 2 * 1024**3
    rows: int = 5_000_000
    unreadable_rows: int = 1_000_000
    columns: int = 1_000
    cell_characters: int = 1_000_000
    row_characters: int = 16_000_000
    column_name_characters: int = 10_000
    errors_kept: int = 100
    unpacked_bytes: int = 200_000_000
    unpacked_values: int = 3_000_000
    values_per_byte: int = 20  # of a packed file; a table of constants has about ten

    def unpacked(self, size: int) -> int:
        """The bytes to which a packed file of this size may unpack. Repetitive texts grow about 150 times."""
        return min(self.file_bytes, max(self.unpacked_bytes, 200 * size))

    def values(self, size: int) -> int:
        """The values that a packed file of this size may hold."""
        return max(self.unpacked_values, self.values_per_byte * size)


def _is_of_one(parted: Sequence[Any]) -> bool:
    """Whether a column of `parted` is of one variant; before version 0.1.0 its last field said so."""
    return "one" in parted[1:2] or parted[-1] is True
