"""A page of comparisons in one plain sentence per variant."""

from collections.abc import Mapping, Sequence

from evaluations.statistics.paired import Paired

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def sentence(variants: Mapping[str, Sequence[Paired]]) -> str:
    """What the corrected comparisons of each variant with the baseline, one per evaluator, come to."""
    return " ".join(_about(name, comparisons) for name, comparisons in variants.items() if comparisons)


def _about(name: str, comparisons: Sequence[Paired]) -> str:
    compared = [comparison for comparison in comparisons if comparison.n]
    if not compared:
        return f"{name} shares no scored example with the baseline."
    words = [_word(comparison) for comparison in compared]
    examples = _examples([one for one, word in zip(compared, words, strict=True) if word == "cannot_tell"])
    decided = {word: words.count(word) for word in ("better", "worse", "the same") if word in words}
    if not decided:
        return _nothing(name, len(words), examples)
    if len(words) == 1:
        return f"{name} is {words[0]}."
    first, *others = decided.items()
    found = [f"{first[0]} on {_of(first[1], len(words))}", *(f"{word} on {n}" for word, n in others)]
    clause = f"{name} is {_list(found)}"
    undecided = words.count("cannot_tell")
    if not undecided:
        return f"{clause}."
    rest = "other" if undecided == 1 else f"other {_number(undecided)}"
    return f"{clause}; on the {rest} {examples} cannot tell."


def _word(comparison: Paired) -> str:
    return "the same" if comparison.ties == comparison.n else comparison.verdict


def _nothing(name: str, evaluators: int, examples: str) -> str:
    where = "" if evaluators == 1 else f" on any of {evaluators} evaluators"
    return f"{examples.capitalize()} cannot tell whether {name} is better or worse{where}."


def _examples(comparisons: Sequence[Paired]) -> str:
    sizes = {comparison.n for comparison in comparisons}
    if len(sizes) != 1:
        return "the examples"
    n = sizes.pop()
    return "this one example" if n == 1 else f"these {n:,} examples".replace(",", " ")


def _of(n: int, evaluators: int) -> str:
    return f"all {evaluators} evaluators" if n == evaluators else f"{n} of {evaluators} evaluators"


def _list(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _number(n: int) -> str:
    return NUMBERS[n] if n < len(NUMBERS) else str(n)
