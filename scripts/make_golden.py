#!/usr/bin/env python3
"""Writes tests/golden/: small inputs and the results that docs/contracts.md asks for, from NumPy.

    scripts/make_golden.py [FOLDER]

Needs NumPy (Debian: python3-numpy). The files are committed and the tests only read them, so this
runs again only when a contract changes or a case is added; it then writes the same bytes for all
that has not changed. Nothing here is derived from the C++ code: each op is written anew, by its
section of the contract.

cases.json lists inputs and cases. An array is [file, offset, shape]: so many elements of that 1-D
file from the offset on, with the axes H, W, C or X, H, W, C. `compare` is
  identical   every candidate returns these bits, those of NaN included
  exact       every candidate returns these bits; a NaN may have any payload
  steps       bitwise calls return these bits; others may lie so many steps, from one number of the
              dtype to the next, below it and above it (per result two
              arrays, or a number that holds for all)
  bounds      the same, with the least and the greatest right result (two arrays per result)
A parameter is a list of numbers, or the number of the input that it is read from.
"""

import json
import math
import shutil
import sys
from fractions import Fraction
from pathlib import Path

try:
    import numpy as np
except ModuleNotFoundError:
    sys.exit(f"{sys.executable} has no NumPy; Debian's python3-numpy serves /usr/bin/python3")

F32, F64 = np.float32, np.float64
FLT_MAX = float(np.finfo(F32).max)
ULP = 2.0**-24  # half a unit in the last place of 1
TINY = 2.0**-149
X, H, W, C = range(4)
AXIS_NAMES = "XHWC"

# ---- files


class Writer:
    """Collects arrays by op and dtype, and the cases that refer to them."""

    def __init__(self, folder):
        self.folder = folder
        self.cases = []
        self.inputs = {}
        self.input_places = {}
        self.names = set()
        self.files = {}  # name → list of flat arrays

    def place(self, stem, array):
        """Appends to the stem's file for this dtype; returns where the array lies."""
        file = self.files.setdefault(f"{stem}.{array.dtype.name}.npy", [])
        at = sum(part.size for part in file)
        file.append(np.ascontiguousarray(array).reshape(-1))
        return [f"{stem}.{array.dtype.name}.npy", at, list(array.shape)]

    def input(self, name, array):
        self.inputs[name] = array
        self.input_places[name] = self.place("inputs", array)
        return array

    def case(self, variant, name, inputs, results, params=None, bounds=None, compare=None):
        """`inputs` are names; `results` arrays; `bounds` a (low, high) per result or None."""
        assert (variant, name) not in self.names, (variant, name)
        self.names.add((variant, name))
        op = variant.partition("/")[0]
        if compare != "identical":
            results = [plain_nan(result) for result in results]
        entry = {
            "variant": variant,
            "name": name,
            "inputs": inputs,
            "params": params or {},
            "expected": [self.place(op, result) for result in results],
            "compare": compare or "exact",
        }
        if bounds is not None:
            fits = [
                (low <= r) & (r <= high) | np.isnan(r) for r, (low, high) in zip(results, bounds)
            ]
            assert all(np.all(fit) for fit in fits), (variant, name)
            entry["compare"] = "bounds" if results[0].dtype == F64 else "steps"
            if entry["compare"] == "steps":
                bounds = [
                    (steps(low, r), steps(r, high)) for r, (low, high) in zip(results, bounds)
                ]
            entry["within"] = [[self.limit(op, one) for one in pair] for pair in bounds]
        self.cases.append(entry)

    def limit(self, op, array):
        """As place(), but one number for many that are the same."""
        if array.dtype != F64 and np.all(array == array.flat[0]):
            return int(array.flat[0])
        return self.place(f"{op}.within", plain_nan(array))

    def finish(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, parts in self.files.items():
            np.save(self.folder / name, np.concatenate(parts), allow_pickle=False)
        text = {"inputs": self.input_places, "cases": self.cases}
        lines = {
            key: json.dumps(value, allow_nan=False, separators=(",", ":"))
            for key, value in text.items()
        }
        cases = lines["cases"].replace('{"variant"', '\n{"variant"')
        (self.folder / "cases.json").write_text(
            f'{{"inputs":{lines["inputs"]},\n"cases":{cases}}}\n'
        )


def plain_nan(array):
    """With one payload for all NaN: which one arithmetic gives depends on addresses."""
    return (
        np.where(np.isnan(array), np.array(np.nan, array.dtype), array)
        if array.dtype.kind == "f"
        else array
    )


def steps(low, high):
    """How many steps from one number to the next lie between them, at most what u16 counts."""
    count = ordered(high) - ordered(low)
    count = np.where(np.isnan(low) | np.isnan(high), 0, np.minimum(count, 65535))
    return count.astype(np.uint8 if count.max() < 256 else np.uint16)


def ordered(values):
    """Integers in the order of the numbers, one for each, and one for both zeros."""
    if values.dtype != F32:
        return values.astype(np.int64)
    bits = values.view(np.int32).astype(np.int64)
    return np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)


def numbers(values):
    """A parameter for the manifest; JSON has no NaN and no infinities."""
    return [float(v) if math.isfinite(v) else str(float(v)) for v in np.atleast_1d(values)]


# ---- inputs


def f32_of_bits(*bits):
    return np.array(bits, np.uint32).view(F32)


def special_f32():
    """What breaks candidates: NaN of several payloads, infinities, zeros, subnormals, extremes."""
    return np.concatenate(
        [
            f32_of_bits(0x7FC00000, 0xFFC12345, 0x7F800000, 0xFF800000, 0, 0x80000000),
            f32_of_bits(1, 0x80000001, 0x007FFFFF, 0x00800000, 0x7F7FFFFF, 0xFF7FFFFF),
            np.array([1, -1, 0.5, 1.5, 2.5, -0.5, 254.5, 255, 255.49998, 255.5, 256, 1e10], F32),
        ]
    )


def make_inputs(out):
    random = np.random.Generator(np.random.PCG64(2024))
    levels = random.permutation(np.arange(4 * 32 * 3) % 256)  # all levels
    out.input("u8", levels.reshape(4, 32, 3).astype(np.uint8))
    out.input("u8_other", random.integers(0, 256, (4, 32, 3), np.uint8))
    out.input("u16", random.integers(0, 65536, (7, 13, 3), np.uint16))
    special = random.permutation(np.resize(special_f32(), 48))
    f32 = random.uniform(-3, 3, 6 * 9 * 3).astype(F32)
    f32[random.permutation(f32.size)[:48]] = special
    out.input("f32", f32.reshape(6, 9, 3))
    out.input("f32_other", random.permutation(f32).reshape(6, 9, 3))
    unit = random.uniform(-0.1, 1.1, 6 * 9 * 3).astype(F32)
    unit[::7] = np.resize(special_f32(), unit[::7].size)
    out.input("f32_unit", unit.reshape(6, 9, 3))
    out.input("f32_positive", np.exp2(random.uniform(-40, 40, (6, 9, 3))).astype(F32))
    # Arrays beside an image: channels of their own, one for all channels, other dtypes.
    out.input("i16_array", random.integers(-300, 300, (4, 32, 1), np.int16))
    out.input("f64_array", random.uniform(-2, 2, (4, 32, 3)).astype(F64))
    out.input("u8_array", random.integers(0, 4, (6, 9, 3), np.uint8))
    out.input("f32_array", random.uniform(-2, 2, (6, 9, 1)).astype(F32))
    # Batches: more than two blocks of values, values far from 0, one with a NaN.
    out.input("u8_batch", random.integers(0, 256, (3, 4, 5, 3), np.uint8))
    out.input("f32_batch", random.normal(0.5, 2, (2, 37, 31, 2)).astype(F32))
    out.input("f32_far", (1000 + random.normal(0, 0.01, (3, 4, 5, 3))).astype(F32))
    holed = random.normal(0, 1, (3, 4, 5, 3)).astype(F32)
    holed[1, 2, 3, 0] = np.nan
    holed[2, 0, 4, 1] = np.inf
    holed[0, 1, 1, 2] = -0.0
    out.input("f32_holed", holed)
    out.input("u8_constant", np.full((4, 9, 2), 77, np.uint8))
    out.input("f32_constant", np.full((4, 9, 2), 0.1, F32))
    out.input("mask", random.integers(0, 3, (4, 32, 1), np.uint8))
    out.input("table_u8", random.permutation(256).astype(np.uint8).reshape(1, 256, 1))
    out.input("table_u8_channels", random.integers(0, 256, (1, 256, 3), np.uint8))
    table = random.normal(0, 1, (1, 256, 3)).astype(F32)
    table[0, :24, 1] = special_f32()
    out.input("table_f32_channels", table)
    out.input("table_f32", table[:, :, 1:2])
    for dtype in (np.uint16, np.int32, np.int64):
        labels = random.integers(0, 40, (6, 15, 1)).astype(dtype)
        out.input(f"labels_{np.dtype(dtype).name}", labels)
    out.input("weights_f32", random.normal(0, 1, (6, 15, 1)).astype(F32))
    out.input("weights_f64", random.normal(0, 1e3, (6, 15, 1)))
    for dtype, name, inner in ((np.uint8, "u8", 67), (F32, "f32", 67), (F64, "f64", 19)):
        low, scale = (0, 255) if dtype == np.uint8 else (-1, 1)
        for which, shape in (
            ("a", (2, 5, inner, 1)),
            ("b", (2, inner, 7, 1)),
            ("one_b", (1, inner, 3, 1)),
            ("points", (4, inner, 1)),
        ):
            if which != "points" or dtype != np.uint8:
                out.input(f"{which}_{name}", (random.uniform(low, 1, shape) * scale).astype(dtype))
    holes = out.inputs["a_f32"][0, :, :9].copy()
    holes[0, 0] = np.inf
    holes[1, 1] = np.nan
    holes[2, 2:4] = 3e38
    out.input("a_f32_holed", holes)
    zeros = out.inputs["b_f32"][0, :9].copy()
    zeros[0, 0] = 0
    out.input("b_f32_zero", zeros)


# ---- rounding


def common(*values):
    """The parameters of an op as it uses them: f32, or all f64 if a finite one is beyond f32."""
    values = [np.asarray(v, F64) for v in values]
    wide = any(np.any(np.isfinite(v) & (np.abs(v) > FLT_MAX)) for v in values)
    return values if wide else [v.astype(F32) for v in values]


def to_integer(value, dtype, rounding):
    """Real results as saturated integers."""
    value = np.asarray(value, F64)
    rounded = {
        "truncate": np.trunc,
        "half_even": np.rint,
        "half_up": lambda v: np.floor(v + 0.5),  # v has 24 bits, so that the sum is exact
    }[rounding](value)
    top = np.iinfo(dtype).max
    return np.where(np.isnan(rounded), 0, np.clip(rounded, 0, top)).astype(dtype)


def f32_between(low, high, expected):
    """The f32 numbers within an f64 [low, high]; beyond FLT_MAX an infinity is right, too."""
    finite = np.isfinite(low) & np.isfinite(high)
    below, above = low.astype(F32), high.astype(F32)
    below = np.where(below < low, np.nextafter(below, F32(np.inf)), below)
    above = np.where(above > high, np.nextafter(above, F32(-np.inf)), above)
    below = np.where(low < -FLT_MAX, F32(-np.inf), below)
    above = np.where(high > FLT_MAX, F32(np.inf), above)
    return np.where(finite, below, expected).astype(F32), np.where(finite, above, expected).astype(
        F32
    )


def pointwise(
    out, variant, name, inputs, reference, exact, terms, dtype, params, rounding="truncate"
):
    """`reference` has the contract's roundings; `exact` and `terms` have none, in f64."""
    if dtype == F32:
        expected = reference.astype(F32)
        slack = 2 * ULP * terms + TINY
        bounds = f32_between(exact - slack, exact + slack, expected)
    else:
        expected = to_integer(reference, dtype, rounding)
        slack = np.where(np.isfinite(exact), 4 * ULP * terms, 0)
        low, high = (to_integer(exact + sign * slack, dtype, rounding) for sign in (-1, 1))
        # One level off is right only where the exact value is that near a boundary; more never is.
        near = expected.astype(np.int64)
        bounds = tuple(np.clip(b, near - 1, near + 1).astype(dtype) for b in (low, high))
    out.case(variant, name, inputs, [expected], params, [bounds])


def kind_of(*values):
    return "scalar" if all(np.size(v) == 1 for v in values) else "vector"


# ---- affine ops

CHOICES = {  # (value of add, factor of multiply)
    "tone": (12.75, 1.08),
    "negative": (-90.5, -0.5),
    "large": (1e6, 300.0),
    "zero": (0.0, 0.0),
    "infinite": (np.inf, np.inf),
    "nan": (np.nan, np.nan),
    "wide": (1e300, -1e300),
    "channels": ((7.9, -20.2, 300.0), (0.5, 1.25, -1.0)),
}


def add_number(out, name, image, value):
    x = out.inputs[image]
    variant = f"add/{kind_of(value)}"
    params = {"value": numbers(value)}
    if x.dtype == F32:
        (v,) = common(value)
        exact = x.astype(F64) + v
        pointwise(
            out,
            variant,
            name,
            [image],
            x.astype(v.dtype) + v,
            exact,
            np.abs(x.astype(F64)) + np.abs(v),
            F32,
            params,
        )
    else:
        whole = np.trunc(np.clip(np.nan_to_num(np.asarray(value, F64), nan=-np.inf), -1e9, 1e9))
        out.case(variant, name, [image], [to_integer(x + whole, np.uint8, "truncate")], params)


def make_affine(out):
    for image in ("u8", "f32"):
        x = out.inputs[image]
        for name, (value, factor) in CHOICES.items():
            add_number(out, f"{image}_{name}", image, value)
            (f,) = common(factor)
            exact = x.astype(F64) * f
            pointwise(
                out,
                f"multiply/{kind_of(factor)}",
                f"{image}_{name}",
                [image],
                x.astype(f.dtype) * f,
                exact,
                np.abs(exact),
                x.dtype,
                {"factor": numbers(factor)},
            )
            multiply_add(out, f"{image}_{name}", image, factor, value)
    multiply_add(out, "u8_cancel", "u8", (1.1, 0.9, 2.0), -100.3)
    multiply_add(out, "f32_cancel", "f32", 0.1, (0.1, -0.2, 0.3))
    x = out.inputs["u8"]
    for rounding in ("half_even", "half_up"):
        product = x.astype(F32) * F32(1.5)
        expected = to_integer(product, np.uint8, rounding)
        out.case(
            "multiply/scalar",
            f"u8_{rounding}",
            ["u8"],
            [expected],
            {"factor": [1.5], "rounding": rounding},
        )
        expected = to_integer(x + 0.5, np.uint8, rounding)
        out.case(
            "add/scalar",
            f"u8_{rounding}",
            ["u8"],
            [expected],
            {"value": [0.5], "rounding": rounding},
        )


def multiply_add(out, name, image, factor, value):
    x = out.inputs[image]
    f, v = common(factor, value)
    product = x.astype(F64) * f
    pointwise(
        out,
        f"multiply_add/{kind_of(factor, value)}",
        name,
        [image],
        x.astype(f.dtype) * f + v,
        product + v,
        np.abs(product) + np.abs(v.astype(F64)),
        x.dtype,
        {"factor": numbers(factor), "value": numbers(value)},
    )


def make_arrays(out):
    for image, array in (
        ("u8", "i16_array"),
        ("u8", "f64_array"),
        ("u8", "u8_other"),
        ("f32", "f32_array"),
        ("f32", "u8_array"),
        ("f32", "f32_other"),
    ):
        x, a = out.inputs[image], out.inputs[array]
        name = f"{image}_{array}"
        exact = x.astype(F64) + a.astype(F64)
        if image == "u8":
            whole = np.trunc(a).astype(np.int64)
            out.case(
                "add/array",
                name,
                [image, array],
                [np.clip(x + whole, 0, 255).astype(np.uint8)],
                {"value": 1},
            )
        else:
            terms = np.abs(x.astype(F64)) + np.abs(a.astype(F64))
            pointwise(
                out,
                "add/array",
                name,
                [image, array],
                x + a.astype(F32),
                exact,
                terms,
                F32,
                {"value": 1},
            )
        a = a.astype(F32)
        exact = x.astype(F64) * a
        pointwise(
            out,
            "multiply/array",
            name,
            [image, array],
            x.astype(F32) * a,
            exact,
            np.abs(exact),
            x.dtype,
            {"factor": 1},
        )
        total = exact + F32(0.7)
        pointwise(
            out,
            "multiply_add/array",
            name,
            [image, array],
            x.astype(F32) * a + F32(0.7),
            total,
            np.abs(exact) + 0.7,
            x.dtype,
            {"factor": 1, "value": [0.7]},
        )
    for factors, values in (("f32_array", "u8_array"), ("f32_other", "u8_array")):
        x, f, v = (out.inputs[one] for one in ("f32", factors, values))
        v = v.astype(F32)
        exact = x.astype(F64) * f
        pointwise(
            out,
            "multiply_add/array",
            f"f32_{factors}_{values}",
            ["f32", factors, values],
            x * f + v,
            exact + v,
            np.abs(exact) + v,
            F32,
            {"factor": 1, "value": 2},
        )
    power_case(
        out,
        "power/array",
        "f32_u8_array",
        ["f32", "u8_array"],
        out.inputs["u8_array"],
        {"exponent": 1},
    )
    power_case(
        out,
        "power/array",
        "f32_f32_array",
        ["f32", "f32_array"],
        out.inputs["f32_array"],
        {"exponent": 1},
    )


def make_weighted(out):
    for a, b in (("u8", "u8_other"), ("f32", "f32_other")):
        for name, wa, wb in (
            ("blend", 0.3, 0.7),
            ("difference", 1.0, -1.0),
            ("half", 0.5, 0.5),
            ("zero", 0.0, 1.0),
            ("beyond", 3.5, -2.25),
            ("wide", 1e300, 0.5),
        ):
            x, y = out.inputs[a], out.inputs[b]
            u, v = common(wa, wb)
            p, q = x.astype(F64) * u, y.astype(F64) * v
            reference = x.astype(u.dtype) * u + y.astype(v.dtype) * v
            pointwise(
                out,
                "add_weighted",
                f"{a}_{name}",
                [a, b],
                reference,
                p + q,
                np.abs(p) + np.abs(q),
                x.dtype,
                {"weight_a": numbers(wa), "weight_b": numbers(wb)},
                "half_even",
            )


def make_normalize(out):
    for image in ("u8", "u16", "f32"):
        for name, mean, scale in (
            ("scalar", 127.5, 1 / 60.0),
            ("nothing", 0.0, 1.0),
            ("wide", 1e300, 1e-300),
            ("mean", (123.675, 116.28, 103.53), 0.017),
            ("both", (0.485, 0.456, 0.406), (1 / 0.229, 1 / 0.224, 1 / 0.225)),
        ):
            if image != "f32" and name in ("nothing", "wide"):
                continue
            x = out.inputs[image]
            m, s = common(mean, scale)
            terms = np.abs(x.astype(F64) * s) + np.abs(m.astype(F64) * s)
            pointwise(
                out,
                f"normalize/{kind_of(mean, scale)}",
                f"{image}_{name}",
                [image],
                (x.astype(m.dtype) - m) * s,
                (x.astype(F64) - m) * s,
                terms,
                F32,
                {"mean": numbers(mean), "scale": numbers(scale)},
            )


# ---- functions


def ulps(exact, count, expected):
    """Within `count` units in the last place of the exact value."""
    with np.errstate(all="ignore"):
        unit = np.spacing(np.abs(exact).astype(F32).clip(max=F32(FLT_MAX))).astype(F64)
    unit = np.where(np.isfinite(exact), unit, 0)
    return f32_between(exact - count * unit, exact + count * unit, expected)


def power_case(out, variant, name, inputs, exponent, params):
    x = out.inputs[inputs[0]]
    exponent = common(exponent)[0].astype(F64)
    exact = np.power(x.astype(F64), exponent)
    expected = exact.astype(F32)
    if x.dtype == F32:
        out.case(variant, name, inputs, [expected], params, [ulps(exact, 4, expected)])
    else:
        out.case(variant, name, inputs, [to_integer(expected, np.uint8, "truncate")], params)


def make_functions(out):
    for image in ("u8", "f32", "f32_positive"):
        for name, exponent in (
            ("root", 0.5),
            ("square", 2.0),
            ("gamma", 1 / 2.2),
            ("inverse", -1.0),
            ("none", 0.0),
            ("cube", 3.0),
            ("infinite", np.inf),
            ("nan", np.nan),
            ("wide", 1e300),
            ("channels", (0.9, 1.0, 1.1)),
        ):
            if image != "f32_positive" or name in ("root", "gamma"):
                power_case(
                    out,
                    f"power/{kind_of(exponent)}",
                    f"{image}_{name}",
                    [image],
                    exponent,
                    {"exponent": numbers(exponent)},
                )
    for image in ("f32", "f32_positive"):
        x = out.inputs[image].astype(F64)
        for op, function in (("exp", np.exp), ("log", np.log), ("sqrt", np.sqrt)):
            exact = function(x)
            expected = exact.astype(F32)
            bounds = None if op == "sqrt" else [ulps(exact, 4, expected)]
            out.case(op, image, [image], [expected], bounds=bounds)


def make_conversions(out):
    for image, dtype_max in (("u8", 255), ("u16", 65535)):
        x = out.inputs[image].astype(F32)
        for name, given in (("default", None), ("given", 1023.0)):
            expected = x / F32(given or dtype_max)
            params = {} if given is None else {"max_value": numbers(given)}
            unit = np.spacing(expected)
            out.case(
                "to_float",
                f"{image}_{name}",
                [image],
                [expected],
                params,
                [(expected - unit, expected + unit)],
            )
    out.case(
        "to_float",
        "f32_copied",
        ["f32"],
        [out.inputs["f32"]],
        {"max_value": [255.0]},
        compare="identical",
    )
    out.case(
        "from_float",
        "f32_copied",
        ["f32"],
        [out.inputs["f32"]],
        {"dtype": "f32", "max_value": [255.0]},
        compare="identical",
    )
    for dtype, name in ((np.uint8, "u8"), (np.uint16, "u16")):
        for image in ("f32_unit", "f32"):
            for kind, given in (("default", None), ("given", 100.0), ("one", 1.0)):
                x = out.inputs[image]
                most = F32(given or np.iinfo(dtype).max)
                exact = x.astype(F64) * most
                params = {"dtype": name} | ({} if given is None else {"max_value": numbers(given)})
                pointwise(
                    out,
                    "from_float",
                    f"{name}_{image}_{kind}",
                    [image],
                    x * most,
                    exact,
                    np.abs(exact),
                    dtype,
                    params,
                    "half_even",
                )


def make_clip(out):
    for image, result in (("u8", np.uint8), ("f32", F32), ("f32", np.uint8)):
        for name, low, high in (
            ("inside", 0.25, 200.5),
            ("half", 1.5, 2.5),
            ("all", -np.inf, np.inf),
            ("equal", 0.0, 0.0),
            ("channels", (0.0, -1.5, 10.0), (1.0, 1.5, 250.0)),
        ):
            x = out.inputs[image]
            a, b = np.asarray(low, F64).astype(F32), np.asarray(high, F64).astype(F32)
            if image == "u8":
                a, b = (to_integer(one, np.uint8, "half_even") for one in (low, high))
            kept = np.where(x < a, a, np.where(x > b, b, x))
            name = f"{image}_{name}" if result == x.dtype else f"{image}_u8_{name}"
            params = {
                "low": numbers(low),
                "high": numbers(high),
                "dtype": "f32" if result == F32 else "u8",
            }
            bounds = None
            if result == F32:  # a zero of the other sign is within [0, 0]
                bounds = [(kept, kept)]
            else:
                kept = to_integer(kept, np.uint8, "truncate")
            out.case(f"clip/{kind_of(low, high)}", name, [image], [kept], params, bounds)


def make_lut(out):
    x = out.inputs["u8"]
    for dtype in ("u8", "f32"):
        shared, own = out.inputs[f"table_{dtype}"], out.inputs[f"table_{dtype}_channels"]
        out.case(
            "lut/shared", dtype, ["u8", f"table_{dtype}"], [shared[0, x, 0]], compare="identical"
        )
        columns = np.stack([own[0, x[:, :, c], c] for c in range(3)], axis=-1)
        out.case(
            "lut/per_channel",
            dtype,
            ["u8", f"table_{dtype}_channels"],
            [columns],
            compare="identical",
        )


def make_moves(out):
    for image in ("u8", "u16", "f32", "u8_batch", "f32_holed"):
        x = out.inputs[image]
        out.case("hflip", image, [image], [np.flip(x, axis=-2)], compare="identical")
        out.case("vflip", image, [image], [np.flip(x, axis=-3)], compare="identical")
        out.case("transpose", image, [image], [np.swapaxes(x, -3, -2)], compare="identical")
        for k in (-1, 0, 1, 2, 7):
            if k == 1 or image in ("u16", "u8_batch"):
                turned = np.rot90(x, k, axes=(-3, -2))
                out.case("rot90", f"{image}_{k}", [image], [turned], {"k": k}, compare="identical")


# ---- matrices


def make_matrices(out):
    for name in ("u8", "f32", "f64"):
        a, b = out.inputs[f"a_{name}"], out.inputs[f"b_{name}"]
        product(out, name, (f"a_{name}", a[..., 0]), (f"b_{name}", b[..., 0]))
        one = out.inputs[f"one_b_{name}"]
        product(
            out, f"{name}_one_for_all", (f"a_{name}", a[..., 0]), (f"one_b_{name}", one[..., 0])
        )
    product(
        out,
        "f32_holed",
        ("a_f32_holed", out.inputs["a_f32_holed"][None, ..., 0]),
        ("b_f32_zero", out.inputs["b_f32_zero"][None, ..., 0]),
    )
    for name in ("f32", "f64"):
        near = out.inputs[f"points_{name}"]
        others = np.concatenate(
            [out.inputs[f"a_{name}"][0, :3], near[2:4]]
        )  # two of them at distance 0
        out.input(f"others_{name}", others)
        distances(out, name, (f"points_{name}", near), (f"others_{name}", others))
        far = {
            f"far_{which}_{name}": (1e4 + 1e-3 * points).astype(points.dtype)
            for which, points in (("points", near), ("others", others))
        }
        distances(
            out,
            f"{name}_far",
            *((which, out.input(which, points)) for which, points in far.items()),
        )


def product(out, name, left, right):
    """Sums in the order of k, in the inputs' own dtype; i32 for u8."""
    (a_name, a), (b_name, b) = left, right
    dtype = np.int32 if a.dtype == np.uint8 else a.dtype
    a, b = a.astype(dtype), b.astype(dtype)
    inner = a.shape[2]
    sums = np.zeros((a.shape[0], a.shape[1], b.shape[2]), dtype)
    for k in range(inner):
        sums = sums + a[:, :, k, None] * b[:, None, k, :]
    rank_3 = out.inputs[a_name].ndim == 3
    shaped = (lambda m: m[0][..., None]) if rank_3 else (lambda m: m[..., None])
    if dtype == np.int32:
        out.case("matmul", name, [a_name, b_name], [shaped(sums)])
        return
    wide = np.longdouble  # no BLAS takes it, so that the machine doesn't show in the files
    exact = np.matmul(a.astype(wide), b.astype(wide))
    terms = np.matmul(np.abs(a).astype(wide), np.abs(b).astype(wide))
    slack = (inner + 2) * ULP * terms if dtype == F32 else (inner + 3) * 2.0**-53 * terms
    if dtype == F32:
        bounds = f32_between(exact - slack, exact + slack, sums)
    else:
        bounds = ((exact - slack).astype(F64), (exact + slack).astype(F64))
    out.case(
        "matmul", name, [a_name, b_name], [shaped(sums)], bounds=[tuple(shaped(b) for b in bounds)]
    )


def distances(out, name, left, right):
    (a_name, a), (b_name, b) = left, right
    difference = a[:, None, :, 0] - b[None, :, :, 0]
    squares = difference * difference
    total = np.zeros(squares.shape[:2], F64)
    for begin in range(0, squares.shape[2], 64 if a.dtype == F32 else squares.shape[2]):
        block = np.zeros(squares.shape[:2], a.dtype)
        for d in range(
            begin, min(begin + 64, squares.shape[2]) if a.dtype == F32 else squares.shape[2]
        ):
            block = block + squares[:, :, d]
        total = total + block
    wide = a.astype(np.longdouble)[:, None, :, 0] - b.astype(np.longdouble)[None, :, :, 0]
    exact = np.sum(wide * wide, axis=2).astype(F64)
    slack = 1e-5 * exact + (a.shape[1] + 1) * TINY * (exact > 0)
    expected = total.astype(F32)
    bounds = f32_between(exact - slack, exact + slack, expected)
    out.case(
        "pairwise_distances_squared",
        name,
        [a_name, b_name],
        [expected[..., None]],
        bounds=[tuple(one[..., None] for one in bounds)],
    )


# ---- reductions


def rounded_sum(fractions):
    return float(sum(fractions, Fraction(0)))


def block_sum(values):
    """Step 2: sixteen partial sums of f64, joined in a fixed order."""
    sums = np.zeros(16, F64)
    for begin in range(0, values.size, 16):
        row = values[begin : begin + 16]
        sums[: row.size] = sums[: row.size] + row
    for width in (8, 4, 2, 1):
        sums[:width] = sums[:width] + sums[width : 2 * width]
    return sums[0]


class Joined:
    """Steps 3 to 5 of the contract for one result, of values in order."""

    def __init__(self, values):
        self.n, self.m2, self.high, self.low = 0, F64(0), F64(0), F64(0)
        for begin in range(0, values.size, 2048):
            self.take(values[begin : begin + 2048].astype(F64))

    def take(self, block):
        m = block.size
        s = block_sum(block)
        even = s * s / m
        q = block_sum(block * block) - even
        if not q >= 1e-4 * even:
            deviations = block - s / m
            q = block_sum(deviations * deviations)
        if self.n:
            d = s / m - self.mean()
            self.m2 = self.m2 + d * d * (F64(self.n) * m / F64(self.n + m))
        self.m2 = self.m2 + q
        total = self.high + s  # with the error of this addition, as two f64 give it
        if math.isfinite(total):
            t = total - self.high
            self.low = self.low + ((self.high - (total - t)) + (s - t))
        self.high = total
        self.n += m

    def sum(self):
        return self.high + self.low if math.isfinite(self.high) else self.high

    def mean(self):
        r = self.high / self.n
        if not math.isfinite(r):
            return r
        rest = rounded_sum([Fraction(float(-r)) * self.n, Fraction(float(self.high))])
        return r + (rest + self.low) / self.n

    def std(self):
        return np.sqrt(self.m2 / self.n)


class Counted:
    """The same of u8, from exact integers."""

    def __init__(self, values):
        whole = values.astype(object)
        self.n, self.s, self.q = values.size, int(whole.sum()), int((whole * whole).sum())

    def sum(self):
        return self.s

    def mean(self):
        return F64(self.s) / self.n

    def std(self):
        return np.sqrt(F64(self.n * self.q - self.s * self.s)) / self.n


class Exact:
    """Sums without rounding, for the tolerances."""

    def __init__(self, values):
        self.finite = bool(np.all(np.isfinite(values)))
        self.n = values.size
        if self.finite:
            values = [float(v) for v in values]
            self.sum = math.fsum(values)
            self.absolute = math.fsum(abs(v) for v in values)
            self.mean = self.sum / self.n
            center = Fraction(self.mean)
            self.std = math.sqrt(
                math.fsum(float((Fraction(v) - center) ** 2) for v in values) / self.n
            )


def groups(x, axes):
    """The values of every result in order, and the shape of the results as views have it."""
    x = x if x.ndim == 4 else x[None]
    kept = [axis for axis in range(4) if axis not in axes]
    moved = np.transpose(x, kept + sorted(axes))
    shape = [1] * (4 - len(kept)) + [x.shape[axis] for axis in kept]
    return moved.reshape(int(np.prod(shape)), -1), shape


def around(value, slack, expected, exact):
    if not exact.finite:
        return expected, expected
    return min(value - slack, float(expected)), max(value + slack, float(expected))


def std_around(exact, expected, eps):
    if not exact.finite:
        return expected, expected
    if exact.std == 0:
        return eps, eps
    if exact.std < 1e-8 * abs(exact.mean):
        return eps, exact.std + 1e-8 * abs(exact.mean) + eps
    return around(exact.std + eps, 1e-6 * exact.std, expected, exact)


def least_and_most(values):
    """As the contract orders them: NaN wins, and -0 is smaller than +0."""
    if np.any(np.isnan(values)):
        return np.nan, np.nan
    low, high = values.min(), values.max()
    if low == 0 and values.dtype == F32:
        low = F32(-0.0) if np.any(np.signbit(values[values == 0])) else F32(0)
    if high == 0 and values.dtype == F32:
        high = F32(0) if not np.all(np.signbit(values[values == 0])) else F32(-0.0)
    return low, high


FORMS = {"global": (X, H, W, C), "per_channel": (X, H, W), "per_item": (H, W, C)}


def make_reductions(out):
    for image in ("u8_batch", "f32_batch", "f32_far", "f32_holed", "u8_constant", "f32_constant"):
        forms = list(FORMS.items())
        if image in ("u8_batch", "f32_far", "f32_holed"):
            forms += [("axes", (C,)), ("axes", (X, W)), ("axes", (H,))]
        if image == "f32_holed":
            forms.append(("axes", ()))
        for form, axes in forms:
            reduce_all(out, image, form, axes)


def reduce_all(out, image, form, axes):
    x = out.inputs[image]
    whole = x.dtype == np.uint8
    values, shape = groups(x, axes)
    results = [(Counted if whole else Joined)(row) for row in values]
    exact = [Exact(row) for row in values]
    name = image + ("".join(["_"] + [AXIS_NAMES[a] for a in axes]) if form == "axes" else "")
    params = {"over": "".join(AXIS_NAMES[a] for a in axes) if form == "axes" else form}

    def shaped(numbers_, dtype=F64):
        return np.array(numbers_, dtype).reshape(shape)

    def limits(pairs):
        return shaped([low for low, _ in pairs]), shaped([high for _, high in pairs])

    sums = [r.sum() for r in results]
    means = [r.mean() for r in results]
    mean_limits = (
        None
        if whole
        else limits(
            [
                around(e.mean, 1e-12 * e.absolute / e.n, m, e) if e.finite else (m, m)
                for e, m in zip(exact, means)
            ]
        )
    )
    sum_limits = (
        None
        if whole
        else [
            limits(
                [
                    around(e.sum, 1e-12 * e.absolute, s, e) if e.finite else (s, s)
                    for e, s in zip(exact, sums)
                ]
            )
        ]
    )
    variant = lambda op: f"{op}/{form}"
    if len(axes) > 1 or image == "u8_batch":  # the small sums are all alike
        out.case(
            variant("reduce_sum"),
            name,
            [image],
            [shaped(sums, np.uint64 if whole else F64)],
            params,
            sum_limits,
        )
    out.case(
        variant("mean"), name, [image], [shaped(means)], params, None if whole else [mean_limits]
    )
    eps = 1e-4 if form != "per_item" else 0.5
    stds = [r.std() + eps for r in results]
    std_limits = limits([std_around(e, s, eps) for e, s in zip(exact, stds)])
    params_eps = params | {"eps": [eps]}
    if len(axes) > 1:
        out.case(variant("std"), name, [image], [shaped(stds)], params_eps, [std_limits])
        exact_mean = (shaped(means), shaped(means))
        out.case(
            variant("mean_std"),
            name,
            [image],
            [shaped(means), shaped(stds)],
            params_eps,
            [mean_limits or exact_mean, std_limits],
        )
    ends = [least_and_most(row) for row in values]
    low, high = (shaped([pair[i] for pair in ends], x.dtype) for i in (0, 1))
    if axes:  # reducing nothing is seen in the mean
        out.case(
            variant("min_max"),
            name,
            [image],
            [low, high],
            params,
            None if whole else [(low, low), (high, high)],
        )


# ---- normalize_per_image


def make_per_image(out):
    for image in ("u8_batch", "f32_far", "f32_holed", "u8_constant", "f32_constant", "f32_unit"):
        for mode in ("image", "image_per_channel", "min_max", "min_max_per_channel"):
            for per_item in (False, True):
                if (
                    per_item
                    and out.inputs[image].ndim == 3
                    or image == "f32_unit"
                    and mode != "image"
                ):
                    continue
                normalize_image(out, image, mode, per_item)


def normalize_image(out, image, mode, per_item):
    x = out.inputs[image]
    batch = x if x.ndim == 4 else x[None]
    expected, low, high = (np.zeros(batch.shape, F32) for _ in range(3))
    items = [slice(i, i + 1) for i in range(len(batch))] if per_item else [slice(None)]
    channels = (
        [slice(c, c + 1) for c in range(batch.shape[3])] if "per_channel" in mode else [slice(None)]
    )
    for item in items:
        for c in channels:
            part = (item, slice(None), slice(None), c)
            rule = normalize_min_max if mode.startswith("min_max") else normalize_moments
            expected[part], low[part], high[part] = rule(batch[part])
    shape = x.shape
    name = f"{image}{'_per_item' if per_item else ''}"
    out.case(
        f"normalize_per_image/{mode}",
        name,
        [image],
        [expected.reshape(shape)],
        {"mode": mode, "per_item": per_item},
        [(low.reshape(shape), high.reshape(shape))],
    )


def clamped_quotients(x, offsets, divisors, least, most):
    """The range of exact quotients by any of these numbers, two units in the last place wider."""
    exact = [(x.astype(F64) - F64(o)) / F64(d) for o in offsets for d in divisors]
    low, high = np.minimum.reduce(exact), np.maximum.reduce(exact)
    unit = np.spacing(np.maximum(np.abs(low), np.abs(high)).astype(F32)).astype(F64)
    return tuple(
        np.clip(v, least, most) for v in f32_between(low - 2 * unit, high + 2 * unit, F32(np.nan))
    )


def normalize_moments(x):
    values = x.reshape(-1)
    if not np.all(np.isfinite(values)):
        nothing = np.full(x.shape, np.nan, F32)
        return nothing, nothing, nothing
    result = (Counted if x.dtype == np.uint8 else Joined)(values)
    exact = Exact(values)
    if np.all(values == values[0]):
        nothing = np.zeros(x.shape, F32)
        return nothing, nothing, nothing
    offset, divisor = F32(result.mean()), F32(result.std() + 1e-4)
    expected = np.clip((x.astype(F32) - offset) / divisor, F32(-20), F32(20))
    off = 1e-12 * exact.absolute / exact.n
    low, high = clamped_quotients(
        x,
        [F32(exact.mean - off), F32(exact.mean + off)],
        [F32(exact.std * f + 1e-4) for f in (1 - 1e-8, 1 + 1e-8)],
        -20,
        20,
    )
    return expected, np.minimum(low, expected), np.maximum(high, expected)


def normalize_min_max(x):
    offset, most = least_and_most(x.reshape(-1))
    if np.isnan(offset) or offset == most:
        nothing = np.full(x.shape, np.nan if np.isnan(offset) else 0, F32)
        return nothing, nothing, nothing
    halved = x.astype(F32)
    if math.isfinite(offset) and math.isfinite(most) and float(most) - float(offset) > FLT_MAX:
        halved, offset, most = halved / F32(2), F32(offset) / F32(2), F32(most) / F32(2)
    divisor = F32(most) - F32(offset)
    expected = np.clip((halved - F32(offset)) / divisor, F32(0), F32(1))
    if not math.isfinite(divisor):
        return expected, expected, expected
    low, high = clamped_quotients(halved, [offset], [divisor], 0, 1)
    ends = (halved == offset) | (halved == most)
    return expected, np.where(ends, expected, low), np.where(ends, expected, high)


# ---- counting


def make_counting(out):
    for image in ("u8", "u8_batch"):
        x = out.inputs[image]
        counts = lambda values, keep=slice(None): np.bincount(
            values.reshape(-1)[keep], minlength=256
        )
        columns = [counts(x[..., c]) for c in range(x.shape[-1])]
        out.case(
            "histogram/together", image, [image], [counts(x).astype(np.uint64).reshape(1, 256, 1)]
        )
        by_channel = np.stack(columns, axis=-1).astype(np.uint64)[None]
        out.case("histogram/per_channel", image, [image], [by_channel])
    x, mask = out.inputs["u8"], out.inputs["mask"]
    kept = x[mask[..., 0] != 0]
    columns = [np.bincount(kept[:, c], minlength=256) for c in range(3)]
    masked = [
        np.bincount(kept.reshape(-1), minlength=256).reshape(1, 256, 1),
        np.stack(columns, axis=-1)[None],
    ]
    for form, result in zip(("together_masked", "per_channel_masked"), masked):
        out.case(f"histogram/{form}", "u8", ["u8", "mask"], [result.astype(np.uint64)])
    for labels in ("labels_uint16", "labels_int32", "labels_int64", "mask"):
        count_labels(out, labels, 0, None)
        count_labels(out, labels, 64, 2)
        count_labels(out, labels, 0, int(out.inputs[labels].max()))


def count_labels(out, name, min_length, ignored):
    labels = out.inputs[name].reshape(-1).astype(np.int64)
    keep = np.ones(labels.size, bool) if ignored is None else labels != ignored
    params = {"min_length": min_length} | ({} if ignored is None else {"ignore_label": ignored})
    suffix = f"{name}_{min_length}" + ("" if ignored is None else f"_without_{ignored}")
    counts = np.bincount(labels[keep], minlength=min_length)
    out.case(
        "bincount/counts", suffix, [name], [counts.astype(np.uint64).reshape(1, -1, 1)], params
    )
    for weights in ("weights_f32", "weights_f64"):
        w = out.inputs[weights].reshape(-1).astype(F64)
        if name == "mask" or min_length and weights == "weights_f64":
            continue
        sums = np.bincount(
            labels[keep], weights=w[keep], minlength=min_length
        )  # adds in this order
        low, high = sums.copy(), sums.copy()
        for label in range(sums.size):
            own = w[keep][labels[keep] == label]
            exact, slack = math.fsum(own), 1e-12 * math.fsum(np.abs(own))
            low[label], high[label] = min(exact - slack, sums[label]), max(
                exact + slack, sums[label]
            )
        shape = (1, -1, 1)
        out.case(
            "bincount/weights",
            f"{suffix}_{weights}",
            [name, weights],
            [sums.reshape(shape)],
            params,
            [(low.reshape(shape), high.reshape(shape))],
        )


def main():
    if len(sys.argv) > 2 or sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__)
        return 0 if len(sys.argv) == 2 else 2
    default = Path(__file__).resolve().parent.parent / "tests" / "golden"
    folder = Path(sys.argv[1]) if len(sys.argv) == 2 else default
    if folder.exists():
        shutil.rmtree(folder)
    out = Writer(folder)
    with np.errstate(all="ignore"):
        make_inputs(out)
        for make in (
            make_affine,
            make_arrays,
            make_weighted,
            make_normalize,
            make_functions,
            make_conversions,
            make_clip,
            make_lut,
            make_moves,
            make_matrices,
            make_reductions,
            make_per_image,
            make_counting,
        ):
            make(out)
    out.finish()
    print(f"{folder}: {len(out.cases)} cases")
    return 0


if __name__ == "__main__":
    sys.exit(main())
