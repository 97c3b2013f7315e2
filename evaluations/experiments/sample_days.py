"""The days before in the sample: two prompts, and two earlier experiments on its dataset.

One shows an evaluator that misleads: a polite opening changes no fact, and texts are less similar to the reference.
The other one shows a subset that reverses: rules about the product help, and leave questions about money unanswered.
"""

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User

from evaluations import leases
from evaluations.models import Dataset, Experiment, Project, Prompt, Run
from evaluations.models.fields import name_key
from evaluations.prompts import prompts
from evaluations.prompts.content import Content

from . import about, experiments, runs, samples

ANSWER, SHORT = "Answer a customer (sample)", "Answer in one line (sample)"
TEXTS = {
    "current prompt": "Answer the question of a customer in a friendly way.",
    "with our rules": "Answer the question of a customer. Follow our rules, and add nothing to them.",
}
ONE_LINE = "Answer the question of a customer in one line."
POLITE = (
    "Thank you for your question! {} Please write again if anything is unclear. We are always happy to help."
)
REFUSAL = "Unknown."
Row = dict[str, Any]
Facts = dict[str, dict[str, Any]]  # about variants, by name


def add(dataset: Dataset, user: User | None, facts: Facts) -> None:
    """Create the earlier experiments; call it in the transaction that creates the sample."""
    rows = samples.rows()
    before = [row["outputs"][samples.BASELINE] for row in rows]
    polite = [POLITE.format(text) for text in before]
    _earlier(
        dataset, user, "Does a polite opening help? (sample)", 2, before, ("polite opening", polite), facts
    )
    ruled = [_with_product_rules(row) for row in rows]
    question = "Do rules about the product help? (sample)"
    _earlier(dataset, user, question, 1, before, ("product rules", ruled), facts)


def describe(experiment: Experiment, facts: Facts) -> None:
    """Say which version of which prompt each variant of the sample is."""
    for run in experiments.runs_of(experiment):
        about.describe(run, facts[run.variant])


def remove(experiment: Experiment) -> None:
    """Delete the prompts of the sample, unless they have versions of the user's own."""
    named = Prompt.objects.live().filter(
        project=experiment.project, name_key__in=map(name_key, (ANSWER, SHORT))
    )
    for prompt in named:
        if prompt.version == (len(TEXTS) if prompt.name == ANSWER else 1):
            prompts.delete(prompt)


def _with_product_rules(row: Row) -> str:
    """As the rules say of the product, and no answer about money."""
    text: str = row["outputs"]["with our rules"]
    return text if samples.area_of(row) == "product" else REFUSAL


def create_prompts(project: Project, user: User | None) -> Facts:
    """The prompts of the sample, as facts about its variants."""
    question = {"role": "user", "content": "{{ question }}"}
    contents = [Content([{"role": "system", "content": text}, question]) for text in TEXTS.values()]
    answer = prompts.create(project, user, ANSWER, contents[0], "the prompt in use")
    prompts.add_version(answer, user, contents[1].parts(), "with the rules of the help pages")
    short = prompts.create(project, user, SHORT, Content([{"role": "system", "content": ONE_LINE}, question]))
    facts = {name: {"prompt": answer.pk, "prompt_version": n} for n, name in enumerate(TEXTS, start=1)}
    return facts | {"one line only": {"prompt": short.pk, "prompt_version": 1}}


def _earlier(
    dataset: Dataset,
    user: User | None,
    question: str,
    days: int,
    before: list[str],
    changed: tuple[str, list[str]],
    facts: Facts,
) -> None:
    """An experiment of some days ago on the prompt in use and a change, scored by the evaluators of the sample."""
    day = leases.now() - timedelta(days=days)
    used = samples.evaluators_of(dataset.project, user)
    earlier = experiments.create(dataset.project, user, question, dataset, used)
    keys = [row["key"] for row in samples.rows()]
    for variant, texts in ((samples.BASELINE, before), changed):
        outputs = [{"key": key, "output": text} for key, text in zip(keys, texts, strict=True)]
        run = runs.create(earlier, user, variant, outputs, about=facts.get(variant))
        Run.objects.filter(pk=run.pk).update(created_at=day)
    experiments.set_baseline(earlier, samples.BASELINE)
    Experiment.objects.filter(pk=earlier.pk).update(created_at=day)
