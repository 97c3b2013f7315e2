"""Names of Celery tasks: one constant each."""

import re
from pathlib import Path

from celery import current_app

from evaluations import task_names, tasks

NAMES = {value for name, value in vars(task_names).items() if name.isupper() and name != "QUEUES"}
ROOT = Path(tasks.__file__).parents[1]


def test_every_task_has_a_constant():
    assert {name for name in current_app.tasks if name.startswith("evaluations.")} == NAMES


def test_no_other_module_repeats_the_name_of_a_task():
    modules = [*(ROOT / "evaluations").rglob("*.py"), *(ROOT / "evalsite").rglob("*.py")]
    texts = re.compile("|".join(f'"{re.escape(name)}"' for name in NAMES))

    assert {module.name for module in modules if texts.search(module.read_text())} == {"task_names.py"}
