"""The parts of a comparison visible without scrolling, in a real browser."""

import pytest
from playwright.sync_api import Page, expect

from evaluations.datasets import datasets
from evaluations.experiments import experiments
from evaluations.judges import sample
from evaluations.scoring import scoring
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)
KINDS = (
    "levenshtein_similarity",
    "exact_match",
    "levenshtein_distance",
    "jaro_winkler",
    "similarity_match",
    "content_similarity",
)
REFERENCES = tuple(f"The capital of land {n} is city {n}." for n in range(30))


@pytest.fixture
def signed_in(alices_page: Page) -> Page:
    alices_page.set_viewport_size({"width": 1280, "height": 720})
    return alices_page


def variants(project, count: int):
    """An experiment with six evaluators; the last variant leaves one example unanswered."""
    experiment = factories.experiment(project, *KINDS, references=REFERENCES)
    for n in range(count):
        outputs = [text[: -n * 2] if n else text for text in REFERENCES]
        if n == count - 1:
            outputs[4] = None
        factories.scored_run(experiment, outputs, f"variant {n + 1}")
    return experiment


@pytest.mark.slow
@pytest.mark.parametrize(("count", "highest"), [(2, 680), (4, 680), (8, 810)])
def test_the_head_of_the_examples_is_seen_at_once(live_server, signed_in, project, count, highest):
    """In a window 720 pixels high, but for eight variants, whose ranks alone take half of it."""
    experiment = variants(project, count)

    signed_in.goto(f"{live_server.url}/experiments/{experiment.pk}/")

    expect(signed_in.locator(".coverage")).to_be_visible()
    expect(signed_in.locator(".duel, .ranking")).to_have_count(1)
    assert signed_in.locator(".comparison thead th").first.bounding_box()["y"] <= highest
    assert signed_in.evaluate("document.documentElement.scrollWidth") == 1280


@pytest.mark.slow
@pytest.mark.parametrize(("count", "highest"), [(4, 300), (7, 300)])
def test_a_run_with_several_evaluators_shows_its_table_high_on_the_page(
    live_server, signed_in, project, count, highest
):
    kinds = (*KINDS, "rouge_l")[:count]
    experiment = factories.experiment(project, *kinds, references=REFERENCES)
    run = factories.scored_run(experiment, [*REFERENCES[:-1], None])

    signed_in.goto(f"{live_server.url}/runs/{run.pk}/")

    assert signed_in.locator(".metric").count() == count
    assert signed_in.locator("#examples table").bounding_box()["y"] < highest
    signed_in.goto(f"{live_server.url}/runs/{run.pk}/?row=3")
    assert signed_in.locator("#examples table").bounding_box()["y"] < highest


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 400])
def test_the_head_of_the_sorted_column_of_a_run_is_not_cut(live_server, signed_in, project, width):
    run = factories.scored_run(factories.experiment(project, "levenshtein_similarity", "exact_match"))
    signed_in.set_viewport_size({"width": width, "height": 720})

    signed_in.goto(f"{live_server.url}/runs/{run.pk}/?row=1")

    head = signed_in.locator("th[aria-sort] .cut")
    assert head.evaluate("head => head.scrollWidth <= head.clientWidth")


@pytest.mark.slow
def test_a_notice_stands_apart_from_the_head_of_a_run(live_server, signed_in, project):
    experiment = factories.experiment(project)
    run = factories.run(experiment, start=False)

    signed_in.goto(f"{live_server.url}/runs/{run.pk}/")

    head, notice = (signed_in.locator(name).bounding_box() for name in (".run-head", ".run-head + .notice"))
    assert notice["y"] - (head["y"] + head["height"]) >= 8


@pytest.mark.slow
@pytest.mark.parametrize("width", [400, 1280])
def test_the_sign_of_a_notice_stands_beside_its_words(live_server, page, alice, width):
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{live_server.url}/signin/")
    page.get_by_label("User name").fill("alice")
    page.get_by_label("Password").fill("not hers")
    page.get_by_role("button", name="Sign in").click()

    sign, words = (page.locator(f".notice:not([hidden]) {part}").bounding_box() for part in (".icon", "p"))

    assert words["y"] <= sign["y"] < words["y"] + words["height"]
    assert sign["x"] + sign["width"] <= words["x"]


@pytest.mark.slow
def test_two_long_names_leave_room_for_the_word_baseline_on_a_phone(live_server, signed_in, project):
    experiment = factories.experiment(project, references=REFERENCES)
    for variant in "AB":
        factories.scored_run(experiment, REFERENCES, f"{variant} has a name too long for one line of a phone")
    signed_in.set_viewport_size({"width": 400, "height": 800})

    signed_in.goto(f"{live_server.url}/experiments/{experiment.pk}/")

    word, rows = (
        signed_in.locator(part).first.bounding_box() for part in (".duel thead small", ".duel tbody")
    )
    assert word["y"] + word["height"] <= rows["y"]


@pytest.mark.slow
@pytest.mark.parametrize("address", ["/experiments/{experiment}/", "/runs/{run}/?row=1"])
def test_letters_that_cannot_be_wrapped_do_not_widen_the_page(live_server, signed_in, project, address):
    piled = "Z" + "".join(map(chr, range(0x300, 0x370))) * 20  # few fonts have all of them
    experiment = factories.experiment(project, "similarity_match", references=["x"])
    run = factories.scored_run(experiment, [piled], "piled")
    factories.scored_run(experiment, ["x"], "plain")

    signed_in.goto(f"{live_server.url}{address.format(experiment=experiment.pk, run=run.pk)}")

    expect(signed_in.locator(".text").filter(has_text=piled[:50]).first).to_be_visible()
    wide = "[document.body, ...document.querySelectorAll('.drawer')].map(e => e.scrollWidth - e.clientWidth)"
    assert not any(signed_in.evaluate(wide))


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 400])
def test_names_without_a_space_do_not_widen_any_page(live_server, signed_in, project, width):
    long_name = "N" * 199
    evaluator = factories.evaluator(project, "similarity_match", f"{long_name}e")
    dataset = factories.dataset(project, name=f"{long_name}d")
    experiment = experiments.create(project, None, f"{long_name}x", dataset, [evaluator])
    run, _ = (factories.scored_run(experiment, variant=f"{long_name}{n}") for n in (1, 2))
    signed_in.set_viewport_size({"width": width, "height": 720})
    paths = (
        f"/p/{project.slug}/",
        *(f"/p/{project.slug}/{lists}/" for lists in ("datasets", "experiments", "evaluators")),
        f"/datasets/{dataset.pk}/",
        f"/evaluators/{evaluator.pk}/",
        f"/experiments/{experiment.pk}/?row=1",
        f"/runs/{run.pk}/?row=1",
        f"/runs/{run.pk}/thresholds/",
    )

    widths = {}
    for path in paths:
        signed_in.goto(f"{live_server.url}{path}")
        widths[path] = signed_in.evaluate("document.documentElement.scrollWidth")

    assert widths == dict.fromkeys(paths, width)


@pytest.mark.slow
def test_a_long_value_that_filters_fits_a_phone(live_server, signed_in, project):
    topic = "a topic of many words, and more" * 4
    rows = [
        {"inputs": {"q": str(n)}, "reference": {"a": "b"}, "metadata": {"topic": topic if n % 2 else "short"}}
        for n in range(8)
    ]
    dataset = datasets.create(project, None, "topics", rows)
    experiment = experiments.create(
        project, None, "x", dataset, [factories.evaluator(project, "exact_match")]
    )
    for variant in ("v1", "v2"):
        factories.scored_run(experiment, ["b"] * 8, variant)
    signed_in.set_viewport_size({"width": 400, "height": 720})

    signed_in.goto(f"{live_server.url}/experiments/{experiment.pk}/?metadata[topic]={topic}")

    expect(signed_in.locator(".active-filter")).to_contain_text("4 of 8 examples")
    assert signed_in.evaluate("document.documentElement.scrollWidth") == 400


@pytest.mark.slow
def test_what_to_do_about_a_file_is_seen_on_a_phone(live_server, signed_in, project):
    failed = factories.imported(project, "Report\nquestion,answer\na,b\n", "a.csv")
    signed_in.set_viewport_size({"width": 400, "height": 720})

    signed_in.goto(f"{live_server.url}/datasets/{failed.pk}/")

    remedy = signed_in.get_by_text("Remove lines above the header").bounding_box()
    assert remedy["x"] + remedy["width"] <= 400
    assert signed_in.evaluate("document.documentElement.scrollWidth") == 400


@pytest.mark.slow
@pytest.mark.parametrize("name", ["security", "deployment", "configuration"])
def test_the_documentation_fits_a_phone(live_server, signed_in, name):
    signed_in.set_viewport_size({"width": 400, "height": 720})

    signed_in.goto(f"{live_server.url}/docs/{name}/")

    assert signed_in.evaluate("document.documentElement.scrollWidth") == 400


def test_a_comparison_is_read_with_the_keyboard_alone(live_server, signed_in, project):
    experiment = variants(project, 2)
    page = signed_in
    page.goto(f"{live_server.url}/experiments/{experiment.pk}/")
    rows = page.locator(".comparison a.id")
    first, second = rows.nth(0).text_content(), rows.nth(1).text_content()

    page.keyboard.press("j")
    expect(page.get_by_role("link", name=first, exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("tbody[aria-current=true] a.id")).to_have_text(first)
    expect(page.get_by_role("link", name=first, exact=True)).to_be_focused()
    page.keyboard.press("]")
    expect(page.locator("tbody[aria-current=true] a.id")).to_have_text(second)
    page.keyboard.press("[")
    expect(page.locator("tbody[aria-current=true] a.id")).to_have_text(first)
    page.keyboard.press("Escape")
    expect(page.locator("tbody[aria-current=true]")).to_have_count(0)


def test_a_key_pressed_the_moment_an_example_opens_loads_no_new_page(live_server, signed_in, project):
    experiment = variants(project, 2)
    page = signed_in
    page.goto(f"{live_server.url}/experiments/{experiment.pk}/")
    rows = page.locator(".comparison a.id")
    first, second = rows.nth(0).text_content(), rows.nth(1).text_content()
    page.evaluate("""() => {
        window.kept = true;
        const opened = () => document.querySelector('tr.open [data-key="]"], .drawer [data-key="]"]');
        const press = (_, seen) => { if (opened()) seen.disconnect(), opened().click(); };
        new MutationObserver(press).observe(document.body, { childList: true, subtree: true });
    }""")

    page.get_by_role("link", name=first, exact=True).click()

    expect(page.locator("tbody[aria-current=true] a.id")).to_have_text(second)
    assert page.evaluate("window.kept")


def test_the_key_c_compares_the_selected_rows(live_server, signed_in, project):
    experiment = variants(project, 2)
    page = signed_in
    page.goto(f"{live_server.url}/experiments/{experiment.pk}/")

    page.keyboard.press("c")
    expect(page).to_have_url(f"{live_server.url}/experiments/{experiment.pk}/")
    expect(page.locator("#said")).to_have_text("Select two variants first: x selects the one in focus.")
    expect(page.get_by_role("checkbox", name="Select variant 1")).to_be_focused()
    for variant in ("variant 1", "variant 2"):
        page.get_by_role("checkbox", name=f"Select {variant}").check()
    page.keyboard.press("c")
    expect(page.get_by_role("heading", name="variant 2 against variant 1").first).to_be_visible()


@pytest.mark.slow
def test_a_matrix_of_many_evaluators_is_seen_without_scrolling(live_server, signed_in, project):
    experiment = factories.experiment(
        project, *KINDS, "rouge_l", "chrf", "sentence_bleu", references=REFERENCES
    )
    for name, end in (("one", -2), ("two", -4)):
        factories.scored_run(experiment, [text[:end] for text in REFERENCES], name)

    signed_in.goto(f"{live_server.url}/experiments/{experiment.pk}/?agreement=open")

    matrix = signed_in.get_by_role("region", name="Correlations of all evaluators")
    assert matrix.evaluate("matrix => matrix.scrollWidth - matrix.clientWidth") == 0
    signed_in.set_viewport_size({"width": 400, "height": 720})
    name = matrix.get_by_role("rowheader", name="Levenshtein distance").first
    assert name.bounding_box()["width"] > 85
    assert name.bounding_box()["height"] < 45, "on one line"
    assert matrix.evaluate("matrix => matrix.scrollWidth - matrix.clientWidth") == 0
    turned = (
        "[...document.querySelectorAll('.correlations *')].filter(e => getComputedStyle(e).rotate != 'none')"
    )
    assert signed_in.evaluate(f"{turned}.length") == 0, "nobody reads it with the head turned"


@pytest.mark.slow
def test_on_a_phone_short_keys_leave_the_width_to_the_outputs_of_a_run(live_server, signed_in, project):
    run = factories.scored_run(variants(project, 0), REFERENCES, "one")
    signed_in.set_viewport_size({"width": 400, "height": 720})

    signed_in.goto(f"{live_server.url}/runs/{run.pk}/")

    output = signed_in.locator(".answers tbody td.clip:visible").first
    assert output.bounding_box()["width"] > 220
    head = signed_in.locator(".answers thead .number:visible")
    assert head.bounding_box()["width"] >= 80


@pytest.mark.slow
def test_the_coefficients_of_two_have_room_below_a_matrix_of_many(live_server, signed_in, project):
    experiment = factories.experiment(
        project, *KINDS, "rouge_l", "chrf", "sentence_bleu", "indel_similarity", references=REFERENCES
    )
    for name, end in (("one", -2), ("two", -4)):
        factories.scored_run(experiment, [text[:end] for text in REFERENCES], name)

    signed_in.goto(f"{live_server.url}/experiments/{experiment.pk}/?agreement=open")

    pair = signed_in.get_by_role("region", name="Correlations of the two evaluators")
    assert pair.bounding_box()["width"] >= 380
    assert pair.evaluate("table => table.scrollWidth - table.clientWidth") == 0


@pytest.mark.slow
def test_more_than_six_secondary_evaluators_are_folded(live_server, signed_in, project):
    kinds = (*KINDS, "rouge_l", "chrf", "sentence_bleu", "indel_similarity")
    experiment = factories.experiment(project, *kinds, references=REFERENCES)
    for n in range(3):
        factories.scored_run(experiment, [text[: -n * 2] if n else text for text in REFERENCES], f"v{n}")

    signed_in.goto(f"{live_server.url}/experiments/{experiment.pk}/")
    assert signed_in.locator(".ranking .heads .support").count() == 6
    signed_in.get_by_role("link", name="3 more").click()

    expect(signed_in.locator(".ranking .heads .support")).to_have_count(9)
    assert signed_in.locator(".ranking tbody .plot").first.bounding_box()["width"] > 150
    assert signed_in.evaluate("document.documentElement.scrollWidth") == 1280


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 400])
def test_long_names_and_keys_stay_inside_the_page(live_server, alices_page, project, width):
    rows = [
        {"key": f"k{n}" + "y" * 186, "inputs": {"question": "q"}, "reference": {"answer": "Paris"}}
        for n in range(3)
    ]
    dataset = datasets.create(project, None, "long", rows)
    same = factories.evaluator(project, "exact_match")
    experiment = experiments.create(project, None, "names", dataset, [same])
    for ending in "ab":
        factories.scored_run(experiment, ["Paris", "Rome", "Paris"], "x" * 199 + ending)
    alices_page.set_viewport_size({"width": width, "height": 800})

    for page in ("/", f"/experiments/{experiment.pk}/"):
        alices_page.goto(f"{live_server.url}{page}")
        assert alices_page.evaluate("document.documentElement.scrollWidth") == width


def test_the_name_of_a_dataset_on_the_home_page_breaks_between_words(live_server, signed_in, project, alice):
    sample.load(project, alice)
    while scoring.work(seconds=10):
        pass
    for address in ("experiments", "evaluators", "datasets"):
        signed_in.goto(f"{live_server.url}/p/{project.slug}/{address}/")
        signed_in.locator("tbody a").first.click()

    signed_in.goto(live_server.url)

    expect(signed_in.get_by_role("heading", name="Saved and opened last")).to_be_visible()
    assert signed_in.locator(".plain li:has(.trend) > a").first.bounding_box()["height"] < 30


@pytest.mark.slow
def test_the_table_of_right_and_wrong_answers_is_as_high_as_its_lines(live_server, signed_in, project):
    experiment = factories.experiment(project, "exact_match", references=REFERENCES)
    factories.scored_run(experiment, REFERENCES, "right")
    factories.scored_run(experiment, ["wrong", *REFERENCES[1:]], "one wrong")

    signed_in.goto(f"{live_server.url}/experiments/{experiment.pk}/?details={experiment.primary_id}")

    assert signed_in.locator(".statistics .fourfold tbody tr").first.bounding_box()["height"] < 80


def test_means_and_differences_of_two_variants_stand_on_one_line_on_a_phone(live_server, signed_in, project):
    experiment = variants(project, 2)
    signed_in.set_viewport_size({"width": 400, "height": 800})
    signed_in.goto(f"{live_server.url}/experiments/{experiment.pk}/")

    heights = signed_in.locator(".duel tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('.number:not(.aside), .change')].map(cell => {"
        " const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);"
        " do { walker.nextNode(); } while (!/[0-9]/.test(walker.currentNode.data));"
        " const range = document.createRange(); range.selectNodeContents(walker.currentNode);"
        " return Math.round(range.getBoundingClientRect().bottom); }))"
    )

    assert all(max(of_row) - min(of_row) <= 2 for of_row in heights), heights


@pytest.mark.slow
def test_a_printed_report_has_names_in_words_and_nothing_beside_the_paper(live_server, signed_in, project):
    runs = variants(project, 2).runs.order_by("pk")
    signed_in.set_viewport_size({"width": 718, "height": 1000})  # A4 without its margins
    signed_in.emulate_media(media="print")

    signed_in.goto(f"{live_server.url}/compare/report/?runs={runs[0].pk}&runs={runs[1].pk}")

    assert signed_in.evaluate("document.documentElement.scrollWidth") == 718
    assert signed_in.locator(".report-ranking tbody th bdi").first.bounding_box()["height"] < 24
