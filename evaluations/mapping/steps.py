"""The reading steps: each takes a value and gives the part of it that is the answer, or raises `NotFound`.

Every step takes time in proportion to the text. Their settings are checked by pydantic when an evaluator is saved.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, field_validator

from evaluations import jsonpath, linear, strict_json
from evaluations.metrics import patterns
from evaluations.values import JSON, text_of

MOST_LABELS = 100
LONGEST_SETTING = 1_000

# The marks of a reasoning block in lower case, in pairs; a block counts at the beginning of a text only.
BLOCKS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    ("<seed:think>", "</seed:think>"),
    ("[think]", "[/think]"),
    ("◁think▷", "◁/think▷"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
)
FINAL_CHANNEL = ("<|start|>assistant<|channel|>final<|message|>", "<|channel|>final<|message|>")
FENCES = ("```", "~~~")
MARKED = r"(?i)\banswer(?:\s+is)?\s*[:=]?\s*(?:option\s+)?[\s(\[{*_\"'`]*$"
BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"), ("**", "**"), ("__", "__"), ("<", ">"))


class NotFound(Exception):
    """The step finds nothing; the message says what it looked for."""


class Step(BaseModel):
    """Base of the settings of a step."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    step: str

    def read(self, value: JSON) -> JSON:
        """The part of a value that is the answer; raises `NotFound`."""
        raise NotImplementedError

    def skips(self, value: JSON) -> bool:
        """Whether the step plainly changes nothing, which is quicker to know than to do."""
        return False


class Reasoning(Step):
    """Drops blocks of reasoning at the beginning; an unclosed one leaves nothing."""

    step: Literal["reasoning"]

    def skips(self, value: JSON) -> bool:
        return (
            isinstance(value, str) and "</think>" not in value and value.lstrip()[:1] not in ("<", "[", "◁")
        )

    def read(self, value: JSON) -> JSON:
        if isinstance(value, str) and (answer := _after_one_block(value)):
            return answer
        _, answer = split_reasoning(text_of(value) or "")
        if not answer:
            raise NotFound("there is nothing after the reasoning")
        return answer


def _after_one_block(text: str) -> str:
    """What follows the only block of the usual kind, if no other mark is near: the usual case, quickly."""
    if not text.startswith("<think>"):
        return ""
    thought, _, rest = text.partition("</think>")
    answer = rest.strip()
    return answer if thought.rfind("<") == 0 and answer[:1] not in FIRST_SIGNS else ""


FIRST_SIGNS = ("<", "[", "◁")


def split_reasoning(text: str) -> tuple[str, str]:
    """The reasoning at the beginning of a text, and the answer after it, both stripped.

    An unclosed block is all reasoning. A text without a block is all answer, and is not stripped.

    >>> split_reasoning("<think>Rome? No.</think> Paris")
    ('Rome? No.', 'Paris')
    >>> split_reasoning("4"), split_reasoning("<think>I am still")
    (('', '4'), ('I am still', ''))
    """
    rest, thoughts = text, list[str]()
    while block := _block_at_start(rest.lstrip()):
        thought, rest = block
        thoughts.append(thought.strip())
    if not thoughts and (end := text.find("</think>")) >= 0 and "<think>" not in text[:end]:
        # The opening mark was a part of the prompt.
        thoughts, rest = [text[:end].strip()], text[end + len("</think>") :]
    if not thoughts:
        return "", text
    rest = rest.strip()
    for mark in FINAL_CHANNEL:
        rest = rest.removeprefix(mark)
    return "\n\n".join(filter(None, thoughts)), rest.strip()


def _block_at_start(text: str) -> tuple[str, str] | None:
    """The content of the block with which a text begins, and the text behind it; the case of its marks is ignored."""
    folded = linear.folded(text)
    for opening, closing in BLOCKS:
        if folded.startswith(opening):
            end = _closing(folded, opening, closing)
            content = text[len(opening) :] if end < 0 else text[len(opening) : end]
            return content, "" if end < 0 else text[end + len(closing) :]
    return None


def _closing(text: str, opening: str, closing: str) -> int:
    """Where the block at the start of the text is closed, with blocks inside it counted; -1 if it is not."""
    depth, at = 1, len(opening)
    while True:
        end = text.find(closing, at)
        if end < 0:
            return -1
        depth += text.count(opening, at, end) - 1
        if depth == 0:
            return end
        at = end + len(closing)


class Json(Step):
    """The whole text as JSON, else the first fenced block that is JSON, else the first object or list in the text."""

    step: Literal["json"]

    def read(self, value: JSON) -> JSON:
        if not isinstance(value, str):
            return value
        for candidate in _json_candidates(value):
            try:
                return strict_json.parse(candidate.encode())
            except (strict_json.JSONError, UnicodeEncodeError):
                continue
        raise NotFound("there is no JSON")


def _json_candidates(text: str) -> Iterator[str]:
    yield text
    yield from (content for _, content in fenced_blocks(text))
    yield from _balanced(text)


def fenced_blocks(text: str) -> Iterator[tuple[str, str]]:
    """The language and the content of every fenced block; one that is not closed ends with the text."""
    fence, language, content = "", "", list[str]()
    for line in text.split("\n"):
        mark = line.strip()
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


def _balanced(text: str) -> Iterator[str]:
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


class Path(Step):
    """A path into the JSON that an earlier step found."""

    step: Literal["path"]
    path: Annotated[str, Field(min_length=1, max_length=LONGEST_SETTING)]

    @field_validator("path")
    @classmethod
    def _compiles(cls, path: str) -> str:
        try:
            jsonpath.compile(path)
        except jsonpath.PathError as error:
            raise ValueError(str(error)) from error
        return path

    @cached_property
    def _compiled(self) -> jsonpath.Path:
        return jsonpath.compile(self.path)

    def read(self, value: JSON) -> JSON:
        try:
            matches = self._compiled.find(value) if isinstance(value, dict | list) else []
        except jsonpath.PathLimitError as error:
            raise NotFound(f"{self.path} was stopped: {error}") from error
        if not matches:
            raise NotFound(f"{self.path} matches nothing")
        match: JSON = matches[0]
        return match


class Code(Step):
    """The content of the first fenced block."""

    step: Literal["code"]

    def read(self, value: JSON) -> JSON:
        for _, content in fenced_blocks(text_of(value) or ""):
            return content
        raise NotFound("there is no fenced block")


class Pattern(Step):
    """What a pattern (RE2) matches: a group, of the first or the last match."""

    step: Literal["pattern"]
    pattern: Annotated[str, Field(min_length=1, max_length=LONGEST_SETTING)]
    group: Annotated[int, Field(ge=0, le=50)] | None = None
    match: Literal["first", "last"] = "first"

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        patterns.compile(pattern)
        return pattern

    @cached_property
    def _compiled(self) -> Any:
        return patterns.compile(self.pattern)

    @property
    def _group(self) -> int:
        """The group that is read: by default the first, or the whole match of a pattern without groups."""
        groups: int = self._compiled.groups
        return min(1 if self.group is None else self.group, groups)

    def read(self, value: JSON) -> JSON:
        text = linear.without_surrogates(text_of(value) or "")
        found = self._compiled.search(text)
        if found and self.match == "last":
            *_, found = self._compiled.finditer(text)
        if not found or found[self._group] is None:
            raise NotFound("the pattern matches nothing")
        return str(found[self._group])


class After(Step):
    """What stands after the last occurrence of a marker."""

    step: Literal["after"]
    marker: Annotated[str, Field(min_length=1, max_length=LONGEST_SETTING)]

    def read(self, value: JSON) -> JSON:
        _, marker, rest = (text_of(value) or "").rpartition(self.marker)
        if not marker:
            raise NotFound(f"“{self.marker}” does not occur")
        return rest.strip()


class Line(Step):
    """The first or the last line that is not blank."""

    step: Literal["first_line", "last_line"]

    def read(self, value: JSON) -> JSON:
        lines = (text_of(value) or "").splitlines()
        line = next(
            (line for line in (lines if self.step == "first_line" else reversed(lines)) if line.strip()), None
        )
        if line is None:
            raise NotFound("there is no line")
        return line.strip()


class Choice(Step):
    """One of the allowed labels: the whole text, else the last one after "answer", else the one in brackets, boxed or
    bold, else the only one that occurs as a word. Two different ones at one level are ambiguous."""

    step: Literal["choice"]
    labels: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=200)]], Field(min_length=1, max_length=MOST_LABELS)
    ]

    @field_validator("labels")
    @classmethod
    def _are_different(cls, labels: list[str]) -> list[str]:
        if len({label.strip().casefold() for label in labels}) < len(labels):
            raise ValueError("Labels must differ in more than case.")
        return labels

    @cached_property
    def _by_fold(self) -> dict[str, str]:
        return {label.strip().casefold(): label for label in self.labels}

    @cached_property
    def _pattern(self) -> linear.Pattern[str]:
        longest_first = sorted(self.labels, key=len, reverse=True)
        return linear.Pattern(
            "|".join(linear.literal(label.strip()) for label in longest_first), ignore_case=True
        )

    def read(self, value: JSON) -> JSON:
        text = (text_of(value) or "").strip()
        if alone := self._by_fold.get(text.rstrip(".").casefold()):
            return alone
        found = list(self._found(text))
        marked = [label for label, level in found if level == "marked"]
        if marked:
            return marked[-1]
        for level in ("bracketed", "word"):
            labels = {label for label, its_level in found if level in (its_level, "word")}
            if len(labels) == 1:
                return labels.pop()
            if labels:
                raise NotFound(f"the answer is ambiguous between {', '.join(sorted(labels))}")
        raise NotFound("there is no label")

    def _found(self, text: str) -> Iterator[tuple[str, str]]:
        """The labels that occur as words, in order, each with how it is set off."""
        for match in self._pattern.finditer(text):
            label = self._by_fold.get(match[0].casefold())
            before, after = (
                text[max(0, match.start() - 40) : match.start()],
                text[match.end() : match.end() + 3],
            )
            is_part = _is_in_word(before[-1:], match[0][:1]) or _is_in_word(after[:1], match[0][-1:])
            if label is None or is_part or (len(label) == 1 and match[0] != label):
                continue
            yield label, _level(before, after)


def _is_in_word(neighbour: str, edge: str) -> bool:
    return neighbour.isalnum() and edge.isalnum()


def _level(before: str, after: str) -> str:
    if "nswer" in before.lower() and ANSWER.search(before):
        return "marked"
    is_bracketed = any(before.endswith(left) and after.startswith(right) for left, right in BRACKETS)
    return "bracketed" if is_bracketed else "word"


ANSWER = linear.Pattern(MARKED)


class Normalize(Step):
    """The text in a form in which differences of writing do not count."""

    step: Literal["normalize"]
    unicode: Literal["NFC", "NFD", "NFKC", "NFKD"] | None = None
    case: Literal["fold", "lower"] | None = None
    whitespace: Literal["collapse"] | None = None
    punctuation: Literal["remove"] | None = None
    articles: Literal["en"] | None = None

    def read(self, value: JSON) -> JSON:
        text = text_of(value) or ""
        if self.unicode:
            text = unicodedata.normalize(self.unicode, text)
        if self.case:
            text = text.casefold() if self.case == "fold" else text.lower()
        if self.punctuation:
            text = "".join(sign for sign in text if not unicodedata.category(sign).startswith("P"))
        if self.articles:
            text = " ".join(word for word in text.split(" ") if word.lower() not in ("a", "an", "the"))
        return " ".join(text.split()) if self.whitespace else text


SimpleStep: TypeAlias = Reasoning | Json | Code | Line
AnyStep: TypeAlias = Annotated[
    SimpleStep | Path | Pattern | After | Choice | Normalize, Field(discriminator="step")
]
