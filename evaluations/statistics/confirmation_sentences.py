"""Sentences about a lead of "better": whether it is confirmed, given all comparisons ever made on its dataset."""

from evaluations.numerals import grouped, plural
from evaluations.statistics.online import Confirmation, allowed
from evaluations.statistics.wording import Part

LUCK = "Among many variants, one can look better by luck"


def online(found: Confirmation | None) -> list[Part]:
    """Whether "better" is confirmed, given all comparisons ever made on this dataset."""
    if found is None:
        return []
    declared = "" if found.most is None else f", of at most {grouped(found.most)} declared"
    which = f"{_which(found)}{declared}"
    start = "This" if found.is_confirmed else "But this"
    return [("", f"{start} is {which}. "), *_why(found)]


def why_online(found: Confirmation | None) -> list[Part]:
    """The reason of `online` alone, below `online_in_short`."""
    if found is None:
        return []
    most = "" if found.most is None else f" At most {grouped(found.most)} comparisons are declared."
    return [*_why(found), ("", most)] if most else _why(found)


def _why(found: Confirmation) -> list[Part]:
    lead = _lead(found, "this lead")
    if found.is_confirmed:
        return [("", f"{LUCK}; "), *lead, ("", " is clear enough to be confirmed all the same.")]
    limit = allowed(found.number, found.most)
    chance = f": luck alone gives such a lead with probability {found.p_corrected:.2g}"
    why = f"{chance}; to be confirmed, it must be {limit:.2g} or less" if limit else ""
    return [("", f"{LUCK}, and "), *lead, ("", f" is not clear enough to be confirmed{why}.")]


def _lead(found: Confirmation, alone: str) -> list[Part]:
    """The lead by the name of the variant that it is over; `alone` of two variants."""
    return [("", "the lead over "), ("name", found.over)] if found.over else [("", alone)]


def online_in_short(found: Confirmation) -> list[Part]:
    """`online` in a line, without its reason."""
    if found.is_confirmed:
        return [("", f"Confirmed: clear enough although this is {_which(found)}.")]
    lead: list[Part] = [("", " is "), *_lead(found, "")] if found.over else []
    why = f": this is {_which(found)}, and one can look better by luck."
    return [("cannot_tell", "Not confirmed"), *lead, ("", why)]


def _which(found: Confirmation) -> str:
    if found.at_once:
        return f"one of {plural(found.at_once, 'variant')} compared with the baseline at once"
    return f"comparison number {grouped(found.number)} on this dataset"
