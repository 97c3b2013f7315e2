"""Variants whose long names differ at their ends, wherever the page of an experiment names them."""

import re

import pytest

from tests import factories
from tests.pages import markup, text_of

MODEL = "qwen2.5-vl-72b-instruct-awq-int4-very-long-name"
TEXTS = [f"city {n}" for n in range(20)]
WRONG = ["nothing like it"] * 20


@pytest.fixture
def experiment(project):
    experiment = factories.experiment(project, "exact_match", references=TEXTS)
    factories.scored_run(experiment, WRONG, "base")
    for prompt in ("plain", "few-shot", "chain of thought"):
        factories.scored_run(experiment, TEXTS, f"{MODEL} · {prompt}")
    return experiment


def texts_of(html, pattern):
    found = re.findall(pattern, html, re.DOTALL)
    return [re.sub(r"<[^>]+>|\s+", " ", one).strip() for one in found]


@pytest.mark.parametrize(
    "pattern",
    [
        r'<th scope="row" role="rowheader"><a href="/runs/\d+/" title="[^"]*">(.*?)</a>',
        r'<ul class="strip[^>]*>.*?</ul>',
        r'<select class="select" name="variant">.*?</select>',
    ],
    ids=["ranking", "scores of an example", "menu"],
)
def test_every_variant_has_a_name_of_its_own(alices, experiment, pattern):
    found = " | ".join(texts_of(markup(alices.get(f"/experiments/{experiment.pk}/")), pattern))

    assert all(
        found.count(f"…{end}") or found.count(f"name · {end}") for end in ("chain of thought", "few-shot")
    )


def test_the_verdict_names_tied_variants_by_their_ends(alices, experiment):
    verdict = re.search(
        r'<p class="verdict.*?</p>', markup(alices.get(f"/experiments/{experiment.pk}/")), re.DOTALL
    )

    assert all(end in verdict[0] for end in ("plain</b>", "few-shot</b>", "thought</b>"))


def test_a_list_counts_variants_that_are_tied_for_best_and_names_them_in_a_title(alices, experiment):
    for address in ("/p/default/experiments/", "/p/default/"):
        response = alices.get(address)
        assert "3 variants tied for best of 4" in " ".join(text_of(response).split())
        assert f'title="{MODEL} · plain, {MODEL} · few-shot' in markup(response)


def test_long_names_have_a_line_of_menus_of_their_own(alices, project):
    experiment = factories.experiment(project, "exact_match", references=TEXTS)
    for name in ("base", "a", "b"):
        factories.scored_run(experiment, [None, *WRONG[1:]], name)
    address = f"/experiments/{experiment.pk}/"

    assert "bar-two" not in markup(alices.get(address))
    experiment.runs.filter(variant="a").update(variant=f"{MODEL} · few-shot")
    assert "bar-two" in markup(alices.get(address))


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_on_a_phone_a_long_name_keeps_its_distance_from_the_drawing_below_it(
    live_server, alices_page, experiment
):
    alices_page.set_viewport_size({"width": 400, "height": 800})

    alices_page.goto(f"{live_server.url}/experiments/{experiment.pk}/")

    gaps = alices_page.locator(".ranking tbody tr").evaluate_all(
        """rows => rows.map(row => row.querySelector(".plot").getBoundingClientRect().top
             - row.querySelector("th").getBoundingClientRect().bottom)"""
    )
    assert len(gaps) == 4
    assert min(gaps) >= 4
