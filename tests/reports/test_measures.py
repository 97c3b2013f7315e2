"""What answers cost and took, in reports: in the unit of the page, with its name."""

import re

import pytest

from evaluations.comparisons import export
from evaluations.comparisons.comparison import Comparison
from evaluations.models import Answer, Output
from evaluations.reports import page, report
from tests import factories
from tests.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def comparison(project):
    """Two variants of a file that says what each answer took: 0.00003575 against 0.00067 of the currency."""
    experiment = factories.experiment(project, references=["a"] * 20)
    runs = [factories.scored_run(experiment, ["a"] * 20, name) for name in ("small", "large")]
    for run, latency, tokens, cost in zip(
        runs, (480, 2041), (12, 31), (35_750_000, 670_000_000), strict=True
    ):
        Output.objects.filter(run=run).update(latency_ms=latency, tokens=tokens)
        Answer.objects.bulk_create(Answer(run=run, position=n, cost=cost) for n in range(1, 21))
    return Comparison(runs, runs[0])


def test_a_report_writes_costs_times_and_tokens_as_the_page_does(comparison):
    html = page.html(report.report(comparison)).replace("\u202f", " ")

    [answers] = re.findall(r'(?s)<section aria-labelledby="answers">.*?</section>', html)
    assert (
        "Cost, USD per 1 000 answers Latency, mean, in seconds Tokens, mean of an answer "
        "small 20 of 20 0.036 0.48 12.00 large 20 of 20 0.67 2.04 31.00" in text_of(answers)
    )


def test_the_sheet_says_the_unit_of_each_measure(comparison):
    table = {row[0]: row[2] for row in export.summary(comparison) if len(row) > 4}

    assert table["Cost, USD per 1 000 answers"] == pytest.approx(0.67)
    assert table["Latency, mean, in seconds"] == pytest.approx(2.041)
    assert table["Tokens, mean of an answer"] == pytest.approx(31)
