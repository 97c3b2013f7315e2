"""The table of the audit log."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from evaluations.values import LONGEST_NAME

from .fields import JSONTextField
from .project import ApiKey, Project


class AuditEntry(models.Model):
    """An action: actor, object and time. Names are stored, because people, keys and objects may be deleted."""

    project = models.ForeignKey(Project, models.SET_NULL, null=True, related_name="+")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    actor_name = models.CharField(max_length=150)
    api_key = models.ForeignKey(ApiKey, models.SET_NULL, null=True, related_name="+")
    action = models.CharField(max_length=60)
    object_type = models.CharField(max_length=30)
    object_id = models.BigIntegerField(null=True)
    object_name = models.CharField(max_length=LONGEST_NAME)
    at = models.DateTimeField(default=timezone.now, editable=False)
    request_id = models.CharField(max_length=16)
    details = JSONTextField(default=dict)

    class Meta:
        indexes = [models.Index(fields=["project", "at"], name="audit_of_project")]
