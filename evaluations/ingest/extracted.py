"""The answer that a harness read out of an output stands in a column beside it, and is no output of another variant."""

from itertools import permutations

from .column_names import parts_of
from .known_names import VARIANTS
from .looked_at import Columns
from .role_words import READ_OUT
from .suggest import plain

MOSTLY = 0.8  # of the cells stand in the output beside them
OFTEN = 0.5  # of them stand in one whose name says that it is raw
RAW = {"raw", "full", "gen", "generation", "generated", "出力"}
READ = READ_OUT | {"ans", "answer", "choice", "final", "予測"}
SHORTER = 4  # times


def extracted(file: Columns) -> None:
    """Outputs whose cells stand in longer ones beside them: `pred_small` beside `model_outputs_small`.

    Short answers may be those of another variant, so the names must form a grid, or all rows be of one model.
    """
    outputs = file.of("output")
    for pairs in (_by_mark(outputs, -1), _by_mark(outputs, 1)):
        coded = [whole for name, whole in pairs if _is_code_of(file, name, whole)]
        if coded and len(coded) * 2 == len(pairs):
            for whole in coded:
                file.guess(whole, "metadata", "a column beside it has its answer as the reference writes it")
            return
    for pairs in (_by_mark(outputs, -1), _by_mark(outputs, 1), _of_one_model(file, outputs)):
        read = [(name, whole) for name, whole in pairs if _is_read_in(file, name, whole)]
        if read and len(read) * 2 == len(pairs):  # each pair is given in both orders
            for name, whole in read:
                file.guess(name, "metadata", f"it is the answer that stands in “{whole[:40]}”")
                file.no_answers.add(name)
            return


def _by_mark(outputs: list[str], direction: int) -> list[tuple[str, str]]:
    """The outputs with the mark of another one, of two or more marks, at the end of names (-1) or at the beginning."""
    words = {name: parts_of(name)[::-direction] for name in outputs}
    by_mark: dict[tuple[str, ...], list[str]] = {}
    for name, own in words.items():
        shared = max((_shared(own, words[other]) for other in outputs if other != name), default=0)
        by_mark.setdefault(tuple(own[len(own) - shared :]), []).append(name)
    grid = {mark: names for mark, names in by_mark.items() if mark and len(names) == 2}
    return [pair for names in grid.values() for pair in permutations(names, 2)] if len(grid) > 1 else []


def _of_one_model(file: Columns, outputs: list[str]) -> list[tuple[str, str]]:
    """Both outputs of the one model of the file."""
    is_one = any(plain(name) in VARIANTS and file.is_constant(name) for name in file.columns)
    return [*permutations(outputs, 2)] if len(outputs) == 2 and is_one else []


def _is_code_of(file: Columns, name: str, whole: str) -> bool:
    """Whether a column is named as what was read out of another one, and only this one says what the reference does."""
    is_named = bool(file.words[name] & READ_OUT) and not file.words[whole] & READ_OUT
    return is_named and any(
        file.agree(name, right) and not file.agree(whole, right) for right in file.of("reference")
    )


def _shared(words: list[str], other: list[str]) -> int:
    """How many words two names have in common at their ends."""
    pairs = zip(reversed(words), reversed(other), strict=False)
    return next((at for at, (one, two) in enumerate(pairs) if one != two), min(len(words), len(other)) - 1)


def _is_read_in(file: Columns, name: str, whole: str) -> bool:
    pairs = [(one, two) for one, two in zip(file.cells(name), file.cells(whole), strict=True) if one and two]
    inside = sum(one in two for one, two in pairs)
    if file.has_structures(name) and file.words[whole] & RAW and not file.has_structures(whole):
        return True  # the object in it, without a fence or in other writing
    is_short = sum(len(one) for one, _ in pairs) * SHORTER < sum(len(two) for _, two in pairs)
    are_most = bool(pairs) and inside >= MOSTLY * len(pairs)
    if not file.words[whole] & RAW or file.words[name] & RAW:
        return are_most and is_short
    is_read = is_short or bool(file.words[name] & READ)
    return are_most or (bool(pairs) and is_read and inside >= OFTEN * len(pairs))
