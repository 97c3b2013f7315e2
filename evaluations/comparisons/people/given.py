"""The single labels that people gave to the present answers of a run, as far as they are for estimates."""

from evaluations.labelling import facts
from evaluations.models import EvaluatorVersion, Run


def of_run(version: EvaluatorVersion, run: Run) -> dict[int, list[tuple[int, float]]]:
    """By position, raters and values: the last label of each who was sure, under a version of a label set.

    Labels of chosen answers, of people who saw scores, and decisions about differences are left out.
    """
    found = {}
    for position, said in facts.of_run(version, run).items():
        single = [fact for fact in said if fact.is_for_estimates and not fact.is_adjudicated]
        if sure := [(fact.rater, fact.value) for fact in single if fact.value is not None]:
            found[position] = sure
    return found
