"""Plain texts with a line for each example, whatever their names end in: what is asked, right, or answered."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath

from evaluations.linear import Pattern

from .batch import Row
from .file_names import GENERIC, is_named_as_data
from .file_tables import Table
from .member_names import bare
from .role_words import REFERENCE_WORDS

FEWEST = 5  # lines
SHOWN = 80  # characters of the end of a path
SOURCE, REFERENCE, OUTPUT = "source", "reference", "output"  # names of columns
# folders of right answers, and words in names of files with what is asked
OF_REFERENCES = REFERENCE_WORDS | {"human", "humans", "references", "refs", "targets"}
ASKED = {"complex", "orig", "source", "src"}
_WORDS = Pattern(r"[^\p{L}\p{N}]+")
FEWEST_BESIDE = 3  # files: a source, what is right, and an output
_LANGUAGE = Pattern(r"\.[a-z]{2,3}(?:[-_][a-z]{2,4})?")
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


def tables(texts: Mapping[str, bytes]) -> dict[str, Table]:
    """The plain texts with as many lines as another: each line is of one example, which a word at one end may name."""
    lines = {path: content.decode("utf-8", "replace").splitlines() for path, content in texts.items()}
    count = Counter(map(len, lines.values()))
    found = {path: one for path, one in lines.items() if len(one) >= FEWEST and count[len(one)] > 1}
    keyed = by_key(found)
    named = columns([*found])
    return {
        path: Table(
            bare(path),
            _rows(named.get(path) or _called(bare(path)), one, keyed.get(path, ())),
            has_keys=path in keyed,
        )
        for path, one in found.items()
    }


def _rows(name: str, lines: Sequence[str], keyed: Sequence[tuple[str, str]]) -> list[Row]:
    if keyed:
        return [{"id": key, name: said} for key, said in keyed]
    if all(text.count("\t") == 1 for text in lines):  # behind a query, its database
        return [{name: text.partition("\t")[0]} for text in lines]
    return [{name: text} for text in lines]


def _called(path: str) -> str:
    """The name of the column of a text: after its file or, if that is only called so, its folder."""
    own = PurePosixPath(path)
    name = own.parent.name if own.name == "text" else own.name
    return name if is_named_as_data(path) else OUTPUT


def columns(paths: Sequence[str]) -> dict[str, str]:
    """The names of columns for files that a folder, a number at the end or a word says what they are.

    >>> columns(["a.orig", "a.simp.0", "a.simp.1", "system/x.txt"])
    {'a.simp.0': 'reference_1', 'a.simp.1': 'reference_2', 'a.orig': 'source', 'system/x.txt': 'output'}
    >>> columns(["refs/a.txt", "old.txt", "new.txt"])
    {'refs/a.txt': 'reference', 'old.txt': 'output', 'new.txt': 'output'}
    >>> columns(["src.txt", "ref.txt", "run.1.txt", "run.2.txt"])
    {}
    >>> columns(["news.en", "news.ref.de", "news.new.de"]), columns(["text", "hyp_a.txt", "hyp_b.txt"])["text"]
    ({'news.en': 'source'}, 'reference')
    """
    right = [path for path in paths if {*PurePosixPath(path.casefold()).parts[:-1]} & OF_REFERENCES]
    right = right or _numbered(paths) or _beside_named_outputs(paths)
    if not right or len(right) == len(paths):
        return dict.fromkeys(_in_another_language(paths), SOURCE)
    names = [f"{REFERENCE}_{n}" for n in range(1, len(right) + 1)] if len(right) > 1 else [REFERENCE]
    others = [path for path in paths if path not in right]
    asked = [path for path in others if _words(path) & ASKED] or _in_another_language(paths)
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


def by_key(texts: Mapping[str, Sequence[str]]) -> dict[str, list[tuple[str, str]]]:
    """The lines of texts as keys and what is said, where the same words name them in each; {} where none do.

    Such words are the first of each line, or the last in brackets, as in the transcripts of sclite.

    >>> by_key({"ref": ["a b (u1)", "c (u2)"], "hyp": ["d (u2)", "a (u1)"]})["hyp"]
    [('u2', 'd'), ('u1', 'a')]
    >>> by_key({"ref": ["u1 a b", "u2 c"], "hyp": ["u2 d", "u1 a"]})["ref"]
    [('u1', 'a b'), ('u2', 'c')]
    >>> by_key({"ref": ["u1 a b", "u2 c"], "hyp": ["u3 d", "u1 a"]})
    {}
    """
    for split in (_key_first, _key_last):
        found = {path: [split(line) for line in lines] for path, lines in texts.items()}
        keys = [[key for key, _ in one] for one in found.values()]
        if len({frozenset(one) for one in keys}) == 1 and all(len({*one} - {""}) == len(one) for one in keys):
            return found
    return {}


def _key_first(line: str) -> tuple[str, str]:
    key, _, said = line.partition(" ")
    return key, said.strip()


def _key_last(line: str) -> tuple[str, str]:
    said, _, key = line.strip().rpartition(" ")
    return (key[1:-1], said.strip()) if key.startswith("(") and key.endswith(")") else ("", line)


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


def _beside_named_outputs(paths: Sequence[str]) -> list[str]:
    """The only file that is not named as an output where all others are: text beside hyp_base.txt."""
    if any(map(is_named_as_data, paths)):
        return []
    others = [path for path in paths if not _words(path) & GENERIC]
    return others if len(others) == 1 and not _words(others[0]) & ASKED else []


def _in_another_language(paths: Sequence[str]) -> list[str]:
    """The only file with another language at its end than all others have: news.en beside news.ref.de, news.x.de."""
    ends = {path: PurePosixPath(path.casefold()).suffix for path in paths}
    if len(paths) < FEWEST_BESIDE or not all(map(_LANGUAGE.fullmatch, ends.values())):
        return []
    counts = Counter(ends.values())
    return [path for path, end in ends.items() if len(counts) == 2 and counts[end] == 1]


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
