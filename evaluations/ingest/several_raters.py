"""Columns that differ in the rater alone: rater1 and rater2, "quality (annotator A)" and "quality (annotator B)"."""

from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise

from evaluations.linear import Pattern
from evaluations.values import JSON, opened_json

from .column_names import without_scale, words_of
from .likely import number_of
from .looked_at import MOST_GRADES
from .role_words import INPUT_WORDS, LABEL_NAMES, NOT_OUTPUT, OF_ANSWERS
from .score_words import ALIKE, GRADES, HIGHER, LOWER, RIGHT, WRONG
from .suggest import plain

RATERS = GRADES | {"assessor", "coder", "evaluator", "grader", "judge", "labeler", "labeller"}
FEWEST, MOST = 3, 100  # numbers of a scale, and the largest of them
MOST_RATERS = 20  # of one answer, in a list of what each said
# words for what is rated, which a list cannot know all of: many qualities end alike
_MEASURES = ALIKE | HIGHER | LABEL_NAMES | LOWER | NOT_OUTPUT | OF_ANSWERS | INPUT_WORDS | RIGHT | WRONG
_MEASURES |= {"format", "grammar", "overall", "quality", "style", "tone", "qualitat", "stil", "ton", "depth"}
_OF_QUALITIES = (
    *(
        "ness",
        "ity",
        "cy",
        "ance",
        "ence",
        "tion",
        "sion",
        "ment",
        "ism",
        "ful",
        "ive",
        "able",
        "ible",
        "ility",
    ),
    *("heit", "keit", "schaft", "ung", "lich", "tat", "dad", "cion", "cao", "zione", "te"),
)
_WORD = Pattern(r"\p{N}+|\p{L}+")
_AROUND = Pattern(r"[(\[]\s*[)\]]|\s+")  # what stood around a rater


def joined(names: Iterable[str]) -> dict[str, str]:
    """For each name of a score that is one of several raters, the name of what they all rate.

    >>> joined(["DA (rater 1)", "DA (rater 2)", "Overall (1-5) rater 1", "Overall (1-5) rater 2"])
    {'DA (rater 1)': 'DA', 'DA (rater 2)': 'DA', 'Overall (1-5) rater 1': 'Overall', 'Overall (1-5) rater 2': 'Overall'}
    >>> joined(["rater1", "rater2", "fluency human_a", "fluency human_b", "rouge1", "rouge2", "rater3 tone"])
    {'rater1': 'rater', 'rater2': 'rater', 'fluency human_a': 'fluency human', 'fluency human_b': 'fluency human'}
    """
    by_rating: dict[str, list[str]] = {}
    for name in names:
        if rating := _without_rater(name):
            by_rating.setdefault(rating, []).append(name)
    return {name: rating for rating, raters in by_rating.items() for name in raters if len(raters) > 1}


def _without_rater(name: str) -> str:
    """The name without the number or the letter behind the word for a rater, and without a scale; "" if it has none.

    The word goes too, if another one says what is rated: "tone, rater 1".
    """
    found = [*_WORD.finditer(name)]
    words = [plain(one[0]) for one in found]
    places = (
        place
        for place, (before, word) in enumerate(pairwise(words), 1)
        if before in RATERS and (word.isdecimal() or (len(word) == 1 and word.isascii()))
    )
    place = next(places, 0)
    if not place:
        return ""
    is_said = words[place - 1] == "rater" and len(words) > 2
    start, end = found[place - is_said].start(), found[place].end()
    return without_scale(_AROUND.sub(" ", name[:start] + name[end:]).strip(" -_:,."))


def are_on_one_scale(columns: Iterable[Sequence[JSON]]) -> bool:
    """Whether columns have whole numbers of one short scale, each of them several.

    >>> are_on_one_scale([["3", "4", "5"], [2, 4, None]]), are_on_one_scale([[1, 2, 3], [10, 20, 90]])
    (True, False)
    >>> are_on_one_scale([[0, 1, 0], [1, 0, 1]])
    False
    """
    found = [[number_of(value) for value in column if value not in (None, "")] for column in columns]
    known = [[number for number in numbers if number is not None] for numbers in found]
    every = {number for numbers in known for number in numbers}
    are_whole = known == found and all(number == round(number) for number in every)
    if not are_whole or len(known) < 2 or not FEWEST <= len(every) <= MOST_GRADES or max(every) > MOST:
        return False
    low, high = max(min(numbers, default=MOST) for numbers in known), min(max(n, default=0) for n in known)
    return low < high


def marks_of(value: JSON) -> list[JSON] | None:
    """What several raters said of one answer, if a cell is a list of their numbers, also as JSON; else None.

    >>> marks_of([3, 2, 3]), marks_of("[1, 0]"), marks_of([5]), marks_of("3"), marks_of(["a", "b"])
    ([3, 2, 3], [1, 0], None, None, None)
    """
    found = opened_json(value)
    is_list = isinstance(found, list) and 1 < len(found) <= MOST_RATERS
    return found if is_list and all(isinstance(one, int | float) for one in found) else None


def are_marks(columns: Iterable[Sequence[JSON]]) -> bool:
    """Whether all cells are lists of what several raters said, and they said more than one thing."""
    said = [marks_of(value) for column in columns for value in column if value not in (None, "")]
    marks = {mark for listed in said if listed for mark in listed}
    return bool(said) and all(said) and 1 < len(marks) <= MOST_GRADES


def are_people(names: Collection[str], others: Iterable[str]) -> bool:
    """Whether names are those of people: one word each, with a capital where other columns have none, for no quality.

    >>> are_people(["Anna", "Ben"], ["id", "question", "answer"])
    True
    >>> are_people(["Fluency", "Adequacy"], ["id", "text"]), are_people(["Anna", "Ben"], ["Id", "Question", "Text"])
    (False, False)
    """
    beside = [name for name in others if name[:1].isalpha()]
    capitals = sum(name[:1].isupper() for name in beside)
    return (
        all(map(may_be_person, names))
        and all(name[:1].isupper() for name in names)
        and capitals * 2 < len(beside)
    )


def may_be_person(name: str) -> bool:
    """Whether a name is one word and none for a quality or a measure.

    >>> [may_be_person(name) for name in ("anna", "Ben K.", "clarity", "Hilfsbereitschaft", "tone", "score 2")]
    [True, True, False, False, False, False]
    """
    words = words_of(name)
    return bool(words) and not any(
        word in _MEASURES or word.endswith(_OF_QUALITIES) or word.isdecimal() for word in words
    )
