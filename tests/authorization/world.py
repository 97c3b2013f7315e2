"""Two projects with objects of every kind, and every kind of user and key."""

import json
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import numpy as np
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.test import Client
from django.utils import timezone

from evaluations.access import api_keys, invitations, makers, members, projects, signin_links
from evaluations.datasets import bitmaps, datasets, splits
from evaluations.datasets import members as split_members
from evaluations.datasets.selections import Selection
from evaluations.deployments import labels
from evaluations.engine import queue
from evaluations.evaluators import connections, evaluators
from evaluations.experiments import experiments, runs, saved_views, sent_scores
from evaluations.gates import gates
from evaluations.gates.gates import Plan
from evaluations.imports import changes, imports, tool_figures
from evaluations.imports.columns import saved_mappings
from evaluations.imports.uploads import uploads
from evaluations.judges import judgings
from evaluations.labelling import adjudication, comments, links, raters, sent_labels, sets, tasks
from evaluations.launches import launches
from evaluations.models import (
    Connection,
    Dataset,
    DatasetImport,
    Experiment,
    LabelItem,
    LabelTask,
    LocalServer,
    Membership,
    Output,
    Price,
    Project,
    Prompt,
    Role,
    Run,
    Scope,
    SecondFactor,
    Trial,
    Upload,
)
from evaluations.other_tools import Evaluation
from evaluations.playground import examples, trials
from evaluations.playground.trials import Variant
from evaluations.prompts import prices, prompts
from evaluations.prompts.content import Content
from evaluations.prompts.named import Money
from evaluations.reports import sharing
from evaluations.scoring import scoring
from evaluations.webhooks import webhooks
from tests import factories

from .calls import FILE

PASSWORD = "alice's long password"
NOWHERE = "http://127.0.0.1:9/v1"  # Nobody listens; a test lists it among the allowed hosts.


def user(name: str, **options: Any) -> User:
    return User.objects.create_user(name, f"{name}@example.com", PASSWORD, **options)


def things_of(project: Project, maker: User, mark: str = "") -> dict[str, Any]:
    """The ids of objects of a project in every state that calls need, all created by one person, and named `mark …`."""
    objects = _living(project, maker, mark) | _deleted(project, maker, mark)
    invitation, token = invitations.create(project, maker, Role.VIEWER, "")
    deleted_project = projects.create(f"{mark} gone", maker)
    Project.objects.filter(pk=deleted_project.pk).update(deleted_at=timezone.now())
    guest = user(f"{mark or 'plain'}guest")
    member = Membership.objects.create(project=project, user=guest, role=Role.EDITOR)
    share_token = objects.pop("share_token")
    return {name: target.pk for name, target in objects.items()} | {
        "share_token": share_token,
        "slug": project.slug,
        "project": project.pk,
        "project_name": project.name,
        "gone_slug": deleted_project.slug,
        "variant": objects["run"].variant,
        "label_item": objects["label_task"].items.get().token,
        "differing_item": LabelItem.objects.get(
            task__drawn="sent", task__version__evaluator=objects["label_set"]
        ).token,
        "rater": 1,
        "rater_token": links.create(objects["label_task"], maker)[1],
        "annotator": _annotator(project, mark).pk,
        "prompt_name": objects["prompt"].name,
        "split_digest": splits.digest(objects["split"]),
        "invitation": invitation.pk,
        "token": token,
        "member": member.pk,
        "person": guest.pk,
        "local_server": LocalServer.objects.create(host=f"{mark}.localhost", port=80).pk,
        "factor": SecondFactor.objects.create(user=guest, kind="passkey", name="key").pk,
        "signin_token": signin_links.make_signin_link(guest),
        "key": api_keys.create_key(project, maker, f"{mark} nightly", Scope.READ)[0].pk,
    }


def _living(project: Project, maker: User, mark: str) -> dict[str, Any]:
    used_evaluator = factories.evaluator(project, "exact_match", f"{mark} used")
    dataset = factories.dataset(project, (f"{mark} Paris", "Rome", "Oslo"), name=f"{mark} capitals")
    experiment = experiments.create(project, maker, f"{mark} which is closer", dataset, [used_evaluator])
    waiting_experiment = experiments.create(
        project, maker, f"{mark} later", factories.dataset(project, name=f"{mark} waiting"), [used_evaluator]
    )
    server = connections.create(
        project, maker, f"{mark} server", f"{NOWHERE}/{mark if mark.isalnum() else ''}", "sk-" + "1" * 20
    )
    objects = {
        "dataset": factories.dataset(project, (f"{mark} Bern", "Rome"), name=f"{mark} free"),
        "failed_dataset": factories.imported(
            project, b"question,answer\na,b\nlonely\n", f"{mark}.csv", name=f"{mark} failed"
        ),
        "evaluator": factories.evaluator(project, "levenshtein_similarity", f"{mark} free"),
        "used_evaluator": used_evaluator,
        "connection": server,
        "price": _price(server),
        "webhook": webhooks.store(project, maker, NOWHERE, ["run.completed"], "", f"https://{mark}.test")[0],
        "prompt": factories.prompt(project, f"{mark} {{{{ question }}}}", f"{mark} ask", maker),
        "experiment": experiment,
        "run": _run(experiment, maker, f"{mark} v1"),
        "other_run": _run(experiment, maker, f"{mark} v2"),
        "draft": runs.create(experiment, maker, f"{mark} v3", start=False),
        "upload": uploads.park(project, maker, ContentFile(FILE.encode(), name=f"{mark}.csv")),
        "tool_upload": _tool_upload(project, maker, mark),
        "variant_upload": uploads.park(project, maker, ContentFile(b"output\na\nb\nc\n", name="b.csv")),
    }
    while scoring.work(seconds=10):
        pass
    objects |= _sent(objects["run"], maker, mark)
    objects |= _labels(objects["run"], maker, mark)
    objects |= _shares(experiment, maker, mark)
    objects |= _judges(objects["run"], objects["connection"], maker, mark)
    objects |= _gates(project, maker, objects["run"], mark)
    objects |= _splits(objects["dataset"], maker, mark)
    objects |= _mappings(project, maker, mark)
    objects |= _datasets(project, maker, mark) | {"experiment_dataset": dataset}
    objects["open_run"] = runs.create(waiting_experiment, maker, f"{mark} v4", start=False)
    objects["cancelled_run"] = runs.create(waiting_experiment, maker, f"{mark} v5", start=False)
    labels.move(objects["prompt"], maker, "tried", 1)
    objects["prompt_version"] = prompts.version_of(objects["prompt"])
    objects |= _launches(waiting_experiment, maker, objects["prompt"])
    objects |= _trials(maker, objects["prompt"], objects["dataset"])
    _import_from_tool(experiment, mark)
    uploads.touch(objects["variant_upload"], {"experiment": experiment.pk, "variant": "v9"})
    _set_maker(maker, objects["dataset"], objects["evaluator"])
    return objects


def _datasets(project: Project, maker: User, mark: str) -> dict[str, Any]:
    tagged = [{"inputs": {"question": mark}, "metadata": {"topic": f"{mark} law"}}]
    tried = factories.dataset(project, name=f"{mark} tried")
    return {
        "pruned_dataset": datasets.remove(factories.dataset(project, name=f"{mark} pruned"), maker, 2),
        "tagged_dataset": datasets.create(project, maker, f"{mark} tagged", tagged),
        "tried_dataset": tried,
        "dry_run": _dry_run(tried, mark),
    }


def _import_from_tool(experiment: Experiment, mark: str) -> None:
    experiment.source = tool_figures.stored_source(
        Evaluation("promptfoo", "3", mark, [], []), f"{mark}.json", {}, []
    )
    experiment.save(update_fields=["source"])


def _sent(run: Run, maker: User, mark: str) -> dict[str, Any]:
    """Evaluators whose scores were sent, one of them removed again."""
    sent, gone = (
        sent_scores.send(run, maker, f"{mark} {name}", {}, [{"position": 1, "value": 1}]).version.evaluator
        for name in ("sent", "gone sent")
    )
    sent_scores.remove(run, gone)
    return {"sent_evaluator": sent, "unsent_evaluator": gone}


def _labels(run: Run, maker: User, mark: str) -> dict[str, Any]:
    """A label set, a task in it, and the token of an item."""
    run.refresh_from_db()
    label_set = sets.create(run.project, maker, f"{mark} people", {})
    task = tasks.create(label_set, maker, [run], tasks.Plan(size=1, seed=1))
    raters.added(task, name=f"{mark} Ann")
    said = [{"position": 1, "value": value, "rater": value} for value in ("pass", "fail")]
    sent = sent_labels.send(label_set, maker, run, said, is_random=True).task
    adjudication.decide(sent.items.get(), maker, "pass")
    example = run.examples.get(position=1)
    comment, deleted = (comments.write(maker, example, f"{mark} odd", run) for _ in range(2))
    makers.delete(maker, deleted)
    return {
        "label_set": label_set,
        "label_task": task,
        "rater_link": links.create(task, maker)[0],
        "comment": comment,
        "gone_comment": deleted,
    }


def _shares(experiment: Experiment, maker: User, mark: str) -> dict[str, Any]:
    """A link and an ended one, the token of a third, a saved view and a deleted one."""
    comparison = sharing.of_experiment(experiment)
    plan = sharing.Plan("experiment", note=f"{mark} note")
    (link, _), (gone_link, _), (_, token) = (
        sharing.create(experiment, comparison, maker, plan) for _ in range(3)
    )
    sharing.end(gone_link)
    path = f"/experiments/{experiment.pk}/?q={mark}"
    view, gone_view = (
        saved_views.save(experiment.project, maker, f"{mark} view", f"{path}{end}", shared=True)
        for end in ("", "&open=1")
    )
    makers.delete(maker, gone_view)
    return {
        "share_link": link,
        "gone_share_link": gone_link,
        "share_token": token,
        "view": view,
        "gone_view": gone_view,
    }


def _annotator(project: Project, mark: str) -> User:
    """An annotator who is asked nothing yet."""
    person = user(f"{mark or 'plain'}annotator")
    Membership.objects.create(project=project, user=person, role=Role.ANNOTATOR)
    return person


def _judges(run: Run, connection: Connection, maker: User, mark: str) -> dict[str, Any]:
    """A judge, which waits for a worker to read one answer."""
    config = {"messages": [{"content": f"{mark}: {{{{ output }}}}"}], "model": "tiny"}
    judge = evaluators.create(run.project, maker, f"{mark} judge", "judge", config, {}, connection.pk)
    asked = judgings.asked_version(evaluators.newest(judge))
    judging = judgings.ask_some(run, asked, maker, Money(max_calls=1), "try", [1])
    return {"judge": judge, "judging": judging}


def _splits(dataset: Dataset, maker: User, mark: str) -> dict[str, Any]:
    """A split with an example, and a deleted one."""
    rule = splits.Rule(positions=[1])
    split, deleted = (
        splits.create(dataset, maker, f"{mark} {name}", rule) for name in ("split", "gone split")
    )
    splits.delete(deleted)
    split_members.move(split, Selection(dataset, dataset.version, positions=[2]), add=True)
    return {"split": split, "gone_split": deleted}


def _mappings(project: Project, maker: User, mark: str) -> dict[str, Any]:
    """A saved mapping, and a deleted one."""
    mapping, deleted = (
        saved_mappings.create(project, maker, f"{mark} {name}", {"inputs": ["question"]})
        for name in ("mapping", "gone mapping")
    )
    saved_mappings.delete(deleted)
    return {"mapping": mapping, "gone_mapping": deleted}


def _dry_run(dataset: Dataset, mark: str) -> DatasetImport:
    """A dry run of a file that would add an example, waiting to be imported."""
    upload = factories.parked(dataset.project, FILE, f"{mark} more.csv")
    change = changes.begin(upload, dataset, "append", None, dry_run=True)
    imports.run_import(change.imports.get().pk)
    return change


def _gates(project: Project, maker: User, baseline: Run, mark: str) -> dict[str, Any]:
    """A gate with a change and a check, and a deleted one."""
    baseline.refresh_from_db()
    plan = Plan(baseline, [{"rule": "examples", "value": 1}])
    gate, deleted = (gates.create(project, maker, f"{mark} {name}", plan) for name in ("gate", "gone gate"))
    gates.change(gate, plan)
    check = gates.check(gate, baseline, maker)
    check.save()
    gates.delete(deleted)
    return {"gate": gate, "gone_gate": deleted, "gate_check": check}


def _tool_upload(project: Project, maker: User, mark: str) -> Upload:
    """Output items of OpenAI Evals that wait to be confirmed."""
    item = {"object": "eval.run.output_item", "id": mark, "datasource_item": {"question": mark}}
    return uploads.park(
        project, maker, ContentFile(json.dumps(item).encode(), name=f"{mark}.jsonl"), tools=True
    )


def _launches(experiment: Experiment, maker: User, prompt: Prompt) -> dict[str, Any]:
    """A launch in progress, a stopped one, and a complete one with a failed answer and an example never asked."""
    experiment.project.refresh_from_db()  # It has a default connection by now.
    variant = launches.Variant(prompts.version_of(prompt), f"{prompt} asked", model="m")
    going, stopped, complete = (
        launches.create(experiment, maker, [variant], launches.Plan(seed=1)) for _ in range(3)
    )
    run = Run.objects.get(generation__launch=complete)
    queue.cancel_jobs(run)
    first = bitmaps.packed(np.array([1]))
    Run.objects.filter(pk=run.pk).update(status=Run.Status.COMPLETED, asked_rows=first, asked_version=1)
    Output.objects.create(run=run, position=1, error="cut")
    return {
        "launch": going,
        "stopped_launch": launches.cancel(stopped),
        "complete_launch": complete,
        "answered_run": run,
        "waiting_experiment": experiment,
    }


def _trials(maker: User, prompt: Prompt, dataset: Dataset) -> dict[str, Trial]:
    """A trial that waits for a worker, and a stopped one."""
    prompt.project.refresh_from_db()
    variant = Variant(Content([{"role": "user", "content": "{{ question }}"}], "m"), 1)
    chosen = examples.named(dataset, ["1"])
    waiting, stopped = (trials.create(prompt, maker, [variant], chosen) for _ in range(2))
    return {"trial": waiting, "stopped_trial": trials.stop(stopped)}


def _price(connection: Connection) -> Price:
    return prices.set_price(connection, connection.name, 100_000, 400_000, None, date(2026, 1, 1))[0]


def _run(experiment: Any, maker: User, variant: str) -> Any:
    return runs.create(experiment, maker, variant, [{"position": 1, "output": f"{variant} says"}])


def _deleted(project: Project, maker: User, mark: str) -> dict[str, Any]:
    dataset = factories.dataset(project, name=f"{mark} of it")
    experiment = experiments.create(project, maker, f"{mark} of what is gone", dataset)
    objects = {
        "gone_dataset": factories.dataset(project, name=f"{mark} gone"),
        "gone_evaluator": factories.evaluator(project, name=f"{mark} gone"),
        "gone_connection": connections.create(project, maker, f"{mark} gone", NOWHERE),
        "gone_prompt": factories.prompt(project, name=f"{mark} gone", maker=maker),
        "gone_experiment": experiments.create(project, maker, f"{mark} gone", dataset),
        "gone_run": runs.create(experiment, maker, f"{mark} gone", start=False),
    }
    _set_maker(maker, objects["gone_dataset"])
    for target in objects.values():
        type(target).objects.filter(pk=target.pk).update(deleted_at=timezone.now() - timedelta(minutes=1))
    return objects


def _set_maker(maker: User, *objects: Any) -> None:
    for target in objects:
        type(target).objects.filter(pk=target.pk).update(created_by=maker)


# ---- users and keys ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Principal:
    """A user with a session, or a program with a key; `column` is its column in the table."""

    name: str
    column: str
    user: User | None = None
    headers: dict[str, str] = field(default_factory=dict)
    cookies: dict[str, str] = field(default_factory=dict)

    @property
    def has_key(self) -> bool:
        return bool(self.headers)

    def client(self) -> Client:
        """A new client for each call, because calls sign in and out."""
        client = Client(raise_request_exception=False)
        for name, value in self.cookies.items():
            client.cookies[name] = value
        return client


def session(name: str, column: str, user: User) -> Principal:
    client = Client()
    client.force_login(user)
    return Principal(
        name, column, user, cookies={key: cookie.value for key, cookie in client.cookies.items()}
    )


def program(name: str, column: str, project: Project, owner: User | None, scope: str) -> Principal:
    text = api_keys.create_key(project, owner, name, scope)[1]
    return Principal(name, column, owner, headers={"Authorization": f"Bearer {text}"})


def everybody(project: Project, alice: User, bob: User, charlie: User) -> list[Principal]:
    """Alice administers the project, Bob edits in it, Charlie will administer another one."""
    names = ("dana", "removed", "left", "disabled")
    dana, removed_member, former_member, disabled_user = (user(name) for name in names)
    Membership.objects.create(project=project, user=dana, role=Role.VIEWER)
    for person in (removed_member, former_member, disabled_user):
        Membership.objects.create(project=project, user=person, role=Role.ADMIN)
    asked = user("asked")
    Membership.objects.create(project=project, user=asked, role=Role.ANNOTATOR)
    principals = [
        session("annotator", "annotator", asked),
        Principal("anonymous", "none"),
        session("outsider", "outside", user("outsider")),
        session("viewer", "viewer", dana),
        session("editor", "editor", bob),
        session("project admin", "admin", alice),
        session("other-project admin", "outside", charlie),
        session("site admin", "site", user("root", is_superuser=True)),
        session("removed member", "outside", removed_member),
        session("disabled user", "none", disabled_user),
        program("read key", "viewer", project, bob, Scope.READ),
        program("write key", "editor", project, bob, Scope.WRITE),
        program("run-only key", "runner", project, bob, Scope.RUN),
        program("expired key", "none", project, bob, Scope.ADMIN),
        program("revoked key", "none", project, bob, Scope.ADMIN),
        program("key of a removed owner", "none", project, former_member, Scope.ADMIN),
        program("key of a disabled owner", "none", project, disabled_user, Scope.ADMIN),
        program("admin key", "admin", project, alice, Scope.ADMIN),
        program("write key of nobody", "operator", project, None, Scope.WRITE),
        program("admin key of an editor", "editor", project, bob, Scope.ADMIN),
    ]
    for task in LabelTask.objects.filter(project=project):
        raters.ask(task, asked)
    members.remove(Membership.objects.get(user=removed_member))
    Membership.objects.filter(user=former_member).delete()
    User.objects.filter(pk=disabled_user.pk).update(is_active=False)
    past = timezone.now() - timedelta(seconds=1)
    project.api_keys.filter(name="expired key").update(expires_at=past)
    project.api_keys.filter(name="revoked key").update(revoked_at=past)
    return principals
