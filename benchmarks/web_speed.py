"""Measures how many pages a second one and two web processes serve, on two sites that are asked alternately."""

import http.client
import statistics
import threading
import time
import urllib.parse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from benchmarks.page_speed import Browser, Stock

PATHS = ("/datasets/{dataset}/", "/runs/{run}/", "/experiments/{experiment}/")
CLIENTS = 8
SECONDS = 5.0  # of one measurement


@dataclass
class Served:
    """A site with its pages, and the pages a second that it served in each measurement."""

    name: str
    browser: Browser
    paths: Sequence[str]
    rates: list[float] = field(default_factory=list)


def of_site(name: str, link: str, stock: Stock) -> Served:
    return Served(name, Browser(link), [stock.address(path) for path in PATHS])


def report(sites: Sequence[Served], rounds: int) -> Iterator[str]:
    """A line for each site with its median, and the median of the ratios of the last to the first by round."""
    for site in sites:
        pages_a_second(site, SECONDS / 2)  # fills the caches
    for number in range(rounds):
        for site in sites if number % 2 else reversed(sites):
            site.rates.append(pages_a_second(site, SECONDS))
    for site in sites:
        yield f"{site.name:<24}{statistics.median(site.rates):>8.1f} pages/s"
    ratios = [last / first for first, last in zip(sites[0].rates, sites[-1].rates, strict=True)]
    yield f"{'times':<24}{statistics.median(ratios):>8.2f}  ({min(ratios):.2f} to {max(ratios):.2f})"


def pages_a_second(site: Served, seconds: float) -> float:
    """The rate at which some clients, each with a connection of its own, are served."""
    until, counts = time.perf_counter() + seconds, [0] * CLIENTS
    threads = [threading.Thread(target=_ask, args=(site, until, counts, n)) for n in range(CLIENTS)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.perf_counter() - began)


def _ask(site: Served, until: float, counts: list[int], number: int) -> None:
    address = urllib.parse.urlsplit(site.browser.site)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)
    headers = {"Cookie": site.browser.cookies, "Accept-Encoding": "identity"}
    while time.perf_counter() < until:
        connection.request("GET", site.paths[(number + counts[number]) % len(site.paths)], headers=headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise SystemExit(f"The site answered {answer.status}.")
        counts[number] += 1
    connection.close()
