"""The tables of connections to model servers, and of stored embeddings."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from .fields import BinaryField, JSONTextField
from .owned import Named, unique_name


class Connection(Named):
    """An OpenAI-compatible server. The key is stored encrypted and never shown.

    With an `api_version`, it is Azure OpenAI. `query` and headers are added to each request; the headers may be secret,
    so they are encrypted like the key, and only `header_names` are shown.

    `last_test` is what the last test found (a `Probe`, and when it was `at`); empty before the first.
    `in_flight` is the number of concurrent calls that the server accepted; null if unknown.
    """

    base_url = models.CharField(max_length=500)
    encrypted_key = models.TextField(blank=True)
    key_ending = models.CharField(max_length=4, blank=True)
    key_set_at = models.DateTimeField(null=True)
    price_per_million = models.DecimalField(max_digits=10, decimal_places=4, null=True)
    in_flight = models.FloatField(default=8.0)
    api_version = models.CharField(max_length=40, blank=True)
    query = JSONTextField(default=dict)
    encrypted_headers = models.TextField(blank=True)
    header_names = JSONTextField(default=list)
    last_test = JSONTextField(default=dict)

    class Meta:
        constraints = [unique_name("connection")]
        ordering = ["-id"]


class LocalServer(models.Model):
    """A server on this machine, such as Ollama, that an administrator of the site lets connections call."""

    host = models.CharField(max_length=255)
    port = models.PositiveIntegerField()
    allowed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    allowed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["host", "port"], name="local_server_once")]
        ordering = ["host", "port"]

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class ServerLimit(models.Model):
    """What all processes know of the limit of a connection's server (`clients.limit.Limit`), and its current slices.

    Of the calls of the `period`, `taken` are handed out, to `takers` processes; `before` took a slice of the period
    before. Times are seconds since 1970.
    """

    connection = models.OneToOneField(
        Connection, models.CASCADE, primary_key=True, related_name="server_limit"
    )
    number = models.PositiveIntegerField(default=0)
    rate = models.FloatField(null=True)
    since = models.FloatField(default=0.0)
    is_sure = models.BooleanField(default=False)
    resume_at = models.FloatField(default=0.0)
    period = models.BigIntegerField(default=0)
    taken = models.PositiveIntegerField(default=0)
    takers = models.PositiveIntegerField(default=0)
    before = models.PositiveIntegerField(default=1)


class Embedding(models.Model):
    """A vector as little-endian float32; its key is the SHA-256 of base URL, model, dimensions and exact text."""

    digest = BinaryField(primary_key=True, max_length=32)
    vector = BinaryField()
    created_at = models.DateTimeField(default=timezone.now, db_default=Now(), db_index=True)
