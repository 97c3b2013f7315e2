"""Answers that say the text of an option instead of its label: "Paris" where the options are A: Oslo, B: Paris."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluations.jsonpath import Path
from evaluations.linear import Pattern
from evaluations.mapping.reasoning import split_reasoning
from evaluations.metrics.whole_words import WITHOUT_BLANKS
from evaluations.values import JSON, Column, Status, opened_json, text_of

LONGEST = 20_000  # characters at the end of an answer
# what stands before the label of an option in the name of a column: choice0, option_A, mc_answer1
NAMED = r"(?:mc_)?(?:option|choice|answer|ans|opt|op|ending|sol)_?"
MARK = Pattern(r"(?:^|[\s|;,(\[])(\p{Lu}|\d)[).:\]]\s*")  # before the text of an option: A) or (2)
ARRAY = Pattern(r"'(\w+)': array\(\[([^\]]*)\]")  # as pandas writes a field of an object into CSV
QUOTED = Pattern(r"'([^']*)'|\"([^\"]*)\"")
SIGNS = Pattern(r"[^\p{L}\p{M}\p{N}]+")


@dataclass(frozen=True)
class Options:
    """Where the text of the option behind each of the labels stands in a row, or by a single path the list of all."""

    paths: Sequence[Path]
    labels: Sequence[str]
    are_listed: bool = False

    def filled(self, read: Column, said: Column, texts: Sequence[Column]) -> Column:
        """The column as read, with the label whose text is said where no label was found; `texts` are at the paths."""
        lost = [row for row, (status, _) in read.problems.items() if status == Status.NOT_FOUND]
        values, problems = list(read.values), dict(read.problems)
        for row in lost:
            if label := label_of(said.values[row], self._of_row([text.values[row] for text in texts])):
                values[row] = label
                del problems[row]
        return Column(values, problems)

    def _of_row(self, texts: Sequence[JSON]) -> dict[str, JSON]:
        """The texts of a row by label."""
        return (
            listed(texts[0], self.labels) if self.are_listed else dict(zip(self.labels, texts, strict=True))
        )


def listed(value: JSON, labels: Sequence[str]) -> dict[str, JSON]:
    """The texts by label in a list, an object with lists, or a text that marks each option with its label; else {}.

    >>> listed("Which? A) Oslo | B) Rome", ["A", "B"]), listed("(1) red (2) blue", ["1", "2"])
    ({'A': 'Oslo', 'B': 'Rome'}, {'1': 'red', '2': 'blue'})
    >>> listed("{'label': array(['A', 'B']), 'text': array(['Oslo', 'Rome'])}", ["A", "B"])
    {'A': 'Oslo', 'B': 'Rome'}
    >>> listed(["x", "y"], ["A", "B"]) == listed("['x' 'y']", ["A", "B"])
    True
    >>> listed(["x", "y", "z"], ["A", "B"]), listed({"A": "x", "B": "y"}, ["A", "B"])
    ({}, {'A': 'x', 'B': 'y'})
    >>> listed({"stem": "?", "choices": [{"label": "B", "text": "y"}, {"label": "A", "text": "x"}]}, ["A", "B"])
    {'B': 'y', 'A': 'x'}
    """
    opened: Any = opened_json(value)
    if isinstance(opened, str) and (fields := {found[1]: found[2] for found in ARRAY.finditer(opened)}):
        opened = {
            name: [one[1] or one[2] for one in QUOTED.finditer(field)] for name, field in fields.items()
        }
    elif (
        isinstance(opened, str) and opened.startswith("[") and opened.endswith("]")
    ):  # as numpy writes an array
        opened = [one[1] or one[2] for one in QUOTED.finditer(opened)]
    in_order = sorted(labels)
    if isinstance(opened, dict) and opened.keys() >= {*labels}:
        return {label: opened[label] for label in labels}
    if isinstance(opened, dict) and "text" in opened:
        in_order, opened = opened.get("label", in_order), opened.get("text")
    elif isinstance(opened, dict):  # a question with its choices
        opened = next((one for one in opened.values() if isinstance(one, list)), None)
    if isinstance(opened, str):
        return _marked(opened, in_order)
    if isinstance(opened, list) and opened and all(isinstance(one, dict) and "text" in one for one in opened):
        pairs = zip(in_order, opened, strict=False)
        return {str(one.get("label", label)): one["text"] for label, one in pairs}
    are_lists = isinstance(opened, list) and isinstance(in_order, list) and len(opened) <= len(in_order)
    return dict(zip(map(str, in_order), opened, strict=False)) if are_lists else {}


def _marked(text: str, labels: Sequence[str]) -> dict[str, JSON]:
    """The texts behind the last marks of all labels in order."""
    marks = [*MARK.finditer(text[-LONGEST:])]
    text = text[-LONGEST:]
    for first in range(len(marks) - len(labels), -1, -1):
        run = marks[first : first + len(labels)]
        if [mark[1] for mark in run] == list(labels):
            ends = [mark.start() for mark in run[1:]] + [len(text)]
            texts = [text[mark.end() : end].strip(" \t\n|;,([") for mark, end in zip(run, ends, strict=True)]
            return dict(zip(labels, [*texts[:-1], texts[-1].partition("\n")[0]], strict=True))
    return {}


def label_of(answer: JSON, options: Mapping[str, JSON]) -> str:
    """The label of the only option whose text an answer says; "" if it says none or several.

    >>> label_of("It is Paris.", {"A": "Oslo", "B": "Paris"}), label_of("Oslo or Paris", {"A": "Oslo", "B": "Paris"})
    ('B', '')
    >>> label_of("North Korea", {"A": "Korea", "B": "North Korea"}), label_of("答えは駅です。", {"0": "駅", "1": "海"})
    ('B', '0')
    """
    said = _words(split_reasoning(text_of(answer) or "")[1][-LONGEST:])
    texts = {
        label: words for label, text in options.items() if (words := _words(text_of(text) or "")).strip()
    }
    found = {label: words for label, words in texts.items() if _is_in(words, said)}
    longest = [
        label
        for label, words in found.items()
        if not any(words != other and _is_in(words, other) for other in found.values())
    ]
    return longest[0] if len(longest) == 1 else ""


def _is_in(words: str, said: str) -> bool:
    """Whether a text has these words; in writing without blanks, these signs."""
    return (words.strip() if WITHOUT_BLANKS.search(words) else words) in said


def _words(text: str) -> str:
    return f" {SIGNS.sub(' ', text.casefold()).strip()} "
