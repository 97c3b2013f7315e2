"""The agreement of a passport as a table: people, the evaluator, and the evaluator on each variant."""

import csv
import io
from collections.abc import Iterator
from typing import Any

from evaluations.spreadsheet import BYTE_ORDER_MARK, guarded
from evaluations.statistics.people.agreement import Agreement, Coefficient, Rate

from .passports import Passport

HEADER = (
    *("who", "answers", "agreed", "raw", "raw_low", "raw_high"),
    *("kappa", "kappa_low", "kappa_high", "ac1", "ac1_low", "ac1_high"),
    *("class", "of", "same", "rate", "rate_low", "rate_high"),
)


def rows(passport: Passport) -> Iterator[list[Any]]:
    """A row for each class of each line."""
    lines = [
        ("people", passport.peers),
        *((f"{passport.version}, {part.name}", part.agreement) for part in passport.parts),
        *((f"{passport.version} on {variant.name}", variant.agreement) for variant in passport.variants),
    ]
    for who, agreement in lines:
        if agreement is not None:
            yield from _of(who, agreement, passport.classes)


def _of(who: str, agreement: Agreement, classes: list[str]) -> Iterator[list[Any]]:
    whole = [who, agreement.n, agreement.agreed]
    figures = [_figures(one) for one in (agreement.raw, agreement.kappa, agreement.ac1)]
    for title, rate in zip(classes, agreement.rates, strict=True):
        yield [*whole, *(value for three in figures for value in three), title, *_rate(rate)]


def _figures(coefficient: Coefficient) -> list[float | None]:
    return [coefficient.value, *(coefficient.interval or (None, None))]


def _rate(rate: Rate) -> list[float | None]:
    return [rate.of, rate.count, rate.value, *(rate.interval or (None, None))]


def as_csv(passport: Passport | None) -> bytes:
    """The table for spreadsheets: no cell runs as a formula. Only its head without a passport."""
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\r\n")
    writer.writerow(HEADER)
    for row in rows(passport) if passport else ():
        writer.writerow([guarded(cell) for cell in row])
    return (BYTE_ORDER_MARK + content.getvalue()).encode()
