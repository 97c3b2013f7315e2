"""Columns of scores that are named after an output and a measure: gpt_score, "comet_small" beside "mt_small"."""

from collections.abc import Collection, Sequence

from . import several_raters, verdict_words
from .column_names import words_in_order
from .known_names import VARIANTS
from .likely import has_measures
from .looked_at import Columns
from .score_words import HIGHER, LOWER, OF_CALLS, OF_MATCHES, OF_TESTS, RIGHT, WRONG
from .suggest import output_of

SHORTEST = 3  # letters of the beginning of a word
TESTED = RIGHT | OF_TESTS
OF_RATINGS = several_raters.RATERS | {"rated", "bewertet"}
VAGUE = {"score", "scores"}  # names of measures that may be of anything


def named_scores(file: Columns) -> None:
    """Columns of numbers or verdicts that are named after an output and a measure whose direction is known."""
    words_of_outputs = {name: file.words[name] for name in file.of("output")}
    _low_scores(file)
    _scores_by_marks(file)
    _scores_by_short_names(file)
    are_judged = any(map(file.says_pass_or_fail, file.of("reference")))
    for name in file.of("metadata"):
        rest = [file.words[name] - words for words in words_of_outputs.values() if words < file.words[name]]
        measure = next((words for words in rest if words & (LOWER | HIGHER | RIGHT | WRONG) - OF_CALLS), None)
        if rest and file.is_penalty(name):
            role = "low score" if file.is_low_score([name]) else "score"
            file.guess(name, role, "it has the errors that somebody found in an output")
        elif measure and measure <= VAGUE and _is_of_one(file, name, measure):
            continue  # such as how sure a classifier was, beside a model that does not say so
        elif measure and (file.is_verdict(name) or has_measures([text for text in file.cells(name) if text])):
            role = "low score" if measure & (LOWER | WRONG) else "score"
            file.guess(name, role, "it is named after an output and a measure")
        elif len(words_of_outputs) == 1 and (
            file.is_verdict(name)
            or (file.words[name] & OF_MATCHES and file.is_true_or_false(name) and file.of("reference"))
            or (not are_judged and (file.says_pass_or_fail(name) or file.asks_if_right(name)))
        ):
            role = "low score" if file.words[name] & WRONG else "score"
            file.guess(name, role, "it says whether the output is right")


def _low_scores(file: Columns) -> None:
    """Scores of a tool, by their names, of which less is better: toxicity/v1/score."""
    for name in file.of("score"):
        if name not in file.found and file.words[name] & LOWER - OF_CALLS:
            file.guess(name, "low score", "less is better, by its name")


def _scores_by_marks(file: Columns) -> None:
    """Measures named after what tells the outputs apart: "comet_small" and "comet_large" beside "mt_small" and …"""
    marks = file.marks()
    shared = set.intersection(*(file.words[output] for output in marks)) if marks else set()
    by_measure: dict[tuple[str, ...], dict[str, str]] = {}
    for name in file.of("metadata"):
        outputs_of_name = file.about_outputs(name)
        if len(outputs_of_name) == 1:
            [output] = outputs_of_name
            rest = tuple(word for word in words_in_order(name) if word not in marks[output])
            measure = tuple(word for word in rest if word not in shared) or rest
            by_measure.setdefault(measure, {})[output] = name
    people = _people(file, [names for names in by_measure.values() if names.keys() == marks.keys()])
    for measure, names in by_measure.items():
        if names in people:
            for output, name in names.items():
                variant = file.found[output].variant if output in file.found else ""
                reason = "somebody rated an output on the scale of others"
                file.guess(name, "score", reason, variant or output_of(output) or output, _shown(measure))
            continue
        known, are_numbers = _known(file, measure, names.values())
        are_said = not any(map(file.is_constant, names.values())) and not {*measure} & VARIANTS
        if names.keys() == marks.keys() and are_said and not are_numbers:
            for output, name in names.items():
                file.guess(name, "metadata", f"it says something about “{output[:40]}”")
        if not known or names.keys() != marks.keys() or not are_numbers:
            continue
        for output, name in names.items():
            variant = file.found[output].variant if output in file.found else ""
            role = "low score" if known & LOWER else "score"
            reason = "it is named after an output and a measure"
            file.guess(name, role, reason, variant or output_of(output) or output, " ".join(measure))


def _known(file: Columns, measure: Collection[str], names: Collection[str]) -> tuple[set[str], bool]:
    """The words of a measure whose direction is known, and whether its columns have numbers.

    Those of tests have true and false, as "exec match" has.
    """
    if {*measure} & TESTED and all(map(file.is_true_or_false, names)):
        return {*measure} & TESTED, True
    if all(map(file.asks_if_right, names)):
        return {*measure}, True
    said = {text for name in names for text in file.cells(name) if text}
    if measure and not file.graded and verdict_words.are_results(said):
        return {*measure}, True
    known = {word.rstrip("0123456789") for word in measure} & (LOWER | HIGHER | OF_RATINGS) - OF_CALLS
    return known, all(has_measures([text for text in file.cells(name) if text]) for name in names)


def _people(file: Columns, columns: Sequence[dict[str, str]]) -> Sequence[dict[str, str]]:
    """Of columns by output, those of two or more people: named after no quality, with whole numbers of one scale."""
    named = [names for names in columns if all(map(several_raters.may_be_person, names.values()))]
    cells = [[row.get(name) for row in file.rows] for names in named for name in names.values()]
    return named if len(named) > 1 and several_raters.are_on_one_scale(cells) else []


def _shown(measure: tuple[str, ...]) -> str:
    return " ".join(measure).title()


def _scores_by_short_names(file: Columns) -> None:
    """Measures named after the beginnings of outputs' names: "comet_tower" beside "TowerInstruct-7B", one of each."""
    by_measure: dict[frozenset[str], dict[str, str]] = {}
    for name in file.of("metadata"):
        words = {*words_in_order(name)}
        measure = {word for word in words if word.rstrip("0123456789") in (LOWER | HIGHER) - OF_CALLS - VAGUE}
        outputs = [output for output in file.of("output") if _begin(words - measure, file.words[output])]
        if measure and len(outputs) == 1 and has_measures([text for text in file.cells(name) if text]):
            by_measure.setdefault(frozenset(measure), {})[outputs[0]] = name
    for of_measure, names in by_measure.items():
        if names.keys() != {*file.of("output")} or len(names) < 2:
            continue
        for output, name in names.items():
            variant = file.found[output].variant if output in file.found else ""
            role = "low score" if {word.rstrip("0123456789") for word in of_measure} & LOWER else "score"
            shown = " ".join(word for word in words_in_order(name) if word in of_measure)
            reason = "it is named after the beginning of an output's name, and a measure"
            file.guess(name, role, reason, variant or output_of(output) or output, shown)


def _begin(words: Collection[str], of_output: Collection[str]) -> bool:
    """Whether some words are all beginnings of words of a name."""
    return bool(words) and all(
        word in of_output or (len(word) >= SHORTEST and any(other.startswith(word) for other in of_output))
        for word in words
    )


def _is_of_one(file: Columns, name: str, measure: set[str]) -> bool:
    """Whether only one of several outputs has a column of this measure."""
    outputs = file.of("output")
    having = [
        one for one in outputs if any(file.words[one] | measure == words for words in file.words.values())
    ]
    return len(outputs) > 1 >= len(having)
