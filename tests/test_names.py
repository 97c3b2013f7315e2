"""Names say what things are: nothing in the code is called `found`, `it` or the like."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("evaluations", "evalsite", "benchmarks", "client", "tests")
EMPTY_NAMES = {"asked", "found", "given", "gone", "held", "it", "kept", "made", "of", "said", "seen", "taken"}
EMPTY_NAMES |= {"known", "left", "lot", "lots", "most", "ours", "theirs", "there", "those", "told", "took"}
EMPTY_NAMES |= {"each", "one", "stuff", "them", "thing", "things"}
UNCLEAR_WORDS = {
    "place",
    "places",
}  # also inside names: say index, position, rank, path, location or decimals
UNCLEAR_WORDS |= {"among", "others", "own"}
EMPTY_NAMES |= {
    "alike",
    "along",
    "also",
    "apart",
    "beside",
    "lean",
    "meant",
    "mine",
    "neither",
    "our",
    "such",
}
EMPTY_NAMES |= {"twins", "very", "wanted", "whom"}
EMPTY_NAMES |= {"among", "data", "other", "others", "own", "rest"}
EMPTY_NAMES |= {"come", "either", "its", "lacking", "lately", "some", "than", "this", "which"}
FIELDS_OF_THE_API = {  # programs depend on these, so they cannot change
    ("evaluations/api/serializers/agreement.py", "other"),
    ("evaluations/api/serializers/comparison_shape.py", "of"),
    ("evaluations/api/serializers/retention.py", "kept"),
    ("evaluations/api/serializers/source.py", "ours"),
    ("evaluations/api/serializers/source.py", "theirs"),
    ("evaluations/api/serializers/subsets.py", "rest"),
    ("evaluations/web/forms/about.py", "others"),  # a field of a form
}
NAMES_OF_LIBRARIES = {  # Django, DRF and waitress call these with `data`
    "create_model_instance",
    "received",
    "render",
    "run_validation",
    "send",
    "to_internal_value",
    "value_from_datadict",
    "write_soon",
}
NAMES_OF_CONVENTIONS = {"DATA", "Gone"}  # the setting for EVALSITE_DATA, and HTTP's word for the status 410


def defined_names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """All names that a module defines, with their lines."""
    for node in ast.walk(tree):
        match node:
            case (
                ast.FunctionDef(name=str(name))
                | ast.AsyncFunctionDef(name=str(name))
                | ast.ClassDef(name=str(name))
                | ast.ExceptHandler(name=str(name))
                | ast.arg(arg=str(name))
                | ast.alias(asname=str(name))
                | ast.Name(id=str(name), ctx=ast.Store())
                | ast.Attribute(attr=str(name), ctx=ast.Store())
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
                | ast.MatchMapping(rest=str(name))
            ):
                yield name, node.lineno


def excused_names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """`other` beside another of the same kind, in a comprehension or a method, and the `data` of libraries."""
    for node in ast.walk(tree):
        match node:
            case ast.comprehension(target=ast.Name(id="other", lineno=line)):
                yield "other", line
            case ast.Lambda(args=ast.arguments(args=[ast.arg(arg="other", lineno=line)])):
                yield "other", line
            case ast.FunctionDef(args=ast.arguments(args=[ast.arg("self"), ast.arg("other", lineno=line)])):
                yield "other", line
            case ast.FunctionDef(
                name=name, args=ast.arguments(args=[ast.arg("self"), ast.arg("data", lineno=line), *_])
            ):
                yield from [("data", line)] if name in NAMES_OF_LIBRARIES else []
            case ast.Attribute(attr="data", lineno=line):
                yield "data", line


def empty_names(source: str) -> list[tuple[str, int]]:
    """Names without meaning, also with underscores, as in `_found`, or with an unclear word, as in `best_place`."""
    tree = ast.parse(source)
    excused = {*excused_names(tree)}
    return [named for named in defined_names(tree) if is_empty(named[0]) and named not in excused]


def is_empty(name: str) -> bool:
    """Whether a name is empty; the names of tests are sentences, in which any word may occur."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().split("_")
    has_unclear_word = not name.startswith("test_") and not UNCLEAR_WORDS.isdisjoint(words)
    return name not in NAMES_OF_CONVENTIONS and (
        "_".join(filter(None, words)) in EMPTY_NAMES or has_unclear_word
    )


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_says_what_a_thing_is(package):
    modules = sorted((ROOT / package).rglob("*.py"))
    faults = [
        f"{path}:{line} {name}"
        for path, module in ((str(module.relative_to(ROOT)), module) for module in modules)
        for name, line in empty_names(module.read_text())
        if (path, name) not in FIELDS_OF_THE_API
    ]

    assert modules
    assert faults == []


@pytest.mark.parametrize(
    "source",
    [
        "found = 1",
        "for it in rows: pass",
        "first, *there = rows",
        "run.told = 1",
        "if (made := rows): pass",
        "class Row:\n    of: int",
        "class it: pass",
        "def _found(): pass",
        "async def asked(): pass",
        "def page(*, of): pass",
        "def page(*found): pass",
        "lambda made: 1",
        "[there for there in rows]",
        "import json as it",
        "with page as told: pass",
        "try: pass\nexcept ValueError as it: pass",
        "match rows:\n    case [*found]: pass",
        "match rows:\n    case {**asked}: pass",
        "match rows:\n    case 1 as made: pass",
        "best_places = 1",
        "class PlaceSerializer: pass",
        "KEPT = 5",
        "class Among: pass",
        "own_rows = 1",
        "others_matched = 1",
        "*lines, rest = rows",
        "data = page.read()",
        "def page(data): pass",
        "class Page:\n    def read(self, data): pass",
        "for other in rows: pass",
        "def page(other): pass",
    ],
)
def test_an_empty_name_is_noticed_wherever_it_is_given(source):
    assert len(empty_names(source)) == 1


def names_of_templates(source: str) -> list[str]:
    """All names that a template defines: in a loop, by `as` or `with`, or as a partial."""
    tags = re.findall(r"{%(.*?)%}", source, re.DOTALL)
    loops = [names for tag in tags for names in re.findall(r"^\s*for (.*?) in ", tag)]
    named = [name for tag in tags for name in re.findall(r"\b(\w+)=|\bas (\w+)|^\s*partialdef (\w+)", tag)]
    return [*re.findall(r"\w+", " ".join(loops)), *("".join(name) for name in named)]


def test_every_name_in_a_template_says_what_a_thing_is():
    templates = sorted((ROOT / "templates").rglob("*.html"))
    faults = [
        f"{template.name} {name}"
        for template in templates
        for name in names_of_templates(template.read_text())
        if is_empty(name)
    ]

    assert templates
    assert faults == []


def test_an_empty_name_in_a_template_is_noticed():
    source = (
        "{% for row, found in rows %}{% url 'home' as there %}{% with it=row %}{% partialdef made inline %}"
        '{% include "a.html" with told=1 only %}'
    )

    assert EMPTY_NAMES & set(names_of_templates(source)) == {"found", "there", "it", "made", "told"}


@pytest.mark.parametrize(
    "source",
    [
        "[row for other in rows if other != row]",
        "rows.sort(key=lambda other: other.size)",
        "class Row:\n    def __eq__(self, other): pass",
        "class Field:\n    def to_internal_value(self, data): pass",
        "answer.data = page",
        "def test_others_wait_for_their_own_turn(): pass",
    ],
)
def test_a_name_that_compares_or_that_a_library_gives_is_allowed(source):
    assert empty_names(source) == []


def test_reading_a_name_of_another_library_is_allowed():
    assert empty_names("rows.select_for_update(of=('self',)).found") == []


OTHER_MEANINGS = {  # code in which a word would mean something besides its one meaning
    "process (a running program)": r"\bprocess(: ProcessCache| = ProcessCache)",
    "lock (of a gate, against changes of its criteria)": r"def _?(un)?locked\(gate\b|def _unlock\(",
    "look (an interim comparison of a launch that stops early)": r"class _?(\w*[a-z])?Look\b|\.look\b|\blooking\.",
    "trial (of a prompt; a launch has a pilot, an evaluator a tryout)": r"\bTRIAL\b|\bis_trial\b|\bShownTrial\b",
}


@pytest.mark.parametrize("word", OTHER_MEANINGS)
def test_a_word_has_one_meaning(word):
    modules = sorted((ROOT / "evaluations").rglob("*.py"))
    faults = [module.name for module in modules if re.search(OTHER_MEANINGS[word], module.read_text())]

    assert modules
    assert faults == []
