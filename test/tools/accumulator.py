"""Exact sums against independent ones: math.fsum, and fractions for products and what fsum refuses.

Usage: accumulator.py LIBRARY CASES [SEED]
Each case draws numbers with cancellation, wide exponents, subnormals, zeros of both signs, and sometimes
infinities and NaN. It adds them in several orders and pieces. Prints how many cases were right."""
import ctypes
import fractions
import math
import random
import struct
import sys

LIMBS = 134


class Accumulator(ctypes.Structure):
    _fields_ = [("limbs", ctypes.c_int64 * LIMBS), ("unsettled", ctypes.c_int64), ("terms", ctypes.c_int64),
                ("negative_zeros", ctypes.c_int64), ("infinities", ctypes.c_int64),
                ("negative_infinities", ctypes.c_int64), ("nans", ctypes.c_int64)]


def load(path):
    library = ctypes.CDLL(path)
    library.allfold_accumulator_round.restype = ctypes.c_double
    library.allfold_accumulator_round_float.restype = ctypes.c_float
    return library


def bits(x):
    """NaNs are one."""
    return "nan" if math.isnan(x) else struct.pack("<d", x)


def rounded(exact, digits, least):
    """A fraction, rounded to nearest, ties to even, to so many digits of a multiple of 2^least."""
    if exact == 0:
        return 0.0
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if fractions.Fraction(2) ** exponent > size:
        exponent -= 1
    last = max(exponent - digits + 1, least)
    integer = round(size / fractions.Fraction(2) ** last)  # ties to even
    top = {53: 1024, 24: 128}[digits]
    result = math.inf if integer * fractions.Fraction(2) ** last >= 2 ** top else math.ldexp(integer, last)
    return -result if exact < 0 else result


def special(terms):
    """The sum by IEEE's rules where a term is not finite, or all are -0; None elsewhere."""
    if any(math.isnan(x) for x in terms) or (math.inf in terms and -math.inf in terms):
        return math.nan
    for x in (math.inf, -math.inf):
        if x in terms:
            return x
    if terms and all(x == 0 and math.copysign(1, x) < 0 for x in terms):
        return -0.0
    return None


def draw(random_numbers, kind, n):
    some = []
    for _ in range(n):
        fraction = random_numbers.uniform(-1, 1)
        if kind == "plain":
            some.append(fraction)
        elif kind == "wide":
            some.append(math.ldexp(fraction, random_numbers.randint(-1080, 1023)))
        elif kind == "subnormal":
            some.append(math.ldexp(random_numbers.randint(-2 ** 20, 2 ** 20), -1074))
        elif kind == "ties":
            some.append(math.ldexp(random_numbers.choice([-1, 1]), random_numbers.randint(-60, 60)))
        elif kind == "huge":
            some.append(random_numbers.choice([-1, 1]) * sys.float_info.max)
        else:  # zeros
            some.append(random_numbers.choice([0.0, -0.0]))
    if kind in ("plain", "wide", "huge") and random_numbers.random() < 0.5:
        some += [-x for x in some] + draw(random_numbers, "subnormal", 1)  # all cancel but the last
    if random_numbers.random() < 0.03:
        some += random_numbers.choices([math.inf, -math.inf, math.nan], k=random_numbers.randint(1, 2))
    random_numbers.shuffle(some)
    return some


def array(type_, values):
    return (type_ * max(len(values), 1))(*values)


def accumulate(library, function, type_, *vectors):
    """Adds the vectors' elements in two pieces, which are then added in either order."""
    n = len(vectors[0])
    cut = n // 3
    pieces = [Accumulator(), Accumulator()]
    for piece, (begin, end) in zip(pieces, ((0, cut), (cut, n))):
        some = [array(type_, vector[begin:end]) for vector in vectors]
        getattr(library, function)(ctypes.byref(piece), *some, ctypes.c_size_t(end - begin))
    first, second = pieces if n % 2 else pieces[::-1]
    library.allfold_accumulator_add(ctypes.byref(first), ctypes.byref(second))
    return first


def check(library, random_numbers, kind, failures):
    values = draw(random_numbers, kind, random_numbers.randint(0, 24))
    exact = sum((fractions.Fraction(x) for x in values if math.isfinite(x)), fractions.Fraction(0))
    expected = special(values)
    if expected is None:
        expected = rounded(exact, 53, -1074)
        try:
            assert bits(math.fsum(values)) == bits(expected) or expected == 0, values
        except OverflowError:
            pass  # of a sum on the way
    acc = accumulate(library, "allfold_accumulate", ctypes.c_double, values)
    backward = accumulate(library, "allfold_accumulate", ctypes.c_double, values[::-1])
    for one in (acc, backward):
        library.allfold_accumulator_settle(ctypes.byref(one))
    if bytes(acc) != bytes(backward):
        failures.append(("order", kind, values))
    got = library.allfold_accumulator_round(ctypes.byref(acc))
    if bits(got) != bits(expected):
        failures.append(("sum", kind, values, got, expected))

    floats = [ctypes.c_float(x).value for x in values]
    expected = special(floats)
    if expected is None:
        expected = rounded(sum(map(fractions.Fraction, floats), fractions.Fraction(0)), 24, -149)
    acc = accumulate(library, "allfold_accumulate_float", ctypes.c_float, floats)
    got = library.allfold_accumulator_round_float(ctypes.byref(acc))
    if bits(got) != bits(expected):
        failures.append(("float", kind, floats, got, expected))

    others = draw(random_numbers, random_numbers.choice(["plain", "wide", "ties"]), len(values))[:len(values)]
    values = values[:len(others)]
    if random_numbers.random() < 0.3:  # the first half's products cancel those of the second
        values, others = values + values, others + [-y for y in others]
    products = [x * y if not (math.isfinite(x) and math.isfinite(y)) or 0 in (x, y) else 1.0
                for x, y in zip(values, others)]
    expected = special(products)
    if expected is None:
        exact = sum((fractions.Fraction(x) * fractions.Fraction(y) for x, y in zip(values, others)),
                    fractions.Fraction(0))
        expected = rounded(exact, 53, -1074)
    acc = accumulate(library, "allfold_accumulate_dot", ctypes.c_double, values, others)
    got = library.allfold_accumulator_round(ctypes.byref(acc))
    if bits(got) != bits(expected):
        failures.append(("dot", kind, values, others, got, expected))


def main():
    library = load(sys.argv[1])
    cases = int(sys.argv[2])
    random_numbers = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    kinds = ["plain", "wide", "subnormal", "ties", "huge", "zeros"]
    failures = []
    for case in range(cases):
        check(library, random_numbers, kinds[case % len(kinds)], failures)
        if failures:
            print("case", case, failures[0], file=sys.stderr)
            return 1
    print(f"{cases} cases of sums, sums of floats and dot products: all correctly rounded")
    return 0


sys.exit(main())
