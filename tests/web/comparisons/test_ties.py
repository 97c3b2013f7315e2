"""What counts as a tie."""

import pytest

from tests import factories

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("kind", "words"),
    [("levenshtein_similarity", "The scores differ by at most 0.001"), ("rouge_l", "at most 0.001")],
)
def test_the_filter_of_ties_says_what_a_tie_is(alices, project, kind, words):
    experiment = factories.experiment(project, kind)
    for name in ("old", "new"):
        factories.scored_run(experiment, variant=name)

    page = alices.get(f"/experiments/{experiment.pk}/")

    [tied] = [segment for segment in page.context["segments"] if segment.word == "tied"]
    assert words in tied.about
    assert f'title="{tied.about}"' in page.content.decode()
