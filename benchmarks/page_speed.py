"""Measures pages and exports of a large dataset against those of a small one, on a running site."""

import re
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http.cookiejar import CookieJar

SMALL = 1_000
PIECE = 1 << 16
NOWHERE = "zqzqzq"  # no text contains it, so all texts are searched
PAGES = {
    "dataset, first page": "/datasets/{dataset}/",
    "dataset, middle": "/datasets/{dataset}/?after={middle}",
    "dataset, last": "/datasets/{dataset}/?before={beyond}",
    "run, first page": "/runs/{run}/",
    "run, middle": "/runs/{run}/?order=file&after=0.0:{middle}",
    "run, last": "/runs/{run}/?before=:{beyond}",
    **{f"run, by evaluator {n + 1}": f"/runs/{{run}}/?evaluator={{evaluators[{n}]}}" for n in range(5)},
    "run, best first": "/runs/{run}/?order=best",
    "run, by status": "/runs/{run}/?status[{evaluators[0]}]=missing_actual",
    "run, failed": "/runs/{run}/?passed[{evaluators[0]}]=false",
    "run, range": "/runs/{run}/?min[{evaluators[1]}]=0.4&max[{evaluators[1]}]=0.45",
    "run, one row": "/runs/{run}/?row={middle}",
    "run, search": f"/runs/{{run}}/?q={NOWHERE}",
    "dataset, search": f"/datasets/{{dataset}}/?q={NOWHERE}",
    "experiment": "/experiments/{experiment}/",
    "experiment, examples": "/experiments/{experiment}/?evaluator={evaluators[3]}&show=worse",
}
EXPORTS = {
    "run": "/api/v1/runs/{run}/export/?format=",
    "dataset": "/api/v1/datasets/{dataset}/export/?format=",
}
FORMATS = ("csv", "jsonl", "parquet")


@dataclass(frozen=True)
class Stock:
    """The objects that pages show: a dataset of `size` examples, its experiment, a run and its evaluators, by id."""

    size: int
    dataset: int
    experiment: int
    run: int
    evaluators: Sequence[int]

    def address(self, template: str) -> str:
        return template.format(**vars(self), middle=self.size // 2, beyond=self.size + 1)


class Browser:
    """A client signed in by a link."""

    def __init__(self, link: str):
        self._jar = CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._jar))
        self.site = "{0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(link))
        page = self.opener.open(link).read().decode()
        [token] = set(re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page))
        self.opener.open(link, urllib.parse.urlencode({"csrfmiddlewaretoken": token}).encode()).close()

    @property
    def cookies(self) -> str:
        """The header of its session."""
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in self._jar)

    def seconds(self, path: str) -> float:
        started = time.perf_counter()
        self.opener.open(self.site + path).read()
        return time.perf_counter() - started


def pages(browser: Browser, small: Stock, large: Stock, repeats: int) -> Iterator[str]:
    """A line for each page: median and 95th percentile of both, the ratio of the medians, and the first time."""
    small_head, large_head = (f"{'of ' + format(stock.size, ','):>14}{'95 %':>8}" for stock in (small, large))
    yield f"{'page, ms':<24}{small_head}{large_head}{'times':>8}{'first':>8}"
    for name, template in PAGES.items():
        browser.seconds(small.address(template))
        first = browser.seconds(large.address(template))
        # alternating, so that other load on the machine slows both
        pairs = [
            (browser.seconds(small.address(template)), browser.seconds(large.address(template)))
            for _ in range(repeats)
        ]
        small_times, large_times = (_middle_and_slow(times) for times in zip(*pairs, strict=True))
        figures = "".join(
            f"{1_000 * middle:>14.0f}{1_000 * slow:>8.0f}" for middle, slow in (small_times, large_times)
        )
        yield f"{name:<24}{figures}{large_times[0] / small_times[0]:>8.1f}{1_000 * first:>8.0f}"


def _middle_and_slow(times: Sequence[float]) -> tuple[float, float]:
    ordered = sorted(times)
    return ordered[len(times) // 2], ordered[int(0.95 * len(times))]


def exports(site: str, key: str, stock: Stock) -> Iterator[str]:
    """A line for each export, with rows and megabytes per second."""
    for noun, template in EXPORTS.items():
        for kind in FORMATS:
            address = site + stock.address(template) + kind
            request = urllib.request.Request(address, headers={"Authorization": f"Bearer {key}"})
            started, size = time.perf_counter(), 0
            with urllib.request.urlopen(request) as answer:
                while piece := answer.read(PIECE):
                    size += len(piece)
            seconds = time.perf_counter() - started
            rates = f"{stock.size / seconds:,.0f} rows/s, {size / seconds / 1e6:.0f} MB/s"
            yield f"{f'export of the {noun}, {kind}':<36}{rates}"
