"""A page of comparisons in one plain sentence per variant."""

from collections.abc import Iterable, Mapping, Sequence

from evaluations.statistics.paired import Paired

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
SAID = {"better": "better", "worse": "worse", "same": "the same"}
MANY = 3  # sentences
NAMES, VERB = "names", "verb"
# A text and what it is: plain (""), the name of a variant ("name") or a verdict ("better", "worse", "same").
Part = tuple[str, str]


def sentence(variants: Mapping[str, Sequence[Paired]]) -> str:
    """What the corrected comparisons of each variant with the baseline, one per evaluator, come to."""
    return "".join(text for _, text in parts(variants))


def parts(variants: Mapping[str, Sequence[Paired]]) -> list[Part]:
    """The sentence cut where a page sets a name or a verdict apart; variants that fare alike share one.

    From the third sentence on, what cannot be told is said once for all.
    """
    alike = _grouped(variants, brief=False)
    if len(alike) < MANY:
        return _joined(alike)
    brief = _grouped(variants, brief=True)
    by_variant = [{_word(one) for one in comparisons if one.n} for comparisons in variants.values()]
    doubt = any("cannot_tell" in words and len(words) > 1 for words in by_variant)
    return _joined(brief) + ([("", " Elsewhere these examples cannot tell.")] if doubt else [])


def _grouped(variants: Mapping[str, Sequence[Paired]], brief: bool) -> dict[tuple[Part, ...], list[str]]:
    """The names of the variants by the sentence that is said of them."""
    alike: dict[tuple[Part, ...], list[str]] = {}
    for name, comparisons in variants.items():
        if comparisons:
            alike.setdefault(tuple(_about(comparisons, brief)), []).append(name)
    return alike


def _joined(alike: Mapping[tuple[Part, ...], Sequence[str]]) -> list[Part]:
    sentences = [_with_names(found, names) for found, names in alike.items()]
    return [part for n, found in enumerate(sentences) for part in ([("", " ")] if n else []) + found]


def _with_names(found: Iterable[Part], names: Sequence[str]) -> list[Part]:
    """Put the names where the sentence has NAMES, and the verb into their number."""
    made: list[Part] = []
    for role, text in found:
        if role == NAMES:
            made += _listed(names, text)
        elif role == VERB:
            one, many = text.split("|")
            made.append(("", one if len(names) == 1 else many))
        else:
            made.append((role, text))
    return made


def _listed(names: Sequence[str], last: str) -> list[Part]:
    links = [", "] * (len(names) - 2) + [f" {last} "]
    return [
        part
        for n, name in enumerate(names)
        for part in ([("", links[n - 1])] if n else []) + [("name", name)]
    ]


def _about(comparisons: Sequence[Paired], brief: bool) -> list[Part]:
    """The sentence of one variant, with a place for its name; a brief one tells what is decided alone."""
    compared = [comparison for comparison in comparisons if comparison.n]
    if not compared:
        return [(NAMES, "and"), (VERB, " shares| share"), ("", " no scored example with the baseline.")]
    words = [_word(comparison) for comparison in compared]
    examples = _examples([one for one, word in zip(compared, words, strict=True) if word == "cannot_tell"])
    decided = {word: words.count(word) for word in SAID if word in words}
    if not decided:
        return _nothing(len(words), examples)
    subject: list[Part] = [(NAMES, "and"), (VERB, " is | are ")]
    if len(words) == 1:
        return [*subject, (words[0], SAID[words[0]]), ("", ".")]
    found: list[Part] = []
    for place, (word, n) in enumerate(decided.items()):
        link = "" if place == 0 else " and " if place == len(decided) - 1 else ", "
        on = f" on {n}" if place else f" on {_of(n, len(words))}"
        found += [("", link)] if link else []
        found += [(word, SAID[word]), ("", on)]
    undecided = 0 if brief else words.count("cannot_tell")
    rest = "other" if undecided == 1 else f"other {_number(undecided)}"
    end = f"; on the {rest} {examples} cannot tell." if undecided else "."
    return [*subject, *found, ("", end)]


def _word(comparison: Paired) -> str:
    return "same" if comparison.ties == comparison.n else comparison.verdict


def _nothing(evaluators: int, examples: str) -> list[Part]:
    where = "" if evaluators == 1 else f" on any of {evaluators} evaluators"
    doubt = f"{examples[0].upper()}{examples[1:]} cannot tell whether "
    return [("", doubt), (NAMES, "or"), ("", f" is better or worse{where}.")]


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
