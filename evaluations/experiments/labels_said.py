"""Labels as outputs say them: in other forms, with other separators, as yes and no, as bare letters."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from evaluations import linear
from evaluations.kinds.advised_classes import words_of_class
from evaluations.mapping.choice import MOST_LABELS, Choice
from evaluations.mapping.labels_in_texts import YES_AND_NO
from evaluations.mapping.step import NotFound
from evaluations.values import JSON, without_accents

LOOKED_AT = 5_000  # characters at the end of a text in which labels and numbers are looked for
SOME = 0.05  # share of the outputs from which a step is worth while
FEW = 0.02  # share of the outputs from which words of a language are worth while
# words for yes and for no that are the same answer in a language
SAME_ANSWERS = (
    ("ja wahr richtig korrekt zutreffend", "nein falsch unwahr inkorrekt unzutreffend"),
    ("oui vrai", "non faux"),
    ("sí verdadero cierto", "no falso"),
    ("sì vero", "no falso"),
    ("sim verdadeiro", "não falso"),
    ("ja waar juist", "nee onwaar onjuist"),
    ("tak prawda", "nie fałsz"),
    ("да верно правда", "нет неверно ложь"),
)
SEPARATORS = (" ", "_", "-", "")
BETWEEN_WORDS = linear.Pattern(r"[^\p{L}]+")
ENDED_BY_LETTER = linear.Pattern(r"(\p{L}{2,20})[ _-]?([ABab])")
SHORTEST_STEM = 5  # letters
SHORTEST_WORD = 2  # letters of a word of a label of several
SHORTEST_PART = 4  # letters of a part of a label
ALTERNATIVES = {*"/&|"}  # between the parts of a label of which one is enough
# what stands between the words of a label: signs, or nothing in "accountAccess"
WORDS_OF_LABEL = linear.Pattern(r"(\p{Ll})(\p{Lu})|[^\p{L}\p{M}\p{N}]+")


def other_words(known: Sequence[str], texts: Sequence[str]) -> dict[str, str]:
    """Words for labels that outputs say instead: yes and no for true and false, other separators, other forms."""
    return (
        _yes_and_no(known, texts)
        or _letters(known, texts)
        or _other_separators(known, texts) | _other_forms(known, texts)
    )


def _letters(known: Sequence[str], texts: Sequence[str]) -> dict[str, str]:
    """The letters that outputs give for labels that end in them, as [[A]] for model_a; the next one is a tie.

    >>> _letters(["model_a", "model_b", "tie"], ["[[A]]", "[[C]]"])
    {'A': 'model_a', 'B': 'model_b', 'C': 'tie'}
    """
    ended = {match[2].upper(): label for label in known if (match := ENDED_BY_LETTER.fullmatch(label))}
    stems = {match[1].casefold() for label in known if (match := ENDED_BY_LETTER.fullmatch(label))}
    rest = [label for label in known if label not in ended.values()]
    if len(stems) != 1 or sorted(ended) != ["A", "B"] or len(rest) > 1:
        return {}
    found = ended | dict(zip("C", rest, strict=False))
    named, lettered = (Choice(step="choice", labels=[*words]) for words in (known, found))
    unread = [text for text in texts if label_of(named, text) == ""]
    return found if sum(label_of(lettered, text) != "" for text in unread) > SOME * len(texts) else {}


def _other_forms(known: Sequence[str], texts: Sequence[str]) -> dict[str, str]:
    """Labels of one word of which outputs that name none say another form: "contradicts" for contradiction."""
    choice = Choice(step="choice", labels=[*known])
    unread = [text for text in texts if label_of(choice, text) == ""]
    if len(unread) <= SOME * len(texts):
        return {}
    said = {word for text in unread for word in BETWEEN_WORDS.split(text[-LOOKED_AT:].casefold())}
    said -= {label.strip().casefold() for label in known}
    stems = {label: stem for label in known if len(stem := _stem(label.casefold())) >= SHORTEST_STEM}
    alone = {label: stem for label, stem in stems.items() if sum(map(_begins(stem), known)) == 1}
    found = {word: label for label, stem in alone.items() for word in sorted(said) if word.startswith(stem)}
    found |= {phrase: label for label in known for phrase in _longer_forms(label, unread)}
    found |= {word: label for word, label in _parts(known, said).items() if word not in found}
    return found if len(found) <= MOST_LABELS else {}


def _parts(known: Sequence[str], said: Iterable[str]) -> dict[str, str]:
    """Longer forms of one part of a label of two: "technology" for Sci/Tech, if no other label has such a word.

    >>> _parts(["Sci/Tech", "Sports"], ["technology", "sport", "technical"])
    {'technology': 'Sci/Tech', 'technical': 'Sci/Tech'}
    """
    words = {label: WORDS_OF_LABEL.sub(_apart, label).casefold().split() for label in known}
    found: dict[str, str] = {}
    for label in known:
        others = [word for other in known if other != label for word in words[other]]
        stems = (
            [word for word in words[label] if len(word) >= SHORTEST_PART] if ALTERNATIVES & {*label} else []
        )
        alone = [stem for stem in stems if not any(map(_begins(stem), others))]
        found |= {word: label for word in said if any(map(word.startswith, alone))}
    return found


def _longer_forms(label: str, texts: Sequence[str]) -> list[str]:
    """What texts say for a label of several words with longer ones: "not enough information" for NOT ENOUGH INFO.

    >>> _longer_forms("NOT ENOUGH INFO", ["Not enough information."]), _longer_forms("B>A", ["Both are right."])
    (['not enough information'], [])
    """
    words = WORDS_OF_LABEL.sub(_apart, label).casefold().split()
    if len(words) < 2 or not all(word.isalpha() and len(word) >= SHORTEST_WORD for word in words):
        return []
    longer = r"\p{L}{0,12}(?:[\s_/&-]+|\s+(?:and|or|und|oder|et|ou|y|o)\s+)".join(map(linear.literal, words))
    pattern = linear.Pattern(rf"(?i)\b{longer}\p{{L}}{{0,12}}\b")
    said = {match[0].casefold() for text in texts for match in pattern.finditer(text[-LOOKED_AT:])}
    return sorted(said - {label.strip().casefold()})


def _stem(label: str) -> str:
    """The first three fifths of a word, which other forms of it share."""
    return label[: -(-3 * len(label) // 5)] if label.isalpha() else ""


def _begins(stem: str) -> Callable[[str], bool]:
    return lambda label: label.casefold().startswith(stem)


def _other_separators(known: Sequence[str], texts: Sequence[str]) -> dict[str, str]:
    """Labels as outputs write them: other signs between words, or no accents: "account access" for account_access.

    >>> _other_separators(["account_access", "daño"], ["Account access.", "dano"])
    {'account access': 'account_access', 'dano': 'daño'}
    """
    said = "\n".join(text[-LOOKED_AT:] for text in texts).casefold()
    taken = {label.strip().casefold() for label in known}
    found: dict[str, str] = {}
    for label in known:
        words = WORDS_OF_LABEL.sub(_apart, label).casefold().split()
        written = [between.join(words) for between in (SEPARATORS if len(words) > 1 else " ")]
        for word in dict.fromkeys([*written, *map(without_accents, written)]):
            if word and word in said and word not in taken and len(found) < MOST_LABELS:
                found.setdefault(word, label)
    return found


def _apart(place: Any) -> str:
    return f"{place[1] or ''} {place[2] or ''}"


def without_separators(label: str) -> str:
    """A label without what stands between its words."""
    return "".join(sign for sign in label.casefold() if sign.isalnum())


def _yes_and_no(known: Sequence[str], texts: Sequence[str]) -> dict[str, str]:
    by_fold = {label.casefold(): label for label in known}
    for words in (YES_AND_NO, {other: word for word, other in YES_AND_NO.items()}):
        if by_fold.keys() != {*words.values()}:
            continue
        yes, no = (by_fold[label] for label in words.values())
        by_class = words_of_class(texts, yes, no)
        said = Choice(step="choice", labels=[*words])
        if are_some(label_of(said, text) != "" for text in texts):
            return {word: by_fold[label] for word, label in words.items()} | by_class
        return by_class
    return _of_language(by_fold, texts)


def _of_language(by_fold: dict[str, str], texts: Sequence[str]) -> dict[str, str]:
    """The other words for yes and no of the language of two labels: "Ja" for Wahr; {} if outputs hardly say any."""
    for affirmed, denied in SAME_ANSWERS:
        yes, no = (
            [by_fold[word] for word in words.split() if word in by_fold] for words in (affirmed, denied)
        )
        if len(by_fold) == 2 and len(yes) == len(no) == 1:
            words = dict.fromkeys(affirmed.split(), yes[0]) | dict.fromkeys(denied.split(), no[0])
            named, any_words = (Choice(step="choice", labels=[*labels]) for labels in (by_fold, words))
            unread = [text.casefold() for text in texts if label_of(named, text) == ""]
            also = {
                word: label
                for word, label in words.items()
                if word not in by_fold and any(word in text for text in unread)
            }
            return also if sum(label_of(any_words, text) != "" for text in unread) > FEW * len(texts) else {}
    return {}


def bracketed_letters(known: Sequence[str]) -> list[str]:
    """The letters of labels that are all letters in brackets, for which outputs say (B) or B; else none."""
    bare = sorted(label[1:-1] for label in known if len(label) == 3 and label[0] + label[2] in ("()", "[]"))
    return bare if len(bare) == len(known) else []


def label_of(choice: Choice, text: str, read: Callable[[str], JSON] = str) -> str:
    try:
        return str(choice.read(read(text)))
    except NotFound:
        return ""


def are_some(found: Iterable[bool]) -> bool:
    flags = list(found)
    return sum(flags) > SOME * len(flags)
