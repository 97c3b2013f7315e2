"""The number of days after which runs and datasets are deleted."""

from evaluations.models import Project
from evaluations.upkeep import retention

from .form import Form
from .number import WholeField


def _days(label: str, help_text: str) -> WholeField:
    return WholeField(label=label, max_value=retention.MOST_DAYS, required=False, help_text=help_text)


class RetentionForm(Form):
    guards = True
    delete_runs_after_days = _days("Delete runs older than (days)", "Empty: no run is deleted.")
    delete_datasets_after_days = _days(
        "Delete datasets not used for (days)",
        "Deletes their experiments and runs, too. Empty: no dataset is deleted.",
    )

    @property
    def is_used(self) -> bool:
        """Whether one of its fields was submitted."""
        return any(name in self.data for name in self.fields)

    def save(self, project: Project) -> Project:
        return retention.change(project, self.cleaned_data)
