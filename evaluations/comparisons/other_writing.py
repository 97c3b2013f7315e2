"""Answers that write their label otherwise than the reference, or in a sentence, and are right all the same."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluations.evaluators.recipe import Recipe
from evaluations.mapping.choice import Choice
from evaluations.mapping.sources import Matched
from evaluations.models import EvaluatorVersion, Run
from evaluations.numerals import grouped, plural
from evaluations.process_cache import ProcessCache
from evaluations.scoring.rows import Rows
from evaluations.scoring.rows import outputs as stored_outputs
from evaluations.statistics.wording import Part
from evaluations.values import JSON

from .figures.figures import Figures

MOST, AT_ONCE = 20_000, 5_000  # positions that are looked at, and how many of them at once
LONGEST = 200  # characters of an answer that is a label and nothing else
MOST_SIDES = 5


@dataclass(frozen=True)
class Found:
    """Of the `answers` looked at, how many write their label `otherwise`, and how many have it `inside` other words;
    with an `example` of the first."""

    answers: int = 0
    otherwise: int = 0
    inside: int = 0
    example: str = ""

    def __add__(self, other: "Found") -> "Found":
        return Found(
            self.answers + other.answers,
            self.otherwise + other.otherwise,
            self.inside + other.inside,
            self.example or other.example,
        )


counted: ProcessCache[str, Found] = ProcessCache("labels written otherwise", 500)


def told(figures: Figures) -> list[Part]:
    """How many answers of each side write the label otherwise, with the first of them, and how many that are right say
    it in a sentence; empty where none writes it otherwise."""
    version = figures.evaluators.scoring(figures.primary.pk).evaluator_version
    recipe = Recipe.from_version(version)
    if not _reads_labels(recipe):
        return []
    sides = [side for side in figures.sides if not side.is_averaged][:MOST_SIDES]
    found = [(figures.sides.label(side.run), _of_run(version, recipe, side.run)) for side in sides]
    written = [(label, of_side.answers, of_side.otherwise) for label, of_side in found if of_side.otherwise]
    if not written:
        return []
    said = [(label, of_side.answers, of_side.inside) for label, of_side in found if of_side.inside]
    example = next(of_side.example for _, of_side in found if of_side.example)
    verb, them = ("writes", "it") if _total(written) == 1 else ("write", "them")
    told = [*_clauses(written), ("", f" {verb} the label otherwise (“{example}”)")]
    if said:
        verb, them = "says" if _total(said) == 1 else "say", "them"
        told += [("", ", and "), *_clauses(said), ("", f" {verb} it in a sentence")]
    return [*told, ("", f"; a comparison letter by letter counts {them} wrong.")]


def _total(named: Sequence[tuple[str, int, int]]) -> int:
    return sum(count for *_, count in named)


def _clauses(named: Sequence[tuple[str, int, int]]) -> list[Part]:
    """Such as "3 of 40 answers of old and 2 of 40 answers of new"."""
    clauses: list[Part] = [
        part
        for label, answers, count in named
        for part in (
            ("", " and "),
            ("number", grouped(count)),
            ("", f" of {plural(answers, 'answer')} of "),
            ("name", label),
        )
    ]
    return clauses[1:]


def _reads_labels(recipe: Recipe) -> bool:
    """Whether an answer is right that names a label in other letters."""
    source = recipe.mapping.sources.get("actual")
    steps = source.reading.steps if isinstance(source, Matched) and source.reading else ()
    return recipe.is_share and (recipe.kind.reads_labels or any(isinstance(step, Choice) for step in steps))


def _of_run(version: EvaluatorVersion, recipe: Recipe, run: Run) -> Found:
    key = repr((version.pk, run.pk, run.revision))
    known = counted.get(key)
    if known is None:
        parts = [_looked_at(recipe, run, first) for first in range(1, MOST, AT_ONCE)]
        known = sum(parts, Found())
        counted.put(key, known)
    return known


def _looked_at(recipe: Recipe, run: Run, first: int) -> Found:
    rows = Rows.read(run, first, first + AT_ONCE - 1, recipe.needs)
    if not len(rows.positions):
        return Found()
    at = rows.positions.tolist()
    outputs = stored_outputs(run, at, position__gte=at[0], position__lte=at[-1])
    expected = recipe.mapping.column(rows.contexts, "expected").values
    candidates = [n for n, output in enumerate(outputs) if _is_other(output, expected[n])]
    scores = _right(recipe, run, rows.positions[candidates].tolist()) if candidates else []
    right = [n for n, is_right in zip(candidates, scores, strict=True) if is_right]
    texts = [str(outputs[n]).strip() for n in right if _is_otherwise(outputs[n], expected[n])]
    answers = sum(output is not None for output in outputs)
    return Found(answers, len(texts), len(right) - len(texts), texts[0] if texts else "")


def _is_other(output: JSON, reference: JSON) -> bool:
    """Whether two texts differ, letter by letter."""
    return isinstance(output, str) and isinstance(reference, str) and output.strip() != reference.strip()


def _is_otherwise(output: JSON, reference: JSON) -> bool:
    """
    >>> _is_otherwise("Damaged goods", "damaged_goods"), _is_otherwise(" a ", "a"), _is_otherwise("a", "b")
    (True, False, False)
    """
    if not isinstance(output, str) or not isinstance(reference, str) or len(output) > LONGEST:
        return False
    return output.strip() != reference.strip() and _letters(output) == _letters(reference)


def _letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _right(recipe: Recipe, run: Run, positions: Sequence[int]) -> list[bool]:
    scores = recipe.scores(Rows.at(run, positions, recipe.needs).contexts)
    return [bool(value == 1) for value in scores.values]
