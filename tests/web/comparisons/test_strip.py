"""The scores of all variants on one example, below the two outputs that are shown."""

import re

from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from tests import factories
from tests.pages import markup


def test_an_answer_in_which_nothing_was_found_has_the_score_of_its_cell(alices, project):
    read = {"read": [{"step": "choice", "labels": ["a", "b"]}]}
    mapping = {"actual": {"path": "$.output"} | read, "expected": {"path": "$.expected"}}
    evaluator = evaluators.create(project, None, "letter", "label", {}, mapping)
    experiment = experiments.create(
        project, None, "letters", factories.dataset(project, [*"aba"]), [evaluator]
    )
    for name, outputs in (("first", "aba"), ("second", ["a", "b", "who knows"]), ("third", ["b", "b", None])):
        factories.scored_run(experiment, outputs, name)

    html = markup(alices.get(f"/experiments/{experiment.pk}/?order=position"))
    strips = [
        re.findall(r"<li.*?</li>", one, re.DOTALL) for one in re.findall(r'<ul class="strip.*?</ul>', html)
    ]
    found, nothing_found, unanswered = next(strip for strip in strips if "–" in strip[2])

    assert "pass" in found
    assert "fail" in nothing_found
    assert "pass" not in unanswered
    assert "fail" not in unanswered
