"""Sentences about examples that a variant did not answer."""

from evaluations.numerals import grouped
from evaluations.statistics.sentence_facts import Facts
from evaluations.statistics.wording import Part, names

MOST_NAMED = 3  # variants; of more, the others are counted
AS_BOUND, AS_ESTIMATE = "worst", "at least as bad as the worst answer"


def unanswered(facts: Facts) -> list[list[Part]]:
    """The variants with unanswered examples, and the score that these count as."""
    incomplete_variants = [
        (name, answered, total)
        for name, (answered, total) in zip(facts.variants, facts.answered, strict=False)
        if answered < total
    ]
    if not incomplete_variants:
        return []
    clauses = [
        [("name", name), ("", f" answered {grouped(answered)} of {grouped(total)}.")]
        for name, answered, total in incomplete_variants
    ]
    more = len(clauses) - MOST_NAMED
    return [
        *clauses[:MOST_NAMED],
        *([[("", f"{more} more left examples unanswered.")]] if more > 0 else []),
        _treatment(facts),
    ]


def _treatment(facts: Facts) -> list[Part]:
    """The score that an unanswered example counts as, with the evaluators for which it is another."""
    if facts.missing == "exclude":
        return [("", "Unanswered examples are excluded.")]
    estimate = facts.evaluator in facts.estimated
    other_evaluators = [name for name in facts.secondary if (name in facts.estimated) != estimate]
    opening = f"Unanswered examples count as {AS_ESTIMATE if estimate else AS_BOUND}"
    if not other_evaluators:
        return [("", f"{opening}.")]
    listed = names(other_evaluators, "evaluator")
    return [("", f"{opening}; on "), *listed, ("", f" as {AS_BOUND if estimate else AS_ESTIMATE}.")]


def answers(facts: Facts) -> list[list[Part]]:
    """The variants whose share of answered examples differs from the baseline's."""
    row = facts.measures.get("answers", ())
    clauses: list[list[Part]] = []
    for name, compared in zip(facts.variants, row, strict=False):
        if compared and compared.verdict in ("better", "worse"):
            word = "more" if compared.verdict == "better" else "fewer"
            clauses.append(
                [
                    ("name", name),
                    ("", " answers "),
                    (compared.verdict, f"{word} examples"),
                    ("", " than "),
                    ("name", facts.variants[facts.baseline]),
                    ("", "."),
                ]
            )
    return clauses[:MOST_NAMED]
