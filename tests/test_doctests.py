"""Every example in a docstring prints what it shows.

By module, because pytest's own collection of doctests looks into every file of the tests too, in every process.
"""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = {"evaluations": ROOT, "client/evalsite_client": ROOT / "client", "tests": ROOT}
MODULES = [
    ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
    for folder, root in FOLDERS.items()
    for path in sorted((ROOT / folder).rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", [name for name in MODULES if name != __name__])
def test_the_examples_of_a_module_print_what_they_show(name):
    results = doctest.testmod(import_module(name))

    assert results.attempted > 0
    assert results.failed == 0
