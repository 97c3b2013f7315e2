"""Passports by the API: sealed labels are opened explicitly, and say what an evaluator is worth."""

import re

import pytest

from evaluations.labelling import seal
from tests import judged, people

from .conftest import program


@pytest.fixture
def stock(project, alice):
    return people.labelled(project, alice)


@pytest.fixture
def writer(project, alice):
    return program(project, "write", alice)


def test_a_passport_is_opened_and_counted(writer, stock):
    at = f"evaluators/{stock.judge.evaluator_id}/passport/"
    closed = writer.get(at).json()
    assert (closed["held"], closed["sealed"], closed["variants"]) == (False, None, [])
    told = r"Not proven yet: \d+\u202f% agreement on \d+ answers it may have been tuned on\."
    assert re.fullmatch(told, closed["sentence"])  # of labels that ids choose

    answer = writer.post(f"{at}open/", {"label_set": stock.label_set.pk})
    assert answer.status_code == 201
    opened = answer.json()
    assert opened["held"]
    assert opened["sentence"].startswith("judge v1 agrees with people on ")
    assert [variant["variant"] for variant in opened["variants"]] == ["v1", "v2"]
    low, high = opened["sealed"]["kappa"]["interval"]
    assert low < opened["sealed"]["kappa"]["value"] < high
    assert writer.get(at).json() == opened
    assert len(opened["openings"]) == 1


def test_beside_labels_a_judge_alone_has_figures_and_no_verdict(writer, project, stock):
    judge = judged.judge(project, stock)
    first, second = (run.pk for run in stock.runs)
    entries = writer.get(f"comparisons/?baseline={first}&runs={second}").json()["entries"]
    [told] = [entry for entry in entries if entry["evaluator"]["id"] == judge.evaluator_id]
    assert (told["standing"], told["verdict"], told["p_corrected"]) == ("not_held", None, None)
    assert told["reason"].endswith("it is not checked against people.")
    assert told["interval"]


def test_labels_say_which_evaluator_agrees_best(writer, project, alice):
    stock = people.labelled(project, alice, right=0.98)
    writer.post(f"evaluators/{stock.judge.evaluator_id}/passport/open/", {"label_set": stock.label_set.pk})
    found = writer.get(f"label-sets/{stock.label_set.pk}/agreement/?experiment={stock.experiment.pk}").json()
    assert found["sentence"] == "judge agrees best."
    assert [one["evaluator"]["name"] for one in found["evaluators"]] == ["judge", "exact match"]
    assert found["peers"]["n"] == 32
    assert found["lead"]["interval"][0] > 0


def test_an_evaluator_without_labels_is_not_held_against_people(writer, project, alice):
    stock = people.labelled(project, alice, examples=12, labels=4)
    refused = writer.post(
        f"evaluators/{stock.judge.evaluator_id}/passport/open/", {"label_set": stock.label_set.pk}
    )
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "too_few_labels")
    stock.task.items.all().delete()
    unknown = writer.get(f"evaluators/{stock.judge.evaluator_id}/passport/")
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (400, "no_labels")


def test_people_are_not_held_against_themselves(writer, stock):
    answer = writer.get(f"evaluators/{stock.label_set.pk}/passport/?label_set={stock.label_set.pk}")
    assert answer.json()["error"]["code"] == "not_comparable"


@pytest.mark.long
def test_people_helped_by_a_judge_say_how_many_labels_it_saved(writer, project, alice):
    stock = people.labelled(project, alice, examples=300, labels=100, overlap=0, rates=(0.4, 0.65))
    writer.patch(f"experiments/{stock.experiment.pk}/", {"primary": stock.label_set.pk})
    writer.post(f"evaluators/{stock.judge.evaluator_id}/passport/open/", {"label_set": stock.label_set.pk})
    at = f"comparisons/?runs={','.join(str(run.pk) for run in stock.runs)}"
    helped, alone = (
        next(e for e in writer.get(f"{at}{more}").json()["entries"] if e["role"] == "primary")
        for more in ("", "&estimate=labels")
    )
    assert (helped["method"], helped["judged"], helped["helper"]["name"]) == ("post_stratified", 300, "judge")
    assert helped["saved"] > 0
    assert helped["labels_only"][0] < helped["interval"][0]
    assert (alone["labels"], alone["saved"], alone["helper"]) == (None, None, None)


@pytest.mark.long
def test_what_a_judge_said_about_sealed_labels_is_in_no_answer_of_the_api(writer, project, alice):
    stock = people.labelled(project, alice, overlap=0)
    judge, run = judged.judge(project, stock), stock.runs[0]
    sealed = seal.hidden_examples(run, judge)
    pk = judge.evaluator_id

    def told():
        rows = writer.get(f"runs/{run.pk}/results/?page_size=200").json()["results"]
        verdicts = writer.get(f"runs/{run.pk}/verdicts/?evaluator={pk}&page_size=200").json()["results"]
        hidden = {row["position"] for row in rows if row["scores"]["model judge"]["status"] == "sealed"}
        return hidden, {verdict["example"] for verdict in verdicts}

    assert told() == (sealed, {*range(1, 121)} - sealed)
    writer.post(f"evaluators/{pk}/passport/open/", {"label_set": stock.label_set.pk})
    assert told() == (set(), {*range(1, 121)})


def test_unsealing_is_told_by_every_passport(project, alice):
    stock = people.labelled(project, alice, overlap=0)
    admin = program(project, "admin", alice)
    at = f"label-sets/{stock.label_set.pk}/unseal/"
    assert admin.post(at, {"reason": " "}).status_code == 400
    told = admin.post(at, {"reason": "Everybody read them."}).json()
    passport = admin.get(f"evaluators/{stock.judge.evaluator_id}/passport/").json()
    assert passport["unsealing"] == told
    refused = admin.post(
        f"evaluators/{stock.judge.evaluator_id}/passport/open/", {"label_set": stock.label_set.pk}
    )
    assert refused.json()["error"]["code"] == "labels_unsealed"


def test_what_people_say_of_one_run(writer, alice, stock):
    at = f"runs/{stock.runs[1].pk}/people/"
    [alone] = writer.get(at).json()["opinions"]
    assert (alone["helper"], alone["helped"], alone["labels_only"]["labels"]) == (None, None, 80)
    writer.post(f"evaluators/{stock.judge.evaluator_id}/passport/open/", {"label_set": stock.label_set.pk})
    [helped] = writer.get(f"{at}?evaluator=good answer").json()["opinions"]
    assert helped["helped"]["strata"][0].keys() == {"low", "high", "size", "labelled", "mean", "known"}
    assert helped["helped"]["interval"][0] < helped["helped"]["mean"] < helped["helped"]["interval"][1]
    assert writer.get(f"{at}?estimate=labels").json()["opinions"][0]["helped"] is None
    assert writer.get(f"{at}?evaluator=other").status_code == 400
