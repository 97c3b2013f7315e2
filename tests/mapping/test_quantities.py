"""Numbers with a unit in one way of writing."""

import pytest

from evaluations.mapping.quantities import is_quantity
from evaluations.mapping.reading import compile_steps
from evaluations.mapping.step import NotFound


def read(text, **settings):
    return compile_steps([{"step": "quantity"} | settings]).value(text)


@pytest.mark.parametrize(
    "texts",
    [
        (
            "4 kg",
            "4,000 g",
            "4 kilograms",
            "It weighs 4kg.",
            "**4** kg",
            r"$4\,\text{kg}$",
            r"$4{,}000\ \mathrm{g}$",
            "$4$ kg",
        ),
        ("0.25 m", "25 cm", "250 mm", "25 centimetres", "1/4 m"),
        ("90 min", "1.5 hours", "1 h 30 min", "1 hour and 30 minutes", "5,400 s", "a 90-minute film"),
        ("2 L", "2 liters", "2000 ml", "0.002 m³", r"2000\ \text{cm}^3"),
        ("20 °C", "68 °F", "293.15 K", "20 degrees Celsius", r"$20^\circ\text{C}$"),
        ("3 MW", "3,000 kW", "3 megawatts"),
        ("10 m/s", "36 km/h", "36 kilometers per hour"),
        ("5 m^2", "5 m²", "50,000 cm²", "5 square metres"),
    ],
)
def test_the_same_quantity_is_the_same_text(texts):
    assert len({*map(read, texts)}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("5 mW", "5 MW"),
        ("4 kg", "4 km"),
        ("4 kg", "40 kg"),
        ("5 m", "5 min"),
        ("5 m/s", "5 m"),
        ("1 h", "1 h 5 min"),
    ],
)
def test_other_quantities_are_other_texts(one, other):
    assert read(one) != read(other)


def test_the_last_one_counts_or_the_first():
    text = "2 kg and 3 kg make 5 kg"

    assert (read(text), read(text, match="first")) == ("5000 g", "2000 g")


@pytest.mark.parametrize("text", ["4", "4 apples", "$5", "in 5 in a row", "kg"])
def test_a_text_without_a_unit_behind_a_number_has_none(text):
    with pytest.raises(NotFound):
        read(text)


@pytest.mark.parametrize("text", ["4 kg of flour", "about 4 kg", "4 kg, 5 kg", ""])
def test_a_quantity_alone_is_all_of_a_text(text):
    assert (is_quantity("4 kg"), is_quantity(text)) == (True, False)
