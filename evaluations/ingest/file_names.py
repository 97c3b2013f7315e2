"""Reads the paths of files: which name examples or right answers, and which words tell those of variants apart."""

from collections.abc import Iterable, Sequence, Set

from evaluations.linear import Pattern

from .known_names import OUTPUTS, REFERENCES
from .role_words import PREDICTED, REFERENCE_WORDS
from .suggest import plain

# names of files with the right answers, and words in names of files with the examples
RIGHT_ANSWERS = {
    "answer",
    "answer_key",
    "answers",
    "label",
    "labels",
    "solution",
    "solutions",
    "target",
    "targets",
}
DATA = {
    "corpus",
    "data",
    "dataset",
    "dev",
    "examples",
    "inputs",
    "prompts",
    "questions",
    "source",
    "src",
    "test",
}
DATA |= {"train", "val", "validation"}
# words in names of files and columns that all variants have
GENERIC = (
    PREDICTED | OUTPUTS | {"answers", "completions", "eval", "generations", "hyp", "outputs", "predictions"}
)
GENERIC |= {"preds", "responses", "result", "results", "run", "samples", "scores", "sys", "system"}
# words in names of files that show how to hand in answers
SAMPLES = {
    *("dummy", "example", "format", "placeholder", "sample", "skeleton", "template"),
    *("beispiel", "muster", "vorlage", "exemple", "modele", "ejemplo", "plantilla", "muestra", "esempio"),
    *("modello", "exemplo", "modelo", "voorbeeld", "sjabloon", "サンプル", "例", "样例", "示例", "模板"),
}
_UNDERSCORE = Pattern("_")
_OF_ORGANISATION = "\0"  # in place of two underscores
_SEPARATOR = Pattern(r"[_\s-]")
_MODEL = Pattern(r"(?:^|[,:;&/])model=([^,:;&/]+)")
_WORD = Pattern(r"[^\p{L}\p{N}]+")
_ID = Pattern(r"(?i)[0-9a-f]{7,}|[a-z0-9]{12,}")
_TIME = Pattern(r"\d{4}-\d{2}-\d{2}.*|\d{2}-\d{2}-\d{2}.*|\d+")
VERSION = Pattern(r"(?i)v?\d{1,3}")


def is_named_as_data(path: str) -> bool:
    """Whether a file is named after what is asked or right: "gold.csv", "src.txt", "possible_answer/simple.json".

    >>> [is_named_as_data(name) for name in ("gold", "data/ref.de", "predictions_gold-mt", "answers_gpt-4o")]
    [True, True, False, False]
    >>> [is_named_as_data(name) for name in ("solution", "gpt-4o/solution")]  # in a folder, it may be that of a model
    [True, False]
    """
    words = {*filter(None, _WORD.split(path.casefold()))}
    if plain(path) in RIGHT_ANSWERS:
        return True
    if words & GENERIC:
        return False
    return (
        bool(words & (REFERENCE_WORDS | REFERENCES | DATA)) or plain(path.rpartition("/")[2]) in RIGHT_ANSWERS
    )


def is_named_as_sample(path: str) -> bool:
    """Whether a file is named after what it shows: "sample_submission", "Vorlage Abgabe".

    >>> [is_named_as_sample(name) for name in ("data/sampleSubmission", "Abgabe-Vorlage", "samples_gpt-4o", "tuned")]
    [True, True, False, False]
    """
    return bool({*_WORD.split(plain(path.rpartition("/")[2]).replace("_", " "))} & SAMPLES)


def places(path: str) -> list[str]:
    """The folders of a path, and the words of its name: what may tell variants apart.

    >>> places("runs/samples_Qwen__Qwen2.5-7B_2025-03-04")  # an organisation and its model are one word
    ['runs', 'samples', 'Qwen__Qwen2.5-7B', '2025-03-04']
    """
    *folders, name = path.split("/")
    return [
        *folders,
        *(word.replace(_OF_ORGANISATION, "__") for word in name.replace("__", _OF_ORGANISATION).split("_")),
    ]


def folder_of(path: str) -> str:
    """The folders of a path; "" without any."""
    return path.rpartition("/")[0]


def names_of(paths: Sequence[str]) -> list[str]:
    """The names of variants by the paths of their files: the folders that differ, else the part of the name that does.

    >>> names_of(["result/gpt-4o/simple", "result/llama/simple"]), names_of(["preds-gpt-4o", "preds-gpt-4.1"])
    (['gpt-4o', 'llama'], ['gpt-4o', 'gpt-4.1'])
    >>> names_of(["preds", "preds_new"])
    ['preds', 'preds_new']
    """
    folders = [path.split("/")[:-1] for path in paths]
    if len({*map(len, folders)}) == 1:
        differing = [place for place in zip(*folders, strict=True) if len({*place}) > 1]
        named = ["/".join(parts) for parts in zip(*differing, strict=True)]
        if len({*named}) == len(paths):
            return _models(named) or named
    names = shortened(path.rpartition("/")[2] for path in paths)
    return names if len({*names}) == len(paths) else [*paths]


def shortened(names: Iterable[str]) -> list[str]:
    """The values of `model=` in names; else these without what all have at both ends.

    That is any words between underscores, and generic ones between other signs.

    >>> shortened(["mmlu:subset=law,model=gpt-4o", "mmlu:subset=law,model=llama-3"]), shortened(["run_a_x", "run_b_x"])
    (['gpt-4o', 'llama-3'], ['a', 'b'])
    """
    listed = [*names]
    return _models(listed) or _trimmed(_trimmed(listed, _UNDERSCORE, None), _SEPARATOR, GENERIC)


def _models(names: Sequence[str]) -> list[str]:
    """The values of `model=` in names; [] unless each has one of its own."""
    models = [found[1] for name in names if (found := _MODEL.search(name))]
    return models if len({*models}) == len(names) else []


def _trimmed(names: list[str], separator: "Pattern[str]", words: Set[str] | None) -> list[str]:
    """The names without the words at both ends that all have, if they are among `words`."""
    for end in (0, -1):
        while len({separator.split(name)[end] for name in names}) == 1:
            word = separator.split(names[0])[end]
            if word in names or (words is not None and word.casefold() not in words):
                break
            names = [name[len(word) + 1 :] if end == 0 else name[: -len(word) - 1] for name in names]
    return names


def apart(paths: Sequence[str]) -> list[str]:
    """What sets the names of files apart, without times, ids and an ending that all have; "" where nothing does.

    >>> apart(["x-1.5_gpt-4o.lite120", "y_gpt-4.1.lite120"]), apart(["2025-01-01_qa", "2025-01-02_qa"])
    (['x-1.5_gpt-4o', 'y_gpt-4.1'], ['', ''])
    """
    names = names_of(paths)
    ends = {ending(name) for name in names}
    last = ends.pop() if len(ends) == 1 else ""
    words = [_UNDERSCORE.split(name.removesuffix(last)) for name in names]
    shared = {*words[0]}.intersection(*words)
    return ["_".join(word for word in of_name if word not in shared and not is_id(word)) for of_name in words]


def ending(name: str) -> str:
    """The last part of a name behind a point, with the point; "" for a short one or a part of a version."""
    end = name.rpartition(".")[2] if "." in name else ""
    return "" if end[:1].isdecimal() or len(end) < 4 else f".{end}"


def is_id(word: str) -> bool:
    """Whether a word is a time or made by a program: a digest, or many letters and digits without a sign."""
    is_mixed = sum(sign.isdecimal() for sign in word) >= 3 or _is_hex(word)
    is_version = bool(VERSION.fullmatch(word))
    return not is_version and bool(_TIME.fullmatch(word) or (_ID.fullmatch(word) and is_mixed))


def _is_hex(word: str) -> bool:
    return any(sign.isdecimal() for sign in word) and any(sign.isalpha() for sign in word)
