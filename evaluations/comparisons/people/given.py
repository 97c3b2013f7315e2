"""The single labels that people gave to the present answers of a run, as far as they are for estimates."""

from typing import NamedTuple

from evaluations.labelling import facts
from evaluations.models import EvaluatorVersion, Run


class Given(NamedTuple):
    """What a rater said of an answer; `opponent` is the run of the other answer of a pair, 0 without one."""

    rater: int
    value: float
    opponent: int


def of_run(version: EvaluatorVersion, run: Run) -> dict[int, list[Given]]:
    """By position, the last label of each rater who was sure, under a version of a label set.

    Labels of chosen answers, of people who saw scores, and decisions about differences are left out.
    """
    found = {}
    for position, said in facts.of_run(version, run).items():
        single = [fact for fact in said if fact.is_for_estimates and not fact.is_adjudicated]
        if sure := [
            Given(fact.rater, fact.value, fact.opponent or 0) for fact in single if fact.value is not None
        ]:
            found[position] = sure
    return found
