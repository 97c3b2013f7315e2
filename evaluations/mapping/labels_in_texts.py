"""How a label stands in a text: as a word of its own, at its beginning, in brackets, or after "answer"."""

from evaluations import linear

MARKED = (
    r"(?i)(?:\b(?:answer|antwort|réponse|respuesta|risposta|resposta|antwoord)(?:\s+(?:is|ist|est|es|è|é))?"
    r"|\b(?:best|correct|right|final|my)\s+(?:one|choice|option|label|category|verdict|classification)(?:\s+is)?"
    r"|\b(?:verdict|classification|conclusion)(?:\s+is)?"
    r"|\bI(?:['’]d|['’]ll|\s+would|\s+will)?\s+(?:choose|pick|select|go\s+with)"
    r"|ответ|答案是?为?|答え|答えは|正解は?|정답은?|उत्तर|الإجابة|คำตอบ(?:คือ)?)"
    r"\s*[:=：]?\s*(?:option\s+)?[\s(（\[{*_\"'`]*$"
)
ANSWER = linear.Pattern(MARKED)
# what follows a label that is said to be right: "C is the correct answer"
RIGHT = linear.Pattern(
    r"(?i)^[)\]*_\"'”.]{0,3}\s*(?:is|must\s+be)\s+(?:the\s+)?(?:most\s+)?"
    r"(?:correct|right|answer\b|best(?:[.!,]|$|\s+(?:answer|choice|option|fit|match)))"
)
# a line that says nothing but "Sentiment: positive"
OF_LINE = linear.Pattern(r"(?:^|\n)[\s*_#>-]*\p{L}[^\n:]{0,30}[:：][\s*_\"'“`]*$")
END_OF_LINE = linear.Pattern(r"^[*_\"'”`.!]{0,3}\s*(?:\n|$)")
# what stands around a label that is named behind a colon, in a sentence or in JSON: "it belongs to: bad"
BEHIND_COLON = linear.Pattern(r"[:：][\s*_\"'“`]*$")
ENDS = linear.Pattern(r"^(?:[*_\"'”`]{0,3}\s*(?:[.;!?\n}]|$)|[\"”]\s*,)")
# what stands before a label that is said not to be the answer: "is not ", "isn't a ", "non-"
DENIED = linear.Pattern(
    r"(?i)(?:\b(?:not|never|non|nicht|keine?|pas|no\s+es|não\s+é|rul(?:e|es|ed|ing)\s+out|eliminat(?:e|es|ed|ing))"
    r"|n['’]t)(?:\s+|-)(?:(?:be|an?|the|really|option)\s+){0,2}[\[{(*_\"'“`]*$"
)
# what follows a label that is said to be wrong
WRONG = linear.Pattern(
    r"(?i)^[)\]*_\"'”.]{0,3}\s*(?:is|are|can\s+be|was)\s+(?:incorrect|wrong|false|ruled\s+out|not\b)"
)
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


def is_set_off(before: str, level: str) -> bool:
    """Whether a single letter in another case is the label and not a word such as "a"."""
    if level in ("bracketed", "lined"):
        return True
    is_behind = before.endswith(("(", "[")) or before.rstrip(" (*").endswith((":", "=", "："))
    return level == "marked" and is_behind


def is_denied(before: str, after: str) -> bool:
    """Whether a label is said not to be the answer by the words directly before or behind it."""
    return DENIED.search(before) is not None or WRONG.search(after) is not None


def level_of(before: str, after: str) -> str:
    """How a label stands between what is before and after it: "marked", "lined", "bracketed", "opening", "named" behind
    a colon, or as a "word"."""
    if ANSWER.search(before) or RIGHT.search(after):
        return "marked"
    if OF_LINE.search(before) and END_OF_LINE.search(after):
        return "lined"
    if any(before.endswith(left) and after.startswith(right) for left, right in BRACKETS):
        return "bracketed"
    if not before.strip("*_ ") and after.startswith(AFTER_OPENING):
        return "opening"
    return "named" if BEHIND_COLON.search(before) and ENDS.search(after) else "word"
