"""Plain texts with a line for each example, whatever their names end in: what is asked, right, or answered."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath

from evaluations.linear import Pattern

from .file_names import is_named_as_data
from .role_words import REFERENCE_WORDS

FEWEST = 5  # lines
SHOWN = 80  # characters of the end of a path
SOURCE, REFERENCE, OUTPUT = "source", "reference", "output"  # names of columns
# folders of right answers, and words in names of files with what is asked
OF_REFERENCES = REFERENCE_WORDS | {"human", "humans", "references", "refs", "targets"}
ASKED = {"complex", "orig", "source", "src"}
_WORDS = Pattern(r"[^\p{L}\p{N}]+")
_NUMBER = Pattern(r"(\d+)(\.[a-z]+)?$")


def of_equal_length(contents: Mapping[str, bytes], known: Collection[int]) -> list[str]:
    """The files that are texts with as many lines as another of them, or as one that is known.

    >>> five = b"a\\nb\\nc\\nd\\ne\\n"
    >>> of_equal_length({"x.orig": five, "x.sys": five, "LICENSE": b"a\\n" * 9, "x.bin": b"\\0\\n" * 5}, [])
    ['x.orig', 'x.sys']
    """
    lines = {path: count for path, content in contents.items() if (count := _lines(content)) >= FEWEST}
    counts = Counter([*lines.values(), *known])
    return [path for path, count in lines.items() if counts[count] > 1]


def _lines(content: bytes) -> int:
    """The number of lines; 0 if it is no text."""
    try:
        return 0 if b"\0" in content else len(content.decode().splitlines())
    except UnicodeDecodeError:
        return 0


def columns(paths: Sequence[str]) -> dict[str, str]:
    """The names of columns for files that a folder, a number at the end or a word says what they are.

    >>> columns(["a.orig", "a.simp.0", "a.simp.1", "system/x.txt"])
    {'a.simp.0': 'reference_1', 'a.simp.1': 'reference_2', 'a.orig': 'source', 'system/x.txt': 'output'}
    >>> columns(["refs/a.txt", "old.txt", "new.txt"])
    {'refs/a.txt': 'reference', 'old.txt': 'output', 'new.txt': 'output'}
    >>> columns(["src.txt", "ref.txt", "run.1.txt", "run.2.txt"])
    {}
    """
    right = [path for path in paths if {*PurePosixPath(path.casefold()).parts[:-1]} & OF_REFERENCES]
    right = right or _numbered(paths)
    if not right or len(right) == len(paths):
        return {}
    names = [f"{REFERENCE}_{n}" for n in range(1, len(right) + 1)] if len(right) > 1 else [REFERENCE]
    others = [path for path in paths if path not in right]
    asked = [path for path in others if _words(path) & ASKED]
    found = dict(zip(sorted(right, key=_in_order), names, strict=True))
    if len(right) == 1 and is_named_as_data(right[0]):
        found = {}  # its own name says so
    found |= {asked[0]: SOURCE} if len(asked) == 1 else {}
    return found | {path: OUTPUT for path in others if path not in asked}


def told(paths: Sequence[str]) -> list[str]:
    """Sentences about which of the files are right answers, and which is what is asked.

    >>> told(["a.orig", "a.simp.0", "a.simp.1", "system/x.txt"])
    ['“a.simp.0” and 1 more have the right answers.', '“a.orig” has what is asked.']
    """
    named = columns(paths)
    right = [path for path, name in named.items() if name.startswith(REFERENCE)]
    asked = [path for path, name in named.items() if name == SOURCE]
    more = f" and {len(right) - 1} more have" if len(right) > 1 else " has"
    said = [f"“{right[0][-SHOWN:]}”{more} the right answers."] if right else []
    return said + [f"“{path[-SHOWN:]}” has what is asked." for path in asked]


def _numbered(paths: Sequence[str]) -> list[str]:
    """The files whose names differ in a number at the end alone, beside others, where none is named as right."""
    stems = {path: _stem(path) for path in paths}
    counts = Counter(stem for path, stem in stems.items() if stem != path)
    [(series, count)] = counts.most_common(1) or [("", 0)]
    others = [path for path in paths if stems[path] != series]
    is_said = any(_words(path) & REFERENCE_WORDS and is_named_as_data(path) for path in others)
    answers = [path for path in others if not _words(path) & ASKED]
    is_only = len([one for one in counts.values() if one > 1]) == 1
    is_series = count > 1 and is_only and bool(answers) and not is_said
    return [path for path in paths if stems[path] == series] if is_series else []


def _stem(path: str) -> str:
    """The path without the number at its end, before a suffix."""
    found = _NUMBER.search(path)
    return f"{path[: found.start()]}#{found[2] or ''}" if found else path


def _words(path: str) -> set[str]:
    """The words of the name of a file."""
    return {*_WORDS.split(PurePosixPath(path.casefold()).name)} - {""}


def _in_order(path: str) -> tuple[str, int]:
    found = _NUMBER.search(path)
    return _stem(path), int(found[1]) if found else 0
