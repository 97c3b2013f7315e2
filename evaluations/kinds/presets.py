"""Kinds with the settings of other products, so that numbers stay comparable after a move."""

from dataclasses import dataclass, field

from evaluations.values import JSON


@dataclass(frozen=True)
class Example:
    """A worked example; `vectors` are the embeddings of both sides, for kinds that need them."""

    actual: str
    expected: str
    value: float
    passed: bool | None
    vectors: tuple[tuple[float, ...], tuple[float, ...]] | None = None


@dataclass(frozen=True)
class Preset:
    """A named config of a kind, the product it follows, its purpose, and two examples."""

    key: str
    title: str
    kind: str
    product: str
    uses: tuple[str, ...]
    examples: tuple[Example, ...]
    config: dict[str, JSON] = field(default_factory=dict)


PRESETS: tuple[Preset, ...] = (
    Preset(
        key="2signal_levenshtein",
        title="Levenshtein similarity",
        kind="levenshtein_similarity",
        product="2Signal",
        config={"threshold": 0.7, "case_sensitive": False, "unit": "utf16"},
        uses=(
            "Accept outputs that are nearly right: a typing error or different formatting does not fail.",
            "Watch for drift: how close are today's outputs to a known good baseline?",
            "Check extracted names and addresses that may differ slightly from the reference.",
            "Compare the wording of translations and paraphrases when an exact match is too strict.",
        ),
        examples=(
            Example("The quick brown dog", "The quick brown fox", 0.89, True),
            Example("Something entirely different", "The quick brown fox", 0.18, False),
        ),
    ),
    Preset(
        key="phoenix_levenshtein_distance",
        title="Levenshtein distance",
        kind="levenshtein_distance",
        product="Phoenix",
        uses=(
            "Question answering where small rewording is fine but large differences are not.",
            "Check an extracted value: set the path to its field in the output.",
            "Compare two prompts over one dataset: the lower average is closer to the references.",
        ),
        examples=(Example("paris", "Paris", 1, None), Example("sitting", "kitten", 3, None)),
    ),
    Preset(
        key="agenta_similarity_match",
        title="Similarity match",
        kind="similarity_match",
        product="Agenta",
        config={"similarity_threshold": 0.5},
        uses=(
            "Check whether the key words are there, in any order.",
            "Outputs whose wording matters as much as their meaning.",
        ),
        examples=(
            Example("Paris is the capital of France", "The capital of France is Paris", 5 / 7, True),
            Example("Yes, within 30 days.", "Yes. Within 30 days of purchase.", 1 / 9, False),
        ),
    ),
    Preset(
        key="agenta_levenshtein_distance",
        title="Levenshtein distance up to 5",
        kind="levenshtein_distance",
        product="Agenta",
        config={"threshold": 5},
        uses=("Spell checking and name matching: at most a few letters may differ.",),
        examples=(
            Example("Jonathon Smyth", "Jonathan Smith", 2, True),
            Example("London", "Copenhagen", 7, False),
        ),
    ),
    Preset(
        key="agenta_semantic_similarity",
        title="Semantic similarity",
        kind="semantic_similarity",
        product="Agenta",
        config={"model": "text-embedding-3-small"},
        uses=("Summaries and paraphrases, where meaning counts more than words.",),
        examples=(
            Example("The cat sleeps.", "A cat is asleep.", 0.96, None, vectors=((0.6, 0.8), (0.8, 0.6))),
            Example("The cat sleeps.", "Stocks fell.", 0.0, None, vectors=((0.6, 0.8), (0.8, -0.6))),
        ),
    ),
    Preset(
        key="mastra_content_similarity",
        title="Content similarity",
        kind="content_similarity",
        product="Mastra",
        config={"ignore_case": True, "ignore_whitespace": True},
        uses=("How much of the expected wording an agent's output contains, ignoring case and spacing.",),
        examples=(Example("night", "nacht", 0.25, None), Example("Type Script", "typescript", 1.0, None)),
    ),
    Preset(
        key="axion_exact_string_match",
        title="Exact match",
        kind="exact_match",
        product="axion",
        uses=(
            "Output with one right form: code, JSON or XML, identifiers.",
            "Transformations that must give the same result every time.",
        ),
        examples=(Example("Hello", "  Hello  ", 1.0, True), Example("Pass", "PASS", 0.0, False)),
    ),
    Preset(
        key="axion_exact_string_match_as_code",
        title="Exact match, only the reference stripped",
        kind="exact_match",
        product="axion",
        config={"strip": "expected"},
        uses=("Comparing with figures of axion, which removes white space around the reference only.",),
        examples=(Example("Hello", "  Hello  ", 1.0, True), Example("  Hello  ", "Hello", 0.0, False)),
    ),
)

BY_KEY = {preset.key: preset for preset in PRESETS}
