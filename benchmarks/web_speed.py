"""Measures how many pages a second one and two web processes serve, on two sites that are asked alternately."""

import http.client
import itertools
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
    paths: list[str]
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
    began = time.perf_counter()
    return len(waits(site, seconds)) / (time.perf_counter() - began)


def waits(site: Served, seconds: float, clients: int = CLIENTS) -> list[float]:
    """The seconds that each page took, ascending, while some clients ask at the same time."""
    until, taken = time.perf_counter() + seconds, list[float]()
    threads = [threading.Thread(target=_ask, args=(site, until, taken, n)) for n in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(taken)


def _ask(site: Served, until: float, taken: list[float], number: int) -> None:
    address = urllib.parse.urlsplit(site.browser.site)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)
    headers = {"Cookie": site.browser.cookies, "Accept-Encoding": "identity"}
    paths = itertools.cycle(site.paths[number % len(site.paths) :] + site.paths[: number % len(site.paths)])
    while (began := time.perf_counter()) < until:
        connection.request("GET", next(paths), headers=headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise SystemExit(f"The site answered {answer.status}.")
        taken.append(time.perf_counter() - began)
    connection.close()
