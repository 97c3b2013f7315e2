"""Whether texts are of two languages is told from their small words and scripts, and else not said."""

import pytest

from evaluations.kinds.advising import advise
from evaluations.kinds.languages import differ

ENGLISH = [f"Where is order {n}? I have not received it and the parcel is late." for n in range(30)]
MAILS = [
    f"Dear customer, thank you for writing to us. Parcel {n} left our warehouse on Monday and will be with you soon."
    for n in range(30)
]
GERMAN = [f"Wo ist Bestellung {n}? Ich habe sie nicht bekommen und das Paket ist zu spät." for n in range(30)]


@pytest.mark.parametrize(
    "texts",
    [
        GERMAN,
        [f"Où est la commande {n} ? Je ne l'ai pas reçue et le colis est en retard." for n in range(9)],
        [f"Где заказ {n}? Я его не получил." for n in range(9)],
        [f"注文{n}はどこですか。まだ届いていません。" for n in range(9)],
    ],
)
def test_other_languages_differ(texts):
    assert differ(ENGLISH, texts)
    assert differ(texts, ENGLISH)


@pytest.mark.parametrize("texts", [MAILS, [f"Order {n}: late" for n in range(9)], ["17", "18"], []])
def test_the_same_language_and_what_tells_none_do_not(texts):
    assert not differ(ENGLISH, texts)


def test_english_mails_to_short_questions_are_no_translations():
    questions = [f"Where is order {n}?" if n % 2 else f"Refund for parcel {n}, please?" for n in range(30)]
    outputs = [mail.replace("soon", "tomorrow") for mail in MAILS]

    assert advise(MAILS, outputs, questions).kind != "chrf"


def test_translations_are():
    outputs = [text.replace("nicht", "noch nicht") for text in GERMAN]

    assert advise(GERMAN, outputs, ENGLISH).kind == "chrf"
