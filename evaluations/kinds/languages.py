"""The language of texts, as far as their script or their most frequent small words tell it.

Small words are known of languages with the Latin script alone; other scripts speak for themselves.
"""

import unicodedata
from collections import Counter
from collections.abc import Sequence

from evaluations.linear import Pattern

# the words that are frequent in any text of a language, whatever it is about
SMALL_WORDS = {
    "English": "the of and to is in that for you it with this are what how your was be on as not have",
    "German": "der die und das ist nicht ein zu den mit sich auf für ich eine dem wir sie wie von im auch es",
    "French": "le les des est une et pas que pour dans qui vous du sur au ce je il avec plus ne en un la de",
    "Spanish": "el los que y en un por con una para es del las no se su como más lo al la de qué",
    "Italian": "il di che è per un non sono del le con una gli della si da come nel ho anche la e i",
    "Portuguese": "o que não uma um para com os do da em é as no na por se mais ao dos como de e a",
    "Dutch": "de het een van en is niet dat op zijn voor met ik je te er maar aan wat ook die",
    "Polish": "w i na nie z się do to że jest o jak ale po za od czy przez dla są",
    "Czech": "a se na je v že to s z do o jako ale za by pro si jsem jak k jsou není",
    "Swedish": "och att det som en på är av för med den till inte om ett jag har de så hur",
    "Danish": "og at det er en til på som af for med den ikke der de et jeg har hvad om",
    "Finnish": "ja on ei että se hän oli mutta kun niin mitä myös joka kuin ovat tämä voi ole",
    "Turkish": "bir ve bu için de da ne ile çok mi değil gibi daha var olarak o ama nasıl",
    "Hungarian": "a az és hogy nem egy is van ez de meg mint csak azt volt mi ha vagy",
    "Romanian": "și de în la cu nu o un pe este că din care mai sau să pentru ce se are",
    "Indonesian": "yang dan di ini itu dengan untuk tidak dari dalam pada akan ke adalah saya bisa ada",
    "Vietnamese": "là và của có không được cho một các trong này với người những để đã khi về",
}
_OF = {language: frozenset(words.split()) for language, words in SMALL_WORDS.items()}
SURE = 0.1  # share of small words from which a language is known
ABSENT = 0.03  # share below which a text is of another language
RUNNING = 6  # words of a text from which on it should have small words
MOST = 0.5  # share of the letters that a script must have
READ = 20_000  # words, and letters, that are read
LATIN = "LATIN"
_BETWEEN = Pattern(r"\P{L}+")


def differ(texts: Sequence[str], others: Sequence[str]) -> bool:
    """Whether some texts are surely in another language than others.

    >>> english, german = ["Where is the order that you sent to me?"], ["Wo ist die Bestellung, die ich nicht bekam?"]
    >>> differ(english, german), differ(english, ["Dear Ada, your order is on the way to you."])
    (True, False)
    >>> differ(english, ["Где мой заказ?"]), differ(["Order 3? Refund 7?"], ["Late parcel."])
    (True, False)
    """
    scripts = _script(texts), _script(others)
    if not all(scripts) or scripts[0] != scripts[1]:
        return all(scripts)
    if scripts[0] != LATIN:
        return False
    shares, of_others = _shares(texts), _shares(others)
    first, second = _sure(shares), _sure(of_others)
    if first and second:
        return first != second
    is_running = sum(len(_words(text)) for text in others) >= RUNNING * len(others)
    return bool(first and is_running and of_others[first] < ABSENT)


def _sure(shares: dict[str, float]) -> str:
    best = max(shares, key=shares.__getitem__)
    return best if shares[best] >= SURE else ""


def _shares(texts: Sequence[str]) -> dict[str, float]:
    """By language the share of the words that are small words of it."""
    words = [word for text in texts for word in _words(text)][:READ]
    counts = Counter(words)
    total = max(len(words), 1)
    return {language: sum(counts[word] for word in small) / total for language, small in _OF.items()}


def _words(text: str) -> list[str]:
    return [word for word in _BETWEEN.split(text.casefold()) if word]


def _script(texts: Sequence[str]) -> str:
    """The script of most letters: "LATIN", "CYRILLIC"; "" if there is none."""
    letters = [letter for letter in "".join(texts)[:READ] if letter.isalpha()]
    names = Counter(unicodedata.name(letter, "").partition(" ")[0] for letter in letters)
    script, count = names.most_common(1)[0] if names else ("", 0)
    return script if count > MOST * len(letters) else ""
