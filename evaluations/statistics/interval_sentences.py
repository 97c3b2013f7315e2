"""Why an interval reaches further on one side of a difference, or across zero, than people expect."""

from collections.abc import Callable, Sequence

from evaluations.numerals import grouped
from evaluations.statistics.sentence_facts import Facts
from evaluations.statistics.terms import FEWEST_AGAINST, Difference
from evaluations.statistics.wording import Part, joined, names

LOPSIDED = 1.25  # how much longer one side of an interval is than the other one, where that is worth a word
MOST_NAMED = 3  # variants


def shapes(facts: Facts) -> list[Part]:
    """Of the differences from the baseline, why intervals are bounds, or allow for an example that was not seen."""
    if not facts.has_verdict:
        return []
    return joined([_bounds(facts), _allow_for_unseen(facts)])


def _found(facts: Facts, is_so: Callable[[Difference], bool]) -> Sequence[tuple[str, Difference]]:
    compared = [
        (name, facts.pairs.comparison(facts.baseline, variant))
        for variant, name in enumerate(facts.variants)
        if variant != facts.baseline
    ]
    return [(name, one) for name, one in compared if one.shown_interval and is_so(one)]


def _bounds(facts: Facts) -> list[Part]:
    found = _found(facts, lambda one: one.interval_method == "bound" and one.changed > 0)
    if not found:
        return []
    parts: list[Part] = [
        ("", "Few examples differ from "),
        ("name", facts.variants[facts.baseline]),
        ("", ":"),
    ]
    for place, (name, one) in enumerate(found[:MOST_NAMED]):
        counts = f"{',' if place else ''} {grouped(one.changed)} of {grouped(one.n)} for "
        parts += [("", counts), ("name", name)]
    if len(found) > MOST_NAMED:
        parts += [("", f", and as few for {len(found) - MOST_NAMED} more")]
    why = "Such an interval reaches across zero on both sides, because other examples may differ more often"
    return [*parts, ("", f". {why}.")]


def _allow_for_unseen(facts: Facts) -> list[Part]:
    found = _found(facts, lambda one: one.allows_for_case and _is_lopsided(one))
    if not found:
        return []
    its = "Its interval allows" if len(found) == 1 else "Their intervals allow"
    reach = "reaches" if len(found) == 1 else "reach"
    return [
        ("", f"Fewer than {FEWEST_AGAINST} examples go against the difference of "),
        *names([name for name, _ in found]),
        ("", " from "),
        ("name", facts.variants[facts.baseline]),
        ("", f". {its} for one more, not seen, and so {reach} further towards zero."),
    ]


def _is_lopsided(compared: Difference) -> bool:
    """Whether the side of an interval that points to zero is much the longer one."""
    if compared.interval is None or not compared.difference:
        return False
    below, above = (abs(end - compared.difference) for end in compared.interval)
    near, far = (below, above) if compared.difference > 0 else (above, below)
    return near > LOPSIDED * far
