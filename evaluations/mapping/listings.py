"""Lists in answers: as JSON, as lines with bullets or numbers, or as parts between commas; and several labels."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from evaluations import fences, linear, strict_json
from evaluations.values import JSON, text_of

BULLET = linear.Pattern(r"^\s*(?:[-*•–·]|\(?\d{1,3}[.)])\s+(.*\S)")
INTRODUCTION = linear.Pattern(r"^[^,;:]*:\s*")  # "The cities are: " before what is listed
BETWEEN = linear.Pattern(r"\s*[,;，、；]\s*(?:(?:and|or|und|oder|et|y|e)\s+)?")
ARROW = linear.Pattern(r"\s+>\s+|\s*[→⟶➔]\s*")
AND = linear.Pattern(r"^(.*\S)\s+(?:and|or|und|oder|et|y|e|&)\s+(\S.*)$")
ANSWER = (
    r"(?i:\b(?:answers?|antwort(?:en)?|réponses?|respuestas?|risposte?|respostas?|labels?|categories)\b"
    r"(?:\s+(?:is|are|ist|sind|est|sont|es|son))?\s*[:=：]?\s*)"
)
ANSWERS = linear.Pattern(ANSWER)
# such a word that announces what follows, as "the answer is" or "Answer:"; not "this answers your question"
ANNOUNCED = (
    r"(?i:\b(?:answer|antwort|réponse|respuesta|risposta|resposta)\b"
    r"(?:\s+(?:is|ist|est|es|è|é)\b\s*[:=：]?|\s*[*_]{0,2}\s*[:=：]))"
)
BOLD = linear.Pattern(r"\*\*([^*\n]+)\*\*")
START = linear.Pattern(r"^([^\s.,:;)\]]{1,100})(?:[.,:;)\]]|$|\s+(?:and|und|&)\s)")  # "A) " or "A and "
ENDED = linear.Pattern(
    r"^(?:[.,:;)\]*_`]|\s*$|\s+(?:[-–(]|(?:and|und|&)\s))"
)  # what ends a label at the start of a line
AROUND = " \t*_`\"'“”„‘’«»"


def members(value: JSON) -> list[str]:
    """The members of a list, without repetitions; [] of a blank text.

    >>> members("Here they are:\\n\\n1. **Oslo**\\n2. Rome")
    ['Oslo', 'Rome']
    >>> members("dynamite > penicillin > lasers")
    ['dynamite', 'penicillin', 'lasers']
    """
    listed: list[Any] | None = listed_json(value)
    found = map(text_of, listed) if listed is not None else _of_text(text_of(value) or "")
    return list(dict.fromkeys(text for one in found if (text := (one or "").strip())))


def listed_json(value: JSON) -> list[Any] | None:
    """A list of texts and numbers, alone in its object or in a text or fence; None if the value has none."""
    if isinstance(value, str):
        return next((found for text in _json(value) if (found := _listed(text)) is not None), None)
    return _plain(value)


def _json(text: str) -> Iterator[str]:
    yield text
    yield from (content for _, content in fences.fenced_blocks(text))
    yield from fences.balanced(text)


def _listed(text: str) -> list[Any] | None:
    if text.lstrip()[:1] not in ("[", "{"):
        return None
    try:
        return _plain(strict_json.parse(text.encode()))
    except (strict_json.JSONError, UnicodeEncodeError):
        return None


def _plain(value: Any) -> list[Any] | None:
    if isinstance(value, dict) and len(value) == 1:
        (value,) = value.values()
    is_plain = isinstance(value, list) and all(isinstance(one, str | int | float) for one in value)
    return value if is_plain else None


def _of_text(text: str) -> list[str]:
    text = next((content for _, content in fences.fenced_blocks(text)), text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if bullets := [found[1] for line in lines if (found := BULLET.search(line))]:
        return list(map(_bare, bullets))
    if len(lines) > 1 and _bare(lines[0]).endswith(":"):
        lines = lines[1:]
    if len(lines) != 1:
        return list(map(_bare, lines))
    line = _bare(INTRODUCTION.sub("", _bare(lines[0])))
    return list(map(_bare, _parts(line)))


def _parts(line: str) -> list[str]:
    if ARROW.search(line) and not BETWEEN.search(line):
        return ARROW.split(line)
    *first, last = BETWEEN.split(line)
    joined = AND.search(last)
    if joined and (first or (" " not in joined[1] and " " not in joined[2])):
        return [*first, joined[1], joined[2]]
    return [*first, last]


def _bare(text: str) -> str:
    return text.strip(AROUND).rstrip(".").strip(AROUND)


def answered_labels(text: str, labels: Sequence[str], found: Callable[[str], list[str]]) -> list[str]:
    """All labels of an answer, by `found`, the labels that a text says: behind "answers", else those in bold, else
    those of the lines that begin with one, else all. Letters may stand together, as in "AC"."""
    return next(
        filter(None, (_together(scope, labels) or found(scope) for scope in _scopes(text, labels, found))), []
    )


def _together(text: str, labels: Sequence[str]) -> list[str]:
    """The letters that a text consists of, each once."""
    letters = list(text.strip(AROUND + ".").replace(" ", ""))
    return letters if {*letters} <= {*labels} and len({*letters}) == len(letters) else []


def _scopes(text: str, labels: Sequence[str], found: Callable[[str], list[str]]) -> Iterator[str]:
    *_, answer = [None, *ANSWERS.finditer(text)]
    if answer:
        yield text[answer.end() :].partition("\n\n" if "\n" in answer[0] else "\n")[0]
    yield " , ".join(mark[1] for mark in BOLD.finditer(text))
    lines = [line.strip(AROUND + "-•([") for line in text.splitlines()]
    yield "\n".join(
        line
        for line in lines
        if ((start := START.search(line)) and found(start[1])) or _begins_with(line, labels)
    )
    yield text


def _begins_with(line: str, labels: Sequence[str]) -> bool:
    """Whether a line is a label, also of several words, or goes on behind it with a sign."""
    folded = line.casefold()
    beginnings = [label for label in map(str.casefold, labels) if folded.startswith(label)]
    return any(ENDED.search(line[len(label) :]) for label in beginnings)
