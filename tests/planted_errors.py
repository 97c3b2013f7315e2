"""Plants errors that a type checker finds only if it knows the tables; `make lint` calls it after mypy.

Fails if mypy misses one, as it does without django-stubs or its plugin, or reports a line that has none.
"""

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
PLANTED = """\
from evaluations.models import Run


def planted(run: Run) -> None:
    run.status = Run.Status.DRAFT
    run.statuss = 7  # attr-defined
    Run.objects.filter(variant="v2", experiment__dataset__version=2)
    Run.objects.filter(no_such_field=1)  # misc
    run.get_status_display()
    run.no_such_method()  # attr-defined
    run.experiment.full_clean()
    run.experiment.no_such_method()  # attr-defined
    Run.objects.live().order_by("pk").visible_to
    Run.objects.live().order_by("pk").no_such_method()  # attr-defined
"""


def reported(module: Path) -> dict[int, str]:
    """The codes of mypy's errors in a module, by line."""
    mypy = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "--no-pretty", str(module)]
    output = subprocess.run(mypy, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    found = re.findall(rf"^.*{module.name}:(\d+): error: .*\[([a-z-]+)\]$", output, re.MULTILINE)
    return {int(line): code for line, code in found}


def main() -> str:
    """What is wrong; "" if mypy reports what was planted and nothing else."""
    lines = enumerate(PLANTED.splitlines(), 1)
    planted = {number: line.partition("  # ")[2] for number, line in lines if "  # " in line}
    with TemporaryDirectory() as folder:
        module = Path(folder, "planted_types.py")
        module.write_text(PLANTED)
        found = reported(module)
    return "" if found == planted else f"planted: {planted}, but mypy reported: {found}"


if __name__ == "__main__":
    sys.exit(main() or 0)
