"""Pages of a long list, forwards and backwards, in both orders."""

import pytest
from django.contrib.auth.models import Group

from evaluations import keyset

pytestmark = pytest.mark.django_db
SIZE = 2


@pytest.fixture
def numbers():
    """Five rows, named 1 to 5."""
    Group.objects.bulk_create(Group(name=str(n)) for n in range(1, 6))
    return Group.objects.all()


def names(part: keyset.Slice) -> list[str]:
    return [row.name for row in part.rows]


@pytest.mark.parametrize(
    ("newest_first", "pages"),
    [(False, [["1", "2"], ["3", "4"], ["5"]]), (True, [["5", "4"], ["3", "2"], ["1"]])],
)
def test_a_list_is_walked_to_its_end(numbers, newest_first, pages):
    part, walked = None, []
    while part is None or part.after is not None:
        after = part.after if part else None
        part = keyset.page(numbers, "name", SIZE, after=after, newest_first=newest_first)
        walked.append(names(part))

    assert walked == pages


@pytest.mark.parametrize(
    ("newest_first", "last", "pages"),
    [(False, "5", [["3", "4"], ["1", "2"]]), (True, "1", [["3", "2"], ["5", "4"]])],
)
def test_a_list_is_walked_back_to_its_start(numbers, newest_first, last, pages):
    part = keyset.page(numbers, "name", SIZE, before=last, newest_first=newest_first)
    walked = [names(part)]
    while part.before is not None:
        part = keyset.page(numbers, "name", SIZE, before=part.before, newest_first=newest_first)
        walked.append(names(part))

    assert walked == pages


def test_a_page_reached_backwards_leads_on(numbers):
    part = keyset.page(numbers, "name", SIZE, before="3")

    assert (names(part), part.before, part.after) == (["1", "2"], None, "2")


def test_the_first_page_leads_nowhere_back(numbers):
    part = keyset.page(numbers, "name", SIZE)

    assert (part.before, part.after) == (None, "2")


def test_an_empty_list_has_no_neighbours(numbers):
    part = keyset.page(numbers.none(), "name", SIZE)

    assert (part.rows, part.before, part.after) == ([], None, None)
