"""Reports that list the names of examples by what became of them: {"resolved_ids": ["a-1"], "unresolved_ids": ["a-2"]}.

As harnesses of tests write them. They become a row for each example, with a verdict.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluations.files.text import clean_json

from . import json_object
from .batch import Row
from .column_names import words_in_order
from .score_words import RIGHT

KEY = "id"
FEWEST = 5  # examples
NOT = ("un", "in", "not", "non", "no", "nicht", "nao", "niet")  # before a word, where the list has all others
OF_IDS = {"id", "ids", "instance", "instances", "names", "tasks"}
SOLVED = {*("fixed", "gelost", "resolu", "resuelto", "risolto", "resolvido", "opgelost", "succeeded")}


def rows(content: bytes) -> list[Row]:
    """The rows; [] of any other file.

    >>> found = rows(b'{"n": 5, "resolved_ids": ["a", "b"], "unresolved_ids": ["c", "d"], "error_ids": ["e"]}')
    >>> found[0], found[-1]
    ({'id': 'a', 'resolved': 1}, {'id': 'e', 'resolved': 0})
    >>> rows(b'{"train": ["a", "b", "c"], "test": ["d", "e", "f"]}')
    []
    """
    found = json_object.of_file(content)
    if found is None:
        return []
    lists = {name: value for name, value in found.items() if isinstance(value, list)}
    if not all(map(_are_names, lists.values())) or any(isinstance(value, dict) for value in found.values()):
        return []
    named = {_without_ids(name): {*value} for name, value in lists.items() if value}
    right = _right(named)
    examples = [*dict.fromkeys(example for name in lists for example in lists[name])]
    if not right or len(examples) < FEWEST or len(named[right]) == len(examples):
        return []
    return [clean_json({KEY: example, right: int(example in named[right])}) for example in examples]


def _are_names(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) for value in values) and len({*values}) == len(values)


def _without_ids(name: str) -> str:
    words = words_in_order(name)
    return "_".join(word for word in words if word not in OF_IDS) or name


def _right(named: Mapping[str, set[str]]) -> str:
    """The list of those that are right: by a word for it, or because another list, named for the opposite, has none
    of them; "" if no list is known to be."""
    for name, members in named.items():
        opposites = [
            named[other] for mark in NOT for other in (f"{mark}{name}", f"{mark}_{name}") if other in named
        ]
        if any(not other & members for other in opposites):
            return name
    by_word = [name for name in named if {*words_in_order(name)} & (SOLVED | RIGHT)]
    return by_word[0] if len(by_word) == 1 and len(named) > 1 else ""
