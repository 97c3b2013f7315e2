from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from evaluations import kinds
from evaluations.management import kind_speed


def test_every_text_kind_is_measured_on_short_and_on_long_texts():
    call_command("benchmark", "evaluators", short=20, long=1, stdout=(output := StringIO()))

    head, *lines = output.getvalue().splitlines()
    measured = [(key, length) for key, length, *_ in map(str.split, lines)]
    text_kinds = [key for key, kind in kinds.CATALOGUE.items() if not kind.needs_connection]
    assert "ratio" in head
    assert measured == [(key, length) for length in ("120", "10,000") for key in text_kinds]


@pytest.mark.parametrize("key", ["levenshtein_distance", "indel_similarity", "jaro_winkler", "rouge_l"])
def test_a_bare_call_does_the_same_work(key):
    [[actual, expected]] = [("the cat sat", "the cat lay")]

    bare = kind_speed.BARE[key]([actual], [expected])

    ours = kinds.get(key).evaluate(
        kinds.get(key).parse({}),
        {"actual": kinds.Column([actual]), "expected": kinds.Column([expected])},
    )
    # The words in common of six make two thirds of ROUGE-L.
    assert ours.values[0] == pytest.approx(bare.ravel()[0] * (2 / 6 if key == "rouge_l" else 1), abs=1e-6)


def test_any_other_word_is_refused():
    with pytest.raises((CommandError, ValueError)):
        call_command("benchmark", "everything")
