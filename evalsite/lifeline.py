"""Ends processes together with their parent, even after kill -9."""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1

# loaded now, because after a fork a child should do as little as possible
_prctl = ctypes.CDLL(None, use_errno=True).prctl if sys.platform == "linux" else None


def die_with(parent: int) -> None:
    """Let the kernel kill this process when `parent` ends; call it in a fresh child.

    Only Linux supports this; elsewhere, children of a killed parent must be stopped by hand. Grandchildren do not
    inherit it, so each process calls it.
    """
    if _prctl is None:
        return
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # the parent ended before this took effect
        os.kill(os.getpid(), signal.SIGKILL)
