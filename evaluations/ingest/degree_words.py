"""Answers of a questionnaire in words, as "trifft eher zu" or "strongly agree": their numbers on a scale of five."""

from collections.abc import Collection

DEGREES: dict[float, str] = {
    1: "strongly disagree, totally disagree, very poor, very bad, terrible, very dissatisfied, not at all, "
    "not at all helpful, never, trifft gar nicht zu, trifft überhaupt nicht zu, stimme gar nicht zu, "
    "stimme überhaupt nicht zu, sehr schlecht, sehr unzufrieden, gar nicht, pas du tout d'accord, très mauvais, "
    "très insatisfait, pas du tout, totalmente en desacuerdo, muy malo, muy mala, muy insatisfecho, "
    "discordo totalmente, muito ruim, per niente d'accordo, pessimo, helemaal mee oneens, zeer slecht",
    2: "disagree, somewhat disagree, poor, bad, dissatisfied, slightly, slightly helpful, rarely, "
    "trifft eher nicht zu, stimme eher nicht zu, schlecht, unzufrieden, eher nicht, kaum, plutôt pas d'accord, "
    "mauvais, insatisfait, plutôt non, en desacuerdo, malo, mala, insatisfecho, discordo, ruim, "
    "poco d'accordo, scarso, oneens, slecht",
    3: "neutral, neither agree nor disagree, undecided, fair, average, okay, ok, so-so, moderately, "
    "moderately helpful, somewhat helpful, sometimes, teils/teils, teils-teils, teils teils, weder noch, mittel, "
    "mittelmäßig, unentschieden, neutre, ni d'accord ni pas d'accord, moyen, ni de acuerdo ni en desacuerdo, "
    "regular, neutro, indeciso, discreto, neutraal, matig",
    4: "agree, somewhat agree, good, satisfied, helpful, very helpful, often, trifft eher zu, trifft zu, "
    "stimme eher zu, stimme zu, gut, zufrieden, eher ja, plutôt d'accord, d'accord, bon, bien, satisfait, "
    "plutôt oui, de acuerdo, bueno, buena, satisfecho, concordo, bom, abbastanza d'accordo, buono, eens, goed",
    5: "strongly agree, totally agree, completely agree, very good, excellent, very satisfied, extremely, "
    "extremely helpful, always, trifft voll zu, trifft voll und ganz zu, trifft völlig zu, stimme voll zu, "
    "stimme voll und ganz zu, sehr gut, sehr zufrieden, völlig, tout à fait d'accord, très bon, très bien, "
    "très satisfait, totalmente de acuerdo, muy bueno, muy buena, muy satisfecho, concordo totalmente, muito bom, "
    "molto d'accordo, ottimo, helemaal mee eens, zeer goed",
}
_OF = {word.strip(): number for number, words in DEGREES.items() for word in words.split(", ")}
FEWEST = 3  # different answers from which on words are a scale, and not two verdicts


def degree(text: str) -> float | None:
    """The number of an answer in words; None of anything else.

    >>> degree("Trifft eher zu"), degree(" strongly agree. "), degree("Oslo")
    (4, 5, None)
    """
    return _OF.get(" ".join(text.casefold().replace("’", "'").split()).strip(" .!"))


def are_degrees(texts: Collection[str]) -> bool:
    """Whether at least three texts are all such answers, one of them in two words: single ones may be labels.

    >>> are_degrees(["good", "poor", "very good"]), are_degrees(["good", "poor", "fair"])
    (True, False)
    """
    found = {*map(degree, texts)}
    return len(found) >= FEWEST and None not in found and any(" " in text.strip() for text in texts)
