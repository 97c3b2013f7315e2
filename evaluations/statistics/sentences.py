"""A page of comparisons in one plain sentence per variant."""

from collections.abc import Mapping, Sequence

from evaluations.statistics.paired import Paired

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
SAID = {"better": "better", "worse": "worse", "same": "the same"}


# A text and what it is: plain (""), the name of a variant ("name") or a verdict ("better", "worse", "same").
Part = tuple[str, str]


def sentence(variants: Mapping[str, Sequence[Paired]]) -> str:
    """What the corrected comparisons of each variant with the baseline, one per evaluator, come to."""
    return "".join(text for _, text in parts(variants))


def parts(variants: Mapping[str, Sequence[Paired]]) -> list[Part]:
    """The sentence cut where a page sets a name or a verdict apart."""
    about = [_about(name, comparisons) for name, comparisons in variants.items() if comparisons]
    return [part for n, found in enumerate(about) for part in ([("", " ")] if n else []) + found]


def _about(name: str, comparisons: Sequence[Paired]) -> list[Part]:
    subject: Part = ("name", name)
    compared = [comparison for comparison in comparisons if comparison.n]
    if not compared:
        return [subject, ("", " shares no scored example with the baseline.")]
    words = [_word(comparison) for comparison in compared]
    examples = _examples([one for one, word in zip(compared, words, strict=True) if word == "cannot_tell"])
    decided = {word: words.count(word) for word in SAID if word in words}
    if not decided:
        return _nothing(subject, len(words), examples)
    if len(words) == 1:
        return [subject, ("", " is "), (words[0], SAID[words[0]]), ("", ".")]
    found: list[Part] = []
    for place, (word, n) in enumerate(decided.items()):
        link = "" if place == 0 else " and " if place == len(decided) - 1 else ", "
        on = f" on {n}" if place else f" on {_of(n, len(words))}"
        found += [("", link)] if link else []
        found += [(word, SAID[word]), ("", on)]
    undecided = words.count("cannot_tell")
    rest = "other" if undecided == 1 else f"other {_number(undecided)}"
    end = f"; on the {rest} {examples} cannot tell." if undecided else "."
    return [subject, ("", " is "), *found, ("", end)]


def _word(comparison: Paired) -> str:
    return "same" if comparison.ties == comparison.n else comparison.verdict


def _nothing(subject: Part, evaluators: int, examples: str) -> list[Part]:
    where = "" if evaluators == 1 else f" on any of {evaluators} evaluators"
    doubt = f"{examples[0].upper()}{examples[1:]} cannot tell whether "
    return [("", doubt), subject, ("", f" is better or worse{where}.")]


def _examples(comparisons: Sequence[Paired]) -> str:
    sizes = {comparison.n for comparison in comparisons}
    if len(sizes) != 1:
        return "the examples"
    n = sizes.pop()
    return "this one example" if n == 1 else f"these {n:,} examples".replace(",", " ")


def _of(n: int, evaluators: int) -> str:
    return f"all {evaluators} evaluators" if n == evaluators else f"{n} of {evaluators} evaluators"


def _number(n: int) -> str:
    return NUMBERS[n] if n < len(NUMBERS) else str(n)
