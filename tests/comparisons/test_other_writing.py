"""Answers that write their label otherwise, which the evaluator forgives and a pipeline may not."""

import pytest

from evaluations.comparisons import export, notes
from evaluations.comparisons.comparison import Comparison
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from tests import factories

pytestmark = pytest.mark.django_db
REFERENCES = ["damaged_goods", "billing"] * 20


def compared(project, outputs, config=None, steps=None):
    mapping = {"actual": {"path": "$.output", "read": steps}} if steps else {}
    evaluator = evaluators.create(project, None, "topic", "label", config or {}, mapping)
    dataset = factories.dataset(project, REFERENCES, name="tickets")
    experiment = experiments.create(project, None, "tickets", dataset, [evaluator])
    runs = [factories.scored_run(experiment, texts, name) for name, texts in outputs.items()]
    return Comparison(runs, runs[0])


CHOICE = [{"step": "choice", "labels": ["damaged_goods", "billing"]}]


def test_answers_that_write_the_label_otherwise_are_counted_everywhere(project):
    otherwise = ["Damaged_Goods", *REFERENCES[1:38], "Damaged_Goods", "Billing"]
    comparison = compared(project, {"old": REFERENCES, "new": otherwise}, steps=CHOICE)

    told = (
        "3 of 40 answers of new write the label otherwise (“Damaged_Goods”); a comparison letter by letter counts "
        "them wrong."
    )
    assert told in notes.remarks(comparison)
    assert told in notes.quotation(comparison)
    assert [told] in export.summary(comparison)


def test_right_labels_inside_sentences_are_counted_beside_them(project):
    inside = ["Damaged_Goods", "The label is: billing", "It is damaged_goods.", *REFERENCES[3:]]
    comparison = compared(project, {"old": REFERENCES, "new": inside}, steps=CHOICE)

    told = (
        "1 of 40 answers of new writes the label otherwise (“Damaged_Goods”), and 2 of 40 answers of new say it in a "
        "sentence; a comparison letter by letter counts them wrong."
    )
    assert told in notes.remarks(comparison)


@pytest.mark.parametrize("first", ["damaged_goods", "The label is damaged_goods", "billing"])
def test_nothing_is_said_of_the_label_itself_of_sentences_and_of_wrong_labels(project, first):
    comparison = compared(project, {"old": REFERENCES, "new": [first, *REFERENCES[1:]]}, steps=CHOICE)

    assert "otherwise" not in notes.remarks(comparison)
