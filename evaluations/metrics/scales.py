"""The size that a word behind a number gives it: million, Mrd., 億, or a letter where currency or case tells it."""

from evaluations.linear import Pattern

LONGEST = 32  # characters behind a number in which its size stands
_BEGIN = r"(?i)^[\x{a0}\x{202f} \-]?(?:\(?in (?:\p{Sc} ?)?)?"
_WORDS = (
    (3, r"thousand|tausend|tsd\.?|mil|mille|milliers"),
    (6, r"m(?:ill)?io\.?|mill?ions?|mill?ionen|millón|millones|milhão|milhões|milioni|mn|mln|mm"),
    (9, r"bn|bln|billions?|mrd\.?|milliarden?|milliards?|miliardi|mil millones|bilh(?:ão|ões)|mil milhões"),
    (12, r"tn|trillions?|trilh(?:ão|ões)|billionen"),
)
_SIZES = tuple(
    (power, Pattern(rf"{_BEGIN}(?:{words})(?:[^\p{{L}}\p{{N}}]|$)"))
    for power, words in sorted(_WORDS, reverse=True)
)
_ASIAN = {"万": 4, "萬": 4, "만": 4, "億": 8, "亿": 8, "억": 8, "兆": 12}
_LETTERS = {"K": 3, "M": 6, "B": 9, "T": 12}
_LETTER = Pattern(r"^[\x{a0} ]?([KkMmBbTt])(?:[^\p{L}\p{N}]|$)")


def power_of(after: str, *, is_money: bool) -> int:
    """The power of ten that the text behind a number says, 0 without. "M" is a size behind money, and metres else.

    >>> [power_of(text, is_money=False) for text in (" million", " Mrd. €", "億円", " miles", " m")]
    [6, 9, 8, 0, 0]
    >>> power_of("bn", is_money=False), power_of("m.", is_money=True)
    (9, 6)
    """
    after = after[:LONGEST]
    for power, words in _SIZES:
        if words.search(after):
            return power
    if is_money and (letter := _LETTER.search(after)):
        return _LETTERS[letter[1].upper()]
    return _ASIAN.get(after.lstrip()[:1], 0)
