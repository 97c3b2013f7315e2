"""Sentences about examples that a variant did not answer, and answers that the evaluator could not read."""

from evaluations.numerals import grouped, plural
from evaluations.statistics.sentence_facts import SCORED_1, Facts
from evaluations.statistics.wording import Part, capitalised, names

MOST_NAMED = 3  # variants; of more, the others are counted
NOT_ASKED = "What a variant was not asked counts nowhere for it; two are compared on what both were asked."
AS_BOUND, AS_ESTIMATE = "worst", "at least as bad as the worst answer"


def unanswered(facts: Facts) -> list[list[Part]]:
    """How many examples the variants left unanswered, how many answers could not be read, and what these count as."""
    told = [*_silent(facts), *_unread(facts)]
    return [*_not_asked(facts), *told, *([_treatment(facts)] if told else [])]


def _not_asked(facts: Facts) -> list[list[Part]]:
    """How many examples each variant was asked, where no example was asked of all by design."""
    if not facts.pairs.means or len(facts.answered) < len(facts.variants):
        return []
    totals, every = [total for _, total in facts.answered], plural(facts.pairs.n, "example")
    if len(totals) > MOST_NAMED:
        spread = f"Each variant was asked {grouped(min(totals))} to {grouped(max(totals))} of {every}"
        return [[("", f"{spread}. {NOT_ASKED}")]]
    parts: list[Part] = []
    for number, (name, total) in enumerate(zip(facts.variants, totals, strict=True)):
        link = "" if number == 0 else " and " if number == len(totals) - 1 else ", "
        verb = " was asked " if number == 0 else " "
        parts += [*([("", link)] if link else []), ("name", name), ("", f"{verb}{grouped(total)}")]
    return [[*parts, ("", f" of {every}. {NOT_ASKED}")]]


def left_out(facts: Facts) -> str:
    """What "exclude" leaves out here: unanswered examples, unreadable answers, or both; "" if there is neither."""
    has_silent = any(answered < total for answered, total in facts.answered)
    found = [(has_silent, "unanswered examples"), (any(facts.unread), "unreadable answers")]
    return " and ".join(words for is_there, words in found if is_there)


def _silent(facts: Facts) -> list[list[Part]]:
    counts = [(total - answered, total) for answered, total in facts.answered]
    silent = [index for index, (left, _) in enumerate(counts) if left]
    if not silent:
        return []
    if len(silent) == len(facts.variants) and len(set(counts)) == 1:
        each = "Both variants" if len(silent) == 2 else "All variants"
        return [[("", f"{each} left {_of(*counts[0])} unanswered.")]]
    if len(silent) <= MOST_NAMED and (together := _together(facts, counts, silent)):
        return [together]
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
    ]


def _together(facts: Facts, counts: list[tuple[int, int]], silent: list[int]) -> list[Part]:
    """One sentence for variants that were asked equally many examples, none of which stands out; else empty."""
    totals = {counts[index][1] for index in silent}
    if len(silent) < 2 or len(totals) > 1 or any(_clearly(facts, index) for index in silent):
        return []
    parts: list[Part] = []
    for number, index in enumerate(silent):
        link = "" if number == 0 else " and " if number == len(silent) - 1 else ", "
        verb = " left " if number == 0 else " "
        left = grouped(counts[index][0])
        parts += [("", link), ("name", facts.variants[index]), ("", f"{verb}{left}")]
    return [*parts[1:], ("", f" of {plural(totals.pop(), 'example')} unanswered.")]


def _unread(facts: Facts) -> list[list[Part]]:
    """One sentence such as "No number was found in 12 of 71 answers of a and 3 of 72 answers of b.".

    None where nothing was read of any answer, which is the whole verdict.
    """
    if facts.no_verdict and all(
        count == answered for count, (answered, _) in zip(facts.unread, facts.answered, strict=False)
    ):
        return []
    counts = [
        (index, f"{grouped(count)} of {plural(facts.answered[index][0], 'answer')} of ")
        for index, count in enumerate(facts.unread)
        if count
    ]
    if not counts:
        return []
    clauses: list[list[Part]] = [
        [("", of), ("name", facts.variants[index])] for index, of in counts[:MOST_NAMED]
    ]
    if (more := len(counts) - MOST_NAMED) > 0:
        clauses.append([("", f"answers of {more} more")])
    parts: list[Part] = [("", f"{facts.unread_as} ")]
    for number, clause in enumerate(clauses):
        link = "" if number == 0 else " and " if number == len(clauses) - 1 else ", "
        parts += [("", link), *clause] if link else clause
    return [[*parts, ("", ".")]]


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
    """The score that what is left out otherwise counts as, with the evaluators for which it is another."""
    subject = capitalised(left_out(facts))
    if facts.missing == "exclude":
        return [("", f"{subject} are excluded.")]
    estimate = facts.evaluator in facts.estimated
    other_evaluators = [name for name in facts.secondary if (name in facts.estimated) != estimate]
    as_bound = {"": AS_BOUND, SCORED_1: "1"}.get(facts.share, "wrong")
    opening = f"{subject} count as {AS_ESTIMATE if estimate else as_bound}"
    if not other_evaluators:
        return [("", f"{opening}.")]
    listed = names(other_evaluators, "evaluator")
    return [("", f"{opening}; on "), *listed, ("", f" as {AS_BOUND if estimate else AS_ESTIMATE}.")]
