"""The tables of connections to model servers, and of stored embeddings."""

from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from .fields import BinaryField
from .owned import Named, unique_name


class Connection(Named):
    """An OpenAI-compatible server. The key is stored encrypted and never shown.

    `in_flight` is the number of concurrent calls that the server accepted; null if unknown.
    """

    base_url = models.CharField(max_length=500)
    encrypted_key = models.TextField(blank=True)
    key_ending = models.CharField(max_length=4, blank=True)
    key_set_at = models.DateTimeField(null=True)
    price_per_million = models.DecimalField(max_digits=10, decimal_places=4, null=True)
    in_flight = models.FloatField(default=8.0)

    class Meta:
        constraints = [unique_name("connection")]
        ordering = ["-id"]


class Embedding(models.Model):
    """A vector as little-endian float32; its key is the SHA-256 of base URL, model, dimensions and exact text."""

    digest = BinaryField(primary_key=True, max_length=32)
    vector = BinaryField()
    created_at = models.DateTimeField(default=timezone.now, db_default=Now(), db_index=True)
