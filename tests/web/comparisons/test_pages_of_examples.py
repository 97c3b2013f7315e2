"""The pages of compared examples: a further one says at its head which of all it shows."""

import re
from html import unescape

import numpy as np
import pytest

from tests.comparisons import columns
from tests.pages import text_of

pytestmark = pytest.mark.django_db


def test_a_further_page_says_above_its_rows_which_they_are(alices, project):
    experiment = columns.experiment(project, 60, ["exact_match"])
    for name in ("a", "b"):
        columns.run(experiment, name, [np.ones(60)])
    first = alices.get(f"/experiments/{experiment.pk}/")
    following = unescape(re.search(r'href="([^"]+)"\s+rel="next"', first.content.decode())[1])

    further = text_of(alices.get(following))

    assert "as in the file 26 to 50 of 60" in further  # behind the menu of orders
