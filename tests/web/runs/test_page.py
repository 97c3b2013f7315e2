"""The page of a run: averages, filtered and sorted rows, an open row, and its states."""

import re
from datetime import timedelta

import pytest

from evaluations.datasets import datasets
from evaluations.experiments import experiments, runs
from evaluations.models import Import, Output, Run
from evaluations.results.rows import Score
from evaluations.scoring import scoring, spans
from evaluations.web.runs import page, rows
from tests import factories
from tests.pages import markup, text_of

pytestmark = pytest.mark.django_db
REFERENCES = ("Paris", "Rome", "Oslo", "Bern")
OUTPUTS = ("Paris", "Lyon", "Osxa", None)
MOST_QUERIES = 19  # one asks whether a judge reads the answers now, one for the axis that runs share


@pytest.fixture
def run(project) -> Run:
    experiment = factories.experiment(
        project, "levenshtein_similarity", "levenshtein_distance", references=REFERENCES
    )
    return factories.scored_run(experiment, OUTPUTS)


@pytest.fixture
def get_page(client, alice, run):
    """The page of the run for a query string, as one line of text."""
    client.force_login(alice)

    def get(query: str = "", **headers: str) -> str:
        answer = client.get(f"/runs/{run.pk}/{query}", headers=headers, follow=True)
        assert answer.status_code == 200
        return markup(answer)

    return get


def keys(html: str) -> list[str]:
    """The examples of the table, in order."""
    return re.findall(r'<a class="id" href="[^"]*">([^<]+)</a>', html)


def distance_of(run: Run) -> int:
    return run.scorings.get(evaluator_version__kind="levenshtein_distance").evaluator_version.evaluator_id


@pytest.mark.parametrize(("key", "is_narrow"), [({"key": "k1"}, False), ({}, True)])
def test_numbers_of_examples_take_less_room_than_keys(client, alice, project, key, is_narrow):
    rows = [key | {"inputs": {"question": "q"}, "reference": {"answer": "Paris"}}]
    dataset = datasets.create(project, None, "one", rows)
    experiment = experiments.create(project, None, "one", dataset, [factories.evaluator(project)])
    run = factories.scored_run(experiment, ("Paris",))
    client.force_login(alice)

    pages = [markup(client.get(address)) for address in (f"/runs/{run.pk}/", f"/datasets/{dataset.pk}/")]

    assert ["table rows numbered" in page for page in pages] == [is_narrow] * 2


def test_the_page_shows_mean_and_counts_of_each_evaluator(get_page):
    words = text_of(get_page())

    assert "levenshtein similarity" in words
    assert "0.375 0.000 to 1.000" in words  # Student's bounds, 0.375 ± 0.762, lie outside the scale
    assert "1 unanswered as worst; 0.500 answered only" in words
    assert "33 % pass" in words.replace("\u202f", " ")
    assert "3 scored" in words
    assert "3 scored 1 unanswered" in words


def test_scores_that_count_something_are_shown_as_whole_numbers(client, alice, project):
    experiment = factories.experiment(project, "levenshtein_distance", references=["a", "a", "a"])
    run = factories.scored_run(experiment, ["a", "ab", "abcd"])
    number = distance_of(run)

    client.force_login(alice)
    page = text_of(client.get(f"/runs/{run.pk}/?min[{number}]=1", follow=True))

    # 0, 1 and 3: linear between two of them, 1 + 0.8 · 2; lower is better, so the worst tenth is the highest
    assert "median 1 p90 2.6 min 0 max 3" in page
    assert "levenshtein distance: from 1 remove" in page


def test_scores_of_0_and_1_are_one_line_whose_parts_show_their_rows(client, alice, project):
    experiment = factories.experiment(project, "exact_match", references=["a", "a", "a"])
    run = factories.scored_run(experiment, ["a", "b", "c"])
    client.force_login(alice)

    [average] = client.get(f"/runs/{run.pk}/").context["averages"]

    assert [(part.word, part.count) for part in average.outcomes] == [("pass", 1), ("fail", 2)]
    shown = [client.get(part.address, follow=True).context["total"] for part in average.outcomes]
    assert shown == [1, 2]
    assert (average.spread, "proportion" in average.histogram) == ([], True)


def test_histograms_of_two_runs_have_one_axis_where_scores_have_no_bound(client, alice, project):
    experiment = factories.experiment(project, "levenshtein_distance", references=["a", "a", "a"])
    near = factories.scored_run(experiment, ["a", "ab", "ab"], "near")
    far = factories.scored_run(experiment, ["a", "abcdefghij", "a" + "b" * 40], "far")
    client.force_login(alice)

    drawings = [client.get(f"/runs/{run.pk}/").context["averages"][0].histogram for run in (near, far)]

    ends = [re.search(r'text-anchor="end">([^<]+)<', drawing)[1] for drawing in drawings]
    assert ends[0] == ends[1]
    assert float(ends[0]) >= 40


def test_a_median_between_two_whole_numbers_keeps_its_half(client, alice, project):
    experiment = factories.experiment(project, "levenshtein_distance", references=["a", "a"])
    run = factories.scored_run(experiment, ["a", "ab"])

    client.force_login(alice)

    assert "median 0.5 p90 0.9 min 0 max 1" in text_of(client.get(f"/runs/{run.pk}/"))


def test_the_worst_come_first_and_those_without_a_score_last(get_page, run):
    assert keys(get_page()) == ["k2", "k3", "k1", "k4"]
    assert keys(get_page(f"?evaluator={distance_of(run)}")) == ["k2", "k3", "k1", "k4"]
    assert keys(get_page(f"?evaluator={distance_of(run)}&order=best")) == ["k1", "k3", "k2", "k4"]


@pytest.mark.parametrize(
    ("query", "expected_keys"),
    [
        ("?show=pass", ["k1"]),
        ("?show=fail", ["k2", "k3"]),
        ("?show=missing", ["k4"]),
        ("?show=errors", []),
        ("?order=file", ["k1", "k2", "k3", "k4"]),
        ("?min=0.5", ["k3", "k1"]),
        ("?below=1", ["k2", "k3"]),
        ("?q=Osxa", ["k3"]),
        ("?q=k2", ["k2"]),
        ("?show=nonsense&order=x&evaluator=999999&min=nan&after=zzz", ["k2", "k3", "k1", "k4"]),
    ],
)
def test_rows_are_filtered_by_the_address(get_page, query, expected_keys):
    assert keys(get_page(query)) == expected_keys


@pytest.mark.parametrize("query", ["show=zz", "sort=zz", "order=zz"])
def test_a_page_names_what_it_did_not_understand_in_its_address(alices, run, query):
    page = alices.get(f"/runs/{run.pk}/?{query}", follow=True)

    assert text_of(page).count(f"“{query}” of this address was not understood and is left out.") == 1
    assert query == "sort=zz" or "There are " in text_of(page)
    assert "not understood" not in text_of(alices.get(f"/runs/{run.pk}/?show=fail", follow=True))


@pytest.mark.parametrize("query", ["evaluator=999", "version=99", "below=low", "evaluator=nobody"])
def test_so_does_it_with_what_does_not_exist(alices, run, query):
    page = alices.get(f"/runs/{run.pk}/?{query}", follow=True)

    assert text_of(page).count(f"“{query}” of this address was not understood and is left out.") == 1
    known = run.scorings.first().evaluator_version.evaluator
    for right in (f"evaluator={known.pk}", f"evaluator={known.name}"):
        assert "not understood" not in text_of(alices.get(f"/runs/{run.pk}/?{right}", follow=True))


@pytest.mark.parametrize("query", ["min[exact_match]=abc", "passed[exact_match]=maybe", "min[987654]=0.5"])
def test_a_filter_that_cannot_hold_is_named(alices, run, query):
    page = alices.get(f"/runs/{run.pk}/?{query}", follow=True)

    assert f"“{query}” of this address was not understood and is left out." in text_of(page)


def test_an_open_row_shows_texts_difference_and_every_score_with_its_reason(get_page):
    words = text_of(get_page("?row=3"))

    assert "Input q3" in words
    assert "Reference Oslo" in words
    assert "2 edits" in words.replace("\u202f", " ")
    assert "1 − 2 / max(4, 4) = 0.5000" in words
    assert "2 of 4" in words


def test_what_differs_stands_above_long_texts(client, alice, project):
    text = "".join(f"This is sentence {number} of a long policy. " for number in range(40))
    run = factories.scored_run(factories.experiment(project, references=(f"{text}Yes.",)), [f"{text}No."])
    client.force_login(alice)

    names = re.findall(r"<dt>\s*(\w+)\s*</dt>", markup(client.get(f"/runs/{run.pk}/?row=1")))

    assert names[:4] == ["Input", "Difference", "Reference", "Output"]


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ('{"city": "Rome", "n": 1}', "no difference in values"),
        ('{"n": 1.0, "city": "Rome"}', "the same data, written differently"),
    ],
)
def test_equal_values_are_said_to_be_equal(client, alice, project, output, words):
    experiment = factories.experiment(project, references=('{"n": 1, "city": "Rome"}',))
    run = factories.scored_run(experiment, [output])
    client.force_login(alice)

    html = markup(client.get(f"/runs/{run.pk}/?row=1"))

    assert re.search(rf'<dt>Difference</dt>\s*<dd>\s*<p class="nothing">{words}</p>', html)


def test_an_open_row_is_shown_as_json_too(client, alice, project):
    experiment = factories.experiment(project, references=("Paris",))
    run = factories.scored_run(experiment, ["Rome"], "base")
    client.force_login(alice)

    page = " ".join(text_of(client.get(f"/runs/{run.pk}/?row=1")).split())

    assert "As JSON" in page
    assert (
        'output "Rome" scores { exact match { value 0.0 passed false status "scored" message "" } }' in page
    )


def test_an_open_row_says_beside_each_evaluator_why_there_is_no_score(get_page):
    [beside] = re.findall(r'<ul class="drawer-scores".*?</ul>', get_page("?row=4"), re.DOTALL)

    assert beside.count("unanswered") == 2
    assert "–" not in beside


def test_an_open_row_leads_to_its_neighbours_under_the_same_filter(get_page):
    html = get_page("?show=fail&row=2")

    assert 'href="/runs/' in html
    following = re.search(r'href="([^"]*)" data-key="\]"', html)[1]
    assert re.search(r"passed%5B\d+%5D=false", following)
    assert "row=3" in following
    assert not re.search(r'<a\b[^>]*\sdata-key="\["', html)


def test_a_row_on_another_page_opens_where_it_stands(get_page, monkeypatch):
    monkeypatch.setattr("evaluations.web.runs.rows.SIZE", 2)

    html = get_page("?row=4")

    assert keys(html) == ["k4"]
    assert "4 of 4" in text_of(html)


def test_beside_an_open_row_there_is_room_for_outputs(client, alice, project):
    kinds = ("exact_match", "contains", "levenshtein_similarity", "levenshtein_distance")
    run_of_four = factories.scored_run(factories.experiment(project, *kinds, references=REFERENCES), OUTPUTS)
    client.force_login(alice)

    list_page, row_page = (client.get(f"/runs/{run_of_four.pk}/{query}") for query in ("", "?row=2"))

    assert len(list_page.context["columns"]) == 4
    assert len(row_page.context["columns"]) == 1
    assert len(row_page.context["opened"].scores) == 4


def title(html):
    return re.search(r"<title>(.*?)</title>", html, re.DOTALL)[1]


def test_pages_follow_each_other_by_cursor(get_page, client, monkeypatch):
    monkeypatch.setattr("evaluations.web.runs.rows.SIZE", 2)
    first = get_page()
    following = re.search(r'href="([^"]+)" rel="next"', first)[1].replace("&amp;", "&")

    second = markup(client.get(following))

    assert keys(first) + keys(second) == ["k2", "k3", "k1", "k4"]
    assert 'rel="prev"' in second
    assert 'rel="next"' not in second
    assert "3 to 4" in title(second)
    assert "1 to 2" not in title(first)


def test_the_names_above_a_run_are_cut_by_style_alone(client, alice, project):
    experiment = factories.experiment(project, references=REFERENCES)
    run = factories.scored_run(experiment, OUTPUTS, "variant " * 20)
    client.force_login(alice)
    html = markup(client.get(f"/runs/{run.pk}/"))

    for name in (experiment.name, experiment.dataset.name, run.variant):
        assert re.search(rf'title="{name}"\s*><bdi>{name}|<bdi title="{name}">{name}</bdi>', html)


def test_the_order_and_the_evaluator_of_the_rows_are_in_the_title(client, alice, project):
    experiment = factories.experiment(project, "exact_match", "contains", references=REFERENCES)
    run = factories.scored_run(experiment, OUTPUTS)
    client.force_login(alice)
    html = markup(client.get(f"/runs/{run.pk}/"))
    first, second = re.findall(r'<option\s+value="(\d+)"', html.split('name="evaluator"')[1])[:2]

    def title_of(query):
        return title(markup(client.get(f"/runs/{run.pk}/{query}")))

    assert " first" not in title_of("")
    assert " first" not in title_of(f"?evaluator={first}")
    assert "highest exact match first" in title_of("?order=best")
    assert "lowest contains first" in title_of(f"?evaluator={second}")
    assert "in the order of the dataset" in title_of("?order=file")


def test_htmx_gets_the_rows_alone(get_page):
    part = get_page("?row=2", HX_Request="true", HX_Target="examples")

    assert "<html" not in part
    assert "Averages" not in part
    assert part.lstrip().startswith("<title>k2 in v1")


def test_the_page_of_a_finished_run_does_not_poll(get_page):
    assert "every 1s" not in get_page()


def test_the_page_of_a_run_that_goes_on_polls_and_says_so_far(client, alice, project):
    experiment = factories.experiment(project, references=REFERENCES)
    going = factories.run(experiment, OUTPUTS)
    Run.objects.filter(pk=going.pk).update(status=Run.Status.RUNNING)
    client.force_login(alice)

    html = markup(client.get(f"/runs/{going.pk}/"))

    assert 'hx-trigger="every 1s"' in html
    assert "so far, n = 0 of 4" in text_of(html)
    assert "0 of 4 examples" in text_of(html)


def test_the_last_answer_to_a_poll_fetches_the_rows_and_polls_no_more(get_page):
    part = get_page("", HX_Request="true", HX_Target="live")

    assert "every 1s" not in part
    assert 'hx-trigger="load" hx-target="#examples"' in part


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (Run.Status.FAILED, "This run failed."),
        (Run.Status.CANCELLED, "Cancelled at 4 of 4 examples."),
        (Run.Status.DRAFT, "A draft."),
    ],
)
def test_the_page_names_the_state_of_a_run(get_page, run, status, sentence):
    Run.objects.filter(pk=run.pk).update(status=status, error={"code": "x", "message": "m"})

    assert sentence in text_of(get_page())


def test_outputs_that_are_being_read_show_how_far(get_page, run):
    Run.objects.filter(pk=run.pk).update(status=Run.Status.DRAFT)
    Import.objects.create(
        run=run, filename="a", stored_as="a", size=9, rows_done=7, started_at=run.created_at
    )

    html = get_page()

    assert "7 rows" in text_of(html)
    assert "every 1s" in html


def test_a_page_takes_few_queries(get_page, run, django_assert_max_num_queries):
    get_page()

    with django_assert_max_num_queries(MOST_QUERIES):
        get_page("?row=3&q=Osx")


# ---- doing ----


def test_a_run_is_scored_with_a_further_evaluator(client, alice, run):
    further = factories.evaluator(run.project, "similarity_match")
    client.force_login(alice)

    client.post(f"/runs/{run.pk}/score/", {"evaluators": [f"evaluator:{further.pk}"]})

    while scoring.work(10):
        pass
    assert run.scorings.count() == 3
    assert run.outputs.count() == 3


def test_an_error_stands_beside_the_boxes_when_none_is_selected(client, alice, run):
    client.force_login(alice)

    answer = client.post(f"/runs/{run.pk}/score/", {})

    assert answer.status_code == 400
    assert 'id="id_evaluators_error"' in markup(answer)


def test_cancelling_is_final(client, alice, project):
    queued_run = factories.run(factories.experiment(project))
    client.force_login(alice)

    client.post(f"/runs/{queued_run.pk}/cancel/")
    response = client.post(f"/runs/{queued_run.pk}/cancel/")

    queued_run.refresh_from_db()
    assert queued_run.status == Run.Status.CANCELLED
    assert response.status_code == 409


def test_the_page_says_how_far_a_cancelled_run_got(client, alice, project, monkeypatch):
    monkeypatch.setattr(spans, "CHUNK", 2)
    cancelled = factories.run(factories.experiment(project))
    claimed = scoring.claim()
    scoring.close(claimed, scoring.score(claimed))
    runs.cancel(cancelled)
    client.force_login(alice)

    assert "Cancelled at 2 of 3 examples." in text_of(client.get(f"/runs/{cancelled.pk}/"))


def test_a_draft_is_started(client, alice, project):
    draft = factories.run(factories.experiment(project), start=False)
    client.force_login(alice)

    client.post(f"/runs/{draft.pk}/start/")

    draft.refresh_from_db()
    assert draft.status == Run.Status.QUEUED


def test_a_run_that_was_started_after_it_was_read_is_no_draft(project):
    read_before = factories.run(factories.experiment(project), start=False)
    runs.begin(Run.objects.get(pk=read_before.pk))

    assert page.run_head(read_before)["is_going"]


def test_errors_are_tried_again(client, alice, project):
    experiment = factories.experiment(project, "numeric_match", references=("1", "none"))
    failed = factories.scored_run(experiment, ("1", "2"))
    client.force_login(alice)

    client.post(f"/runs/{failed.pk}/retry/")

    failed.refresh_from_db()
    assert failed.status == Run.Status.QUEUED


def test_a_deleted_run_is_gone_until_undo(client, alice, run):
    client.force_login(alice)

    answer = client.post(f"/runs/{run.pk}/delete/", follow=True)

    assert f'action="/runs/{run.pk}/restore/"' in markup(answer)
    assert client.get(f"/runs/{run.pk}/").status_code == 404
    client.post(f"/runs/{run.pk}/restore/")
    assert client.get(f"/runs/{run.pk}/").status_code == 200


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_run_is_exported_whole(client, alice, run, kind):
    client.force_login(alice)

    answer = client.get(f"/runs/{run.pk}/export/?format={kind}")

    body = b"".join(answer.streaming_content).decode()
    assert "Osxa" in body
    assert len(body.splitlines()) == (5 if kind == "csv" else 4)
    assert answer["Content-Disposition"].startswith("attachment")


# ---- permissions ----


def test_a_team_member_sees_the_run(client, bob, run):
    client.force_login(bob)

    assert client.get(f"/runs/{run.pk}/").status_code == 200


def test_a_run_of_a_deleted_experiment_has_no_page(get_page, client, run):
    type(run.experiment).objects.filter(pk=run.experiment_id).update(deleted_at=run.created_at)

    assert client.get(f"/runs/{run.pk}/").status_code == 404


def test_a_retry_takes_the_version_that_scored(project):
    """A newer version of the evaluator has no errors in this run."""
    experiment = factories.experiment(project, "numeric_match", references=("1", "none"))
    failed = factories.scored_run(experiment, ("1", "2"))
    [evaluator] = {s.evaluator_version.evaluator for s in failed.scorings.all()}
    factories.evaluators.change(evaluator, None, config={"tolerance": 0.5})

    runs.retry_errors(failed, [evaluator])

    assert failed.status == Run.Status.QUEUED


def test_a_mean_that_counts_answers_without_an_output_says_of_how_many_scores(client, alice, project):
    """Exact match gives a missing output 0, numeric match gives it no score."""
    experiment = factories.experiment(project, "exact_match", "numeric_match", references=("1", "2", "3"))
    run = factories.scored_run(experiment, ("1", "2", None))
    client.force_login(alice)

    exact, numeric = text_of(client.get(f"/runs/{run.pk}/")).split("Thresholds of")[1:]
    assert "1 unanswered mean of 3 scores" in exact
    assert "mean of" not in numeric


def test_an_example_without_a_reference_counts_on_the_page_of_a_run_as_little_as_in_comparisons(
    alices, project
):
    """Levenshtein similarity stores 0 and "fail" for it."""
    experiment = factories.experiment(project, "levenshtein_similarity", references=("Paris", None))
    [evaluator] = [one.evaluator for one in experiment.evaluator_versions.all()]
    run = factories.scored_run(experiment, ("Paris", "Rome"))

    context = alices.get(f"/runs/{run.pk}/?order=file").context

    [average] = context["averages"]
    assert (average.value, average.n, average.judged, average.pass_rate) == (1.0, 1, 1, 1.0), evaluator
    assert [row.scores[0].text for row in context["rows"]] == ["1.00", ""]
    assert context["rows"][1].scores[0].status == "missing_expected"


def test_a_run_without_any_reference_has_no_mean_and_no_failures(alices, project):
    experiment = factories.experiment(project, "levenshtein_similarity", references=(None, None))
    run = factories.scored_run(experiment, ("Paris", "Rome"))

    answer = alices.get(f"/runs/{run.pk}/?row=1")

    [average] = answer.context["averages"]
    assert (average.value, average.histogram, average.spread) == (None, "", [])
    assert [one.word for one in answer.context["segments"]] == ["all", "no reference", "errors"]
    assert 'data-passed="false"' not in answer.content.decode()
    assert "2 no reference" in text_of(answer)


def test_a_run_that_ended_before_it_began_took_no_time(client, alice, project):
    """The clock of its worker was set back."""
    run = factories.scored_run(factories.experiment(project))
    Run.objects.filter(pk=run.pk).update(finished_at=run.started_at - timedelta(days=2))
    client.force_login(alice)

    assert client.get(f"/runs/{run.pk}/").context["duration"] == timedelta()


def test_what_was_read_of_each_answer_stands_beside_it(alices, project):
    experiment = factories.experiment(project, "numeric_match", references=["12", "13"])
    run = factories.scored_run(experiment, ["It is 12.", "Perhaps 14, or so."])

    page = alices.get(f"/runs/{run.pk}/?order=file")

    assert [row.taken for row in page.context["rows"]] == ["12", "14"]
    assert ">Read</th>" in markup(page)


def test_a_score_is_not_rounded_to_all_right(project):
    """Beside "fail", 1.00 would contradict it."""
    version = factories.evaluator(project, "levenshtein_similarity").versions.get()

    texts = [
        rows.shown_alone(Score(value, False, "scored"), version).text for value in (0.998, 1.0, 0.004, 0.8)
    ]

    assert texts == ["0.998", "1.00", "0.004", "0.80"]


def test_the_evaluator_that_decides_comes_first_and_orders_the_rows(alices, project, run):
    distance = run.scorings.get(evaluator_version__kind="levenshtein_distance").evaluator_version.evaluator
    experiments.set_primary(run.experiment, distance)

    context = alices.get(f"/runs/{run.pk}/").context

    assert context["averages"][0].name == distance.name
    assert context["selection"].order_words == f"highest {distance.name} first"


def test_latencies_of_one_column_are_in_one_unit(alices, run):
    Output.objects.filter(run=run, position=1).update(latency_ms=824)
    Output.objects.filter(run=run, position=2).update(latency_ms=2310)

    page = text_of(alices.get(f"/runs/{run.pk}/?order=file"))

    assert "0.824 s" in page
    assert "2.310 s" in page
