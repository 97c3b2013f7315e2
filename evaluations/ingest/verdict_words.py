"""What people and tools say of an answer in words or signs, as numbers: "richtig", "Partiel", "Pass with comments"."""

from collections.abc import Collection

from evaluations.linear import Pattern

from . import degree_words

_PASSED = {
    *(
        "accepted",
        "correct",
        "good",
        "ok",
        "okay",
        "pass",
        "passed",
        "resolved",
        "right",
        "solved",
        "success",
    ),
    *("thumbs up", "up"),
    *("👍", "✓", "✔", "✅", "☑", "○", "〇", "◯", "◎", "🟢"),
    *("angenommen", "bestanden", "erfüllt", "gut", "i. o", "in ordnung", "io", "korrekt", "passt", "richtig"),
    *("accepté", "conforme", "correcte", "juste", "réussi", "validé", "valide"),
    *("aceptado", "acertado", "aprobado", "correcta", "correcto", "válido"),
    *("aceito", "aprovado", "certo", "correta", "correto"),
    *("accettato", "approvato", "corretta", "corretto", "giusto", "superato"),
    *("goed", "juist", "geslaagd", "rätt", "godkänd", "oikein", "dobrze", "poprawna", "poprawne", "верно"),
    *(
        "合格",
        "正解",
        "正しい",
        "良い",
        "良",
        "可",
        "正确",
        "对",
        "通过",
        "好",
        "정답",
        "합격",
        "통과",
        "صحيح",
    ),
}
_PARTLY = {
    *("partial", "partially", "partly", "partially correct", "partly correct", "mostly correct"),
    *("incomplete", "almost", "△", "▲", "🟡", "🟠", "⚠"),
    *(
        "teilweise",
        "teils",
        "teilweise richtig",
        "teilweise korrekt",
        "teilrichtig",
        "bedingt",
        "unvollständig",
    ),
    *("partiel", "partielle", "partiellement", "partiellement correct", "incomplet", "à revoir"),
    *("parcial", "parcialmente", "parcialmente correcto", "parcialmente correto", "incompleto"),
    *("parziale", "parzialmente", "parzialmente corretto", "gedeeltelijk", "delvis", "częściowo", "частично"),
    *("部分正解", "一部正解", "部分正确", "部分的", "惜しい", "부분", "부분 정답"),
}
_FAILED = {
    *("bad", "crash", "error", "errored", "fail", "failed", "failure", "incorrect", "not_attempted", "wrong"),
    *("not attempted", "rejected", "skipped", "timed out", "timeout", "unresolved", "ko", "nok", "not ok"),
    *(
        "thumbs down",
        "down",
        "bad answer",
        "failed to answer",
        "no answer",
        "refusal",
        "refused",
        "unanswered",
        "blocked",
        "missed",
        "missing",
        "not found",
    ),
    *("👎", "✗", "✘", "❌", "×", "✕", "✖", "🔴"),
    *(
        "abgelehnt",
        "falsch",
        "fehler",
        "mangelhaft",
        "n. i. o",
        "nicht bestanden",
        "nicht ok",
        "nicht richtig",
    ),
    *("nio", "schlecht", "unbrauchbar", "ungenügend"),
    *("échec", "échoué", "incorrecte", "mauvais", "non conforme", "refusé", "rejeté"),
    *("incorrecta", "incorrecto", "rechazado", "no aprobado", "erróneo"),
    *("errado", "incorreta", "incorreto", "reprovado", "recusado"),
    *("errato", "sbagliato", "scorretto", "respinto", "non superato"),
    *("fout", "onjuist", "fel", "underkänd", "väärin", "źle", "błędna", "błędne", "неверно"),
    *(
        "不合格",
        "不正解",
        "誤り",
        "間違い",
        "悪い",
        "不可",
        "错误",
        "错",
        "不通过",
        "阻塞",
        "差",
        "오답",
        "불합격",
        "خطأ",
    ),
}
SHARES = {
    **dict.fromkeys(_PASSED, 1.0),
    **dict.fromkeys(_PARTLY, 0.5),
    **dict.fromkeys(_FAILED, 0.0),
}
_YES = {
    *("y", "j", "s", "o"),  # initials, of which forms of several languages offer two
    *(
        "yes",
        "ja",
        "oui",
        "sí",
        "si",
        "sì",
        "sim",
        "tak",
        "да",
        "はい",
        "是",
        "예",
        "네",
        "نعم",
        "כן",
        "evet",
        "kyllä",
    ),
}
_NO = {
    "n",
    *(
        "no",
        "nein",
        "non",
        "não",
        "nao",
        "nie",
        "nee",
        "nej",
        "нет",
        "いいえ",
        "否",
        "不是",
        "아니요",
        "لا",
        "לא",
        "hayır",
    ),
    "ei",
}
LONGEST = 200  # characters of what is said of an answer
_SIGNS = " .!?()[]*_\"'“”„«»️"
_WITH = Pattern(r"(?i)^(.+?)[\s,(–-]+(?:with|mit|avec|con|com|met)\s")
_BECAUSE = Pattern(r"^([^:]{1,30}):\s")  # "failed: AssertionError"
_OF_ANSWER = Pattern(r" (?:answer|response|antwort|réponse|respuesta|resposta|risposta)$")  # "correct answer"
_GAPS = Pattern(r"[\s_]+")
_NUMBER = Pattern(r"\d{1,2}(?:[.,]\d)?")
_END_OF_SCALE = Pattern(r"^(\d{1,2})\s*(?:[-–—=:]\s*|\()\p{L}.*$")  # "5 - ready to send"
_STARS = Pattern(r"^([★⭐]+️?)[☆✩]*$")
_OF = Pattern(r"(?i)^(\d{1,2}(?:[.,]\d)?)\s*(?:/|von|of|out of|sur|de|su|van|av)\s*\d{1,3}$")
_NAMED = Pattern(
    r"(?i)^(\d{1,2}(?:[.,]\d)?)\s*[- ]?(?:sterne?|stars?|étoiles?|etoiles?|estrellas?|estrelas?|stelle?|sterren|"
    r"punkte?|points?|puntos?|pontos?|punti|つ星|星|点|颗星|점)$"
)


def share(text: str) -> float | None:
    """How much of an answer is right, as a word or sign says: 1, 0.5 or 0; None if it says something else.

    >>> share("Richtig"), share("Partiel"), share("❌ KO"), share("Pass with comments"), share("Oslo")
    (1.0, 0.5, 0.0, 1.0, None)
    >>> share("Correct Answer"), share("incorrect_response"), share("Refusal")
    (1.0, 0.0, 0.0)
    >>> share("failed: AssertionError"), share("timed out"), share("passed: see below"), share("Rome: a city")
    (0.0, 0.0, 1.0, None)
    >>> share(f"failed: {'x' * 500}"), share("right " * 100)  # a long text is an answer, not what is said of one
    (0.0, None)
    """
    head = text.strip()[:LONGEST]
    if match := _WITH.match(head) or _BECAUSE.match(head):
        text = match[1]
    elif len(text) > LONGEST:
        return None
    bare = _GAPS.sub(" ", text.casefold()).strip(_SIGNS)
    known = next((SHARES[words] for words in (bare, _OF_ANSWER.sub("", bare)) if words in SHARES), None)
    if known is not None:
        return known
    parts = {SHARES.get(part.strip(_SIGNS)) for part in bare.split()}
    return parts.pop() if len(parts) == 1 else None


def mark(text: str) -> float | None:
    """The number of stars or points that a text names, or its place on a scale in words; None for numbers alone.

    >>> mark("★★★★☆"), mark("4 Sterne"), mark("3,5 von 5"), mark("Strongly agree"), mark("4")
    (4.0, 4.0, 3.5, 5, None)
    """
    bare = text.strip()
    if len(bare) > LONGEST:
        return None
    if match := _END_OF_SCALE.match(bare):
        return float(match[1])
    if match := _STARS.match(bare):
        return float(sum(sign in "★⭐" for sign in match[1]))
    found = _OF.match(bare) or _NAMED.match(bare)
    return float(found[1].replace(",", ".")) if found else degree_words.degree(bare)


def are_results(texts: Collection[str]) -> bool:
    """Whether all of several texts are such words, and one of them says that an answer is right."""
    shares = set[float]()
    for text in texts:
        if (found := share(text)) is None:
            return False  # at the first one, since most columns have long texts
        shares.add(found)
    return len(texts) > 1 and 1.0 in shares


def yes_or_no(text: str) -> float | None:
    """1 for yes, 0 for no and 0.5 for partly, in whatever language; None for anything else.

    >>> yes_or_no("Sí"), yes_or_no("nein."), yes_or_no("maybe"), yes_or_no("Y"), yes_or_no("teilweise")
    (1.0, 0.0, None, 1.0, 0.5)
    """
    bare = text.casefold().strip(_SIGNS)
    return 1.0 if bare in _YES else 0.0 if bare in _NO else 0.5 if bare in _PARTLY else None


def are_yes_and_no(texts: Collection[str]) -> bool:
    """Whether all of several texts say yes or no, some perhaps partly, and both are said."""
    said = {yes_or_no(text) for text in texts}
    return None not in said and said >= {0.0, 1.0}


def are_marks(texts: Collection[str]) -> bool:
    """Whether all of several texts are stars or points, some perhaps as numbers alone, or answers on a scale."""
    named = [text for text in texts if not _NUMBER.fullmatch(text)]
    if any(map(_END_OF_SCALE.match, named)) and not 0 < len(named) < len(texts):
        return False  # labels with numbers, unless some stand without words
    if any(degree_words.degree(text) is not None for text in named):
        return degree_words.are_degrees(texts)
    return len(texts) > 1 and bool(named) and all(mark(text) is not None for text in named)
