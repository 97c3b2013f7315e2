"""The kind for each golden file, and our intended differences from its product."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Line = dict[str, Any]

NOT_TEXT = "a side is not text: here null is missing and other values are canonical JSON; the product has "
"ways of its own"
EMPTY_REFERENCE = "the product fails on an empty reference; here it is text"
TWO_BLANKS = "the product divides by zero on two blank texts; here they are equal"
BLANK_NEEDLE = "the product finds a blank text anywhere; here a blank reference is missing"
UNSTRIPPED_NEEDLE = "the product looks for the whitespace around the reference too"
UTF16 = "the product counts UTF-16 units; this kind counts code points"
ASCII_WORDS = (
    "the package knows words of ASCII letters and digits only; here words of every script count, with marks"
)


def not_text(line: Line) -> bool:
    return not (isinstance(line["output"], str) and isinstance(line["expected"], str))


def empty_reference(line: Line) -> bool:
    return line["expected"] == ""


def two_blanks(line: Line) -> bool:
    return not line["output"].strip() and not line["expected"].strip()


def blank_needle(line: Line) -> bool:
    return not line["expected"].strip()


def blank_list(line: Line) -> bool:
    return not any(part.strip() for part in line["expected"].split(","))


def unstripped_needle(line: Line) -> bool:
    return line["expected"] != line["expected"].strip()


def astral(line: Line) -> bool:
    return max(line["output"] + line["expected"], default="") > "\uffff"


def words_of_other_scripts(line: Line) -> bool:
    text = (line["output"] + line["expected"]).lower()
    return bool(re.search(r"[^\W_a-z0-9]", text)) or any(unicodedata.combining(sign) for sign in text)


@dataclass(frozen=True)
class Followed:
    """Lines of a file that a kind must reproduce; `except_for` names those it does not, in order of
    precedence.

    `config` gives None for lines that are not this entry's. A true or false in `expected_value` is compared with
    `passed`.
    """

    kind: str
    lines: int
    config: Callable[[Line], dict[str, Any] | None] = lambda line: {}
    expected_value: Callable[[Line], Any] = lambda line: line["result"]
    tolerance: float = 1e-9
    scale: float = 1.0
    except_for: tuple[tuple[str, Callable[[Line], bool], int], ...] = field(default=())


def line_config(line: Line) -> dict[str, Any]:
    return line["config"]


def function(name: str, config: dict[str, Any] | None = None) -> Callable[[Line], dict[str, Any] | None]:
    return lambda line: (config or {}) if line["config"]["fn"] == name else None


def measure(name: str) -> Callable[[Line], dict[str, Any] | None]:
    return lambda line: {} if line["config"]["distance_measure"] == name else None


def mastra(line: Line) -> dict[str, Any]:
    options = line["config"]
    if "_note" in options:
        return {}
    return {
        "ignore_case": options.get("ignoreCase", False),
        "ignore_whitespace": options.get("ignoreWhitespace", False),
    }


def mastra_check(line: Line) -> dict[str, Any]:
    options = line["config"]
    return {"ignore_case": options.get("ignoreCase", True), "threshold": options.get("threshold")}


def checked(line: Line) -> Any:
    return bool(line["result"]) if "threshold" in line["config"] else line["result"]


def phoenix_contains(line: Line) -> dict[str, Any]:
    options = line["config"]
    mode = "all" if options.get("require_all") else "any"
    return {"case_sensitive": options.get("case_sensitive", False), "separator": ",", "mode": mode}


def bleu(line: Line) -> dict[str, Any] | None:
    options = line["config"]
    if options["metric"] != "sentence_bleu":
        return None
    return {"tokenize": options["tokenize"], "lowercase": options.get("lowercase", False)}


def chrf(line: Line) -> dict[str, Any] | None:
    options = line["config"]
    return None if options["metric"] == "sentence_bleu" else {"word_order": options["word_order"]}


def utf16(line: Line) -> dict[str, Any]:
    return {**line["config"], "unit": "utf16"}


def unless_astral(line: Line) -> dict[str, Any] | None:
    return None if line["astral"] else line["config"]


def half_up(line: Line) -> float:
    return line["round_exact_half_up"]


# Similarities that are not rounded, compared with one that is.
ROUNDED = 0.005 + 1e-9
CASED = {"case_sensitive": True, "max_characters": 100_000}
UNSTRIPPED = {"strip": "none"}

FOLLOWED: dict[str, tuple[Followed, ...]] = {
    "twosignal_levenshtein_DERIVED": (
        Followed("levenshtein_similarity", 2395, utf16, half_up),
        Followed("levenshtein_similarity", 2280, unless_astral, half_up),
        Followed(
            "levenshtein_similarity", 2395, utf16, lambda line: half_up(line) >= line["config"]["threshold"]
        ),
    ),
    "phoenix_levenshtein_distance": (
        Followed("levenshtein_distance", 2442, line_config, except_for=((NOT_TEXT, not_text, 54),)),
    ),
    "agenta_legacy_levenshtein": (
        Followed(
            "levenshtein_distance",
            3036,
            line_config,
            except_for=((NOT_TEXT, not_text, 81), (EMPTY_REFERENCE, empty_reference, 70)),
        ),
    ),
    "agenta_legacy_similarity_match": (
        Followed(
            "similarity_match",
            3645,
            line_config,
            except_for=((NOT_TEXT, not_text, 108), (TWO_BLANKS, two_blanks, 122)),
        ),
    ),
    "mastra_content_similarity": (
        Followed("content_similarity", 4841, mastra, except_for=((NOT_TEXT, not_text, 162),)),
    ),
    "npm_string_similarity": (
        Followed(
            "content_similarity",
            1851,
            lambda line: {"ignore_case": False},
            except_for=((NOT_TEXT, not_text, 27),),
        ),
    ),
    "mastra_checks_similarity": (
        Followed("content_similarity", 1311, mastra_check, checked, except_for=((NOT_TEXT, not_text, 48),)),
    ),
    "axion_exact_string_match": (
        Followed(
            "exact_match", 1851, lambda line: {"strip": "expected"}, except_for=((NOT_TEXT, not_text, 27),)
        ),
    ),
    **{
        name: (
            Followed(
                "exact_match",
                lines,
                lambda line: UNSTRIPPED | line["config"],
                except_for=((NOT_TEXT, not_text, 27 * lines // 448),),
            ),
        )
        for name, lines in {
            "agenta_legacy_exact_match": 448,
            "agenta_sdk_exact_match": 448,
            "autoevals_exactmatch": 448,
            "ragas_exact_match": 448,
            "opik_equals": 896,
            "phoenix_exact_match": 896,
        }.items()
    },
    "axion_contains_match": (
        Followed("contains", 1851, except_for=((NOT_TEXT, not_text, 27), (BLANK_NEEDLE, blank_needle, 100))),
    ),
    "phoenix_contains": (
        Followed(
            "contains",
            1332,
            phoenix_contains,
            except_for=((NOT_TEXT, not_text, 81), (BLANK_NEEDLE, blank_list, 90)),
        ),
    ),
    **{
        name: (
            Followed(
                "contains",
                lines,
                config,
                except_for=(
                    (NOT_TEXT, not_text, counts[0]),
                    (BLANK_NEEDLE, blank_needle, counts[1]),
                    (UNSTRIPPED_NEEDLE, unstripped_needle, counts[2]),
                ),
            ),
        )
        for name, lines, counts, config in (
            ("opik_contains", 896, (54, 60, 40), line_config),
            (
                "agenta_sdk_contains",
                874,
                (32, 60, 40),
                lambda line: {"case_sensitive": line["config"]["case_sensitive"]},
            ),
            ("ragas_string_presence", 448, (27, 30, 20), lambda line: {}),
        )
    },
    "opik_levenshtein_ratio": (
        Followed("indel_similarity", 2449, line_config, except_for=((NOT_TEXT, not_text, 54),)),
    ),
    "mastra_textual_difference": (
        Followed("indel_similarity", 429, except_for=((NOT_TEXT, not_text, 27), (UTF16, astral, 30))),
    ),
    "rapidfuzz": (
        Followed(
            "levenshtein_distance",
            699,
            function("Levenshtein.distance"),
            except_for=((NOT_TEXT, not_text, 27),),
        ),
        Followed("indel_similarity", 421, function("Indel.normalized_similarity")),
        Followed(
            "indel_similarity", 448, function("fuzz.ratio"), scale=100, except_for=((NOT_TEXT, not_text, 27),)
        ),
        Followed("jaro_winkler", 421, function("JaroWinkler.normalized_similarity")),
        Followed(
            "levenshtein_similarity",
            672,
            function("Levenshtein.normalized_similarity", CASED),
            tolerance=ROUNDED,
        ),
    ),
    "ragas_nonllm_string_similarity": (
        Followed("jaro_winkler", 448, measure("jaro_winkler"), except_for=((NOT_TEXT, not_text, 27),)),
        Followed(
            "levenshtein_similarity",
            699,
            lambda line: CASED if line["config"]["distance_measure"] == "levenshtein" else None,
            tolerance=ROUNDED,
            except_for=((NOT_TEXT, not_text, 27),),
        ),
    ),
    "autoevals_levenshtein": (
        Followed(
            "levenshtein_similarity",
            1851,
            lambda line: CASED,
            tolerance=ROUNDED,
            except_for=((NOT_TEXT, not_text, 27),),
        ),
    ),
    "agenta_sdk_levenshtein": (
        Followed(
            "levenshtein_similarity",
            2442,
            lambda line: CASED | line["config"],
            tolerance=ROUNDED,
            except_for=((NOT_TEXT, not_text, 54),),
        ),
    ),
    "sacrebleu": (
        Followed("sentence_bleu", 1502, bleu, tolerance=1e-6, scale=100),
        Followed("chrf", 1085, chrf, tolerance=1e-6, scale=100),
    ),
    "rouge_score": (
        Followed(
            "rouge_l",
            417,
            expected_value=lambda line: line["result"]["rougeL"],
            except_for=((ASCII_WORDS, words_of_other_scripts, 96),),
        ),
        *(
            Followed(
                "rouge_l",
                417,
                lambda line, name=name: {"measure": name},
                expected_value=lambda line, name=name: line["result"][name],
                except_for=((ASCII_WORDS, words_of_other_scripts, 96),),
            )
            for name in ("rouge1", "rouge2")
        ),
    ),
    "phoenix_json_distance": (
        Followed(
            "json_distance",
            143,
            except_for=(
                (
                    "two nulls: here the reference is missing",
                    lambda line: line["output"] is line["expected"] is None,
                    1,
                ),
            ),
        ),
    ),
}

# Lines of files above that belong to no kind of ours: the function or measure, and how many.
LEFT_OUT: dict[str, dict[str, int]] = {
    "rapidfuzz": {"OSA.distance: not offered": 421},
    "ragas_nonllm_string_similarity": {"jaro, hamming: not offered": 896},
}

NOT_FOLLOWED: dict[str, tuple[int, str]] = {
    "agenta_cosine": (113, "vectors, not texts: the formula is tested in tests/metrics/test_cosine.py"),
    "agenta_sdk_similarity_match": (2449, "another thing under the same name, not followed"),
    "agenta_sdk_param_validation": (17, "how that product validates its settings; ours are typed models"),
    "axion_levenshtein_ratio": (2449, "Python's difflib under another name, not offered"),
    "axion_sentence_bleu": (2449, "a BLEU of its own; we give sacrebleu's numbers"),
    "mastra_completeness": (429, "a kind we do not offer"),
    "mastra_keyword_coverage": (429, "a kind we do not offer"),
    "phoenix_input_mapping": (26, "input mapping, not a formula: null is missing and objects are JSON here"),
    "pairs": (1851, "the long texts other files refer to"),
}
