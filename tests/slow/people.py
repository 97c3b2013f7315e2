"""People who look at pages of a site of real processes."""

from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import urlsplit

import httpx2

from tests.faults.site import Site


class Links(HTMLParser):
    """The addresses that a page links to, and the token of its first form."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.token = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = dict(attributes)
        if tag == "a" and (address := named.get("href")):
            self.addresses.append(address)
        if tag == "input" and named.get("name") == "csrfmiddlewaretoken" and not self.token:
            self.token = named["value"] or ""


def signed_in(site: Site, seconds: float = 120) -> httpx2.Client:
    """A browser without scripts in which the administrator of the site has signed in."""
    path = urlsplit(site.manage(["signin_link"]).strip()).path
    browser = httpx2.Client(base_url=f"http://127.0.0.1:{site.port}", timeout=seconds, trust_env=False)
    token = Links(browser.get(path).text).token
    answer = browser.post(
        path, data={"csrfmiddlewaretoken": token}, headers={"Referer": f"{browser.base_url}{path}"}
    )
    assert answer.status_code in (200, 302), answer.text[:500]
    return browser


def links(browser: httpx2.Client, start: str, most: int) -> Iterator[str]:
    """The pages reached from `start` by links, nearest first; each address once, at most `most`."""
    seen, waiting = {start}, [start]
    while waiting and most:
        address = waiting.pop(0)
        answer = browser.get(address, follow_redirects=True)
        if answer.status_code != 200 or not answer.headers["Content-Type"].startswith("text/html"):
            continue
        most -= 1
        yield address
        for found in Links(answer.text).addresses:
            found = found.partition("#")[0]
            if found.startswith("/") and found not in seen and not found.startswith(("/static/", "/docs/")):
                seen.add(found)
                waiting.append(found)
