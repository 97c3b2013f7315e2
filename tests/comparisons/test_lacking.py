"""Each example of a comparison is in one segment, and a missing score has one reason."""

import numpy as np
import pytest

from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.examples import examples
from evaluations.comparisons.examples.examples import Question
from evaluations.models import Output, Run
from evaluations.values import Status
from evaluations.web.comparisons.examples import is_among
from tests import factories
from tests.comparisons import columns

pytestmark = pytest.mark.django_db
STATUS = [Status.SCORED] * 8 + [Status.MISSING_ACTUAL] * 3 + [Status.NOT_FOUND] * 2
STATUS += [Status.ERROR] * 4 + [Status.NOT_SENT, Status.MISSING_EXPECTED]
COMPARED = {"worse": 2, "better": 2, "same": 4}


@pytest.fixture
def runs(project):
    """Eight scored examples, then 3 unanswered, 2 unread, 4 failed ones, one that was not sent and one without a
    reference."""
    experiment = columns.experiment(project, len(STATUS), ["exact_match"])
    base, new = np.ones(len(STATUS)), np.full(len(STATUS), np.nan)
    base[:2], new[:8] = 0.0, [1, 1, 1, 1, 1, 1, 0, 0]
    return [
        columns.run(experiment, "base", [base]),
        columns.run(experiment, "new", [new], {0: STATUS}),
    ]


def counts_of(comparison):
    return examples.examples(comparison, Question(comparison.evaluators.primary), 50).counts


@pytest.mark.parametrize("missing", ["worst", "exclude"])
def test_each_example_is_in_one_segment(runs, missing):
    counts = counts_of(Comparison(runs, runs[0], missing=missing))

    why = {"unanswered": 3, "unread": 2, "errors": 4, "unscored": 2}
    assert {name: counts[name] for name in why} == why
    among = is_among(counts)
    assert among == (missing == "worst")
    apart = ("worse", "better", "same", "errors", "unscored", *(() if among else ("unanswered", "unread")))
    assert sum(counts[name] for name in apart) == counts["all"] == len(STATUS)


def test_one_variant_has_passes_and_failures_as_its_run(runs):
    alone = counts_of(Comparison([runs[1]], runs[1]))

    assert {name: alone[name] for name in ("unanswered", "unread", "errors", "unscored")} == {
        "unanswered": 3,
        "unread": 2,
        "errors": 4,
        "unscored": 2,
    }


def test_an_answer_that_a_retry_brought_is_not_unreadable_before_it_is_scored(project):
    experiment = factories.experiment(project, references=[*"abcdefghij"])
    factories.scored_run(experiment, [*"abcdefghij"], "old")
    retried = factories.scored_run(experiment, [*"abcdefg", None, None, None], "new")
    Output.objects.filter(run=retried, position__gt=7).update(text="h", error=None)
    Run.objects.filter(pk=retried.pk).update(status=Run.Status.RUNNING)

    old, new = Run.objects.filter(experiment=experiment).order_by("pk")
    measures = Comparison([old, new], old).figures.measures

    assert (measures.answered, measures.unread) == ([10, 7], [0, 0])
