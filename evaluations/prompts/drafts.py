"""Drafts: unsaved texts in the editor and on the bench of a prompt, visible to their author only."""

from collections.abc import Mapping, Sequence

from django.contrib.auth.models import User
from django.utils import timezone

from evaluations.files.text import clean
from evaluations.models import Prompt, PromptDraft

MOST_CHARACTERS = 1_000_000
LEFT_OUT = {"csrfmiddlewaretoken", "do"}


def store(
    prompt: Prompt, user: User, base: int, form: Mapping[str, Sequence[str]], *, is_bench: bool = False
) -> bool:
    """Store the fields of the form over the earlier ones; False if they are too long."""
    fields = {name: [clean(text) for text in form[name]] for name in form if name not in LEFT_OUT}
    if sum(len(text) for texts in fields.values() for text in texts) > MOST_CHARACTERS:
        return False
    values = {"base": base, "form": fields, "saved_at": timezone.now()}
    PromptDraft.objects.update_or_create(prompt=prompt, user=user, is_bench=is_bench, defaults=values)
    return True


def of_user(prompt: Prompt, user: User, *, is_bench: bool = False) -> PromptDraft | None:
    return PromptDraft.objects.filter(prompt=prompt, user=user, is_bench=is_bench).first()


def discard(prompt: Prompt, user: User, *, is_bench: bool = False) -> None:
    PromptDraft.objects.filter(prompt=prompt, user=user, is_bench=is_bench).delete()
