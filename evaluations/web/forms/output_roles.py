"""Columns and paths with outputs, and columns that name the variant or the rater of each row."""

from collections.abc import Iterable

from evaluations.errors import Invalid

from .choice import NAMING_ROLES, SCORE_ROLES, Choice


def long_mapping(choices: Iterable[Choice]) -> dict[str, str]:
    """The columns of variants or raters, and of their outputs, if a column names them; else empty."""
    choices = list(choices)
    variants, raters, labels, answers = (
        [choice.source for choice in choices if choice.role == role] for role in (*NAMING_ROLES, "output")
    )
    if raters or labels:
        return _rater_mapping(raters, labels, [*variants, *answers])
    if not variants:
        return {}
    if not answers:  # the first verdict stands in place of the answers
        answers = [choice.source for choice in choices if choice.role in SCORE_ROLES][:1]
    if len(variants) > 1 or len(answers) != 1:
        raise Invalid(
            "invalid_mapping",
            "If a column names the variant of each row, exactly one column must hold the outputs.",
            hint="Set one column to Variant name and one to Output.",
        )
    return {"variant": variants[0], "output": answers[0]}


def _rater_mapping(raters: list[str], labels: list[str], outputs: list[str]) -> dict[str, str]:
    if len(raters) != 1 or len(labels) != 1 or len(outputs) > 1:
        raise Invalid(
            "invalid_mapping",
            "If a column names the rater of each row, exactly one column must hold their labels.",
            hint="Set one column to Rater, one to Rater's label, and at most one to Output: what they labelled.",
        )
    return {"rater": raters[0], "label": labels[0]} | dict(zip(["output"], outputs, strict=False))


def outputs(choices: Iterable[Choice]) -> dict[str, str]:
    """Columns and paths by the name of their variant."""
    by_variant: dict[str, str] = {}
    for choice in choices:
        if choice.role == "output":
            _check_variant(by_variant, choice)
            by_variant[choice.variant] = choice.source
    return by_variant


def _check_variant(outputs: dict[str, str], choice: Choice) -> None:
    if not choice.variant:
        raise Invalid("variant_needed", f"Name the variant of column {choice.source}.")
    if choice.variant in outputs:
        columns = f"{outputs[choice.variant]} and {choice.source}"
        raise Invalid(
            "variant_twice",
            f"Columns {columns} have the same variant name, “{choice.variant}”.",
            hint="Give each variant a different name.",
        )
