"""Recognises files that are not tables by their first bytes."""

from evaluations.linear import Pattern

from .foreign import refuse_foreign_zip
from .problems import FileError

GZIP = b"\x1f\x8b"
PARQUET = b"PAR1"
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
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "excel_file", "an old Excel workbook"),
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


def refuse_other_types(head: bytes) -> None:
    """Raise `FileError` for recognised types that are not supported; `head` is the first kilobytes."""
    for magic, code, name in _TYPES:
        if head.startswith(magic):
            raise FileError(code, f"The file is {name}, a type that is not supported.")
    if head.startswith(_TAR[1], _TAR[0]):
        raise FileError("compressed_file", "The file is a tar archive, a type that is not supported.")
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        _refuse_zip(head)
    if head.startswith(_PICKLES):
        raise FileError(
            "wrong_type", "The file is a Python pickle: not supported, it can run programs when read."
        )
    if markup := _MARKUP.match(head.removeprefix(b"\xef\xbb\xbf")):
        kind = markup[0].strip().decode()
        raise FileError(
            "wrong_type", f"The file is an HTML, SVG or XML document ({kind}…), not a supported type."
        )


def _refuse_zip(head: bytes) -> None:
    refuse_foreign_zip(head)
    if b"[Content_Types].xml" in head or b"xl/" in head:
        raise FileError("excel_file", "The file is an Excel workbook (xlsx), a type that is not supported.")
    raise FileError(
        "compressed_file",
        "The file is a ZIP archive, perhaps an Excel workbook: a type that is not supported.",
        hint="Unpack it; a workbook is exported with File, Save as, CSV UTF-8.",
    )
