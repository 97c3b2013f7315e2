"""What the primary evaluator may not see of right answers: their order, other writing, other code, or any at all."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import orjson
from django.db.models.functions import Length

from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.advised_code import PERHAPS_FENCED, QUERY
from evaluations.kinds.advised_lists import as_words
from evaluations.kinds.advised_numbers import NUMBER_WORDS
from evaluations.kinds.advised_orders import are_orders, ask_for_order
from evaluations.mapping import Contexts, listings
from evaluations.mapping.reasoning import split_reasoning
from evaluations.mapping.step import NotFound
from evaluations.mapping.steps import Json
from evaluations.mapping.written_values import is_other, is_otherwise
from evaluations.models import EvaluatorVersion, Output, Run
from evaluations.numerals import grouped
from evaluations.process_cache import ProcessCache
from evaluations.statistics.wording import Part, names
from evaluations.values import JSON, Status, by_column

from .figures.figures import Figures

SEEN, LOOKED = 100, 2_000  # examples of each run; characters of an answer, of which longer ones say nothing
ENOUGH = 20  # answers from which something is said
FEWEST, SHARE = 5, 0.1  # answers that are worth a word, and their share of those that could be so
LONGEST_MEMBER, LEAST_WORDS = 100, 4  # characters of a member of a list; of a reference that is looked for
ALMOST_NONE = 0.02  # mean of a variant from which hardly an answer is right
OF_WORDS = ("exact_match", "contains")
WITHOUT_ORDER = ("token_f1", "similarity_match")

found: ProcessCache[str, "Seen"] = ProcessCache("answers that an evaluator may not see", 500)


class Seen(NamedTuple):
    """Of the first answers of each run: how many there are, turned lists, and right words that are called wrong."""

    answers: list[int]
    turned: list[int]
    otherwise: list[int]
    omitted: list[int]  # answers without a field that is null in the reference


def told(figures: Figures, baseline: int, side: int) -> list[Part]:
    """Cautions for two sides; empty where the primary sees what there is to see."""
    version = figures.evaluators.scoring(figures.primary.pk).evaluator_version
    recipe = Recipe.from_version(version)
    if not _compares_texts(recipe):
        return []
    runs = [figures.sides[index].run for index in (baseline, side)]
    labels = [figures.sides.label(run) for run in runs]
    key = repr((version.pk, [(run.pk, run.revision) for run in runs]))
    seen = found.get(key)
    if seen is None:
        found.put(key, seen := _seen(recipe, runs))
    facts = [
        _turned(recipe, version, labels, seen),
        _otherwise(version, labels, seen),
        _omitted(version, labels, seen),
        _code(version),
    ]
    return [part for fact in facts if fact for part in [("", " "), *fact]][1:]


def none_right(figures: Figures, where: str = "read some below") -> list[Part]:
    """That hardly an answer of some variants is right, which may be a matter of how they write them.

    `where` says what to look at.
    """
    version = figures.evaluators.scoring(figures.primary.pk).evaluator_version
    recipe = Recipe.from_version(version)
    means = figures.scored(figures.primary).means
    none = [index for index, mean in enumerate(means) if mean is not None and mean <= ALMOST_NONE]
    if not _compares_texts(recipe) or not recipe.is_share or not 0 < len(none) < len(means):
        return []
    if figures.primary_family.n < ENOUGH:
        return []
    labels = [figures.sides.label(figures.sides[index].run) for index in none]
    return [
        ("", "Hardly an answer of "),
        *names(labels),
        ("", " is right by "),
        ("evaluator", version.evaluator.name),
        ("", f": {where}, because they may only be written in another way."),
    ]


def _compares_texts(recipe: Recipe) -> bool:
    return "expected" in recipe.kind.parameters and not recipe.needs_server and not recipe.is_judge


def _turned(recipe: Recipe, version: EvaluatorVersion, labels: Sequence[str], seen: Seen) -> list[Part]:
    return (
        _of_each(
            labels,
            seen,
            seen.turned,
            " have the members of the reference in another order; ",
            version,
            " does not see that.",
        )
        if _ignores_order(recipe) and _is_worth(seen.turned, seen)
        else []
    )


def _otherwise(version: EvaluatorVersion, labels: Sequence[str], seen: Seen) -> list[Part]:
    if not _is_worth(seen.otherwise, seen):
        return []
    what = " say the reference with more words, with fewer, or in another way of writing; "
    return _of_each(labels, seen, seen.otherwise, what, version, " calls them wrong.")


def _omitted(version: EvaluatorVersion, labels: Sequence[str], seen: Seen) -> list[Part]:
    if not _is_worth(seen.omitted, seen):
        return []
    what = " leave out fields that are null in the reference; "
    return _of_each(labels, seen, seen.omitted, what, version, " counts these as wrong.")


def _code(version: EvaluatorVersion) -> list[Part]:
    """That the same code is looked for, and code that does the same is called wrong."""
    steps = version.mapping.get("actual", {}).get("read") or []
    if version.kind != "exact_match" or not any(step in steps for step in (PERHAPS_FENCED, QUERY)):
        return []
    means = " calls code right only as the reference has it; other code that does the same counts as wrong."
    return [("evaluator", version.evaluator.name), ("", means)]


def _is_worth(counts: Sequence[int], seen: Seen) -> bool:
    shares = [count / max(answers, 1) for count, answers in zip(counts, seen.answers, strict=True)]
    return max(counts) >= FEWEST and max(shares) >= SHARE


def _of_each(
    labels: Sequence[str],
    seen: Seen,
    counts: Sequence[int],
    what: str,
    version: EvaluatorVersion,
    verdict: str,
) -> list[Part]:
    said = [
        part
        for count, label in zip(counts, labels, strict=True)
        for part in (
            ("", " and "),
            ("number", grouped(count) if count else "none"),
            ("", " of "),
            ("name", label),
        )
    ]
    one, other = seen.answers
    answers = f"{one} answers of each" if one == other else f"{one} and {other} answers"
    return [
        ("", f"Of the first {answers}, "),
        *said[1:],
        ("", what),
        ("evaluator", version.evaluator.name),
        ("", verdict),
    ]


def _ignores_order(recipe: Recipe) -> bool:
    config = recipe.parsed
    return (
        recipe.kind.key in WITHOUT_ORDER
        or bool(getattr(config, "ignore_order", False))
        or getattr(config, "lists", "position") == "best"
    )


def _seen(recipe: Recipe, runs: Sequence[Run]) -> Seen:
    examples = runs[0].experiment.examples.filter(position__lte=SEEN)
    rows = examples.values_list("position", "reference", "inputs")
    known = {position: by_column("reference", orjson.loads(text)) for position, text, _ in rows}
    can_be_turned = _ignores_order(recipe) and _is_order([text for *_, text in rows], known)
    seen = Seen([], [], [], [])
    for run in runs:
        outputs = Output.objects.filter(run=run, position__in=known, text__isnull=False)
        seen.answers.append(outputs.count())
        whole = outputs.alias(length=Length("text")).filter(length__lte=LOOKED)
        texts = {position: text or "" for position, text in whole.values_list("position", "text")}
        answers = [(split_reasoning(text)[1], known[position]) for position, text in texts.items()]
        seen.turned.append(sum(_is_turned(*row) for row in answers) if can_be_turned else 0)
        seen.omitted.append(sum(_omits(*row) for row in answers) if recipe.kind.key == "json_fields" else 0)
        seen.otherwise.append(_called_wrong(recipe, list(texts.items()), known))
    return seen


def _is_order(inputs: Sequence[str], known: dict[int, dict[str, JSON]]) -> bool:
    """Whether the order of what is listed counts: inputs ask for one, or references have signs of one."""
    references = [value for reference in known.values() for value in reference.values()]
    return ask_for_order(inputs) or (references != [] and are_orders(references))


def _is_turned(text: str, reference: dict[str, JSON]) -> bool:
    """Whether an answer has the members of a reference, two or more, in another order."""
    given = [as_words(one) for one in listings.members(text)]
    if len(given) < 2 or max(map(len, given)) > LONGEST_MEMBER:
        return False
    return any(
        given != wanted and sorted(given) == sorted(wanted)
        for value in reference.values()
        if (wanted := [as_words(one) for one in listings.members(value)])
    )


def _omits(text: str, reference: dict[str, JSON]) -> bool:
    """Whether an answer is an object without a field that the reference has as null."""
    try:
        given = Json(step="json").read(text)
        known = [Json(step="json").read(value) for value in reference.values()]
    except NotFound:
        return False
    wanted = [name for one in known if isinstance(one, dict) for name, value in one.items() if value is None]
    return isinstance(given, dict) and any(name not in given for name in wanted)


def _called_wrong(recipe: Recipe, texts: Sequence[tuple[int, str]], known: dict[int, dict[str, JSON]]) -> int:
    """How many answers have the words of a reference, or some of them only, and are wrong, where words are compared."""
    if recipe.kind.key not in OF_WORDS or recipe.needs - {"output", "reference"}:
        return 0
    rows: list[dict[str, JSON]] = [{"output": text, "reference": known[position]} for position, text in texts]
    columns = list(next(iter(known.values()), {}))
    scores = recipe.scores(Contexts.of_rows(rows, columns))
    wrong = [
        value == 0 and status == Status.SCORED
        for value, status in zip(scores.values, scores.status, strict=True)
    ]
    every = {one.strip() for reference in known.values() for one in _texts(reference)}
    return sum(
        is_wrong and _says(split_reasoning(text)[1], known[position], every)
        for is_wrong, (position, text) in zip(wrong, texts, strict=True)
    )


def _says(text: str, reference: dict[str, JSON], every: Collection[str]) -> bool:
    """Whether a text has a reference in other words or another way of writing, and is not what another example has."""
    words, right = as_words(text), [*_texts(reference)]
    if is_other(text, right, every):
        return False
    return any(_is_near(words, as_words(one)) for one in right) or is_otherwise(text, right, every)


def _is_near(said: str, reference: str) -> bool:
    """Whether words have those of a reference, or are a part of them, or its number in words."""
    number = NUMBER_WORDS.get(reference.strip())
    if number is not None or len(reference.strip()) < LEAST_WORDS:
        return number is not None and number in said
    return reference in said or (len(said.strip()) >= LEAST_WORDS and said in reference)


def _texts(reference: dict[str, JSON]) -> Iterator[str]:
    for value in reference.values():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str | int) and as_words(str(one)).strip():
                yield str(one)
