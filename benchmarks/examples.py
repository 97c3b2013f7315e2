"""Generates the rows that benchmarks upload."""

import csv
import random
from itertools import islice
from pathlib import Path
from typing import TextIO

DIFFERENT = 1_000_000  # rows; later ones repeat their texts: making them takes longer than scoring them


def write_examples(file: Path, count: int, seed: int) -> None:
    """Write a CSV of questions, references (20 to 400 characters, one in fifty 2 000 to 8 000) and similar outputs.

    After a million rows they come again, with other keys and questions.
    """
    with file.open("w", newline="") as out:
        out.write("id,question,reference,answer\r\n")
        for start in range(0, count, DIFFERENT):
            rows = min(DIFFERENT, count - start)
            if start:
                _repeat(file, out, rows, start // DIFFERENT)
            else:
                _write_different(out, rows, seed)
                out.flush()


def _repeat(file: Path, out: TextIO, rows: int, time: int) -> None:
    with file.open(newline="") as written:
        next(written)
        for line in islice(written, rows):
            out.write(f"{time}{line.replace('Question ', f'Question {time}-', 1)}")


def _write_different(out: TextIO, count: int, seed: int) -> None:
    chance = random.Random(seed)
    words = ["".join(chance.choices("etaoinshrdlucmfw", k=chance.randint(2, 9))) for _ in range(4_000)]
    writer = csv.writer(out)
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
