"""Detects the encoding of a text file: by its byte order mark, else UTF-8 if every byte is valid, else a guess."""

import codecs
import unicodedata
from dataclasses import replace
from itertools import islice
from typing import BinaryIO

from charset_normalizer import from_bytes

from evaluations.files.codes import HINTS
from evaluations.files.formats import Format, Limits
from evaluations.files.problems import FileError, FileWarning
from evaluations.files.streams import CHUNK, at_most, binary_chunks, utf8_chunks

SAMPLE = 1_000_000
CHECKED = 256_000_000  # bytes that a page can check within its time; the import checks the rest
SECONDS = 5.0
MARKS = (  # UTF-32 first, because its mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# encodings of spreadsheet programs; if two fit a sample equally well, the first is chosen
# charset-normalizer knows many more, but short samples look alike: cp949 takes Japanese for rare Korean.
PROPOSED = (
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "koi8_r"),
    *("cp932", "gb18030", "big5", "euc_jp", "euc_kr", "mac_roman"),
)
ODD, MOST_SIGNS = "‰†‡ˆ", 0.1  # signs beside a letter, and their share of all special ones
CHAOS = 0.5  # the limit of charset-normalizer, for prose 0.2: short cells of a table look more chaotic


def detect(file: BinaryIO, fmt: Format, limits: Limits, whole: bool) -> Format:
    """The format with its encoding, checked to the last byte (`whole`) or over the first megabyte."""
    sample = b"".join(islice(binary_chunks(file, fmt.gzip, limits), SAMPLE // CHUNK))
    for mark, encoding in MARKS:
        if sample.startswith(mark):
            fmt = replace(fmt, encoding=encoding)
            break
    else:
        if unmarked := _unmarked(sample):
            message = f"The encoding looks like UTF-{unmarked[4:6]} without a byte order mark."
            fmt = _guessed(fmt, unmarked, message, 1)
    try:
        check(file, fmt, limits, whole)
    except FileError as error:
        if error.code != "encoding" or fmt.encoding != "utf-8":
            raise
        return _proposal(file, fmt, limits, whole, sample, error)
    return fmt


def check(file: BinaryIO, fmt: Format, limits: Limits, whole: bool) -> None:
    """Raise `FileError` at the first byte that is invalid in the encoding of the format."""
    for _ in at_most(utf8_chunks(file, fmt, limits), CHECKED if whole else SAMPLE, SECONDS):
        pass


def _unmarked(sample: bytes) -> str | None:
    """Detect UTF-32 and UTF-16 without a mark by their many NUL bytes; refuse binary data, which has NUL elsewhere."""
    head = sample[:4096]
    nul = head.count(0)
    if nul * 5 < len(head):
        return None
    for encoding, zeros, share in (
        ("utf-32-le", head[2::4] + head[3::4], 1.0),
        ("utf-32-be", head[0::4] + head[1::4], 1.0),
        ("utf-16-le", head[1::2], 0.6),
        ("utf-16-be", head[0::2], 0.6),
    ):
        if nul < len(head) and zeros.count(0) >= share * len(zeros):
            return encoding
    raise FileError("binary_file", "The file is binary data (NUL bytes), not text.")


def _guessed(fmt: Format, encoding: str, reason: str, line: int) -> Format:
    """The format with another encoding, and a warning with the reason."""
    message = f"{reason} The file is read as {encoding}."
    warning = FileWarning("encoding_guessed", message, HINTS["encoding_guessed"], 1, (line,))
    return replace(fmt, encoding=encoding, warnings=(*fmt.warnings, warning))


def _refuse_controls(sample: bytes) -> None:
    """Refuse a file with many control bytes that is not UTF-8: it is text in no other encoding either."""
    head = sample[:4096]
    controls = sum(head.count(byte) for byte in range(1, 32) if byte not in b"\t\n\v\f\r\x1a\x1b")
    if controls * 20 > len(head):
        raise FileError("binary_file", "The file is binary data (control bytes), not text.")


def _proposal(
    file: BinaryIO, fmt: Format, limits: Limits, whole: bool, sample: bytes, error: FileError
) -> Format:
    """The likeliest other encoding, with a warning; raises the error itself if the file is damaged UTF-8.

    A file in another encoding has invalid bytes on many lines. One that is UTF-8 nearly everywhere has a few wrong
    bytes, and another encoding would garble the rest.
    """
    _refuse_controls(sample)
    lines = sample.splitlines()  # of bytes: splits at line feeds and carriage returns only
    special = [line for line in lines if not line.isascii()]
    wrong = [line for line in special if not _is_utf8(line)]
    if len(wrong) * 50 < len(lines) or len(wrong) * 2 <= len(special) or _has_surrogates(wrong):
        raise error
    likeliest = _likeliest(b"\n".join(wrong)[:CHUNK])
    if likeliest is None:
        raise error
    proposal = _guessed(fmt, likeliest, f"The encoding is not UTF-8: {error.message}", error.where["line"])
    try:
        check(file, proposal, limits, whole)
    except FileError:
        raise error from None
    return proposal


def _likeliest(text: bytes) -> str | None:
    matches = from_bytes(text, cp_isolation=list(PROPOSED), threshold=CHAOS)
    ranked = [
        (
            _has_signs_in_words(text.decode(name, "replace")),
            match.chaos,
            -match.coherence,
            PROPOSED.index(name),
        )
        for match in matches
        for name in match.could_be_from_charset
        if name in PROPOSED
    ]
    return PROPOSED[min(ranked)[-1]] if ranked else None


def _has_signs_in_words(text: str) -> bool:
    """Whether more than a tenth of the letters and signs that are not ASCII are signs in words: "÷sterreich"."""
    places = [place for place, sign in enumerate(text) if not sign.isascii()]
    signs = sum(
        any(map(str.isalpha, text[max(place - 1, 0) : place] + text[place + 1 : place + 2]))
        for place in places
        if text[place] in ODD or unicodedata.category(text[place])[0] == "S"
    )
    return signs > MOST_SIGNS * len(places)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _has_surrogates(lines: list[bytes]) -> bool:
    """Whether the lines are UTF-8 except for unpaired surrogates, which some programs write."""
    try:
        b"\n".join(lines).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True
