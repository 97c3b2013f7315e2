"""The first line about three or more variants: who is best, the means behind it, and the leads over the others."""

from collections.abc import Sequence

from evaluations.numerals import percent, plural
from evaluations.statistics.sentence_facts import Facts
from evaluations.statistics.terms import Difference
from evaluations.statistics.wording import Part, difference, joined, levels, means, names, number

MOST_BESIDE, MOST_MEANS = 2, 4  # variants whose differences, and whose means, stand in a sentence


def of_many(facts: Facts) -> list[Part]:
    ranking = facts.pairs.ranking
    if len(ranking.best) == len(facts.variants):
        between: list[Part] = [("", f" between the {len(facts.variants)} variants"), *on_evaluator(facts)]
        return [("cannot_tell", "No clear difference"), *between, *_every_mean(facts), ("", ".")]
    best = names([facts.variants[variant] for variant in ranking.best])
    if len(ranking.best) > 1:
        tied: list[Part] = [*best, ("", " are "), ("tied", "tied for best"), *on_evaluator(facts)]
        beats = _against_baseline(facts) if facts.leaders else _group_lead(facts) or _against_baseline(facts)
        if len(facts.variants) > MOST_MEANS and not beats:
            return [*tied, *_behind_baseline(facts), ("", ".")]
        level: list[Part] = [
            *tied,
            ("", ": "),
            ("cannot_tell", "no clear difference"),
            ("", " between them."),
        ]
        if facts.leaders:
            level = [*_ahead(facts), ("", ".")]
        figures = [] if beats and not facts.pairs.means else _figures(facts)
        return joined([level, beats, figures, *([] if beats else _beaten(facts))])
    alone = ranking.best[0]
    if ranking.ranks[alone] != (1, 1):
        rivals = [variant for variant in ranking.order if variant != alone]
        level_with = [
            facts.variants[rival]
            for rival in rivals
            if facts.pairs.comparison(alone, rival).verdict == "cannot_tell"
        ]
        return [
            *best,
            ("", " leads"),
            *on_evaluator(facts),
            *_open(level_with),
            *_every_mean(facts),
            ("", "."),
        ]
    head = [*best, ("", " is "), ("better", "best"), ("", f" of {len(facts.variants)}"), *on_evaluator(facts)]
    return [*head, ("", ": "), *_leads(facts, alone), ("", ".")]


def _ahead(facts: Facts) -> list[Part]:
    """Such as "c leads on rating, with no clear difference from b", where c beats the baseline and b does not."""
    leaders = facts.leaders
    others = [facts.variants[variant] for variant in facts.pairs.ranking.best if variant not in leaders]
    unclear: list[Part] = [("", ", with "), ("cannot_tell", "no clear difference")]
    unclear += [("", " from " if len(leaders) == 1 else " between them or from "), *_others(others)]
    head = names([facts.variants[variant] for variant in leaders])
    return [*head, ("", " leads" if len(leaders) == 1 else " lead"), *on_evaluator(facts), *unclear]


def _others(variants: Sequence[str]) -> list[Part]:
    """Two variants by name, of more how many there are."""
    return names(variants) if len(variants) <= MOST_BESIDE else [("", f"{len(variants)} others")]


def _not_so(variants: Sequence[str]) -> list[Part]:
    """Which of the variants that nothing tells from the leaders do not clearly beat the baseline."""
    if len(variants) > MOST_BESIDE:
        return [("", "; the others are not clearly better")]
    verb = "is" if len(variants) == 1 else "are"
    return [("", "; "), *names(variants), ("", f" {verb} not clearly better")]


def rank_of(facts: Facts, variant: int) -> list[Part]:
    """A sentence with the possible ranks of a variant."""
    if not facts.has_verdict:
        return []
    first, last = facts.pairs.ranking.ranks[variant]
    return [("", f"It is ranked {first if first == last else f'{first}–{last}'} of {len(facts.variants)}.")]


def _open(level_with: Sequence[str]) -> list[Part]:
    """From which variants nothing tells a leader; none where it shares no examples with those that it does not beat."""
    if not level_with:
        return []
    return [("", ", with "), ("cannot_tell", "no clear difference"), ("", " from "), *names(level_with)]


def on_evaluator(facts: Facts) -> list[Part]:
    """Such as " on rating (1 to 5)"."""
    scale: list[Part] = [("", f" ({facts.scale})")] if facts.scale else []
    return [("", " on "), ("evaluator", facts.evaluator), *scale]


def means_and_size(facts: Facts, compared: Difference) -> list[Part]:
    """Such as ": 0.59 against 0.31, +0.28 (95 % interval …)"."""
    shown = means(compared, facts.share)
    if not shown:
        return []
    if compared.difference == 0 and not compared.shown_interval:
        return [("", ": "), *shown]
    return [("", ": "), *shown, ("", ", "), *difference(compared, in_points=bool(facts.share), is_named=True)]


def _leads(facts: Facts, best: int) -> list[Part]:
    """The mean of a single best variant against that of the next one, and that of the baseline."""
    following = facts.pairs.ranking.order[1]
    if facts.pairs.means:
        return _lead_of_both(facts, best, following)
    over = [following] if facts.baseline in (best, following) else [following, facts.baseline]
    leads = [facts.pairs.comparison(variant, best) for variant in over]
    written = levels(leads, is_share=bool(facts.share))
    parts: list[Part] = [("number", f"{written[0][0]}{_of(facts)}"), ("", " against ")] if written else []
    for place, (variant, lead) in enumerate(zip(over, leads, strict=True)):
        parts += [("", ", and ")] if place else []
        parts += [("number", written[place][1]), ("", " for ")] if written else []
        size = difference(lead, in_points=bool(facts.share), is_named=not place)
        parts += [*_named(facts, variant), *([("", ", "), *size] if size else [])]
    return parts


def _lead_of_both(facts: Facts, best: int, following: int) -> list[Part]:
    """The means of the best two over their own examples, and their difference over those of both."""
    lead = facts.pairs.comparison(following, best)
    size = difference(lead, in_points=bool(facts.share), is_named=True)
    return [
        ("number", f"{_mean(facts, best)}{_of(facts)}"),
        ("", " against "),
        ("number", _mean(facts, following)),
        ("", " for "),
        ("name", facts.variants[following]),
        ("", f"; over the {plural(lead.n, 'example')} of both, "),
        *size,
    ]


def _group_lead(facts: Facts) -> list[Part]:
    """The lead of the variants tied for best over the next one, if each of them is better than it."""
    ranking = facts.pairs.ranking
    following = next(variant for variant in ranking.order if variant not in ranking.best)
    leads = [facts.pairs.comparison(following, variant) for variant in ranking.best]
    if any(lead.verdict != "better" or lead.difference is None for lead in leads):
        return []
    opening: list[Part] = [("", f"{_every(leads)} are "), ("better", "better"), ("", " than ")]
    return [*opening, *_named(facts, following), *_several(facts, leads), ("", ".")]


def _every(tied: Sequence[object]) -> str:
    """The variants tied for best, whose names stand in the sentence before."""
    return {1: "It", 2: "Both"}.get(len(tied), f"All {len(tied)}")


def _against_baseline(facts: Facts) -> list[Part]:
    """Which of the variants tied for best are better than the baseline, where not all are."""
    better: list[int] = []
    level: list[int] = []
    for variant in facts.pairs.ranking.best:
        verdict = facts.pairs.comparison(facts.baseline, variant).verdict if variant != facts.baseline else ""
        better += [variant] if verdict == "better" else []
        level += [variant] if verdict == "cannot_tell" else []
    if not better:
        return []
    is_every = better == list(facts.pairs.ranking.best)
    named = names([facts.variants[variant] for variant in better])
    if len(better) > MOST_MEANS:
        named = [("", f"{len(better)} of them")]  # whose names stand there are the first few of all
    head: list[Part] = [("", _every(better))] if is_every or facts.leaders else named
    head += [("", " is " if len(better) == 1 else " are ")]
    head += [("better", "better"), ("", " than "), *_named(facts, facts.baseline)]
    head += _several(facts, [facts.pairs.comparison(facts.baseline, variant) for variant in better])
    open_to = [facts.variants[variant] for variant in level]
    if facts.leaders:
        return [*head, *_not_so(open_to), ("", ".")]
    rest: list[Part] = [("", ", with "), ("cannot_tell", "no clear difference"), ("", " for ")]
    return [*head, *([*rest, *names(open_to)] if level else []), ("", ".")]


def pairs_of_many(facts: Facts) -> list[Part]:
    """Of many variants which of the best ones beats which others: a list that the first line leaves out."""
    if not facts.has_verdict or not MOST_MEANS < len(facts.variants) != len(facts.pairs.ranking.best) > 1:
        return []
    return [] if _group_lead(facts) or _against_baseline(facts) else joined(_beaten(facts))


def _behind_baseline(facts: Facts) -> list[Part]:
    """Such as "; v5, v6 and v7 are worse than the baseline v0", or "; the other 3 are" if these are all others."""
    others = [variant for variant in facts.pairs.ranking.order if variant != facts.baseline]
    worse = [
        variant for variant in others if facts.pairs.comparison(facts.baseline, variant).verdict == "worse"
    ]
    if not worse:
        return []
    is_rest = len(worse) > MOST_BESIDE and not set(others) - {*worse, *facts.pairs.ranking.best}
    behind: list[Part] = (
        [("", f"the other {len(worse)}")]
        if is_rest
        else names([facts.variants[variant] for variant in worse])
    )
    verb: list[Part] = [("", " is " if len(worse) == 1 else " are "), ("worse", "worse"), ("", " than ")]
    return [("", "; "), *behind, *verb, *_named(facts, facts.baseline)]


def _named(facts: Facts, variant: int) -> list[Part]:
    """A variant by its name, with the word baseline if it is the one that somebody chose."""
    is_called = variant == facts.baseline and facts.is_baseline_chosen
    return [*([("", "the baseline ")] if is_called else []), ("name", facts.variants[variant])]


def _figures(facts: Facts) -> list[Part]:
    """The mean of every variant, where nothing else in the sentence has one."""
    means_of = _every_mean(facts) if len(facts.variants) <= MOST_MEANS else []
    return [("", "Means"), *means_of, ("", ".")] if means_of else []


def _beaten(facts: Facts) -> list[list[Part]]:
    """For each variant tied for best the others that it is better than, if there are any."""
    ranking = facts.pairs.ranking
    told = []
    for variant in ranking.best:
        below = [
            other
            for other in ranking.order
            if other not in ranking.best and facts.pairs.comparison(other, variant).verdict == "better"
        ]
        if not below:
            continue
        head: list[Part] = [
            ("name", facts.variants[variant]),
            ("", " is "),
            ("better", "better"),
            ("", " than "),
        ]
        if len(below) > 1:
            told.append([*head, *names([facts.variants[other] for other in below]), ("", ".")])
            continue
        lead = facts.pairs.comparison(below[0], variant)
        size = difference(lead, in_points=bool(facts.share), is_named=True)
        told.append([*head, ("name", facts.variants[below[0]]), ("", ": "), *size, ("", ".")])
    return told


def _several(facts: Facts, leads: Sequence[Difference]) -> list[Part]:
    """Such as ": 89.0 % and 88.0 % of answers right against 75.0 %, +14.0 points (…) and +13.0 points (…)".

    Of more than two the highest and the lowest mean, and the smallest difference.
    """
    written = [] if facts.pairs.means else levels(leads, is_share=bool(facts.share))
    if not written:
        return []
    if len(leads) <= MOST_BESIDE:
        ends = " and ".join(mean for mean, _ in written)
        sizes = [
            difference(lead, in_points=bool(facts.share), is_named=not k) for k, lead in enumerate(leads)
        ]
        size = [part for k, one in enumerate(sizes) for part in ([("", " and ")] if k else []) + one]
    else:
        ends = f"{written[-1][0]} to {written[0][0]}"
        smallest = min(leads, key=lambda lead: abs(lead.difference or 0.0))
        size = [("", "at least "), *difference(smallest, in_points=bool(facts.share), is_named=True)]
    return [("", ": "), ("number", f"{ends}{_of(facts)} against {written[0][1]}"), ("", ", "), *size]


def _every_mean(facts: Facts) -> list[Part]:
    """Such as ": c 3.7, b 3.6 and a 3.5", best first; of many variants the ends."""
    order = facts.pairs.ranking.order
    written = [_mean(facts, variant) for variant in order]
    if not all(written):
        return []
    if len(order) > MOST_MEANS:
        return [("", ": "), ("number", f"means from {written[-1]} to {written[0]}{_of(facts)}")]
    parts: list[Part] = []
    for place, (variant, mean) in enumerate(zip(order, written, strict=True)):
        link = ": " if not place else " and " if place == len(order) - 1 else ", "
        parts += [("", link), ("name", facts.variants[variant]), ("", " "), ("number", mean)]
    return [*parts, *([("", _of(facts))] if facts.share else [])]


def _mean(facts: Facts, variant: int) -> str:
    """The mean of a variant as tables write it; "" if it has none."""
    own, next_one = facts.pairs.means, (variant + 1) % len(facts.variants)
    mean = own[variant] if own else facts.pairs.comparison(next_one, variant).mean
    return "" if mean is None else percent(mean) if facts.share else number(mean)


def _of(facts: Facts) -> str:
    return f" of {facts.share}" if facts.share else ""


def worse_on(variant: str, other: str, labels: Sequence[str]) -> list[Part]:
    """A sentence such as "b is worse than a on legal."; empty without subsets."""
    if not labels:
        return []
    against: list[Part] = [
        ("name", variant),
        ("", " is "),
        ("worse", "worse"),
        ("", " than "),
        ("name", other),
    ]
    return [*against, ("", " on "), *names(labels, "subset"), ("", ".")]
