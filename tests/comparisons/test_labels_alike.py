"""The caution where macro-F1 puts another variant first than the share of right labels."""

import pytest

from evaluations.comparisons import labels_alike
from evaluations.comparisons.comparison import Comparison
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from evaluations.statistics.wording import text
from tests import factories

pytestmark = pytest.mark.django_db
RIGHT = ["normal"] * 32 + ["offensive"] * 8
# right labels 32 and 28 of 40; F1 of the labels 0.889 and 0, and 0.769 and 0.571
ALWAYS_NORMAL, FINDS_OFFENSIVE = ["normal"] * 40, ["normal"] * 20 + ["offensive"] * 20


def said(project, first, second, kind="label"):
    evaluator = evaluators.create(project, None, "tone", kind, {}, {})
    experiment = experiments.create(project, None, "tones", factories.dataset(project, RIGHT), [evaluator])
    runs = [
        factories.scored_run(experiment, outputs, name) for outputs, name in ((first, "a"), (second, "b"))
    ]
    return text(labels_alike.sentence(Comparison(runs, runs[0])))


def test_a_variant_that_always_says_the_commonest_label_is_not_first_by_macro_f1(project):
    assert said(project, ALWAYS_NORMAL, FINDS_OFFENSIVE) == (
        "Macro-F1, which counts each label alike, puts b first: 0.67 against 0.44 for a."
    )


@pytest.mark.parametrize(
    ("second", "kind"), [(RIGHT, "label"), (FINDS_OFFENSIVE, "exact_match")], ids=["same winner", "no labels"]
)
def test_nothing_is_said_where_both_agree_or_there_are_no_labels(project, second, kind):
    assert said(project, ALWAYS_NORMAL, second, kind) == ""
