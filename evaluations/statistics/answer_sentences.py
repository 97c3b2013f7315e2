"""Sentences about examples that a variant did not answer."""

from evaluations.numerals import grouped, plural
from evaluations.statistics.sentence_facts import Facts
from evaluations.statistics.wording import Part, names

MOST_NAMED = 3  # variants; of more, the others are counted
AS_BOUND, AS_ESTIMATE = "worst", "at least as bad as the worst answer"


def unanswered(facts: Facts) -> list[list[Part]]:
    """How many examples the variants left unanswered, where that differs clearly, and the score that these count as."""
    counts = [(total - answered, total) for answered, total in facts.answered]
    silent = [index for index, (left, _) in enumerate(counts) if left]
    if not silent:
        return []
    if len(silent) == len(facts.variants) and len(set(counts)) == 1:
        each = "Both variants" if len(silent) == 2 else "All variants"
        return [[("", f"{each} left {_of(*counts[0])} unanswered.")], _treatment(facts)]
    clauses = [
        [
            ("name", facts.variants[index]),
            ("", f" left {_of(*counts[index])} unanswered"),
            *_clearly(facts, index),
        ]
        for index in silent
    ]
    more = len(clauses) - MOST_NAMED
    return [
        *[[*clause, ("", ".")] for clause in clauses[:MOST_NAMED]],
        *([[("", f"{more} more left examples unanswered.")]] if more > 0 else []),
        _treatment(facts),
    ]


def _of(left: int, total: int) -> str:
    return f"{grouped(left)} of {plural(total, 'example')}"


def _clearly(facts: Facts, index: int) -> list[Part]:
    """Whether a variant left clearly more or fewer examples unanswered than the baseline."""
    row = facts.measures.get("answers", ())
    compared = row[index] if index < len(row) else None
    if compared is None or compared.verdict not in ("better", "worse"):
        return []
    word = "fewer" if compared.verdict == "better" else "more"
    return [
        ("", ", clearly "),
        (compared.verdict, word),
        ("", " than "),
        ("name", facts.variants[facts.baseline]),
    ]


def _treatment(facts: Facts) -> list[Part]:
    """The score that an unanswered example counts as, with the evaluators for which it is another."""
    if facts.missing == "exclude":
        return [("", "Unanswered examples are excluded.")]
    estimate = facts.evaluator in facts.estimated
    other_evaluators = [name for name in facts.secondary if (name in facts.estimated) != estimate]
    as_bound = "wrong" if facts.share else AS_BOUND
    opening = f"Unanswered examples count as {AS_ESTIMATE if estimate else as_bound}"
    if not other_evaluators:
        return [("", f"{opening}.")]
    listed = names(other_evaluators, "evaluator")
    return [("", f"{opening}; on "), *listed, ("", f" as {AS_BOUND if estimate else AS_ESTIMATE}.")]
