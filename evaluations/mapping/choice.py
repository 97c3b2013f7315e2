"""The reading step that finds one of the allowed labels in an answer."""

from collections.abc import Iterator
from functools import cached_property
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, ValidationInfo, field_validator

from evaluations import linear
from evaluations.mapping import labels_in_texts, listings
from evaluations.mapping.step import NotFound, Step
from evaluations.metrics.whole_words import is_in_word
from evaluations.values import JSON, text_of

MOST_LABELS, LONGEST_LABEL = 100, 200  # characters
MINUS = ("-", "−")
Label: TypeAlias = Annotated[str, Field(min_length=1, max_length=LONGEST_LABEL)]


class Choice(Step):
    """One of the allowed labels: the whole text, else the last one after "answer" or before "is correct", else the one
    of a line such as "Sentiment: bad", else the one in brackets, boxed or bold, else the one with which the text opens
    before a comma or stop, else the one behind a colon, else the only one that occurs as a word. Two different ones at
    one level are ambiguous. One behind "not" is not said; of two labels, the other is. `also` has other words for
    labels: `{"yes": "true"}`. With `take` all, the list of all labels of the answer; an empty list says that none
    applies."""

    step: Literal["choice"]
    labels: Annotated[list[Label], Field(min_length=1, max_length=MOST_LABELS)]
    also: Annotated[dict[Label, str], Field(min_length=1, max_length=MOST_LABELS)] | None = None
    take: Literal["one", "all"] | None = None

    @field_validator("labels")
    @classmethod
    def _are_different(cls, labels: list[str]) -> list[str]:
        if len({label.strip().casefold() for label in labels}) < len(labels):
            raise ValueError("Labels must differ in more than case.")
        return labels

    @field_validator("also")
    @classmethod
    def _are_words_for_labels(
        cls, also: dict[str, str] | None, info: ValidationInfo
    ) -> dict[str, str] | None:
        labels = info.data.get("labels", [])
        unknown = [label for label in (also or {}).values() if label not in labels]
        if unknown:
            raise ValueError(f"Other words stand for one of the labels, not for “{unknown[0]}”.")
        words = [*labels, *(also or ())]
        if len({word.strip().casefold() for word in words}) < len(words):
            raise ValueError("Other words must differ from the labels, and in more than case.")
        return also

    @cached_property
    def _by_fold(self) -> dict[str, str]:
        words = (self.also or {}) | {label: label for label in self.labels}
        return {word.strip().casefold(): label for word, label in words.items()}

    @cached_property
    def _written(self) -> set[str]:
        """The labels and the other words as they are written, because a small letter may be a word."""
        return {word.strip() for word in (*self.labels, *(self.also or ()))}

    @cached_property
    def _pattern(self) -> linear.Pattern[str]:
        longest_first = sorted([*self.labels, *(self.also or ())], key=len, reverse=True)
        return linear.Pattern(
            "|".join(linear.literal(word.strip()) for word in longest_first), ignore_case=True
        )

    def read(self, value: JSON) -> JSON:
        text = (text_of(value) or "").strip()
        if self.take == "all":
            return self._all(text)
        if alone := self._by_fold.get(text.rstrip(".").casefold()):
            return alone
        found = list(self._found(text))
        marked = [label for label, level in found if level == "marked"]
        if marked:
            return marked[-1]
        if found and found[0][1] == "opening" and self._is_explained(text, found[0][0]):
            return found[0][0]
        for level in ("lined", "bracketed", "opening", "named", "word"):
            labels = {label for label, its_level in found if level in (its_level, "word")}
            if len(labels) == 1:
                return labels.pop()
            if labels:
                raise NotFound(f"the answer is ambiguous between {', '.join(sorted(labels))}")
        raise NotFound("there is no label")

    def _is_explained(self, text: str, opening: str) -> bool:
        """Whether an explanation follows the label with which a text opens, and no line begins with another label."""
        lines = [line.strip("-*_([ \t") for line in text.partition("\n\n")[2].splitlines()]
        begun = {
            self._by_fold.get(start[1].casefold()) for line in lines if (start := listings.START.search(line))
        }
        return bool(lines) and begun <= {None, opening}

    def _other_than(self, label: str) -> str:
        """The other one of two labels of which one is right; "" if they are not two."""
        is_one_of_two = len(self.labels) == 2 and self.take != "all"
        return next((other for other in self.labels if other != label), "") if is_one_of_two else ""

    def _all(self, text: str) -> JSON:
        def said(part: str) -> list[str]:
            return list(dict.fromkeys(label for label, _ in self._found(part)))

        labels: list[JSON] = [*listings.answered_labels(text, self.labels, said)]
        if not labels and listings.listed_json(text) != []:  # an empty list says that no label applies
            raise NotFound("there is no label")
        return labels

    def _found(self, text: str) -> Iterator[tuple[str, str]]:
        """The labels that occur as words, in order, each with how it is set off."""
        for match in self._pattern.finditer(text):
            label = self._by_fold.get(match[0].casefold())
            before, after = (
                text[max(0, match.start() - 40) : match.start()],
                text[match.end() : match.end() + 40],
            )
            edges = ((before[-1:], match[0][:1]), (after[:1], match[0][-1:]))
            if label is None or any(is_in_word(*edge) for edge in edges) or _is_negative(before, match[0]):
                continue
            level = labels_in_texts.level_of(before, after)
            if labels_in_texts.is_denied(before, after):
                if other := self._other_than(label):
                    yield other, "word"
            elif len(match[0]) > 1 or match[0] in self._written or labels_in_texts.is_set_off(before, level):
                yield label, level


def _is_negative(before: str, label: str) -> bool:
    """Whether a number stands behind a minus sign, as in -1, which is not 1.

    >>> _is_negative("It is -", "1"), _is_negative("- ", "1"), _is_negative("option-", "1"), _is_negative("-", "B")
    (True, False, False, False)
    """
    return label[:1].isdecimal() and before[-1:] in MINUS and bool(before) and not before[-2:-1].isalnum()
