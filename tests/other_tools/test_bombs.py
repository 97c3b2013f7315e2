"""Small exports with huge contents take little memory, and do not end the process that reads them.

The limits are a fifth of the real ones here, and so are the exports: equally reliable, and five times as fast.
"""

import gzip
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from evaluations import other_tools
from evaluations.ingest import FileError
from evaluations.other_tools import documents, streamed
from evaluations.zstd import zipfile

from .files import content

ROOT = Path(__file__).parents[2]
MEGABYTES = 90  # of memory for reading
READ = r"""
import re, sys
from evaluations import other_tools
from evaluations.ingest import FileError
from evaluations.other_tools import documents, promptfoo_config, streamed

limits = {"LARGE", "LONGEST", "MOST_WHOLE", "MOST_VALUES", "MOST_RESULT_VALUES", "MOST_KEPT", "MOST_HELD"}
for module in (documents, promptfoo_config, streamed):
    for name in limits & {*vars(module)}:
        setattr(module, name, getattr(module, name) // 5)

def peak():
    return int(re.search(r"VmHWM:\s+(\d+) kB", open("/proc/self/status").read())[1]) // 1024

before = peak()
file = open(sys.argv[1], "rb")
try:
    other_tools.read(file, other_tools.recognise(file))
except FileError as refusal:
    print(refusal.code)
print(peak() - before)
"""
LISTS = b"[" + b"[]," * 1_800_000 + b"[]]"
OBJECTS = b"[" + b'{"a":1},' * 600_000 + b"{}]"


def within(name: str, junk: bytes) -> bytes:
    """A JSON export with a field of junk in one of its rows."""
    document = json.loads(content(name))
    rows = document["samples"] if name == "inspect.json" else document["results"]["results"]
    rows[0]["junk"] = "here"
    return gzip.compress(json.dumps(document).encode().replace(b'"here"', junk), 1)


def archived(**members: bytes) -> bytes:
    log = json.loads(content("inspect.json"))
    header = json.dumps({name: value for name, value in log.items() if name != "samples"}).encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_ZSTANDARD) as archive:
        for name, member in {"header": header, **members}.items():
            archive.writestr(f"{name.replace('__', '/')}.json", member)
    return packed.getvalue()


def sample(number: int, junk: bytes) -> bytes:
    return b'{"id":%d,"epoch":1,"input":%s,"target":"a","output":{}}' % (number, junk)


def merged_mappings() -> bytes:
    """Nine levels of mappings, each with forty times the previous one."""
    first = b"- &m0 {a: 1, b: 2}\n"
    levels = b"".join(b"- &m%d {<<: [%s]}\n" % (n, b",".join([b"*m%d" % (n - 1)] * 40)) for n in range(1, 10))
    return b"prompts: [a]\ntests:\n" + first + levels


ITEM = b'{"object":"eval.run.output_item","id":"1"}\n'
CONFIGURATION = b"prompts: [a]\ntests:\n- vars: {a: %s}\n"
BOMBS = {
    "lists in a header of Inspect": lambda: archived(header=b'{"version":2,"eval":{},"junk":%s}' % LISTS),
    "lists in a sample of Inspect": lambda: archived(samples__1_epoch_1=sample(1, LISTS)),
    "lists in many samples of Inspect": lambda: archived(
        **{f"samples__{n}_epoch_1": sample(n, b"[" + b"[]," * 120_000 + b"[]]") for n in range(14)}
    ),
    "lists in an Inspect log": lambda: within("inspect.json", LISTS),
    "objects in promptfoo results": lambda: within("promptfoo_v3.json", OBJECTS),
    "lines of numbers": lambda: gzip.compress(
        b'{"example_id":1,"reference_output":1,"output":1}\n' + b"0\n" * 420_000, 1
    ),
    "lists in rows of Phoenix": lambda: gzip.compress(
        b'[{"example_id":"1","input":1,"reference_output":1,"output":%s}]' % LISTS, 1
    ),
    "blank lines between rows of Phoenix": lambda: gzip.compress(
        b'{"example_id":"1","input":1,"reference_output":1,"output":1}\n' * 2 + b"  \n" * 3_000_000 + b"{}",
        1,
    ),
    "lists in a line of OpenAI": lambda: gzip.compress(
        b'{"object":"eval.run.output_item","id":"1"}\n{"object":"eval.run.output_item","junk":%s}' % LISTS, 1
    ),
    "a long line of OpenAI": lambda: gzip.compress(ITEM * 2 + b'{"x":"%s"}' % (b"x" * 38_000_000), 1),
    "lists in a configuration": lambda: CONFIGURATION % (b"[" + b"[]," * 52_000 + b"[]]"),
    "lists in results as YAML": lambda: b"evalId: e\nresults: [" + b"[]," * 110_000 + b"]\n",
    "levels of lists": lambda: CONFIGURATION % (b"[" * 100_000 + b"]" * 100_000),
    "levels of mappings": lambda: (
        b"prompts: [a]\ntests:\n" + b"".join(b" " * n + b"a:\n" for n in range(1_500))
    ),
    "merged mappings": merged_mappings,
}


@pytest.mark.long
@pytest.mark.parametrize("name", BOMBS)
def test_no_small_export_takes_much_memory_or_ends_its_process(tmp_path, name):
    path = tmp_path / "export"
    path.write_bytes(BOMBS[name]())

    command = [sys.executable, "-c", READ, str(path)]
    reading = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    code, grown = reading.stdout.split()
    assert code in ("values_limit", "bytes_limit", "other_tool")
    assert int(grown) < MEGABYTES


PACKED_VALUES = {
    "lines": ITEM + b"0\n" * 1_500_000,
    "objects": b'[{"datasetRunId":"1","datasetItemId":"1","x":[' + b"{}," * 800_000 + b"1]}]",
    "results of promptfoo": b'{"results":[' + b'{"gradingResult":1,"vars":0},' * 200_000 + b"0]}",
    "numbers": b'[{"example_id":"1","reference_output":1,"output":1,"x":[' + b"1," * 1_500_000 + b"1]}]",
}


@pytest.mark.parametrize("name", PACKED_VALUES)
def test_the_values_of_a_small_packed_export_are_counted_before_any_is_read(name, monkeypatch):
    """Parsing them took a web process half a minute; 14 kB of empty results still took six seconds."""
    monkeypatch.setattr(documents, "parsed", pytest.fail)
    monkeypatch.setattr(streamed, "_Builder", pytest.fail)
    packed = io.BytesIO(gzip.compress(PACKED_VALUES[name], 1))

    with pytest.raises(FileError) as refusal:
        other_tools.read(packed, "langfuse")

    assert refusal.value.code == "values_limit"
    assert "export fewer runs" in refusal.value.hint
    assert "columns" not in refusal.value.hint


def test_a_packed_export_whose_answers_alone_differ_is_within_the_limit():
    result, *_ = json.loads(content("promptfoo_v3.json"))["results"]["results"]
    results = [result | {"testIdx": n, "response": {"output": f"answer {n * n}"}} for n in range(2_000)]
    packed = gzip.compress(json.dumps({"evalId": "e", "results": {"results": results}}).encode())

    marks = sum(gzip.decompress(packed).count(mark) for mark in (b"[", b"{", b","))

    assert marks < documents.PACKED.values_per_byte * len(packed)
