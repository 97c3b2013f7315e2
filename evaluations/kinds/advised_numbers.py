"""References that are numbers for what outputs say in words: 0 and 1 for no and yes, places for lettered options."""

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from itertools import cycle

from evaluations import linear
from evaluations.mapping.choice import Choice
from evaluations.mapping.labels_in_texts import YES_AND_NO
from evaluations.mapping.reasoning import split_reasoning
from evaluations.mapping.step import NotFound
from evaluations.metrics import whole_words
from evaluations.values import JSON, text_of

from .advised_classes import words_of_class
from .numeric_match import NumericMatchConfig2

LETTERS = "ABCDEFGHIJ"
NUMBER = linear.Pattern(r"\b\d\b")
CLEARLY = 0.2  # share of what chance leaves, by which texts must be in the rows of their numbers
FEW_NUMBERS = 0.1  # share of the shorter outputs that may have a number
MOST_WORDS = 0.6  # share of them that must say one of the words
SOME_SIZES = (
    0.05  # share of the references with a size, or of outputs right by theirs only, from which sizes count
)
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty"
)
NUMBER_WORDS = {
    str(number): f" {word} " for number, word in enumerate(_SMALL.split())
}  # as `as_words` has them
MOST_PLACES, EACH_PLACE = 6, 3  # different places; references of each, on average
SOME_OPTIONS = 0.05  # share of outputs that call a number an option
OPTION = linear.Pattern(r"(?i)\b(?:option|choice|ending|alternative|candidate|sentence|passage)\W{0,3}\d\b")
SOME_NUMBERS = 0.3  # share of the outputs that must have a number
NEARLY_ALL, FEW_WORDS = 0.9, 3  # share of them that must be a place, and hardly more words
LONGEST = 5_000  # characters at the end of an output


def said_for_numbers(references: Sequence[JSON], outputs: Sequence[JSON]) -> dict[str, str]:
    """What outputs say instead of each number; empty where they say the numbers, or the references are none.

    The shorter half of the outputs decides, because reasons may have numbers and letters of their own.

    >>> said_for_numbers([0, 3, 1, 2], ["A", "D.", "B", "The answer is C"])
    {'0': 'A', '1': 'B', '2': 'C', '3': 'D'}
    >>> said_for_numbers([0, 1], ["no", "Yes."]), said_for_numbers([1, 4], ["4", "A good one: 1"])
    ({'0': 'no', '1': 'yes'}, {})
    >>> said_for_numbers([0, 1], ["Toxic", "Not toxic.", "yes", "1"])
    {'0': 'no', '1': 'yes'}
    """
    numbers = {str(value).strip() for value in references}
    every = [output.strip() for output in outputs if isinstance(output, str) and output.strip()]
    # one variant may say the numbers, and the next one words
    texts = sorted((text for text in every if text not in numbers), key=len)
    if len(texts) <= FEW_NUMBERS * len(every):
        return {}
    shorter = texts[: (len(texts) + 1) // 2]
    if not shorter or len(numbers) < 2 or not all(len(one) == 1 and one in "0123456789" for one in numbers):
        return {}
    if sum(NUMBER.search(text) is not None for text in shorter) > FEW_NUMBERS * len(shorter):
        return {}
    first = min(int(min(numbers)), 1)
    letters = {str(n): LETTERS[n - first] for n in range(first, int(max(numbers)) + 1)}
    by_class = words_of_class(texts, "yes", "no")
    for said, also in (({"0": "no", "1": "yes"}, by_class), (letters, {})):
        choice = Choice(step="choice", labels=[*said.values()], also=also or None)
        if numbers <= said.keys() and sum(_says(choice, text) for text in shorter) >= MOST_WORDS * len(
            shorter
        ):
            return said
    return _by_rows([str(value).strip() for value in references], outputs)


def _by_rows(known: Sequence[str], outputs: Sequence[JSON]) -> dict[str, str]:
    """The text for each number, where the outputs of a variant are as many texts as there are numbers, each of them
    mostly in the rows of another one.

    >>> rows = ["0", "1", "2"] * 4
    >>> _by_rows(rows, ["implied", "neutral", "opposed"] * 3 + ["implied", "neutral", "neutral"])
    {'0': 'implied', '1': 'neutral', '2': 'opposed'}
    >>> _by_rows(rows, ["yes", "no"] * 6)
    {}
    """
    size, numbers = len(known), sorted({*known})
    for start in range(0, len(outputs) - size + 1, size):
        said = [(text_of(one) or "").strip().rstrip(".").casefold() for one in outputs[start : start + size]]
        counts = Counter(pair for pair in zip(said, known, strict=True) if pair[0])
        texts = {text for text, _ in counts}
        if len(texts) != len(numbers) or any(map(str.isdecimal, "".join(texts))):
            continue
        most = {number: max(texts, key=lambda text: counts[text, number]) for number in numbers}
        own = sum(counts[text, number] for number, text in most.items())
        chance = max(Counter(said).values()) / size
        if len({*most.values()}) == len(numbers) and own / size - chance >= CLEARLY * (1 - chance):
            return most
    return {}


def said_for_labels(references: Sequence[JSON], outputs: Sequence[JSON]) -> dict[str, str]:
    """What outputs say instead of each of a few labels: "match" for Y; empty where one says a label itself.

    >>> said_for_labels(["Y", "N"] * 5, ["match", "non-match"] * 4 + ["match", "match"])
    {'N': 'non-match', 'Y': 'match'}
    >>> said_for_labels(["Y", "N"] * 5, ["y", "non-match"] * 5)
    {}
    >>> said_for_labels(["true", "false"] * 5, ["Yes", "no"] * 5)
    {}
    """
    if any(isinstance(reference, list | dict) for reference in references):
        return {}
    known = [(text_of(reference) or "").strip() for reference in references]
    labels = {label.casefold() for label in known}
    if not 1 < len(labels) <= MOST_PLACES or len(labels) < len({*known}) or "" in labels:
        return {}
    said = {(text_of(output) or "").strip().rstrip(".").casefold() for output in outputs}
    are_few = (
        len(said) <= MOST_PLACES and len(known) >= EACH_PLACE * len(labels) and len(outputs) % len(known) == 0
    )
    is_said = any(
        YES_AND_NO.get(text) in labels or whole_words.has(text, label) for text in said for label in labels
    )
    return _by_rows(known, outputs) if are_few and not is_said else {}


def _says(choice: Choice, text: str) -> bool:
    try:
        return bool(choice.read(text))
    except NotFound:
        return False


def are_places(references: Sequence[JSON], outputs: Sequence[JSON]) -> bool:
    """Whether references are a few numbers as places of options: outputs call them so, or are hardly more than
    numbers from 0 on; some may say the option instead.

    Later outputs may say more, which is read as a label more surely than as the last number of a text.

    >>> are_places([0, 3, 1, 2] * 3, ["0", "Ending 3", "1.", "1"]), are_places([1, 5, 3] * 4, ["1", "5", "4"])
    (True, False)
    >>> are_places([1, 2] * 3, ["2", "Option 1", "Ann (2), because option 1 is late"])
    True
    >>> are_places([0, 3, 1, 2] * 3, ["0", "3: Rome", "Oslo", "It is Paris."])
    True
    """
    known = {str(reference).strip() for reference in references}
    said = [text.strip() for output in outputs if (text := text_of(output) or "").strip()]
    if not 1 < len(known) <= MOST_PLACES or not known <= {*"0123456789"}:
        return False
    if len(references) < EACH_PLACE * len(known):
        return False
    if sum(OPTION.search(text[-LONGEST:]) is not None for text in said) > SOME_OPTIONS * len(said):
        return True
    if "0" not in known:
        return False
    named = [{found[0] for found in NUMBER.finditer(text)} for text in said]
    places = [
        numbers <= known and len(text.split()) <= FEW_WORDS
        for text, numbers in zip(said, named, strict=True)
        if numbers
    ]
    return len(places) > SOME_NUMBERS * len(said) and sum(places) >= NEARLY_ALL * len(places)


POINTED = linear.Pattern(r"\.\d+")


def fractions_are_said(references: Sequence[JSON], outputs: Sequence[JSON]) -> bool:
    """Whether outputs are right if 45 % is 0.45, and not if it is 45.

    >>> fractions_are_said(["45%", "7 %"], ["0.45", "7%"]), fractions_are_said(["45%", "7 %"], ["45", "7%"])
    (True, False)
    """
    return _agree_more(NumericMatchConfig2(percent="fraction"), references, outputs)


def commas_are_said(references: Sequence[JSON], outputs: Sequence[JSON]) -> bool:
    """Whether outputs are right if a comma stands before decimals and points group digits, and not otherwise.

    >>> commas_are_said(["1.629", "670"], ["1629", "670"]), commas_are_said(["1.629", "670"], ["1.629", "670"])
    (True, False)
    """
    groups = [match[0] for one in references for match in POINTED.finditer(text_of(one) or "")]
    are_thousands = bool(groups) and all(len(group) == len(".000") for group in groups)
    return are_thousands and _agree_more(NumericMatchConfig2(decimal="comma"), references, outputs)


def _agree_more(config: NumericMatchConfig2, references: Sequence[JSON], outputs: Sequence[JSON]) -> bool:
    """Whether clearly more outputs have the number of their reference by these settings than by the usual ones."""
    texts = [split_reasoning(text_of(output) or "")[1][-LONGEST:] for output in outputs]
    usual, changed = (
        sum(
            right is not None and side.number(text) == right
            for text, right in zip(texts, cycle([*map(side.number, references)]), strict=False)
        )
        for side in (NumericMatchConfig2(), config)
    )
    return changed - usual > SOME_SIZES * len(outputs)


def sizes_are_said(references: Sequence[JSON], outputs: Sequence[JSON]) -> bool:
    """Whether references name the size of numbers, or outputs do and are right by it: "1.2 million" for 1200000.

    >>> sizes_are_said(["$1.2 million", "$3 billion"], []), sizes_are_said([1200000], ["It is 1.2M.", "1.2 Mio."])
    (True, True)
    >>> sizes_are_said([5, 7], ["5 m", "7"])
    False
    """
    plain, sized = NumericMatchConfig2(), NumericMatchConfig2(scale="read")
    said = sum(plain.number(one) != sized.number(one) for one in references)
    if said > SOME_SIZES * len(references):
        return True
    known = [plain.number(one) for one in references]
    texts = [split_reasoning(text_of(output) or "")[1][-LONGEST:] for output in outputs]
    rescued = sum(
        number is not None and (plain.number(text) == number) - (sized.number(text) == number)
        for text, number in zip(texts, cycle(known), strict=False)
    )
    return -rescued > SOME_SIZES * len(outputs)


def rounding(references: Sequence[JSON], outputs: Sequence[JSON]) -> float:
    """Half a unit of the last place of the references, if outputs have more places and are right by rounding; else 0.

    >>> rounding(["12.3%", "-4.0%"], ["12.34 %", "-4.0%"]), rounding(["12.3%"], ["12.3%"]), rounding([3, 5], ["3.4"])
    (0.05, 0.0, 0.0)
    """
    config = NumericMatchConfig2()
    known = [config.number(one) for one in references]
    places = max((_places(number) for number in known if number is not None), default=0)
    if not places:
        return 0.0
    half = Decimal(5).scaleb(-places - 1)
    texts = [split_reasoning(text_of(output) or "")[1][-LONGEST:] for output in outputs]
    apart = [
        abs(number - right)
        for number, right in zip(map(config.number, texts), cycle(known), strict=False)
        if right is not None and number is not None and _places(number) > places
    ]
    rounded = sum(one <= half for one in apart)
    return float(half) if rounded > SOME_SIZES * len(outputs) and rounded * 2 > len(apart) else 0.0


def _places(number: Decimal) -> int:
    return max(0, -int(number.normalize().as_tuple().exponent)) if number.is_finite() else 0
