"""The report of a comparison: complete, escaped and self-contained."""

import base64
import re
from hashlib import sha256
from html.parser import HTMLParser

import numpy as np
import pytest

from evaluations.comparisons import notes
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.grouping.example_filter import ExampleFilter
from evaluations.comparisons.notes import Note, Notes
from evaluations.datasets import splits
from evaluations.datasets.splits import Rule
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from evaluations.gates import gates
from evaluations.models import GateCheck, Output, Run
from evaluations.reports import gate_verdicts, page, report
from tests import factories
from tests.comparisons import columns
from tests.pages import text_of

pytestmark = pytest.mark.django_db

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>"


@pytest.fixture
def runs(project):
    experiment = factories.experiment(project, "exact_match", "levenshtein_distance")
    return [
        factories.scored_run(experiment, outputs, variant)
        for variant, outputs in (("old", ("Paris", "Rome", "Osla")), (HOSTILE, ("Paris", HOSTILE, "Oslo")))
    ]


@pytest.fixture
def written(runs):
    return report.report(Comparison(runs, runs[0]))


def test_a_regression_has_the_texts_of_both_runs(written):
    # Rome is right in the first run only; Oslo is a gain.
    [regression] = written.regressions
    assert (regression.position, regression.key, regression.gain) == (2, "k2", -1)
    assert (regression.baseline_output, regression.output, regression.reference) == ("Rome", HOSTILE, "Rome")
    assert written.regressed == 1


def test_a_conversation_is_a_transcript(project):
    def call(city):
        return [{"type": "function", "function": {"name": "weather", "arguments": city}}]

    experiment = factories.experiment(project, "exact_match", references=(call("Rome"),))
    runs = [factories.scored_run(experiment, (call(city),), city) for city in ("Rome", "Oslo")]

    [regression] = report.report(Comparison(runs, runs[0])).regressions
    assert (regression.baseline_output, regression.output) == (
        "assistant: weather(Rome)",
        "assistant: weather(Oslo)",
    )
    assert regression.reference == "assistant: weather(Rome)"


def test_the_first_link_skips_to_the_report(written):
    html = page.html(written)

    assert html.index('<a class="skip" href="#content">') < html.index('id="content"')


def test_texts_of_users_are_shown_as_text(written):
    assert "<script" not in page.html(written)
    assert "<img" not in page.html(written)


class Elements(HTMLParser):
    """The elements and attributes of a page."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes = set(), set()
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, value in attrs if not (name == "href" and value.startswith("#"))}


def test_the_file_needs_nothing_else(written):
    elements = Elements(page.html(written))

    assert not elements.tags & {"script", "img", "link", "iframe", "object", "form", "base", "use"}
    assert not elements.attributes & {"src", "href", "action", "style", "onerror", "data"}
    assert not re.findall(r"url\(|@import", page.sheet())


def test_the_policy_allows_this_very_style_sheet_and_nothing_more(written):
    html = page.html(written)
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)[1]

    digest = base64.b64encode(sha256(style.encode()).digest()).decode()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)[1]
    assert policy.replace("&#x27;", "'").split("; ")[:2] == [
        "default-src 'none'",
        f"style-src 'sha256-{digest}'",
    ]


def test_every_evaluator_and_variant_has_its_row(written):
    html = page.html(written)

    assert html.count('<th scope="row"><bdi>old</bdi></th>') == 2  # Of both evaluators.
    assert "Both variants answered all 3 examples" in " ".join(html.split())


def test_hashes_are_of_the_content(runs):
    before = {source.name: source.sha256 for source in report.report(Comparison(runs, runs[0])).sources}
    Output.objects.filter(run=runs[1], position=1).update(text="Pisa")
    Run.objects.filter(pk=runs[1].pk).update(revision=1)
    runs[1].refresh_from_db()

    after = {source.name: source.sha256 for source in report.report(Comparison(runs, runs[0])).sources}

    assert [name for name in before if before[name] != after[name]] == [HOSTILE]
    assert {len(digest) for digest in after.values()} == {64}


def test_the_hash_of_outputs_equals_its_description(written):
    lines = b'[1,"Paris",null]\n[2,"Rome",null]\n[3,"Osla",null]\n'

    [old] = [source for source in written.sources if (source.kind, source.name) == ("run", "old")]
    assert old.sha256 == sha256(lines).hexdigest()


def test_long_texts_are_cut(project):
    experiment = factories.experiment(project)
    pair = [factories.scored_run(experiment, (text, "b", "c"), text[:5]) for text in ("Paris", "x" * 90_000)]

    [regression] = report.report(Comparison(pair, pair[0])).regressions

    assert len(regression.output) < 3_100


def test_all_of_a_long_text_can_be_opened_without_a_script(project):
    text = " ".join(f"This is sentence {number} of a long policy." for number in range(99))
    outputs = [f"{text} Yes.", f"{text} No.", "never " * 800]
    experiment = factories.experiment(project, references=(outputs[0],))
    pairs = [(outputs[0], outputs[1]), (outputs[0], outputs[2])]

    for older, newer in pairs:
        runs = [factories.scored_run(experiment, (output,), output[-9:]) for output in (older, newer)]
        html = page.html(report.report(Comparison(runs, runs[0])))
        assert '<p class="same-fold">' not in html
        assert html.count("This is sentence 50 of a long policy.") >= 2  # of reference and baseline
        assert f"{newer[-200:].strip()[-100:]}".split(" No.")[0] in html


def test_without_a_regression_the_largest_improvements_are_shown(project):
    experiment = factories.experiment(project, "exact_match")
    worse, better = (
        factories.scored_run(experiment, outputs, outputs[1])
        for outputs in (("Paris", "Milan", "Oslo"), ("Paris", "Rome", "Oslo"))
    )

    html = page.html(report.report(Comparison([worse, better], worse)))

    words = text_of(html)
    assert "Largest improvements No example got worse by exact match" in words
    assert "Rome fail → pass" in words
    assert "Largest regressions" not in words


# ---- gates -------------------------------------------------------------------------------------------------


def gate_on(run, name="ship", **options):
    evaluator = run.experiment.primary_id
    plan = gates.Plan(run, [{"rule": "no_new_failures", "evaluator": evaluator}], **options)
    return gates.create(run.project, None, name, plan)


def test_a_report_has_the_verdicts_of_gates_with_its_baseline(runs):
    gate = gate_on(runs[0])
    gate_on(runs[1], "of another baseline")

    written = report.report(Comparison(runs, runs[0]))

    [verdict] = written.gates.verdicts
    assert (verdict.gate, [check.run for check in verdict.checks]) == (gate, [runs[1]])
    # Rome is right in the baseline and wrong in the run.
    html = page.html(written)
    [result] = verdict.checks[0].results
    assert [part for part in ("FAIL", gate.hash[:12], result["title"]) if part not in html] == []
    assert not GateCheck.objects.exists()


def test_gates_stand_below_the_table_of_the_primary_evaluator_and_above_the_others(runs):
    gate = gate_on(runs[0])

    html = page.html(report.report(Comparison(runs, runs[0])))

    places = [html.index(head) for head in ('id="table-primary"', f'id="gate-{gate.pk}"', 'id="table-1"')]
    assert places == sorted(places)


def test_a_changed_gate_is_marked_in_a_report(runs):
    gate_on(runs[0])
    Run.objects.filter(pk=runs[0].pk).update(revision=1)
    runs[0].refresh_from_db()

    assert "CHANGED" in page.html(report.report(Comparison(runs, runs[0])))


def test_a_deleted_gate_is_in_no_report(runs):
    gates.delete(gate_on(runs[0]))

    assert not report.report(Comparison(runs, runs[0])).gates.verdicts


@pytest.fixture
def halves(project):
    """Two runs of forty examples, every second one about law."""
    topics = [{"topic": "law" if n % 2 else "art"} for n in range(40)]
    experiment = columns.experiment(project, 40, ["exact_match"], topics)
    return [columns.run(experiment, variant, [np.ones(40)]) for variant in ("old", "new")]


def test_a_report_of_some_metadata_counts_the_gates_that_it_leaves_out(halves):
    gate_on(halves[0])

    example_filter = ExampleFilter(metadata=(("topic", "law"),))
    shown = report.report(Comparison(halves, halves[0], example_filter=example_filter)).gates

    assert ([*shown.verdicts], shown.elsewhere) == ([], 1)


def test_a_report_of_a_split_has_the_gates_of_that_split(halves):
    dataset = halves[0].experiment.dataset
    law = splits.create(dataset, None, "law", Rule(filter=[("topic", "law")]))
    gate_on(halves[0], "the whole")
    gate = gate_on(halves[0], "law alone", split=law)

    written = report.report(Comparison(halves, halves[0], example_filter=ExampleFilter(split=law)))

    assert ([verdict.gate for verdict in written.gates.verdicts], written.gates.elsewhere) == ([gate], 1)
    assert "the whole" not in page.html(written)
    whole = report.report(Comparison(halves, halves[0])).gates
    assert (len(whole.verdicts), whole.elsewhere) == (2, 0)


def test_a_report_has_the_newest_of_many_gates(runs, monkeypatch):
    monkeypatch.setattr(gate_verdicts, "MOST_CHECKS", 2)
    all_gates = [gate_on(runs[0], f"gate {number}") for number in range(3)]

    shown = report.report(Comparison(runs, runs[0])).gates

    assert ([verdict.gate for verdict in shown.verdicts], shown.left_out) == ([all_gates[2], all_gates[1]], 1)


def test_a_report_counts_unanswered_examples_once(project):
    experiment = factories.experiment(project, "exact_match")
    runs = [
        factories.scored_run(experiment, ("Paris", "Rome", "Oslo"), "old"),
        factories.scored_run(experiment, ("Paris", None, "Oslo"), "new"),
    ]

    written = page.html(report.report(Comparison(runs, runs[0])))

    assert "left 1 of 3 examples unanswered" in written
    assert "some are unanswered" not in written


def test_values_have_their_heading_beside_them_where_a_narrow_screen_hides_the_headings(runs):
    html = page.html(report.report(Comparison(runs, runs[0])))
    rows = "".join(re.findall(r"<tbody>(.*?)</tbody>", html, re.DOTALL))
    told = [
        cell for cell, content in re.findall(r"<td([^>]*)>(.*?)</td>", rows, re.DOTALL) if content.strip()
    ]
    values = [cell for cell in told if 'class="plot"' not in cell]

    assert len(values) > 8
    assert [cell for cell in values if "data-name=" not in cell] == []


def test_a_table_without_any_clear_difference_says_so_once(project):
    experiment = columns.experiment(project, 40, ["exact_match"])
    same = [columns.run(experiment, name, [np.arange(40) % 2]) for name in ("old", "new", "other")]
    html = page.html(report.report(Comparison(same, same[0])))
    table = html[html.index('id="table-primary"') : html.index("</table>")]

    assert " ".join(table.split()).count("no clear difference") == 1


def test_a_single_run_has_a_report_too(runs):
    assert "Provenance" in page.html(report.report(Comparison(runs[:1], runs[0])))


def test_means_are_over_the_pairs_like_the_differences(project):
    experiment = columns.experiment(project, 30, ["exact_match", "levenshtein_similarity"])
    is_easy = np.arange(30) >= 10
    answers = {"old": is_easy * 1.0, "silent": np.where(is_easy, 1.0, np.nan), "new": is_easy * 1.0}
    runs = [columns.run(experiment, name, [scores, scores]) for name, scores in answers.items()]
    comparison = Comparison(runs, runs[0], missing="exclude")

    exact, similarity = comparison.evaluators
    assert comparison.figures.means(exact) == [1, 1, 1]
    assert comparison.figures.means(similarity) == pytest.approx(
        [2 / 3, 1, 2 / 3]
    )  # each has pairs of its own
    html = page.html(report.report(comparison))
    primary = html[html.index('id="table-primary"') : html.index('id="table-1"')]
    assert "1.000" in primary
    assert "0.667" not in primary


def test_a_regression_by_any_of_several_variants_says_so(project):
    experiment = factories.experiment(project)
    answers = (
        ("old", ("Paris", "Rome", "Oslo")),
        ("new", ("x", "Rome", "Oslo")),
        ("third", ("Paris", "x", "Oslo")),
    )
    runs = [factories.scored_run(experiment, outputs, name) for name, outputs in answers]

    def told(chosen):
        html = page.html(report.report(Comparison(chosen, chosen[0])))
        return " ".join(html.split())

    assert "2 of 2 examples on which at least one variant got worse" in told(runs)
    assert "1 of 1 example on which the variant got worse" in told(runs[:2])


def test_all_that_is_known_of_the_verdict_stands_above_the_figures(written, monkeypatch):
    shown, later = (Note([("", text)]) for text in ("Not confirmed.", "This is close."))
    monkeypatch.setattr(notes, "of", lambda comparison: Notes([shown], [later], [], []))

    html = page.html(written)

    assert html.index("Not confirmed.") < html.index("This is close.") < html.index('id="table-primary"')


def test_every_table_of_a_report_has_a_caption(runs):
    html = page.html(report.report(Comparison(runs, runs[0])))

    assert html.count("<table") == html.count("<caption") > 1


def test_what_lacks_of_a_secondary_evaluator_stands_in_small_below_the_verdict(project):
    experiment = factories.experiment(project, "levenshtein_similarity", references=["a"] * 30)
    experiments.add_evaluators(experiment, [factories.evaluator(project, "check", "Says so", phrases="")])
    runs = [factories.scored_run(experiment, ["a"] * 30, name) for name in ("old", "new")]

    html = page.html(report.report(Comparison(runs, runs[0])))

    [fine] = re.findall(r'(?s)<ul class="report-remarks report-fine">.*?</ul>', html)
    assert "Says so: 30 of 30 examples" in text_of(fine)
    assert "Says so: 30 of 30 examples" not in text_of(html.replace(fine, ""))


def test_of_several_variants_the_regressions_of_the_best_come_first(project):
    """Else a bad one fills the list, and nothing is read of what the best one costs."""
    experiment = columns.experiment(project, 60, ["exact_match"])
    base = np.array([1.0] * 30 + [0.0] * 30)
    best = np.array([0.0] * 2 + [1.0] * 58)
    runs = [
        columns.run(experiment, name, [scores])
        for name, scores in (("base", base), ("bad", base * 0), ("best", best))
    ]
    for run in runs:
        Output.objects.bulk_create(
            Output(run=run, position=n, text=f"{run.variant} {n}") for n in range(1, 61)
        )

    written = report.report(Comparison(runs, runs[0]))

    assert [one.variant for one in written.regressions] == ["best"] * 2 + ["bad"] * 8
    assert len({one.position for one in written.regressions}) == 10
    assert written.leader == "best"
    assert "those of best , which ranks highest, come first" in text_of(page.html(written))


def test_every_table_has_the_variants_in_the_order_of_the_ranking(project):
    experiment = factories.experiment(
        project, "exact_match", "levenshtein_similarity", references=[*"abcdefghij"]
    )
    runs = [
        factories.scored_run(experiment, [*"abcdefghij"[:right], *["?"] * (10 - right)], name)
        for name, right in (("base", 2), ("worst", 0), ("best", 10))
    ]
    comparison = Comparison(runs, runs[0])

    tables = [page._table(comparison, evaluator) for evaluator in comparison.evaluators]

    assert [[row.name for row in table.rows] for table in tables] == [["best", "base", "worst"]] * 2
    assert [row.name for row in page._answered(comparison)] == ["best", "base", "worst"]


def test_what_no_variant_has_readable_stands_once_beside_the_evaluator(project):
    experiment = factories.experiment(project, references=["1", "2"])
    reading = {"actual": {"path": "$.output.v"}}
    numbers = evaluators.create(project, None, "numbers", "numeric_match", {}, reading)
    experiments.add_evaluators(experiment, [numbers])
    old, new, newer = (
        factories.scored_run(experiment, outputs, name)
        for name, outputs in (("old", ["{}", "{}"]), ("new", ["{}", "{}"]), ("newer", ['{"v": 1}', "{}"]))
    )

    same, each = (
        text_of(page.html(report.report(Comparison(pair, old)))) for pair in ([old, new], [old, newer])
    )

    assert same.count("No number was found in any answer.") == 1
    assert "unread as" not in same
    assert "Variants by numbers" not in same
    assert "2 unread as wrong" in each
    assert "1 unread as wrong" in each


def test_several_variants_share_one_table_of_a_gate_best_first(project):
    experiment = factories.experiment(project, "exact_match")
    old, worse, same = (
        factories.scored_run(experiment, outputs, name)
        for name, outputs in (
            ("old", ("Paris", "Rome", "x")),
            ("worse", ("Paris", "x", "x")),
            ("same", ("Paris", "Rome", "x")),
        )
    )
    gate = gate_on(old)

    html = page.html(report.report(Comparison([old, worse, same], old)))
    section = text_of(html.partition(f'id="gate-{gate.pk}"')[2].partition("</section>")[0])

    assert html.count('class="report-table report-gate') == 1
    assert section.count(gate.hash[:12]) == 1
    assert section.index("same PASS") < section.index("worse FAIL")
    assert "passes against" not in section  # the table says it
    assert "worse fails against old." in section


def test_what_a_changed_gate_says_of_all_variants_stands_once(project):
    experiment = factories.experiment(project, "exact_match")
    runs = [factories.scored_run(experiment, variant=name) for name in ("old", "new", "newer")]
    gate_on(runs[0])
    Run.objects.filter(pk=runs[0].pk).update(revision=1)
    runs[0].refresh_from_db()

    html = page.html(report.report(Comparison(runs, runs[0])))

    assert (html.count("CHANGED"), html.count("Nothing was judged")) == (2, 1)


def test_why_no_variant_has_a_verdict_stands_once_beside_the_evaluator(project):
    experiment = factories.experiment(project, references=["1", "2"])
    reading = {"actual": {"path": "$.output.v"}}
    numbers = evaluators.create(project, None, "numbers", "numeric_match", {}, reading)
    experiments.add_evaluators(experiment, [numbers])
    runs = [factories.scored_run(experiment, ["{}", "{}"], name) for name in ("old", "new", "newer")]

    html = text_of(page.html(report.report(Comparison(runs, runs[0]))))

    assert html.count("o number was found in any answer.") == 1


def test_a_variant_without_a_score_is_not_drawn_as_the_baseline(project):
    experiment = factories.experiment(project, references=["1", "2"])
    old = factories.scored_run(experiment, ["1", "2"], "old")
    silent = factories.scored_run(experiment, [None, None], "silent")
    experiments.add_evaluators(experiment, [factories.evaluator(project, "levenshtein_similarity")])
    compared = Comparison([old, silent], old, missing="exclude")

    rows = page.html(report.report(compared)).split("<tr")

    of_baseline = [row for row in rows if 'class="baseline-point"' in row]
    assert of_baseline
    assert not any("silent" in row for row in of_baseline)
