"""Filters on the page of a run: stacked, in the API's syntax, each shown as a removable chip."""

import re
from html import unescape
from urllib.parse import quote

import orjson
import pytest

from evaluations.access import api_keys
from evaluations.datasets import datasets, metadata
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments, runs
from evaluations.models import Evaluator, Run, Scope
from evaluations.scoring import scoring
from tests import factories
from tests.pages import markup

pytestmark = pytest.mark.django_db
ROWS = [  # key, topic, reference, output
    ("k1", "law", "Paris", "Paris"),
    ("k2", "law", "Rome", "Rom"),
    ("k3", "art", "Oslo", "Osxo"),
    ("k4", "art", "Bern", "Genf"),
    ("k5", "law", "Riga", None),  # no output: exact match fails it, the similarity has no score
]


@pytest.fixture
def run(project) -> Run:
    examples = [
        {"key": key, "inputs": {"q": key}, "reference": {"a": reference}, "metadata": {"topic": topic}}
        for key, topic, reference, _ in ROWS
    ]
    dataset = datasets.create(project, None, "capitals", examples)
    kinds = ("exact_match", "levenshtein_similarity")
    both_evaluators = [factories.evaluator(project, kind) for kind in kinds]
    experiment = experiments.create(project, None, "which is closer", dataset, both_evaluators)
    return factories.scored_run(experiment, [output for *_, output in ROWS])


@pytest.fixture
def ids(run) -> dict[str, int]:
    return dict(Evaluator.objects.values_list("name", "pk"))


@pytest.fixture
def get_page(client, alice, run):
    """The answer to a query string of the run's page, after redirects."""
    client.force_login(alice)
    return lambda query="": client.get(f"/runs/{run.pk}/{query}", follow=True)


def keys(answer) -> list[str]:
    return re.findall(r'<a class="id" href="[^"]*">([^<]+)</a>', markup(answer))


def chips(answer) -> dict[str, str]:
    """The words of each active filter, and the address without it."""
    links = re.findall(r'<a class="chip" href="([^"]*)"><span class="clip">(.*?)</span>', markup(answer))
    return {" ".join(words.split()): unescape(address) for address, words in links}


def test_the_form_offers_the_values_of_a_metadata_column(get_page):
    html = get_page("").content.decode()

    field = re.search(r'name="metadata\[topic\]"[^>]* list="([^"]+)"', re.sub(r"\s+", " ", html))
    offered = re.search(rf'<datalist id="{field[1]}">(.*?)</datalist>', html, re.DOTALL)
    assert sorted(re.findall('value="([^"]+)"', offered[1])) == ["art", "law"]


def test_values_of_a_dataset_that_is_slow_to_count_are_not_offered(get_page, monkeypatch):
    monkeypatch.setattr(metadata, "MOST_COUNTED", len(ROWS) - 1)

    assert "<datalist" not in get_page("").content.decode()


def test_the_menu_of_exports_says_that_filters_hold(get_page, ids):
    filtered = get_page(f"?passed[{ids['exact match']}]=false&metadata[topic]=art").content.decode()

    assert "2 filtered examples" in filtered
    assert "filtered example" not in get_page("").content.decode()


def test_filters_of_several_evaluators_metadata_and_text_hold_together(get_page, ids):
    exact, levenshtein = ids["exact match"], ids["levenshtein similarity"]
    query = f"?passed[{exact}]=false&min[{levenshtein}]=0.5&max[{levenshtein}]=0.9"

    assert keys(get_page(f"{query}&order=file")) == ["k2", "k3"]
    assert keys(get_page(f"{query}&metadata[topic]=art")) == ["k3"]
    assert keys(get_page(f"{query}&q=k2")) == ["k2"]


def test_every_filter_has_a_chip_that_removes_it_alone(get_page, client, ids):
    exact = ids["exact match"]
    answer = get_page(f"?passed[{exact}]=false&metadata[topic]=law&q=k2")

    addresses = chips(answer)
    assert list(addresses) == ["exact match: fail", "topic: law", "texts: k2"]
    assert keys(client.get(addresses["exact match: fail"])) == ["k2"]
    assert keys(client.get(addresses["topic: law"])) == ["k2"]
    assert keys(client.get(addresses["texts: k2"])) == ["k2", "k5"]
    assert list(chips(client.get(addresses["topic: law"]))) == ["exact match: fail", "texts: k2"]


def test_the_chip_of_a_tab_is_one_condition(get_page):
    [(words, address)] = chips(get_page("?show=fail")).items()

    assert words == "exact match: fail"
    assert "status" not in address


def test_a_chip_writes_a_value_as_its_owner_does(get_page, ids):
    answer = get_page(f"?metadata[topic]=case_law&status[{ids['exact match']}]=missing_actual")

    assert list(chips(answer)) == ["exact match: missing actual", "topic: case_law"]


@pytest.mark.parametrize(
    ("ends", "words"),
    [({"min": 0.5}, "from 0.50"), ({"max": 0.9}, "up to 0.90"), ({"min": 0.5, "max": 0.9}, "0.50 to 0.90")],
)
def test_a_chip_names_the_ends_of_a_range(get_page, ids, ends, words):
    evaluator = ids["levenshtein similarity"]
    query = "&".join(f"{end}[{evaluator}]={value}" for end, value in ends.items())

    assert list(chips(get_page(f"?{query}"))) == [f"levenshtein similarity: {words}"]


def test_the_order_of_one_evaluator_stands_beside_filters_of_others(get_page, ids):
    exact, levenshtein = ids["exact match"], ids["levenshtein similarity"]

    best = get_page(f"?evaluator={levenshtein}&order=best&passed[{exact}]=false")

    assert keys(best) == ["k2", "k3", "k4", "k5"]


def test_segments_count_rows_under_the_other_filters(get_page, ids):
    counts = {segment.word: segment.count for segment in get_page("?metadata[topic]=law").context["segments"]}

    assert counts == {"all": 3, "fail": 1, "pass": 1, "unanswered": 1, "errors": 0}


def test_a_segment_keeps_the_other_filters(get_page, client):
    addresses = {
        segment.word: segment.address for segment in get_page("?metadata[topic]=law").context["segments"]
    }

    assert keys(client.get(addresses["fail"])) == ["k2"]


@pytest.mark.parametrize(
    ("older", "canonical"),
    [
        ("show=fail", "passed[{0}]=false&status[{0}]=scored"),
        ("show=missing", "status[{0}]=missing_expected&status[{0}]=missing_actual"),
        ("min=0.5", "min[{0}]=0.5"),
        ("passed[exact match]=false", "passed[{0}]=false"),
        ("min[{0}]=&max[{0}]=&metadata[topic]=law&metadata[other]=", "metadata[topic]=law"),
        ("min[{0}]=x&passed[999]=true", ""),
    ],
)
def test_addresses_in_other_words_lead_to_the_one_that_the_page_writes(
    client, alice, run, ids, older, canonical
):
    client.force_login(alice)
    exact = ids["exact match"]

    answer = client.get(f"/runs/{run.pk}/?{older.format(exact)}")

    expected_query = quote(canonical.format(exact), safe="=&")
    assert answer.status_code == 302
    assert answer.url == f"/runs/{run.pk}/{'?' if expected_query else ''}{expected_query}"
    assert client.get(answer.url).status_code == 200


def test_the_form_hands_on_every_filter_and_offers_a_field_for_each(get_page, ids):
    exact, levenshtein = ids["exact match"], ids["levenshtein similarity"]
    html = markup(
        get_page(f"?min[{levenshtein}]=0.5&status[{exact}]=scored&metadata[topic]=law&metadata[topic]=art")
    )

    form = html[html.index('id="filters"') :]
    fields = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', form[: form.index("</form>")]))
    assert fields[f"min[{levenshtein}]"] == "0.5"
    assert fields[f"status[{exact}]"] == "scored"
    values = re.findall(r'name="metadata\[topic\]" value="([^"]*)"', form)
    assert sorted(values) == ["art", "law"]


def test_rows_that_a_filter_replaces_bring_the_export_menu_of_that_filter(client, alice, run):
    client.force_login(alice)

    part = client.get(f"/runs/{run.pk}/?q=Oslo", headers={"HX-Request": "true", "HX-Target": "examples"})

    menu = re.search(
        r'<div class="menu menu-end" id="export" popover hx-swap-oob="true">(.*?)</div>', markup(part)
    )
    assert re.findall(r'href="[^"]*\?([^"]*)&amp;format=(\w+)"', menu[1]) == [
        ("q=Oslo", "csv"),
        ("q=Oslo", "xlsx"),
        ("q=Oslo", "jsonl"),
        ("q=Oslo", "parquet"),
    ]


def test_the_export_menu_names_the_formats_that_tell_an_empty_answer_from_none(client, alice, run):
    client.force_login(alice)
    for address in (f"/runs/{run.pk}/", f"/experiments/{run.experiment_id}/"):
        page = markup(client.get(address, follow=True))
        below = page[page.index("an empty answer becomes a missing one") :]

        assert re.findall(r"(JSON Lines|Parquet|spreadsheets|Excel)</a>", below)[:2] == [
            "JSON Lines",
            "Parquet",
        ]


def test_export_and_api_of_a_page_choose_the_same_rows(get_page, client, project, alice, run, ids):
    _, key = api_keys.create_key(project, alice, "reader", Scope.READ)
    query = f"?passed[{ids['exact match']}]=false&metadata[topic]=art"
    answer = get_page(query)

    address = unescape(re.search(r"(/api/v1/runs/\d+/results/\?[^\"]*)&quot;", markup(answer))[1])
    api_response = client.get(address, headers={"Authorization": f"Bearer {key}"})
    export_response = client.get(f"/runs/{run.pk}/export/{query}&format=jsonl")

    lines = b"".join(export_response.streaming_content).splitlines()
    assert [row["key"] for row in api_response.json()["results"]] == keys(answer) == ["k3", "k4"]
    assert [orjson.loads(line)["key"] for line in lines] == ["k3", "k4"]


def test_a_file_has_the_order_of_the_page(get_page, client, run):
    listed = keys(get_page("?q=o"))

    content = b"".join(client.get(f"/runs/{run.pk}/export/?q=o&format=jsonl").streaming_content)

    assert [orjson.loads(line)["key"] for line in content.splitlines()] == listed
    assert listed != sorted(listed)


def test_a_file_of_the_whole_run_has_the_order_of_the_examples_unless_one_was_chosen(get_page, client, run):
    def written(query: str) -> list[str]:
        body = client.get(f"/runs/{run.pk}/export/?format=jsonl{query}").streaming_content
        return [orjson.loads(line)["key"] for line in b"".join(body).splitlines()]

    worst_first = keys(get_page())

    assert written("") == sorted(worst_first) != worst_first
    assert written("&order=worst") == worst_first


# ---- versions ----


@pytest.fixture
def scored_twice(project, run, ids) -> int:
    """An evaluator whose second version passes what the first one failed."""
    evaluator = Evaluator.objects.get(pk=ids["exact match"])
    evaluators.change(evaluator, None, config={"case_sensitive": False})
    runs.add_scorings(run, [evaluator])
    while scoring.work(seconds=10):
        pass
    return evaluator.pk


def test_scores_of_an_older_version_are_shown_when_they_are_asked_for(get_page, client, scored_twice):
    newest, older = get_page(), get_page("?version=1")

    assert "These are the scores of version 1" not in markup(newest)
    assert "These are the scores of version 1" in markup(older)
    assert newest.context["scorings"][0].evaluator_version.number == 2
    assert older.context["scorings"][0].evaluator_version.number == 1


@pytest.mark.parametrize("query", ["?version=2", "?version=9", "?version=x"])
def test_no_other_version_is_the_newest(get_page, scored_twice, query):
    answer = get_page(query)

    assert answer.redirect_chain
    assert answer.context["scorings"][0].evaluator_version.number == 2


def test_another_evaluator_does_not_take_over_the_version(get_page, ids, scored_twice):
    levenshtein = ids["levenshtein similarity"]

    answer = get_page(f"?evaluator={levenshtein}&version=1&version_of={scored_twice}")

    assert answer.context["selection"].version is None
    assert "version" not in answer.redirect_chain[-1][0]


def test_bins_lead_to_their_rows_under_the_other_filters_of_each_page(get_page, ids):
    similarity = ids["levenshtein similarity"]

    def bins(query: str) -> list[str]:
        addresses = map(unescape, re.findall(r'<a href="([^"]*)" tabindex="-1">', markup(get_page(query))))
        return [
            address
            for address in addresses
            if f"min%5B{similarity}" in address or f"max%5B{similarity}" in address
        ]

    for topic, best in (("law", ["k1"]), ("art", [])):
        addresses = bins(f"?metadata[topic]={topic}")
        assert addresses
        assert all(f"metadata%5Btopic%5D={topic}&" in address for address in addresses)
        highest = addresses[-1]
        assert keys(get_page(highest[highest.index("?") :])) == best
    assert not any("metadata" in address for address in bins(""))


# ---- bars of a histogram ----

ON_EDGES = (
    ("abcdefghij", "abcdefgxyz"),
    ("abcd", "abcx"),
    ("Paris", "Paris"),
)  # similarities 0.7, 0.75 and 1


def test_the_bars_of_a_histogram_show_their_rows_and_no_others(client, alice, project):
    references, outputs = zip(*ON_EDGES, strict=True)
    experiment = factories.experiment(project, "levenshtein_similarity", references=references)
    scored = factories.scored_run(experiment, outputs)
    client.force_login(alice)

    page = markup(client.get(f"/runs/{scored.pk}/"))
    bars = dict.fromkeys(re.findall(r'<a [^>]*href="([^"]*(?:min|max)[^"]*)"', page))

    assert [len(keys(client.get(unescape(bar), follow=True))) for bar in bars] == [1, 1, 1]


def test_a_changed_threshold_is_drawn_although_the_scores_are_equal(client, alice, project):
    references, outputs = zip(*ON_EDGES, strict=True)
    experiment = factories.experiment(project, "levenshtein_similarity", references=references)
    scored = factories.scored_run(experiment, outputs)
    client.force_login(alice)
    before = markup(client.get(f"/runs/{scored.pk}/"))

    [evaluator] = Evaluator.objects.all()
    evaluators.change(evaluator, None, config={"threshold": 0.9})
    runs.add_scorings(scored, [evaluator])
    while scoring.work(seconds=10):
        pass

    assert "pass 0.7<" in before
    assert "pass 0.9<" in markup(client.get(f"/runs/{scored.pk}/"))
