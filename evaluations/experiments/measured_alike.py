"""The advice where a file has a measure of its own beside texts: what a column called WER says is an evaluator here."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from evaluations import kinds
from evaluations.ingest.column_names import words_of
from evaluations.ingest.likely import measure_of
from evaluations.kinds.advised import Advised
from evaluations.kinds.advised_transcripts import AS_HEARD
from evaluations.values import JSON

from .advice import Advice
from .advised_reading import mapping_of
from .option_texts import Inputs

# the evaluators of measures by the words for them, without their numbers, the likelier settings first
_ERRORS = [
    Advised("error_rate", "", config={} if unit == "word" else {"unit": unit}, read=read)
    for unit in ("word", "character")
    for read in ([AS_HEARD], [])
]
_ROUGE = [
    Advised("rouge_l", "", config={} if measure == "rougeL" else {"measure": measure})
    for measure in ("rougeL", "rouge1", "rouge2")
]
MEASURES: dict[str, Sequence[Advised]] = {
    "wer": _ERRORS[:2],
    "cer": _ERRORS[2:],
    "bleu": [Advised("sentence_bleu", "")],
    "chrf": [Advised("chrf", "")],
    "rouge": _ROUGE,
    "rougel": _ROUGE[:1],
}
# names that may be of anything: only where the numbers are the same
WHERE_ALIKE: dict[str, Sequence[Advised]] = {
    "f": [Advised("token_f1", "")],
    "em": [Advised("exact_match", "")],
    "levenshtein": [Advised("levenshtein_similarity", ""), Advised("levenshtein_distance", "")],
}
NEAR = 0.02  # mean distance of an evaluator's scores from those of the file
ENOUGH = 10  # outputs of which both say something
HUNDRED = 100.0


def by_measures(
    advice: Advice | None,
    said: Mapping[str, Sequence[JSON]],
    references: Sequence[JSON],
    outputs: Sequence[JSON],
    asked: Sequence[Inputs],
) -> Advice | None:
    """The advice, or the evaluator of the first measure that a file has of all outputs, where that compares texts.

    `said` has what each score of the file says of the outputs. Whose numbers an evaluator has as well is taken first.
    """
    if advice is None or not (
        kinds.get(advice.kind).measures_likeness or advice.kind in ("contains", "exact_match")
    ):
        return advice
    first: Advice | None = None
    for name, values in said.items():
        words = {word.rstrip("0123456789") for word in words_of(name)}
        for word, found in (MEASURES | WHERE_ALIKE).items():
            for advised in found if word in words else ():
                reason = f"“{name[:40]}” in the file is this measure"
                mapping = mapping_of(advised, references, outputs, None)
                other = Advice.of_kind(
                    advised._replace(reason=reason), mapping, references, outputs, asked=asked
                )
                if _are_near(other.judged(), values):
                    return other
                first = first or (other if word in MEASURES else None)
    return first or advice


def _are_near(judged: Sequence[float | None], values: Sequence[JSON]) -> bool:
    """Whether scores are those of the file, which may be per cent."""
    known = [measure_of(value) for value in values]
    by = HUNDRED if max((abs(number) for number in known if number is not None), default=0.0) > 2 else 1.0
    apart = [
        abs(score - number / by)
        for score, number in zip(judged, known, strict=False)
        if score is not None and number is not None
    ]
    return len(apart) >= ENOUGH and fmean(apart) <= NEAR
