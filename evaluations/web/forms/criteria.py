"""The criteria of a gate in a form: a row for each, with rule, evaluator and limit."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from django import forms

from evaluations.gates.criteria import LARGEST, OF_AN_EVALUATOR

from .form import Form
from .number import A_NUMBER

Criterion = dict[str, Any]
RULES = (
    ("", "no criterion"),
    (
        "Scores",
        (
            ("not_worse", "worse by at most"),
            ("better", "better"),
            ("at_least:mean", "mean at least"),
            ("at_most:mean", "mean at most"),
            ("at_least:pass_rate", "pass rate at least"),
            ("at_most:pass_rate", "pass rate at most"),
            ("no_new_failures", "newly failing examples at most"),
        ),
    ),
    (
        "Answers",
        (
            ("answered", "answered at least"),
            ("cost", "mean cost at most"),
            ("latency", "mean latency at most"),
            ("examples", "examples at least"),
        ),
    ),
)
SHARES = ("answered", "at_least:pass_rate", "at_most:pass_rate")
MEANS = ("at_least:mean", "at_most:mean")
LIMIT_NEEDED = {  # how to correct the number of a rule, in the words of the page; the API names its own fields
    "not_worse": "Enter a number above 0 and below the range of the scores (100 points for right and wrong).",
    **dict.fromkeys(SHARES, "Enter a percentage from 0 to 100."),
    **dict.fromkeys(("examples", "no_new_failures"), "Enter a whole number."),
    **dict.fromkeys(("cost", "latency"), "Enter a number, 0 or more."),
    **dict.fromkeys(MEANS, A_NUMBER),
}
PER_CENT, POINTS = "%", "points"  # of scores that are only 0 and 1: their means, and differences of these
OF_ONE = "of 1"  # of scores from 0 to 1
UNITS = {"latency": "ms", "examples": "examples", "no_new_failures": "examples"}
LIMITS = {"not_worse": "margin"}  # the field of the API for a rule's number; for other rules `value`


class CriterionForm(Form):
    """One row. `criterion` has the shape of the API; None for an empty row."""

    object_fields = ("evaluator",)
    meaning = ""  # of the limit for the baseline, once all criteria are complete
    rule = forms.ChoiceField(
        label="Criterion", required=False, choices=RULES, widget=forms.Select({"class": "select"})
    )
    evaluator = forms.ChoiceField(required=False, widget=forms.Select({"class": "select"}))
    number = forms.DecimalField(
        label="Limit",
        required=False,
        max_value=LARGEST,
        min_value=-LARGEST,
        error_messages={"invalid": A_NUMBER},
        widget=forms.TextInput({"class": "input", "inputmode": "decimal", "autocomplete": "off"}),
    )

    def __init__(
        self,
        *args: Any,
        evaluators: Sequence[tuple[int, str]],
        shares: Collection[str],
        ones: Collection[str],
        currency: str,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.shares, self.ones, self.currency = shares, ones, currency
        self.choice_field("evaluator").choices = [("", "Choose an evaluator"), *evaluators]

    @property
    def unit(self) -> str:
        """The unit of the limit, by the chosen rule and evaluator; "" for scores without a range."""
        rule, evaluator = str(self["rule"].value() or ""), str(self["evaluator"].value() or "")
        if rule in ("not_worse", *MEANS) and evaluator in self.ones:
            return OF_ONE
        return self.currency if rule == "cost" else unit_of(rule, evaluator, self.shares)

    @property
    def criterion(self) -> Criterion | None:
        values = self.cleaned_data
        rule, _, figure = values["rule"].partition(":")
        if not rule:
            return None
        criterion_fields: Criterion = {"rule": rule}
        if rule in OF_AN_EVALUATOR and values["evaluator"]:
            criterion_fields["evaluator"] = int(values["evaluator"])
        if values["number"] is not None and rule != "better":
            divisor = 100 if self.unit in (PER_CENT, POINTS) else 1
            criterion_fields[LIMITS.get(rule, "value")] = float(values["number"] / divisor)
        return criterion_fields | ({"figure": figure} if figure else {})

    def refuse(self, field: str, sentences: Sequence[str]) -> None:
        """Show errors of the API's fields beside the form's."""
        rule = self.cleaned_data["rule"]
        if field in ("margin", "value"):
            self.add_error("number", LIMIT_NEEDED[rule])
        elif field == "evaluator" and not self.cleaned_data["evaluator"]:
            self.add_error("evaluator", "Choose an evaluator.")
        else:
            self.add_error("evaluator" if field == "evaluator" else "rule", list(sentences))


def unit_of(rule: str, evaluator: str, shares: Collection[str]) -> str:
    """The unit of a rule's limit; `shares` are the evaluators, by id, whose means are per cent.

    >>> unit_of("not_worse", "7", {"7"}), unit_of("at_least:mean", "7", {"7"}), unit_of("not_worse", "8", {"7"})
    ('points', '%', '')
    """
    if rule in SHARES or (rule in MEANS and evaluator in shares):
        return PER_CENT
    return POINTS if rule == "not_worse" and evaluator in shares else UNITS.get(rule, "")


def typed(criterion: Mapping[str, Any], shares: Collection[str]) -> dict[str, str]:
    """The texts of a criterion's fields; submitted unchanged, they give the same numbers exactly."""
    figure = criterion.get("figure")
    rule = f"{criterion['rule']}:{figure}" if figure else criterion["rule"]
    number = criterion.get("margin", criterion.get("value"))
    evaluator = "" if criterion.get("evaluator") is None else str(criterion["evaluator"])
    factor = 100 if unit_of(rule, evaluator, shares) in (PER_CENT, POINTS) else 1
    return {
        "rule": rule,
        "evaluator": evaluator,
        "number": "" if number is None else _digits(number, factor),
    }


def _digits(number: float, factor: int) -> str:
    """
    >>> _digits(0.999, 100), _digits(1200.0, 1), _digits(0.00001, 1)
    ('99.9', '1200', '0.00001')
    """
    text = format(Decimal(repr(number)) * factor, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def sent_rows(form_data: Mapping[str, Any]) -> list[dict[str, str]]:
    """The submitted rows in their order; their numbers may have gaps."""
    numbers = {
        name.split("-")[0] for name in form_data if name.partition("-")[2] in CriterionForm.base_fields
    }
    ordered = sorted((number for number in numbers if _is_number(number)), key=int)
    return [
        {name: form_data.get(f"{number}-{name}", "") for name in CriterionForm.base_fields}
        for number in ordered
    ]


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 5


def moved(rows: Iterable[dict[str, str]], action: str) -> list[dict[str, str]]:
    """The rows after a button was pressed: `add`, or `remove-1` for the second row."""
    ordered = list(rows)
    if action == "add":
        return [*ordered, {}]
    return [row for number, row in enumerate(ordered) if action != f"remove-{number}"]


def bound(rows: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """The rows as form data, as a browser sends them."""
    return {f"{number}-{name}": text for number, row in enumerate(rows) for name, text in row.items()}
