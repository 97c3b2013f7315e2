"""What the names of files in an archive say: tables, texts with a line for each example, and what is neither."""

from pathlib import PurePosixPath

from . import trec
from .sniff import EXTENSIONS

TEXTS = (".txt", ".src", ".ref", ".hyp", ".sql", ".out", ".pred", ".conll", ".bio", ".iob", ".iob2")


def is_hidden(path: str) -> bool:
    """Whether a member is a folder, or a file that a system keeps for itself.

    >>> [*map(is_hidden, ("a/b.jsonl", "__MACOSX/a/._b.jsonl", "a/.cache.json", "out/"))]
    [False, True, True, True]
    """
    parts = PurePosixPath(path.lower()).parts
    return path.endswith("/") or any(part.startswith((".", "__macosx")) for part in parts)


def may_be_table(path: str) -> bool:
    """Whether a file is named as a table, or as a text with a line for each example.

    >>> [*map(may_be_table, ("a/b.jsonl", "README.md", "c.csv.gz", "src.txt", "gpt-4.jsonl.corrected"))]
    [True, False, True, True, True]
    """
    suffixes = PurePosixPath(path.lower()).suffixes[-2:]
    return is_called_text(path) or any(suffix in (*EXTENSIONS, *TEXTS, *trec.SUFFIXES) for suffix in suffixes)


def is_called_text(path: str) -> bool:
    """Whether a file is named as a text: also "text", as those of speech recognisers are, and before another ending.

    >>> [*map(is_called_text, ("a.txt", "exp/text", "large.hyp.trn", "news.ref.de", "a.hyp.csv"))]
    [True, True, True, True, False]
    """
    name = PurePosixPath(path.lower())
    is_marked = bool({*name.suffixes[-2:]} & {*TEXTS}) and name.suffix not in (*EXTENSIONS, ".gz")
    return is_marked or name.name == "text"


def is_text(path: str, content: bytes) -> bool:
    """Whether a file is read by lines: named as a text or as a run, or neither named as a table nor begun as one."""
    is_named = is_called_text(path) or path.lower().endswith(trec.SUFFIXES)
    return is_named or not (may_be_table(path) or content.lstrip().startswith(b"{"))


def bare(path: str) -> str:
    """The path without its suffix, and without ".gz" behind it."""
    name = PurePosixPath(path)
    return str(name.with_suffix("").with_suffix("") if name.suffix.lower() == ".gz" else name.with_suffix(""))
