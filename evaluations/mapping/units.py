"""Units of quantities as people write them: how many of the base unit of its dimension each one is."""

from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from evaluations.linear import Pattern, literal


class Unit(NamedTuple):
    """A value times `factor`, plus `offset`, is in `base`, the unit in which quantities of this kind are compared."""

    base: str
    factor: Decimal
    offset: Decimal = Decimal(0)


PREFIXES = {
    "n": -9,
    "µ": -6,
    "μ": -6,
    "u": -6,
    "m": -3,
    "c": -2,
    "d": -1,
    "k": 3,
    "M": 6,
    "G": 9,
    "T": 12,
    "nano": -9,
    "micro": -6,
    "milli": -3,
    "centi": -2,
    "kilo": 3,
    "mega": 6,
    "giga": 9,
    "tera": 12,
}
# symbols, words, prefixes in use before both, base and factor
SCALED = (
    ("m", "metre meter metro mètre", "n µ μ u m c d k nano micro milli centi kilo", "m", "1"),
    ("g", "gram gramme gramm gramo", "µ μ u m k micro milli kilo", "g", "1"),
    ("s sec", "second sekunde sekunden seconde segundo", "n µ μ u m nano micro milli", "s", "1"),
    ("l L", "litre liter litro", "µ μ u m c d milli centi", "l", "1"),
    ("W", "watt", "m k M G T milli kilo mega giga", "W", "1"),
    ("J", "joule", "m k M G kilo mega giga", "J", "1"),
    ("Wh", "", "m k M G T", "J", "3600"),
    ("cal", "calorie kalorie kalorien", "k kilo", "J", "4.184"),
    ("eV", "electronvolt", "m k M G", "eV", "1"),
    ("N", "newton", "m k M kilo", "N", "1"),
    ("Pa", "pascal", "k M G kilo mega", "Pa", "1"),
    ("bar", "", "m milli", "Pa", "100000"),
    ("V", "volt", "µ μ m k M milli kilo", "V", "1"),
    ("A", "amp ampere", "µ μ m k milli", "A", "1"),
    ("Ω", "ohm", "m k M milli kilo mega", "ohm", "1"),
    ("Hz", "hertz", "k M G T kilo mega giga", "Hz", "1"),
    ("mol", "mole", "n µ μ m milli", "mol", "1"),
    ("B", "byte", "k M G T kilo mega giga tera", "byte", "1"),
)
# spellings with _ for a blank, base and factor
PLAIN = (
    ("min mins minute minutes minuten minuto minutos", "s", "60"),
    ("h hr hrs hour hours std stunde stunden heure heures hora horas", "s", "3600"),
    ("d day days tag tage tagen jour jours día días", "s", "86400"),
    ("wk wks week weeks woche wochen semaine semaines semana semanas", "s", "604800"),
    ("month months monat monate monaten mois mes meses", "month", "1"),
    ("yr yrs year years jahr jahre jahren an ans année années año años", "month", "12"),
    ("in inch inches zoll", "m", "0.0254"),
    ("ft foot feet", "m", "0.3048"),
    ("yd yard yards", "m", "0.9144"),
    ("mi mile miles meile meilen", "m", "1609.344"),
    ("t tonne tonnes tonnen metric_tons", "g", "1000000"),
    ("lb lbs", "g", "453.59237"),
    ("oz ounce ounces", "g", "28.349523125"),
    ("gal gallon gallons", "l", "3.785411784"),
    ("m² m2 m^2 sqm qm square_metres square_meters square_metre square_meter quadratmeter", "m²", "1"),
    ("km² km2 km^2 square_kilometres square_kilometers", "m²", "1000000"),
    ("cm² cm2 cm^2 square_centimetres square_centimeters", "m²", "0.0001"),
    ("mm² mm2 mm^2", "m²", "0.000001"),
    ("ha hectare hectares hektar", "m²", "10000"),
    ("m³ m3 m^3 cubic_metres cubic_meters cubic_metre cubic_meter kubikmeter", "l", "1000"),
    ("dm³ dm3 dm^3", "l", "1"),
    ("cm³ cm3 cm^3 cc cubic_centimetres cubic_centimeters", "l", "0.001"),
    ("m/s metres_per_second meters_per_second m_per_s", "m/s", "1"),
    (
        "km/h kmh kph kilometres_per_hour kilometers_per_hour km_per_hour",
        "m/s",
        "0.27777777777777777777777778",
    ),
    ("mph miles_per_hour", "m/s", "0.44704"),
    ("km/s kilometres_per_second kilometers_per_second", "m/s", "1000"),
    ("m/s² m/s2 m/s^2 metres_per_second_squared meters_per_second_squared", "m/s²", "1"),
    ("g/cm³ g/cm3 g/cm^3 g/ml", "kg/m³", "1000"),
    ("kg/m³ kg/m3 kg/m^3", "kg/m³", "1"),
    ("atm", "Pa", "101325"),
    ("° deg degree degrees grad", "°", "1"),
    ("K kelvin kelvins", "K", "1"),
)
OTHER = {
    **dict.fromkeys(
        ("°C", "℃", "C", "celsius", "degrees celsius", "grad celsius"),
        Unit("K", Decimal(1), Decimal("273.15")),
    ),
    **dict.fromkeys(
        ("°F", "℉", "F", "fahrenheit", "degrees fahrenheit"),
        Unit("K", Decimal(5) / 9, Decimal("459.67") * 5 / 9),
    ),
}


def _scaled() -> Iterator[tuple[str, Unit]]:
    for symbols, words, prefixes, base, factor in SCALED:
        one = Unit(base, Decimal(factor))
        long = [f"{word}{plural}" for word in words.split() for plural in ("", "s")]
        for spelling in (*symbols.split(), *long):
            yield spelling, one
            for prefix in prefixes.split():
                if (len(prefix) > 1) == (spelling in long):
                    yield f"{prefix}{spelling}", one._replace(factor=one.factor.scaleb(PREFIXES[prefix]))


def _plain() -> Iterator[tuple[str, Unit]]:
    for spellings, base, factor in PLAIN:
        for spelling in spellings.split():
            yield spelling.replace("_", " "), Unit(base, Decimal(factor))


UNITS = dict(_scaled()) | dict(_plain()) | OTHER


def _by_fold() -> dict[str, Unit | None]:
    """The units without letter case; None where case tells two apart, as in mW and MW."""
    folded: dict[str, Unit | None] = {}
    for spelling, unit in UNITS.items():
        key = spelling.casefold()
        folded[key] = unit if folded.get(key, unit) == unit else None
    return folded


BY_FOLD = _by_fold()
# the unit behind a number, which may be bold; "5 in" ends there, because "5 in a box" are no inches
BEHIND = Pattern(
    r"^[*_]{0,3}[ \x{a0}\x{202f}\x{2009}-]?("
    + "|".join(map(literal, sorted(UNITS.keys() - {"in"}, key=len, reverse=True)))
    + r")(?:[^\p{L}\p{N}/^²³]|$)",
    ignore_case=True,
)
INCHES = Pattern(r"^[*_]{0,3}[ \x{a0}-]?in[*_]{0,3}(?:[.,;)\n]|\s*$)")


def unit_behind(text: str) -> tuple[str, Unit] | None:
    """The unit with which a text begins, as it is written; None without.

    >>> [found and found[1].base for found in map(unit_behind, (" kg.", "MW", "** hours", " apples", " kg/ha"))]
    ['g', 'W', 's', None, None]
    """
    if INCHES.search(text):
        return "in", UNITS["in"]
    found = BEHIND.search(text)
    unit = found and (UNITS.get(found[1]) or BY_FOLD.get(found[1].casefold()))
    return (found[0][: found[0].rfind(found[1]) + len(found[1])], unit) if found and unit else None
