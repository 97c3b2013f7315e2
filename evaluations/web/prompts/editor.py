"""The editor of a prompt: a form stored as a draft, compared with versions, previewed and tried."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.contrib.auth.models import User
from django.http import QueryDict
from django.urls import reverse

from evaluations.models import Dataset, Project, Prompt, PromptDraft, PromptVersion
from evaluations.prompts import drafts as drafts_of_prompts
from evaluations.prompts import prices, prompts, versions
from evaluations.prompts.content import ROLES, Content, check
from evaluations.prompts.prices import Rates

from ..forms.prompt import Draft, PromptForm, drafts, initial, moved, sent
from ..page_tools import offered_models
from ..page_tools.calls import curl
from ..page_tools.frame import Context, frame
from ..page_tools.paging import number, number_of
from ..page_tools.request import HttpRequest
from . import preview as prompt_preview
from .history import lines, scored_by


@dataclass
class Editor:
    """Edits a new prompt, or the next version of an existing one."""

    request: HttpRequest
    project: Project
    prompt: Prompt | None = None
    base: PromptVersion | None = None
    is_redrawn = False  # the messages are not those of the form

    def __post_init__(self) -> None:
        posting = self.request.method == "POST"
        self.action = self.request.POST.get("do", "save") if posting else ""
        self.form_data = self.request.POST if posting else self._draft()
        self.content = Content.from_version(self.base) if self.base else None
        self.form = self._form()
        self.messages = self._messages()

    def _draft(self) -> QueryDict | None:
        """The user's draft of the base; None if the address names a version, which is shown instead."""
        if self.base is None or self.draft is None or number(self.request, "version"):
            return None
        return sent(self.draft) if self.draft.base == self.base.number else None

    @cached_property
    def draft(self) -> PromptDraft | None:
        return drafts_of_prompts.of_user(self.prompt, self.request.user) if self.prompt else None

    def keep(self) -> bool:
        """Store the form as this person's draft. A version that is shown unchanged replaces no draft."""
        if self.prompt is None or self.base is None:
            return False
        if not self.is_draft and number(self.request, "version") and self.draft:
            return False
        fields = dict(self.request.POST.lists())
        return drafts_of_prompts.store(self.prompt, self.request.user, self.base.number, fields)

    def _form(self) -> PromptForm:
        options: dict[str, Any] = {"project": self.project, "base": self.content}
        if self.action in ("save", "bench"):
            stored_name = {"name": self.prompt.name if self.prompt else ""}
            return PromptForm(self.request.POST, initial=stored_name, **options)
        if self.form_data is not None:
            return PromptForm(initial=self.form_data.dict(), **options)
        stored = initial(self.content) if self.content else {"model": offered_models.usual(self.project)}
        return PromptForm(initial=stored | {"name": self.prompt.name if self.prompt else ""}, **options)

    def _messages(self) -> list[Draft]:
        if self.form_data is not None:
            typed = moved(drafts(self.form_data), self.action)
            return [self._beginning()] if self._begins_elsewhere(typed) else typed
        if self.content:
            return [Draft.from_message(message) for message in self.content.messages]
        return [self._beginning()]

    def _beginning(self) -> Draft:
        values = self.request.GET if self.form_data is None else self.form_data
        chosen = prompt_preview.chosen_dataset(self.project, values)
        return Draft("user", prompt_preview.first_variable(chosen))

    def _begins_elsewhere(self, typed: Sequence[Draft]) -> bool:
        """Whether nothing is typed in a new prompt, and its beginning is of another dataset than the chosen one."""
        if self.prompt or self.action != "preview" or len(typed) != 1:
            return False
        chosen = prompt_preview.chosen_dataset(self.project, self.request.POST)
        self.is_redrawn = prompt_preview.is_beginning_elsewhere(typed[0].text, self.project, chosen)
        return self.is_redrawn

    def save(self) -> PromptVersion:
        """Save the first version of a new prompt, or the next version, under the typed name."""
        values, user = self.form.cleaned_data, self.request.user
        content = check(self.form.content(self.messages))
        if self.prompt is None:
            created = prompts.create(
                self.project, user, values["name"], content, values["note"], self._dataset(content)
            )
            return prompts.version_of(created)
        newest_was = number_of(self.request.POST, "newest")
        saved = prompts.change(
            self.prompt, user, values["name"], content, values["note"], newest_was, self._dataset(content)
        )
        drafts_of_prompts.discard(self.prompt, user)
        return saved

    def _dataset(self, content: Content) -> Dataset | None:
        values, variables = self.request.POST, content.variables
        chosen = prompt_preview.chosen_dataset(self.project, values, variables, self.prompt)
        return prompt_preview.to_keep(chosen, content)

    @property
    def address(self) -> str:
        """The address of the editor with this version."""
        if self.prompt is None:
            return self.request.path
        page = reverse("prompt-detail", args=[self.prompt.pk])
        chosen = number(self.request, "version")
        return f"{page}?version={chosen}" if chosen else page

    @cached_property
    def typed(self) -> Content | None:
        """The content of the form; None if it is invalid."""
        if self.form_data is None:
            return self.content
        return _content_of(self.form_data, self.project, self.content, self.messages)

    @property
    def is_draft(self) -> bool:
        """Whether the form differs from its base version."""
        if self.form_data is None or self.content is None:
            return self.form_data is not None
        return self.typed is None or not self.typed.is_same(self.content)

    @property
    def saved_meanwhile(self) -> int | None:
        """The version that somebody saved since the page was drawn; None if the name alone changed."""
        refused = self.form.refused
        if self.prompt is None or refused is None or refused.code != "changed_meanwhile":
            return None
        return None if self.prompt.version == number_of(self.request.POST, "newest") else self.prompt.version

    @property
    def rates(self) -> Rates | None:
        """Today's price of the model; None if it has none."""
        content = self.typed or self.content
        server = content and (content.connection or self.project.default_connection)
        return prices.rates(server, content.model, prices.today()) if content and server else None

    def context(self) -> Context:
        preview = prompt_preview.preview(
            self.request, self.project, self.messages, self.typed, self.form_data, self.prompt
        )
        return {
            **frame(self.request, self.project, "prompts", self.prompt),
            "prompt": self.prompt,
            "base": self.base,
            "form": self.form,
            "drafts": [
                (draft, self.form.message_errors.get(number, []))
                for number, draft in enumerate(self.messages)
            ],
            "roles": ROLES,
            "rates": self.rates,
            "models": offered_models.offered(self.project),
            "preview": preview,
            "is_redrawn": self.is_redrawn,
            "next_version": self.prompt.version + 1 if self.prompt else 1,
            "address": self.address,
            **self._versions(),
            "api_call": self._call(),
        }

    def _call(self) -> str:
        """The call that reads the prompt, or the difference that is shown."""
        if self.prompt is None:
            return ""
        against = number(self.request, "against")
        shown = f"diff/?from={against}&to={self.base.number}" if against and self.base else ""
        return curl(self.request, f"/api/v1/prompts/{self.prompt.pk}/{shown}")

    def _versions(self) -> Context:
        """The versions, and the differences of a draft from its base, or of the shown version from an older one."""
        if self.prompt is None or self.base is None:
            return {}
        history = versions.history(self.prompt)
        asked = number(self.request, "against")
        against = asked or self.base.number - 1
        if self.saved_meanwhile:
            against = self.saved_meanwhile
        older = (
            self.base
            if self.is_draft and not self.saved_meanwhile
            else next((entry.version for entry in history if entry.version.number == against), None)
        )
        changes = (
            versions.differences(Content.from_version(older), self.typed) if older and self.typed else None
        )
        listed = lines(history, self.prompt)
        experiments = {run.experiment_id for entry in history for run in entry.runs}
        return {
            "history": listed,
            "scored_by": scored_by(listed),
            "experiment_count": len(experiments),
            "older": older,
            "changes": changes,
            "is_compared": bool(asked),
            "saved_meanwhile": str(self.saved_meanwhile or ""),
            "is_draft": self.is_draft,
            "draft": self.draft,
        }


def editor_of(request: HttpRequest, prompt: Prompt) -> Editor:
    """The editor, based on the version that the form names, else the address, else an unsaved text, else the newest."""
    named = number_of(request.POST, "base") or number(request, "version")
    base = prompts.version_of(prompt, named or _base_of_draft(prompt, request.user))
    return Editor(request, prompt.project, prompt, base)


def _base_of_draft(prompt: Prompt, user: User) -> int | None:
    """The older version on which the draft is based; None if the draft says what this or the newest version says.

    Such a draft is no unsaved text: the form was sent unchanged, or its text was saved from the bench.
    """
    draft = drafts_of_prompts.of_user(prompt, user)
    if draft is None or draft.base == prompt.version:
        return None
    form_data = sent(draft)
    saved = [Content.from_version(prompts.version_of(prompt, number)) for number in (draft.base, None)]
    typed = _content_of(form_data, prompt.project, saved[0], drafts(form_data))
    return None if typed and any(typed.is_same(content) for content in saved) else draft.base


def _content_of(
    form_data: QueryDict, project: Project, base: Content | None, messages: Sequence[Draft]
) -> Content | None:
    """The content of the form with these messages; None if it is invalid."""
    form = PromptForm(form_data, project=project, base=base)
    return form.do(lambda: check(form.content(messages)))
