"""A sheet of verdicts without the answers, which they stand in for: id, verdict of A, verdict of B."""

from collections.abc import Sequence

from evaluations.linear import Pattern

from . import tool_scores
from .looked_at import ENOUGH, Columns
from .role_words import JUDGED
from .score_words import GRADES, LOWER, RIGHT, VERDICTS, WRONG
from .suggest import plain

SAYS_SO = GRADES | RIGHT | WRONG | {"result", "results"}
_PARTS = Pattern(r"[^\p{L}\p{N}.-]+")


def verdicts_alone(file: Columns) -> None:
    """Columns of verdicts about each example, where no column has answers, nor texts that could be some."""
    if file.of("output", "score", "low score", "preferred") or not file.of("key", "inputs"):
        return
    found = [name for name in file.of("metadata") if _are_verdicts(file, name)]
    measures = {} if found else tool_scores.find(file.of("metadata"), file.rows)
    found = found or [*measures.values()]
    judged = [name for name in file.of("metadata") if plain(name) in JUDGED]
    others = [name for name in file.of("metadata") if name not in (*found, *judged)]
    if not found or any(file.is_text(name) or file.has_structures(name) for name in others):
        return
    for name in file.of("reference"):
        file.guess(name, "metadata", "no column has answers to compare with it")
    for name in judged:
        file.guess(name, "inputs", "a judge compares it with another text")
    for score, name in measures.items():  # of the one variant, which the file or its name may name
        role = "low score" if file.words[name] & LOWER else "score"
        file.guess(name, role, "it is a measure, and stands in place of the answers", found[0], score)
    for name, (variant, score) in zip(found, _parted(found), strict=True) if not measures else ():
        role = "low score" if file.words[name] & WRONG else "score"
        file.guess(name, role, "it is a verdict, and stands in place of the answers", variant, score)


def _are_verdicts(file: Columns, name: str) -> bool:
    present = {text.casefold() for text in file.cells(name) if text}
    if len(file.cells(name)) < ENOUGH or len(present) < 2:
        return False
    return file.says_pass_or_fail(name) or (present <= VERDICTS and bool(file.words[name] & SAYS_SO))


def _parted(names: Sequence[str]) -> list[tuple[str, str]]:
    """Of each name the words that tell it apart, and those that all have; two empty texts if one has none of its own.

    >>> _parted(["verdict of GPT", "verdict of Claude-3.5"])
    [('GPT', 'verdict of'), ('Claude-3.5', 'verdict of')]
    >>> _parted(["passed"])
    [('', '')]
    """
    words = [[word for word in _PARTS.split(name) if word] for name in names]
    shared = {*words[0]}.intersection(*words)
    parted = [
        (
            " ".join(word for word in of_name if word not in shared),
            " ".join(word for word in of_name if word in shared),
        )
        for of_name in words
    ]
    return parted if all(mark for mark, _ in parted) else [("", "")] * len(names)
