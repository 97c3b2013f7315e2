"""Fenced blocks in a text, and pieces of it that may be JSON."""

from collections.abc import Iterator, Sequence
from itertools import islice

from evaluations import linear, strict_json

FENCES = ("```", "~~~")


def fenced_blocks(text: str) -> Iterator[tuple[str, str]]:
    """The language and the content of every fenced block; one that is not closed ends with the text."""
    fence, language, content = "", "", list[str]()
    for line in text.split("\n"):
        mark = line.strip()
        if not fence and (inline := _fenced_on_one_line(mark)) is not None:
            yield "", inline
            continue
        if fence:
            if mark.startswith(fence) and not mark.strip(fence[0]):
                yield language, "\n".join(content)
                fence = ""
            else:
                content.append(line)
        elif mark.startswith(FENCES):
            fence = mark[: len(mark) - len(mark.lstrip(mark[0]))]
            language, content = mark[len(fence) :].strip(), []
    if fence:
        yield language, "\n".join(content)


def content_of(text: str) -> str | None:
    """The content of a text that is one fenced block and nothing else; None for any other text."""
    lines = text.strip().split("\n")
    opened, closed = lines[0], lines[-1].strip()
    if len(lines) < 2 or not opened.startswith(FENCES) or not closed or closed.strip(opened[0]):
        return None
    blocks = [content for _, content in fenced_blocks("\n".join(lines))]
    return blocks[0] if len(blocks) == 1 else None


def wrapped(text: str) -> tuple[str, str] | None:
    """The content of the only fenced block of a text and the words around it, fewer than it has itself; else None."""
    blocks = [*islice(fenced_blocks(text), 2)]
    if len(blocks) != 1:
        return None
    content = blocks[0][1]
    lines = text.split("\n")
    marks = [n for n, line in enumerate(lines) if line.strip().startswith(FENCES)]
    around = "\n".join([*lines[: marks[0]], *(lines[marks[1] + 1 :] if len(marks) > 1 else [])]).strip()
    return (content, around) if len(marks) == 2 and len(around) < len(content) else None


def _fenced_on_one_line(line: str) -> str | None:
    """What stands between the marks of a line such as ```4```; None for other lines."""
    if not line.startswith(FENCES):
        return None
    fence = line[: len(line) - len(line.lstrip(line[0]))]
    rest = line[len(fence) :]
    return rest.removesuffix(fence).strip() if rest.endswith(fence) and rest != fence else None


def balanced(text: str) -> Iterator[str]:
    """The outermost pieces from { or [ to their closing bracket; outside of them quotes mean nothing."""
    signs = [(mark.start(), mark[0]) for mark in SIGNS.finditer(text)]
    first, restarts = 0, 0
    while first < len(signs) and restarts < MOST_RESTARTS:
        if signs[first][1] not in "[{":
            first += 1
            continue
        last = _closing_sign(signs, first)
        if last is None:
            # Never closed: it was a bracket of the prose.
            restarts, first = restarts + 1, first + 1
        else:
            yield text[signs[first][0] : signs[last][0] + 1]
            first = last + 1


def _closing_sign(signs: Sequence[tuple[int, str]], first: int) -> int | None:
    """The sign that closes the bracket at `first`; None if nothing does, or if it is nested too deep."""
    depth, quoted = 0, False
    for index in range(first, len(signs)):
        sign = signs[index][1]
        if sign == '"':
            quoted = not quoted
        elif not quoted and sign in "[{":
            depth += 1
        elif not quoted and sign in "]}":
            depth -= 1
        if depth == 0 or depth > strict_json.DEPTH_LIMIT:
            return index if depth == 0 else None
    return None


MOST_RESTARTS = 8
SIGNS = linear.Pattern(r'\\.|["\[\]{}]')
