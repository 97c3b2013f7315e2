"""Several references on pages: from the editor of an evaluator, and from an upload to corpus scores."""

import re

import pytest

from evaluations.datasets import datasets
from evaluations.experiments import experiments
from evaluations.models import EvaluatorVersion, Experiment
from evaluations.scoring import scoring
from tests import factories
from tests.pages import markup

from .test_uploads import import_all, to_confirm

EVERY_REFERENCE = {"many": "references"}
CSV = b"source,first,second,one,two\nEin Hund,a dog,one dog,a dog,dogs\nDie Katze,the cat,a cat,cat,the cat\n"
ROLES = {
    f"role-{n}": role for n, role in enumerate(["input", "reference", "reference", "output", "output"], 1)
}
CHOICE = "references:chrf"


def offered(html: str) -> list[str]:
    return re.findall(r'name="evaluators"\s+value="(references:\w+)"', html)


def test_an_upload_with_several_references_ends_in_corpus_scores_against_all_of_them(alices):
    address = to_confirm(alices, CSV, **ROLES)
    assert offered(markup(alices.get(address))) == ["references:sentence_bleu", CHOICE]

    alices.post(address, {"name": "translations", "on_error": "reject", "evaluators": [CHOICE]})
    import_all()
    while scoring.work(seconds=5):
        pass

    assert EvaluatorVersion.objects.get().mapping == EVERY_REFERENCE
    html = markup(alices.get(f"/experiments/{Experiment.objects.get().pk}/?corpus="))
    assert "nrefs:2|" in html


def test_one_reference_column_needs_no_choice(alices):
    address = to_confirm(alices, CSV, **ROLES | {"role-3": "metadata"})

    assert offered(markup(alices.get(address))) == []


@pytest.fixture
def experiment(project) -> Experiment:
    rows = [{"inputs": {"q": n}, "reference": {"one": "a", "two": "b"}} for n in range(3)]
    dataset = datasets.create(project, None, "translations", rows)
    return experiments.create(project, None, "systems", dataset, [factories.evaluator(project)])


@pytest.mark.parametrize("address", ["/experiments/{}/evaluators/", "/p/default/experiments/new/"])
def test_a_dataset_with_several_references_brings_the_choice(alices, experiment, address):
    assert CHOICE in offered(markup(alices.get(address.format(experiment.pk))))


def test_an_existing_evaluator_is_not_created_twice(alices, project, experiment):
    for _ in range(2):
        alices.post(f"/experiments/{experiment.pk}/evaluators/", {"evaluators": [CHOICE]})

    assert EvaluatorVersion.objects.filter(kind="chrf").count() == 1
    html = markup(alices.get(f"/experiments/{experiment.pk}/evaluators/"))
    assert offered(html) == ["references:sentence_bleu"]


def test_the_editor_saves_each_as_a_reference_of_its_own(alices, project):
    form = {
        "name": "chrF",
        "word_order": "0",
        "beta": "2",
        "headline": "mean",
        "actual_by": "path",
        "actual_from": "$.actual",
        "expected_by": "path",
        "expected_from": "$.reference['one','two']",
        "expected_many": "references",
        "do": "save",
    }

    alices.post(f"/p/{project.slug}/evaluators/new/?kind=chrf", form)

    expected = {"path": "$.reference['one','two']"}
    assert EvaluatorVersion.objects.get().mapping == EVERY_REFERENCE | {"expected": expected}


def test_only_kinds_that_can_are_offered_it(alices, project):
    pages = [
        markup(alices.get(f"/p/{project.slug}/evaluators/new/?kind={kind}")) for kind in ("chrf", "rouge_l")
    ]

    assert ['value="references"' in html for html in pages] == [True, False]
