"""The words in names of columns, and whether a name is like that of a variant."""

from collections.abc import Mapping, Sequence

from evaluations.linear import Pattern
from evaluations.metrics.whole_words import WITHOUT_BLANKS

from .known_names import VARIANTS
from .role_words import (
    ABOUT_PROMPTS,
    IN_USE,
    LABEL_NAMES,
    MODEL_WORDS,
    OF_ANSWERS,
    PERHAPS_REQUIREMENT,
    REQUIREMENT,
    SIZES,
    WITH_OR_WITHOUT,
)
from .suggest import plain

# what marks are out of, at the end of a name: "note (/5)", "rating [1-5]", "score / 10"
_SCALE = Pattern(
    r"(?i)\s*[(\[]\s*(?:/|sur|von|of|out of|de|su)?\s*\d+(?:\s*[-–]\s*\d+)?\s*[)\]]\s*$|\s*/\s*\d+\s*$"
)
_BESIDE_BASE = ABOUT_PROMPTS | OF_ANSWERS | VARIANTS | {"prompt"}
_PARTS = Pattern(r"[^\p{L}\p{N}]+")
_VERSION = Pattern(
    r"v\d+|[a-z]*\d+b|o[134](mini|pro)?|(gpt|llama|qwen|gemini|gemma|claude|phi|mistral|mixtral|deepseek|grok|olmo)\d.*"
)


def parts_of(name: str) -> list[str]:
    """The words of a name, in order."""
    return _PARTS.split(plain(name))


def words_in_order(name: str) -> tuple[str, ...]:
    """The words of a name; its signs, where no blanks divide words: 旧回答, 新回答."""
    words = tuple(filter(None, parts_of(without_scale(name))))
    return tuple(words[0]) if len(words) == 1 and WITHOUT_BLANKS.search(name) else words


def without_scale(name: str) -> str:
    """The name without what marks are out of.

    >>> without_scale("Note (/5)"), without_scale("Overall (1-5)"), without_scale("score / 10")
    ('Note', 'Overall', 'score')
    """
    return _SCALE.sub("", name)


def words_of(name: str) -> set[str]:
    return {*parts_of(name)} - {""}


def is_named_as_variant(name: str) -> bool:
    """Whether a name is like that of a model, a prompt or a version."""
    words = {word.rstrip("0123456789") or word for word in words_of(name)} | words_of(name)  # "mt1"
    if words & LABEL_NAMES:  # "category (agent)" is what people said, "category gpt" is not
        words = words - ABOUT_PROMPTS
    return plain(name) not in VARIANTS and (
        bool(words & (MODEL_WORDS | WITH_OR_WITHOUT)) or any(_VERSION.fullmatch(word) for word in words)
    )


def in_use(variants: Sequence[str]) -> str:
    """The variant that the others are to replace: the only one whose name says so, else the first; "" of none.

    >>> in_use(["new", "old"]), in_use(["a", "b"]), in_use(["Prompt 2", "current prompt"])
    ('old', 'a', 'current prompt')
    >>> in_use(["mbert", "xlmr_large", "mt5_base"]), in_use(["tuned", "base"])
    ('mbert', 'base')
    >>> in_use(["tesseract", "trocr-base"]), in_use(["new", "base prompt"]), in_use(["x sft", "x base"])
    ('tesseract', 'base prompt', 'x base')
    """
    has_sizes = any(words_of(variant) & SIZES for variant in variants)
    words = IN_USE - {"base"} if has_sizes else IN_USE
    named = [variant for variant in variants if words_of(variant) & words]
    if len(named) == 1 and words_of(named[0]) & words == {"base"}:
        rest, others = (
            words_of(named[0]) - words,
            [words_of(other) for other in variants if other != named[0]],
        )
        is_of_model = not rest & _BESIDE_BASE and not any(rest <= other for other in others)
        named = [] if rest and is_of_model else named  # "trocr-base" beside "tesseract"
    return named[0] if len(named) == 1 else next(iter(variants), "")


def requirements(words: Mapping[str, set[str]]) -> set[str]:
    """The columns named for what each answer must fulfil, which is no right answer: "must_include", "max_words"."""
    named = {name for name, its_words in words.items() if its_words & REQUIREMENT}
    perhaps = {name for name, its_words in words.items() if its_words & PERHAPS_REQUIREMENT}
    return named | perhaps if named else set()
