"""Columns of what a call for an answer took: its time, its tokens and its cost, by their names and numbers."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import median

from .column_names import parts_of, words_of
from .likely import has_numbers, number_of
from .looked_at import Columns
from .role_words import OF_FILES
from .score_words import CURRENCIES, IN_MILLISECONDS, IN_SECONDS, OF_TOKENS_IN, OF_TOKENS_OUT, TIMES
from .suggest import output_of, plain

LATENCY_MS, LATENCY_S, TOKENS_IN, TOKENS_OUT, TOKENS, COST = KINDS = (
    *("latency_ms", "latency_s"),
    *("tokens_in", "tokens_out", "tokens"),
    "cost",
)
OF_RECORDINGS = {"duration", "duration_s", "length"}  # beside the names of recordings
UNCLEAR = "latency"  # of which neither name nor numbers say the unit
_ASKED = {"time", "times", "took", "taken", "zeit", "temps", "tiempo", "tempo"}  # of a call by a further word
_USAGE = {"usage"} | OF_TOKENS_IN | OF_TOKENS_OUT
_LENGTH = {"t", "dt"}  # of time, beside a unit
_TOKENS, _COSTS = {"token", "tokens"}, {"cost", "costs", "kosten", "cout", "coste", "custo"}
_BESIDE = {
    *("api", "call", "count", "e2e", "end", "llm", "model", "n", "num", "number", "of", "per", "request"),
    *("answer", "output", "response", "to", "total", "usage", "used", "wall", "sum", "in", "mean", "avg"),
}
_MOST_SECONDS, _LEAST_MS, _MOST_COST = 20, 100, 10.0  # by the middle number


def measured(file: Columns) -> None:
    """Columns that say what each answer took, of the only output or of the one in their names."""
    outputs = file.of("output")
    are_recordings = any(file.words[name] & OF_FILES for name in file.columns)
    found: dict[tuple[str, str], str] = {}
    for name in file.of("metadata", "score", "low score"):
        variant, mark = _owner(file, name)
        if plain(name) in OF_RECORDINGS and are_recordings:
            continue
        kind = kind_of(_without(name, variant, mark), [text for text in file.cells(name) if text])
        if kind and kind != UNCLEAR and (variant or len(outputs) == 1):
            found.setdefault((kind, variant), name)
    for (kind, variant), name in found.items():
        if kind != TOKENS or (TOKENS_OUT, variant) not in found:
            file.guess(name, kind, "its name says what an answer took", variant)


def _owner(file: Columns, name: str) -> tuple[str, set[str]]:
    """The variant in the name of a column beside several outputs, and the words that tell it."""
    about = file.about_outputs(name)
    if len(about) != 1:
        return "", set()
    given = file.found[about[0]].variant if about[0] in file.found else ""
    return given or output_of(about[0]) or about[0], file.marks()[about[0]]


def _without(name: str, variant: str, mark: Collection[str]) -> list[str]:
    """The words of a name without those of its variant, each taken out once: of “prompt_v1” there is no prompt.

    >>> _without("prompt_v1_prompt_tokens", "prompt_v1", {"v1"}), _without("Latency bot A (ms)", "Answer bot A", {"a"})
    (['prompt', 'tokens'], ['latency', 'ms'])
    """
    words = [*filter(None, parts_of(name))]
    for word in dict.fromkeys([*parts_of(variant), *mark]):
        if word in words:
            words.remove(word)
    return words


def of_rows(names: Iterable[str], cells: Mapping[str, Sequence[object]]) -> dict[str, str]:
    """Which of KINDS the columns are that say it of each row, the first of each kind; of tokens those out, or all.

    >>> of_rows(["cost_usd", "latency_s", "note"], {"cost_usd": [0.01], "latency_s": [1.5], "note": ["slow"]})
    {'cost_usd': 'cost', 'latency_s': 'latency_s'}
    """
    kinds: dict[str, str] = {}
    for name in names:
        kinds.setdefault(
            kind_of(words_of(name), [cell for cell in cells[name] if cell not in (None, "")]), name
        )
    if TOKENS_OUT in kinds:
        kinds.pop(TOKENS, None)
    return {name: kind for kind, name in kinds.items() if kind in KINDS}


def kind_of(words: Collection[str], cells: Iterable[object]) -> str:
    """Which of KINDS a column is by the words of its name and its cells; UNCLEAR without a unit, "" if it is none.

    >>> kind_of({"latency", "ms"}, [582]), kind_of({"duration", "s"}, [1.5]), kind_of({"usage", "total", "tokens"}, [9])
    ('latency_ms', 'latency_s', 'tokens')
    >>> kind_of({"t", "ms"}, [310, 781]), kind_of({"usage", "in"}, [12, 14]), kind_of({"in"}, [12, 14])
    ('latency_ms', 'tokens_in', '')
    >>> kind_of({"latency"}, [582, 1286]), kind_of({"latency"}, ["0.8", "1.2"]), kind_of({"latency"}, [30, 50])
    ('latency_ms', 'latency_s', 'latency')
    >>> kind_of({"cost", "usd"}, [0.002]), kind_of({"cost"}, [1250]), kind_of({"audio", "duration"}, [3.5])
    ('cost', '', '')
    >>> kind_of({"prompt", "tokens"}, [80]), kind_of({"tokens"}, ["B-PER O"]), kind_of({"max", "tokens"}, [20])
    ('tokens_in', '', '')
    """
    named, values = {*words}, [*cells]
    numbers = [number for value in values if (number := number_of(value)) is not None]
    if not numbers or not has_numbers(values) or min(numbers) < 0:
        return ""
    is_usage = "usage" in named and bool(named & (OF_TOKENS_IN | OF_TOKENS_OUT)) and not named - _USAGE
    if named & _TOKENS or is_usage:
        return _of_tokens(named - _TOKENS - _BESIDE, named)
    if named & _COSTS:
        return COST if not named - _COSTS - CURRENCIES - _BESIDE and median(numbers) < _MOST_COST else ""
    return _of_time(named, numbers)


def _of_tokens(rest: set[str], named: set[str]) -> str:
    if not rest - OF_TOKENS_IN and named & OF_TOKENS_IN and not rest & OF_TOKENS_OUT:
        return TOKENS_IN
    if not rest - OF_TOKENS_OUT and named & OF_TOKENS_OUT:
        return TOKENS_OUT
    return "" if rest else TOKENS


def _of_time(named: set[str], numbers: list[float]) -> str:
    """The kind of a column of times, whose unit its name tells, else its size: seconds are few, and have decimals."""
    units = IN_MILLISECONDS | IN_SECONDS
    # "seconds" behind a variant's name, or "t_ms"
    is_unit_alone = bool(named & units) and not named - units - _BESIDE - _LENGTH
    is_time = bool(named & TIMES) or (bool(named & _ASKED) and len(named) > 1) or is_unit_alone
    if not is_time or named - TIMES - _ASKED - units - _BESIDE - _LENGTH - {
        "inference",
        "generation",
        "execution",
    }:
        return ""
    if named & units:
        return LATENCY_MS if named & IN_MILLISECONDS else LATENCY_S
    if not named & TIMES:
        return ""  # the time of something, at which nothing says that it lasted
    middle, are_whole = median(numbers), all(number == round(number) for number in numbers)
    if middle >= _LEAST_MS:
        return LATENCY_MS
    return LATENCY_S if middle <= _MOST_SECONDS and not are_whole else UNCLEAR
