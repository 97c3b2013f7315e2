"""Evaluators are selected in one table, where the data speaks of them."""

import re
from html import unescape

import pytest

from evaluations.evaluators import evaluators
from evaluations.judges import sample as people_sample
from evaluations.kinds.evidence import Evidence
from evaluations.models import Scoring
from evaluations.scoring import scoring
from evaluations.web.forms.choices import Chooser
from evaluations.web.forms.choices import rows_of as evidence_rows
from tests import factories
from tests.pages import markup, text_of

RIGHT = [f"It is {n}." for n in range(12)]


@pytest.fixture
def run(project):
    experiment = factories.experiment(project, "exact_match", references=RIGHT)
    return factories.scored_run(experiment, [f"It was {n}." for n in range(12)])


def rows_of(page) -> dict[str, str]:
    """The rows of the table by the name of their evaluator."""
    table = markup(page).split('<table class="evidence"')[1].split("</table>")[0]
    rows = table.split("<tr")[2:]
    return {re.search(r"<span>([^<]+)</span>", row)[1]: row for row in rows}


def test_an_evaluator_is_ticked_in_the_table_and_has_no_box_once_it_scores_the_run(alices, run):
    address = f"/runs/{run.pk}/score/"
    value = re.search(r'value="([^"]+)"[^>]*>\s*<span[^>]*>\s*Contains<', markup(alices.get(address)))[1]

    assert alices.post(address, {"evaluators": [value]}).status_code == 302

    after = rows_of(alices.get(address))["Contains"]
    assert Scoring.objects.filter(run=run, evaluator_version__kind="contains").exists()
    assert "Scores this run already." in after
    assert "<input" not in after


def test_an_evaluator_has_no_box_once_its_newest_version_scores_all_runs_of_an_experiment(alices, run):
    address, primary = f"/experiments/{run.experiment_id}/evaluators/", run.experiment.primary
    box = f'value="evaluator:{primary.pk}"'

    assert box not in markup(alices.get(address))

    evaluators.change(primary, None, config={"case_sensitive": False})
    assert box in markup(alices.get(address))


def test_every_evaluator_is_offered_once(alices, run):
    page = markup(alices.get(f"/experiments/{run.experiment_id}/evaluators/"))
    values = re.findall(r'name="evaluators" value="([^"]+)"', page)

    assert len(values) == len(set(values)) > 10


def test_only_an_evaluator_that_calls_a_server_asks_for_money(alices, project, run, settings):
    factories.connection(project, settings)
    paid = factories.evaluator(project, "semantic_similarity", "Meaning", model="m")
    page = markup(alices.get(f"/runs/{run.pk}/score/"))

    marked = re.findall(r'value="([^"]+)" data-paid', page)

    assert marked == [f"evaluator:{paid.pk}"]
    assert 'class="form-row when-paid"' in page


def test_rows_are_shown_where_their_texts_differ(alices, project):
    beginning = "Thank you for your question about our shop. You can return it within"
    references = [f"{beginning} {n} days." for n in range(10, 22)]
    run = factories.scored_run(factories.experiment(project, references=references), references)

    head = text_of(markup(alices.get(f"/runs/{run.pk}/score/")).split("<thead")[1].split("</thead>")[0])

    assert "Thank you" not in head
    assert "return it within 10 days." in head


@pytest.mark.parametrize(("size", "says"), [(200, False), (201, True)])
def test_advice_says_on_how_many_of_more_rows_it_rests(alices, project, size, says):
    dataset = factories.dataset(project, [f"It is {n}." for n in range(size)])

    text = text_of(alices.get(f"/p/default/experiments/new/?dataset={dataset.pk}"))

    assert "200 of 200 references end in a number" in text
    assert ("in the first 200 rows" in text) == says


def test_titles_of_filtered_runs_and_datasets_say_the_filter(alices, run):
    evaluator = run.experiment.primary_id
    titles = [
        text_of(markup(alices.get(address)).split("<title>")[1].split("</title>")[0])
        for address in (
            f"/runs/{run.pk}/",
            f"/runs/{run.pk}/?passed[{evaluator}]=false&q=was",
            f"/datasets/{run.experiment.dataset_id}/?q=q1",
        )
    ]

    assert "·" not in titles[0].removesuffix("· Evalsite")
    assert "exact match: fail" in titles[1]
    assert "texts: was" in titles[1]
    assert "“q1”" in titles[2]


def test_repetitions_are_linked_where_a_variant_has_some(alices, run):
    link = f"/runs/{run.pk}/repetitions/"
    before = markup(alices.get(f"/runs/{run.pk}/"))
    factories.scored_run(run.experiment, RIGHT)

    assert link not in before
    assert link in markup(alices.get(f"/runs/{run.pk}/"))


@pytest.mark.slow
def test_the_button_is_filled_once_something_is_ticked(live_server, alices_page, run):
    alices_page.goto(f"{live_server.url}/runs/{run.pk}/score/")
    fill = "button => getComputedStyle(button).backgroundColor"
    button = alices_page.locator(".choosing .button-main")
    empty = button.evaluate(fill)

    alices_page.locator(".evidence input").first.check()

    assert empty == alices_page.locator(".choosing .last a.button").evaluate(fill)
    assert button.evaluate(fill) != empty


def test_what_suits_the_outputs_can_be_chosen_where_another_evaluator_scores_them(alices, project):
    labels = ["billing", "returns", "account"] * 8
    experiment = factories.experiment(project, references=labels)
    factories.scored_run(experiment, [f"This ticket is about {label}." for label in labels])

    page = markup(alices.get(f"/experiments/{experiment.pk}/evaluators/"))
    [value] = re.findall(r'name="evaluators" value="(advised:[^"]*)"', page)
    answer = alices.post(f"/experiments/{experiment.pk}/evaluators/", {"evaluators": unescape(value)})

    assert answer.status_code == 302
    assert experiment.evaluator_links.filter(evaluator_version__kind="label").exists()


def test_what_another_tab_has_done_is_said_and_leads_on(alices, run):
    """Of two tabs with "what would change", the second is confirmed after the first has scored all runs."""
    primary, address = run.experiment.primary, f"/experiments/{run.experiment_id}/"
    evaluators.change(primary, None, config={"case_sensitive": False})
    form = {"evaluators": [f"evaluator:{primary.pk}"], "previewed": "1"}

    first = alices.post(f"{address}evaluators/", form)
    while scoring.work(seconds=10):
        pass
    second = alices.post(f"{address}evaluators/", form, follow=True)

    assert first.status_code == 302
    assert second.redirect_chain == [(address, 302)]
    assert "scores this experiment already. Perhaps you started that in another tab" in text_of(second)
    assert Scoring.objects.filter(run=run).count() == 2


def test_a_run_says_what_another_tab_has_scored(alices, run):
    value = f"evaluator:{run.experiment.primary_id}"

    page = alices.post(f"/runs/{run.pk}/score/", {"evaluators": [value]}, follow=True)

    assert page.redirect_chain == [(f"/runs/{run.pk}/", 302)]
    assert "scores this run already" in text_of(page)


def test_a_choice_that_is_gone_says_so_without_its_value(alices, run):
    gone = factories.evaluator(run.project, "contains", "short-lived")
    evaluators.delete(gone)

    page = alices.post(
        f"/experiments/{run.experiment_id}/evaluators/", {"evaluators": [f"evaluator:{gone.pk}"]}
    )

    assert "This choice is no longer offered" in text_of(page)
    assert f"evaluator:{gone.pk} is not" not in markup(page)


def test_an_evaluator_with_the_settings_of_one_that_scores_everything_is_not_offered_again(alices, run):
    twin = factories.evaluator(run.project, "exact_match", "the same")

    page = alices.get(f"/experiments/{run.experiment_id}/evaluators/")

    assert f'value="evaluator:{twin.pk}"' not in markup(page)


def test_people_and_judges_are_among_what_scores_an_experiment(alices, project, alice):
    experiment = people_sample.load(project, alice)

    page = text_of(alices.get(f"/experiments/{experiment.pk}/evaluators/"))

    said = page.partition("Scored already by")[2].partition("What you add")[0]
    assert "Is the answer right? (sample) (people)" in said
    assert "Judge of answers (sample, recorded) (judge)" in said
    assert "Ask people" in page


def folded(page, heading: str) -> str:
    """What stands below the heading of a fold."""
    return markup(page).split(f"<summary>{heading}<span")[1].split("</details>")[0]


def test_an_own_evaluator_with_the_settings_of_one_that_finds_nothing_is_folded_with_it(alices, project):
    said = "they say that your parcel will arrive at noon on the last day of the week with our thanks"
    words = said.split()
    references = [" ".join([str(n), *words[n % 5 :], *words[: n % 5]]) for n in range(12)]
    outputs = [
        " ".join(["Sure:", *text.split()[1 + n % 4 :], *words[: n % 3]]) for n, text in enumerate(references)
    ]
    experiment = factories.experiment(project, "rouge_l", references=references)
    factories.scored_run(experiment, outputs)
    for name in ("First", "Second"):
        factories.evaluator(project, "exact_match", name)

    page = alices.get(f"/experiments/{experiment.pk}/evaluators/")

    nothing = folded(page, "None of these finds anything here")
    assert "<span>First</span>" in nothing
    assert "<span>Second</span>" in nothing
    assert markup(page).count("<span>Second</span>") == 1


def test_many_evaluators_stand_in_a_fold_behind_nine_those_of_a_kind_that_scores_last(project):
    like_one_that_scores = factories.evaluator(project, "levenshtein_similarity", "A little different")
    others = [factories.evaluator(project, "chrf", f"By chrf {beta}", beta=beta) for beta in range(1, 10)]
    pairs = [(f"evaluator:{one.pk}", one.name) for one in (like_one_that_scores, *others)]

    first, rest = Chooser(
        [("Of this project", pairs)], dict(pairs), kinds_here=["levenshtein_similarity"]
    ).groups()

    assert [choice.name for choice in first.choices] == [one.name for one in others]
    assert first.is_open
    assert (rest.heading, [choice.name for choice in rest.choices]) == (
        "More of these",
        ["A little different"],
    )


def test_a_long_row_is_shown_from_where_it_differs_from_its_reference():
    start = "Thank you for writing to us about the heating, which we have looked at. "
    rows = [(f"{start}We come on Monday.", f"{start}We come on Friday."), ("yes", "no"), ("No", "yes")]
    shown = evidence_rows(Evidence(rows, [], [False, False, False], ["", "", ""]))

    assert [row.output for row in shown] == ["…\N{NO-BREAK SPACE}at. We come on Monday.", "yes", "No"]
    assert shown[0].reference == "…\N{NO-BREAK SPACE}at. We come on Friday."
