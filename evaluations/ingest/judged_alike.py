"""Finds columns of variants with one word in common that say the same few values as a label.

So "judgement_gpt" and "judgement_llama" are compared with "hallucination", whatever else is known by its name.
"""

from .by_values import bare
from .looked_at import ENOUGH, FEW_TEXTS, Columns


def judged_alike(file: Columns) -> None:
    """The label as the reference and the columns as outputs, where no output is known; texts once right are asked."""
    if file.of("output", "score", "low score", "preferred"):
        return
    labels = {name: found for name in file.of("metadata") if (found := _labels(file, name))}
    for right, known in labels.items():
        others = [name for name in labels if name != right and labels[name] <= known]
        shared = set.intersection(*(file.words[name] for name in others)) if len(others) > 1 else set()
        are_variants = any(map(file.names_a_variant, others))
        if are_variants and shared - file.words[right] and file.all_agree(others, right):
            for name in file.of("reference"):
                role = "inputs" if file.has_texts(name) else "metadata"
                file.guess(name, role, f"no output agrees with it, and all with “{right[:40]}”")
            file.guess(right, "reference", "columns with the same labels agree with it")
            for name in others:
                file.guess(name, "output", f"it has the labels of “{right[:40]}”, and agrees with it")
            return


def _labels(file: Columns, name: str) -> set[str]:
    """The few texts of a column; none of numbers, which may be anything, or of other columns."""
    present = [bare(text) for text in file.cells(name) if text]
    found = {*present}
    are_few = len(present) >= ENOUGH and 1 < len(found) <= FEW_TEXTS
    return found if are_few and file.has_texts(name) and not file.is_verdict(name) else set()
