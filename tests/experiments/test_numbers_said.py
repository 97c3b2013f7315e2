"""Which number of an output is read as the answer."""

from evaluations.experiments.numbers_near import tolerance
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


def test_one_large_amount_makes_no_wide_tolerance():
    known = [f"{n % 7}.25" for n in range(19)] + ["950.5"]
    far = [f"{n % 7 * 6 + 20}" for n in range(19)] + ["950.5"]

    assert tolerance(known, far) == 0
    assert tolerance(known, [f"{n % 7}.65" for n in range(19)] + ["950.5"]) == 0.6
    assert tolerance(["123456789012345678901234567890.5", "2.5", "7.5"], ["1"]) == 0
