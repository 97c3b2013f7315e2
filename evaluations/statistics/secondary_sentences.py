"""Sentences about the secondary evaluators: whether they say what the primary one says."""

from collections.abc import Mapping

from evaluations.statistics.sentence_facts import Facts
from evaluations.statistics.terms import Difference, Verdict
from evaluations.statistics.wording import WORDS, Part, joined, names, number, points

OPPOSITE: Mapping[str | None, Verdict] = {"better": "worse", "worse": "better"}
MOST_SIZES = 4  # secondary evaluators whose differences stand in a sentence


def disagreement(facts: Facts) -> list[Part]:
    """The secondary evaluators that say the opposite of the primary one; empty if none does."""
    if not facts.has_verdict or not facts.secondary:
        return []
    best = [variant for variant in facts.pairs.ranking.best if variant != facts.baseline]
    told = best if facts.focus is None else [facts.focus]
    return joined(_disagree(facts, variant) for variant in told)


def agreement(facts: Facts) -> list[Part]:
    """What the secondary evaluators say of the variant in focus."""
    if not facts.has_verdict or not facts.secondary or facts.focus is None:
        return []
    return _agreement(facts, facts.focus)


def blind_spot(facts: Facts) -> list[Part]:
    """The first other variant that the primary evaluator holds equal to the baseline, although its answers are more or
    less often right, by people or by an evaluator that says so.
    """
    if facts.tells_right or len(facts.variants) < 3 or not facts.has_verdict or not facts.secondary:
        return []
    others = [v for v in facts.pairs.ranking.order if v not in (facts.focus, facts.baseline)]
    for variant in others:
        if facts.pairs.comparison(facts.baseline, variant).verdict != "cannot_tell":
            continue
        said = {
            name: row[variant]
            for name, row in facts.secondary.items()
            if name in {*facts.shares, *facts.people}
        }
        for verdict in ("better", "worse"):
            if seen := [name for name, row in said.items() if row and row.verdict == verdict]:
                return [("", "On "), *names(seen, "evaluator"), ("", ", "), ("name", facts.variants[variant]),
                        ("", " is "), (verdict, verdict), ("", " than "),
                        ("name", facts.variants[facts.baseline]), ("", "; "), ("evaluator", facts.evaluator),
                        ("", " does not see that.")]  # fmt: skip
    return []


def _agreement(facts: Facts, variant: int) -> list[Part]:
    """Whether the secondary evaluators give the verdict of the primary one, or which of them says what."""
    words = {name: row[variant] for name, row in facts.secondary.items()}
    verdicts = {name: compared.verdict if compared else None for name, compared in words.items()}
    primary = facts.pairs.comparison(facts.baseline, variant).verdict
    if primary == "cannot_tell" and set(verdicts.values()) == {primary}:
        return _unclear(facts, words)
    if primary and set(verdicts.values()) == {primary}:
        which = {1: "The secondary evaluator agrees", 2: "Both secondary evaluators agree"}
        return [("", f"{which.get(len(verdicts), f'All {len(verdicts)} secondary evaluators agree')}.")]
    clauses: list[list[Part]] = []
    for verdict, word in [*WORDS.items(), (None, "no verdict")]:
        listed = [name for name, said in verdicts.items() if said == verdict]
        if listed:
            alone: list[Part] = (
                [("", " (a judge gives none before it is checked against people)")]
                if {*listed} <= {*facts.judges}
                else []
            )
            clauses.append(
                [
                    (verdict or "", word),
                    ("", " on "),
                    *names(listed, "evaluator"),
                    *(alone if not verdict else []),
                ]
            )
    separated = [part for k, clause in enumerate(clauses) for part in ([("", ", ")] if k else []) + clause]
    return [
        ("", "Secondary evaluators: " if len(verdicts) > 1 else "Secondary evaluator: "),
        *separated,
        ("", "."),
    ]


def _unclear(facts: Facts, words: Mapping[str, Difference | None]) -> list[Part]:
    """That no secondary evaluator is clear either, with what it says: two that see nothing do not agree on it."""
    told: list[Part] = [("", "No secondary evaluator" if len(words) > 1 else "The secondary evaluator")]
    told += [
        ("", " has a " if len(words) > 1 else " has no "),
        ("cannot_tell", "clear difference"),
        ("", " either"),
    ]
    sizes = [(name, c.difference) for name, c in words.items() if c and c.difference is not None]
    for place, (name, size) in enumerate(sizes if len(sizes) <= MOST_SIZES else []):
        written = (
            f"{points(size)} points"
            if name in {*facts.shares, *facts.in_points}
            else number(size, signed=True)
        )
        told += [("", ", " if place else ": "), ("evaluator", name), ("", " "), ("number", written)]
    return [*told, ("", ".")]


def against(facts: Facts, variant: int) -> tuple[Verdict | None, list[str]]:
    """The opposite of the primary's verdict on a variant, and the secondary evaluators that say so."""
    if variant == facts.baseline:
        return None, []
    opposite = OPPOSITE.get(facts.pairs.comparison(facts.baseline, variant).verdict)
    compared = {name: row[variant] for name, row in facts.secondary.items()}
    said = [name for name, one in compared.items() if opposite and one and one.verdict == opposite]
    return opposite, said


def _disagree(facts: Facts, variant: int) -> list[Part]:
    """The secondary evaluators whose verdict is opposite to the primary one, both against the baseline."""
    opposite, opposed = against(facts, variant)
    if opposite is None or not opposed:
        return []
    every = len(facts.secondary) > 1 and len(opposed) == len(facts.secondary)
    where = (
        [("", "both" if len(opposed) == 2 else f"all {len(opposed)}")]
        if every
        else names(opposed, "evaluator")
    )
    start: list[Part] = [("", "Secondary evaluators disagree: "), ("name", facts.variants[variant])]
    rightness = [name for name in opposed if name in facts.shares] if not facts.tells_right else []
    verb = "says" if len(rightness) == 1 else "say"
    why = f", which {verb} whether an answer is right: " if rightness == opposed else ""
    blind: list[Part] = [("evaluator", facts.evaluator), ("", " cannot see that.")] if why else []
    return [*start, ("", " is "), (opposite, opposite), ("", " than "), ("name", facts.variants[facts.baseline]),
            ("", " on "), *where, ("", why or "."), *blind]  # fmt: skip
