"""The answer that a harness read out of an output stands in a column beside it, and is no output of another variant."""

from collections.abc import Iterator

from .known_names import VARIANTS
from .looked_at import Columns, parts_of
from .suggest import plain

MOSTLY = 0.8  # of the cells stand in the output beside them
SHORTER = 4  # times


def extracted(file: Columns) -> None:
    """Outputs whose cells stand in longer ones beside them: `pred_small` beside `model_outputs_small`.

    Short answers may be those of another variant, so the names must form a grid, or all rows be of one model.
    """
    outputs = file.of("output")
    pairs = [*_pairs(file, outputs)]
    read = [(name, whole) for name, whole in pairs if _is_read_in(file, name, whole)]
    if len(read) * 2 == len(pairs):  # each pair is given in both orders
        for name, whole in read:
            file.guess(name, "metadata", f"it is the answer that stands in “{whole[:40]}”")
            file.no_answers.add(name)


def _pairs(file: Columns, outputs: list[str]) -> Iterator[tuple[str, str]]:
    """The outputs with the mark of another one, of two or more marks; both outputs of the one model of the file."""
    ends = {name: parts_of(name) for name in outputs}
    by_mark: dict[tuple[str, ...], list[str]] = {}
    for name, words in ends.items():
        shared = max((_shared(words, ends[other]) for other in outputs if other != name), default=0)
        by_mark.setdefault(tuple(words[len(words) - shared :]), []).append(name)
    grid = {mark: names for mark, names in by_mark.items() if mark and len(names) == 2}
    if len(grid) > 1:
        for first, second in grid.values():
            yield from ((first, second), (second, first))
    elif len(outputs) == 2 and any(
        plain(name) in VARIANTS and file.is_constant(name) for name in file.columns
    ):
        yield from ((outputs[0], outputs[1]), (outputs[1], outputs[0]))


def _shared(words: list[str], other: list[str]) -> int:
    """How many words two names have in common at their ends."""
    pairs = zip(reversed(words), reversed(other), strict=False)
    return next((at for at, (one, two) in enumerate(pairs) if one != two), min(len(words), len(other)) - 1)


def _is_read_in(file: Columns, name: str, whole: str) -> bool:
    pairs = [(one, two) for one, two in zip(file.cells(name), file.cells(whole), strict=True) if one and two]
    inside = sum(one in two for one, two in pairs)
    is_short = sum(len(one) for one, _ in pairs) * SHORTER < sum(len(two) for _, two in pairs)
    return bool(pairs) and is_short and inside >= MOSTLY * len(pairs)
