"""How to read a file (`Format`), and limits on files (`Limits`)."""

import codecs
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Self, get_args

from .problems import FileError, FileWarning

Kind = Literal["csv", "jsonl", "json", "parquet"]
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}


@dataclass(frozen=True)
class Format:
    """The detected format, or the user's choice. Converts to and from a dict, because it is stored with an import.

    `delimiter`, `header`, `sep_line` (line 1 is Excel's `sep=;`), `empty_as_text` and `guarded` (an apostrophe guards
    each formula and is not part of the text) matter to CSV only. `list_number` counts the lists of a JSON object up to
    the one with the rows; None for an array. `notes` are sentences about what was detected;
    `warnings` ask for the user's attention.
    """

    kind: Kind
    gzip: bool = False
    encoding: str = "utf-8"
    delimiter: str | None = None
    header: bool = True
    sep_line: bool = False
    empty_as_text: bool = False
    guarded: bool = False
    list_number: int | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[FileWarning, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        fields = asdict(self)
        return fields | {
            "notes": list(self.notes),
            "warnings": [warning.as_dict() for warning in self.warnings],
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        warnings = tuple(
            FileWarning(**{**warning, "first_lines": tuple(warning["first_lines"])})
            for warning in stored["warnings"]
        )
        return cls(**{**stored, "notes": tuple(stored["notes"]), "warnings": warnings})

    def override(self, choices: Mapping[str, Any]) -> Self:
        """With the user's kind, encoding, delimiter, header, empty_as_text or guarded; None keeps the field."""
        choices = checked_choices(choices)
        return replace(self, **choices) if choices else self


def checked_choices(choices: Mapping[str, Any]) -> dict[str, Any]:
    """The choices that are not None; raises FileError `format_option` for an invalid one."""
    allowed = {
        "kind": get_args(Kind),
        "delimiter": tuple(DELIMITERS),
        "header": (True, False),
        "empty_as_text": (True, False),
        "guarded": (True, False),
    }
    chosen = {name: choice for name, choice in choices.items() if choice is not None}
    for name, choice in chosen.items():
        if name == "encoding":
            _check_encoding(choice)
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
