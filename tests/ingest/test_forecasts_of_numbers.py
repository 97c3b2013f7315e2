"""Forecasts and estimates beside what was measured."""

import random

import pytest

from tests.ingest.test_guesses import guessed


def rows_of(named):
    """Rows with a number of `named` made from the measured one: its spread, and the factor by which it is another."""
    drawn = random.Random(4)
    return [
        {"day": f"2024-03-{n % 28 + 1:02}"}
        | {
            name: round(100 + 40 * (n % 7) + drawn.gauss(0, spread)) if spread == 0 else None
            for name, (spread, _) in named.items()
        }
        | {
            name: round((100 + 40 * (n % 7)) * factor + drawn.gauss(0, spread), 1)
            for name, (spread, factor) in named.items()
            if spread
        }
        for n in range(60)
    ]


@pytest.mark.parametrize(
    ("measured", "forecasts", "others"),
    [
        ("units_actual", ("yhat_prophet", "yhat_lgbm"), {"yhat_prophet_lower": 0.3}),
        ("Ist", ("Prognose A", "Prognose B", "Prognose C"), {}),
        ("actual", ("forecast_old", "forecast_new"), {"forecast_old_high": 1.9, "forecast_new_p10": 0.4}),
        ("sales", ("pred_xgb", "pred_naive"), {"last_year": 3.0}),
    ],
)
def test_forecasts_are_outputs_beside_what_was_measured_but_not_the_ends_of_their_intervals(
    measured, forecasts, others
):
    named = {measured: (0, 1)} | dict.fromkeys(forecasts, (9, 1))
    named |= {name: (9, factor) for name, factor in others.items()}

    found = guessed(*rows_of(named))

    assert [found[name] for name in (measured, *forecasts)] == ["reference", *["output"] * len(forecasts)]
    assert {found[name] for name in others} <= {"leave out" if measured != "sales" else "metadata"}


def test_the_two_ends_of_one_forecast_are_no_systems():
    rows = [
        {"sku": f"S{n}", "price": n % 23 + 5, "forecast_min": n % 23 + 3.5, "forecast_max": n % 23 + 7.25}
        for n in range(60)
    ]

    assert not {"output", "reference"} & {*guessed(*rows).values()}


def grid(groups, fields, name="{group} {field}", error=8.0):
    """Rows with a number for each group and field; the first group is what was measured."""
    drawn = random.Random(3)
    rows = []
    for n in range(40):
        known = {field: 100 + 7 * (n * (at + 3) % 11) for at, field in enumerate(fields)}
        spread = dict(zip(groups, (0, *[error] * (len(groups) - 1)), strict=True))
        numbers = {
            name.format(group=group, field=field): known[field] + round(drawn.gauss(0, spread[group]), 1)
            for group in groups
            for field in fields
        }
        rows.append({"dish": f"Dish {n} of many"} | numbers)
    return rows


@pytest.mark.parametrize(
    ("groups", "fields", "name"),
    [
        (("Lab value", "Recipe calculator", "Gemini 1.5"), ("kcal", "Protein (g)"), "{group} {field}"),
        (("gemessen", "modell_alt", "modell_neu", "ki"), ("hoehe", "breite"), "{field}_{group}"),
        (("実測", "A社", "B社"), ("高さ", "幅"), "{group} {field}"),
    ],
)
def test_of_a_grid_of_numbers_the_first_field_is_compared(groups, fields, name):
    found = guessed(*grid(groups, fields, name))

    first = [name.format(group=group, field=fields[0]) for group in groups]
    second = [name.format(group=group, field=fields[1]) for group in groups]
    assert [found[one] for one in first] == ["reference", *["output"] * (len(groups) - 1)]
    assert {found[one] for one in second} == {"metadata"}


@pytest.mark.parametrize(
    ("groups", "error"), [(("North", "South", "West"), 8.0), (("Lab", "North", "South"), 4000.0)]
)
def test_a_grid_without_measured_numbers_or_estimates_of_them_has_no_outputs(groups, error):
    assert "output" not in guessed(*grid(groups, ("height", "width"), error=error)).values()
