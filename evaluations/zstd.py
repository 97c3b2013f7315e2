"""Archives with Zstandard: the `zipfile` of Python 3.14, which is a package of its own for older Pythons."""

import sys

if sys.version_info >= (3, 14):
    import zipfile

    from compression.zstd import ZstdError
else:
    from backports.zstd import ZstdError, zipfile

__all__ = ["ZstdError", "zipfile"]
