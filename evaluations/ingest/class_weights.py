"""Lists of how likely each class is, beside the classes that models chose: roberta_probs of roberta_pred."""

from evaluations.linear import Pattern

from .looked_at import Columns

FEWEST = 10  # cells
MOST_OTHER = 0.05  # share of the cells that may be something else
_NUMBER = r"-?\d*\.?\d+(?:[eE][-+]?\d+)?"
_OF = rf"""(?:["'][^"',:]*["']\s*:\s*)?{_NUMBER}"""
_WEIGHTS = Pattern(rf"[\[({{]\s*{_OF}(?:[\s,;]+{_OF})+\s*[\])}}]")
_FRACTION = Pattern(r"\d*\.\d|\de-")


def class_weights(file: Columns) -> None:
    """Columns of such lists or objects are no answers beside a column with a word of their names that has none.

    Where a column that is right has such lists too, as the corners of a box, they are what is asked for.
    """
    found = [name for name in file.of("metadata") if _has_weights(file, name)]
    others = [name for name in file.of("metadata", "output") if name not in found]
    if any(_has_weights(file, name) for name in file.of("reference")):
        return
    for name in found:
        if any(file.words[name] & file.words[other] for other in filter(file.names_a_variant, others)):
            file.no_answers.add(name)


def _has_weights(file: Columns, name: str) -> bool:
    """Whether nearly all cells are several numbers, one at least with a fraction in most cells."""
    present = [text for text in file.cells(name) if text]
    other = sum(not _WEIGHTS.fullmatch(text) for text in present)
    fractions = sum(bool(_FRACTION.search(text)) for text in present)
    return len(present) >= FEWEST and other <= MOST_OTHER * len(present) and fractions * 2 > len(present)
