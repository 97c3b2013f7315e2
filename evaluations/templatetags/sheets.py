"""Links the style sheets (static/css)."""

from functools import lru_cache

from django import template
from django.templatetags.static import static
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

register = template.Library()

# in order: a later sheet may refine an earlier one
SHEETS = (
    "tokens",
    "base",
    "frame",
    "head",
    "controls",
    "tables",
    "forms",
    "stacks",
    "charts",
    "run",
    "drawer",
    "statistics",
    "comparison",
    "reading",
    "verdict",
    "subsets",
    "agreement",
    "corpus",
    "pages",
    "changes",
    "conversations",
    "prompts",
    "bench",
    "labels",
    "passport",
    "judge",
    "launch",
    "gate",
    "splits",
    "bulk",
    "choosing",
    "mappings",
    "trends",
)


@register.simple_tag
@lru_cache(maxsize=1)
def style_sheets() -> SafeString:
    """Links to all style sheets; cached, because their addresses do not change while the program runs."""
    links = ((static(f"css/{name}.css"),) for name in SHEETS)
    return format_html_join("\n", '<link rel="stylesheet" href="{}">', links)
