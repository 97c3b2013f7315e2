"""An agent that calls tools: which tool, with which arguments, and whether its answer is right.

    EVALSITE_URL=… EVALSITE_KEY=… python agent_with_tools.py

`decide` stands for a model. With one, send the messages and the tools, and return its message as it is.
"""

import json
from typing import Any

from evalsite_client import Client, Example, Score, scorer

WEATHER = {"Lima": 19, "Oslo": 3, "Cairo": 28}
ROWS = [
    {
        "key": city.lower(),
        "inputs": {"question": f"How warm is it in {city}?"},
        "reference": {"answer": f"{degrees} °C", "city": city},
    }
    for city, degrees in [*WEATHER.items(), ("Quito", 14)]
]


def decide(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """The next message of the agent: a call of a tool, or the answer from what the tool said."""
    last = messages[-1]
    if last["role"] == "tool":
        return {"role": "assistant", "content": last["content"]}
    city = last["content"].removeprefix("How warm is it in ").rstrip("?")
    call = {"name": "weather", "arguments": json.dumps({"city": city})}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": call}],
    }


def weather(city: str) -> str:
    return f"{WEATHER[city]} °C"  # a KeyError is the error of this output


def agent(example: Example) -> dict[str, Any]:
    """Ask, call the tool, ask again; the whole conversation is the output."""
    messages = [{"role": "user", "content": example.inputs["question"]}]
    messages.append(decide(messages))
    for call in messages[-1].get("tool_calls", []):
        arguments = json.loads(call["function"]["arguments"])
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": weather(**arguments)})
    messages.append(decide(messages))
    return {"answer": messages[-1]["content"], "messages": messages}


@scorer(minimum=0, maximum=1)
def asks_about_the_city(output: dict[str, Any], reference: dict[str, str]) -> Score:
    calls = [call for message in output["messages"] for call in message.get("tool_calls", [])]
    cities = [json.loads(call["function"]["arguments"])["city"] for call in calls]
    return Score(cities == [reference["city"]], note=f"asked about {', '.join(cities) or 'nothing'}")


@scorer(minimum=0, maximum=1)
def answers_right(output: dict[str, Any], reference: dict[str, str]) -> bool:
    return output["answer"] == reference["answer"]


with Client() as site:
    dataset = site.ensure_dataset("weather questions", ROWS)
    done = site.evaluate(dataset, agent, [asks_about_the_city, answers_right], variant="agent 1")
    print(done.means(), f"{done.errors} failed")
