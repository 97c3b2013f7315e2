import numpy as np
import pytest

from evaluations import kinds

EXAMPLES = [
    pytest.param(preset, example, id=f"{preset.key}-{number}")
    for preset in kinds.presets.PRESETS
    for number, example in enumerate(preset.examples)
]
every_preset = pytest.mark.parametrize("preset", kinds.presets.PRESETS, ids=lambda preset: preset.key)


@pytest.mark.parametrize(("preset", "example"), EXAMPLES)
def test_a_worked_example_is_what_the_evaluator_gives(preset, example, evaluate):
    vectors = dict(zip((example.actual, example.expected), example.vectors or (), strict=False))

    scores = evaluate(
        preset.kind,
        [(example.actual, example.expected)],
        embed=lambda texts: [np.array(vectors[text], np.float32) for text in texts],
        **preset.config,
    )

    assert scores.values[0] == pytest.approx(example.value, abs=1e-6)
    assert {1: True, 0: False, -1: None}[int(scores.passed[0])] == example.passed


@every_preset
def test_a_preset_fits_its_kind_and_has_two_examples(preset):
    kinds.get(preset.kind).parse(preset.config)

    assert len(preset.examples) == 2
    assert all(use.endswith((".", "?")) for use in preset.uses)


def test_every_preset_of_the_specification_is_there():
    assert [preset.title for preset in kinds.presets.PRESETS] == [
        "2Signal Levenshtein",
        "Phoenix Levenshtein distance",
        "Agenta Similarity Match",
        "Agenta Levenshtein distance",
        "Agenta Semantic Similarity",
        "Mastra Content similarity",
        "axion Exact String Match",
        "axion Exact String Match, as its code does",
    ]
