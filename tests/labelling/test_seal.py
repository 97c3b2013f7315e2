"""What a judge said about an answer with a sealed label can be read nowhere until it is opened for its version."""

import csv
import io
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse

from evaluations.access import projects
from evaluations.comparisons import evaluator_agreement, subsets, thresholds
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.examples.examples import Question, examples
from evaluations.comparisons.examples.gains import Alignment
from evaluations.comparisons.grouping import lengths
from evaluations.comparisons.grouping.example_filter import ExampleFilter
from evaluations.comparisons.people import passports
from evaluations.errors import Conflict, Invalid
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from evaluations.labelling import seal, sealing
from evaluations.models import Label, Project, Run, Scoring, Verdict
from evaluations.results import exports, results
from evaluations.results.filters import ScoreFilter
from evaluations.results.results import Query
from evaluations.results.rows import explanations, rows_at
from evaluations.results.shown import scorings_of
from evaluations.scoring import jobs, scoring
from evaluations.scoring.coverage import positions as positions_of
from tests import judged, people
from tests.pages import text_of

pytestmark = pytest.mark.django_db
NAME = "model judge"


@pytest.fixture(scope="module")
def made(kept) -> tuple[Any, ...]:
    """Alice's project, labelled answers and a judge, once for all tests."""
    alice = User.objects.create_user("alice", "alice@example.com", "alice's long password")
    project = projects.create("Default", alice)
    stock = people.labelled(project, alice, overlap=0)
    return alice, project, stock, judged.judge(project, stock)


@pytest.fixture
def alice(made, db):
    return User.objects.get(pk=made[0].pk)


@pytest.fixture
def project(made, db):
    return Project.objects.get(pk=made[1].pk)


@pytest.fixture
def stock(made, db):
    return deepcopy(made[2])


@pytest.fixture
def judge(made, db):
    return deepcopy(made[3])


@pytest.fixture
def run(stock):
    return stock.runs[0]


@pytest.fixture
def sealed(stock, run):
    """The positions with a sealed label: half of those with a label, by the rule itself."""
    dataset = run.experiment.dataset_id
    labelled = {item.example for item in stock.task.items.filter(run=run)}
    found = {n for n in labelled if sealing.part(stock.label_set.pk, dataset, n) == sealing.SEALED}
    assert 20 < len(found) < 60
    return found


def of_judge(run, judge):
    return Scoring.objects.select_related("evaluator_version__evaluator").get(
        run=run, evaluator_version=judge
    )


def test_a_row_says_that_its_verdict_is_sealed(run, judge, sealed):
    scores = {row.position: row.scores[NAME] for row in rows_at(run, range(1, 121), scorings_of(run))}
    assert {position for position, score in scores.items() if score.status == "sealed"} == sealed
    assert {(scores[n].value, scores[n].passed) for n in sealed} == {(None, None)}
    assert all(scores[n].value is not None for n in scores.keys() - sealed)


def test_no_filter_and_no_order_tells_a_sealed_verdict(run, judge, sealed):
    scoring = of_judge(run, judge)
    for condition in ({"passed": True}, {"passed": False}, {"low": 0.5}, {"high": 0.5}):
        more = results.Filters(scores=(ScoreFilter(scoring, **condition),))
        for query in (Query(scoring, **condition), Query(more=more)):
            listed = results.page(run, query, 200).positions
            assert listed
            assert not sealed & {*listed}
    ordered = results.page(run, Query(scoring, by_score=True), 200).positions
    assert {*ordered[-len(sealed) :]} == sealed


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_an_export_writes_no_sealed_verdict(run, judge, sealed, kind):
    content = b"".join(exports.of_run(run, kind)).decode()
    whole = b"".join(exports.of_experiment(run.experiment, [run], "csv")).decode()
    if kind == "csv":
        for text, prefix in ((content, ""), (whole, "v1 ")):
            rows = list(csv.DictReader(io.StringIO(text)))
            closed = {int(row["position"]) for row in rows if row[f"{prefix}{NAME} status"] == "sealed"}
            assert closed == sealed
            assert {row[f"{prefix}{NAME}"] for row in rows if int(row["position"]) in sealed} == {""}
    else:
        assert content.count('"status":"sealed"') == len(sealed)


def test_nothing_says_why_a_sealed_answer_got_its_verdict(run, judge, sealed):
    scoring = of_judge(run, judge)
    closed, open_ = min(sealed), min({*range(1, 121)} - sealed)
    assert explanations(run, closed, [scoring])[scoring.pk] == {"note": seal.REASON}
    assert f"because of {open_}" in explanations(run, open_, [scoring])[scoring.pk]["note"]
    readable = seal.readable(Verdict.objects.filter(run=run), run, [judge])
    assert {verdict.example for verdict in readable} == {*range(1, 121)} - sealed


def test_compared_examples_are_neither_sorted_nor_filtered_by_sealed_verdicts(stock, judge, sealed):
    comparison = Comparison(stock.runs, stock.runs[0])
    evaluator = judge.evaluator
    aligned = Alignment(comparison, evaluator)
    for outcome in ("worse", "better", "same", "missing"):
        page = examples(comparison, Question(evaluator, outcome=outcome), 200)
        assert not sealed & {*page.positions}
    page = examples(comparison, Question(evaluator, outcome="sealed"), 200)
    assert {*page.positions} == sealed
    assert aligned.counts(aligned.present)["sealed"] == len(sealed)
    assert {row.rows[0].scores[NAME].status for row in page.rows} == {"sealed"}


def test_a_page_reads_what_is_sealed_once_and_holds_one_mask_where_nothing_is(stock, judge, sealed):
    aligner = Comparison(stock.runs, stock.runs[0]).aligner
    hidden, nothing = aligner.sealed(judge.evaluator.pk), aligner.sealed(stock.label_set.pk)
    assert ({*(np.flatnonzero(hidden.slots) + 1).tolist()}, hidden.key != "") == (sealed, True)
    assert (nothing.slots.any(), nothing.key) == (False, "")
    assert aligner.sealed(judge.evaluator.pk) is hidden
    assert aligner.left_out(judge.evaluator.pk) is nothing  # of all examples none is left out


@pytest.mark.long
def test_agreement_of_the_judge_with_people_leaves_sealed_labels_out(stock, run, judge, sealed):
    comparison = Comparison(stock.runs, stock.runs[0])
    pair = evaluator_agreement.pair(comparison, judge.evaluator, stock.label_set)
    assert pair.scores.n == 2 * (80 - len(sealed))
    assert not sealed & {one.position for one in pair.disagreements}
    source = f"evaluator:{stock.label_set.pk}"
    assert thresholds.explore(run, NAME, source).agreement.n == 80 - len(sealed)


def test_a_formula_over_a_judge_hides_what_the_judge_hides(project, stock, run, judge, sealed):
    formula = evaluators.create(project, None, "twice", "formula", {"expression": "model_judge * 2"}, {})
    with transaction.atomic():
        jobs.open_job(Run.objects.select_for_update().get(pk=run.pk), experiments.newest([formula]))
    while scoring.work(seconds=10):
        pass
    found = rows_at(run, sorted(sealed), scorings_of(run))
    assert {row.scores["twice"].status for row in found} == {"sealed"}


def test_means_are_those_of_all_verdicts(stock, run, judge, sealed):
    assert of_judge(run, judge).summary["mean"] == pytest.approx(float(np.mean(stock.verdicts[0])))
    assert seal.hidden([of_judge(run, judge)])


def test_opening_shows_the_verdicts_of_that_version_alone(project, alice, stock, run, judge, sealed):
    passports.open_sealed(judge, stock.label_set, alice)
    assert seal.hidden([of_judge(run, judge)]) == {}
    later = evaluators.change(judge.evaluator, alice, name=NAME, config=judged.CONFIG | {"model": "other"})
    assert seal.hidden_examples(run, experiments.newest([later])[0]) == sealed
    assert seal.hidden_examples(run, None) == sealed


def test_labels_that_were_taken_back_hide_nothing(stock, run, judge, sealed):
    Label.objects.update(withdrawn_at="2026-01-01T00:00Z")
    assert seal.hidden([of_judge(run, judge)]) == {}


def test_scores_that_were_sent_stay_readable(stock, run):
    sent = of_judge(run, stock.judge)
    assert seal.hidden([sent]) == {}
    assert np.isfinite(seal.load([sent], positions_of(run))[sent.pk].values).all()


def test_unsealing_needs_a_reason_and_ends_the_seal_for_good(stock, run, judge, alice):
    with pytest.raises(Invalid):
        sealing.unseal(stock.label_set, alice, "  ")
    sealing.unseal(stock.label_set, alice, "We read them all.")
    assert seal.hidden([of_judge(run, judge)]) == {}
    for again in (
        lambda: sealing.unseal(stock.label_set, alice, "Again."),
        lambda: passports.open_sealed(judge, stock.label_set, alice),
    ):
        with pytest.raises(Conflict) as refused:
            again()
        assert refused.value.code == "labels_unsealed"


# ---- parts of the examples ---------------------------------------------------------------------------------------


def part_of(comparison) -> tuple[ExampleFilter, np.ndarray]:
    """A filter that leaves most examples, and the slots that it leaves."""
    column = lengths.columns(comparison.sides.dataset, comparison.aligner.positions)[1]
    most = int(np.bincount(column.codes[column.codes >= 0]).argmax())
    return ExampleFilter(metadata=((column.name, column.names[most]),)), column.codes == most


def test_figures_of_a_part_leave_sealed_scores_out_and_those_of_all_count_them(stock, judge, sealed, alice):
    whole = Comparison(stock.runs, stock.runs[0])
    example_filter, chosen = part_of(whole)
    open_ = chosen & ~np.isin(np.arange(1, 121), [*sealed])
    assert (chosen & ~open_).sum() > 0

    def told():
        part = Comparison(stock.runs, stock.runs[0], example_filter=example_filter)
        [entry] = part.figures.entries_of(judge.evaluator)
        return entry.paired.n, entry.paired.mean

    assert whole.figures.entries_of(judge.evaluator)[0].paired.n == 120
    n, mean = told()
    assert (n, mean) == (open_.sum(), pytest.approx(stock.verdicts[1][open_].mean()))
    passports.open_sealed(judge, stock.label_set, alice)
    n, mean = told()
    assert (n, mean) == (chosen.sum(), pytest.approx(stock.verdicts[1][chosen].mean()))


@pytest.mark.long
def test_subsets_leave_sealed_scores_out(alice):
    project = projects.create("Elsewhere", alice)
    stock = people.labelled(project, alice, examples=300, labels=100, overlap=0)
    judge = judged.judge(project, stock)
    experiments.set_primary(stock.experiment, judge.evaluator)

    def sizes():
        figures = Comparison(stock.runs, stock.runs[0]).figures
        found = subsets.search(figures, judge.evaluator).subsets
        return {subset.name: subset.n for subset in found if subset.column == "reference length"}

    closed = sizes()
    passports.open_sealed(judge, stock.label_set, alice)
    opened = sizes()
    assert closed.keys() == opened.keys() != set()
    hidden = seal.hidden_examples(stock.runs[0], None)
    assert sum(opened.values()) - sum(closed.values()) == len(hidden) > 0


@pytest.mark.long
def test_the_fourfold_table_leaves_sealed_examples_out_and_says_so(client, alice, stock, judge, sealed):
    experiments.set_primary(stock.experiment, judge.evaluator)
    client.force_login(alice)
    address = reverse("experiment-detail", args=[stock.experiment.pk])
    table = client.get(address).context["fourfold"]
    assert (table.total, table.sealed) == (120 - len(sealed), len(sealed))
    assert table.caption.endswith(f"{len(sealed)} sealed examples left out")
    details = client.get(f"{address}?details={judge.evaluator_id}").context["details"]
    assert details.sealed == len(sealed)


def test_the_page_of_the_run_says_how_many_verdicts_it_does_not_show(client, alice, run, judge, sealed):
    client.force_login(alice)
    chosen = f"/runs/{run.pk}/?evaluator={judge.evaluator_id}"

    answer = client.get(chosen)
    [tile] = [one for one in answer.context["averages"] if one.name == NAME]

    assert (tile.sealed.word, tile.sealed.count) == ("sealed", len(sealed))
    assert client.get(tile.sealed.address, follow=True).context["total"] == len(sealed)
    assert f"{len(sealed)} verdicts of {NAME} are sealed" in text_of(answer)
