"""The project with its members, invitations and keys as JSON."""

from typing import Any

from rest_framework import serializers

from evaluations.models import ApiKey, Project, Role, Scope
from evaluations.models.fields import longest
from evaluations.prompts import ledger, money

from ..answers import strings
from ..fields import Flag, Name, Strict, Text
from .price import Amount, Cost


class UsedKeySerializer(serializers.Serializer[Any]):
    """The API key of this request; its text is shown only when it is created."""

    name = serializers.CharField()
    prefix = serializers.CharField()
    scope = serializers.ChoiceField(Scope.choices)
    expires_at = serializers.DateTimeField(allow_null=True)


class ProjectSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="project.pk")
    name = serializers.CharField(source="project.name")
    slug = serializers.CharField(source="project.slug")
    default_connection = serializers.IntegerField(source="project.default_connection_id", allow_null=True)
    currency = serializers.CharField(source="project.currency", help_text="The currency of all amounts.")
    monthly_limit = Cost(
        source="project.monthly_limit",
        allow_null=True,
        help_text="Maximum cost of paid calls in a month; null for no limit.",
    )
    spent_this_month = serializers.SerializerMethodField()
    protected_labels = strings(
        source="project.protected_labels", help_text="Labels of prompts that only administrators move."
    )
    share_links = serializers.BooleanField(
        source="project.share_links", help_text="Whether links that need no account can be made, and work."
    )
    created_at = serializers.DateTimeField(source="project.created_at")
    key = UsedKeySerializer(source="*")

    def get_spent_this_month(self, key: ApiKey) -> str:
        """The cost of this month's calls (UTC); calls in progress count with their worst case."""
        return money.cost_text(ledger.spent_this_month(key.project))


class ProjectChangeSerializer(Strict):
    name = Name(required=False)
    currency = Text(
        required=False,
        max_length=longest(Project, "currency"),
        help_text="The currency of all amounts, such as USD; Evalsite converts no amounts.",
    )
    monthly_limit = Amount(
        required=False,
        allow_null=True,
        help_text="Maximum cost of paid calls in a month; null for no limit.",
    )
    protected_labels = serializers.ListField(
        child=Text(),
        required=False,
        help_text="Labels of prompts that only administrators move. Default: production.",
    )
    share_links = Flag(required=False, help_text="Whether links that need no account can be made, and work.")


class MemberSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="pk")
    user = serializers.CharField(source="user.username")
    role = serializers.ChoiceField(Role.choices)
    created_at = serializers.DateTimeField()


class RoleSerializer(Strict):
    role = serializers.ChoiceField(Role.choices)


class KeySerializer(UsedKeySerializer):
    """A key, without its secret part; `owner` is null for a key created on the command line without one."""

    id = serializers.IntegerField(source="pk")
    owner = serializers.CharField(source="owner.username", default=None, allow_null=True)
    created_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(allow_null=True)
    addresses = strings(help_text="Networks in CIDR notation that may use the key; empty for every address.")


class InvitationSerializer(serializers.Serializer[Any]):
    """An invitation; `email` is empty if anyone with the link may accept it."""

    id = serializers.IntegerField(source="pk")
    role = serializers.ChoiceField(Role.choices)
    email = serializers.CharField()
    created_by = serializers.CharField(source="created_by.username")
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()


class InvitedSerializer(InvitationSerializer):
    link = serializers.CharField(
        allow_null=True, help_text="The link to send to the invited person; null in a repeated answer."
    )


class NewInvitationSerializer(Strict):
    role = serializers.ChoiceField(Role.choices)
    email = serializers.EmailField(required=False, allow_blank=True, default="")
