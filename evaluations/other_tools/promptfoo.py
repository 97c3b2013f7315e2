"""promptfoo: results written by `promptfoo eval -o results.json`, with versions 1 to 3 of their summary.

In version 3 the prompts stand beside the results, in 2 and 1 in a table; a summary may stand alone or in an object with
the configuration. Results as JSON Lines, CSV or a table of the web viewer have no summary. The viewer's API wraps the
file in `data`.
"""

from collections.abc import Iterator
from typing import Any

from evaluations.ingest.known_names import REFERENCES

from . import promptfoo_rows, promptfoo_tables, templates
from .evaluation import (
    Answer,
    Answers,
    Evaluation,
    Figure,
    Grader,
    Item,
    Score,
    Variant,
    as_object,
    as_objects,
    distinct,
    number,
    refused,
    share,
    whole,
)
from .promptfoo_rows import Identity, Row, provider_name, raw

TOOL = "promptfoo"
VERSIONS = (1, 2, 3)
LINES = "JSON Lines"
WITHOUT_SUMMARY = (LINES, "CSV", "table")
ALL, MEAN = "All assertions", "Score of all assertions"  # whether a test passes, and how nearly
EVERY_VARIANT = ""
LONGEST_LABEL = 60
HOW = "Write the results again with: promptfoo export eval ID -o results.json"


def evaluation(document: Any) -> Evaluation:
    wrapped = as_object(as_object(document).get("data")) or as_object(document)
    summary = _summary(wrapped or document)
    version = summary.get("version")
    if version not in (*VERSIONS, *WITHOUT_SUMMARY):
        raise refused(TOOL, f"version {version} of its results is not supported; 1 to 3 are.", HOW)
    if not as_objects(summary.get("results")):
        raise refused(TOOL, "the file has no results.", HOW)
    return _Results(summary, as_object(wrapped.get("config")), _repeats(wrapped)).evaluation()


def _repeats(wrapped: dict[str, Any]) -> int:
    """The number of repetitions of each test, from the `--repeat` option of the run."""
    config = as_object(wrapped.get("config"))
    sources = (config.get("evaluateOptions"), config.get("commandLineOptions"), wrapped.get("runtimeOptions"))
    options: dict[str, Any] = {}
    for source in sources:
        options |= as_object(source)
    return whole(options.get("repeat")) or 1


def _summary(document: Any) -> dict[str, Any]:
    """The results, whatever object wraps them."""
    if isinstance(document, list):
        return {"version": LINES, "results": document}
    wrapped = as_object(document)
    table = as_object(wrapped.get("table")) or wrapped
    if "body" in table and "results" not in wrapped:
        return promptfoo_tables.from_table(table)
    if "promptIdx" in wrapped:
        return {"version": LINES, "results": [wrapped]}
    return as_object(wrapped.get("results")) or wrapped


class _Results:
    def __init__(self, summary: dict[str, Any], config: dict[str, Any], repeats: int):
        self.summary, self.config, self.repeats = summary, config, repeats
        table = as_object(as_object(summary.get("table")).get("head"))
        sources = as_objects(summary["results"])
        prompts = as_objects(summary.get("prompts")) or as_objects(table.get("prompts"))
        prompt_indices, self.prompts = promptfoo_rows.prompt_indices(sources, prompts)
        self.rows = [
            promptfoo_rows.read(row, prompt) for row, prompt in zip(sources, prompt_indices, strict=True)
        ]
        self.rows.sort(key=lambda row: row.test)
        self.assertions = {key: check.assertion for row in self.rows for key, check in row.checks.items()}
        titles = distinct([ALL, MEAN, *(assertion.name for assertion in self.assertions.values())])
        self.titles = dict(zip(self.assertions, titles[2:], strict=True))
        self.is_graded = any(row.score not in (None, float(bool(row.success))) for row in self.rows)
        self.columns = {key: self._column(key) for key in self.assertions}
        self.used = {
            name.split(".")[0] for prompt in self.prompts for name in templates.variables(raw(prompt))
        }
        self.items: list[Item] = []
        self.item_indices: dict[tuple[bytes, int], int] = {}

    def evaluation(self) -> Evaluation:
        by_prompt: dict[int, list[Row]] = {}
        for row in self.rows:
            by_prompt.setdefault(row.prompt, []).append(row)
        by_prompt = dict(sorted(by_prompt.items()))
        names = dict(zip(by_prompt, distinct([self._name(prompt) for prompt in by_prompt]), strict=True))
        variants = [
            Variant(names[prompt], self._about(prompt), self._repetitions(rows))
            for prompt, rows in by_prompt.items()
        ]
        return Evaluation(
            tool=TOOL,
            version=str(self.summary["version"]),
            name=str(self.config.get("description") or "promptfoo results"),
            items=self.items,
            variants=variants,
            graders=[*self._overall_graders(), *self._graders()],
            figures=[figure for prompt, name in names.items() for figure in self._figures(prompt, name)]
            + list(self._overall()),
            notes=list(self._notes()),
        )

    def _notes(self) -> Iterator[str]:
        if self.summary["version"] in WITHOUT_SUMMARY:
            yield f"promptfoo writes no summary into this format ({self.summary['version']}); its JSON has one."
        if self.summary["version"] == "CSV":
            yield "The CSV rounds scores to two decimals and has named assertions only."

    # ---- variants ----

    def _prompt(self, index: int) -> dict[str, Any]:
        return self.prompts[index] if index < len(self.prompts) else {}

    def _name(self, index: int) -> str:
        """The name of a variant: the prompt, the provider, or both, if there are several of them."""
        prompt = self._prompt(index)
        texts = list(dict.fromkeys(map(raw, self.prompts)))
        providers = {provider_name(prompt.get("provider")) for prompt in self.prompts}
        label = promptfoo_rows.label(prompt)
        is_title = 0 < len(label) <= LONGEST_LABEL and (label != raw(prompt) or "{{" not in label)
        title = label if is_title else f"prompt {texts.index(raw(prompt)) + 1 if prompt else index + 1}"
        provider = provider_name(prompt.get("provider"))
        parts = [title] * (len(texts) > 1) + [provider] * (len(providers) > 1 or len(texts) < 2)
        return ", ".join(part for part in parts if part)

    def _about(self, index: int) -> dict[str, Any]:
        prompt = self._prompt(index)
        model = provider_name(prompt.get("provider"))
        configured = as_objects(self.config.get("providers"))
        provider = next(
            (provider for provider in configured if model in (provider.get("id"), provider.get("label"))), {}
        )
        about = {
            "model": provider.get("id") or model,
            "prompt": raw(prompt),
            "parameters": as_object(provider.get("config")) or as_object(prompt.get("config")),
        }
        return {name: value for name, value in about.items() if value}

    def _repetitions(self, rows: list[Row]) -> list[Answers]:
        """The answers of each repetition; without repetitions, equal tests are separate examples."""
        by_content: dict[bytes, list[Row]] = {}
        for row in rows:
            by_content.setdefault(row.content, []).append(row)
        repetitions: list[Answers] = []
        for content, same in by_content.items():
            tests = max(1, len(same) // self.repeats)
            for count, row in enumerate(same):
                repetition, test = divmod(count, tests)
                if repetition == len(repetitions):
                    repetitions.append({})
                repetitions[repetition][self._item_index(content, test, row)] = self._answer(row)
        return repetitions

    def _item_index(self, content: bytes, test: int, row: Row) -> int:
        index = self.item_indices.setdefault((content, test), len(self.items))
        if index == len(self.items):
            self.items.append(self._item(row))
        elif row.checks and not self.items[index].reference:  # The answer seen first had failed.
            self.items[index] = self._item(row)
        return index

    def _answer(self, row: Row) -> Answer:
        """An answer; if it failed, the test did not pass (as in promptfoo's own rate), and assertions have no score."""
        scores = {self.titles[key]: Score(check.value, check.passed) for key, check in row.checks.items()}
        is_there = row.output is not None
        scores[ALL] = Score(float(bool(row.success)), row.success) if is_there else Score(0.0, False)
        if self.is_graded:
            scores[MEAN] = Score(row.score, row.success) if is_there else Score(0.0, False)
        return Answer(row.output, row.error, row.latency_ms, row.tokens, scores)

    # ---- items ----

    def _item(self, row: Row) -> Item:
        """An example: variables in a prompt are inputs, those in an assertion the reference, others metadata."""
        compared = {*self.columns.values(), *REFERENCES}
        is_input = {name: name in self.used or not self.used for name in row.variables}
        inputs = {name: value for name, value in row.variables.items() if is_input[name]}
        not_inputs = {name: value for name, value in row.variables.items() if not is_input[name]}
        reference = {
            name: value
            for name, value in not_inputs.items()
            if name in compared or name.lower() in REFERENCES
        }
        metadata = {name: value for name, value in not_inputs.items() if name not in reference}
        for key, check in row.checks.items():
            if check.assertion.formula("") and self.columns[key] not in reference:
                reference[self.columns[key]] = check.assertion.expected(row.variables)
        return Item(
            inputs, reference, metadata | ({"description": row.description} if row.description else {})
        )

    def _column(self, key: Identity) -> str:
        """The variable that an assertion compares with, if every test names the same one; else a column of its own."""
        first = self.assertions[key]
        variable = templates.only_variable(first.value) if isinstance(first.value, str) else ""
        if not variable or "." in variable or first.has_own_column:
            return self.titles[key]
        rows = [row for row in self.rows if key in row.checks]
        same = all(row.checks[key].assertion.value == first.value for row in rows)
        is_text = all(isinstance(row.variables.get(variable), str) for row in rows)
        return variable if same and is_text else self.titles[key]

    # ---- graders ----

    def _graders(self) -> Iterator[Grader]:
        for key, assertion in self.assertions.items():
            formula = assertion.formula(self.columns[key])
            why = "" if formula else assertion.why()
            yield Grader(self.titles[key], assertion.type, formula, why)

    def _overall_graders(self) -> Iterator[Grader]:
        failed = sum(row.output is None for row in self.rows)
        yield Grader(ALL, "success", why="it is the verdict over all assertions", failed=failed)
        if self.is_graded:
            yield Grader(
                MEAN, "score", why="it is the mean of all assertions by their weights", failed=failed
            )

    def _figures(self, index: int, variant: str) -> Iterator[Figure]:
        metrics = as_object(self._prompt(index).get("metrics"))
        yield from self._verdicts(
            variant,
            whole(metrics.get("testPassCount")),
            whole(metrics.get("testFailCount")),
            whole(metrics.get("testErrorCount")) or 0,
            number(metrics.get("score")),
        )
        counts, weights = (
            as_object(metrics.get("namedScoresCount")),
            as_object(metrics.get("namedScoreWeights")),
        )
        for metric, total in as_object(metrics.get("namedScores")).items():
            count, sum_of_scores = whole(counts.get(metric)), number(total)
            if count and sum_of_scores is not None and weights.get(metric, count) == count:
                yield from self._named(variant, metric, count, sum_of_scores)

    def _overall(self) -> Iterator[Figure]:
        stats = as_object(self.summary.get("stats"))
        passed, failed = whole(stats.get("successes")), whole(stats.get("failures"))
        yield from self._verdicts(EVERY_VARIANT, passed, failed, whole(stats.get("errors")) or 0, None)

    def _verdicts(
        self, variant: str, passed: int | None, failed: int | None, errors: int, score: float | None
    ) -> Iterator[Figure]:
        """The figures of all assertions over all tests. Older versions count errors as failures."""
        if passed is None or failed is None:
            return
        tests = passed + failed + errors
        mean = score / tests if score is not None and tests else None
        yield Figure(variant, ALL, tests, None if self.is_graded else mean, share(passed, tests))
        if self.is_graded and mean is not None:
            yield Figure(variant, MEAN, tests, mean)

    def _named(self, variant: str, metric: str, count: int, sum_of_scores: float) -> Iterator[Figure]:
        """The figure of a metric, unless several assertions share its name: promptfoo adds up their scores."""
        keys = [key for key, assertion in self.assertions.items() if assertion.name == metric]
        if len(keys) == 1:
            yield Figure(variant, self.titles[keys[0]], count, sum_of_scores / count)
