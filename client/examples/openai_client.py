"""The official `openai` package, asynchronous: the prompt comes from the site, tokens and latency are kept.

EVALSITE_URL=… EVALSITE_KEY=… OPENAI_API_KEY=… python openai_client.py
"""

import asyncio
import os

from openai import AsyncOpenAI

from evalsite_client import Client

ROWS = [
    {"key": "peru", "inputs": {"question": "What is the capital of Peru?"}, "reference": {"answer": "Lima"}},
    {
        "key": "norway",
        "inputs": {"question": "What is the capital of Norway?"},
        "reference": {"answer": "Oslo"},
    },
]
MODEL = os.environ.get("MODEL", "gpt-4.1-nano")


async def main() -> None:
    with Client() as site:
        async with AsyncOpenAI() as model:

            async def ask(question: str):
                messages = [{"role": "user", "content": f"{question} Answer with one word."}]
                return await model.chat.completions.create(model=MODEL, messages=messages)

            done = await site.evaluate_async(
                site.ensure_dataset("capital cities", ROWS),
                ask,
                ["exact_match"],
                variant=f"{MODEL} in one word",
                about={"model": MODEL},
                concurrency=16,
            )
        print(done.means())


asyncio.run(main())
