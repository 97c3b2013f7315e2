"""Validation of configs."""

import pytest

from evaluations import kinds


@pytest.mark.parametrize(
    ("key", "config", "pointer"),
    [
        ("levenshtein_similarity", {"threshold": True}, "/threshold"),
        ("levenshtein_similarity", {"threshold": "0.5"}, "/threshold"),
        ("levenshtein_similarity", {"threshold": 1.0001}, "/threshold"),
        ("levenshtein_similarity", {"threshold": -0.0001}, "/threshold"),
        ("levenshtein_similarity", {"threshold": float("nan")}, "/threshold"),
        ("levenshtein_similarity", {"threshold": None}, "/threshold"),
        ("levenshtein_similarity", {"case_sensitive": 1}, "/case_sensitive"),
        ("levenshtein_similarity", {"case_sensitive": "false"}, "/case_sensitive"),
        ("levenshtein_similarity", {"max_characters": 0}, "/max_characters"),
        ("levenshtein_similarity", {"max_characters": 100_001}, "/max_characters"),
        ("levenshtein_similarity", {"unit": "utf8"}, "/unit"),
        ("levenshtein_distance", {"threshold": 5.5}, "/threshold"),
        ("levenshtein_distance", {"threshold": True}, "/threshold"),
        ("levenshtein_distance", {"threshold": -1}, "/threshold"),
        ("levenshtein_distance", {"treshold": 1}, "/treshold"),
        ("levenshtein_distance", {"a/b~c": 1}, "/a~1b~0c"),
        ("similarity_match", {"comparison": "<"}, "/comparison"),
        ("similarity_match", {"similarity_threshold": []}, "/similarity_threshold"),
        ("content_similarity", {"scale": 0}, "/scale"),
        ("content_similarity", {"scale": float("inf")}, "/scale"),
        ("semantic_similarity", {"model": ""}, "/model"),
        ("semantic_similarity", {"dimensions": 0}, "/dimensions"),
        ("semantic_similarity", {"connection": "1"}, "/connection"),
        ("contains", {"separator": ""}, "/separator"),
        ("regex_match", {}, "/pattern"),
        ("regex_match", {"pattern": ""}, "/pattern"),
        ("regex_match", {"pattern": "(" * 10_000}, "/pattern"),
        ("numeric_match", {"extract": "no group"}, "/extract"),
        ("numeric_match", {"extract": "(a)(b)"}, "/extract"),
        ("numeric_match", {"extract": "(a"}, "/extract"),
        ("numeric_match", {"tolerance": -1}, "/tolerance"),
        ("json_distance", {"threshold": 1}, "/threshold"),
    ],
)
def test_a_setting_that_does_not_fit_is_refused_with_its_pointer(key, config, pointer):
    with pytest.raises(kinds.ConfigError) as refusal:
        kinds.get(key).parse(config)

    [(path, sentence)] = refusal.value.problems
    assert path == pointer
    assert not sentence.startswith(("Input", "String", "Value error"))  # pydantic's own wording


@pytest.mark.parametrize(
    ("key", "config", "sentence"),
    [
        ("levenshtein_similarity", {"threshold": 2}, "It must be at most 1."),
        ("levenshtein_similarity", {"max_characters": 100_001}, "It must be at most 100000."),
        ("levenshtein_distance", {"threshold": 5.5}, "It must be a whole number."),
        ("contains", {"mode": "some"}, "It must be 'all' or 'any'."),
        ("content_similarity", {"scale": 0}, "It must be more than 0."),
    ],
)
def test_a_problem_is_named_in_a_sentence(key, config, sentence):
    with pytest.raises(kinds.ConfigError) as refusal:
        kinds.get(key).parse(config)

    assert refusal.value.problems[0][1] == sentence


@pytest.mark.parametrize("config", [None, [], "text", 3])
def test_a_configuration_that_is_no_object_is_refused(config):
    with pytest.raises(kinds.ConfigError):
        kinds.get("exact_match").parse(config)


def test_every_problem_of_a_configuration_is_named():
    with pytest.raises(kinds.ConfigError) as refusal:
        kinds.get("exact_match").parse({"strip": "left", "threshold": 2})

    assert [path for path, _ in refusal.value.problems] == ["/strip", "/threshold"]


@pytest.mark.parametrize(
    ("pattern", "position"),
    [("(", 1), ("[a", 0), ("a|*", 2), ("(a)b)", 4), ("ü(?=a)", 1), (r"(a)\1", 3), ("a(x{1000}){1000}", 10)],
)
def test_a_pattern_that_does_not_compile_is_refused_with_its_position(pattern, position):
    with pytest.raises(kinds.ConfigError) as refusal:
        kinds.get("regex_match").parse({"pattern": pattern})

    [(_, sentence)] = refusal.value.problems
    assert f"at position {position}" in sentence


def test_a_pattern_is_not_needed_when_the_reference_is_the_pattern():
    assert kinds.get("regex_match").parse({"source": "expected"}).pattern is None


def test_a_whole_number_is_a_number():
    assert kinds.get("exact_match").parse({"threshold": 1}).threshold == 1.0


@pytest.mark.parametrize(
    ("key", "config", "word"),
    [
        ("similarity_match", {"similarity_threshold": 1}, "nothing can pass"),
        ("similarity_match", {"similarity_threshold": 0, "comparison": ">="}, "every output passes"),
        ("levenshtein_similarity", {"threshold": 0}, "every output passes"),
        ("content_similarity", {"scale": 1.0, "threshold": 1.5}, "nothing can pass"),
    ],
)
def test_a_setting_that_is_hardly_meant_gives_a_warning(key, config, word):
    kind = kinds.get(key)

    [sentence] = kind.warnings(kind.parse(config))

    assert word in sentence


@pytest.mark.parametrize(
    ("key", "config"),
    [("similarity_match", {"similarity_threshold": 1, "comparison": ">="}), ("levenshtein_similarity", {})],
)
def test_an_ordinary_setting_gives_no_warning(key, config):
    kind = kinds.get(key)

    assert kind.warnings(kind.parse(config)) == []


@pytest.mark.parametrize(
    ("key", "config", "mark"),
    [
        ("levenshtein_similarity", {}, 0.7),
        ("levenshtein_distance", {}, None),
        ("levenshtein_distance", {"threshold": 0}, 0),
        ("similarity_match", {}, 0.5),
        ("contains", {}, 1.0),
        ("json_distance", {}, None),
    ],
)
def test_the_threshold_is_where_passing_turns(key, config, mark):
    kind = kinds.get(key)

    assert kind.threshold(kind.parse(config)) == mark
