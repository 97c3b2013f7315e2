"""Terminal commands."""

from django.core.checks import Tags

# What a command checks of the site before it does anything; Django's other checks import every page, for a second.
CHECKS = [Tags.security, Tags.files]
