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


def test_the_baseline_is_not_compared_with_another_variant_where_it_is_best(client, alice, project):
    experiment = factories.experiment(project)
    outputs = {"base": ("Paris", "Rome", "Oslo"), "new": ("Paris", "Lyon", "Oslo"), "poor": ("a", "b", "c")}
    base, new, _ = (factories.scored_run(experiment, given, name) for name, given in outputs.items())
    client.force_login(alice)

    page = client.get(f"/experiments/{experiment.pk}/?baseline={base.pk}")

    assert page.context["pair"] == (new, base)


def test_the_best_variant_stands_beside_the_baseline_even_where_that_is_the_worst(client, alice, project):
    experiment = factories.experiment(project)
    outputs = {"base": ("a", "b", "c"), "good": ("Paris", "Rome", "c"), "best": ("Paris", "Rome", "Oslo")}
    base, _, best = (factories.scored_run(experiment, given, name) for name, given in outputs.items())
    client.force_login(alice)

    page = client.get(f"/experiments/{experiment.pk}/?baseline={base.pk}")

    assert page.context["pair"] == (best, base)


def test_where_all_tie_on_the_primary_another_evaluator_orders_and_can_decide(alices, project):
    """The warning has the way out, the list begins with what the other one finds, and nothing is read twice."""
    long = " ".join(f"word{n}" for n in range(400))
    experiment = factories.experiment(
        project, "levenshtein_similarity", "exact_match", references=[f"{n} {long}" for n in range(40)]
    )
    factories.scored_run(experiment, [f"{n} {long}" for n in range(40)], "old")
    factories.scored_run(experiment, [f"{n} {long}{'.' if n % 2 else ''}" for n in range(40)], "new")
    exact = next(v.evaluator for v in experiment.evaluator_versions.all() if v.kind == "exact_match")

    page = alices.get(f"/experiments/{experiment.pk}/")
    html = page.content.decode()

    assert page.context["selection"].evaluator == exact
    assert page.context["examples"][0].cells[1].score.verdict == "worse"
    assert f"Use {exact.name} instead" in html
    assert (
        "same as the baseline" in alices.get(f"/experiments/{experiment.pk}/?order=position").content.decode()
    )
    row = next(row for row in page.context["duel"].rows if row.name == exact.name)
    assert row.has_separate_scale, "points do not stand under an axis of scores"
