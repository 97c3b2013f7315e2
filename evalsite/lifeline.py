"""No process outlives the one that started it, even after kill -9."""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1

# Loaded here, because after a fork a child should do as little as it can.
_prctl = ctypes.CDLL(None, use_errno=True).prctl if sys.platform == "linux" else None


def die_with(parent: int) -> None:
    """Have the kernel kill this process when `parent` ends; called in a fresh child.

    Only Linux can do that; elsewhere a parent that is killed leaves its children to be stopped by hand.
    Grandchildren do not inherit this, so each process sets it itself.
    """
    if _prctl is None:
        return
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # It ended before this took effect.
        os.kill(os.getpid(), signal.SIGKILL)
