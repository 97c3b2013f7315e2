"""Generates the rows that benchmarks upload."""

import csv
import random
from pathlib import Path


def write_examples(file: Path, count: int, seed: int) -> None:
    """Write a CSV of questions, references (20 to 400 characters, one in fifty 2 000 to 8 000) and similar outputs."""
    chance = random.Random(seed)
    words = ["".join(chance.choices("etaoinshrdlucmfw", k=chance.randint(2, 9))) for _ in range(4_000)]
    with file.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["id", "question", "reference", "answer"])
        for number in range(count):
            length = chance.randint(2_000, 8_000) if number % 50 == 7 else chance.randint(20, 400)
            reference = sentence(chance, words, length)
            question = f"Question {number}: {' '.join(chance.choices(words, k=8))}?"
            writer.writerow([f"e{number}", question, reference, edited(chance, words, reference)])


def sentence(chance: random.Random, words: list[str], length: int) -> str:
    return " ".join(chance.choices(words, k=length // 6 + 1))[:length].strip()


def edited(chance: random.Random, words: list[str], reference: str) -> str:
    """The text as a model might change it: unchanged in one case of five, else with every tenth word replaced."""
    if chance.random() < 0.2:
        return reference
    return " ".join(chance.choice(words) if chance.random() < 0.1 else word for word in reference.split(" "))
