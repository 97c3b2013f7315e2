"""The advice for references that are written in many ways: dates, quantities, formulas, calls, orders and ids."""

from collections.abc import Sequence

from evaluations.mapping import calls
from evaluations.mapping.abstentions import says_nothing
from evaluations.values import JSON

from .advised import ALLOWED, AS_WORDS, LIST_F1, MOST, WITHOUT_BLANKS_AND_CASE, Advised
from .advised_dates import are_dates, are_times, reading, reading_of_times
from .advised_ids import READ as READ_IDS
from .advised_ids import count_of_guesses, ids_are
from .advised_lists import are_graded
from .advised_mathematics import are_formulas
from .advised_orders import (
    are_asked_orders,
    are_asked_words,
    are_orders,
    are_paths,
    listed,
    steps_for_orders,
)
from .advised_phones import STEPS as STEPS_FOR_PHONES
from .advised_phones import are_phones
from .advised_quantities import are_counts, are_quantities, steps_for_quantities
from .advised_shapes import is_call_of_allowed
from .advised_texts import as_text


def of_writing(known: Sequence[JSON], outputs: Sequence[JSON]) -> Advised | None:
    """The advice for dates, quantities and formulas, which are written in many ways."""
    number = len(known)
    if are_dates(known, MOST) and (read := reading(known, outputs)):
        none = sum(says_nothing(as_text(one)) for one in known)
        reason = f"the {number} references are dates, which outputs write in other ways"
        return Advised(
            "exact_match",
            f"{reason}; {none} say that there is none" if none else reason,
            read=["abstention", *read] if none else read,
        )
    if are_times(known, MOST) and (read := reading_of_times(known, outputs)):
        return Advised(
            "exact_match", f"the {number} references are times, which outputs write in other ways", read=read
        )
    if are_quantities(known, MOST) and (read := steps_for_quantities(known, outputs)):
        return Advised("exact_match", f"the {number} references are numbers with a unit", read=read)
    if are_phones(known):
        return Advised("exact_match", f"the {number} references are telephone numbers", read=STEPS_FOR_PHONES)
    if are_counts(known, outputs):
        reason = f"the {number} references are numbers of something, of which it compares the numbers alone"
        return Advised("numeric_match", reason)
    if are_formulas(known, outputs):
        return Advised("exact_match", f"some of the {number} references are formulas", read=["math"])
    return None


def of_calls(known: Sequence[JSON]) -> Advised | None:
    """The advice for calls as Python writes them; `sin(3)` without the name of an argument may be a formula."""
    allowed = sum(map(is_call_of_allowed, known))
    if allowed >= MOST * len(known):
        reason = f"{allowed} of {len(known)} references are calls with the values that are right"
        return Advised("tool_calls", reason, config=ALLOWED, read=["calls"])
    found = [calls.found(one) if isinstance(one, str) else [] for one in known]
    written = sum(map(bool, found))
    named = sum(any(not name.isdecimal() for call in one for name in call["arguments"]) for one in found)
    if written < MOST * len(known) or named * 2 < len(known):
        return None
    return Advised(
        "tool_calls", f"{written} of {len(known)} references are calls of functions", read=["calls"]
    )


def of_orders(known: Sequence[JSON], outputs: Sequence[JSON], inputs: Sequence[JSON]) -> Advised | None:
    """The advice for lists whose order is the answer."""
    if steps := steps_for_orders(known):
        reason = f"the {len(known)} references are orders of the same members"
        return Advised("exact_match", reason, read=steps, doubt=listed(outputs))
    if are_orders(known):
        return Advised(
            "json_match", f"the {len(known)} references are orders, such as “A > B > C”", members=()
        )
    if are_paths(known):
        reason = f"the {len(known)} references are places in a tree, such as “A > B > C”"
        return Advised("contains", reason, read=[WITHOUT_BLANKS_AND_CASE])
    if are_asked_words(known, inputs):
        reason = f"the {len(known)} references are words, and the inputs ask for an order"
        return Advised("contains", reason, read=[AS_WORDS], doubt=listed(outputs))
    if are_asked_orders(known, inputs):
        return Advised(
            "json_match",
            f"the {len(known)} references are lists, and the inputs ask for an order",
            members=(),
        )
    return None


def of_ids(known: Sequence[JSON], outputs: Sequence[JSON]) -> Advised | None:
    """The advice for ids: graded, found in a ranked list, or a set of them."""
    if are_graded(known, outputs):
        return Advised("retrieval", f"the {len(known)} references grade what the outputs rank")
    if all(isinstance(output, list) for output in outputs):
        return None
    if guesses := count_of_guesses(known, outputs):
        reason = (
            f"the {len(known)} references are single labels, of which outputs list {guesses}, the best first"
        )
        return Advised("retrieval", reason, config={"measure": "mrr", "k": guesses}, of_outputs=[READ_IDS])
    reason = f"the {len(known)} references are lists of ids"
    match ids_are(known, outputs):
        case "ranked":
            return Advised("retrieval", f"{reason}, and the outputs longer ones", read=[READ_IDS])
        case "listed":
            return Advised("json_fields", reason, config=LIST_F1, read=[READ_IDS])
    return None
