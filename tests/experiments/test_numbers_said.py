"""Which number of an output is read as the answer."""

from evaluations.experiments.numbers_said import number_of_answer
from evaluations.mapping.steps import Pattern


def test_a_gain_of_one_variant_chooses_the_step():
    known = [str(20 + n) for n in range(20)]
    plain = [f"So it is {n}" for n in known]
    modulo = [f"N ≡ {n} (mod 997)" for n in known[:2]] + plain[2:]

    [step] = number_of_answer(
        {}, known, plain * 4 + modulo
    )  # two of a hundred answers, and two of twenty examples

    read = Pattern.model_validate(step).read
    assert [str(read(text)).split()[-1] for text in modulo] == known
    assert number_of_answer({}, known, plain * 5) == []
