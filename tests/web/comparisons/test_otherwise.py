"""The verdict under the other treatment of unanswered examples, on a page."""

import numpy as np
import pytest

from tests.comparisons import columns
from tests.pages import text_of

pytestmark = pytest.mark.django_db


def test_another_verdict_without_unanswered_examples_is_said_in_sight(alices, project):
    experiment = columns.experiment(project, 100, ["exact_match"])
    columns.run(experiment, "base", [np.arange(100) % 2])
    columns.run(experiment, "silent", [np.where(np.arange(100) < 60, 1.0, np.nan)])

    page = alices.get(f"/experiments/{experiment.pk}/")
    html = text_of(page)

    in_sight = html.partition("More on this verdict")[0]
    assert "Without unanswered examples: silent is better than base" in in_sight
    assert html.count("Without unanswered examples: ") == 1
    assert "Without unanswered examples: " in str(page.context["quotation"])
