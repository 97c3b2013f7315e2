"""A judge that nobody paid for: the pages say so, and every page that brings answers takes money for it."""

import pytest
from django.urls import reverse

from evaluations.datasets import datasets
from evaluations.experiments import experiments, runs
from evaluations.models import Budget, Judging, Run

from .conftest import judged_calls, work_on

pytestmark = pytest.mark.django_db(transaction=True)

WAITS = "Not paid for."


@pytest.fixture
def alices(client, alice):
    client.force_login(alice)
    return client


@pytest.fixture
def draft(experiment, judge):
    outputs = [{"position": position, "output": "Paris"} for position in (1, 2, 3)]
    return runs.create(experiment, None, "v2", outputs, start=False)


def shown(client, name, thing):
    return client.get(reverse(name, args=[thing.pk])).content.decode()


@pytest.mark.long
def test_a_draft_asks_for_money_before_it_starts_and_waits_without(alices, draft, stub, judge, experiment):
    address = reverse("run-start", args=[draft.pk])
    assert f'href="{address}"' in shown(alices, "run-detail", draft)
    assert "at most about" in alices.get(address).content.decode()
    assert alices.post(address).status_code == 302
    work_on()
    assert judged_calls(stub) == 0
    for page in (shown(alices, "run-detail", draft), shown(alices, "experiment-detail", experiment)):
        assert WAITS in page
        assert "3\N{NO-BREAK SPACE}answers" in page or "3 answers" in page
    cost = f"{reverse('experiment-evaluators', args=[experiment.pk])}?evaluator={judge.evaluator_id}"
    asked = alices.get(cost)
    assert [estimate.evaluator for estimate in asked.context["form"].estimates] == [judge.evaluator]
    assert "is selected, because" not in asked.content.decode(), "the link selected it, no advice"
    alices.post(cost, {"evaluators": [f"evaluator:{judge.evaluator_id}"], "max_calls": "9", "previewed": "1"})
    work_on()
    assert judged_calls(stub) == 3
    assert WAITS not in shown(alices, "run-detail", draft)


def test_money_named_at_the_start_replaces_what_was_named_before(alices, draft, stub):
    address = reverse("run-start", args=[draft.pk])
    refused = alices.post(address, {"budget": "much"})
    assert refused.status_code == 400
    assert Run.objects.get(pk=draft.pk).status == Run.Status.DRAFT
    alices.post(address, {"max_calls": "2"})
    work_on()
    assert (judged_calls(stub), Judging.objects.get().status) == (2, Judging.Status.LIMIT)


@pytest.mark.long
def test_columns_that_become_variants_share_the_money_for_their_judges(alices, project, stub, make_judge):
    rows = [{"inputs": {"q": f"q{n}"}, "metadata": {"base": f"b{n}", "new": f"n{n}"}} for n in range(3)]
    dataset = datasets.create(project, None, "pasted", rows)
    version = make_judge(stub, messages=[{"content": "Is {{ output }} good?"}])
    experiment = experiments.create(project, None, "e", dataset, [version.evaluator])
    address = reverse("dataset-variants", args=[dataset.pk])
    [estimate] = alices.get(address).context["estimates"]
    assert (estimate.evaluator, estimate.texts) == (version.evaluator, 3)

    body = {"columns": ["base", "new"], "experiment": experiment.pk}
    assert alices.post(address, body | {"max_calls": "6"}).status_code == 302
    work_on()
    assert judged_calls(stub) == 6
    assert Budget.objects.filter(judgings__isnull=False).distinct().count() == 1


@pytest.mark.long
def test_later_runs_are_paid_with_what_is_named_once_for_each(alices, experiment, stub, judge):
    """Each run has money of its own; a draft asks no question; an empty form lets them wait again."""
    page = reverse("experiment-money", args=[experiment.pk])
    alices.post(page, {"max_calls": "2"})

    def drafted(variant):
        outputs = [{"position": position, "output": f"Paris, says {variant}"} for position in (1, 2, 3)]
        return runs.create(experiment, None, variant, outputs, start=False)

    for variant in ("v2", "v3"):
        assert alices.post(reverse("run-start", args=[drafted(variant).pk])).status_code == 302
        work_on()
    assert judged_calls(stub) == 4
    draft = drafted("v4")
    assert f'href="{reverse("run-start", args=[draft.pk])}"' not in shown(alices, "run-detail", draft)

    alices.post(page, {"budget": "", "max_calls": ""})
    alices.post(reverse("run-start", args=[draft.pk]))
    work_on()
    assert judged_calls(stub) == 4
