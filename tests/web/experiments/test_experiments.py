"""The page of an experiment: variants side by side, and the examples with the largest regressions first."""

import re
from datetime import timedelta
from html import unescape

import numpy as np
import pytest
from django.urls import reverse
from django.utils import timezone

from evaluations.datasets import datasets
from evaluations.evaluators import evaluators
from evaluations.experiments import about, experiments, runs
from evaluations.models import Chunk, Dataset, Evaluator, Experiment, Job, Run
from evaluations.scoring import scoring
from tests import factories
from tests.comparisons import columns
from tests.pages import markup, text_of

pytestmark = pytest.mark.django_db
REFERENCES = ("Paris", "Rome", "Oslo", "Bern", "Lima", "Kiev")
MOST_QUERIES = 20
# Clusters, splits, lengths, measures, missing outputs, launches and answers that need a reading step are queried once.
FIRST_QUERIES = 31


@pytest.fixture
def experiment(project) -> Experiment:
    """The baseline fails only Rome; terse is worse on three, better on one, and lacks the last output."""
    new_experiment = factories.experiment(
        project, "levenshtein_similarity", "levenshtein_distance", references=REFERENCES
    )
    factories.scored_run(new_experiment, ("Paris", "Lyon", "Oslo", "Bern", "Lima", "Kiev"), "base")
    factories.scored_run(new_experiment, ("Par", "Rome", "Osla", "XXXX", "Lima", None), "terse")
    return new_experiment


@pytest.fixture
def get_page(client, alice, experiment):
    client.force_login(alice)

    def get(query: str = "", **headers: str) -> str:
        answer = client.get(f"/experiments/{experiment.pk}/{query}", headers=headers)
        assert answer.status_code == 200
        return markup(answer)

    return get


def keys(html: str) -> list[str]:
    return re.findall(r'<a class="id"[^>]*>([^<]+)</a>', html)


def run_of(experiment: Experiment, variant: str) -> Run:
    return experiment.runs.get(variant=variant)


def test_the_sentence_names_the_variant_and_the_verdict(get_page):
    words = text_of(get_page())

    assert "No clear difference between terse and base" in words


def test_a_cell_shows_mean_change_and_outcomes(get_page):
    words = text_of(get_page())

    # (1 + 0 + 1 + 1 + 1 + 1) / 6; (0.6 + 1 + 0.75 + 0 + 1 + 0) / 6, the last 0 for the missing output.
    assert "0.833 0.558 −0.275 no clear difference" in words
    assert "1 better 4 worse 1 tied" in words


def test_a_variant_without_a_verdict_is_labelled_no_verdict(get_page, experiment):
    """None of its outputs has a score, so there is no difference to test."""
    factories.scored_run(experiment, (None,) * len(REFERENCES), "mute")

    row, *_ = [text_of(row) for row in re.findall(r"<tr.*?</tr>", get_page()) if 'title="mute"' in row]

    assert "no verdict" in row
    assert "no clear difference" not in row


@pytest.mark.parametrize(
    ("query", "expected_keys"),
    [
        ("?show=worse&order=position", ["k1", "k3", "k4", "k6"]),
        ("?show=worse&missing=exclude&order=position", ["k1", "k3", "k4"]),
        ("?only=1&order=position", ["k1", "k2", "k3", "k4", "k6"]),
        ("?q=XXXX", ["k4"]),
        ("?show=worse&q=XXXX", ["k4"]),
    ],
)
def test_a_filtered_list_can_be_downloaded_with_all_variants(client, get_page, query, expected_keys):
    content = client.get(_download_of(get_page(query), "JSON Lines</a>")).getvalue().decode()

    assert re.findall(r'"key":"(k\d)"', content) == expected_keys


@pytest.mark.parametrize(
    ("query", "expected_keys"),
    [
        ("", ["k4", "k6", "k1", "k3", "k5", "k2"]),
        ("?order=gain", ["k2", "k5", "k3", "k1", "k4", "k6"]),
        ("?order=position", ["k1", "k2", "k3", "k4", "k5", "k6"]),
    ],
)
def test_the_file_of_a_list_has_its_order(client, get_page, query, expected_keys):
    html = get_page(query)
    content = client.get(_download_of(html, "JSON Lines</a>")).getvalue().decode()

    assert keys(html) == expected_keys
    assert re.findall(r'"key":"(k\d)"', content) == expected_keys


def test_the_menus_file_of_all_variants_ignores_the_filter_of_the_list(client, get_page):
    """Only the list is swapped, so a filter in the menu would be outdated."""
    content = client.get(_download_of(get_page("?show=worse"), "All variants")).getvalue().decode()

    assert re.findall(r'"key":"(k\d)"', content) == ["k1", "k2", "k3", "k4", "k5", "k6"]


def _download_of(html: str, words: str) -> str:
    [address] = re.findall(rf'href="(/experiments/[^"]*/export/[^"]*format=jsonl[^"]*)"[^>]*>{words}', html)
    return unescape(address)


def test_heads_show_the_versions_of_their_evaluators(client, alice, project):
    exact, edits = (factories.evaluator(project, kind) for kind in ("exact_match", "levenshtein_distance"))
    evaluators.change(edits, None, config={"threshold": 1})
    new_experiment = experiments.create(project, None, "versions", factories.dataset(project), [exact, edits])
    for variant in ("base", "v2", "v3"):
        factories.scored_run(new_experiment, variant=variant)
    client.force_login(alice)
    address = f"/experiments/{new_experiment.pk}/"
    runs_of = new_experiment.runs.values_list("pk", flat=True)

    ranking = text_of(markup(client.get(address)))
    duel = text_of(markup(client.get(f"/compare/?runs={runs_of[0]}&runs={runs_of[1]}")))

    assert ("primary, v1" in ranking, "v2, lower is better" in ranking) == (True, True)
    assert ("primary, v1" in duel, "levenshtein distance v2" in duel) == (True, True)


def test_the_biggest_drop_comes_first(get_page):
    assert keys(get_page()) == ["k4", "k6", "k1", "k3", "k5", "k2"]
    assert keys(get_page("?order=gain"))[0] == "k2"
    assert keys(get_page("?order=position")) == ["k1", "k2", "k3", "k4", "k5", "k6"]


def test_the_scores_of_the_variant_order_the_examples_and_the_head_offers_that(get_page):
    html = get_page()

    assert "worst score of terse first" in html.partition('<div class="menu menu-end" id="examples-order"')[2]
    assert keys(get_page("?order=worst")) == ["k4", "k6", "k1", "k3", "k2", "k5"]
    assert keys(get_page("?order=best")) == ["k2", "k5", "k3", "k1", "k4", "k6"]


@pytest.mark.parametrize(
    ("query", "expected_keys"),
    [
        ("?show=worse", ["k4", "k6", "k1", "k3"]),
        ("?show=worse&missing=exclude", ["k4", "k1", "k3"]),
        ("?show=better", ["k2"]),
        ("?show=same", ["k5"]),
        ("?show=missing", ["k6"]),
        ("?show=missing&missing=exclude", ["k6"]),
        ("?only=1", ["k4", "k6", "k1", "k3", "k2"]),
        ("?q=XXXX", ["k4"]),
        ("?show=nonsense&order=1&evaluator=9999&variant=9999&diff=x", ["k4", "k6", "k1", "k3", "k5", "k2"]),
    ],
)
def test_examples_are_filtered_by_the_address(get_page, query, expected_keys):
    assert keys(get_page(query)) == expected_keys


def test_the_number_of_losses_leads_to_them(get_page, client):
    address = unescape(re.search(r'class="worse" href="([^"]+)"', get_page())[1])

    answer = client.get(address.partition("#")[0])

    assert keys(markup(answer)) == ["k4", "k6", "k1", "k3"]


def test_outputs_are_set_against_the_baseline_the_reference_or_nothing(get_page):
    assert '<ins><span class="unseen" dir="ltr">[inserted:</span>XXXX' in get_page()
    assert "<del>" in get_page("?diff=expected&show=better")
    assert "<del>" not in get_page("?diff=off")


def test_case_and_white_space_can_be_ignored(client, alice, project):
    new_experiment = factories.experiment(project)
    factories.scored_run(new_experiment, ("Paris", "Rome", "Oslo"), "base")
    factories.scored_run(new_experiment, ("paris", "Rome ", "Oslo"), "lower")
    client.force_login(alice)

    exact = markup(client.get(f"/experiments/{new_experiment.pk}/"))
    ignoring = markup(client.get(f"/experiments/{new_experiment.pk}/?case=1&space=1"))

    assert "<ins>" in exact
    assert "<ins>" not in ignoring


def test_an_open_example_shows_every_score(get_page):
    html = get_page("?open=4")

    assert html.count('class="all-scores') == 2
    assert "?row=4&amp;evaluator=" in html


def test_the_details_show_pairs_interval_and_power(get_page):
    html = get_page(f"?details={evaluator_of(get_page)}&x=0.1")
    words = text_of(html)

    for word in ("Pairs 6", "counted as worst 1", "95 % interval", "Needed for +0.100"):
        assert word in words
    assert "baseline score only" not in words  # every example has both scores or none
    assert 'class="scatter"' in html


def test_the_link_to_the_details_takes_the_focus_to_their_heading(get_page):
    html = get_page()
    link = re.search(r'href="([^"]*details=\d+[^"]*)"', html)[1]

    assert link.endswith("#statistics")
    heading = re.search(r'<h2[^>]*id="statistics"[^>]*>', get_page(f"?details={evaluator_of(get_page)}"))[0]
    assert 'tabindex="-1"' in heading


def test_a_later_page_of_examples_says_in_its_title_which_it_shows(get_page, monkeypatch):
    monkeypatch.setattr("evaluations.web.comparisons.examples.SIZE", 2)
    first = get_page()
    following = unescape(re.search(r'href="([^"]+)" rel="next"', first)[1])

    second = get_page(following[following.index("?") :])

    assert "3 to 4" in re.search(r"<title>(.*?)</title>", second, re.DOTALL)[1]
    assert "1 to 2" not in re.search(r"<title>(.*?)</title>", first, re.DOTALL)[1]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("order=gain", "biggest gain first"),
        ("order=worst", "worst score first"),
        ("order=position", "as in the file"),
        ("diff=expected", "difference to reference"),
        ("diff=off", "no difference shown"),
        ("only=yes", "differences only"),
        ("least=0.25", "apart by 0.25"),
    ],
)
def test_the_title_says_how_the_examples_are_ordered_and_compared(get_page, query, words):
    plain, chosen = (
        re.search(r"<title>(.*?)</title>", get_page(address), re.DOTALL)[1] for address in ("", f"?{query}")
    )

    assert words not in plain
    assert words in chosen


def test_the_pair_that_is_chosen_of_several_variants_is_in_the_title(alices, project):
    experiment = factories.experiment(project)
    runs = [factories.scored_run(experiment, ("Paris", "x", "x"), name) for name in ("old", "new", "third")]

    def title(address: str) -> str:
        html = alices.get(address).content.decode()
        return " ".join(re.search(r"<title>(.*?)</title>", html, re.DOTALL)[1].split())

    address = f"/experiments/{experiment.pk}/"
    assert "against" not in title(address)
    assert "third against old" in title(f"{address}?variant={runs[2].pk}&with={runs[0].pk}")
    assert title(f"/compare/?runs={runs[0].pk},{runs[1].pk}").startswith("new against old"), (
        "as its heading says"
    )


def evaluator_of(get_page) -> str:
    return re.search(r"details=(\d+)", get_page())[1]


def test_a_square_of_the_scatter_leads_to_its_examples(get_page, experiment):
    evaluator = experiments.versions_of(experiment)[0].evaluator_id
    html = unescape(get_page(f"?details={evaluator}"))

    # Similarities of terse in squares of a tenth: Par 0.6, Rome 1 (base 0.25 or less), XXXX 0, Osla 0.75, Lima 1.
    variant = run_of(experiment, "terse").pk
    query = f"?evaluator={evaluator}&variant={variant}&square=9-7"
    assert "square=9-7" in html
    assert keys(get_page(query)) == ["k3"]
    assert "0.9 to 1, 0.7 to 0.8" in text_of(get_page(query))
    assert "· 0.9 to 1, 0.7 to 0.8" in get_page(query).partition("</title>")[0]


def test_the_page_says_how_missing_outputs_are_treated(get_page):
    assert "Unanswered examples count as" in text_of(get_page())
    assert "Unanswered examples are excluded." in text_of(get_page("?missing=exclude"))


def test_htmx_swaps_the_whole_section_of_variants(get_page):
    page, part = get_page(), get_page(HX_Request="true", HX_Target="variants")

    target = re.search(r'<(\w+)[^>]*id="variants"', page)
    assert target[1] == "section"
    assert part.lstrip().startswith(target[0])


def test_htmx_gets_the_examples_alone(get_page):
    part = get_page("?show=worse", HX_Request="true", HX_Target="examples")

    assert keys(part) == ["k4", "k6", "k1", "k3"]
    assert "<html" not in part


def test_the_link_to_copy_follows_filters_and_names_the_baseline(get_page, experiment):
    part = get_page("?show=worse", HX_Request="true", HX_Target="examples")

    baseline = experiment.runs.get(variant="base").pk
    pair = rf"baseline={baseline}&amp;variant=\d+&amp;with={baseline}"
    link = rf'id="view-link" hx-swap-oob="true">\s*<button[^>]*data-copy="[^"]*\?show=worse&amp;{pair}"'
    assert re.search(link, part)


def test_an_experiment_without_scores_has_no_link_to_copy(client, alice, project):
    client.force_login(alice)

    html = markup(client.get(f"/experiments/{factories.experiment(project).pk}/"))

    assert "Copy a link to this view" not in html


def test_the_page_polls_while_a_run_goes_on(get_page, experiment):
    Run.objects.filter(experiment=experiment, variant="terse").update(status=Run.Status.RUNNING)

    html = get_page()

    assert 'hx-trigger="every 1s"' in html
    assert "Figures are preliminary" in text_of(html)

    Run.objects.filter(experiment=experiment).update(queued_at=timezone.now() - timedelta(minutes=2))
    assert 'hx-trigger="every 2s"' in get_page()


def test_the_page_says_how_fast_outputs_are_scored_and_can_cancel(get_page, experiment):
    run = experiment.runs.get(variant="terse")
    begun = timezone.now() - timedelta(seconds=20)
    Run.objects.filter(pk=run.pk).update(status=Run.Status.RUNNING, queued_at=begun, started_at=begun)
    Job.objects.filter(run=run).update(state=Job.State.OPEN, total=1_000, done=0, created_at=begun)
    for job in Job.objects.filter(run=run):
        Chunk.objects.create(job=job, first=1, last=100, total=100, state=Chunk.State.DONE)

    html = get_page()

    assert re.search(r"[45]\.\d outputs per second, about \d+ \w+ left", text_of(html))
    assert f'action="/runs/{run.pk}/cancel/"' in html


@pytest.mark.parametrize(("query", "searches"), [("", 0), ("?open=4&q=a&only=1&details=1", 2)])
def test_a_page_takes_few_queries(client, alice, experiment, query, searches, django_assert_max_num_queries):
    for variant in ("v3", "v4", "v5"):
        factories.scored_run(experiment, REFERENCES, variant)
    client.force_login(alice)
    client.get(f"/experiments/{experiment.pk}/")

    with django_assert_max_num_queries(MOST_QUERIES + searches):
        client.get(f"/experiments/{experiment.pk}/{query}")


def test_the_first_request_with_many_evaluators_takes_few_queries(
    client, alice, project, django_assert_max_num_queries
):
    kinds = (
        "exact_match",
        "contains",
        "levenshtein_similarity",
        "levenshtein_distance",
        "jaro_winkler",
        "chrf",
    )
    new_experiment = factories.experiment(project, *kinds)
    for variant in ("base", "terse", "long"):
        factories.scored_run(new_experiment, variant=variant)
    client.force_login(alice)

    with django_assert_max_num_queries(FIRST_QUERIES):
        client.get(f"/experiments/{new_experiment.pk}/")


# ---- states ----


def test_without_runs_the_page_says_how_to_add_one(client, alice, project):
    new_experiment = factories.experiment(project)
    client.force_login(alice)

    html = markup(client.get(f"/experiments/{new_experiment.pk}/"))

    assert "Add a variant" in html
    assert reverse("variant-create", args=[new_experiment.pk]) in html
    assert f"experiment={new_experiment.pk}" in html


def test_outputs_without_evaluators_are_scored_by_one_button(client, alice, project):
    new_experiment = experiments.create(project, None, "bare", factories.dataset(project))
    run = factories.run(new_experiment)
    client.force_login(alice)

    html = markup(client.get(f"/experiments/{new_experiment.pk}/"))
    client.post(
        f"/experiments/{new_experiment.pk}/evaluators/", {"evaluators": ["preset:2signal_levenshtein"]}
    )

    assert 'value="preset:2signal_levenshtein"' in html
    run.refresh_from_db()
    assert run.status == Run.Status.QUEUED


@pytest.mark.parametrize("address", ["/experiments/{experiment}/evaluators/", "/runs/{run}/score/"])
def test_evaluators_to_add_stand_under_headings_beside_kinds_that_need_settings(
    client, alice, project, address
):
    scored = factories.experiment(project, "levenshtein_similarity")
    run = factories.scored_run(scored)
    client.force_login(alice)

    html = markup(client.get(address.format(experiment=scored.pk, run=run.pk)))

    assert "<summary>Other evaluators, with their default settings" in html
    assert "?kind=regex_match" in html
    assert 'name="primary"' not in html


def test_one_run_is_shown_without_a_comparison(client, alice, project):
    new_experiment = factories.experiment(project, "levenshtein_similarity")
    factories.scored_run(new_experiment, ("Paris", "xxxx", "Osla"))
    client.force_login(alice)

    html = markup(client.get(f"/experiments/{new_experiment.pk}/"))

    assert 'class="verdict"' not in html
    assert keys(html) == ["k2", "k3", "k1"]


# ---- doing ----


def variant_of(html):
    """The variant that a table of two compares with the baseline."""
    return re.search(r'<th[^>]* data-variant="([^"]+)"', html)[1]


def test_the_default_baseline_is_the_same_for_everybody(client, alice, bob, experiment):
    client.force_login(alice)
    client.post(f"/experiments/{experiment.pk}/baseline/", {"variant": "terse"})

    client.force_login(bob)
    html = markup(client.get(f"/experiments/{experiment.pk}/"))

    assert variant_of(html) == "base"


def test_an_experiment_moves_to_the_newest_dataset_version(client, alice, experiment):
    datasets.remove(experiment.dataset, alice, 6)
    client.force_login(alice)

    client.post(f"/experiments/{experiment.pk}/dataset/")

    while scoring.work(10):
        pass
    html = markup(client.get(f"/experiments/{experiment.pk}/"))
    experiment.refresh_from_db()
    assert experiment.dataset_version == 2
    assert "k6" not in keys(html)
    assert "left out" not in html


def test_what_was_found_on_the_version_before_stands_beside_what_is_found_now(client, alice, project):
    experiment = factories.experiment(project, "exact_match")
    factories.scored_run(experiment, ["Paris", "Rome", "Bergen"], "short")
    factories.scored_run(experiment, ["Paris", "?", "?"], "long")
    datasets.edit(experiment.dataset, alice, 3, {"reference": {"answer": "Bergen"}})
    client.force_login(alice)
    client.post(f"/experiments/{experiment.pk}/dataset/")
    copied_and_scored()

    page = text_of(client.get(f"/experiments/{experiment.pk}/"))
    assert re.search(r"100.0.%", page)
    assert re.search(r"On v1, by [^:]+: short 66.7.% , long 33.3.% Back to v1", page)

    client.post(f"/experiments/{experiment.pk}/dataset/", {"version": "1"})
    copied_and_scored()
    assert re.search(
        r"On v2, by [^:]+: short 100.0.% , long 33.3", text_of(client.get(f"/experiments/{experiment.pk}/"))
    )


def copied_and_scored() -> None:
    factories.copy_outputs()
    while scoring.work(10):
        pass


def test_moving_waits_for_runs_that_go_on(client, alice, experiment):
    datasets.remove(experiment.dataset, alice, 6)
    factories.run(experiment, variant="new")
    client.force_login(alice)

    answer = client.post(f"/experiments/{experiment.pk}/dataset/")

    assert answer.status_code == 409
    experiment.refresh_from_db()
    assert experiment.dataset_version == 1


@pytest.fixture
def edited(experiment) -> Evaluator:
    """The first evaluator with a second version, for which "Par" is further from "Paris"."""
    similar = experiments.versions_of(experiment)[0].evaluator
    return evaluators.change(similar, None, config={"case_sensitive": True})


def test_a_newer_version_is_previewed_before_it_is_applied(client, alice, experiment, edited):
    client.force_login(alice)
    page = f"/experiments/{experiment.pk}/preview/?evaluators={edited.pk}"
    ticked = {"evaluators": f"evaluator:{edited.pk}"}

    assert f'href="{page}"' in markup(client.get(f"/experiments/{experiment.pk}/"))
    answer = client.post(f"/experiments/{experiment.pk}/evaluators/", ticked)

    assert answer.url == page
    assert not Job.objects.filter(run__experiment=experiment, state="open").exists()
    words = text_of(markup(client.get(page)))
    assert "The ranking" in words


@pytest.mark.parametrize("is_primary", [True, False])
def test_a_newer_version_is_offered_among_three_variants(client, alice, experiment, edited, is_primary):
    factories.scored_run(experiment, variant="a third")
    if not is_primary:
        other = next(
            version.evaluator
            for version in experiments.versions_of(experiment)
            if version.evaluator != edited
        )
        experiments.set_primary(experiment, other)
    client.force_login(alice)

    page = markup(client.get(f"/experiments/{experiment.pk}/"))

    assert f'href="/experiments/{experiment.pk}/preview/?evaluators={edited.pk}"' in page


def test_a_confirmed_preview_scores_the_runs(client, alice, experiment, edited):
    client.force_login(alice)
    ticked = {"evaluators": f"evaluator:{edited.pk}", "previewed": "1"}

    client.post(f"/experiments/{experiment.pk}/evaluators/", ticked)

    assert Job.objects.filter(run__experiment=experiment, state="open").count() == 2


def test_runs_are_aligned_by_one_click_where_one_of_them_has_the_version(client, alice, experiment, edited):
    client.force_login(alice)
    runs.add_scorings(run_of(experiment, "base"), [edited])
    while scoring.work(5):
        pass

    client.post(f"/experiments/{experiment.pk}/evaluators/", {"evaluators": f"evaluator:{edited.pk}"})

    assert Job.objects.filter(run=run_of(experiment, "terse"), state="open").exists()


def test_the_editor_leads_to_the_preview(client, alice, experiment, edited):
    client.force_login(alice)

    html = markup(client.get(f"/evaluators/{edited.pk}/"))

    assert f'href="/experiments/{experiment.pk}/preview/?evaluators={edited.pk}"' in html


def test_without_a_newer_version_there_is_nothing_to_preview(client, alice, experiment):
    client.force_login(alice)

    answer = client.get(f"/experiments/{experiment.pk}/preview/")

    assert 'class="finish"' not in markup(answer)


def test_an_experiment_is_renamed(client, alice, experiment):
    client.force_login(alice)

    client.post(f"/experiments/{experiment.pk}/rename/", {"name": "Is terse good enough?"})

    experiment.refresh_from_db()
    assert experiment.name == "Is terse good enough?"


def test_a_deleted_experiment_is_gone_until_undo(client, alice, experiment):
    client.force_login(alice)

    client.post(f"/experiments/{experiment.pk}/delete/")

    assert client.get(f"/experiments/{experiment.pk}/").status_code == 404
    client.post(f"/experiments/{experiment.pk}/restore/")
    assert client.get(f"/experiments/{experiment.pk}/").status_code == 200


def test_an_experiment_is_made_with_evaluators(client, alice, project):
    dataset = factories.dataset(project)
    client.force_login(alice)

    answer = client.post(
        "/p/default/experiments/new/",
        {"name": "Which?", "dataset": dataset.pk, "evaluators": ["preset:2signal_levenshtein"]},
    )

    new_experiment = Experiment.objects.get(name="Which?")
    assert answer["Location"] == f"/experiments/{new_experiment.pk}/"
    assert [str(version) for version in experiments.versions_of(new_experiment)] == [
        "Levenshtein similarity v1"
    ]


def test_a_taken_name_is_refused_beside_its_field(client, alice, experiment):
    client.force_login(alice)
    form = {"name": experiment.name, "dataset": experiment.dataset_id}

    answer = client.post("/p/default/experiments/new/", form)

    assert answer.status_code == 409
    assert "already exists" in text_of(markup(answer))


# ---- any runs ----


def test_an_address_with_one_run_says_that_nothing_is_compared(client, alice, experiment):
    base = run_of(experiment, "base")
    client.force_login(alice)

    html = markup(client.get(f"/compare/?runs={base.pk},{base.pk}"))

    assert "This address names one run, so there is nothing to compare it with." in text_of(html)


def test_an_address_says_which_of_its_runs_was_not_understood(client, alice, experiment):
    base, terse = run_of(experiment, "base"), run_of(experiment, "terse")
    client.force_login(alice)

    html = markup(client.get(f"/compare/?runs={base.pk},{terse.pk},x"))

    assert "“runs=x” of this address was not understood and is left out." in text_of(html)


def test_the_address_says_which_runs_are_compared(client, alice, experiment):
    base, terse = run_of(experiment, "base"), run_of(experiment, "terse")
    client.force_login(alice)

    html = markup(client.get(f"/compare/?runs={base.pk},{terse.pk}&baseline={terse.pk}"))

    assert variant_of(html) == "base"
    assert f'name="runs" value="{base.pk},{terse.pk}"' in html


def test_two_runs_of_one_variant_have_different_labels(client, alice, experiment):
    first = run_of(experiment, "terse")
    second = factories.scored_run(experiment, REFERENCES, "terse")
    client.force_login(alice)

    words = text_of(markup(client.get(f"/compare/?runs={first.pk}&runs={second.pk}")))

    assert f"between terse, run {second.pk} and terse, run {first.pk}" in words


def test_repeated_runs_are_averaged_when_asked(get_page, experiment):
    factories.scored_run(experiment, ("Paris", "Rome", "Oslo", "Bern", "Lima", "Kiev"), "terse")

    assert "repeats=mean" in get_page()
    html = get_page("?repeats=mean")

    assert "mean of 2 runs" in text_of(html)
    assert "newest of 2, mean score" in text_of(html)
    assert "repeats=mean&amp;evaluator=" in html or "repeats=mean&evaluator=" in html
    assert "mean of 2 runs" not in text_of(get_page())


def test_variants_of_one_name_are_distinguished_by_their_facts(get_page, experiment):
    outputs = ("Paris", "Rome", "Oslo", "Bern", "Lima", "Kiev")
    repeats = [factories.scored_run(experiment, outputs, "terse") for _ in range(2)]
    for run in repeats:
        about.describe(run, {"model": "small"})

    html = text_of(get_page("?repeats=mean"))

    assert f"terse, run {repeats[1].pk} small mean of 2 runs" in html
    assert f"terse, run {repeats[1].pk} newest of 2, mean score" in html
    assert html.count("mean of 2 runs") == 1


def test_too_few_clusters_are_said_beside_the_clusters_alone(client, alice, project):
    scores = np.linspace(0.1, 0.9, 40)
    experiment = columns.experiment(
        project, 40, ["levenshtein_similarity"], [{"group": n // 10} for n in range(40)]
    )
    columns.run(experiment, "base", [scores])
    columns.run(experiment, "other", [scores[::-1]])
    client.force_login(alice)

    response = client.get(f"/experiments/{experiment.pk}/?cluster=group")

    assert response.context["comparison"].figures.clusters.is_few
    assert response.context["warnings"] == []
    assert "fewer than 10 values" in text_of(markup(response))


def test_without_repeats_there_is_nothing_to_average(get_page):
    assert "repeats=mean" not in get_page()


def test_compared_runs_are_aligned_by_one_click(client, alice, dana, experiment, edited):
    base, terse = run_of(experiment, "base"), run_of(experiment, "terse")
    runs.add_scorings(base, [edited])
    while scoring.work(5):
        pass
    address = f"?runs={base.pk},{terse.pk}"
    client.force_login(dana)
    assert client.post(f"/compare/align/{address}").status_code == 403
    client.force_login(alice)
    assert "/compare/align/" in markup(client.get(f"/compare/{address}"))

    client.post(f"/compare/align/{address}")

    assert Job.objects.filter(run=terse, state="open").exists()
    assert not Job.objects.filter(run=base, state="open").exists()


def test_runs_of_two_datasets_are_compared_and_the_page_says_how(client, alice, project, experiment):
    rows = [
        {"key": f"k{n}", "inputs": {"question": f"q{n}"}, "reference": {"answer": REFERENCES[n - 1]}}
        for n in (4, 3)
    ]
    dataset = datasets.create(project, None, "again", rows)
    chosen = [version.evaluator for version in experiment.evaluator_versions.all()]
    again = factories.scored_run(
        experiments.create(project, None, "again", dataset, chosen), ("Bonn", "Oslo"), "again"
    )
    client.force_login(alice)

    html = markup(client.get(f"/compare/?runs={run_of(experiment, 'base').pk},{again.pk}&open=4"))

    assert "2 by key and 0 by contents match examples of the other" in text_of(html)
    assert f"/runs/{again.pk}/?row=1&" in html  # k4 stands first in the other dataset.


@pytest.mark.parametrize(("query", "status"), [("", 400), ("?runs=x", 400), ("?runs=99999", 404)])
def test_an_address_without_such_runs_is_refused(client, alice, query, status):
    client.force_login(alice)

    assert client.get(f"/compare/{query}").status_code == status


# ---- for everyone ----


def test_one_click_lets_another_evaluator_decide_and_another_undoes_it(client, alice, experiment):
    first, second = (version.evaluator for version in experiments.versions_of(experiment))
    client.force_login(alice)

    response = client.post(f"/experiments/{experiment.pk}/primary/", {"evaluator": second.pk}, follow=True)
    experiment.refresh_from_db()
    assert experiment.primary == second

    client.post(undo_in(response))
    experiment.refresh_from_db()
    assert experiment.primary == first


def test_the_default_baseline_is_changed_and_undone(client, alice, experiment):
    client.force_login(alice)

    response = client.post(f"/experiments/{experiment.pk}/baseline/", {"variant": "terse"}, follow=True)
    experiment.refresh_from_db()
    assert experiment.baseline == "terse"

    client.post(undo_in(response))
    experiment.refresh_from_db()
    assert experiment.baseline == "base"


def test_the_address_names_the_baseline_of_a_view(get_page, experiment):
    terse = run_of(experiment, "terse")

    assert "between base and terse" in text_of(get_page(f"?baseline={terse.pk}"))
    assert "is not compared here" not in text_of(get_page(f"?baseline={terse.pk}"))
    html = text_of(get_page("?baseline=99999"))
    assert "between terse and base" in html
    assert "Run 99999, the baseline in this address, is not compared here: the baseline is base." in html
    experiment.refresh_from_db()
    assert experiment.baseline == ""


def undo_in(page) -> str:
    return unescape(re.search(r'<form class="undo" method="post" action="([^"]+)"', markup(page))[1])


@pytest.mark.parametrize("form", [{}, {"evaluator": "x"}, {"evaluator": "99999"}])
def test_only_an_evaluator_of_the_experiment_can_decide(client, alice, experiment, form):
    client.force_login(alice)

    assert client.post(f"/experiments/{experiment.pk}/primary/", form).status_code == 404


def test_a_margin_is_set_for_everybody_with_the_statistics_and_undone(client, alice, experiment):
    evaluator, address = experiment.primary, f"/experiments/{experiment.pk}/margin/"
    client.force_login(alice)

    page = client.post(
        address,
        {
            "evaluator": evaluator.pk,
            "margin": "0.9",
            "next": f"/experiments/{experiment.pk}/?details={evaluator.pk}",
        },
        follow=True,
    )

    experiment.refresh_from_db()
    assert experiment.margins == {str(evaluator.pk): 0.9}
    assert 'name="margin" type="number" step="any" inputmode="decimal" value="0.9"' in " ".join(
        markup(page).split()
    )
    client.post(undo_in(page))
    experiment.refresh_from_db()
    assert experiment.margins == {}


def test_a_tie_tolerance_is_set_for_everybody_and_decides_what_is_tied(client, alice, project):
    experiment = factories.experiment(project, "levenshtein_similarity", references=("Paris", "London"))
    factories.scored_run(experiment, ["Paris", "London"], "base")
    factories.scored_run(experiment, ["Paris", "Londom"], "new")
    evaluator, page = experiment.primary, f"/experiments/{experiment.pk}/"
    client.force_login(alice)
    assert "Tied 1" in " ".join(text_of(client.get(page)).split())

    sent = {"evaluator": evaluator.pk, "tie": "0.2", "next": f"{page}?details={evaluator.pk}"}
    after = client.post(f"{page}margin/", sent, follow=True)

    experiment.refresh_from_db()
    assert experiment.ties == {str(evaluator.pk): 0.2}
    assert "Tied 2" in " ".join(text_of(after).split())
    client.post(undo_in(after))
    experiment.refresh_from_db()
    assert experiment.ties == {}


@pytest.mark.parametrize("tie", ["-0.1", "nan", "1e13", "much"])
def test_a_tie_tolerance_below_zero_is_refused_and_changes_nothing(client, alice, experiment, tie):
    client.force_login(alice)

    sent = {"evaluator": experiment.primary_id, "margin": "0.5", "tie": tie}
    page = client.post(f"/experiments/{experiment.pk}/margin/", sent, follow=True)

    experiment.refresh_from_db()
    assert (experiment.margins, experiment.ties) == ({}, {})
    assert [message.level_tag for message in page.context["messages"]] == ["error"]


@pytest.mark.parametrize("margin", ["0", "-0.1", "nan", "inf", "1e13", "much"])
def test_a_margin_that_is_no_positive_number_is_refused_and_changes_nothing(
    client, alice, experiment, margin
):
    client.force_login(alice)

    page = client.post(
        f"/experiments/{experiment.pk}/margin/",
        {"evaluator": experiment.primary_id, "margin": margin},
        follow=True,
    )

    experiment.refresh_from_db()
    assert experiment.margins == {}
    assert [message.level_tag for message in page.context["messages"]] == ["error"]


# ---- texts ----


def with_outputs(project, base: str, terse: str) -> str:
    experiment = factories.experiment(project, "levenshtein_similarity", references=("Paris",))
    factories.scored_run(experiment, [base], "base")
    factories.scored_run(experiment, [terse], "terse")
    return f"/experiments/{experiment.pk}/"


def test_a_long_text_is_cut_at_a_word(client, alice, project):
    address = with_outputs(project, "word " * 1_000, "short")
    client.force_login(alice)

    short_text, full_text = (
        markup(client.get(f"{address}?diff=off{parameter}")) for parameter in ("", "&open=1")
    )

    assert re.search(r"word…</p>\s*<a[^>]*>4\D401 more characters", short_text)
    assert "more characters" not in full_text


def test_texts_that_share_few_words_are_shown_without_a_diff(client, alice, project):
    client.force_login(alice)

    unlike = markup(
        client.get(with_outputs(project, "one two three four five six seven eight", "quite another text"))
    )

    assert "<del>" not in unlike
    assert "quite another text" in unlike


# ---- permissions ----


def test_a_stranger_compares_nothing_and_makes_nothing(client, charlie, experiment):
    client.force_login(charlie)

    assert client.get(f"/compare/?runs={run_of(experiment, 'base').pk}").status_code == 404
    assert client.get("/p/default/experiments/new/").status_code == 404


def test_a_viewer_sees_no_button_that_writes(client, dana, experiment):
    client.force_login(dana)

    html = markup(client.get(f"/experiments/{experiment.pk}/"))

    assert "Delete this experiment" not in html
    assert "Add a variant" not in html


def test_a_deleted_variant_leaves_the_comparison(get_page, experiment):
    runs.delete(run_of(experiment, "terse"))

    assert "terse" not in text_of(get_page())


def test_the_baseline_of_a_view_is_in_its_address(client, alice, bob, experiment):
    terse = run_of(experiment, "terse")
    client.force_login(alice)
    swapped = markup(client.get(f"/experiments/{experiment.pk}/?baseline={terse.pk}"))

    client.force_login(bob)

    assert variant_of(swapped) == "base"
    assert variant_of(markup(client.get(f"/experiments/{experiment.pk}/"))) == "terse"


def test_the_primary_evaluator_is_changed_for_everybody_by_one_click(client, alice, dana, experiment):
    *_, last = experiment.evaluator_links.select_related("evaluator_version__evaluator")
    evaluator = last.evaluator_version.evaluator
    client.force_login(dana)
    assert (
        client.post(f"/experiments/{experiment.pk}/primary/", {"evaluator": evaluator.pk}).status_code == 403
    )
    client.force_login(alice)

    client.post(f"/experiments/{experiment.pk}/primary/", {"evaluator": evaluator.pk})

    experiment.refresh_from_db()
    assert experiment.primary_id == evaluator.pk


def test_from_three_variants_on_they_are_rows_best_first(get_page, experiment):
    factories.scored_run(experiment, REFERENCES, "perfect")

    html = get_page()

    rows = re.findall(r'<td class="rank" role="cell">([^<]+)</td>\s*<th[^>]*>\s*<a[^>]*>([^<]+)</a>', html)
    assert rows[0][1] == "perfect"
    assert len(rows) == 3
    assert 'class="strip"' in html


def test_scores_of_many_variants_are_opened_with_the_example(get_page, experiment):
    for n in range(5):
        factories.scored_run(experiment, REFERENCES, f"more {n}")

    disclosures = re.findall(r"<details ?(open)?>\s*<summary>Scores of 7 variants", get_page("?open=1"))

    assert disclosures.count("open") == 1
    assert disclosures.count("") == len(REFERENCES) - 1


def test_two_of_several_variants_stand_side_by_side_as_the_address_says(get_page, experiment):
    third = factories.scored_run(experiment, REFERENCES, "perfect")
    base = run_of(experiment, "base")

    html = get_page(f"?variant={third.pk}&with={base.pk}")

    heads = re.findall(
        r'<th scope="col" role="columnheader">\s*<span class="head">\s*<a[^>]*>([^<]+)</a>', html
    )
    assert heads == ["base", "perfect"]


@pytest.fixture
def copying(client, alice, experiment) -> None:
    """The experiment has moved to a version with an edited example, and its outputs wait to be copied."""
    datasets.edit(experiment.dataset, alice, 2, {"reference": {"answer": "Rome"}})
    client.force_login(alice)
    client.post(f"/experiments/{experiment.pk}/dataset/")


def test_the_page_says_that_outputs_are_being_copied(client, copying, experiment):
    words = text_of(markup(client.get(f"/experiments/{experiment.pk}/")))

    assert "Copying outputs of edited examples: 0 of 1" in words


def test_the_page_of_a_run_says_that_outputs_are_copied_first(client, copying, experiment):
    run = experiment.runs.first()

    assert "outputs of edited examples are copied first" in markup(client.get(f"/runs/{run.pk}/"))


def test_an_example_without_an_output_has_no_dot_in_its_strip(alices, alice, project):
    """It counts as worst, but its cell is a dash, and so is its dot."""
    experiment = factories.experiment(project, "numeric_match", references=["1", "2", "3"])
    for name, last in (("a", "3"), ("b", "9"), ("c", None)):
        factories.scored_run(experiment, ["1", "2", last], name)

    rows = alices.get(f"/experiments/{experiment.pk}/").context["examples"]

    [strip] = [row.strip for row in rows if row.name == "k3"]
    assert [score.value for score in strip] == [1.0, 0.0, None]


def test_an_experiment_whose_runs_all_failed_leads_to_the_reason(alices, project):
    experiment = factories.experiment(project)
    run = factories.run(experiment, start=False)  # as a launch does before it has answers
    Run.objects.filter(pk=run.pk).update(status=Run.Status.FAILED)

    page = alices.get(f"/experiments/{experiment.pk}/")

    assert "1 run failed, so there is nothing to compare yet." in text_of(page)
    assert f'href="/runs/{run.pk}/">Read why' in markup(page)

    Run.objects.filter(pk=run.pk).update(
        error={"code": "address_not_allowed", "message": "It may not be asked."}
    )
    page = alices.get(f"/experiments/{experiment.pk}/")
    assert "there is nothing to compare yet. It may not be asked." in text_of(page)
    assert "Set as default baseline" not in text_of(page)
    assert 'name="runs"' not in markup(page)


def test_an_old_error_of_failed_runs_is_told_in_words(alices, project):
    experiment = factories.experiment(project)
    run = factories.run(experiment, start=False)
    message = "5 of 5 answers failed, most by “address_not_allowed”."
    error = {"code": "too_many_failures", "message": message}
    Run.objects.filter(pk=run.pk).update(status=Run.Status.FAILED, error=error)

    for page in (f"/experiments/{experiment.pk}/", f"/runs/{run.pk}/"):
        assert "most refused because the address of the server is not allowed." in text_of(
            alices.get(page, follow=True)
        )


def test_rows_that_were_left_out_stay_a_fact_of_the_experiment(alices, project):
    scored = factories.experiment(project)
    factories.scored_run(scored)
    dataset = scored.dataset
    Dataset.objects.filter(pk=dataset.pk).update(
        error_count=2, errors=[{"code": "json_invalid", "message": "x"}]
    )

    page = alices.get(f"/experiments/{scored.pk}/")

    assert f'href="/datasets/{dataset.pk}/#problems"' in markup(page)
    assert "2 rows left out" in text_of(page)


def test_the_remark_on_unanswered_examples_leads_to_them(alices, project):
    experiment = factories.experiment(project, references=["a", "b", "c"])
    factories.scored_run(experiment, variant="old", outputs=["a", "b", "c"])
    factories.scored_run(experiment, variant="new", outputs=["a", None, "c"])

    page = alices.get(f"/experiments/{experiment.pk}/")

    assert '?show=unanswered#examples">Show them' in markup(page)
    listed = alices.get(f"/experiments/{experiment.pk}/?show=unanswered").context["examples"]
    assert len(listed) == 1
