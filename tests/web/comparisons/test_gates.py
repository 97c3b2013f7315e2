"""Pages of gates: create one from an experiment, change it, check a run, read the verdict."""

import re
import shlex
from html import unescape
from html.parser import HTMLParser

import pytest
from playwright.sync_api import Page, expect

from evaluations.datasets import splits
from evaluations.datasets.splits import Rule
from evaluations.experiments import experiments
from evaluations.gates import gates, wording
from evaluations.gates.checks import AT_WORST
from evaluations.gates.gates import Plan
from evaluations.models import AuditEntry, Gate, GateCheck, Run
from evaluations.statistics.wording import text
from evaluations.web.forms.criteria import RULES
from tests import factories
from tests.gates.test_unlike_the_whole import checked
from tests.pages import markup, text_of


@pytest.fixture
def pair(project):
    experiment = factories.experiment(project, "exact_match", "levenshtein_distance")
    return [
        factories.scored_run(experiment, outputs, variant)
        for variant, outputs in (("old", ("Paris", "Rome", "b")), ("new", ("Paris", "a", "Oslo")))
    ]


def form(run, *rows, **fields):
    """The form as browsers send it: rows of rule, evaluator and number."""
    filled = {"name": "ship", "baseline": run.pk, "missing": "worst"} | fields
    for number, row in enumerate(rows):
        filled |= {
            f"{number}-{name}": value
            for name, value in zip(("rule", "evaluator", "number"), row, strict=True)
        }
    return filled


def address(run):
    return f"/p/default/gates/new/?experiment={run.experiment_id}"


class Fields(HTMLParser):
    """The fields that a browser would send from the forms of a page."""

    def __init__(self, page):
        super().__init__()
        self.sent, self.select = {}, ""
        self.feed(markup(page))

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        if tag == "select":
            self.select = named["name"]
        elif tag == "option" and ("selected" in named or self.select not in self.sent):
            self.sent[self.select] = named["value"]
        elif tag == "input" and (named.get("type") != "checkbox" or "checked" in named):
            self.sent[named.get("name")] = named.get("value", "on" if named.get("type") == "checkbox" else "")


def fields_of(page):
    return Fields(page).sent


@pytest.fixture
def gate(alices, pair):
    evaluator = pair[0].experiment.primary_id
    alices.post(address(pair[0]), form(pair[0], ("no_new_failures", evaluator, "")))
    return Gate.objects.get()


def every_rule(evaluator):
    """Rows of the form for every rule, for an evaluator that gives 0 and 1, and the resulting criteria."""
    return {
        ("not_worse", evaluator, "2"): {"rule": "not_worse", "evaluator": evaluator, "margin": 0.02},
        ("better", evaluator, ""): {"rule": "better", "evaluator": evaluator},
        ("at_least:mean", evaluator, "50"): {
            "rule": "at_least",
            "evaluator": evaluator,
            "value": 0.5,
            "figure": "mean",
        },
        ("at_most:mean", evaluator, "100"): {
            "rule": "at_most",
            "evaluator": evaluator,
            "value": 1.0,
            "figure": "mean",
        },
        ("at_least:pass_rate", evaluator, "99.9"): {
            "rule": "at_least",
            "evaluator": evaluator,
            "value": 0.999,
            "figure": "pass_rate",
        },
        ("at_most:pass_rate", evaluator, "100"): {
            "rule": "at_most",
            "evaluator": evaluator,
            "value": 1.0,
            "figure": "pass_rate",
        },
        ("no_new_failures", evaluator, "5"): {
            "rule": "no_new_failures",
            "evaluator": evaluator,
            "value": 5.0,
        },
        ("answered", "", "99"): {"rule": "answered", "value": 0.99},
        ("cost", "", "0.1"): {"rule": "cost", "value": 0.1},
        ("latency", "", "1200"): {"rule": "latency", "value": 1200.0},
        ("examples", "", "3"): {"rule": "examples", "value": 3.0},
    }


def test_every_rule_can_be_typed(alices, pair):
    rules = every_rule(pair[0].experiment.primary_id)
    assert {rule for rule, _, _ in rules} == {rule for _, group in RULES[1:] for rule, _ in group}

    response = alices.post(address(pair[0]), form(pair[0], *rules, accepts_inconclusive="on"))

    gate = Gate.objects.get()
    assert response["Location"] == f"/gates/{gate.pk}/"
    assert (gate.name, gate.baseline, gate.accepts_inconclusive) == ("ship", pair[0], True)
    assert gate.criteria == list(rules.values())


@pytest.mark.long
def test_the_page_has_the_command_of_a_pipeline_with_names_that_a_shell_reads_whole(alices, pair):
    rules = every_rule(pair[0].experiment.primary_id)
    alices.post(address(pair[0]), form(pair[0], *rules, name='Hold "the" $line'))
    gate = Gate.objects.get()

    page = alices.get(f"/gates/{gate.pk}/").content.decode()

    call = unescape(re.search(r'id="pipeline-call"[^>]*>([^<]+)<', page)[1])
    named = ["--experiment", pair[0].experiment.name, "--hash", gate.hash]
    assert shlex.split(call) == ["evalsite", "gate", 'Hold "the" $line', "$VARIANT", *named]


def test_a_gate_that_is_saved_unchanged_keeps_its_hash(alices, pair):
    rules = every_rule(pair[0].experiment.primary_id)
    alices.post(address(pair[0]), form(pair[0], *rules, missing="exclude", accepts_inconclusive="on"))
    gate = Gate.objects.get()

    page = alices.get(f"/gates/{gate.pk}/change/")
    alices.post(f"/gates/{gate.pk}/change/", fields_of(page) | {"name": "renamed"})

    changed = Gate.objects.get()
    assert (changed.name, changed.hash) == ("renamed", gate.hash)


def test_a_new_gate_asks_at_first_that_the_primary_evaluator_is_not_worse(alices, pair):
    pair[0].experiment.margins = {str(pair[0].experiment.primary_id): 0.03}
    pair[0].experiment.save()

    form = fields_of(alices.get(address(pair[0])))

    shown = (form["0-rule"], form["0-evaluator"], form["0-number"])
    assert shown == ("not_worse", str(pair[0].experiment.primary_id), "3")


@pytest.mark.parametrize(
    "row",
    [
        (),
        ("answered", "", "-1"),
        ("answered", "", "1e400"),
        ("cost", "", "-1"),
        ("cost", "", "x"),
        ("better", "", ""),
        ("greener", "", "1"),
        ("examples", "", "1.5"),
    ],
)
def test_a_form_that_asks_nothing_or_nonsense_is_shown_again(alices, pair, row):
    filled = form(pair[0], row) if row else form(pair[0])

    assert alices.post(address(pair[0]), filled).status_code == 400
    assert not Gate.objects.exists()


def test_errors_of_a_criterion_are_shown_in_its_row(alices, pair):
    page = alices.post(address(pair[0]), form(pair[0], ("", "", ""), ("answered", "", "101")))

    assert 'id="id_1-number_error"' in markup(page)


@pytest.mark.parametrize(
    ("rule", "number", "words"),
    [
        ("not_worse", "", "Enter a number above 0 and below the range of the scores"),
        ("not_worse", "-1", "Enter a number above 0 and below the range of the scores"),
        ("not_worse", "500", "Enter a number above 0 and below the range of the scores"),
        ("at_least:pass_rate", "101", "Enter a percentage from 0 to 100."),
        ("at_least:mean", "", "Enter a number with a point before its decimals"),
        ("at_least:mean", "0,85", "Enter a number with a point before its decimals"),
        ("answered", "", "Enter a percentage from 0 to 100."),
        ("examples", "1.5", "Enter a whole number."),
        ("latency", "-1", "Enter a number, 0 or more."),
    ],
)
def test_a_limit_is_refused_once_and_in_the_words_of_the_page(alices, pair, rule, number, words):
    of_nobody = rule in ("answered", "examples", "latency")
    row = (rule, "" if of_nobody else str(pair[0].experiment.primary_id), number)

    html = markup(alices.post(address(pair[0]), form(pair[0], row)))

    assert html.count(words) == 1
    assert "The rule" not in html
    assert "invalid_gate" not in html


def test_a_rule_without_an_evaluator_asks_for_one(alices, pair):
    html = markup(alices.post(address(pair[0]), form(pair[0], ("better", "", ""))))

    assert html.count("Choose an evaluator.") == 1


def test_an_evaluator_of_nobody_is_404(alices, pair):
    assert alices.post(address(pair[0]), form(pair[0], ("better", "4000000", ""))).status_code == 404


def test_buttons_for_rows_keep_typed_values(alices, pair):
    rows = (("answered", "", "99"), ("examples", "", "x"))

    added = fields_of(alices.post(address(pair[0]), form(pair[0], *rows, do="add", name="other")))
    removed = fields_of(alices.post(address(pair[0]), form(pair[0], *rows, do="remove-0")))

    assert [added[f"{n}-rule"] for n in range(3)] == ["answered", "examples", ""]
    assert (added["name"], added["1-number"]) == ("other", "x")
    assert (removed["0-rule"], removed["0-number"], "1-rule" in removed) == ("examples", "x", False)
    assert not Gate.objects.exists()


# ---- changing one ----------------------------------------------------------------------------------------------


def change(client, gate, *rows, **fields):
    filled = form(gate.baseline, *rows, hash=gate.hash, **fields)
    return client.post(f"/gates/{gate.pk}/change/", filled, follow=True)


def test_a_change_gives_a_new_hash_and_is_in_the_log(alices, gate, pair):
    before = gate.hash

    change(alices, gate, ("answered", "", "90"))

    gate.refresh_from_db()
    assert (gate.criteria, gate.hash != before) == ([{"rule": "answered", "value": 0.9}], True)
    assert AuditEntry.objects.filter(action="gate-change", object_id=gate.pk).count() == 1


def test_a_gate_changed_meanwhile_is_shown_and_then_replaced(alices, gate):
    sent = form(gate.baseline, ("answered", "", "80"), hash=gate.hash)
    change(alices, gate, ("answered", "", "90"))

    refused = alices.post(f"/gates/{gate.pk}/change/", sent)
    gate.refresh_from_db()
    assert refused.status_code == 409
    [saved] = refused.context["form"].theirs
    assert "saved meanwhile" in text_of(refused)
    assert "at least 90\u202f%" in saved.stored
    assert "at least 80\u202f%" in saved.typed
    assert gate.criteria[0]["value"] == 0.9

    alices.post(f"/gates/{gate.pk}/change/", sent | {"hash": refused.context["form"]["hash"].value()})
    gate.refresh_from_db()
    assert gate.criteria[0]["value"] == 0.8


def test_a_gate_renamed_meanwhile_keeps_its_name_until_it_is_sent_again(alices, gate):
    sent = form(gate.baseline, ("answered", "", "80"), name="Mine", hash=gate.hash, name_was=gate.name)
    gates.change(gate, name="Theirs")

    refused = alices.post(f"/gates/{gate.pk}/change/", sent)
    gate.refresh_from_db()
    assert refused.status_code == 409
    assert "Somebody renamed this to Theirs" in text_of(refused)
    assert gate.name == "Theirs"

    alices.post(f"/gates/{gate.pk}/change/", sent | {"name_was": refused.context["form"]["name_was"].value()})
    gate.refresh_from_db()
    assert gate.name == "Mine"


def test_a_change_is_undone_to_the_hash_of_before(alices, gate):
    before = gate.hash
    page = change(alices, gate, ("answered", "", "90"), name="other")
    undo = unescape(re.search(r'class="undo" method="post" action="([^"]+)"', markup(page))[1])

    alices.post(undo)

    gate.refresh_from_db()
    assert (gate.name, gate.hash, gate.criteria[0]["rule"]) == ("ship", before, "no_new_failures")


def test_an_undo_does_not_revert_later_changes(alices, gate):
    page = change(alices, gate, ("answered", "", "90"))
    undo = unescape(re.search(r'class="undo" method="post" action="([^"]+)"', markup(page))[1])
    gate.refresh_from_db()
    change(alices, gate, ("answered", "", "80"))

    assert alices.post(undo).status_code == 409
    gate.refresh_from_db()
    assert gate.criteria == [{"rule": "answered", "value": 0.8}]


def test_a_form_that_was_opened_before_another_change_is_refused(alices, gate):
    change(alices, gate, ("answered", "", "90"))

    assert change(alices, gate, ("answered", "", "70")).status_code == 409
    gate.refresh_from_db()
    assert gate.criteria == [{"rule": "answered", "value": 0.9}]


def test_a_gate_that_was_never_changed_has_nothing_to_undo(alices, gate):
    assert alices.post(f"/gates/{gate.pk}/undo/").status_code == 404


def test_a_check_from_the_page_is_kept_and_shown(alices, gate, pair):
    response = alices.post(f"/gates/{gate.pk}/check/", {"run": pair[1].pk})

    check = GateCheck.objects.get()
    assert response["Location"] == f"/gates/{gate.pk}/?check={check.pk}"
    page = alices.get(response["Location"]).content.decode()
    assert 'data-gate="fail"' in page
    assert (
        f'href="/experiments/{pair[0].experiment_id}/?baseline={pair[0].pk}"' in page
    )  # where the verdict counts
    # Rome is right in the baseline and wrong in the run.
    assert f'href="/runs/{pair[1].pk}/?row=2"' in page


def test_new_failures_are_named_by_keys_and_all_listed_in_the_comparison(alices, gate, pair):
    pair[0].experiment.dataset.examples.filter(position=2).update(key="capital-of-italy")

    page = alices.post(f"/gates/{gate.pk}/check/", {"run": pair[1].pk}, follow=True)

    [failed] = [result for result in page.context["results"] if result.keys]
    assert failed.keys == [("capital-of-italy", f"/runs/{pair[1].pk}/?row=2")]
    listed = alices.get(failed.all_address.partition("#")[0]).context["examples"]
    assert [row.position for row in listed] == [2]


def test_an_earlier_check_says_so_and_leads_to_the_newest(alices, gate, pair):
    first, second = (
        alices.post(f"/gates/{gate.pk}/check/", {"run": run.pk})["Location"] for run in pair[::-1]
    )

    assert "an earlier check; the newest verdict is PASS for old" in text_of(alices.get(first))
    assert "an earlier check" not in text_of(alices.get(second))


def test_a_baseline_at_its_worst_is_a_short_word_in_the_table(alices, gate, pair):
    alices.post(f"/gates/{gate.pk}/check/", {"run": pair[1].pk})
    check = GateCheck.objects.get()
    check.results[0] |= {"words": AT_WORST.removesuffix("."), "baseline_words": "0.0 %", "positions": []}
    check.save()

    measured = [one.measured for one in alices.get(f"/gates/{gate.pk}/").context["results"]]

    assert "tests nothing: baseline at 0.0 %" in measured


def test_the_experiment_says_what_a_gate_said_of_its_runs(alices, gate, pair):
    alices.post(f"/gates/{gate.pk}/check/", {"run": pair[1].pk})

    page = text_of(alices.get(f"/experiments/{pair[0].experiment_id}/"))

    assert f"Gate {gate.name} : FAIL for new" in page


def test_a_filtered_experiment_says_of_which_examples_a_gate_spoke(alices, gate, pair):
    alices.post(f"/gates/{gate.pk}/check/", {"run": pair[1].pk})
    experiment = pair[0].experiment
    early, late = (
        splits.create(experiment.dataset, None, name, Rule(positions=positions))
        for name, positions in (("early", [1, 2]), ("late", [2, 3]))
    )

    def said(query: str) -> str:
        page = text_of(alices.get(f"/experiments/{experiment.pk}/{query}"))
        return page.partition("FAIL for new ")[2][:45]

    assert "not these alone" not in said("")
    assert said(f"?split={early.pk}").startswith("on all examples, not these alone")
    Gate.objects.update(split=early)
    assert "not these alone" not in said(f"?split={early.pk}")
    assert said(f"?split={late.pk}").startswith("on its own split, not these alone")


def test_the_criteria_that_fail_come_first(alices, pair):
    evaluator = pair[0].experiment.primary_id
    alices.post(address(pair[0]), form(pair[0], ("answered", "", "99"), ("no_new_failures", evaluator, "")))
    gate = Gate.objects.get()

    page = alices.post(f"/gates/{gate.pk}/check/", {"run": pair[1].pk}, follow=True)

    assert [shown.stored["verdict"] for shown in page.context["results"]] == ["fail", "pass"]


def test_long_names_are_cut_in_what_a_gate_says(alices, project):
    experiment = factories.experiment(project, "exact_match")
    name = "a variant whose name is much longer than a line of a sentence"
    run = factories.scored_run(experiment, ("Paris", "Rome", "b"), name)
    alices.post(address(run), form(run, ("no_new_failures", experiment.primary_id, "")))
    gate = Gate.objects.get()
    words = text_of(alices.post(f"/gates/{gate.pk}/check/", {"run": run.pk}, follow=True))
    assert f"{name} passes" in gate.checks.get().sentence
    assert "a variant whose name is…of a sentence passes" in words


def test_the_newest_run_is_proposed_until_it_is_checked(alices, gate, pair):
    newer = factories.scored_run(pair[0].experiment, ["Paris", "Rome", "b"], "newer")
    main = '<button class="button button-main">Check run</button>'

    proposed = markup(alices.post(f"/gates/{gate.pk}/check/", {"run": pair[1].pk}, follow=True))
    checked = markup(alices.post(f"/gates/{gate.pk}/check/", {"run": newer.pk}, follow=True))
    again = markup(alices.post(f"/gates/{gate.pk}/check/", {"run": pair[1].pk}, follow=True))

    assert f'<option value="{newer.pk}" selected>' in proposed
    assert main in proposed
    assert main not in checked + again
    assert f'<option value="{pair[1].pk}" selected>' in again


def test_another_hash_of_a_pipeline_takes_no_verdict_from_its_place(alices, gate, pair):
    gates.keep(judged := gates.check(gate, pair[1]))
    gates.keep(other := gates.check(gate, pair[1], sent_hash="other"))

    page, asked = (alices.get(f"/gates/{gate.pk}/{query}") for query in ("", f"?check={other.pk}"))

    assert (page.context["check"], asked.context["check"]) == (judged, other)
    assert "since then a pipeline sent another hash: CHANGED for new" in text_of(page)
    assert "the newest verdict is FAIL for new" in text_of(asked)
    assert "an earlier check" not in text_of(asked)


def test_the_list_says_the_criteria_in_words(alices, gate):
    titles = [named.title for named in wording.of_gate(gate)]

    assert "; ".join(titles) in text_of(alices.get("/p/default/gates/"))


def test_a_run_that_cannot_be_checked_is_refused_on_the_page(alices, gate, pair):
    Run.objects.filter(pk=pair[1].pk).update(status=Run.Status.RUNNING)

    response = alices.post(f"/gates/{gate.pk}/check/", {"run": pair[1].pk})

    assert response.status_code == 409
    assert not GateCheck.objects.exists()


@pytest.mark.parametrize(("missing", "words"), [("worst", "count as worst"), ("exclude", "are excluded")])
def test_a_gate_says_that_unreadable_answers_count_like_unanswered_examples(alices, gate, missing, words):
    Gate.objects.filter(pk=gate.pk).update(missing=missing)

    words_of_page = text_of(alices.get(f"/gates/{gate.pk}/"))

    assert f"Unanswered examples and unreadable answers {words}." in words_of_page


@pytest.mark.parametrize("run", ["", "x", "4000000"])
def test_a_missing_run_is_404(alices, gate, run):
    assert alices.post(f"/gates/{gate.pk}/check/", {"run": run}).status_code == 404


def test_locking_again_uses_the_present_state(alices, gate, pair):
    Run.objects.filter(pk=pair[0].pk).update(revision=1)
    before = gate.hash

    alices.post(f"/gates/{gate.pk}/lock/")

    gate.refresh_from_db()
    assert gate.hash != before
    assert gate.lock["baseline"] == {"run": pair[0].pk, "revision": 1}


def test_a_deleted_gate_comes_back_by_undo(alices, gate):
    alices.post(f"/gates/{gate.pk}/delete/")
    assert alices.get(f"/gates/{gate.pk}/").status_code == 404

    alices.post(f"/gates/{gate.pk}/restore/")
    assert alices.get(f"/gates/{gate.pk}/").status_code == 200


def test_the_list_has_the_newest_check_of_each_gate(alices, gate, pair):
    for run in (pair[1], pair[0]):
        alices.post(f"/gates/{gate.pk}/check/", {"run": run.pk})

    page = alices.get("/p/default/gates/").content.decode()

    assert ('data-gate="pass"' in page, 'data-gate="fail"' in page) == (True, False)


def test_strangers_see_no_gate(as_user, charlie, gate):
    client = as_user(charlie)

    assert client.get(f"/gates/{gate.pk}/").status_code == 404
    assert client.get(f"/gates/{gate.pk}/change/").status_code == 404
    assert client.get("/p/default/gates/").status_code == 404


# ---- before it is saved ----


def test_the_form_says_its_criteria_and_what_other_runs_would_get(client, alice, pair):
    client.force_login(alice)
    evaluator = pair[0].scorings.first().evaluator_version.evaluator_id
    sent = form(pair[0], ("at_least:mean", evaluator, "90"), do="preview")

    page = client.post(address(pair[0]), sent)

    demand, checks = page.context["preview"]
    assert text(demand) == "A run passes against old if exact match has a mean of at least 90\u202f%."
    assert 'class="aside">%</span>' in markup(page)
    assert [(check.run, check.verdict) for check in checks] == [(pair[1], "fail")]
    assert not Gate.objects.exists()
    assert not GateCheck.objects.exists()


def test_a_new_gate_begins_with_a_margin_and_draws_what_other_runs_would_get(alices, pair):
    fields = fields_of(alices.get(address(pair[0])))
    assert fields["0-number"] == "2"

    page = alices.post(address(pair[0]), fields | {"do": "preview"})

    [(check, results)] = page.context["drawn"].rows
    assert check.run == pair[1]
    assert len(results) == 1
    assert "0.0 points (a bound, as few examples differ: −100.0 to +100.0, 90" in text_of(page)
    assert "Dashed: the limit." in markup(page)


def test_without_a_limit_no_legend_names_one_and_every_row_has_its_figures(alices, pair):
    experiment = pair[0].experiment
    factories.scored_run(experiment, ("Paris", "a", "x"), "third")

    page = alices.post(address(pair[0]), form(pair[0], ("better", experiment.primary_id, ""), do="preview"))

    assert "Dashed" not in markup(page)
    words = [result["words"] for _, results in page.context["drawn"].rows for result, _ in results]
    assert len(words) == 2
    assert all(one in text_of(page) for one in words)


@pytest.mark.parametrize("width", [400, 1280])
def test_the_form_shows_what_runs_would_get_when_it_opens(live_server, alices_page: Page, pair, width):
    alices_page.set_viewport_size({"width": width, "height": 800})

    alices_page.goto(f"{live_server.url}{address(pair[0])}")

    expect(alices_page.locator("#gate-demand")).to_contain_text("A run passes against")
    expect(alices_page.locator("#gate-preview li:not(.gate-axes)")).to_have_count(1)
    assert alices_page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("width", [400, 1280])
def test_each_criterion_of_a_run_stands_apart_with_its_drawing(live_server, alices_page: Page, pair, width):
    ids = [scoring.evaluator_version.evaluator_id for scoring in pair[0].scorings.all()]
    criteria = [{"rule": "better", "evaluator": pk} for pk in ids]
    saved = gates.create(pair[0].experiment.project, None, "ship", Plan(pair[0], criteria))
    alices_page.set_viewport_size({"width": width, "height": 800})

    alices_page.goto(f"{live_server.url}/gates/{saved.pk}/change/")

    words, drawings = (
        [one.bounding_box() for one in alices_page.locator(f"#gate-preview li:not(.gate-axes) {tag}").all()]
        for tag in ("small", "svg.interval")
    )
    assert len(words) == len(drawings) == 2
    below = words[0]["y"] + words[0]["height"]
    within = words[1]["y"] - drawings[1]["y"] - drawings[1]["height"]
    assert drawings[1]["y"] - below >= 8 > within


def test_a_limit_that_cannot_be_is_told_while_it_is_typed(alices, alice, pair):
    evaluator = pair[0].experiment.primary_id
    htmx = {"HX-Request": "true", "HX-Target": "gate-preview"}
    for limit, message in (
        ("abc", "Enter a number"),
        ("", "Enter a number above 0"),
        ("-3", "Enter a number above 0"),
    ):
        sent = form(pair[0], ("not_worse", evaluator, limit), do="preview")
        words = markup(alices.post(address(pair[0]), sent, headers=htmx))
        assert message in words.partition('id="meaning-0"')[2]
    assert 'class="wrong"' not in markup(alices.get(address(pair[0])))


def test_an_incomplete_criterion_has_no_preview(client, alice, pair):
    client.force_login(alice)
    evaluator = pair[0].scorings.first().evaluator_version.evaluator_id

    page = client.post(address(pair[0]), form(pair[0], ("not_worse", evaluator, ""), do="preview"))

    assert page.context["preview"] is None
    assert "once the criteria are complete" in page.content.decode()


def test_the_form_of_a_gate_says_what_it_demands_before_any_script_runs(alices, gate):
    [sentence] = re.findall(
        r'id="gate-demand".*?</p>', alices.get(f"/gates/{gate.pk}/change/").content.decode(), re.S
    )

    assert "A run passes against" in sentence


# ---- one page, from the first choice on ----


@pytest.fixture
def other_pair(project, pair):
    first = pair[0].experiment
    experiment = experiments.create(project, None, "another", first.dataset, [first.primary])
    return [factories.scored_run(experiment, ("Paris", "a", "b"), variant) for variant in ("first", "second")]


def test_a_new_gate_opens_with_the_newest_experiment_and_offers_the_others(alices, pair, other_pair):
    html = markup(alices.get("/p/default/gates/new/"))

    assert "first, run" in html
    assert f'<option value="{pair[0].experiment_id}">' in html


def test_a_new_gate_proposes_a_baseline_whose_scores_differ(alices, pair, other_pair):
    experiment = experiments.create(project := pair[0].project, None, "odd", pair[0].experiment.dataset, [])
    experiments.add_evaluators(experiment, [pair[0].experiment.primary])
    factories.scored_run(experiment, ("x", "x", "x"), "all wrong")
    told = factories.scored_run(experiment, ("Paris", "x", "x"), "one right")

    fields = fields_of(alices.get(f"/p/{project.slug}/gates/new/"))

    assert fields["baseline"] == str(told.pk)


def test_another_experiment_replaces_runs_and_criteria_and_keeps_the_name(alices, pair, other_pair):
    drawn = fields_of(alices.get("/p/default/gates/new/")) | {"name": "typed"}
    chosen = drawn | {"experiment": pair[0].experiment_id}

    page = alices.post("/p/default/gates/new/", chosen | {"do": "experiment"})
    saved = alices.post("/p/default/gates/new/", fields_of(page))

    assert fields_of(page)["baseline"] == str(pair[0].pk)
    assert page["HX-Replace-Url"].endswith(f"?experiment={pair[0].experiment_id}")
    assert saved["Location"] == f"/gates/{Gate.objects.get().pk}/"
    assert Gate.objects.get().name == "typed"


def test_a_form_of_another_experiment_is_shown_again_instead_of_saved(alices, pair, other_pair):
    drawn = fields_of(alices.get("/p/default/gates/new/")) | {"name": "typed"}

    page = alices.post("/p/default/gates/new/", drawn | {"experiment": pair[0].experiment_id, "do": "save"})

    assert page.status_code == 200
    assert not Gate.objects.exists()


def test_a_limit_says_what_it_means_for_the_baseline(alices, pair):
    evaluator = pair[0].experiment.primary_id
    rows = (("not_worse", evaluator, "10"), ("answered", "", "99"), ("examples", "", "7"))

    words = text_of(alices.post(address(pair[0]), form(pair[0], *rows, do="preview")))

    assert "10 points are less than 1 of 3 examples. The whole 90 % interval" in words
    assert "old has 66.7" in words
    assert "are at least 3 of 3 examples. old answered 100" in words
    assert "old has 3." in words


def test_a_list_has_the_criteria_of_a_gate_in_a_line_with_one_capital(alices, pair):
    evaluator = pair[0].experiment.primary_id
    rows = (("not_worse", evaluator, "2"), ("answered", "", "97"), ("better", evaluator, ""))
    alices.post(address(pair[0]), form(pair[0], *rows))

    line = wording.titles([gate := Gate.objects.get()])[gate.pk]

    assert [part[:2] for part in line.split("; ")] == ["ex", "at", "ex"]
    assert "2 points worse; at least 97" in text_of(alices.get("/p/default/gates/"))


def test_a_check_that_only_lacks_examples_says_how_many_are_missing(alices, pair):
    alices.post(address(pair[0]), form(pair[0], ("examples", "", "7")))
    gate = Gate.objects.get()

    page = alices.post(f"/gates/{gate.pk}/check/", {"run": pair[1].pk}, follow=True)

    assert "4 examples are missing." in text_of(page)
    assert "would decide" not in text_of(page)


def test_the_call_of_the_api_checks_the_run_that_the_form_has_selected(alices, gate, pair):
    page = alices.get(f"/gates/{gate.pk}/")
    assert f"/check/?run={pair[1].pk}" in page.context["api_call"]

    checked = alices.post(f"/gates/{gate.pk}/check/", {"run": pair[0].pk}, follow=True)
    again = alices.get(f"/gates/{gate.pk}/?check={GateCheck.objects.latest('pk').pk}")

    for shown in (checked, again):
        assert f"/check/?run={fields_of(shown)['run']}" in shown.context["api_call"]


def test_a_limit_of_scores_from_0_to_1_says_of_what_it_is(alices, project):
    experiment = factories.experiment(project, "levenshtein_similarity")
    run = factories.scored_run(experiment, ("Paris", "a", "b"))

    page = alices.get(address(run))

    assert [row.unit for row in page.context["form"].rows] == ["of 1"]


def test_choosing_another_experiment_replaces_the_form_at_once(
    live_server, alices_page: Page, pair, other_pair
):
    alices_page.goto(f"{live_server.url}/p/default/gates/new/")
    alices_page.locator("#id_name").fill("typed")

    alices_page.locator("#id_experiment").select_option(str(pair[0].experiment_id))

    expect(alices_page.locator("#gate-demand")).to_contain_text("A run passes against old")
    expect(alices_page.locator("#id_name")).to_have_value("typed")
    expect(alices_page).to_have_url(re.compile(rf"experiment={pair[0].experiment_id}$"))


def test_a_sentence_in_place_of_a_figure_leaves_the_verdict_in_view(live_server, alices_page, gate, pair):
    check = gates.check(gate, pair[1])
    check.results[0]["words"] = "The baseline has the worst score there is, so no answer can be worse. " * 2
    check.save()
    alices_page.set_viewport_size({"width": 1280, "height": 720})

    alices_page.goto(f"{live_server.url}/gates/{gate.pk}/?check={check.pk}")

    box = alices_page.locator(".gate-table thead th").last.bounding_box()
    assert box["x"] + box["width"] <= 1280


def test_the_list_says_of_a_pass_that_the_run_is_worse_on_a_subset(alices, project):
    checked(project, german=-0.44, others=0.29).save()

    assert "PASS verbose, but worse on a subset" in text_of(alices.get(f"/p/{project.slug}/gates/"))
