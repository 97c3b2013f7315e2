"""A web process writes only a few large files at once, and each releases its place."""

import pytest

from evaluations.errors import TooManyRequests
from evaluations.results.large_files import LARGE, limited

PLACES = 4


def content(*parts: bytes):
    yield from parts


@pytest.fixture
def others():
    """As many unfinished large files as are allowed at once."""
    files = [limited(content(b"a", b"b"), LARGE, f"person {number}") for number in range(PLACES)]
    yield files
    for file in files:
        file.close()


def test_one_large_file_too_many_is_refused(others):
    with pytest.raises(TooManyRequests):
        limited(content(b"a"), LARGE, "Alice")


def test_small_files_are_made_beside_any_number_of_large_ones(others):
    assert b"".join(limited(content(b"a"), LARGE - 1, "Alice")) == b"a"


def test_a_file_that_was_read_gives_its_place_back(others):
    assert b"".join(others[0]) == b"ab"

    limited(content(b"a"), LARGE, "Alice").close()


@pytest.mark.parametrize("parts_read", [0, 1])
def test_a_file_whose_reader_is_gone_gives_its_place_back(others, parts_read):
    for _ in range(parts_read):
        next(others[0])

    others[0].close()

    limited(content(b"a"), LARGE, "Alice").close()


def test_a_file_that_fails_gives_its_place_back(others):
    def failing():
        yield b"a"
        raise OSError

    others.pop().close()
    with pytest.raises(OSError):
        list(limited(failing(), LARGE, "Alice"))

    limited(content(b"a"), LARGE, "Alice").close()


def test_a_place_is_given_back_once(others):
    list(others[0])
    others[0].close()

    last = limited(content(b"a"), LARGE, "Alice")
    with pytest.raises(TooManyRequests):
        limited(content(b"a"), LARGE, "Alice")
    last.close()


def test_one_person_leaves_a_place_for_others():
    files = [limited(content(b"a"), LARGE, "Alice") for _ in range(PLACES - 1)]

    with pytest.raises(TooManyRequests):
        limited(content(b"a"), LARGE, "Alice")

    files.append(limited(content(b"a"), LARGE, "Bob"))
    files.pop(0).close()
    files.append(limited(content(b"a"), LARGE, "Alice"))
    for file in files:
        file.close()
