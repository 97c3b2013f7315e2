"""Sorted orders of runs so large that selecting each page from all their scores would take long.

The first page of an order is selected. Meanwhile a thread sorts it, and further pages are cut from the sorted order.
"""

from collections.abc import Hashable
from threading import Lock, Thread
from typing import TypeAlias

from evaluations.process_cache import ProcessCache
from evaluations.statistics.ordering import Selected
from evaluations.statistics.sorted_rows import SortedRows

SORTER = "sorts an order"  # the name of the thread
LARGE = 2_000_000  # examples; pages of fewer are selected in less time than it takes to show them
MOST_BYTES = 160_000_000  # four orders of ten million rows with few different scores

Key: TypeAlias = tuple[Hashable, ...]
process_cache: ProcessCache[Key, SortedRows] = ProcessCache(
    "orders of large runs", MOST_BYTES, lambda order: order.nbytes
)
counts: ProcessCache[Key, dict[str, int]] = ProcessCache("counts of large runs", 1_000)
_sorting = Lock()  # one order at a time, because sorting takes as much memory as a column


def sort_later(key: Key, selected: Selected) -> None:
    """Sort an order in a thread, unless it sorts another one."""
    if _sorting.acquire(blocking=False):
        Thread(target=_sort, args=(key, selected), name=SORTER, daemon=True).start()


def _sort(key: Key, selected: Selected) -> None:
    try:
        process_cache.put(key, SortedRows.from_selected(selected))
    finally:
        _sorting.release()
