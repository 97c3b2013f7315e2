"""The result of an experiment in sentences, for pages, API and reports.

A sentence claims nothing beyond the entries: better and worse are verdicts, "tied" is a rank, and if no verdict is
possible the sentence says why.
"""

from dataclasses import replace

from evaluations.numerals import NEAREST, grouped, plural
from evaluations.statistics.answer_sentences import left_out
from evaluations.statistics.online import Confirmation
from evaluations.statistics.ranking_sentences import means_and_size, of_many, on_evaluator
from evaluations.statistics.secondary_sentences import against
from evaluations.statistics.sentence_facts import Facts
from evaluations.statistics.terms import Difference
from evaluations.statistics.wording import (
    WORDS,
    Part,
    joined,
    names,
    number,
    points,
    text,
)

FEW = 5  # examples from which it is told that none is right
NOTHING_FOUND = ": nothing counts as right in any answer"  # in a list, whose row names the evaluator
NO_RANGE = "No range is declared for "
SMALL = 50  # examples below which a verdict on scores without a range is called fragile
MOST_TIED_NAMED = 2  # variants tied for best that a list names
MOST_NAMED = 3  # variants that are named; of more, the others are counted
FEW_CHANGED, MANY_CHANGED = 0.05, 0.2  # share of examples whose scores differ: hardly any, and a good part

__all__ = ["Part", "brief", "clusters", "left_out", "text", "verdict"]


def verdict(facts: Facts) -> list[Part]:
    """The first line: the best variant by the primary evaluator and its lead, or why there is no verdict."""
    if len(facts.variants) < 2:
        return []
    if facts.why_no_verdict:
        return [("", "No verdict on "), ("evaluator", facts.evaluator), ("", f": {facts.why_no_verdict}")]
    start: list[Part] = [("", "Preliminary: ")] if facts.preliminary else []
    two = facts.baseline, 1 - facts.baseline
    told = _of_two(facts, *two) if len(facts.variants) == 2 else of_many(facts)
    return joined([start + _filtered(facts) + told, exceptions(facts), helped(facts), of_judge(facts)])


def _filtered(facts: Facts) -> list[Part]:
    """The examples that are left by a filter, since the sentence is about these alone."""
    if not facts.filtered_by:
        return []
    return [("", "Only "), ("subset", facts.filtered_by), ("", f", {plural(facts.pairs.n, 'example')}: ")]


def of_judge(facts: Facts) -> list[Part]:
    """That the first line is a judge's word and not people's."""
    return [("evaluator", facts.evaluator), ("", f" is a judge, {facts.judge}.")] if facts.judge else []


def helped(facts: Facts) -> list[Part]:
    """From how many labels of people the first line comes, and what the judge saved."""
    found = facts.helped.get(facts.leading) if facts.leading else None
    if found is None:
        return []
    if not facts.helper:
        return [("", f"From {grouped(found.labels)} labelled examples, weighed by the size of their parts.")]
    saved = f"saved {grouped(found.saved)} of them" if found.saved else "saved none of them"
    return [("", f"From {grouped(found.labels)} labelled examples, "), ("evaluator", facts.helper),
            ("", f" judged {grouped(found.judged)} and {saved}.")]  # fmt: skip


def none_right(facts: Facts) -> list[Part]:
    """A caution if nothing is right by the primary, in any variant: it may measure the wrong thing."""
    if not facts.share or not facts.has_verdict or facts.pairs.n < FEW:
        return []
    found = [
        facts.pairs.comparison(facts.baseline, v) for v in range(len(facts.variants)) if v != facts.baseline
    ]
    means_of = [mean for one in found for mean in (one.mean, one.baseline_mean)]
    if any(mean is None or mean > NEAREST for mean in means_of) or found[0].direction != "maximize":
        return []
    if finding := {"answers right": "right", "answers passing": "passing"}.get(facts.share):
        number = grouped(facts.pairs.n * len(facts.variants))
        found_none = f" finds none of {number} answers {finding}: look whether it fits."
        return [("evaluator", facts.evaluator), ("", found_none)]
    what = {"comparisons won": "comparison is won by {}",
            "the weight of preferences": "preference is for {}", "fields right": "field of {} is right"}  # fmt: skip
    said = what.get(facts.share, "of the " + facts.share.split()[0] + " of {} counts")
    of = "either variant" if len(facts.variants) == 2 else "any variant"
    return [
        ("", f"No {said.format(of)} by "),
        ("evaluator", facts.evaluator),
        ("", ": is it the right measure?"),
    ]


def fragile(facts: Facts) -> list[Part]:
    """Whether one unseen case would change the verdict of the first line."""
    leading = facts.lead
    if leading is None or leading.verdict not in ("better", "worse"):
        return []
    if leading.overturned_by == 1:
        way = "gain" if leading.verdict == "worse" else "loss"
        why = f" is close: one more example, with the largest {way} that there can be, would undo it."
        if facts.leading is None or len(facts.variants) == 2 or leading.verdict == "worse":
            return [("", f"This{why}")]
        return [("", "The lead over "), ("name", facts.variants[facts.leading[0]]), ("", why)]
    is_open = not facts.is_graded and leading.overturned_by is None
    if is_open and leading.interval_method == "studentised" and leading.n < SMALL:
        # a range that was seen is no bound: a larger score may come, so only a declared one counts
        return [("", NO_RANGE), ("evaluator", facts.evaluator),
                ("", ": one large case could change this verdict.")]  # fmt: skip
    return []


def unseen(facts: Facts) -> list[Part]:
    """A caution if the primary gives nearly every example the same score in two variants, but another one differs."""
    lead, seeing = facts.lead, seeing_more(facts)
    if lead is None or not seeing:
        return []
    alike = f"{grouped(lead.n - lead.changed)} of {plural(lead.n, 'example')}"
    return [
        ("evaluator", facts.evaluator),
        ("", f" gives {alike} the same score in both, so it hardly sees the difference that "),
        *names(seeing, "evaluator"),
        ("", " finds." if len(seeing) == 1 else " find."),
    ]


def seeing_more(facts: Facts) -> list[str]:
    """The secondary evaluators that tell apart what the primary gives the same score."""
    lead = facts.lead
    if lead is None or facts.focus is None or not lead.n or lead.changed > FEW_CHANGED * lead.n:
        return []
    rows = ((name, row[facts.focus]) for name, row in facts.secondary.items())
    return [
        name
        for name, row in rows
        if row and row.verdict in ("better", "worse") and row.changed > MANY_CHANGED * row.n
    ]


def fresh(facts: Facts) -> list[Part]:
    """What to expect of the best of several variants on fresh examples, where that is less than it shows here."""
    if not facts.has_verdict or len(facts.variants) < 3:
        return []
    best, second = facts.pairs.ranking.order[:2]
    other = second if best == facts.baseline else facts.baseline
    seen, means_expected = facts.pairs.comparison(other, best).difference, facts.expected
    if seen is None or (high := means_expected[best]) is None or (low := means_expected[other]) is None:
        return []
    expected, shown = (
        f"{points(d)} points" if facts.share else number(d, signed=True) for d in (high - low, seen)
    )
    if expected == shown:
        return []
    return [("", f"The best of {grouped(len(facts.variants))} variants is partly lucky: on new examples, expect "),
            ("number", expected), ("", f" rather than {shown} for "), ("name", facts.variants[best]), ("", " against "),
            ("name", facts.variants[other]), ("", ".")]  # fmt: skip


def few_groups(facts: Facts) -> list[Part]:
    """The column whose values the verdict of the first line is about, but not yet about further values of it."""
    few = facts.few_groups.get(facts.leading) if facts.leading else None
    if few is None:
        return []
    uneven = ", of very uneven size" if few.is_uneven else ""
    return [("", f"This holds for the {few.groups} values of "), ("cluster", few.column), ("", f" seen here{uneven}; "
            "whether it holds for other values is "), ("cannot_tell", "not clear yet"), ("", ".")]  # fmt: skip


def clusters(facts: Facts) -> list[Part]:
    """The column that clusters examples, and how much that widens the intervals."""
    if facts.clusters is None or not facts.has_verdict:
        return []
    wider = f"{facts.clusters.widening:.1f}"
    opening: list[Part] = [("", "Rows with the same "), ("cluster", facts.clusters.column),
                           ("", " resemble each other and so say less: ")]  # fmt: skip
    width: list[Part] = [("", "intervals are about "), ("number", wider), ("", " times as wide.")]
    if wider == "1.0":
        width = [("", "intervals allow for that.")]
    few = " With fewer than 10 values they can be too narrow."
    return [*opening, *width, *([("", few)] if facts.clusters.is_few else [])]


def brief(facts: Facts, found: Confirmation | None = None) -> list[Part]:
    """The short verdict for a list of experiments; `found` says whether a lead in it is confirmed."""
    if not facts.has_verdict:
        return [("", "No verdict")]
    if none_right(facts):
        return [("cannot_tell", "No clear difference"), ("", NOTHING_FOUND)]
    unconfirmed = found is not None and not found.is_confirmed
    doubt: list[Part] = [("", ", "), ("cannot_tell", "not confirmed")] if unconfirmed else []
    if len(facts.variants) == 2:
        return _brief_of_two(facts, doubt)
    ranking, many = facts.pairs.ranking, len(facts.variants)
    if len(ranking.best) == many:
        return [("cannot_tell", "No clear difference")]
    shown = names([facts.variants[variant] for variant in ranking.best])
    if facts.leaders:
        return [*_brief_of_leaders(facts, doubt), *_but_tied(facts)]
    if len(ranking.best) > 1:
        tied: list[Part] = [*shown, ("", " "), ("tied", "tied for best")]
        if len(ranking.best) > MOST_TIED_NAMED:
            tied = [("tied", f"{len(ranking.best)} variants tied for best")]
        return [*tied, ("", f" of {many}"), *doubt, *_but_tied(facts)]
    if ranking.ranks[ranking.best[0]] != (1, 1):
        return [*shown, ("", " leads, "), ("cannot_tell", "no clear difference yet")]
    best: list[Part] = [*shown, ("", " "), ("better", "best"), ("", f" of {many}"), *doubt]
    return [*best, *_but(facts, ranking.best[0])]


def _brief_of_leaders(facts: Facts, doubt: list[Part]) -> list[Part]:
    """Such as "c leads, no clear difference from b", where b is not clearly better than the baseline."""
    leaders = facts.leaders
    others = [facts.variants[variant] for variant in facts.pairs.ranking.best if variant not in leaders]
    behind: list[Part] = names(others) if len(others) <= MOST_TIED_NAMED else [("", f"{len(others)} others")]
    ahead = names([facts.variants[variant] for variant in leaders])
    if len(leaders) > MOST_TIED_NAMED:
        ahead = [("", f"{len(leaders)} variants")]
    lead: list[Part] = [*ahead, ("", " leads" if len(leaders) == 1 else " lead")]
    if doubt:
        return [*lead, *doubt]
    return [*lead, ("", ", "), ("cannot_tell", "no clear difference"), ("", " from "), *behind]


def brief_otherwise(facts: Facts, *, is_without: bool) -> list[Part]:
    """What follows the short verdict where the other treatment of answers without a score makes another one of it.

    `is_without` if that leaves them out.
    """
    (role, first), *others = brief(replace(facts, subsets={}))
    opening = (
        "counting only answers with a score" if is_without else "counting answers without a score as worst"
    )
    return [("", f"; {opening}: "), (role, first if role == "name" else first.lower()), *others]


def _brief_of_two(facts: Facts, doubt: list[Part]) -> list[Part]:
    compared = facts.pairs.comparison(facts.baseline, 1 - facts.baseline)
    if compared.verdict not in ("better", "worse"):
        return [("cannot_tell", "No clear difference"), *_exceptions(facts, 1 - facts.baseline)]
    variant = 1 - facts.baseline
    verdict: list[Part] = [("name", facts.variants[variant]), ("", " "), (compared.verdict, compared.verdict)]
    return [*verdict, *doubt, *_but(facts, variant)]


def _but(facts: Facts, variant: int) -> list[Part]:
    """What a short verdict must not leave out: subsets, and evaluators, on which the variant is the opposite."""
    subsets, (word, opposed) = _exceptions(facts, variant), against(facts, variant)
    if word is None or not opposed:
        return subsets
    return [
        *subsets,
        ("", " and " if subsets else ", but "),
        (word, word),
        ("", " on "),
        *names(opposed, "evaluator"),
    ]


def _but_tied(facts: Facts) -> list[Part]:
    """Of those tied for best, the first that is worse on a subset, or not clearly better than the baseline."""
    best = facts.leaders or facts.pairs.ranking.best
    for variant in best:
        if labels := [label for verdict, label in facts.subsets.get(variant, ()) if verdict == "worse"]:
            of_one: list[Part] = [
                ("name", facts.variants[variant]),
                ("", " "),
                ("worse", "worse"),
                ("", " on "),
            ]
            return [("", ", but "), *of_one, *names(labels, "subset")]
    for variant in best:
        is_clear = (
            variant == facts.baseline or facts.pairs.comparison(facts.baseline, variant).verdict == "better"
        )
        if facts.baseline not in best and not is_clear:
            return [
                ("", ", but "),
                ("name", facts.variants[variant]),
                ("", " not clearly better than the baseline"),
            ]
    return []


def of_pair(facts: Facts, baseline: int, variant: int) -> list[Part]:
    """The sentence of two of several variants, whose intervals allow for all of them.

    Subsets are told against the baseline of `facts` alone.
    """
    told = facts if baseline == facts.baseline else replace(facts, subsets={})
    return _of_two(told, baseline, variant) if facts.has_verdict else []


def _of_two(facts: Facts, one: int, other: int) -> list[Part]:
    compared = facts.pairs.comparison(one, other)
    variant, baseline = facts.variants[other], facts.variants[one]
    if compared.verdict in ("better", "worse"):
        opening = [("name", variant), ("", " is "), (compared.verdict, compared.verdict), ("", " than ")]
        head = [
            *opening,
            ("name", baseline),
            *on_evaluator(facts),
            *means_and_size(facts, compared),
            *_exceptions(facts, other),
        ]
        return [*head, ("", "."), *_within(compared)]
    opening = [("cannot_tell", "No clear difference"), ("", " between "), *names([variant, baseline])]
    head = [
        *opening,
        *on_evaluator(facts),
        *means_and_size(facts, compared),
        *_exceptions(facts, other),
    ]
    return [*head, ("", "."), *_reason(compared), *_within(compared)]


def _exceptions(facts: Facts, variant: int) -> list[Part]:
    """Such as ", but worse on legal": subsets on which a variant's verdict differs from its overall one."""
    clauses: list[Part] = []
    for word in ("worse", "better", "cannot_tell"):
        labels = [label for verdict, label in facts.subsets.get(variant, ()) if verdict == word]
        if labels:
            link: Part = ("", " and " if clauses else ", but ")
            verb: list[Part] = [("", "shows ")] if word == "cannot_tell" else []
            clauses += [link, *verb, (word, WORDS[word]), ("", " on "), *names(labels, "subset")]
    return clauses


def _reason(compared: Difference) -> list[Part]:
    return [("", f" {compared.reason}")] if compared.reason else []


def _within(compared: Difference) -> list[Part]:
    """The verdict on the margin; empty if there is none, or if the variant is better."""
    if compared.equivalence is None or compared.margin is None:
        return []
    if compared.equivalence == "equivalent":
        return [
            ("", " They are "),
            ("equivalent", "equivalent"),
            ("", f" within ±{number(compared.margin)}."),
        ]
    if compared.verdict == "better":
        return []
    return [("", " It is "), ("not_worse", "not worse"), ("", f" by {number(compared.margin)} or more.")]


def exceptions(facts: Facts) -> list[Part]:
    """Subsets on which the leaders' verdict differs from the overall one; for two variants the first line has it."""
    if len(facts.variants) < 3 or not facts.has_verdict:
        return []
    best = [variant for variant in facts.pairs.ranking.best if facts.subsets.get(variant)]
    return joined([_exception_sentence(facts, variant) for variant in best[:MOST_NAMED]])


def _exception_sentence(facts: Facts, variant: int) -> list[Part]:
    """A sentence such as "Against the baseline a, b is worse on legal."; needs subsets of the variant."""
    against: list[Part] = [
        ("", "Against the baseline "),
        ("name", facts.variants[facts.baseline]),
        ("", ", "),
    ]
    clauses = _exceptions(facts, variant)[1:]
    verb = " is " if clauses[0][0] in ("better", "worse") else " "
    return [*against, ("name", facts.variants[variant]), ("", verb), *clauses, ("", ".")]
