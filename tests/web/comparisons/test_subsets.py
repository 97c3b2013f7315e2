"""Subsets on the page of an experiment, and the page filtered by one."""

import re

import numpy as np
import pytest
from django.db.models import CharField, Value
from django.db.models.functions import Cast, Concat
from django.test import Client

from evaluations.comparisons import subsets
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.grouping.example_filter import ExampleFilter
from evaluations.experiments import experiments
from evaluations.models import Experiment
from evaluations.numerals import signed
from tests.comparisons import columns
from tests.pages import markup, text_of

SIZE = 90


@pytest.fixture
def experiment(project) -> Experiment:
    """ "new" is better, but worse on the 30 examples about law."""
    topics = [{"topic": "law" if n < 30 else "travel", "urgent": n % 2 == 0} for n in range(SIZE)]
    experiment = columns.experiment(project, SIZE, ["rouge_l"], topics)
    chance = np.random.default_rng(5)
    base = chance.uniform(0.4, 0.6, SIZE)
    better = base + np.where(np.arange(SIZE) < 30, -0.2, 0.3) + chance.normal(0, 0.05, SIZE)
    columns.run(experiment, "old", [base])
    columns.run(experiment, "new", [better])
    return experiment


def page(client: Client, experiment: Experiment, query: str = "", **headers: str) -> str:
    return markup(client.get(f"/experiments/{experiment.pk}/{query}", headers=headers))


def test_the_sentence_and_the_table_name_the_reversal(alices, experiment):
    html = page(alices, experiment)

    assert '<b class="word" data-verdict="worse">worse</b>on<a class="subset"' in html
    assert '<details class="fold subsets" id="subsets" open>' in html
    assert "topic · reversed" in html


def test_below_a_ranking_the_table_is_folded_until_a_column_is_chosen(alices, experiment):
    columns.run(experiment, "newer", [np.full(SIZE, 0.6)])

    assert '<details class="fold subsets" id="subsets">' in page(alices, experiment)
    assert '<details class="fold subsets" id="subsets" open>' in page(alices, experiment, "?by=topic")


def test_a_subset_without_a_verdict_on_its_page_has_none_in_the_table(alices, experiment):
    run = experiment.runs.get(variant="new")
    silent = columns.run(experiment, "silent", [np.where(np.arange(SIZE) < 30, np.nan, 0.9)])

    shown = page(alices, experiment, f"?baseline={run.pk}")
    row = shown[shown.index("metadata%5Btopic%5D=law") :]

    assert silent.variant in row
    assert '<small class="aside">No output of silent has a score.</small>' in row


def test_a_subset_of_which_hardly_a_score_differs_says_why_it_has_no_verdict(alices, project):
    sizes = [{"size": "ab"[n % 2]} for n in range(SIZE)]
    experiment = columns.experiment(project, SIZE, ["exact_match"], sizes)
    columns.run(experiment, "old", [np.zeros(SIZE)])
    columns.run(experiment, "new", [np.isin(np.arange(SIZE), (0, 2, 4)) * 1.0])

    assert "too few for a verdict.</small>" in page(alices, experiment).split('id="subsets"')[1]


def test_a_subset_that_the_search_does_not_find_has_no_verdict_of_its_own(alices, project):
    """It would be better if it were the only one looked at, but the others were looked at too."""
    chance = np.random.default_rng(1)
    topics = [f"t{n % 8}" for n in range(240)]
    experiment = columns.experiment(project, 240, ["rouge_l"], [{"topic": topic} for topic in topics])
    base = chance.uniform(0.3, 0.5, 240)
    gain = chance.normal(0, 0.2, 240) + np.where(np.arange(240) % 8 == 3, 0.11, 0)
    runs = [columns.run(experiment, "old", [base]), columns.run(experiment, "new", [base + gain])]
    filtered = Comparison(runs, runs[0], example_filter=ExampleFilter((("topic", "t3"),)))
    assert not any(subset.reported for subset in searched(runs).subsets)
    assert filtered.figures.entries[0].paired.verdict == "better"

    row = page(alices, experiment, "?subsets=all").split("t3: show only these examples")[0]
    row = page(alices, experiment, "?subsets=all")[len(row) :].split("</tr>")[0]

    assert 'data-verdict="better"' not in row
    assert "better only if no other subset were looked at" in row


def test_the_home_page_says_it_too(alices, experiment):
    assert "better , but worse on law" in text_of(alices.get("/"))


@pytest.mark.parametrize(
    ("question", "is_answered"), [("Does it help?", True), ("Does it help with law?", False)]
)
def test_a_question_about_a_subset_with_another_verdict_is_not_answered_by_the_whole(
    alices, experiment, question, is_answered
):
    experiment.name = question
    experiment.save()

    assert ("Yes: new better" in " ".join(text_of(alices.get("/")).split())) == is_answered


def test_the_named_subset_leads_to_its_examples_from_the_sentence_and_from_home(alices, experiment):
    address = f"/experiments/{experiment.pk}/?metadata%5Btopic%5D=law"
    link = f'<a class="subset" href="{address}" title="Show only these examples"><i>law</i></a>'

    assert link in page(alices, experiment)
    assert link in markup(alices.get("/"))
    assert "30 of 90 examples" in text_of(alices.get(address))


def test_the_link_of_a_clause_leads_to_the_outputs_of_the_variant_that_it_names(alices, experiment):
    """Of three variants, the pair below the filtered page would else be the two best on it."""
    chance = np.random.default_rng(6)
    columns.run(experiment, "third", [chance.uniform(0.4, 0.6, SIZE)])
    old, new = (experiment.runs.get(variant=name) for name in ("old", "new"))

    html = page(alices, experiment)
    clause = html[html.index('<a class="subset"') :].partition(">")[0]

    assert f"variant={new.pk}&amp;with={old.pk}" in clause
    shown = alices.get(f"/experiments/{experiment.pk}/?metadata[topic]=law&variant={new.pk}&with={old.pk}")
    assert shown.context["comparison"].sides.baseline.run == old
    assert "new" in text_of(shown)


def test_all_subsets_of_a_short_list_have_marks_by_one_rule(alices, experiment):
    html = page(alices, experiment, "?subsets=all")

    assert "metadata%5Burgent%5D" in html
    assert '<small class="aside">no verdict</small>' not in html


def test_a_value_of_two_columns_is_named_with_its_column(alices, project):
    metadata = [
        {"topic": "law" if n < 30 else "rest", "team": "law" if n % 3 else "home"} for n in range(SIZE)
    ]
    experiment = columns.experiment(project, SIZE, ["rouge_l"], metadata)
    chance = np.random.default_rng(5)
    base = chance.uniform(0.4, 0.6, SIZE)
    change = np.where(np.arange(SIZE) < 30, -0.2, 0.3) + np.where(np.arange(SIZE) % 3, -0.1, 0.2)
    columns.run(experiment, "old", [base])
    columns.run(experiment, "new", [base + change + chance.normal(0, 0.02, SIZE)])

    html = page(alices, experiment)

    assert "metadata%5Btopic%5D=law" in html
    assert "<i>topic law</i></a>" in html


def names(html: str) -> list[str]:
    """The subsets of the table in its order; "" are all examples."""
    table = html[html.index('id="subsets"') :]
    groups = re.findall(r"<tbody[^>]*>(.*?)</tbody>", table[: table.index("</table>")], re.DOTALL)
    return [(re.findall(r'title="(.*?): show only these examples"', group) or [""])[0] for group in groups]


def test_the_table_has_each_subset_once_of_the_column_of_the_finding_or_the_one_chosen(alices, experiment):
    by_topic, by_urgency = page(alices, experiment), page(alices, experiment, "?by=urgent")

    assert names(by_topic) == ["", "law", "travel"]
    assert sorted(names(by_urgency)[1:3]) == ["false", "true"]
    assert sorted(names(by_urgency)[3:]) == ["law", "travel"], "what was reported stays in sight"
    assert "travel: show only these examples" in by_topic
    assert "false: show only these examples" in by_urgency


def test_each_subset_shows_the_interval_and_verdict_of_the_page_it_leads_to(alices, project):
    """No subset differs, so that no page of one was computed before; three variants share an interval."""
    chance = np.random.default_rng(17)
    topics = [f"t{n % 4}" for n in range(240)]
    experiment = columns.experiment(project, 240, ["rouge_l"], [{"topic": topic} for topic in topics])
    base = chance.uniform(0.3, 0.5, 240)
    runs = [
        columns.run(experiment, name, [base + chance.normal(gain, 0.2, 240)])
        for name, gain in (("a", 0.0), ("b", 0.055), ("c", 0.06))
    ]
    assert not any(subset.reported for subset in searched(runs).subsets)

    pictures = re.findall(
        r"<tbody[^>]*>(.*?)</tbody>",
        page(alices, experiment, "?by=topic").split('id="subsets"')[1].split("</table>")[0],
        re.DOTALL,
    )[1:]
    order = [ranked.side.run.pk for ranked in Comparison(runs, runs[0]).figures.ranking]

    assert len(pictures) == 4
    for picture in pictures:
        topic = re.findall("(t[0-3]): show only these examples", picture)[0]
        filtered = Comparison(runs, runs[0], example_filter=ExampleFilter((("topic", topic),)))
        entries = sorted(filtered.figures.entries, key=lambda entry: order.index(entry.run.pk))
        pairs = [entry.paired for entry in entries]
        assert re.findall('data-verdict="([a-z_]+)">\\s*<t', picture) == [paired.verdict for paired in pairs]
        for low, high in (paired.interval for paired in pairs):
            assert f"{signed(low)} to {signed(high)}" in picture


def searched(runs) -> subsets.Search:
    comparison = Comparison(runs, runs[0])
    return subsets.search(comparison.figures, comparison.evaluators.primary)


def test_one_finding_differs(alices, project):
    topics = np.arange(180) % 6
    experiment = columns.experiment(project, 180, ["rouge_l"], [{"topic": f"t{topic}"} for topic in topics])
    chance = np.random.default_rng(5)
    base = chance.uniform(0.4, 0.6, 180)
    columns.run(experiment, "old", [base])
    columns.run(experiment, "new", [base + chance.normal(0.2, 0.3, 180) - 0.5 * (topics == 0)])

    assert re.search(r" 1 of \d+ subsets differs from the rest: \S", text_of(page(alices, experiment)))


def test_subsets_of_numbers_stand_in_their_order(alices, project):
    metadata = [{"size": size} for size in ["10"] * 90 + ["2"] * 30 + ["9"] * 60]
    experiment = columns.experiment(project, len(metadata), ["rouge_l"], metadata)
    chance = np.random.default_rng(7)
    for name in ("old", "new"):
        columns.run(experiment, name, [chance.uniform(size=len(metadata))])

    shown = page(alices, experiment, "?by=size")

    assert re.findall(r'"(\d+): show only these examples', shown) == ["2", "9", "10"]
    assert 'aria-label="30 examples of 2"' in shown


def test_everything_that_was_searched_is_a_click_away(alices, experiment):
    assert "subsets=all" in page(alices, experiment)
    assert "Show fewer subsets" in page(alices, experiment, "?subsets=all")


def test_a_filter_says_how_many_examples_remain_and_computes_again(alices, experiment):
    html = page(alices, experiment, "?metadata[topic]=law")

    assert "<b>30 of 90 examples</b>" in html
    assert 'is<b class="word" data-verdict="worse">worse</b>than' in html
    assert ">All<span" in html
    assert ">30</span>" in html


def test_a_filter_that_nothing_meets_leaves_a_page_without_a_verdict(alices, experiment):
    answer = alices.get(f"/experiments/{experiment.pk}/?metadata[topic]=nothing")

    assert answer.status_code == 200
    assert "<b>0 of 90 examples</b>" in markup(answer)


def test_the_form_of_the_examples_keeps_the_filter(alices, experiment):
    html = page(alices, experiment, "?metadata[topic]=law")

    assert '<input type="hidden" name="metadata[topic]" value="law">' in html


def test_a_missing_column_is_refused(alices, experiment):
    assert alices.get(f"/experiments/{experiment.pk}/?metadata[nothing]=1").status_code == 400


def test_many_examples_are_searched_after_the_page(alices, experiment, monkeypatch):
    monkeypatch.setattr(subsets, "MOST_PAIRS", SIZE - 1)
    first = page(alices, experiment)
    part = page(alices, experiment, "?subsets=search", **{"HX-Request": "true", "HX-Target": "subsets"})

    assert 'hx-trigger="load" hx-target="this"' in first
    assert "Search subsets</a>" in first
    assert part.startswith('<details class="fold subsets"')
    assert "topic · reversed" in part


def test_without_a_finding_the_section_is_closed_and_says_so(alices, project):
    quiet = columns.experiment(project, SIZE, ["rouge_l"], [{"topic": "ab"[n % 2]} for n in range(SIZE)])
    chance = np.random.default_rng(6)
    for variant in ("old", "new"):
        columns.run(quiet, variant, [chance.uniform(0.2, 0.8, SIZE)])

    html = page(alices, quiet)

    assert '<details class="fold subsets" id="subsets">' in html
    assert "no subset differs from the overall result (2 searched)" in html


def test_three_variants_have_a_line_each_in_every_subset(alices, experiment):
    columns.run(experiment, "third", [np.full(SIZE, 0.5)])

    html = page(alices, experiment)

    assert html.count('class="variant" title="third">third</td>') == 3
    listed = html.partition('id="subsets"')[2].partition("</details>")[0]
    assert listed.count('rowspan="2"') == 2 * 3
    assert '<th scope="col" role="columnheader">Variant</th>' in html


def test_subsets_list_the_variants_in_the_order_of_the_table(alices, experiment):
    columns.run(experiment, "third", [np.full(SIZE, 0.99)])

    html = page(alices, experiment)

    assert re.findall(r'class="variant" title="(\w+)"', html) == ["third", "new"] * 3


@pytest.mark.long
def test_agreement_of_evaluators_is_a_click_away(alices, project):
    experiment = columns.experiment(project, SIZE, ["rouge_l", "chrf", "levenshtein_distance"])
    chance = np.random.default_rng(7)
    for variant in ("old", "new"):
        similar = chance.uniform(0, 1, SIZE)
        columns.run(experiment, variant, [similar, 1 - similar, chance.integers(0, 9, SIZE)])
    first, second, third = (version.evaluator_id for version in experiments.versions_of(experiment))

    closed, opened = page(alices, experiment), page(alices, experiment, f"?agreement={first}-{second}")

    assert "?agreement=open#agreement" in closed
    assert 'aria-current="true">−1.00</a>' in opened
    assert f"agreement={first}-{third}#agreement" in opened
    rouge, chrf = (version.evaluator.name for version in experiments.versions_of(experiment)[:2])
    assert re.findall(r'class="number" data-name="([^"]+)"', opened)[:3] == [rouge, rouge, chrf]
    assert "almost everything, the other way round," in opened


@pytest.mark.long
def test_examples_on_which_evaluators_disagree_are_called_by_their_keys(alices, project):
    experiment = columns.experiment(project, SIZE, ["rouge_l", "chrf"])
    chance = np.random.default_rng(7)
    for variant in ("old", "new"):
        columns.run(experiment, variant, [chance.uniform(0, 1, SIZE), chance.uniform(0, 1, SIZE)])
    experiment.dataset.examples.update(key=Concat(Value("seg-"), Cast("position", CharField())))

    shown = page(alices, experiment, "?agreement=open")

    assert re.search(r"open=(\d+)[^>]*#examples\"\s*>seg-\1<", shown)


def test_five_outputs_on_which_evaluators_disagree_come_first_and_all_by_a_link(alices, project):
    experiment = columns.experiment(project, SIZE, ["rouge_l", "chrf"])
    chance = np.random.default_rng(7)
    for variant in ("old", "new"):
        columns.run(experiment, variant, [chance.uniform(0, 1, SIZE), chance.uniform(0, 1, SIZE)])

    address = f"/experiments/{experiment.pk}/?agreement=open"
    first, whole = alices.get(address), alices.get(f"{address}&disagreements=all")

    assert [len(one.context["agreement"].shown) for one in (first, whole)] == [5, 20]
    assert "disagreements=all#agreement" in first.content.decode()
    assert "disagreements=all#agreement" not in whole.content.decode()


def test_outputs_alike_on_which_evaluators_disagree_are_one_row(alices, project):
    experiment = columns.experiment(project, SIZE, ["rouge_l", "chrf"])
    first, second = np.linspace(0.2, 0.4, SIZE), np.linspace(0.2, 0.4, SIZE)
    first[:3], second[:3] = 0.9, 0.1
    for variant in ("old", "new"):
        columns.run(experiment, variant, [first, second])

    shown = text_of(alices.get(f"/experiments/{experiment.pk}/?agreement=open"))

    assert shown.count("and 2 alike") == 2, "once for each variant"


@pytest.mark.parametrize("query", ["?agreement=open", "?agreement=7-8-9", "?agreement="])
def test_any_address_of_the_agreement_is_answered(alices, experiment, query):
    columns.run(experiment, "third", [np.full(SIZE, np.nan)])

    assert alices.get(f"/experiments/{experiment.pk}/{query}").status_code == 200


def test_agreement_and_corpus_scores_are_linked_above_the_examples(alices, project):
    experiment = columns.experiment(project, SIZE, ["chrf", "rouge_l"])
    chance = np.random.default_rng(8)
    for name in ("old", "new"):
        columns.run(experiment, name, [chance.uniform(size=SIZE), chance.uniform(size=SIZE)])

    html = page(alices, experiment)

    assert html.index('#agreement">Agreement') < html.index('id="examples-head"')
    assert html.count('#agreement">Agreement') == 1


def test_a_comparison_without_metadata_says_what_it_would_show(alices, project):
    experiment = columns.experiment(project, 30, ["rouge_l"])
    chance = np.random.default_rng(9)
    for name in ("old", "new"):
        columns.run(experiment, name, [chance.uniform(size=30)])

    html = page(alices, experiment)
    notes = html.partition('data-remember="notes"')[2].partition("</details>")[0]

    assert "Add metadata such as topic to search subsets." in text_of(html)
    assert "Add metadata" not in notes, "it is not about the verdict"


def test_an_experiment_with_one_variant_says_what_a_second_one_brings(alices, project):
    experiment = columns.experiment(project, 30, ["rouge_l"])
    columns.run(experiment, "only", [np.full(30, 0.5)])

    assert "One variant so far. With a second one," in text_of(page(alices, experiment))


def test_menus_of_two_variants_have_room_because_the_way_of_diffs_is_under_view(alices, experiment):
    two = page(alices, experiment)
    columns.run(experiment, "third", [np.full(SIZE, 0.5)])
    three = page(alices, experiment)

    assert two.index('aria-label="Difference shown"') < two.index('id="reading"')
    assert three.index('aria-label="Difference shown"') > three.index('id="reading"')


@pytest.mark.long
def test_the_matrix_of_agreement_has_each_pair_once_and_leaves_out_what_has_no_scores(alices, project):
    experiment = columns.experiment(
        project, SIZE, ["rouge_l", "chrf", "sentence_bleu", "levenshtein_distance"]
    )
    chance = np.random.default_rng(9)
    for variant in ("old", "new"):
        drawn = [chance.uniform(0, 1, SIZE) for _ in range(3)]
        columns.run(experiment, variant, [*drawn[:2], np.full(SIZE, np.nan), drawn[2]])

    shown = alices.get(f"/experiments/{experiment.pk}/?agreement=open").context["agreement"]

    assert [len(cells) for _, cells in shown.rows] == [1, 2]
    assert shown.left_out == [experiments.versions_of(experiment)[2].evaluator]


def test_every_line_of_the_axis_of_subsets_has_its_label(alices, project):
    topics = [{"topic": "law" if n < 30 else "travel"} for n in range(SIZE)]
    experiment = columns.experiment(project, SIZE, ["rouge_l"], topics)
    base = np.random.default_rng(5).uniform(0.4, 0.6, SIZE)
    columns.run(experiment, "old", [base])
    columns.run(experiment, "new", [base + np.where(np.arange(SIZE) < 30, -0.2, 0.45)])

    html = page(alices, experiment)
    table = html[html.index('id="subsets"') :]
    labels = table.partition('<svg class="axis"')[2].partition("</svg>")[0].count("<text")
    drawing = table.partition('<svg class="interval"')[2].partition("</svg>")[0]

    assert labels == drawing.count('class="grid"') > 3


def test_of_many_variants_one_is_shown_at_a_time(alices, experiment):
    new = experiment.runs.get(variant="new")
    for n in range(3):
        columns.run(experiment, f"other {n}", [np.full(SIZE, 0.5)])
    link = "?subset_variant="

    first = text_of(alices.get(f"/experiments/{experiment.pk}/{link}{new.pk}"))
    every = alices.get(f"/experiments/{experiment.pk}/{link}all").context["subsets"]
    one = alices.get(f"/experiments/{experiment.pk}/{link}{new.pk}").context["subsets"]

    assert "Variant new" in first
    assert {len(group.rows) for group in one.groups} == {1}
    assert {len(group.rows) for group in every.groups} == {4}
    assert [name for name, _, is_current in every.variants if is_current] == ["all"]


def test_the_drawing_of_a_distance_says_why_it_falls(alices, project):
    experiment = columns.experiment(project, SIZE, ["rouge_l", "levenshtein_distance"])
    noise = np.random.default_rng(7).uniform(0, 0.2, SIZE)
    for variant, less in (("old", 0), ("new", noise)):
        columns.run(experiment, variant, [np.linspace(1, 0.2, SIZE) - less, np.linspace(0, 9, SIZE)])
    of_scores, of_edits = (version.evaluator for version in experiments.versions_of(experiment))

    shown = text_of(alices.get(f"/experiments/{experiment.pk}/?agreement=open"))
    details = text_of(alices.get(f"/experiments/{experiment.pk}/?details={of_scores.pk}"))

    assert f"{of_edits.name}: lower is better, so the coefficients are of its negative" in shown
    assert "with 80 % chance, if it is the true difference" in details


def test_below_a_ranking_only_findings_are_shown_until_a_reader_chooses(alices, project):
    size = 120
    topics = [{"topic": "law" if n < 40 else f"topic {n % 4}"} for n in range(size)]
    experiment = columns.experiment(project, size, ["rouge_l"], topics)
    chance = np.random.default_rng(5)
    is_law = np.arange(size) < 40
    gain = np.where(is_law, -0.3, 0.1) + chance.normal(0, 1, size) * np.where(is_law, 0.02, 0.25)
    base = chance.uniform(0.4, 0.6, size)
    columns.run(experiment, "old", [base])
    columns.run(experiment, "new", [np.clip(base + gain, 0, 1)])
    columns.run(experiment, "third", [base + chance.normal(0, 0.01, size)])

    brief, chosen = (page(alices, experiment, query) for query in ("", "?by=topic"))

    assert "law: show only these examples" in brief
    assert "topic 1: show only these examples" not in brief
    assert re.search(r"[1-4] more of topic", brief)
    assert "topic 1: show only these examples" in chosen
