"""A web process writes only a few large files at once, and each lets another follow."""

import pytest

from evaluations.errors import TooManyRequests
from evaluations.results.large_files import LARGE, limited

FILES_AT_ONCE = 4


def content(*parts: bytes):
    yield from parts


@pytest.fixture
def unfinished_files():
    """As many unfinished large files as are allowed at once."""
    files = [limited(content(b"a", b"b"), LARGE, f"person {number}") for number in range(FILES_AT_ONCE)]
    yield files
    for file in files:
        file.close()


def test_one_large_file_too_many_is_refused(unfinished_files):
    with pytest.raises(TooManyRequests):
        limited(content(b"a"), LARGE, "Alice")


def test_small_files_are_made_beside_any_number_of_large_ones(unfinished_files):
    assert b"".join(limited(content(b"a"), LARGE - 1, "Alice")) == b"a"


def test_another_file_follows_one_that_was_read(unfinished_files):
    assert b"".join(unfinished_files[0]) == b"ab"

    limited(content(b"a"), LARGE, "Alice").close()


@pytest.mark.parametrize("parts_read", [0, 1])
def test_another_file_follows_one_whose_reader_is_gone(unfinished_files, parts_read):
    for _ in range(parts_read):
        next(unfinished_files[0])

    unfinished_files[0].close()

    limited(content(b"a"), LARGE, "Alice").close()


def test_another_file_follows_one_that_fails(unfinished_files):
    def failing():
        yield b"a"
        raise OSError

    unfinished_files.pop().close()
    with pytest.raises(OSError):
        list(limited(failing(), LARGE, "Alice"))

    limited(content(b"a"), LARGE, "Alice").close()


def test_a_closed_file_stops_counting_once(unfinished_files):
    list(unfinished_files[0])
    unfinished_files[0].close()

    last = limited(content(b"a"), LARGE, "Alice")
    with pytest.raises(TooManyRequests):
        limited(content(b"a"), LARGE, "Alice")
    last.close()


def test_one_person_leaves_one_file_to_others():
    files = [limited(content(b"a"), LARGE, "Alice") for _ in range(FILES_AT_ONCE - 1)]

    with pytest.raises(TooManyRequests):
        limited(content(b"a"), LARGE, "Alice")

    files.append(limited(content(b"a"), LARGE, "Bob"))
    files.pop(0).close()
    files.append(limited(content(b"a"), LARGE, "Alice"))
    for file in files:
        file.close()
