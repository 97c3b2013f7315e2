"""Nothing unused remains: styles, classes of templates, templates, URL patterns."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from django.template import engines

ROOT = Path(__file__).parents[1]
CODE = ("evaluations", "evalsite", "benchmarks", "client")
ASKED_BY_DJANGO = {"400.html", "403.html", "403_csrf.html", "404.html", "500.html"}
ASKED_BY_BROWSERS = {"favicon"}  # whether a page links it or not


def sources(folder: str, ending: str) -> dict[str, str]:
    """The texts of files, by their paths within the folder."""
    files = sorted((ROOT / folder).rglob(f"*{ending}"))
    return {str(file.relative_to(ROOT / folder)): file.read_text() for file in files}


TEMPLATES = sources("templates", ".html")
STYLES = re.sub(r"/\*.*?\*/", "", "".join(sources("static", ".css").values()), flags=re.S)
SCRIPTS = "".join(sources("static", ".js").values())
PYTHON = {f"{folder}/{path}": text for folder in CODE for path, text in sources(folder, ".py").items()}
PAGES = "".join(TEMPLATES.values())
WRITERS = PAGES + SCRIPTS + "".join(text for path, text in PYTHON.items() if "/tests/" not in path)
TESTS = "".join(sources("tests", ".py").values())
WORDS = set(re.findall(r"[\w-]+", WRITERS))
# of names such as `bar-{verdict}` and `w{share}`
BEGINNINGS = set(re.findall(r"(?<![\w-])([\w-]+-)\{", WRITERS)) | set(re.findall(r'f"([a-z]+)\{', WRITERS))
STYLED = set(re.findall(r"\.([a-z][\w-]*)", STYLES))


def classes(page: str) -> Iterator[str]:
    """The classes of a template that are written out.

    >>> sorted(classes('<p class="aside{% if x %} wide{% endif %} n-{{ m }}">'))
    ['aside', 'wide']
    """
    for value in re.findall(r'class="((?:[^"{]|\{\{.*?\}\}|\{%.*?%\})*)"', page):
        spaced = re.sub(r"\{%.*?%\}", " ", re.sub(r"\S*\{\{.*?\}\}\S*", " ", value))
        yield from spaced.split()


def test_every_style_is_of_something_on_a_page():
    written_by_htmx = {"htmx-request"}
    unused = {name for name in STYLED - WORDS if beginning_of(name) not in BEGINNINGS}

    assert unused - written_by_htmx == set()


def beginning_of(name: str) -> str:
    """What stays the same in a name that ends in a variable part."""
    return name[: name.rindex("-") + 1] if "-" in name else name.rstrip("0123456789")


def test_every_size_and_colour_is_used():
    names = set(re.findall(r"(--[\w-]+)\s*:", STYLES))

    assert {name for name in names if not re.search(rf"var\(\s*{name}(?![\w-])", STYLES + WRITERS)} == set()


def test_every_class_of_a_template_has_a_style():
    unstyled = {(path, name) for path, page in TEMPLATES.items() for name in set(classes(page)) - STYLED}

    assert {(path, name) for path, name in unstyled if f".{name}" not in SCRIPTS + TESTS} == set()


def test_every_template_is_rendered_or_included():
    stems = {path: Path(path).stem for path in TEMPLATES if path not in ASKED_BY_DJANGO}

    assert {path for path, stem in stems.items() if stem not in WRITERS} == set()


def test_every_library_that_a_template_loads_is_used():
    assert {(path, name) for path, page in TEMPLATES.items() for name in loaded_for_nothing(page)} == set()


def loaded_for_nothing(page: str) -> Iterator[str]:
    words = set(re.findall(r"(?:\{%|\|)\s*(\w+)", page))
    for names in re.findall(r"\{% load ([^%]+) %\}", page):
        yield from (name for name in names.split() if not words & tags_and_filters(name))


@cache
def tags_and_filters(library: str) -> set[str]:
    loaded = engines["django"].engine.template_libraries[library]
    return {*loaded.tags, *loaded.filters}


def test_every_page_has_a_link():
    names = {name for path, text in PYTHON.items() if "/web/" in path for name in url_names(text)}
    names -= ASKED_BY_BROWSERS

    assert {name for name in names if WRITERS.count(f'"{name}"') < 2 and f"'{name}'" not in WRITERS} == set()


def url_names(module: str) -> list[str]:
    return re.findall(r'\bpath\([^\n]*name="([\w-]+)"', module)
