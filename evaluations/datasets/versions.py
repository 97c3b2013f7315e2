"""Tags (unique per dataset) and comments of dataset versions."""

from django.db import IntegrityError, transaction

from evaluations.access import audit
from evaluations.errors import Conflict, NotFound
from evaluations.models import Dataset, DatasetVersion


def version_of(dataset: Dataset, number: int) -> DatasetVersion:
    version = dataset.versions.filter(number=number).first()
    if version is None:
        raise NotFound("not_found", f"The dataset has no version {number}.")
    return version


def describe(
    version: DatasetVersion, *, tag: str | None = None, comment: str | None = None
) -> DatasetVersion:
    """Change tag and comment: None keeps one, an empty text removes it. `Conflict` if the tag is in use."""
    version.tag = version.tag if tag is None else tag.strip()
    version.comment = version.comment if comment is None else comment.strip()
    audit.note(version=version.number, tag=version.tag)
    try:
        with transaction.atomic():
            version.save(update_fields=["tag", "comment"])
    except IntegrityError as clash:
        message = f"Another version has the tag “{version.tag}”."
        raise Conflict("name_taken", message, fields={"tag": [message]}) from clash
    return version
