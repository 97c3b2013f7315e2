"""Texts of users take time in proportion to their length: the rule that keeps Python's `re` away from them."""

import ast
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from evalsite_client import prompt as client_prompt
from evaluations import linear, owned, spreadsheet
from evaluations.ingest import likely, suggest
from evaluations.metrics import numbers
from evaluations.prompts import templates
from evaluations.web.forms import score_roles

ROOT = Path(__file__).parents[1]
BY_FORM = "no pattern tries again: after its first repeat, everything may be empty"
# Every module that may use `re`, and why no text of a user can hold it.
ALLOWED = {
    "evaluations/kinds/contracts/answers.py": "reference formulas, which only meet their own vectors",
    "evaluations/kinds/contracts/checks.py": "reference formulas, which only meet their own vectors",
    "evaluations/kinds/contracts/matches.py": "reference formulas, which only meet their own vectors",
    "evaluations/kinds/contracts/numbers.py": "reference formulas, which only meet their own vectors",
    "evaluations/kinds/contracts/outside.py": "reference formulas, which only meet their own vectors",
    "evaluations/kinds/contracts/translation.py": "reference formulas, which only meet their own vectors",
    "evaluations/metrics/diff.py": BY_FORM,
    "evaluations/metrics/numbers.py": BY_FORM,
    "evaluations/metrics/rouge.py": BY_FORM,
    "evaluations/other_tools/documents.py": BY_FORM,
    "evaluations/spreadsheet.py": "each match begins with a character that it cannot contain; a test times it",
    "evaluations/clients/urls.py": "addresses of at most 2 000 characters, checked before",
    "evaluations/jsonpath/bounded.py": "patterns of at most 1 000 characters, checked before",
    "evaluations/jsonpath/path.py": "paths of at most 1 000 characters, checked before",
    "evaluations/api/routes_page.py": "the program's own routes",
    "evalsite/addresses.py": "addresses in the operator's settings, read at the start",
    "evalsite/broker.py": "the path of the operator's data folder",
}
ENGINES = {"re", "regex", "sre_compile", "_sre"}
# Django's validators, fields and, on SQLite, lookups are patterns for Python's `re`, too.
DJANGOS = {"RegexValidator", "RegexField"}
LONG = 200_000


def modules() -> Iterator[tuple[str, ast.Module]]:
    for folder in ("evaluations", "evalsite", "client/evalsite_client"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            if "migrations" not in file.parts:
                yield str(file.relative_to(ROOT)), ast.parse(file.read_text())


def engines(module: ast.Module) -> set[str]:
    """What a module uses of Python's own patterns."""
    used = set[str]()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            used |= ENGINES & {alias.name.partition(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            used |= (ENGINES & {node.module or ""}) | (DJANGOS & {alias.name for alias in node.names})
        if isinstance(node, ast.Attribute):
            used |= DJANGOS & {node.attr}
        if isinstance(node, ast.keyword) and (node.arg or "").endswith(("__regex", "__iregex")):
            used.add(f"{node.arg}")
    return used


def test_only_the_listed_modules_use_pythons_patterns():
    using = {path for path, module in modules() if engines(module)}

    assert using == {*ALLOWED}, (
        "use evaluations.linear, or a scan by hand; the list is for what no user's text reaches"
    )


def test_the_rule_finds_every_way_to_use_them():
    ways = [
        "import re",
        "from re import compile",
        "import regex as re",
        "from django.forms import RegexField",
    ]
    ways += [
        "from django.core import validators\nvalidators.RegexValidator('a')",
        "rows.filter(name__regex='a')",
    ]

    assert all(engines(ast.parse(way)) for way in ways)
    assert not engines(ast.parse("import re2\nfrom evaluations.linear import Pattern"))


def patterns(path: str) -> Iterator[str]:
    """The patterns that a module names in calls of `re`."""
    for node in ast.walk(ast.parse((ROOT / path).read_text())):
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re."):
            assert isinstance(node.args[0], ast.Constant), f"{path}: a pattern that is made while it runs"
            yield node.args[0].value


def never_tries_again(pattern: str) -> bool:
    """Whether a search reads each character a bounded number of times: what follows a repeat may be empty."""
    return all(map(_is_safe, _branches(re._parser.parse(pattern))))


def _branches(parsed: Any) -> list[Any]:
    first, argument = parsed[0]
    return argument[1] if len(parsed) == 1 and str(first) == "BRANCH" else [parsed]


def _is_safe(branch: Any) -> bool:
    repeated = False
    for name, argument in branch:
        if str(name) != "MAX_REPEAT":
            if repeated or str(name) not in ("LITERAL", "NOT_LITERAL", "IN", "ANY"):
                return False
            continue
        least, most, inner = argument
        is_one_character = len(inner) == 1 and str(inner[0][0]) in ("LITERAL", "NOT_LITERAL", "IN", "ANY")
        if not is_one_character or (repeated and least):
            return False
        repeated = repeated or most > 100
    return True


@pytest.mark.parametrize("path", [path for path, reason in ALLOWED.items() if reason == BY_FORM])
def test_patterns_excused_by_their_form_have_it(path):
    found = [*patterns(path)]

    assert found
    assert all(map(never_tries_again, found))


@pytest.mark.parametrize(
    "bomb", [r"[ \t]*x", r"(a+)+", r"[\d,]*\.?\d*x", r"(.+?)[_ ]+x", r"a|b*c", r"(?:ab|b)*"]
)
def test_the_check_of_forms_refuses_bombs(bomb):
    assert not never_tries_again(bomb)


def messages(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


BOMBS: dict[str, Callable[[], object]] = {
    "blanks in a variable": lambda: templates.variables(messages("{{" + " " * LONG)),
    "openings of variables": lambda: templates.variables(messages("{{ a " * LONG)),
    "blanks in a variable of the client": lambda: client_prompt._filled("{{" + " " * LONG, {}),
    "openings of variables of the client": lambda: client_prompt._filled("\\{{ a " * LONG, {}),
    "digits that are no number": lambda: numbers.whole("1" * LONG + "x"),
    "commas that are no number": lambda: numbers.decimal("1" + "," * LONG + "x"),
    "underscores in a column's name": lambda: suggest.roles(["_" * LONG, "output" + "_" * LONG + "\nx"]),
    "blanks in a column's name": lambda: suggest.roles(["a" + " " * LONG + "b"]),
    "gaps after a variant's name": lambda: likely.likely_scores(
        ["a" + "_" * LONG + "\n", "_" * LONG], ["a", "_"], []
    ),
    "gaps before a variant's name": lambda: score_roles.name_of("x" + "_" * LONG + "mx", "m"),
    "joiners in a name": lambda: owned.visible("é" + "\u200d" * LONG + "é"),
    "list items in one line": lambda: spreadsheet.guarded(";- " * LONG + "("),
    "guarded list items in one line": lambda: spreadsheet.unguarded(";'- " * LONG + "("),
}


@pytest.mark.parametrize("name", BOMBS)
def test_repetitive_texts_take_no_longer_than_others(name):
    """With patterns of `re`, each of these takes between ten seconds and hours."""
    start = time.process_time()
    BOMBS[name]()

    assert time.process_time() - start < 2


def test_texts_that_utf8_cannot_write_match_as_if_they_had_a_replacement_character():
    pattern = linear.Pattern("a(.)c")

    found = pattern.fullmatch("a\ud800c")

    assert found
    assert found[1] == "\ufffd"
    assert pattern.sub(r"\1", "a\ud800c.") == "\ufffd."


def test_blanks_are_those_of_python():
    blanks = linear.Pattern(f"[{linear.SPACE}]")

    found = {code for code in range(0x3100) if blanks.search(chr(code))}

    assert found == {code for code in range(0x3100) if chr(code).isspace()}


@pytest.mark.parametrize("text", ["İSTANBUL", "ΟΔΟΣ", "Straße", "ǅ"])
def test_a_folded_text_keeps_its_length(text):
    assert len(linear.folded(text)) == len(text)


def test_a_replacement_may_have_any_characters():
    assert linear.Pattern("a+").sub("•", "baab") == "b•b"
