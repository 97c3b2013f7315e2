"""The S3 storage of uploads, with short timeouts and one kind of error."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from storages.backends import s3

from evaluations.access import limits
from evaluations.errors import StorageUnavailable

log = logging.getLogger(__name__)

# Timeouts in seconds. Some servers put a large file together before they answer its last request, which takes half a
# minute on a busy machine; asked again meanwhile, they refuse.
IN_TIME = s3.Config(connect_timeout=5, read_timeout=60, retries={"total_max_attempts": 2})
BUSY = "Too many files are being fetched from the storage at once."
PROBLEMS = (
    s3.botocore.exceptions.BotoCoreError,
    s3.boto3.exceptions.Boto3Error,
    s3.boto3.s3.transfer.S3TransferRetriesExceededError,  # a download that breaks off every time
    s3.ClientError,
)


class Bucket(s3.S3Storage):
    """django-storages' S3 backend; every failure raises `StorageUnavailable`."""

    client_config: Any

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.client_config = self.client_config.merge(IN_TIME)

    def _open(self, name: str, mode: str = "rb") -> Any:
        with limits.one_of(limits.DOWNLOADS, BUSY), _problems_named():
            file = super()._open(name, mode)
            file.file.seek(0)  # Downloads the file here, where a failure becomes a refusal.
            return file

    def _save(self, name: str, content: Any) -> Any:
        with _problems_named():
            return super()._save(name, content)

    def exists(self, name: str) -> bool:
        with _problems_named():
            return bool(super().exists(name))

    def delete(self, name: str) -> None:
        with _problems_named():
            super().delete(name)


@contextmanager
def _problems_named() -> Iterator[None]:
    try:
        yield
    except PROBLEMS as problem:
        log.warning("The storage of uploads returned an error: %s", problem)
        raise StorageUnavailable(
            "storage_unavailable",
            "The storage of uploads returned an error.",
            hint="Try again in a moment; an administrator can check EVALSITE_STORAGE and its credentials.",
        ) from problem
