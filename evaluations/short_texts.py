"""Texts that are too long for their place: the beginning of one, and names without their middle, where few differ."""

from collections.abc import Iterable
from itertools import takewhile

from evaluations.linear import Pattern

IN_SENTENCE = 40  # letters of a name in a sentence; of a longer one the table below has the whole
NARROW = 24  # letters of a name in a menu, a chart or a narrow column
ENDING = 16  # letters at the end of a long name that stay, as far as there is room
_BEGINNING = Pattern(r"(?s)(.*[\p{L}\p{M}\p{N}])[^\p{L}\p{M}\p{N}]")  # whole words at the beginning
_END = Pattern(r"(?s)[\p{L}\p{M}\p{N}]*[^\p{L}\p{M}\p{N}]+(.+)")  # and at the end


def shortened(text: object, most: int) -> str:
    """A text of at most so many characters; no comma and no full stop stands before the dots of a cut one.

    >>> shortened("It is wrong. It is late.", 13), shortened("It is wrong.", 13)
    ('It is wrong…', 'It is wrong.')
    """
    whole = str(text)
    return whole if len(whole) <= most else going_on(whole[: most - 1])


def going_on(beginning: str) -> str:
    """The beginning of a text, with dots in place of its rest.

    >>> going_on("It is wrong."), going_on("It is wr")
    ('It is wrong…', 'It is wr…')
    """
    return f"{beginning.rstrip(' .,;:…')}…"


def ended(sentence: str) -> str:
    """A sentence with its full stop, which a name at its end with a mark of its own does not need.

    >>> ended("It lacks scores of exact match"), ended("It lacks scores of Sendable?")
    ('It lacks scores of exact match.', 'It lacks scores of Sendable?')
    """
    return sentence if sentence.endswith(("?", "!", ".", "…")) else f"{sentence}."


def short_name(name: object, most: int = IN_SENTENCE) -> str:
    """A name of at most so many letters: of a long one the middle is cut, between words where there are any near.

    >>> short_name("Label (account_access, billing and several others)")
    'Label (account_access…several others)'
    >>> short_name("qwen2.5-vl-72b-instruct-awq-int4 · chain of thought", 32)
    'qwen2.5-vl-72b…chain of thought'
    >>> short_name("a-name-of-one-word", 40), short_name("onewordthatgoesonandon", 12)
    ('a-name-of-one-word', 'one…sonandon')
    """
    whole = str(name)
    if len(whole) <= most:
        return whole
    end = whole[-min(ENDING, 2 * most // 3) :]
    after = _END.fullmatch(end) if whole[-len(end) - 1].isalnum() else None
    end = after[1] if after and 2 * len(after[1]) > len(end) else end
    beginning = whole[: most - len(end) - 1]
    before = _BEGINNING.match(beginning) if whole[len(beginning)].isalnum() else None
    beginning = before[1] if before and 2 * len(before[1]) > len(beginning) else beginning
    return f"{going_on(beginning)}{end.lstrip(' .,;:·_-')}"


def short_names(names: Iterable[str], most: int = IN_SENTENCE) -> dict[str, str]:
    """By name, what is shown of each name of one comparison; no two different names look equal.

    Names that are equal at both ends show where they begin to differ, and those that still are equal a number.

    >>> [*short_names([f"a very long name, {one} try, on gpt-4.1-nano" for one in ("first", "second")], 30).values()]
    ['a very lon…first try, on gpt-…', 'a very lon…second try, on gpt…']
    """
    shown = {name: short_name(name, most) for name in names}
    for alike in _alike(shown):
        start = sum(1 for _ in takewhile(lambda letters: len({*letters}) == 1, zip(*alike, strict=False)))
        start = max(alike[0].rfind(mark, 0, start) for mark in " -_/") + 1 or start
        shown |= {name: _from(name, start, most) for name in alike if len(name) > most}
    for alike in _alike(shown):
        for number, name in enumerate((name for name in alike if len(name) > most), 2):
            shown[name] = f"{shown[name][: most - len(f' ({number})')]} ({number})"
    return shown


def with_short_names(sentence: str, names: Iterable[str]) -> str:
    """A sentence in which each of these names is cut if it is long.

    >>> name = "a name that goes on and on without any end"
    >>> with_short_names(f"The run of {name} failed.", [name])
    'The run of a name that goes on and…without any end failed.'
    """
    for name, shown in short_names(sorted(set(names), key=len, reverse=True)).items():
        sentence = sentence.replace(name, shown)
    return sentence


def _alike(shown: dict[str, str]) -> list[list[str]]:
    """The names of which the same is shown."""
    by_text: dict[str, list[str]] = {}
    for name, text in shown.items():
        by_text.setdefault(text, []).append(name)
    return [names for names in by_text.values() if len(names) > 1]


def _from(name: str, start: int, most: int) -> str:
    """The first letters of a name, and what begins at a place further on."""
    beginning = going_on(name[: min(most // 3, start)])
    return beginning + shortened(name[start:], most - len(beginning))
