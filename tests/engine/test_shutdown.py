"""A worker's children learn from its main process that it shuts down."""

import os
import subprocess
import sys

CHILD_OF_A_WORKER = """
import os
from evaluations.engine import shutdown

(wait, go), (answer, tell) = os.pipe(), os.pipe()
before = shutdown.has_begun()
if os.fork() == 0:
    os.read(wait, 1)
    os.write(tell, bytes([shutdown.has_begun()]))
    os._exit(0)
shutdown.begin()
os.write(go, b".")
print(int(before), *os.read(answer, 1))
"""


def test_a_child_sees_that_its_worker_shuts_down():
    done = subprocess.run(
        [sys.executable, "-c", CHILD_OF_A_WORKER], capture_output=True, text=True, check=True, env=os.environ
    )

    assert done.stdout == "0 1\n"
