"""Albucore as a user writes it. Its functions return new arrays; it has no output argument.

The form is numpy_peer's: EXPRESSIONS maps a variant to (text, bind) pairs.
"""

import importlib.metadata

import albucore
import cv2
import numpy as np

from expressions import registrar

cv2.setNumThreads(1)

VERSION = importlib.metadata.version("albucore")
EXPRESSIONS = {}
expression = registrar(EXPRESSIONS)


def contiguous(call):
    """Its functions are for whole C-contiguous images; others it would copy."""
    return all(array.flags.c_contiguous for array in call.ins)


def value(values):
    return float(values[0]) if len(values) == 1 else np.array(values, np.float32)


def with_numbers(name, *variants):
    function = getattr(albucore, name)

    @expression(f"albucore.{name}(x, …)", *variants)
    def bind(call):
        if not contiguous(call):
            return None
        x = call.ins[0]
        numbers = call.numbers
        return lambda: function(x, *[value(given) for given in numbers])
    return bind


for _op in ("add", "multiply", "multiply_add", "power"):
    with_numbers(_op, f"{_op}/scalar", f"{_op}/vector")


def with_arrays(name, variant, dtypes):
    """Of these images; for others it takes the array for a value per channel, and fails."""
    function = getattr(albucore, name)

    @expression(f"albucore.{name}(x, array…)", variant)
    def bind(call):
        usable = contiguous(call) and call.ins[0].dtype in dtypes
        return (lambda: function(*call.ins)) if usable else None
    return bind


for _op in ("add", "multiply"):
    with_arrays(_op, f"{_op}/array", (np.uint8, np.float32))
for _op in ("multiply_add", "power"):
    with_arrays(_op, f"{_op}/array", (np.float32,))


@expression("albucore.add_weighted(a, wa, b, wb)", "add_weighted")
def _add_weighted(call):
    if not contiguous(call):
        return None
    a, b = call.ins
    (first,), (second,) = call.numbers
    return lambda: albucore.add_weighted(a, first, b, second)


@expression("albucore.normalize(x, mean, denominator)", "normalize/scalar", "normalize/vector")
def _normalize(call):
    if not contiguous(call) or call.ins[0].dtype == np.uint16:
        return None
    x = call.ins[0]
    mean, scale = (value(given) for given in call.numbers)
    return lambda: albucore.normalize(x, mean, scale)


@expression("albucore.normalize_per_image(x, mode)",
            *(f"normalize_per_image/{mode}" for mode in ("image", "image_per_channel", "min_max",
                                                         "min_max_per_channel")))
def _normalize_per_image(call):
    if not contiguous(call):
        return None
    x, mode = call.ins[0], call.variant.split("/")[1]
    return lambda: albucore.normalize_per_image(x, mode)


for _op in ("exp", "log", "sqrt"):
    if hasattr(albucore, _op):
        expression(f"albucore.{_op}(x)", _op)(
            lambda call, function=getattr(albucore, _op):
            (lambda: function(call.ins[0])) if contiguous(call) else None)


# Of an image that has the type already, its conversions return the image itself: no copy, and no
# call to compare with.


@expression("albucore.to_float(x, max_value)", "to_float")
def _to_float(call):
    if not contiguous(call) or call.ins[0].dtype == np.float32:
        return None
    x, most = call.ins[0], float(call.numbers[0][0])
    return lambda: albucore.to_float(x, most)


@expression("albucore.from_float(x, dtype, max_value)", "from_float")
def _from_float(call):
    if not contiguous(call) or call.outs[0].dtype != np.uint8:
        return None
    x, dtype, most = call.ins[0], call.outs[0].dtype, float(call.numbers[0][0])
    return lambda: albucore.from_float(x, dtype, most)


@expression("albucore.sz_lut(x, table, inplace=False)", "lut/shared")
def _lut(call):
    if not contiguous(call) or call.outs[0].dtype != np.uint8:
        return None
    x, table = call.ins[0], np.ascontiguousarray(call.ins[1].reshape(-1))
    return lambda: albucore.sz_lut(x, table, inplace=False)


def axis(call):
    """What its statistics take: "global", "per_channel", or axes of the array."""
    form = call.variant.split("/")[1]
    if form in ("global", "per_channel"):
        return form
    dropped = 4 - call.ins[0].ndim
    return tuple(int(a) - dropped for a in call.numbers[0] if a >= dropped)


for _op in ("reduce_sum", "mean"):
    expression(f"albucore.{_op}(x, axis)",
               *(f"{_op}/{form}" for form in ("global", "per_channel", "per_item", "axes")))(
        lambda call, function=getattr(albucore, _op):
        (lambda: function(call.ins[0], axis(call))) if contiguous(call) else None)

for _op in ("std", "mean_std"):
    expression(f"albucore.{_op}(x, axis, eps=eps)",
               *(f"{_op}/{form}" for form in ("global", "per_channel", "per_item", "axes")))(
        lambda call, function=getattr(albucore, _op):
        (lambda: function(call.ins[0], axis(call), eps=call.numbers[1][0]))
        if contiguous(call) else None)


@expression("albucore.matmul(a, b)", "matmul")
def _matmul(call):
    a, b = (array[..., 0] for array in call.ins)
    return None if a.dtype == np.uint8 else lambda: albucore.matmul(a, b)


@expression("albucore.pairwise_distances_squared(a, b)", "pairwise_distances_squared")
def _pairwise(call):
    a, b = (array[..., 0] for array in call.ins)
    return None if a.ndim != 2 else lambda: albucore.pairwise_distances_squared(a, b)


for _op in ("hflip", "vflip"):
    expression(f"albucore.{_op}(x)", _op)(
        lambda call, function=getattr(albucore, _op):
        (lambda: function(call.ins[0]))
        if contiguous(call) and call.ins[0].dtype != np.uint16 else None)
