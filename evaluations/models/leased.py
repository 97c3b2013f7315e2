"""The base of tables whose rows workers lease."""

from django.db import models


class Leased(models.Model):
    """Work that one worker at a time leases, until `lease_until`; every write checks `token` (see `engine.queue`)."""

    class State(models.TextChoices):
        READY = "ready"
        LEASED = "leased"
        DONE = "done"

    state = models.CharField(max_length=10, choices=State, default=State.READY)
    attempt = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    token = models.CharField(max_length=32, blank=True)

    class Meta:
        abstract = True
