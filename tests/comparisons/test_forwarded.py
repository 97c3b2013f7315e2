"""Whatever hands a verdict on has every line that stands below it on the page."""

from datetime import UTC, datetime

import numpy as np
import pytest

from client.evalsite_client import lines
from evaluations.api.serializers.comparison_shape import ComparisonSerializer
from evaluations.comparisons import export, notes
from evaluations.comparisons.comparison import Comparison
from evaluations.reports import page, report
from evaluations.reports.report import Shared
from evaluations.statistics.wording import text
from evaluations.values import Status
from tests.comparisons import columns
from tests.pages import text_of

pytestmark = pytest.mark.django_db
WITHOUT = "Without unanswered examples: silent is better than base on exact_match"
SIZE = 120


@pytest.fixture
def comparison(project):
    """Silence hides the better variant, and one example could not be scored."""
    experiment = columns.experiment(project, SIZE, ["exact_match", "rouge_l"])
    n = np.arange(SIZE)
    failed = {0: np.where(n == 3, Status.ERROR, Status.SCORED)}
    right = np.where(n == 3, np.nan, n % 2)
    base = columns.run(experiment, "base", [right, np.where(n % 3, 0.5, 0.25)], failed)
    answers = np.where(n < 84, np.where(n % 6 == 0, 0.0, 1.0), np.nan)
    silent = columns.run(experiment, "silent", [answers, np.where(n % 3, 0.25, 0.125)])
    return Comparison([base, silent], base)


def of_report(comparison):
    return text_of(page.html(report.report(comparison)))


def of_link(comparison):
    shared = Shared("ours", datetime.now(UTC), "", kept=False)
    return text_of(page.html(report.shared_report(comparison, shared, texts=False)))


def of_sheet(comparison):
    return "\n".join(str(cell) for row in export.summary(comparison) for cell in row)


def of_api(comparison):
    answer = ComparisonSerializer(comparison).data
    return " ".join([answer["sentence"], answer["remarks"], *(one["message"] for one in answer["warnings"])])


def of_command_line(comparison):
    return "\n".join(lines.comparison(ComparisonSerializer(comparison).data))


def plain(said: str) -> str:
    """A text without blanks, which pages have around names."""
    return "".join(said.split())


@pytest.mark.parametrize("form", [of_report, of_link, of_sheet, of_api, of_command_line])
def test_each_line_below_the_verdict_is_in_every_form_that_is_handed_on(comparison, form):
    told, said = notes.of(comparison), plain(form(comparison))

    sentences = [text(line) for line in (comparison.sentence.parts, *(note.parts for note in told.every))]
    warnings = [warning["message"] for warning in told.warnings]
    assert min(len(told.every), len(warnings)) > 0
    for sentence in (*sentences, *warnings):
        assert plain(sentence) in said
    assert plain(WITHOUT) in said


def test_the_copied_sentence_has_what_takes_something_from_the_verdict_and_what_was_not_read(comparison):
    said = plain(notes.quotation(comparison))

    for sentence in (
        WITHOUT,
        "silent left 36 of 120 examples unanswered",
        "1 of 120 examples could not be scored",
    ):
        assert plain(sentence) in said
