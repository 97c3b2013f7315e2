"""Whether every locked package has a wheel wherever Evalsite runs: `python deploy/check_wheels.py`.

The package index is asked, and nothing is downloaded but its lists. uv (`pip install uv`) refuses a lock in which a
package would have to be compiled.
"""

import itertools
import subprocess
import sys
import tempfile
from pathlib import Path

LOCKS = Path(__file__).parents[1] / "requirements"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PLATFORMS = ("x86_64-manylinux_2_28", "aarch64-manylinux_2_28", "aarch64-apple-darwin")


def problem(lock: Path, python: str, platform: str) -> str:
    """What uv says of the first packages without a wheel; "" if all have one."""
    command = ["uv", "pip", "install", "--dry-run", "--quiet", "--no-deps", "--require-hashes"]
    command += ["--only-binary", ":all:", "--python-version", python, "--python-platform", platform]
    with tempfile.TemporaryDirectory() as nowhere:
        result = subprocess.run(
            [*command, "--target", nowhere, "--requirement", str(lock)], capture_output=True, text=True
        )
    return result.stderr.strip() if result.returncode else ""


def main() -> int:
    found = False
    for lock, python, platform in itertools.product(sorted(LOCKS.glob("*.txt")), PYTHONS, PLATFORMS):
        said = problem(lock, python, platform)
        found = found or bool(said)
        print(f"{lock.name}, Python {python}, {platform}: {said or 'every package has a wheel'}")  # noqa: T201
    return int(found)


if __name__ == "__main__":
    sys.exit(main())
