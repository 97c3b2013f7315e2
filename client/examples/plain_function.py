"""Any function over a dataset, scored by a function of your own and by an evaluator of the site.

EVALSITE_URL=… EVALSITE_KEY=… python plain_function.py
"""

from evalsite_client import Client, scorer

ROWS = [
    {"key": f"s{n}", "inputs": {"question": f"{n} + {n}"}, "reference": {"answer": str(2 * n)}}
    for n in range(1, 21)
]


def add(question: str) -> str:
    """The program under test: it forgets to carry."""
    first, second = (int(part) for part in question.split(" + "))
    return str(first + second if (first % 10) + (second % 10) < 10 else first + second - 10)


@scorer(direction="minimize", minimum=0)
def distance(output: str, expected: str) -> float:
    """How far the answer is from the right one."""
    return abs(int(output) - int(expected))


with Client() as site:
    dataset = site.ensure_dataset("sums", ROWS)
    done = site.evaluate(
        dataset,
        lambda input: add(input),
        [distance, "exact_match"],
        variant="forgets to carry",
        concurrency=4,
    )
    print(done.means())
    print(done.address)
