"""Why answers fail, in words: each with what to do about it."""

from collections import Counter
from collections.abc import Mapping

from evaluations.linear import Pattern
from evaluations.numerals import grouped, plural

# titles and remedies of failures by code; other codes are shown as words
FAILURES = {
    "cut": ("cut off at the token limit", "Raise max tokens, then retry."),
    "filtered": ("blocked by the content filter", ""),
    "refused_to_answer": ("refused by the model", ""),
    "empty": ("came back empty", ""),
    "missing_value": ("have no value for a variable", "Fill the column, or change the prompt."),
    "timeout": ("timed out", "Retry when the server is less busy."),
    "rate_limited": ("refused by the rate limit six times", "Retry later."),
    "unavailable": ("failed because the server had an error", "Retry later."),
    "unauthorized": ("failed because the API key was rejected", "Replace the key of the connection."),
    "address_not_allowed": (
        "refused because the address of the server is not allowed",
        "Allow it on the page of the connection.",
    ),
    "not_found": ("failed because the server has no such model", "Check the model name."),
    "bad_answer": ("could not be read", ""),
    "insufficient_quota": (
        "refused because the account has no quota left",
        "Pay the provider, then continue.",
    ),
    "moderation": ("refused by the provider's moderation", "Change the prompt or the example."),
    "unsupported_parameter": ("refused because of a parameter", "Change the parameters of the prompt."),
}
# the same in the few words that a row has room for, where they are shorter
IN_A_ROW = {
    "missing_value": "no value for a variable",
    "rate_limited": "refused by the rate limit",
    "unavailable": "server error",
    "unauthorized": "API key rejected",
    "address_not_allowed": "address not allowed",
    "not_found": "no such model",
    "insufficient_quota": "no quota left",
    "moderation": "refused by moderation",
    "unsupported_parameter": "parameter refused",
}
# failures that are mended on the page of the connection
OF_CONNECTION = ("address_not_allowed", "unauthorized")


STORED_CODE = Pattern(r"by “(\w+)”")  # in messages of launches that ended before they were written in words


def told(error: Mapping[str, str] | None) -> str:
    """The message of a stored error, in which a code stands in words.

    >>> told({"code": "too_many_failures", "message": "5 of 5 answers failed, most by “timeout”."})
    '5 of 5 answers failed, most timed out.'
    """
    message = error.get("message", "") if error else ""
    return STORED_CODE.sub(lambda found: in_words(found[1])[0], message)


def in_words(code: str) -> tuple[str, str]:
    """What happened to answers that failed in this way, and what to do about it."""
    return FAILURES.get(code, (code.replace("_", " "), ""))


def in_a_row(error: str) -> str:
    """The stored error of an answer in few words; one that came with uploaded outputs stays as it is.

    >>> in_a_row("unauthorized: Incorrect API key provided"), in_a_row("my own words")
    ('API key rejected', 'my own words')
    """
    code = error.partition(":")[0]
    return (IN_A_ROW.get(code) or in_words(code)[0]) if code in FAILURES else error


def counted(failed: Counter[str], total: int, unasked: int = 0) -> str:
    """How many of the answers failed, and why, and how many were `unasked` when their launch stopped.

    >>> counted(Counter(unauthorized=60), 120)
    '60 of 120 answers failed, all because the API key was rejected.'
    >>> counted(Counter(timeout=3, cut=1), 60)
    '4 of 60 answers failed, most timed out.'
    >>> counted(Counter(unauthorized=10), 120, unasked=30)
    '10 of 120 answers failed, all because the API key was rejected; 30 were never asked.'
    """
    [(code, most)] = failed.most_common(1)
    share = "all" if most == failed.total() else "most"
    words = in_words(code)[0].removeprefix("failed ")
    rest = never_asked(unasked, "; ")
    return f"{grouped(failed.total())} of {grouped(total)} answers failed, {share} {words}{rest}."


def never_asked(unasked: int, before: str = "") -> str:
    """How many answers a launch that stopped did not ask for; "" if it asked for all.

    >>> never_asked(1), never_asked(30, "; "), never_asked(0, "; ")
    ('1 was never asked', '; 30 were never asked', '')
    """
    return f"{before}{grouped(unasked)} {'was' if unasked == 1 else 'were'} never asked" if unasked else ""


def what_lacks(failed: int, unasked: int) -> str:
    """What a launch that stopped lacks, as a sentence; "" where it lacks nothing.

    >>> what_lacks(10, 30), what_lacks(0, 30)
    ('10 answers failed, 30 were never asked.', '30 answers were never asked.')
    """
    rest = never_asked(unasked)
    if not failed:
        return f"{plural(unasked, 'answer')} {rest.partition(' ')[2]}." if rest else ""
    return f"{plural(failed, 'answer')} failed{', ' * bool(rest)}{rest}."


def ask_these(count: int) -> str:
    """The button by which answers that failed or were never asked are asked.

    >>> ask_these(1), ask_these(1040)
    ('Ask this one', 'Ask these 1\u202f040')
    """
    return "Ask this one" if count == 1 else f"Ask these {grouped(count)}"
