"""The verdicts of gates: the truth table, the lock, and every rule at its limit."""

from dataclasses import replace
from datetime import timedelta
from xml.etree import ElementTree

import numpy as np
import pytest
from django.utils import timezone

from evaluations import charts
from evaluations.datasets import datasets
from evaluations.errors import Conflict, Invalid
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments, runs
from evaluations.gates import gates, newest
from evaluations.gates import output as gate_output
from evaluations.gates.gates import Plan
from evaluations.models import GateCheck, Output, Run
from evaluations.scoring import scoring
from evaluations.statistics.wording import reach
from tests import factories
from tests.comparisons import columns

pytestmark = pytest.mark.django_db


def pair(project, size, losses, gains, kind="exact_match"):
    """A baseline that is right on every second example, and a run with this number of losses and gains."""
    experiment = columns.experiment(project, size, [kind])
    baseline = np.arange(size) % 2.0
    changed = baseline.copy()
    changed[np.flatnonzero(baseline == 1)[:losses]] = 0
    changed[np.flatnonzero(baseline == 0)[:gains]] = 1
    return columns.run(experiment, "old", [baseline]), columns.run(experiment, "new", [changed])


def evaluator_of(run):
    return experiments.versions_of(run.experiment)[0].evaluator


def not_worse(run, margin=0.02):
    return {"rule": "not_worse", "evaluator": evaluator_of(run).pk, "margin": margin}


def set_gate(project, baseline, *criteria, **options):
    return gates.create(project, None, "ship", Plan(baseline, criteria, **options))


def read_as_letters(project, answers):
    """A baseline that answers "a", which is right, and a run with these answers, both read as "a" or "b"."""
    read = {"read": [{"step": "choice", "labels": ["a", "b"]}]}
    mapping = {"actual": {"path": "$.output"} | read, "expected": {"path": "$.expected"}}
    evaluator = evaluators.create(project, None, "letter", "label", {}, mapping)
    dataset = factories.dataset(project, ["a"] * 20)
    experiment = experiments.create(project, None, "letters", dataset, [evaluator])
    return [
        factories.scored_run(experiment, texts, name)
        for name, texts in (("old", ["a"] * 20), ("new", answers))
    ]


# ---- the truth table ---------------------------------------------------------------------------------------


def test_a_run_against_itself_passes(project):
    baseline, _ = pair(project, 40, 0, 0)

    check = gates.check(set_gate(project, baseline, not_worse(baseline)), baseline)

    assert (check.verdict, check.is_green, check.examples_needed) == ("pass", True, None)


@pytest.mark.parametrize(
    ("answer", "missing", "verdict"),
    [("a or b", "worst", "fail"), ("a or b", "exclude", "inconclusive"), (None, "worst", "inconclusive")],
)
def test_a_run_of_which_no_answer_can_be_read_fails_where_that_is_worst(project, answer, missing, verdict):
    baseline, run = read_as_letters(project, [answer] * 20)
    better = {"rule": "better", "evaluator": evaluator_of(run).pk}

    assert gates.check(set_gate(project, baseline, better, missing=missing), run).verdict == verdict


def test_a_copy_of_the_baseline_passes_with_enough_examples(project):
    baseline, copied = pair(project, 400, 0, 0)

    assert gates.check(set_gate(project, baseline, not_worse(baseline)), copied).verdict == "pass"


def test_a_clear_loss_fails(project):
    baseline, run = pair(project, 400, 40, 2)

    check = gates.check(set_gate(project, baseline, not_worse(baseline)), run)

    assert (check.verdict, check.is_green) == ("fail", False)
    [result] = check.results
    assert result["difference"] == pytest.approx(-38 / 400)
    assert result["interval"][1] < 0


@pytest.mark.parametrize(("rule", "shown"), [("not_worse", "interval_90"), ("better", "interval")])
def test_the_figure_has_the_interval_that_is_drawn(project, rule, shown):
    baseline, run = pair(project, 400, 40, 2)
    criterion = {"rule": rule, "evaluator": evaluator_of(baseline).pk}
    criterion |= {"margin": 0.02} if rule == "not_worse" else {}

    [result] = gates.check(set_gate(project, baseline, criterion), run).results

    [hidden] = {"interval", "interval_90"} - {shown}
    assert reach(result[shown], in_points=True) in result["words"]
    assert charts.criterion(result | {hidden: (-9.0, 9.0)}) == charts.criterion(result)
    if rule == "not_worse":  # the words of a result that tells nothing have no unit
        assert charts.criterion(result | {"words": "nothing"}) == charts.criterion(result)


def test_too_few_examples_are_inconclusive_and_say_how_many_more_would_decide(project):
    baseline, run = pair(project, 40, 8, 4)

    check = gates.check(set_gate(project, baseline, not_worse(baseline)), run)

    assert (check.verdict, check.is_green) == ("inconclusive", False)
    assert check.examples_needed > 40
    number = check.examples_needed
    assert check.sentence.endswith(
        f" If the difference stays as measured, about {number} more examples decide it in 4 of 5 cases."
    )


def test_an_open_check_foretells_no_decision(project):
    """A run as good as its baseline can be measured a little worse; a number of examples is no reason to give it up."""
    baseline, run = pair(project, 40, 6, 3)

    check = gates.check(
        set_gate(project, baseline, {"rule": "better", "evaluator": evaluator_of(baseline).pk}), run
    )

    assert check.verdict == "inconclusive"
    assert " for it" not in check.sentence
    assert "against it" not in check.sentence


def test_many_times_the_examples_are_no_number_to_plan_with(project):
    baseline, run = pair(project, 80, 8, 7)

    check = gates.check(
        set_gate(project, baseline, {"rule": "better", "evaluator": evaluator_of(baseline).pk}), run
    )

    assert check.examples_needed > 800
    assert check.sentence.endswith(". Far too few examples (n = 80).")


def test_several_open_criteria_lack_what_the_largest_lacks(project):
    baseline, run = pair(project, 40, 8, 4)
    criteria = (not_worse(baseline, 0.03), not_worse(baseline, 0.02))

    check = gates.check(set_gate(project, baseline, *criteria), run)

    assert check.sentence.endswith(" more examples decide each in 4 of 5 cases.")
    assert "the differences stay as measured" in check.sentence


def test_a_criterion_that_nothing_can_fail_says_so_instead_of_asking_for_examples(project):
    """Of a baseline that is never right, nothing is worse, and no number of examples would decide."""
    experiment = factories.experiment(project, references=["Paris"] * 40)
    baseline, run = (factories.scored_run(experiment, ["Rome"] * 40, name) for name in ("old", "new"))
    gate = set_gate(project, baseline, not_worse(run))

    check = gates.check(gate, run)

    assert check.verdict == "inconclusive"
    assert check.examples_needed is None
    assert "this criterion tests nothing" in check.sentence
    assert "would decide" not in check.sentence


def test_inconclusive_is_green_where_the_gate_accepts_it(project):
    baseline, run = pair(project, 40, 5, 4)

    check = gates.check(set_gate(project, baseline, not_worse(baseline), accepts_inconclusive=True), run)

    assert (check.verdict, check.is_green) == ("inconclusive", True)


def test_a_changed_threshold_is_noticed_by_whoever_holds_the_old_hash(project):
    baseline, run = pair(project, 400, 40, 2)
    gate = set_gate(project, baseline, not_worse(baseline))
    agreed = gate.hash

    gates.change(gate, Plan(baseline, [not_worse(baseline, margin=0.5)]))

    assert gates.check(gate, run, sent_hash=agreed).verdict == "changed"
    assert gates.check(gate, run, sent_hash=gate.hash).verdict == "pass"


# ---- the lock ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changed_plan",
    [
        {"missing": "exclude"},
        {"accepts_inconclusive": True},
        {"criteria": [{"rule": "examples", "value": 3}]},
    ],
)
def test_the_hash_is_another_where_the_gate_is(project, changed_plan):
    baseline, _ = pair(project, 40, 0, 0)
    gate = set_gate(project, baseline, not_worse(baseline))
    before = gate.hash

    gates.change(gate, Plan(**{"baseline": baseline, "criteria": [not_worse(baseline)]} | changed_plan))

    assert gate.hash != before


def test_the_hash_stays_where_only_the_name_changes(project):
    baseline, _ = pair(project, 40, 0, 0)
    gate = set_gate(project, baseline, not_worse(baseline))
    before = gate.hash

    gates.change(gate, name="ship it")

    assert (gate.name, gate.hash) == ("ship it", before)


def scored_pair(project):
    experiment = factories.experiment(project, "exact_match")
    return [factories.scored_run(experiment, variant=name) for name in ("old", "new")]


def test_a_run_scored_by_another_version_of_the_evaluator_is_changed(project):
    baseline, _ = scored_pair(project)
    gate = set_gate(project, baseline, not_worse(baseline))
    evaluator = evaluator_of(baseline)
    evaluators.change(evaluator, None, config={"case_sensitive": False})
    late = experiments.create(project, None, "later", baseline.experiment.dataset, [evaluator])

    check = gates.check(gate, factories.scored_run(late))

    assert check.verdict == "changed"
    assert "v2" in check.sentence


def test_a_newer_version_beside_the_locked_one_changes_nothing(project):
    baseline, run = scored_pair(project)
    gate = set_gate(project, baseline, {"rule": "at_least", "evaluator": evaluator_of(run).pk, "value": 0.1})
    evaluator = evaluator_of(baseline)
    evaluators.change(evaluator, None, config={"threshold": 0.1})
    runs.add_scorings(run, [evaluator])
    while scoring.work(5):
        pass
    run.refresh_from_db()

    assert gates.check(gate, run).verdict == "pass"


def test_a_run_on_another_version_of_the_dataset_is_changed(project):
    baseline, _ = scored_pair(project)
    gate = set_gate(project, baseline, not_worse(baseline))
    dataset = datasets.remove(baseline.experiment.dataset, None, 3)
    later = experiments.create(project, None, "later", dataset, [evaluator_of(baseline)])

    assert gates.check(gate, factories.scored_run(later, ("Paris", "Rome"))).verdict == "changed"


def test_a_deleted_baseline_is_changed(project):
    baseline, run = scored_pair(project)
    gate = set_gate(project, baseline, not_worse(baseline))
    runs.delete(baseline)
    gate.refresh_from_db()

    assert gates.check(gate, run).verdict == "changed"


def test_outputs_of_the_baseline_that_were_asked_again_are_changed(project):
    baseline, run = scored_pair(project)
    gate = set_gate(project, baseline, not_worse(baseline))
    Run.objects.filter(pk=baseline.pk).update(revision=1)
    gate.refresh_from_db()

    assert gates.check(gate, run).verdict == "changed"


# ---- the rules ---------------------------------------------------------------------------------------------


def judged(project, run, baseline, **criterion):
    if criterion["rule"] in ("at_least", "at_most", "better", "no_new_failures"):
        criterion["evaluator"] = evaluator_of(baseline).pk
    return gates.check(set_gate(project, baseline, criterion), run)


@pytest.mark.parametrize(
    ("losses", "gains", "verdict"), [(2, 40, "pass"), (40, 2, "fail"), (4, 5, "inconclusive")]
)
def test_better_needs_an_interval_that_excludes_zero(project, losses, gains, verdict):
    baseline, run = pair(project, 400, losses, gains)

    assert judged(project, run, baseline, rule="better").verdict == verdict


@pytest.mark.parametrize(
    ("rule", "value", "verdict"),
    [
        ("at_least", 0.75, "pass"),
        ("at_least", 0.76, "fail"),
        ("at_most", 0.75, "pass"),
        ("at_most", 0.74, "fail"),
    ],
)
def test_a_mean_is_held_against_a_value(project, rule, value, verdict):
    # 200 of 400 are right in the baseline, 100 more in the run: 0.75.
    baseline, run = pair(project, 400, 0, 100)

    assert judged(project, run, baseline, rule=rule, value=value).verdict == verdict


def answers(project, *outputs):
    """Runs with these outputs on three capitals: Paris, Rome, Oslo."""
    experiment = factories.experiment(project, "exact_match")
    return [factories.scored_run(experiment, output, f"v{n}") for n, output in enumerate(outputs)]


@pytest.mark.parametrize(("value", "verdict"), [(2 / 3, "pass"), (0.7, "fail")])
def test_a_pass_rate_is_held_against_a_share(project, value, verdict):
    baseline, run = answers(project, ("a", "b", "c"), ("Paris", "Rome", "c"))

    assert judged(project, run, baseline, rule="at_least", figure="pass_rate", value=value).verdict == verdict


def test_an_unanswered_example_fails_unless_it_is_left_out(project):
    baseline, run = answers(project, ("a", "b", "c"), ("Paris", "Rome", None))
    criterion = {
        "rule": "at_least",
        "figure": "pass_rate",
        "value": 0.9,
        "evaluator": evaluator_of(run).pk,
    }
    strict = gates.create(project, None, "strict", Plan(baseline, [criterion]))
    lenient = gates.create(project, None, "lenient", Plan(baseline, [criterion], missing="exclude"))

    assert gates.check(strict, run).results[0]["measured"] == pytest.approx(2 / 3)
    assert gates.check(lenient, run).results[0]["measured"] == 1


@pytest.mark.parametrize(
    ("outputs", "verdict", "positions"),
    [
        (("Paris", "b", "Oslo"), "pass", []),
        (("Paris", "Rome", "c"), "fail", [3]),
        (("Paris", "Rome", None), "fail", [3]),
    ],
)
def test_an_example_that_passed_and_fails_now_is_named(project, outputs, verdict, positions):
    baseline, run = answers(project, ("Paris", "b", "Oslo"), outputs)

    check = judged(project, run, baseline, rule="no_new_failures")

    assert (check.verdict, check.results[0]["positions"]) == (verdict, positions)


def test_so_many_newly_failing_examples_may_be_tolerated(project):
    baseline, run = answers(project, ("Paris", "b", "Oslo"), ("Paris", "b", "c"))

    assert judged(project, run, baseline, rule="no_new_failures", value=1).verdict == "pass"


@pytest.mark.parametrize(("value", "verdict"), [(0.66, "pass"), (0.67, "fail")])
def test_the_answered_share_is_held_against_a_share(project, value, verdict):
    baseline, run = answers(project, ("a", "b", "c"), ("Paris", "b", None))

    assert judged(project, run, baseline, rule="answered", value=value).verdict == verdict


@pytest.mark.parametrize(("value", "verdict"), [(200, "pass"), (199, "fail")])
def test_the_mean_latency_is_held_against_a_value(project, value, verdict):
    baseline, run = answers(project, ("a", "b", "c"), ("a", "b", "c"))
    for position, latency in enumerate((100, 200, 300), 1):
        Output.objects.filter(run=run, position=position).update(latency_ms=latency)

    check = judged(project, run, baseline, rule="latency", value=value)
    assert (check.verdict, check.results[0]["words"]) == (verdict, "200.0\N{NARROW NO-BREAK SPACE}ms")


@pytest.mark.parametrize("rule", ["cost", "latency"])
def test_an_unknown_figure_is_inconclusive(project, rule):
    baseline, run = answers(project, ("a", "b", "c"), ("a", "b", "c"))

    assert judged(project, run, baseline, rule=rule, value=1).verdict == "inconclusive"


def test_fewer_examples_than_wanted_are_inconclusive(project):
    baseline, run = answers(project, ("a", "b", "c"), ("a", "b", "c"))

    check = judged(project, run, baseline, rule="examples", value=5)

    assert (check.verdict, check.examples_needed) == ("inconclusive", 2)


def test_one_failing_criterion_fails_the_gate(project):
    baseline, run = pair(project, 400, 40, 2)

    check = gates.check(
        set_gate(project, baseline, {"rule": "examples", "value": 500}, not_worse(baseline)), run
    )

    assert [result["verdict"] for result in check.results] == ["inconclusive", "fail"]
    assert (check.verdict, check.examples_needed) == ("fail", None)


def test_distances_are_worse_where_they_are_longer(project):
    experiment = columns.experiment(project, 400, ["levenshtein_distance"])
    short, long = np.arange(400) % 7.0, np.arange(400) % 7.0 + np.arange(400) % 2
    baseline, run = columns.run(experiment, "old", [short]), columns.run(experiment, "new", [long])

    assert gates.check(set_gate(project, baseline, not_worse(baseline, margin=0.1)), run).verdict == "fail"


# ---- invalid gates -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "criterion",
    [
        {"rule": "not_worse"},
        {"rule": "not_worse", "margin": 0},
        {"rule": "at_least"},
        {"rule": "at_least", "value": float("nan")},
        {"rule": "at_least", "figure": "pass_rate", "value": 90},
        {"rule": "better", "value": 1},
        {"rule": "no_new_failures", "value": 0.5},
    ],
)
def test_a_criterion_that_says_nothing_is_refused(project, criterion):
    baseline, _ = pair(project, 10, 0, 0)

    with pytest.raises(Invalid) as refused:
        set_gate(project, baseline, criterion | {"evaluator": evaluator_of(baseline).pk})

    assert refused.value.code == "invalid_gate"


def test_an_evaluator_without_a_pass_threshold_has_no_failures(project):
    baseline, _ = pair(project, 10, 0, 0, kind="levenshtein_distance")

    with pytest.raises(Invalid, match="no pass threshold"):
        set_gate(project, baseline, {"rule": "no_new_failures", "evaluator": evaluator_of(baseline).pk})


def test_the_margin_of_the_experiment_is_taken_where_none_is_sent(project):
    baseline, _ = pair(project, 10, 0, 0)
    experiments.set_margins(baseline.experiment, {evaluator_of(baseline).pk: 0.05})

    gate = set_gate(project, baseline, {"rule": "not_worse", "evaluator": evaluator_of(baseline).pk})

    assert gate.criteria[0]["margin"] == 0.05


def test_a_run_on_another_dataset_is_refused(project):
    baseline, _ = pair(project, 10, 0, 0)
    foreign_run, _ = pair(project, 10, 0, 0)

    with pytest.raises(Invalid) as refused:
        gates.check(set_gate(project, baseline, not_worse(baseline)), foreign_run)

    assert refused.value.code == "not_comparable"


def test_a_run_that_is_not_completed_is_refused(project):
    baseline, run = pair(project, 10, 0, 0)
    run.status = Run.Status.RUNNING

    with pytest.raises(Conflict) as refused:
        gates.check(set_gate(project, baseline, not_worse(baseline)), run)

    assert refused.value.code == "run_not_completed"


# ---- output for other programs -----------------------------------------------------------------------------


def junit_of(check):
    return ElementTree.fromstring(gate_output.junit(check)).find("testsuite")


@pytest.mark.parametrize(
    ("losses", "gains", "size", "accepts", "tag"),
    [
        (0, 0, 400, False, None),
        (40, 2, 400, False, "failure"),
        (5, 4, 40, False, "error"),
        (5, 4, 40, True, "skipped"),
    ],
)
def test_junit_has_a_case_for_each_criterion(project, losses, gains, size, accepts, tag):
    baseline, run = pair(project, size, losses, gains)
    gate = set_gate(project, baseline, not_worse(baseline), accepts_inconclusive=accepts)

    suite = junit_of(gates.check(gate, run))

    [case] = suite.findall("testcase")
    assert [element.tag for element in case] == ([tag] if tag else [])
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == [
        "1",
        *(str(int(tag == name)) for name in ("failure", "error", "skipped")),
    ]


def test_junit_says_which_run_of_which_gate_and_how_long_it_took(project):
    baseline, run = pair(project, 40, 0, 0)
    run.finished_at = timezone.now()
    run.started_at = run.finished_at - timedelta(seconds=90)
    run.save()
    gate = set_gate(project, baseline, not_worse(baseline))
    check = gates.check(gate, run)

    suite = ElementTree.fromstring(gate_output.junit(check, "https://eval.example.com/gates/1/")).find(
        "testsuite"
    )

    facts = {fact.get("name"): fact.get("value") for fact in suite.findall("properties/property")}
    assert (facts["run"], facts["hash"]) == (str(run.pk), check.hash)
    assert facts["link"] == "https://eval.example.com/gates/1/"
    assert float(suite.get("time")) == 90
    assert sum(float(case.get("time")) for case in suite.findall("testcase")) == pytest.approx(90)


def test_a_sentence_about_two_hashes_shows_where_they_differ(project):
    """Both used to be cut after twelve characters, also where these were equal."""
    baseline, run = pair(project, 40, 0, 0)
    gate = set_gate(project, baseline, not_worse(baseline))
    other = gate.hash[:-1] + ("0" if gate.hash[-1] != "0" else "1")

    [sentence] = gates.check(gate, run, sent_hash=other).changes

    assert other in sentence
    assert gate.hash in sentence


def test_junit_of_a_changed_gate_is_an_error(project):
    baseline, run = pair(project, 40, 0, 0)

    suite = junit_of(gates.check(set_gate(project, baseline, not_worse(baseline)), run, sent_hash="other"))

    assert suite.get("errors") == "1"


def test_the_marker_of_a_comment_is_the_same_for_every_check_of_a_gate(project):
    baseline, run = pair(project, 400, 40, 2)
    gate = set_gate(project, baseline, not_worse(baseline))

    first, second = (
        gate_output.markdown(gates.check(gate, candidate)).splitlines()[0] for candidate in (baseline, run)
    )

    assert first == second == f"<!-- evalsite-gate:{gate.pk} -->"


def test_markdown_formats_nothing_that_a_user_wrote(project):
    baseline, run = pair(project, 40, 0, 0)
    gate = set_gate(project, baseline, not_worse(baseline))
    gate.name = "a | b <img src=x> [c](https://example.org) @everybody"

    text = gate_output.markdown(gates.check(gate, run))

    assert not [part for part in ("a | b", "<img", "[c](", "https://example", "@everybody") if part in text]


def test_a_check_that_judged_nothing_hides_no_judgement_on_the_experiment(project):
    baseline, run = pair(project, 40, 0, 0)
    gate = set_gate(project, baseline, not_worse(baseline))
    gates.keep(judged := gates.check(gate, run))
    gates.keep(gates.check(gate, run, sent_hash="other"))

    assert newest.of_experiment(run.experiment) == [[judged]]


def test_an_experiment_says_what_a_gate_judged_of_each_of_its_variants(project):
    """The check of one that fails does not hide that another one passed."""
    baseline, passing = pair(project, 40, 0, 20)
    failing = columns.run(baseline.experiment, "wrong", [np.zeros(40)])
    gate = set_gate(project, baseline, not_worse(baseline))
    for run in (passing, failing):
        gates.keep(gates.check(gate, run))

    [checks] = newest.of_experiment(baseline.experiment)

    assert [(check.run.variant, check.verdict) for check in checks] == [
        (failing.variant, "fail"),
        (passing.variant, "pass"),
    ]


def test_a_pass_does_not_hide_that_another_variant_failed_lately(project):
    baseline, passing = pair(project, 40, 0, 20)
    failing = columns.run(baseline.experiment, "wrong", [np.zeros(40)])
    gate = set_gate(project, baseline, not_worse(baseline))
    gates.keep(failed := gates.check(gate, failing))
    gates.keep(passed := gates.check(gate, passing))

    recent = newest.recent(project)

    assert recent == {gate.pk: [passed, failed]}
    assert newest.not_passed(project, recent, 5) == [failed]


def test_a_variant_that_passed_since_or_failed_long_ago_needs_no_attention(project):
    baseline, passing = pair(project, 40, 0, 20)
    failing = columns.run(baseline.experiment, "wrong", [np.zeros(40)])
    gate = set_gate(project, baseline, not_worse(baseline))
    gates.keep(old := gates.check(gate, failing))
    GateCheck.objects.filter(pk=old.pk).update(created_at=old.created_at - timedelta(days=8))
    gates.keep(first := gates.check(gate, passing))
    GateCheck.objects.filter(pk=first.pk).update(verdict="fail")
    gates.keep(gates.check(gate, passing))

    assert newest.not_passed(project, newest.recent(project), 5) == []


def test_another_hash_of_a_pipeline_is_named_and_stands_behind_a_fail(project):
    baseline, run = pair(project, 40, 20, 0)
    gate = set_gate(project, baseline, not_worse(baseline))
    gates.keep(failed := gates.check(gate, run))
    gates.keep(gates.check(gate, run, sent_hash="mistyped"))
    assert newest.not_passed(project, newest.recent(project), 5) == [failed]
    older = gate.hash
    gates.change(gate, replace(gates.plan_of(gate), accepts_inconclusive=True))
    gates.keep(other := gates.check(gate, run, sent_hash=older))

    assert failed.verdict == "fail"
    assert other.sentence.startswith("Nothing was judged, because the pipeline sent another hash.")
    assert newest.not_passed(project, newest.recent(project), 5) == [failed, other]
    assert newest.of_gates([gate]) == {gate.pk: failed}


def test_a_baseline_that_changed_hides_the_last_verdict(project):
    baseline, run = pair(project, 40, 20, 0)
    gate = set_gate(project, baseline, not_worse(baseline))
    gates.keep(gates.check(gate, run))
    Run.objects.filter(pk=baseline.pk).update(revision=7)
    gate.baseline.refresh_from_db()
    gates.keep(changed := gates.check(gate, run, sent_hash="other"))

    assert newest.not_passed(project, newest.recent(project), 5) == [changed]
    assert newest.of_gates([gate]) == {gate.pk: changed}


def test_what_was_measured_is_not_read_as_the_result_of_a_criterion(project):
    baseline, run = pair(project, 40, 3, 6)
    better = {"rule": "better", "evaluator": evaluator_of(baseline).pk}

    sentence = gates.check(set_gate(project, baseline, better), run).sentence

    assert f"For “{evaluator_of(baseline).name}: better” it measured +7.5 points (" in sentence
