"""The tables of prompt trials, their answers, and drafts of prompts."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from evaluations.values import LONGEST_NAME

from .dataset import Dataset
from .fields import JSONTextField
from .leased import Leased
from .owned import Owned
from .prompt import Prompt
from .spending import Budget, Spending


class Trial(Owned):
    """A few variants of a prompt, with their answers to a few examples; deleted after a day.

    It stores copies of its `variants` (name, version, and what is sent) and `examples` (position, key,
    inputs, reference and metadata). `evaluators` are ids of evaluator versions. With `cache`, answers that the project
    paid before are reused.
    """

    prompt = models.ForeignKey(Prompt, models.CASCADE, related_name="trials")
    dataset = models.ForeignKey(Dataset, models.SET_NULL, null=True, related_name="+")
    reference_columns = JSONTextField(default=list)
    variants = JSONTextField(default=list)
    examples = JSONTextField(default=list)
    evaluators = JSONTextField(default=list)
    cache = models.BooleanField(default=True)
    budget = models.OneToOneField(Budget, models.CASCADE, related_name="trial")

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"Trial {self.pk}"


class TrialAnswer(Leased):
    """The answer of one variant of a trial (its index, from 0) to one example.

    `spending` is stored before the call: without one, a lost worker has asked nothing. `partial` is what has arrived
    while the server still answers. `error` has a code, a message and a hint. An answer with a text is ready to be
    leased by who scores it. The tokens, cost and latency of a `cached` answer are those of the call that made it, and
    were not paid again.
    """

    trial = models.ForeignKey(Trial, models.CASCADE, related_name="answers")
    variant = models.PositiveSmallIntegerField()
    example = models.PositiveSmallIntegerField()
    body = JSONTextField(null=True)
    spending = models.ForeignKey(Spending, models.SET_NULL, null=True, related_name="+")
    text = models.TextField(null=True)
    partial = models.TextField(null=True)
    is_json = models.BooleanField(default=False)
    reasoning = models.TextField(null=True)
    error = JSONTextField(null=True)
    finish_reason = models.CharField(max_length=40, blank=True)
    model = models.CharField(max_length=LONGEST_NAME, blank=True)
    tokens_in = models.PositiveIntegerField(null=True)
    tokens_out = models.PositiveIntegerField(null=True)
    cost = models.BigIntegerField(null=True)
    latency_ms = models.PositiveIntegerField(null=True)
    cached = models.BooleanField(default=False)
    scores = JSONTextField(default=list)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["trial", "variant", "example"], name="trial_answer_once")
        ]
        indexes = [
            models.Index(fields=["trial"], condition=~models.Q(state="done"), name="trial_answer_open")
        ]
        ordering = ["example", "variant"]


class PromptDraft(models.Model):
    """The unsaved text of a person in the editor or on the bench of a prompt: the fields of the form, as sent."""

    prompt = models.ForeignKey(Prompt, models.CASCADE, related_name="drafts")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    is_bench = models.BooleanField(default=False)
    base = models.PositiveIntegerField()
    form = JSONTextField(default=dict)
    saved_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["prompt", "user", "is_bench"], name="prompt_draft_once")
        ]
