"""Outputs from a column that an upload left as metadata or input, and that has the answers of a variant."""

from evaluations import bulk
from evaluations.errors import Invalid
from evaluations.models import Dataset, Output, Run
from evaluations.numerals import grouped
from evaluations.scoring import coverage, stretches
from evaluations.values import output_text

MOST_EXAMPLES = 200_000  # some seconds of work; larger files are uploaded again, with other roles
FIELDS = ("run_id", "position", "text", "is_json")


def candidates(dataset: Dataset) -> list[str]:
    """The columns that can become variants: metadata, and inputs if there are several."""
    inputs = dataset.columns.get("inputs", ())
    return list(dict.fromkeys([*dataset.columns.get("metadata", ()), *(inputs if len(inputs) > 1 else ())]))


def is_answered(dataset: Dataset | None) -> bool:
    """Whether there is a run on the dataset."""
    return Run.objects.filter(experiment__dataset=dataset).exists()


def part_of(dataset: Dataset, column: str) -> str:
    """The part of the dataset in which a candidate is."""
    return "metadata" if column in dataset.columns.get("metadata", ()) else "inputs"


def store(run: Run, column: str) -> None:
    """Give a new draft the values of a column as its outputs; an example without a value has none."""
    experiment = run.experiment
    _check(run, column)
    part = part_of(experiment.dataset, column)
    count = 0
    chosen = coverage.slots(run)
    for stretch in stretches.of_dataset(experiment.dataset, experiment.dataset_version, chosen, (part,)):
        values = [cells.get(column) for cells in stretch.parsed(part)]
        outputs = zip(stretch.positions, values, strict=True)
        rows = [
            (run.pk, position, *output_text(value)) for position, value in outputs if value not in (None, "")
        ]
        bulk.insert(Output, FIELDS, rows)
        count += len(rows)
    run.output_count = count
    run.save(update_fields=["output_count"])


def _check(run: Run, column: str) -> None:
    dataset = run.experiment.dataset
    if column not in candidates(dataset):
        message = f"{dataset.name} has no metadata or input column “{column[:80]}” that can be a variant."
        raise Invalid("unknown_column", message, fields={"column": [message]})
    if dataset.example_count > MOST_EXAMPLES:
        message = f"A column becomes a variant for at most {grouped(MOST_EXAMPLES)} examples."
        hint = "Upload the file again, and give the column the role Output."
        raise Invalid("too_many_rows", message, hint=hint, fields={"column": [message]})
