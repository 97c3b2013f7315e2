"""A short text in one way of writing, whatever it is: a date, a time, a number with a unit, an amount, or words."""

from collections.abc import Collection

from evaluations.linear import Pattern
from evaluations.mapping import dates, quantities, times
from evaluations.metrics import number_reader

LONGEST, LONGEST_SENTENCE = 60, 300  # characters of a date or an amount; of a sentence that ends with one
AROUND = " \t\n.,;*_`\"'“”"
BEHIND = Pattern(r"(?is)\A.*(?:\b(?:is|was|are|ist|beträgt|est|es|è)\s|\D:|:\s|=)\s*(\S.*)\z")
LONGEST_LIST = 500  # characters of a text between commas
FEWEST_DIGITS = 5  # of a number that is no amount, as of a telephone
BETWEEN = Pattern(r"\s*[,;|/\n]\s*")
LETTER = Pattern(r"\p{L}")
CURRENCIES = ("EUR", "USD", "GBP", "CHF", "JPY", "euros", "euro", "dollars", "Euro")


def written(text: str) -> str:
    """The text as a date, a time of the day, a quantity in its base unit or a number, else in lower case.

    So is one of these at the end of a sentence, behind "is" or a colon.

    >>> [written(text) for text in ("May 3, 2021", "1.234,50 €", "The sum is **EUR 12.00**.", "4 kg", "New  York.")]
    ['2021-05-03', '1234.5', '12', '4000 g', 'new york']
    >>> [written(text) for text in ("6:30 pm", "18:30", "18:45", "It is 6 pm.", "18.30")]
    ['18:30', '18:30', '18:45', '18:00', '18.3']
    """
    alone = text.strip(AROUND)
    behind = BEHIND.search(alone) if len(alone) <= LONGEST_SENTENCE else None
    value = _value(alone) or (_value(behind[1].strip(AROUND)) if behind else "")
    return value or " ".join(alone.casefold().split())


def is_value(text: str) -> bool:
    """Whether a text is a date, a time, a quantity or a number, and nothing else."""
    return bool(_value(text.strip(AROUND)))


def _value(alone: str) -> str:
    """A text that is a value and nothing else, in one way of writing; "" for any other."""
    if 0 < len(alone) <= LONGEST and any(map(str.isdecimal, alone)):
        if days := [day for start, end, day in dates.found(alone) if (start, end) == (0, len(alone))]:
            return str(days[0])
        number = number_reader.whole(_without_currency(alone))
        if number is None and (time := _time(alone)):
            return time
        if quantities.is_quantity(alone):
            return quantities.found(alone)[0]
        if number:
            return f"{number.value.normalize():f}"
    return ""


def _time(alone: str) -> str:
    """A text that is a time of the day, as HH:MM; "" for any other."""
    return next((time for *ends, time in times.found(alone) if ends == [0, len(alone)]), "")


def _without_currency(text: str) -> str:
    for name in CURRENCIES:
        text = text.removeprefix(f"{name} ").removesuffix(f" {name}")
    return text


def are_alike(one: str, other: str) -> bool:
    """Whether two texts say the same but for writing: as values, in another order, or with other signs between digits.

    >>> are_alike("Rome | Oslo", "Oslo, Rome"), are_alike("+49 (40) 12 34", "+49401234"), are_alike("Oslo", "Rome")
    (True, True, False)
    >>> are_alike("Order 12345", "Invoice 12345")
    False
    """
    sides = one, other
    if max(map(len, sides)) > LONGEST_LIST:
        return False
    if written(one) == written(other):
        return True
    parts = [sorted(map(written, BETWEEN.split(side.strip(AROUND)))) for side in sides]
    digits = ["".join(filter(str.isdecimal, side)) for side in sides]
    are_numbers = len(digits[0]) >= FEWEST_DIGITS and not any(map(LETTER.search, sides))
    return (len(parts[0]) > 1 and parts[0] == parts[1]) or (are_numbers and digits[0] == digits[1])


def is_otherwise(text: str, right: Collection[str], every: Collection[str]) -> bool:
    """Whether a text says one of the right answers in another way of writing; one of `every` answer is that one alone.

    >>> is_otherwise("6:30 pm", ["18:30"], ["18:30", "6:30"]), is_otherwise("grade 2", ["Grade 2"], ["grade 2"])
    (True, False)
    """
    return not is_other(text, right, every) and any(are_alike(text, one) for one in right)


def is_other(text: str, right: Collection[str], every: Collection[str]) -> bool:
    """Whether a text is, letter by letter, an answer that is right elsewhere and not here."""
    return text.strip() in every and text.strip() not in right
