"""Well-known servers: what the form of a connection is filled with."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Preset:
    """A server with the address that it usually has; `api_version` only for Azure."""

    slug: str
    name: str
    base_url: str
    api_version: str = ""


PRESETS = (
    Preset("openai", "OpenAI", "https://api.openai.com/v1"),
    Preset("azure", "Azure OpenAI", "https://RESOURCE.openai.azure.com", "2024-10-21"),
    Preset("openrouter", "OpenRouter", "https://openrouter.ai/api/v1"),
    Preset("ollama", "Ollama", "http://localhost:11434/v1"),
    Preset("vllm", "vLLM", "http://localhost:8000/v1"),
    Preset("llamacpp", "llama.cpp", "http://localhost:8080/v1"),
    Preset("lmstudio", "LM Studio", "http://localhost:1234/v1"),
)


def named(slug: str) -> Preset | None:
    return next((preset for preset in PRESETS if preset.slug == slug), None)
