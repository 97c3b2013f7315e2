"""The list of experiments: one axis for scores from 0 to 1, and what a row says of its difference."""

import re
from html import unescape

import pytest

from evaluations.comparisons import export, notes
from evaluations.comparisons.comparison import Comparison
from evaluations.experiments import experiments
from evaluations.scoring import counted
from tests import factories
from tests.pages import markup, text_of

pytestmark = pytest.mark.django_db
LIST = "/p/default/experiments/"


def row_of(page: str, name: str) -> str:
    [row] = [row for row in re.findall(r"<tr data-row.*?</tr>", page, re.DOTALL) if f">{name}<" in row]
    return row


def compared(project, name: str, kind: str, base, other, references):
    dataset = factories.dataset(project, references, name)
    experiment = experiments.create(project, None, name, dataset, [factories.evaluator(project, kind)])
    factories.scored_run(experiment, base, "base")
    factories.scored_run(experiment, other, "other")
    return experiment


def test_a_difference_on_another_scale_has_its_own_axis_beside_it(alices, project):
    texts = [f"city number {n}" for n in range(12)]
    compared(project, "edits", "levenshtein_distance", texts, [text[:-4] for text in texts], texts)
    compared(project, "alike", "levenshtein_similarity", texts, [text[:-4] for text in texts], texts)

    page = markup(alices.get(LIST))

    assert 'class="axis"' in row_of(page, "edits")
    assert 'class="axis"' not in row_of(page, "alike")
    assert "lower is better" in row_of(page, "edits")
    assert "lower is better" not in row_of(page, "alike")


def test_rows_beyond_those_of_the_front_page_leave_the_axis_as_it_is(alices, project):
    texts = [f"the city with the long name and the number {n}" for n in range(60)]
    compared(project, "older", "exact_match", texts, [text[:-1] for text in texts], texts)
    evaluator = factories.evaluator(project, "levenshtein_similarity")
    dataset = factories.dataset(project, texts, "cities")
    for n in range(8):
        experiment = experiments.create(project, None, f"newer {n}", dataset, [evaluator])
        factories.scored_run(experiment, texts, "base")
        factories.scored_run(experiment, [text[: -2 - k % 3] for k, text in enumerate(texts)], "other")

    home, whole = (
        re.findall(r"[−+]0[\d.]+(?=</text>)", markup(alices.get(address)).partition("</thead>")[0])
        for address in ("/", LIST)
    )

    assert home == whole == ["−0.10", "+0.10"]


def test_a_single_example_does_not_set_the_axis_of_the_others(alices, project):
    texts = [f"the city with the long name and the number {n}" for n in range(60)]
    cut = [text[: -2 - n % 3] for n, text in enumerate(texts)]
    compared(project, "clear", "levenshtein_similarity", texts, cut, texts)
    compared(project, "single", "exact_match", ["Paris"], ["Rome"], ["Paris"])

    [head] = re.findall(r"<thead>.*?</thead>", markup(alices.get(LIST)), re.DOTALL)

    assert re.findall(r"[−+][\d.]+", head) == ["−10", "+10", "−0.10", "+0.10"]


def test_a_single_example_says_why_it_has_no_interval(alices, project):
    compared(project, "single", "exact_match", ["Paris"], ["Rome"], ["Paris"])

    assert "n = 1, no interval" in text_of(alices.get(LIST))


def test_one_large_difference_leaves_the_other_intervals_readable(alices, project):
    texts = [f"the city with the long name and the number {n}" for n in range(60)]
    cut = [text[: -2 - n % 3] for n, text in enumerate(texts)]
    evaluator = factories.evaluator(project, "levenshtein_similarity")
    dataset = factories.dataset(project, texts)
    for name, outputs in (("first", cut), ("second", cut), ("third", cut), ("large", ["?"] * 60)):
        experiment = experiments.create(project, None, name, dataset, [evaluator])
        factories.scored_run(experiment, texts, "base")
        factories.scored_run(experiment, outputs, "other")

    page = markup(alices.get(LIST))
    [head] = re.findall(r"<thead>.*?</thead>", page, re.DOTALL)

    assert re.findall(r"[−+][\d.]+", head) == ["−0.10", "+0.10"]
    assert 'class="arrow"' in row_of(page, "large")


def test_the_figure_of_variants_that_are_tied_for_best_names_the_one_it_is_of(alices, project):
    texts = [f"city {n}" for n in range(20)]
    wrong = ["nothing like it"] * 20
    experiment = factories.experiment(project, "exact_match", references=texts)
    for name, outputs in (("base", wrong), ("one", texts), ("two", [*texts[:-1], "Rome"])):
        factories.scored_run(experiment, outputs, name)

    for address in (LIST, "/p/default/"):
        response = alices.get(address)
        assert "one and two tied for best of 3" in " ".join(text_of(response).split())
        assert re.search(
            r'<td title="Difference of one">.*<span class="unseen">of<bdi>one</bdi></span>', markup(response)
        )


def test_several_best_variants_do_not_answer_the_question_of_an_experiment(alices, project):
    texts = [f"city {n}" for n in range(20)]
    experiment = factories.experiment(project, "exact_match", references=texts)
    experiment.name = "Does one word help?"
    experiment.save()
    factories.scored_run(experiment, ["nothing like it"] * 20, "base")
    factories.scored_run(experiment, texts, "without the word")
    alone = text_of(alices.get(LIST))
    factories.scored_run(experiment, texts, "with it")

    assert "Yes: without the word better" in alone
    assert "Yes" not in text_of(alices.get(LIST))


@pytest.mark.parametrize(
    ("question", "answer"), [("Does few-shot help?", ""), ("Does a large one help?", "Yes:")]
)
def test_of_several_variants_a_question_is_answered_only_if_it_names_the_best(
    alices, project, question, answer
):
    texts = [f"city {n}" for n in range(40)]
    experiment = factories.experiment(project, "exact_match", references=texts)
    experiment.name = question
    experiment.save()
    for name, right in (("small", 0), ("fewshot", 15), ("large", 40)):
        factories.scored_run(experiment, [*texts[:right], *["nothing like it"] * (40 - right)], name)

    shown = " ".join(text_of(alices.get(LIST)).split())

    assert f"{answer} large best of 3".strip() in shown
    assert ("Yes" in shown) == bool(answer)


def test_a_comparison_of_some_variants_says_that_the_experiment_has_more(alices, project):
    experiment = factories.experiment(project, references=["Paris"] * 8)
    runs = [factories.scored_run(experiment, [text] * 8, text) for text in ("Paris", "Rome", "Oslo")]

    some, every = (
        text_of(alices.get("/compare/", {"runs": [run.pk for run in chosen]})) for chosen in (runs[:2], runs)
    )

    said = f"The verdict that counts is that among all 3 variants of {experiment.name}"
    assert said in " ".join(some.split())
    assert "verdict that counts" not in every


def test_a_comparison_of_some_variants_says_whose_verdict_counts_wherever_it_is_read(project):
    """On the command line, in reports and in workbooks too; whether a lead is confirmed is said among all."""
    experiment = factories.experiment(project, references=["Paris"] * 12)
    runs = [factories.scored_run(experiment, [text] * 12, text) for text in ("Rome", "Oslo", "Paris")]
    for run in runs[1:]:
        counted.count(run)
    some, every = (Comparison(chosen, chosen[0], is_chosen=True) for chosen in (runs[::2], runs))

    assert notes.remarks(some).startswith("The verdict that counts is that among all 3 variants of ")
    assert "Paris is best of 3 on exact match" in notes.remarks(some)
    assert "onfirmed" not in notes.remarks(some)
    assert "verdict that counts" not in notes.remarks(every)
    assert "verdict that counts" in str(export.summary(some))


def test_a_workbook_lists_the_variants_of_each_evaluator_best_first(project):
    experiment = factories.experiment(project, references=["Paris"] * 12)
    experiments.add_evaluators(experiment, [factories.evaluator(project, "levenshtein_similarity")])
    outputs = {"base": ["x"] * 12, "worse": ["Paris"] * 4 + ["x"] * 8, "best": ["Paris"] * 12}
    runs = [factories.scored_run(experiment, texts, name) for name, texts in outputs.items()]

    sheet = export.summary(Comparison(runs, runs[0]))

    head = sheet.index([*export.SUMMARY.values()])
    variants = [row[1] for row in sheet[head + 1 :] if len(row) > 1 and row[3] == "base"]
    assert variants[:4] == ["best", "worse"] * 2


def test_a_filtered_list_says_how_many_there_are(alices, project):
    dataset = factories.dataset(project)
    evaluators = [factories.evaluator(project)]
    for number in range(23):
        experiments.create(project, None, f"Is {number} better?", dataset, evaluators)

    def said(query: str) -> list[str]:
        page = markup(alices.get(f"{LIST}{query}"))
        return list(
            map(text_of, re.findall(r'<span class="count" role="status">.*?</span>', page, re.DOTALL))
        )

    assert said("") == []
    assert said("?q=better") == ["23 experiments"]
    assert said("?q=22") == ["1 experiment"]
    assert said("?state=going") == ["0 experiments"]


def test_a_saved_view_and_a_link_keep_the_pair_when_another_variant_comes(alices, project):
    experiment = factories.experiment(project, references=[f"city {n}" for n in range(8)])
    for name in ("base", "other"):
        factories.scored_run(experiment, ["city 1"] * 8, name)
    page = f"/experiments/{experiment.pk}/"
    [path] = re.findall(r'name="path" value="([^"]*)"', markup(alices.get(f"{page}?show=tied")))
    factories.scored_run(experiment, [f"city {n}" for n in range(8)], "third")

    assert [run.variant for run in alices.get(unescape(path)).context["pair"]] == ["other", "base"]
