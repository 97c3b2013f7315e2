"""The sentence of an experiment as text for a mail."""

import html
import re

import pytest

from tests import factories

pytestmark = pytest.mark.django_db


def test_a_button_copies_the_sentence_with_its_address(alices, project):
    experiment = factories.experiment(project, "levenshtein_similarity")
    for name in ("old", "new"):
        factories.scored_run(experiment, variant=name)

    page = alices.get(f"/experiments/{experiment.pk}/").content.decode()

    [copied] = re.findall(r'copy-named with-script" data-copy="([^"]*)"', page)
    sentence, link = html.unescape(copied).split("\n")
    assert " new and old on " in sentence
    assert link.startswith(f"http://testserver/experiments/{experiment.pk}/?baseline=")
    assert "Copy the sentence</button>" in page
