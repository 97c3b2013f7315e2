"""Recognises files that are not tables by their first bytes."""

from evaluations.files.problems import FileError
from evaluations.linear import Pattern

from .foreign import refuse_foreign_zip

GZIP = b"\x1f\x8b"
PARQUET = b"PAR1"
ZIP = b"PK\x03\x04", b"PK\x05\x06"
OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # also of Word; the reader tells
_OPEN_SHEET = b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"
_TYPES = (
    (b"\x89PNG", "wrong_type", "a PNG image"),
    (b"\xff\xd8\xff", "wrong_type", "a JPEG image"),
    (b"GIF8", "wrong_type", "a GIF image"),
    (b"%PDF-", "wrong_type", "a PDF document"),
    (b"SQLite format 3\0", "wrong_type", "an SQLite database"),
    (b"ARROW1\0", "wrong_type", "an Arrow or Feather file"),
    (b"\x93NUMPY", "wrong_type", "a NumPy array"),
    (b"Obj\x01", "wrong_type", "an Avro file"),
    (b"\x7fELF", "wrong_type", "a program"),
    (b"MZ\x90\0", "wrong_type", "a program"),
    (b"{\\rtf", "wrong_type", "a rich text document"),
    (b"PARE", "wrong_type", "an encrypted Parquet file"),
    (b"BZh", "compressed_file", "compressed with bzip2"),
    (b"\xfd7zXZ\0", "compressed_file", "compressed with xz"),
    (b"\x28\xb5\x2f\xfd", "compressed_file", "compressed with Zstandard"),
    (b"7z\xbc\xaf\x27\x1c", "compressed_file", "a 7-Zip archive"),
    (b"Rar!\x1a", "compressed_file", "a RAR archive"),
)
_PICKLES = tuple(bytes((0x80, protocol)) for protocol in range(2, 6))
_TAR = 257, b"ustar"  # offset and text of the mark of a tar archive
_MARKUP = Pattern(
    rb"[\s\v]*<(?:!doctype html|html|svg|\?xml|head|body|meta|table|div)[\s\v>]", ignore_case=True
)


LONGEST_TAG = 20_000  # bytes of the beginning in which the end of the first element is looked for


def refuse_other_types(head: bytes) -> None:
    """Raise `FileError` for recognised types that are not supported; `head` is the first kilobytes."""
    for magic, code, name in _TYPES:
        if head.startswith(magic):
            raise FileError(code, f"The file is {name}, a type that is not supported.")
    if head.startswith(_TAR[1], _TAR[0]):
        raise FileError("compressed_file", "The file is a tar archive, a type that is not supported.")
    if head.startswith(ZIP):
        _refuse_zip(head)
    if head.startswith(_PICKLES):
        raise FileError(
            "wrong_type", "The file is a Python pickle: not supported, it can run programs when read."
        )
    refuse_markup(head.removeprefix(b"\xef\xbb\xbf"))


def refuse_markup(head: bytes) -> None:
    """Raise `FileError` for HTML, SVG and XML, also without an XML declaration."""
    if markup := _MARKUP.match(head):
        kind = markup[0].strip().decode()
        raise FileError(
            "wrong_type", f"The file is an HTML, SVG or XML document ({kind}…), not a supported type."
        )
    if name := _element(head):
        hint = "Write the results as JSON: promptfoo export eval ID -o results.json"
        message = f"The file is an XML document (<{name[:80]}>…), not a supported type."
        raise FileError("wrong_type", message, hint=hint if name == "promptfoo" else None)


def _element(head: bytes) -> str:
    """The name of the element that a document begins with; "" for a table whose first header is in brackets."""
    tag, end, inside = head.lstrip()[:LONGEST_TAG].partition(b">")
    words = tag[1:].split(None, 1)
    name = words[0].removesuffix(b"/") if words else b""
    is_name = tag[:1] == b"<" and name[:1].isalpha() and name.replace(b"-", b"").replace(b":", b"").isalnum()
    if not end or not is_name:
        return ""
    return name.decode() if inside.lstrip()[:1] == b"<" or b"</%s>" % name in inside else ""


def is_workbook(head: bytes) -> bool:
    """Whether the file is an Excel workbook, new or old, or an OpenDocument sheet, by its first kilobytes."""
    if head.startswith(OLD_OFFICE):
        return True
    if not head.startswith(ZIP[0]):
        return False
    if _is_document(head):
        return False
    return b"[Content_Types].xml" in head or b"xl/" in head or _OPEN_SHEET in head[:200]


def is_of_office(head: bytes) -> bool:
    """Whether a ZIP archive is the document or the workbook of an office program."""
    return is_workbook(head) or _is_document(head)


def _is_document(head: bytes) -> bool:
    return b"word/" in head or b"ppt/" in head


def _refuse_zip(head: bytes) -> None:
    refuse_foreign_zip(head)
    if _is_document(head):
        raise FileError("wrong_type", "The file is a document of an office program, not a table.")
    raise FileError(
        "compressed_file",
        "The file is a ZIP archive inside another file, or of a damaged workbook.",
        hint="Upload the archive itself. A workbook can be exported again, or as CSV UTF-8.",
    )
