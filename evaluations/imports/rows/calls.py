"""What a file says of the calls for its answers: tokens and cost, as facts beside the outputs."""

from collections.abc import Iterable

from evaluations import bulk
from evaluations.launches import usage
from evaluations.models import Answer, Run

from .incoming import Outputs

FACTS = ("tokens_in", "tokens_out", "cost")
FIELDS = ("run_id", "position", "finish_reason", "model", "attempts", *FACTS)
Place = tuple[int, int]  # the run and the position of a row


def store(outputs: Outputs, places: Iterable[tuple[int, Place]]) -> None:
    """Store the facts of these rows, each given by its index and place, that have an answer; one call for each.

    To be called in the transaction that stores the outputs.
    """
    columns = [outputs.measured.get(name) for name in FACTS]
    if not any(columns):
        return
    rows = []
    for index, place in places:
        facts = [column[index] if column else None for column in columns]
        if outputs.texts[index] is not None and any(fact is not None for fact in facts):
            rows.append((*place, "", "", 1, *facts))
    bulk.insert(Answer, FIELDS, rows)


def clear(runs: Iterable[int], behind: int) -> None:
    """Delete the facts of these runs behind a position."""
    Answer.objects.filter(run__in=[*runs], position__gt=behind).delete()


def keep_sums(runs: Iterable[int]) -> None:
    """Store what the answers of these runs took in all."""
    for run in Run.objects.filter(pk__in=[*runs]):
        usage.keep(run)
