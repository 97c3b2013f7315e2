"""Rules for every kind of the catalogue."""

from pathlib import Path

import pytest

from evaluations import kinds
from evaluations.kinds.choosing import ADVICE

GOLDEN = Path(__file__).parents[1] / "data" / "golden"

every_kind = pytest.mark.parametrize("kind", kinds.CATALOGUE.values(), ids=lambda kind: kind.key)


def configured(kind):
    """A config every kind accepts: that of its first golden vector."""
    return kind.parse(kind.contract.golden[0].config)


SPECIFIED = """
    levenshtein_similarity levenshtein_distance similarity_match semantic_similarity content_similarity
    exact_match contains regex_match indel_similarity jaro_winkler sentence_bleu chrf rouge_l json_match
    json_distance numeric_match value
"""


def test_the_kinds_the_specification_names_are_all_there():
    assert set(SPECIFIED.split()) <= set(kinds.CATALOGUE)


def test_every_kind_is_listed_once_under_its_family():
    listed = [kind.key for members in kinds.by_family().values() for kind in members]

    assert sorted(listed) == sorted(kinds.CATALOGUE)


@every_kind
def test_the_summary_of_a_kind_fits_a_line_of_a_list(kind):
    assert 10 < len(kind.summary) <= 45
    assert not kind.summary.endswith(".")


def test_every_kind_says_when_to_take_it_and_what_else_there_is():
    assert set(ADVICE) == set(kinds.CATALOGUE)
    for key, advice in ADVICE.items():
        assert advice.when.endswith(".")
        assert advice.unless.endswith(".")
        assert set(advice.see) <= set(kinds.CATALOGUE) - {key}


@every_kind
def test_no_text_of_a_kind_names_an_internal_document(kind):
    texts = (kind.title, kind.summary, kind.description, kind.source, kind.contract.formula)

    assert "seed" not in " ".join(texts).lower()


@every_kind
def test_a_kind_says_what_it_is_and_where_it_comes_from(kind):
    assert kind.title
    assert kind.title != kind.key
    assert kind.description.endswith(".")
    assert len(kind.description) > 80
    assert kind.source
    assert kind.version >= 1
    assert kind.direction in ("maximize", "minimize")
    assert kind.parameters in (("actual", "expected"), ("actual",))


@every_kind
def test_a_kind_has_bounds_of_which_only_the_upper_may_be_open(kind):
    low, high = kind.bounds(configured(kind))

    if kind.key in ("value", "formula"):
        pytest.skip("its bounds come from its settings")
    assert low in (0.0, -1.0)
    assert high is None or high > low
    assert (high is None) == (kind.direction == "minimize")


@every_kind
def test_only_a_binary_kind_scores_nothing_but_0_and_1(kind):
    values = {vector.value for vector in kind.contract.golden} - {None}

    assert kind.binary == (values <= {0, 1})


@every_kind
def test_a_kind_has_golden_cases(kind):
    cases = GOLDEN / f"{kind.key}.jsonl"
    count = len(cases.read_text().splitlines()) if cases.exists() else 0

    assert count + len(kind.contract.golden) >= 9


@every_kind
def test_a_form_can_be_drawn_from_the_schema(kind):
    for name, setting in kind.schema.get("properties", {}).items():
        assert kind.Config.model_fields[name].title == setting["title"]
        assert len(setting["description"]) > 10
        assert "default" in setting


@every_kind
def test_a_schema_gives_the_range_of_every_number(kind):
    for setting in kind.schema.get("properties", {}).values():
        for choice in setting.get("anyOf", [setting]):
            if choice.get("type") in ("number", "integer"):
                assert choice.keys() & {"minimum", "exclusiveMinimum"}


def test_an_unknown_kind_is_answered_with_the_known_ones():
    with pytest.raises(kinds.UnknownKind, match="jaro_winkler"):
        kinds.get("levenstein")
