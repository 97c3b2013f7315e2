"""What is said of judges in comparisons: people, checked against people, not checked against people."""

import csv
import io

import pytest

from evaluations.comparisons import export
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.people import passports
from evaluations.experiments import experiments
from tests import judged, people

pytestmark = pytest.mark.django_db


@pytest.fixture
def stock(project, alice):
    return people.labelled(project, alice, examples=300, labels=100, overlap=0)


def told(stock):
    comparison = Comparison(stock.runs, stock.runs[0])
    return {e.name: comparison.figures.standing_in_words(e) for e in comparison.evaluators}


def test_a_judge_says_whether_it_is_held_against_people(project, alice, stock):
    judge = judged.judge(project, stock)
    assert told(stock) == {
        "exact match": "",
        "good answer": "people, labels only",
        "judge": "",
        "model judge": "judge only, not checked against people",
    }
    passports.open_sealed(judge, stock.label_set, alice)
    assert told(stock)["model judge"] == "judge only, checked against people"


def test_an_export_says_what_helped_and_what_labels_alone_say(alice, stock):
    experiments.set_primary(stock.experiment, stock.label_set)
    passports.open_sealed(stock.judge, stock.label_set, alice)
    table = export.as_csv(Comparison(stock.runs, stock.runs[0])).decode()
    row = next(csv.DictReader(io.StringIO(table)))
    assert (row["standing"], row["helper"]) == ("people", "judge")
    assert 50 < int(row["labels"]) < 100  # without those to write a rubric by
    assert float(row["high"]) - float(row["low"]) < float(row["labels_high"]) - float(row["labels_low"])
