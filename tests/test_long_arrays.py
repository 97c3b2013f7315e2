import errno
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from evaluations import long_arrays
from evaluations.statistics import summary
from evaluations.values import Status

MANY = 300_000


on_linux = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads /proc")


def anonymous_bytes() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))


@on_linux
def test_a_long_array_takes_no_memory_of_the_process():
    before = anonymous_bytes()
    array = long_arrays.filled(10_000_000, 0.5, np.float64)

    assert float(array.sum()) == 5_000_000
    assert anonymous_bytes() - before < 20_000_000


@on_linux
def test_the_file_of_an_array_ends_with_its_last_view(monkeypatch, tmp_path):
    monkeypatch.setattr(long_arrays.Place, "folder", tmp_path)
    before = len(os.listdir("/proc/self/fd"))
    view = long_arrays.filled(MANY, 1.0, np.float64)[::2]

    assert len(os.listdir("/proc/self/fd")) == before + 1
    assert not os.listdir(tmp_path)
    assert float(view.sum()) == MANY / 2
    del view
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_full_disk_leaves_the_array_in_memory(monkeypatch, caplog):
    def full(descriptor, data):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)

    assert not long_arrays.zeros(MANY, np.float64).any()
    assert "stay in memory" in caplog.text


def test_another_trouble_with_the_folder_is_not_hidden(monkeypatch, tmp_path):
    monkeypatch.setattr(long_arrays.Place, "folder", tmp_path / "nowhere")

    with pytest.raises(FileNotFoundError):
        long_arrays.zeros(MANY, np.float64)


@pytest.mark.parametrize("long", [1, long_arrays.LONG])
@given(
    values=arrays.arrays(
        np.float64,
        st.integers(0, 300),
        elements=st.sampled_from([0.0, 1.0, 0.1, -3.5, np.nan, 1e300, 5e-324, -0.0]) | st.floats(width=64),
    ),
    seed=st.integers(0, 9),
)
def test_percentiles_are_those_of_numpy_on_the_scored_values(long, values, seed):
    """In a file and in memory, to the last bit."""
    status = np.random.default_rng(seed).choice([Status.SCORED, Status.ERROR, Status.ABSENT], len(values))
    scores = values[np.isfinite(values) & (status != Status.ABSENT)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long_arrays, "LONG", long)
        patch.setattr(long_arrays, "AT_ONCE", 7)
        found = summary.summarise(
            values, np.full(len(values), -1, np.int8), status.astype(np.uint8), low=None, high=None
        )

    assert found.n == len(scores)
    if len(scores):
        scale = summary.scale_of(scores)
        p10, p90 = np.quantile(scores / scale, (0.1, 0.9)) * scale
        assert (found.p10, found.median, found.p90) == (p10, np.median(scores / scale) * scale, p90)


@given(codes=arrays.arrays(np.uint8, st.integers(0, 200)))
def test_bytes_are_tallied_part_by_part(codes):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long_arrays, "AT_ONCE", 7)

        assert long_arrays.tally(codes).tolist() == np.bincount(codes, minlength=256).tolist()


@given(parts=st.lists(arrays.arrays(np.uint32, st.integers(0, 9)), max_size=9))
def test_a_growing_array_has_all_that_was_added(parts):
    growing = long_arrays.Growing(np.uint32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long_arrays, "LONG", 1)
        for part in parts:
            growing.extend(part)

    assert growing.values.tolist() == [number for part in parts for number in part.tolist()]
