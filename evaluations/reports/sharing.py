"""Links by which people without an account read one report, and nothing else of the project.

A link has an end, can be ended before, and stops with what it shows. Its token is shown once; the database has only
the digest.
"""

import zlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from evaluations.access import audit, limits, tokens
from evaluations.comparisons import overviews
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.grouping.example_filter import ExampleFilter
from evaluations.errors import Conflict, Forbidden, Gone, Invalid, NotFound
from evaluations.models import Experiment, Project, Run, ShareLink, Split
from evaluations.models.fields import longest
from evaluations.numerals import plural
from evaluations.undo import UNDO

from . import page
from .report import Shared, shared_report

DAYS, MOST_DAYS = 30, 365
MOST_LINKS = 500  # of a project
LONGEST_NOTE = longest(ShareLink, "note")
PER_MINUTE = 60  # openings from one address, of whatever links
PER_MINUTE_AND_LINK = 120
GONE = "The time of this link is over, somebody ended it, or it never existed."


@dataclass(frozen=True)
class Plan:
    """What a link shows, and how long; `query` of None means the whole experiment as it is."""

    kind: str
    texts: bool = False
    note: str = ""
    expires_at: datetime | None = None


# ---- making ------------------------------------------------------------------------------------------------------


def create(
    experiment: Experiment, comparison: Comparison | None, user: User | None, plan: Plan
) -> tuple[ShareLink, str]:
    """A link to a comparison, or to the experiment, with its token, which is shown now and never again."""
    project = experiment.project
    if not project.share_links:
        raise Forbidden("links_off", "Links without an account are switched off in this project.")
    if ShareLink.objects.live().filter(project=project).count() >= MOST_LINKS:
        message = f"A project has at most {plural(MOST_LINKS, 'link')}."
        raise Conflict("too_many_links", message, hint="End some that nobody needs.")
    if comparison is None or not comparison.sides.others:
        raise Conflict("nothing_to_share", "There is nothing to compare yet, so nothing to show.")
    token = tokens.secret()
    link = ShareLink(
        project=project,
        experiment=experiment,
        created_by=user,
        kind=plan.kind,
        query={} if plan.kind == ShareLink.Kind.EXPERIMENT else _described(comparison),
        texts=plan.texts,
        note=plan.note.strip(),
        digest=tokens.digest(token),
        expires_at=_end(plan.expires_at),
    )
    if plan.kind == ShareLink.Kind.REPORT:
        link.content = zlib.compress(_html(link, comparison).encode())
    link.save()
    return link, token


def _end(wanted: datetime | None) -> datetime:
    now = timezone.now()
    if wanted is None:
        return now + timedelta(days=DAYS)
    if not now < wanted <= now + timedelta(days=MOST_DAYS, minutes=1):
        message = f"A link ends within {plural(MOST_DAYS, 'day')} from now."
        raise Invalid("invalid", message, fields={"expires_at": [message]})
    return wanted


def _described(comparison: Comparison) -> dict[str, Any]:
    """What the comparison is made of, as JSON."""
    chosen = comparison.example_filter
    return {
        "runs": [run.pk for run in comparison.sides.runs],
        "baseline": comparison.sides.baseline.run.pk,
        "cluster": comparison.cluster,
        "repeats": comparison.repeats,
        "missing": comparison.missing,
        "estimate": comparison.estimate,
        "metadata": [list(pair) for pair in chosen.metadata],
        "split": chosen.split.pk if chosen.split else None,
    }


# ---- reading -----------------------------------------------------------------------------------------------------


def find(token: str, address: str) -> ShareLink:
    """The link with this token; raises `Gone` if it has ended, with the name of the team if it is known."""
    limits.require(f"share:{address}", PER_MINUTE, "Too many links were opened from this address.")
    link = (
        ShareLink.objects.filter(digest=tokens.digest(token)).select_related("project", "experiment").first()
    )
    if link is None:
        raise Gone("link_gone", GONE, hint="Ask whoever sent it for a new one.")
    if not _works(link):
        raise Gone(
            "link_gone",
            f"This link showed results of {link.project.name}.",
            hint="Ask its members for a new one.",
        )
    limits.require(f"share-link:{link.pk}", PER_MINUTE_AND_LINK, "This link is opened too often.")
    return link


def _works(link: ShareLink) -> bool:
    project, experiment = link.project, link.experiment
    is_there = link.deleted_at is None and experiment.deleted_at is None and project.deleted_at is None
    return is_there and project.share_links and link.expires_at > timezone.now() and _has_its_runs(link)


def _has_its_runs(link: ShareLink) -> bool:
    """Whether every run that the link shows is still there, also those of other experiments."""
    named = {*link.query.get("runs", ())}
    return len(named) == _runs(link).filter(pk__in=named).count()


def _runs(link: ShareLink) -> QuerySet[Run]:
    live = Run.objects.live().filter(project=link.project_id, experiment__deleted_at=None)
    return live.select_related("project", "experiment__dataset")


def opened(link: ShareLink) -> None:
    """Count an opening. The audit log gets the first of a day, so that nobody fills it by reading."""
    now = timezone.now()
    if link.last_opened_at is None or link.last_opened_at.date() < now.date():
        audit.record_chore("a reader of a link", "share-open", link)
    ShareLink.objects.filter(pk=link.pk).update(opened=F("opened") + 1, last_opened_at=now)


def html(link: ShareLink) -> str:
    """The page that a reader of the link sees."""
    if link.content is not None:
        return zlib.decompress(link.content).decode()
    comparison = _comparison(link)
    if comparison is None:
        raise NotFound("nothing_to_share", "There is nothing to compare yet.")
    return _html(link, comparison)


def _html(link: ShareLink, comparison: Comparison) -> str:
    is_kept = link.kind == ShareLink.Kind.REPORT
    shared = Shared(link.project.name, link.expires_at, link.note, is_kept)
    return page.html(shared_report(comparison, shared, texts=link.texts))


def of_experiment(experiment: Experiment) -> Comparison | None:
    """The comparison that the page of an experiment shows."""
    return overviews.load([experiment])[0].comparison


def _comparison(link: ShareLink) -> Comparison | None:
    if link.kind == ShareLink.Kind.EXPERIMENT:
        return of_experiment(link.experiment)
    stored = link.query
    by_id = _runs(link).in_bulk(stored["runs"])
    metadata = [(column, value) for column, value in stored["metadata"]]
    split = Split.objects.live().filter(pk=stored["split"]).first() if stored["split"] else None
    if stored["split"] and split is None:
        raise Gone("link_gone", "The examples of this link are not chosen any more: their split was deleted.")
    return Comparison(
        [by_id[pk] for pk in stored["runs"]],
        by_id[stored["baseline"]],
        cluster=stored["cluster"],
        repeats=stored["repeats"],
        missing=stored["missing"],
        example_filter=ExampleFilter(metadata, split),
        estimate=stored["estimate"],
        is_chosen=True,
    )


# ---- ending ------------------------------------------------------------------------------------------------------


def end(link: ShareLink) -> None:
    """End a link; `owned.restore` undoes that."""
    ShareLink.objects.filter(pk=link.pk, deleted_at=None).update(deleted_at=timezone.now())


def links_of(project: Project) -> QuerySet[ShareLink]:
    """The links of a project that still show something, the newest first."""
    live = ShareLink.objects.live().filter(project=project, experiment__deleted_at=None)
    return live.filter(expires_at__gt=timezone.now()).select_related("experiment", "created_by", "project")


def ended_links_of(project: Project) -> QuerySet[ShareLink]:
    """The links of a project that somebody ended, or whose time is over, the newest first."""
    links = ShareLink.objects.filter(project=project, experiment__deleted_at=None)
    ended = links.filter(Q(deleted_at__isnull=False) | Q(expires_at__lte=timezone.now()))
    return ended.select_related("experiment", "created_by", "project").order_by("-pk")


def may_return(link: ShareLink) -> bool:
    """Whether somebody ended the link, and it can still be brought back."""
    now = timezone.now()
    return link.deleted_at is not None and now - link.deleted_at <= UNDO and link.expires_at > now


def allow(project: Project, allowed: bool) -> None:
    """Switch the links of a project on or off; links that exist work again when they are switched on."""
    project.share_links = allowed
    project.save(update_fields=["share_links"])
