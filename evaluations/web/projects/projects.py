"""A project and its settings: name, members, invitations, keys; deleting it."""

from django.contrib import messages
from django.db.models import F
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.utils.formats import date_format
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluations.access import accounts, api_keys, invitations, members, permissions, projects
from evaluations.access.addresses import public_address
from evaluations.models import Invitation, Project, Role
from evaluations.prompts import ledger, money

from ..accounts.proving import confirmed, confirmed_if
from ..forms.project import (
    DeleteForm,
    InvitationForm,
    ProjectForm,
    RoleForm,
    RulesForm,
)
from ..named import page_of, say_deleted, shown_again
from ..page_tools import shown_once, sorting
from ..page_tools.frame import Context, frame, project_or_404
from ..page_tools.request import HttpRequest, posted
from ..page_tools.shown_once import ShownOnce

COLUMNS = {
    "name": sorting.NAME,
    "members": sorting.Column(F("members")),
    "experiments": sorting.Column(F("experiments")),
    "newest experiment": sorting.Column(F("newest")),
}


@require_http_methods(["GET", "HEAD", "POST"])
def project_create(request: HttpRequest) -> HttpResponse:
    """Create a project; the creator becomes its administrator."""
    if not projects.may_create(request.user):
        accounts.require_administrator(request.user, "create projects")
    form = ProjectForm(posted(request))
    if project := form.do(lambda: projects.create(form.cleaned_data["name"], request.user)):
        return redirect("project-home", project.slug)
    return render(request, "projects/project_form.html", {"form": form}, status=form.status)


@require_safe
def project_list(request: HttpRequest) -> HttpResponse:
    """All projects that the user can open: the menu has the first."""
    context = page_of(request, projects.with_figures(Project.objects.visible_to(request.user)), COLUMNS)
    return render(request, "projects/project_list.html", {**context})


@require_safe
def project_detail(request: HttpRequest, slug: str) -> HttpResponse:
    return _page(request, project_or_404(request, slug))


def _page(
    request: HttpRequest,
    project: Project,
    status: int = 200,
    forms: Context | None = None,
) -> HttpResponse:
    """The settings page; its template shows some parts to administrators only."""
    page = {
        **frame(request, project, "settings"),
        "members": members.memberships(project),
        "roles": Role.values,
        "keys": list(api_keys.keys_in(project)),
        "spent_this_month": ledger.spent_this_month(project),
        "unknown_this_month": ledger.unknown_this_month(project),
        "invitations": list(invitations.pending(project)),
    }
    empty = {
        "rename_form": ProjectForm(initial={"name": project.name}),
        "rules_form": _rules_form(project),
        "invitation_form": InvitationForm(),
        "delete_form": DeleteForm(),
    }
    context = {**page, **empty, **(forms or {})}
    return shown_once.page(request, "projects/project_detail.html", context, status)


def _rules_form(project: Project, form_data: QueryDict | None = None) -> RulesForm:
    limit = project.monthly_limit
    stored = {
        "currency": project.currency,
        "monthly_limit": "" if limit is None else money.cost_text(limit),
        "protected_labels": ", ".join(project.protected_labels),
        "share_links": project.share_links,
    }
    return RulesForm(form_data, initial=stored)


@require_POST
def project_rename(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_or_404(request, slug, "admin")
    form = ProjectForm(request.POST, initial={"name": project.name})
    if form.do(lambda: projects.rename(project, form.cleaned_data["name"])):
        return redirect("project-detail", slug)
    return _page(request, project, form.status, {"rename_form": form})


@require_POST
def project_rules(request: HttpRequest, slug: str) -> HttpResponse:
    """Set the currency, the monthly limit, the labels that only administrators move, and who may make links."""
    project = project_or_404(request, slug, "admin")
    form = _rules_form(project, request.POST)
    if form.do(lambda: form.save(project)):
        messages.success(request, "Settings saved.")
        return redirect("project-detail", slug)
    return _page(request, project, form.status, {"rules_form": form})


@require_POST
@confirmed
def project_delete(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_or_404(request, slug, "admin")
    form = DeleteForm(request.POST)
    form.do(lambda: projects.delete(project, form.cleaned_data["typed"]))
    if form.status != 200:
        return _page(request, project, form.status, {"delete_form": form})
    say_deleted(request, project.name, "project-restore", slug)
    return redirect("home")


@require_POST
def project_restore(request: HttpRequest, slug: str) -> HttpResponse:
    projects.restore(get_object_or_404(projects.restorable(request.user), slug=slug))
    return redirect("project-detail", slug)


# ---- members -----------------------------------------------------------------------------------------------


@require_POST
@confirmed_if(lambda request: request.POST.get("role") == Role.ADMIN)
def member_change(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_or_404(request, slug, "admin")
    member = get_object_or_404(project.memberships.select_related("user"), pk=pk)
    form = RoleForm(request.POST, initial={"role": member.role})
    if form.do(lambda: members.change(member, form.cleaned_data["role"])):
        messages.success(request, f"{member.user} is now {member.role}.")
        return redirect("project-detail", slug)
    if form.refused and form.refused.code == "changed_meanwhile":
        title, back = f"Role of {member.user}", reverse("project-detail", args=[slug])
        return shown_again(
            request, frame(request, project, "settings"), form, title=title, button="Change", back=back
        )
    return _page(request, project, form.status, {"member_form": form})


@require_POST
def member_remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Remove a member: administrators may remove anyone, members may leave."""
    project = project_or_404(request, slug)
    member = get_object_or_404(project.memberships.select_related("user"), pk=pk)
    is_leaving = member.user_id == request.user.pk
    if not is_leaving:
        permissions.require(request.user, project, "admin")
    members.remove(member)
    messages.success(request, f"{member.user} removed from {project.name}.")
    return redirect("home") if is_leaving else redirect("project-detail", slug)


# ---- invitations and keys ----------------------------------------------------------------------------------


@require_POST
@confirmed_if(lambda request: request.POST.get("role") == Role.ADMIN)
def invitation_create(request: HttpRequest, slug: str) -> HttpResponse:
    """Create an invitation; the page shows its link, this once."""
    project = project_or_404(request, slug, "admin")
    form = InvitationForm(request.POST)
    created = form.do(lambda: invitations.create(project, request.user, **form.cleaned_data))
    if created is None:
        return _page(request, project, form.status, {"invitation_form": form})
    invitation, token = created
    link = public_address(request, reverse("invitation-accept", args=[token]))
    shown = _invitation_link(invitation, link)
    return shown_once.lead_to(request, reverse("project-detail", args=[slug]), shown)


def _invitation_link(invitation: Invitation, link: str) -> ShownOnce:
    recipient = f" for {invitation.email}" if invitation.email else ""
    last_day = date_format(invitation.expires_at, "j M Y")
    return ShownOnce(
        f"Invitation as {invitation.role}{recipient}",
        f"Copy and send this link. It is shown only once, works once, and expires on {last_day}.",
        link,
    )


@require_POST
def invitation_withdraw(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_or_404(request, slug, "admin")
    invitations.withdraw(get_object_or_404(invitations.pending(project), pk=pk))
    messages.success(request, "Invitation withdrawn.")
    return redirect("project-detail", slug)


@require_POST
def key_revoke_any(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_or_404(request, slug, "admin")
    api_keys.revoke_key(get_object_or_404(api_keys.keys_in(project), pk=pk))
    messages.success(request, "Key revoked. It no longer works.")
    return redirect("project-detail", slug)


urlpatterns = [
    path("p/", project_list, name="project-list"),
    path("p/new/", project_create, name="project-create"),
    path("p/<slug:slug>/settings/", project_detail, name="project-detail"),
    path("p/<slug:slug>/rename/", project_rename, name="project-rename"),
    path("p/<slug:slug>/rules/", project_rules, name="project-rules"),
    path("p/<slug:slug>/delete/", project_delete, name="project-delete"),
    path("p/<slug:slug>/restore/", project_restore, name="project-restore"),
    path("p/<slug:slug>/members/<int:pk>/", member_change, name="member-change"),
    path("p/<slug:slug>/members/<int:pk>/remove/", member_remove, name="member-remove"),
    path("p/<slug:slug>/invitations/", invitation_create, name="invitation-create"),
    path("p/<slug:slug>/invitations/<int:pk>/", invitation_withdraw, name="invitation-withdraw"),
    path("p/<slug:slug>/keys/<int:pk>/revoke/", key_revoke_any, name="key-revoke-any"),
]
