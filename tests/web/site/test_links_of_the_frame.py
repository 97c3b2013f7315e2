"""The links of the frame lead to the pages that they name."""

import re
from html import unescape

import pytest

from tests.web.projects.test_many import many_projects

WORD = re.compile(r"\w+")
LINK = re.compile(r'<a\b[^>]*href="(/[^"]*)"[^>]*>(.*?)</a>', re.S)
HEADING = re.compile(r"<(h1|title)\b[^>]*>(.*?)</\1>", re.S)


def words(html: str) -> set[str]:
    return {word.lower() for word in WORD.findall(unescape(re.sub(r"<[^>]+>", " ", html)))} - {"and", "the"}


@pytest.mark.django_db
def test_every_link_of_the_frame_leads_to_a_page_that_says_so(admin_client, admin_user, project):
    many_projects(admin_user)  # so that there is a link to all of them
    page = admin_client.get(f"/p/{project.slug}/experiments/").content.decode()
    header = page.partition("<header")[2].partition("</header>")[0]
    links = [(address, words(text)) for address, text in LINK.findall(header)]
    of_pages = [link for link in links if not re.fullmatch(r"/p/[^/]+/experiments/", link[0])]

    elsewhere = {}
    for address, named in of_pages:
        says = words(
            " ".join(found[1] for found in HEADING.findall(admin_client.get(address).content.decode()))
        )
        if not named & says:
            elsewhere[" ".join(sorted(named))] = address

    assert {"/p/new/", "/p/", "/account/", "/workers/", "/people/"} <= {address for address, _ in of_pages}
    assert elsewhere == {}
