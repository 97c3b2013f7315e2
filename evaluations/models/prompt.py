"""The tables of prompts, their versions, and the labels on them."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from evaluations.values import LONGEST_NAME

from .connection import Connection
from .fields import JSONTextField
from .owned import Named, unique_name


class Prompt(Named):
    """A named prompt; `version` is the number of its newest version."""

    version = models.PositiveIntegerField(default=1)

    class Meta:
        constraints = [unique_name("prompt")]
        ordering = ["-id"]


class PromptVersion(models.Model):
    """A request to a model in the format of the OpenAI API, with variables; never changed once stored.

    With `split_reasoning`, a block of reasoning at the beginning of an answer is kept apart from the output.
    `dataset` is that of the page on which it was saved.
    """

    prompt = models.ForeignKey(Prompt, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    messages = JSONTextField(default=list)
    model = models.CharField(max_length=LONGEST_NAME, blank=True)
    parameters = JSONTextField(default=dict)
    schema = JSONTextField(null=True)
    tools = JSONTextField(default=list)
    split_reasoning = models.BooleanField(default=True)
    connection = models.ForeignKey(Connection, models.SET_NULL, null=True, related_name="+")
    dataset = models.ForeignKey("Dataset", models.SET_NULL, null=True, related_name="+")
    note = models.CharField(max_length=200, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["prompt", "number"], name="prompt_version_once")]
        ordering = ["-number"]

    def __str__(self) -> str:
        return f"{self.prompt.name} v{self.number}"


class PromptLabel(models.Model):
    """A label on a version from `set_at` until `ended_at`, null while it is in force; rows are the label's history."""

    prompt = models.ForeignKey(Prompt, models.CASCADE, related_name="labels")
    name = models.CharField(max_length=40)
    version = models.ForeignKey(PromptVersion, models.CASCADE, related_name="labels")
    set_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    set_at = models.DateTimeField(default=timezone.now, editable=False)
    ended_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["prompt", "name"], condition=models.Q(ended_at=None), name="prompt_label_once"
            )
        ]
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name
