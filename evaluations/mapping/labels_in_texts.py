"""How a label stands in a text: as a word of its own, at its beginning, in brackets, or after "answer"."""

import unicodedata

from evaluations import linear

MARKED = (
    r"(?i)(?:\b(?:answer|antwort|réponse|respuesta|risposta|resposta|antwoord)(?:\s+(?:is|ist|est|es|è|é))?|ответ"
    r"|答案是?为?|答え|答えは|正解は?|정답은?|उत्तर|الإجابة|คำตอบ(?:คือ)?)\s*[:=：]?\s*(?:option\s+)?[\s(（\[{*_\"'`]*$"
)
ANSWER = linear.Pattern(MARKED)
# what follows a label that is said to be right: "C is the correct answer"
RIGHT = linear.Pattern(
    r"(?i)^[)\]*_\"'”.]{0,3}\s*(?:is|must be|seems|looks)\s+(?:the\s+)?(?:most\s+)?"
    r"(?:correct|right|answer\b|best (?:answer|choice|option|fit|match))"
)
# a line that says nothing but "Sentiment: positive"
OF_LINE = linear.Pattern(r"(?:^|\n)[\s*_#>-]*\p{L}[^\n:]{0,30}[:：][\s*_\"'“`]*$")
END_OF_LINE = linear.Pattern(r"^[*_\"'”`.!]{0,3}\s*(?:\n|$)")
# what stands before a label that is said not to be the answer: "is not ", "isn't a ", "non-"
DENIED = linear.Pattern(
    r"(?i)(?:\b(?:not|never|non|nicht|keine?|pas|no\s+es|não\s+é)|n['’]t)(?:\s+|-)(?:(?:an?|the|really)\s+)?[\[{*_\"'“`]*$"
)
WITHOUT_BLANKS = linear.Pattern(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
YES_AND_NO = {"yes": "true", "no": "false"}  # words that are the same answer
BRACKETS = (
    ("(", ")"),
    ("（", "）"),
    ("【", "】"),
    ("「", "」"),
    ("[", "]"),
    ("{", "}"),
    ("**", "**"),
    ("__", "__"),
    ("<", ">"),
)
AFTER_OPENING = (",", ".", ":", ";", ")", "!", "，", "。", "：", "\n", " -", " \N{EN DASH}", " \N{EM DASH}")


def is_in_word(neighbour: str, edge: str) -> bool:
    """Whether a label goes on in its neighbour: not where blanks do not divide words."""
    if not neighbour or WITHOUT_BLANKS.match(neighbour) or WITHOUT_BLANKS.match(edge):
        return False
    return _is_of_word(neighbour) and _is_of_word(edge)


def _is_of_word(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character).startswith("M")


def is_set_off(before: str, level: str) -> bool:
    """Whether a single letter in another case is the label and not a word such as "a"."""
    return level in ("bracketed", "lined") or (
        level == "marked" and before.rstrip(" (*").endswith((":", "=", "："))
    )


def is_denied(before: str) -> bool:
    """Whether a label is said not to be the answer by the words directly before it."""
    return DENIED.search(before) is not None


def level_of(before: str, after: str) -> str:
    """How a label stands between what is before and after it: "marked", "lined", "bracketed", "opening" or as a
    "word"."""
    if ANSWER.search(before) or RIGHT.search(after):
        return "marked"
    if OF_LINE.search(before) and END_OF_LINE.search(after):
        return "lined"
    if any(before.endswith(left) and after.startswith(right) for left, right in BRACKETS):
        return "bracketed"
    return "opening" if not before and after.startswith(AFTER_OPENING) else "word"
