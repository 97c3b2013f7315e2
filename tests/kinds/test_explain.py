"""Explanations of scores."""

import json

import pytest

from evaluations import kinds

# The example of the drawer in our pages' design.
OUTPUT = "Yes, within 30 days."
EXPECTED = "Yes. A yearly plan can be refunded in full within 30 days of purchase."


def test_levenshtein_similarity_shows_edits_and_formula(explain):
    detail = explain("levenshtein_similarity", OUTPUT, EXPECTED)

    assert detail["edits"] == {"total": 51, "inserted": 50, "deleted": 0, "replaced": 1}
    assert detail["formula"] == "1 − 51 / max(20, 70) = 0.2714 → 0.27, below 0.7"
    assert detail["compared"] == {"actual": OUTPUT.lower(), "expected": EXPECTED.lower()}


def test_levenshtein_similarity_counts_units_where_it_compared_units(explain):
    detail = explain("levenshtein_similarity", "😀", "a", unit="utf16", threshold=0)

    assert detail["formula"] == "1 − 2 / max(2, 1) = 0.0000 → 0.00, passes at 0"


def test_levenshtein_similarity_of_nothing_divides_by_nothing(explain):
    assert explain("levenshtein_similarity", "", "")["formula"] == "Both texts are empty: 1.00, passes at 0.7"


def test_a_cut_text_is_marked(explain):
    detail = explain("levenshtein_similarity", "abcd", "ab", max_characters=2)

    assert detail["truncated"] is True
    assert detail["compared"]["actual"] == "ab"


@pytest.mark.parametrize(
    ("config", "formula"),
    [({}, "2 edits"), ({"threshold": 2}, "2 edits, at most 2"), ({"threshold": 1}, "2 edits, more than 1")],
)
def test_levenshtein_distance_names_the_edits(explain, config, formula):
    assert explain("levenshtein_distance", "ab", "cd", **config)["formula"] == formula


def test_the_difference_leads_from_expected_to_actual(explain):
    assert explain("levenshtein_distance", OUTPUT, EXPECTED)["difference"] == [
        ("equal", "Yes", "Yes", None),
        ("replace", ". A yearly plan can be refunded in full", ",", None),
        ("equal", " within 30 days", " within 30 days", None),
        ("delete", " of purchase", "", None),
        ("equal", ".", ".", None),
    ]


def test_the_difference_of_very_long_texts_is_shown_where_it_begins(explain):
    detail = explain("levenshtein_distance", "word " * 15_000 + "end", "word " * 15_000 + "END")

    assert detail["difference_from"] == 74_000
    assert detail["difference"][-1][:3] == ("replace", "END", "end")
    assert "edits" not in detail


def test_similarity_match_shows_the_words_of_each_side(explain):
    detail = explain("similarity_match", OUTPUT, EXPECTED)

    assert detail["words"]["both"] == ["within", "30"]
    assert detail["words"]["only_actual"] == ["Yes,", "days."]
    assert detail["word_counts"] == {"both": 2, "only_expected": 12, "only_actual": 2}
    assert detail["formula"] == "2 / 16 = 0.1250, not above 0.5"


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({}, "passes above 0.5"),
        ({"similarity_threshold": 1}, "not above 1"),
        ({"similarity_threshold": 1, "comparison": ">="}, "passes at 1"),
    ],
)
def test_similarity_match_says_how_it_was_compared(explain, config, words):
    assert explain("similarity_match", "a", "a", **config)["formula"] == f"1 / 1 = 1.0000, {words}"


def test_content_similarity_shows_the_pairs_of_letters(explain):
    detail = explain("content_similarity", OUTPUT, EXPECTED)

    assert detail["pairs_of_letters"]["shared"] == [
        "ye",
        "es",
        "wi",
        "it",
        "th",
        "hi",
        "in",
        "n3",
        "30",
        "0d",
        "da",
        "ay",
        "ys",
        "s.",
    ]
    assert detail["formula"] == "2 × 14 / (16 + 56) = 0.3889"
    assert detail["band"] == "Low similarity"


def test_content_similarity_explains_all_that_its_product_does(explain):
    detail = explain("content_similarity", " Type \n Script ", "TypeScript")

    assert detail["processed_input"] == "typescript"
    assert detail["processed_output"] == "type script"
    assert detail["similarity"] == 1.0


def test_content_similarity_leaves_whitespace_in_sight_when_asked(explain):
    detail = explain("content_similarity", "A  b", "A b", ignore_whitespace=False, ignore_case=False, scale=5)

    assert detail["processed_output"] == "A  b"
    assert detail["formula"] == "2 × 1 / (1 + 1) = 1.0000 × 5 = 5.0000"


@pytest.mark.parametrize(
    ("similarity", "band"),
    [
        ("aaaa", "Perfect match"),
        ("aaab", "Moderate similarity"),
        ("aabb", "Low similarity"),
        ("aa" + 30 * "b", "Low similarity"),
        ("bbbb", "No similarity"),
    ],
)
def test_a_band_reaches_from_its_lower_edge_up(explain, similarity, band):
    assert explain("content_similarity", similarity, "aaaa")["band"] == band


def test_exact_match_shows_where_the_texts_part(explain):
    detail = explain("exact_match", OUTPUT, EXPECTED)

    assert detail["first_difference"] == {"position": 4, "actual": ",", "expected": "."}
    assert detail["formula"] == "Different texts: 0, below 0.5"


def test_exact_match_of_equal_texts_parts_nowhere(explain):
    assert explain("exact_match", " a ", "a")["first_difference"] is None


def test_contains_tells_found_from_lost(explain):
    detail = explain("contains", "red, green", "green,blue", separator=",")

    assert detail["needles"] == [{"text": "green", "found": True}, {"text": "blue", "found": False}]
    assert detail["formula"] == "1 of 2 found, all needed: 0"


def test_regex_match_shows_what_matched_in_characters(explain):
    detail = explain("regex_match", "😀 order 4711", "", pattern=r"\d+")

    assert detail["match"] == {"start": 8, "end": 12, "text": "4711"}


def test_indel_similarity_shows_the_common_part(explain):
    detail = explain("indel_similarity", "ab", "bc", threshold=0.6)

    assert detail["formula"] == "2 × 1 / (2 + 2) = 0.5000, below 0.6"


def test_bleu_shows_precisions_and_brevity(explain):
    detail = explain("sentence_bleu", "the cat sat", "the cat sat down")

    assert detail["bleu"]["matched"][:3] == [3, 2, 1]
    assert detail["bleu"]["precisions"] == [1.0, 1.0, 1.0]
    assert detail["bleu"]["brevity_penalty"] == pytest.approx(0.716531, abs=1e-6)  # e to the power of 1 - 4/3
    assert detail["formula"] == "0.7165 × (1.0000 × 1.0000 × 1.0000)^(1/3) = 0.7165"


def test_rouge_shows_the_common_sequence(explain):
    detail = explain("rouge_l", "The cat sat.", "the black cat")

    assert detail["rouge"]["matched"] == ["the", "cat"]
    assert detail["formula"] == "2 × 2 / (3 + 3) = 0.6667"


def test_json_kinds_show_the_paths_that_differ(explain):
    detail = explain("json_distance", '{"a": [1, 2], "c": 1}', {"a": [1, 3], "b": "x"})

    assert detail["paths"] == [
        {"path": "$['a'][1]", "what": "changed", "actual": 2, "expected": 3},
        {"path": "$['b']", "what": "missing", "actual": None, "expected": "x"},
        {"path": "$['c']", "what": "unexpected", "actual": 1, "expected": None},
    ]
    assert detail["formula"] == "3 differences"


def test_json_match_names_the_side_that_is_not_json(explain):
    assert "The actual text is not JSON" in explain("json_match", "{'a': 1}", "{}")["note"]


@pytest.mark.parametrize(
    ("actual", "expected", "config", "formula"),
    [
        ("so 30", "30.0", {}, "30 = 30.0: 1"),
        ("so 31", "30", {}, "31 ≠ 30: 0"),
        ("so 31", "30", {"tolerance": 1}, "31 ≈ 30 (tolerance 1): 1"),
        (
            "so 31",
            "30",
            {"tolerance": 0.01, "relative": True},
            "31 ≠ 30 (tolerance 0.01 of the expected number): 0",
        ),
        ("none", "30", {}, "There is no number in the output: 0"),
    ],
)
def test_numeric_match_shows_the_compared_numbers(explain, actual, expected, config, formula):
    assert explain("numeric_match", actual, expected, **config)["formula"] == formula


@pytest.mark.parametrize("key", [kind.key for kind in kinds.CATALOGUE.values() if not kind.needs_connection])
def test_a_detail_is_plain_json(key, explain):
    config = {"regex_match": {"pattern": "a"}, "formula": {"expression": "a + 1"}}.get(key, {})

    assert json.loads(json.dumps(explain(key, {"a": [1, 2.5]}, {"a": [1, None]}, **config)))


@pytest.mark.parametrize(("actual", "expected", "side"), [(None, "a", "actual"), ("a", None, "expected")])
def test_a_null_side_leaves_nothing_to_explain(explain, actual, expected, side):
    detail = explain("exact_match", actual, expected)

    assert detail["compared"][side] is None
    assert side in detail["note"]


def test_a_detail_agrees_with_the_score_on_a_long_list_of_words(explain):
    words = [f"w{number}" for number in range(500)]

    detail = explain("similarity_match", " ".join(words), " ".join(words[:400]))

    assert len(detail["words"]["both"]) == 200
    assert detail["formula"] == "400 / 500 = 0.8000, passes above 0.5"
