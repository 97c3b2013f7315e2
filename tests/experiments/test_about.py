"""Facts about variants."""

import pytest

from evaluations.errors import Invalid, NotFound, TooLarge
from evaluations.experiments import about
from evaluations.models import Run
from evaluations.prompts import prompts
from tests import factories

ABOUT = {
    "model": "gpt-4.1-nano",
    "parameters": {"temperature": 0, "seed": 7},
    "commit": "8f9de61",
    "link": "https://example.com/runs/1",
    "notes": "Two\nlines",
    "empty": "",
}


@pytest.fixture
def experiment(project):
    return factories.experiment(project)


def variant(experiment, name="v1", **about) -> Run:
    return factories.run(experiment, variant=name, start=False, about=about)


def texts(run: Run) -> dict[str, str]:
    return {fact.name: fact.text for fact in about.facts(run)}


def test_a_statement_is_stored_unchanged_and_shown_with_each_parameter(experiment):
    run = Run.objects.get(pk=variant(experiment, **ABOUT).pk)

    assert run.about == ABOUT
    assert texts(run) == {
        "model": "gpt-4.1-nano",
        "commit": "8f9de61",
        "link": "https://example.com/runs/1",
        "notes": "Two\nlines",
        "temperature": "0",
        "seed": "7",
    }


def test_a_prompt_that_is_named_by_its_id_leads_to_the_version(experiment, project):
    prompt = factories.prompt(project)
    prompts.add_version(prompt, None, {"model": "m"})

    newest = variant(experiment, prompt=prompt.pk)
    first = variant(experiment, "v2", prompt=prompt.pk, prompt_version=1)

    assert (texts(newest), texts(first)) == ({"prompt": "solve v2"}, {"prompt": "solve v1"})
    assert first.prompt_version == prompts.version_of(prompt, 1)


def test_a_prompt_that_is_a_text_is_a_text(experiment):
    assert texts(variant(experiment, prompt="Solve it.")) == {"prompt": "Solve it."}


@pytest.mark.parametrize(
    ("refused", "error"),
    [({"prompt": 4_000_000_000}, NotFound), ({"notes": "é" * 32_000}, TooLarge)],
    ids=["a prompt that does not exist", "too many bytes"],
)
def test_a_refused_statement_creates_no_run(experiment, refused, error):
    with pytest.raises(error):
        variant(experiment, **refused)

    assert not Run.objects.exists()


@pytest.mark.parametrize(
    "stated", [{"prompt": 0, "prompt_version": 2**62}, {"prompt_version": "x"}, {"prompt": True}]
)
def test_a_value_that_is_no_id_of_a_prompt_is_stored_as_it_is(experiment, stated):
    assert variant(experiment, **stated).about == stated


@pytest.mark.parametrize(
    ("number", "error"), [(2, NotFound), (2**62, NotFound), ("1", Invalid), (0, Invalid), (True, Invalid)]
)
def test_a_version_that_the_prompt_does_not_have_is_refused(experiment, project, number, error):
    prompt = factories.prompt(project)

    with pytest.raises(error):
        variant(experiment, prompt=prompt.pk, prompt_version=number)


def test_another_projects_prompt_does_not_exist(experiment, charlie):
    foreign = factories.prompt(charlie.memberships.get().project)

    with pytest.raises(NotFound):
        variant(experiment, prompt=foreign.pk)


def test_the_statement_about_a_scored_run_can_be_replaced(project):
    run = factories.scored_run(factories.experiment(project))
    prompt = factories.prompt(project)

    about.describe(run, {"prompt": prompt.pk})
    about.describe(run, {"model": "m"})

    run.refresh_from_db()
    assert (run.about, run.prompt_version, run.status) == ({"model": "m"}, None, Run.Status.COMPLETED)


def test_a_line_names_facts_that_are_not_obvious(experiment):
    assert about.line(about.facts(variant(experiment, **ABOUT))) == (
        "gpt-4.1-nano, commit 8f9de61, temperature 0, seed 7"
    )


def test_a_line_is_never_long(experiment):
    line = about.line(about.facts(variant(experiment, **{f"name {n}": "long " * 50 for n in range(9)})))

    assert (len(line), line[-1]) == (about.LONGEST_LINE, "…")


def test_a_statement_has_everything_and_an_end(experiment):
    whole = about.statement(
        about.facts(variant(experiment, link="https://example.com/1", notes="n " * 9_000))
    )

    assert whole.startswith("link https://example.com/1, notes n n")
    assert (len(whole), whole[-1]) == (about.LONGEST_STATEMENT, "…")


def test_only_differing_facts_are_listed(experiment):
    first = variant(experiment, model="a", parameters={"temperature": 0, "seed": 7}, commit="c")
    second = variant(experiment, "v2", model="b", parameters={"temperature": 0}, commit="c")

    assert about.differences([first, second]) == [
        about.Difference("model", ["a", "b"]),
        about.Difference("seed", ["7", ""]),
    ]
    assert about.lines_of_differences([first, second]) == {first.pk: "a, seed 7", second.pk: "b"}


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens", "max_output_tokens"])
def test_the_limit_of_tokens_is_said_in_the_words_of_no_server(experiment, name):
    run = variant(experiment, model="a", parameters={name: 120})

    assert about.line(about.facts(run)) == "a, max 120 tokens"


def test_a_deleted_prompt_stays_readable_where_it_was_used(experiment, project):
    prompt = factories.prompt(project)
    run = variant(experiment, prompt=prompt.pk)
    prompts.delete(prompt)

    assert about.facts(Run.objects.get(pk=run.pk)) == [about.Fact("prompt", "solve v1")]
