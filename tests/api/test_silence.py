"""Data that once led to wrong verdicts: missing outputs or references, many evaluators, other ids.

Everything is uploaded by the API; verdicts are read from the API, the experiment's page, the list and the export.
"""

import csv
import io
import re
from html import unescape
from typing import Any

import numpy as np
import pytest
from django.test import Client

from evaluations.models import Experiment
from tests.comparisons import columns

from .conftest import score_all

KINDS = ("exact_match", "levenshtein_similarity", "rouge_l", "levenshtein_distance")
WORDS = [f"answer number {n} of the long list" for n in range(400)]


@pytest.fixture
def compared(writer, alice):
    """Upload outputs of "base" and "other"; returns the verdicts of every page and format."""

    def compare(references: list[Any], base: list[Any], answers: list[Any], query: str = "") -> "Verdicts":
        examples = [{"inputs": {"q": n}, "reference": {"a": text}} for n, text in enumerate(references)]
        number = Experiment.objects.count()
        dataset = writer.create("datasets/", {"name": f"set {number}", "examples": examples})
        evaluators = [
            writer.create("evaluators/", {"name": f"{kind} {number}", "kind": kind})["id"] for kind in KINDS
        ]
        experiment = writer.create(
            "experiments/", {"name": f"asked {number}", "dataset": dataset["id"], "evaluators": evaluators}
        )
        runs = [
            writer.create(
                "runs/", {"experiment": experiment["id"], "variant": name, "outputs": rows_of(outputs)}
            )
            for name, outputs in (("base", base), ("other", answers))
        ]
        score_all()
        ids = ",".join(str(run["id"]) for run in runs)
        return Verdicts(writer, alice, experiment["id"], ids, query)

    return compare


def rows_of(outputs: list[Any]) -> list[dict[str, Any]]:
    return [{"position": n, "output": text} for n, text in enumerate(outputs, 1)]


class Verdicts:
    """The verdicts on two variants in the API, the export, the page and the list."""

    def __init__(self, writer, person, experiment: int, runs: str, query: str):
        self.api = writer.get(f"comparisons/?runs={runs}{query}").json()
        table = writer.get(f"comparisons/export/?runs={runs}{query}").content.decode()
        self.export = [row for row in csv.DictReader(io.StringIO(table)) if row["role"] != "measure"]
        browser = Client()
        browser.force_login(person)
        self.page = text_of(browser.get(f"/experiments/{experiment}/?{query}").content.decode())
        self.home = text_of(browser.get("/p/default/", follow=True).content.decode())

    @property
    def all(self) -> set[str | None]:
        assert [row["verdict"] or None for row in self.export] == [e["verdict"] for e in self.api["entries"]]
        return {entry["verdict"] for entry in self.api["entries"]}


def text_of(page: str) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)))


def test_answering_known_questions_only_is_not_better(compared):
    references = WORDS[:300]
    is_known = [n % 7 < 4 for n in range(300)]  # 57 %
    base = [text if is_right else "no idea" for text, is_right in zip(references, is_known, strict=True)]
    silent = [text if is_right else None for text, is_right in zip(references, is_known, strict=True)]

    verdicts = compared(references, base, silent)

    assert "better" not in verdicts.all
    assert verdicts.api["answers"][1] == {
        "run": verdicts.api["entries"][0]["run"],
        "answered": 172,
        "of": 300,
    }
    assert "172 of 300" in verdicts.page
    assert "better" not in verdicts.api["sentence"]


@pytest.mark.long
def test_leaving_out_the_hardest_examples_counts_as_failing_them(compared):
    chance = np.random.default_rng(62)
    hard = set(chance.choice(400, 62, replace=False).tolist())
    worded = [text if n % 5 else text[::-1] for n, text in enumerate(WORDS)]
    base = ["something else" if n in hard else text for n, text in enumerate(worded)]
    missing_texts, empty_texts = (
        [gap if n in hard else text for n, text in enumerate(worded)] for gap in (None, "")
    )

    silent, failing = compared(WORDS, base, missing_texts), compared(WORDS, base, empty_texts)

    assert "better" not in silent.all | failing.all
    assert [e["verdict"] for e in silent.api["entries"][:3]] == [
        e["verdict"] for e in failing.api["entries"][:3]
    ]
    assert [e["difference"] for e in silent.api["entries"][:3]] == pytest.approx(
        [e["difference"] for e in failing.api["entries"][:3]]
    )
    assert {m["verdict"] for m in silent.api["measures"] if m["measure"] == "answers"} == {None, "worse"}


def test_without_references_nothing_is_judged_and_the_page_says_so(compared):
    verdicts = compared([None] * 40, ["a"] * 40, ["b"] * 40)

    assert verdicts.all == {None}
    assert verdicts.api["ranking"] == []
    assert "no example has a reference" in verdicts.api["sentence"]
    assert "no example has a reference" in verdicts.page
    assert "No verdict" in verdicts.home


def test_without_any_output_nothing_is_judged_and_the_page_says_so(compared):
    verdicts = compared(WORDS[:40], WORDS[:40], [None] * 40)

    assert verdicts.all == {None}
    assert "no output of other has a score" in verdicts.api["sentence"]
    assert "no output of other has a score" in verdicts.page
    assert "No verdict" in verdicts.home


# ---- scores stored directly ---------------------------------------------------------------------------------


def entries_of(reader, experiment: Experiment, query: str = "") -> list[dict[str, Any]]:
    ids = ",".join(map(str, experiment.runs.order_by("pk").values_list("pk", flat=True)))
    return reader.get(f"comparisons/?runs={ids}{query}").json()["entries"]


def worse_by_little(project, evaluators: int) -> Experiment:
    """A variant slightly worse by the primary evaluator; the other evaluators see noise."""
    chance = np.random.default_rng(15)
    experiment = columns.experiment(project, 200, ["levenshtein_similarity"] * evaluators)
    base = chance.uniform(0.3, 0.7, 200)
    noise = [chance.random((2, 200)) for _ in range(evaluators - 1)]
    columns.run(experiment, "base", [base, *(pair[0] for pair in noise)])
    columns.run(
        experiment,
        "other",
        [base - 0.01 + np.random.default_rng(2).normal(0, 0.045, 200), *(p[1] for p in noise)],
    )
    return experiment


def test_fourteen_more_evaluators_do_not_change_the_primary_verdict(reader, project):
    alone, of_fifteen = (entries_of(reader, worse_by_little(project, count)) for count in (1, 15))

    assert alone[0]["verdict"] == "worse"
    assert [of_fifteen[0][name] for name in ("verdict", "interval", "p_corrected")] == [
        alone[0][name] for name in ("verdict", "interval", "p_corrected")
    ]


@pytest.mark.long
def test_more_than_five_hundred_comparisons_can_still_be_decided(reader, project):
    chance, scores = np.random.default_rng(3), np.random.default_rng(4).uniform(0.2, 0.4, (28, 60))
    experiment = columns.experiment(project, 60, ["levenshtein_similarity"] * 28)
    columns.run(experiment, "base", list(scores))
    for number in range(19):
        columns.run(experiment, f"v{number}", list(scores + 0.3 + chance.normal(0, 0.02, (28, 60))))

    entries = entries_of(reader, experiment)

    assert len(entries) == 28 * 19 == 532
    assert {entry["verdict"] for entry in entries} == {"better"}


def test_equal_data_under_other_ids_give_the_same_answer(reader, project):
    first, second = (worse_by_little(project, 3) for _ in range(2))
    ids = ("run", "runs", "evaluator")

    answers = [
        [
            {name: value for name, value in entry.items() if name not in ids}
            for entry in entries_of(reader, experiment)
        ]
        for experiment in (first, second)
    ]

    assert answers[0] == answers[1]
