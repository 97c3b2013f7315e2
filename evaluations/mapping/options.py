"""Answers that say the text of an option instead of its label: "Paris" where the options are A: Oslo, B: Paris."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluations.jsonpath import Path
from evaluations.linear import Pattern
from evaluations.mapping.reasoning import split_reasoning
from evaluations.values import JSON, Column, Status, text_of

LONGEST = 20_000  # characters at the end of an answer
SIGNS = Pattern(r"[^\p{L}\p{M}\p{N}]+")


@dataclass(frozen=True)
class Options:
    """Where the text of the option behind each label stands in a row."""

    paths: Mapping[str, Path]

    def filled(self, read: Column, said: Column, texts: Sequence[Column]) -> Column:
        """The column as read, with the label whose text is said where no label was found; `texts` are by label."""
        lost = [row for row, (status, _) in read.problems.items() if status == Status.NOT_FOUND]
        values, problems = list(read.values), dict(read.problems)
        for row in lost:
            options = {label: text.values[row] for label, text in zip(self.paths, texts, strict=True)}
            if label := label_of(said.values[row], options):
                values[row] = label
                del problems[row]
        return Column(values, problems)


def label_of(answer: JSON, options: Mapping[str, JSON]) -> str:
    """The label of the only option whose text an answer says; "" if it says none or several.

    >>> label_of("It is Paris.", {"A": "Oslo", "B": "Paris"}), label_of("Oslo or Paris", {"A": "Oslo", "B": "Paris"})
    ('B', '')
    >>> label_of("North Korea", {"A": "Korea", "B": "North Korea"})
    'B'
    """
    said = _words(split_reasoning(text_of(answer) or "")[1][-LONGEST:])
    texts = {
        label: words for label, text in options.items() if (words := _words(text_of(text) or "")).strip()
    }
    found = {label: words for label, words in texts.items() if words in said}
    longest = [
        label
        for label, words in found.items()
        if not any(words != other and words in other for other in found.values())
    ]
    return longest[0] if len(longest) == 1 else ""


def _words(text: str) -> str:
    return f" {SIGNS.sub(' ', text.casefold()).strip()} "
