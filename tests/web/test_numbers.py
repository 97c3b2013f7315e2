"""All numbers on pages are also in the API's answers: rounded on the page, exact in the API."""

import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.test import Client

from evaluations import numerals
from evaluations.access import api_keys
from evaluations.models import Evaluator, Experiment, Scope
from tests import factories
from tests.pages import markup

# distinct sizes, so that a number cannot match by accident
REFERENCES = tuple("".join(chr(97 + n * k % 26) for k in (3, 5, 7, 11, 13, 17, 19)) for n in range(43))
TERSE = tuple(text[: 3 + n % 5] if n % 11 else None for n, text in enumerate(REFERENCES))
POLITE = tuple(f"{text}!" if n % 3 else text for n, text in enumerate(REFERENCES[:37]))
PAGES = {
    "/p/default/": ("experiments/", "datasets/", "evaluators/", "runs/", "comparison"),
    "/p/default/experiments/": ("experiments/", "datasets/", "runs/", "comparison"),
    "/p/default/datasets/": ("datasets/", "experiments/", "comparison"),
    "/p/default/evaluators/": ("evaluators/", "evaluator-kinds/"),
    "/datasets/{dataset}/": (
        "datasets/{dataset}/",
        "datasets/{dataset}/examples/",
        "experiments/{experiment}/",
    ),
    "/evaluators/{evaluator}/": (
        "evaluators/{evaluator}/",
        "evaluators/{evaluator}/versions/",
        "evaluator-kinds/",
        "results",  # a row of the last run, and how its score came about
    ),
    "/experiments/{experiment}/": ("experiments/{experiment}/", "datasets/", "comparison", "results"),
    "/runs/{run}/": ("runs/{run}/", "experiments/{experiment}/", "datasets/", "results"),
    "/runs/{run}/thresholds/": ("runs/{run}/thresholds/", "thresholds"),
    "/workers/": ("runs/",),
}
ELSEWHERE = {
    r"[\d.]+ (ms|s|m|h)\b": "how long something took: its moments are in the API",
    r"[+−]\d+\.\d\d (better|worse)": "the difference of two scores of an example, both in the API",
    r"\d+ of \d+": "how many pass: the rate times n, both in the API",
    r"95 %": "the level of every interval",
    r"[\d.]+ examples per second": "how fast the site's workers are is for its administrators, not for programs",
    r"[\d.]+ [kM]B( of [\d.]+ MB)?": "how full the caches of a process are is for its administrators",
    r"(?<=[a-z] )\d+ (?=[\d.]+ kB)": "how many values a cache of a process has, too",
    r"scored, mean [\d.]+": "of some rows of the last run, whose scores are in its results",
    r"in \d+ bins": "how many bars a drawing has: the length of histogram.counts",
    r"101 thresholds": "the length of thresholds",
    r"\d+ missing\b": "the sum of three counts",
    r"\d+ to \d+ of": "which page of the rows this is",
    r"(?<=Upload )\d+": "no figure",
}
NUMBER = re.compile(r"(?<![\w.])[+−-]?(\d[\d\u202f\u00a0]*(?:\.(\d+))?)( ?%)?(?![\w])")


def words_of(html: str) -> str:
    """The words of a page without drawings, forms and navigation."""
    main = re.search(r"<main.*?</main>", html, re.DOTALL)[0]
    main_text = re.sub(r"<(svg|select|script|form|nav)\b.*?</\1>", " ", main, flags=re.DOTALL)
    text = unescape(re.sub(r"<[^>]+>", " ", main_text)).replace("\u202f", " ").replace("\u00a0", " ")
    return re.sub(r"\s+", " ", text)


def values(answer: Any) -> Iterator[float | str]:
    """All numbers and texts of an answer, and the lengths of its lists."""
    if isinstance(answer, dict):
        for name, inner in answer.items():
            yield name
            yield from values(inner)
    elif isinstance(answer, list):
        yield len(answer)
        for inner in answer:
            yield from values(inner)
    elif answer is not None and not isinstance(answer, bool):
        yield answer


def is_in(token: re.Match, numbers: list[float]) -> bool:
    """Whether one of the numbers, rounded as pages round, reads like this."""
    digits, decimals, percent = token[1], len(token[2] or ""), token[3]
    hundredths = [100 * number for number in numbers]
    may_be_points = decimals == 1  # of a difference of shares, in a table that says so
    read_as = hundredths if percent else [*numbers, *hundredths] if may_be_points else numbers
    return any(numerals.fixed(abs(number), decimals) == digits for number in read_as)


@pytest.fixture
def experiment(project) -> Experiment:
    new_experiment = factories.experiment(
        project, "levenshtein_similarity", "levenshtein_distance", references=REFERENCES
    )
    factories.scored_run(new_experiment, TERSE, "terse")
    factories.scored_run(new_experiment, POLITE, "polite")
    return new_experiment


@pytest.fixture
def ids(experiment) -> dict[str, int]:
    terse, polite = experiment.runs.order_by("pk")
    return {
        "experiment": experiment.pk,
        "dataset": experiment.dataset_id,
        "evaluator": Evaluator.objects.get(name="levenshtein similarity").pk,
        "run": terse.pk,
        "other": polite.pk,
    }


@pytest.fixture
def api_values(ids, project, alice):
    """Numbers and texts of the API's answers to a path."""
    key = api_keys.create_key(project, alice, "numbers", Scope.READ)[1]
    program = Client(headers={"Authorization": f"Bearer {key}"})
    paths = {
        "comparison": (
            "comparisons/?runs={run},{other}",
            "comparisons/?runs={run},{other}&missing=exclude",  # shown as changes on the page
        ),
        "results": ("runs/{run}/results/", "runs/{other}/results/", "datasets/{dataset}/examples/"),
        "thresholds": ("runs/{run}/thresholds/?evaluator=levenshtein similarity",),
    }

    def answers(name: str) -> list[float | str]:
        values_found = []
        for path in paths.get(name, (name,)):
            response = program.get(f"/api/v1/{path.format(**ids)}")
            assert response.status_code == 200, path
            values_found += values(json.loads(response.content))
        return values_found

    return answers


@pytest.mark.parametrize("page", PAGES)
def test_every_number_of_a_page_is_found_in_the_api(as_user, alice, ids, api_values, page):
    alice.is_superuser = True
    alice.save()
    text = words_of(markup(as_user(alice).get(page.format(**ids))))
    answers = [value for name in PAGES[page] for value in api_values(name)]
    numbers = [answer for answer in answers if not isinstance(answer, str)]
    for words in sorted({answer for answer in answers if isinstance(answer, str)}, key=len, reverse=True):
        if any(c.isdigit() for c in words):
            text = re.sub(rf"(?<![\w.]){re.escape(words)}(?!\w)", " … ", text)  # a "1." is no part of 1.000
    for pattern in ELSEWHERE:
        text = re.sub(pattern, " … ", text)

    missing_numbers = [
        text[max(0, t.start() - 40) : t.end() + 20] for t in NUMBER.finditer(text) if not is_in(t, numbers)
    ]

    assert missing_numbers == []


def test_a_number_that_is_not_in_the_api_is_noticed():
    [token] = NUMBER.finditer("mean 0.689")

    assert not is_in(token, [0.68749, 0.6895001])
    assert is_in(token, [0.6889])
