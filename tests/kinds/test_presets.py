"""Presets and their examples."""

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


def test_the_products_of_the_specification_have_a_preset():
    products = {preset.product for preset in kinds.presets.PRESETS}

    assert products == {"2Signal", "Phoenix", "Agenta", "Mastra", "axion"}


def test_a_preset_has_a_plain_name_of_its_own():
    titles = [preset.title for preset in kinds.presets.PRESETS]

    assert len({title.casefold() for title in titles}) == len(titles)
    assert not any(preset.product in preset.title for preset in kinds.presets.PRESETS)
