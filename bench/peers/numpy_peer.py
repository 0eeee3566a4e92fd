"""NumPy as a user writes it: ufuncs into reused buffers, u8 images through f32.

EXPRESSIONS maps a variant to (text, bind) pairs; bind(call) returns a function, or None where the
expression does not compute the problem. The function writes to the outputs, or returns the results.
"""

import numpy as np

from expressions import registrar

VERSION = np.__version__
EXPRESSIONS = {}
expression = registrar(EXPRESSIONS)
F32 = np.float32
NORM_EPS = 1e-4


def number(values):
    """A scalar of f32, or one f32 per channel."""
    return F32(values[0]) if len(values) == 1 else np.array(values, F32)


def in_f32(call, compute):
    """compute(x, out) in f32; for u8 results through a reused f32 array, clipped and truncated."""
    x, y = call.ins[0], call.outs[0]
    if y.dtype == np.uint8:
        work = np.empty(x.shape, F32)

        def through_work():
            compute(x, work)
            np.clip(work, 0, 255, out=work)
            np.copyto(y, work, casting="unsafe")
        return through_work
    return lambda: compute(x, y)


@expression("np.add(x, v, out=y)", "add/scalar", "add/vector")
def _add(call):
    return in_f32(call, lambda x, y: np.add(x, number(call.numbers[0]), out=y))


@expression("np.multiply(x, f, out=y)", "multiply/scalar", "multiply/vector")
def _multiply(call):
    return in_f32(call, lambda x, y: np.multiply(x, number(call.numbers[0]), out=y))


@expression("np.multiply(x, f, out=y); y += v", "multiply_add/scalar", "multiply_add/vector")
def _multiply_add(call):
    def compute(x, y):
        np.multiply(x, number(call.numbers[0]), out=y)
        np.add(y, number(call.numbers[1]), out=y)
    return in_f32(call, compute)


@expression("np.power(x, e, out=y)", "power/scalar", "power/vector")
def _power(call):
    return in_f32(call, lambda x, y: np.power(x, number(call.numbers[0]), out=y))


@expression("np.add(x, v, out=y, dtype=np.float32)", "add/array")
def _add_array(call):
    return in_f32(call, lambda x, y: np.add(x, call.ins[1], out=y, dtype=F32))


@expression("np.multiply(x, f, out=y, dtype=np.float32)", "multiply/array")
def _multiply_array(call):
    return in_f32(call, lambda x, y: np.multiply(x, call.ins[1], out=y, dtype=F32))


@expression("np.power(x, e, out=y, dtype=np.float32)", "power/array")
def _power_array(call):
    return in_f32(call, lambda x, y: np.power(x, call.ins[1], out=y, dtype=F32))


@expression("np.multiply(x, f, out=y); y += v", "multiply_add/array")
def _multiply_add_array(call):
    def compute(x, y):
        np.multiply(x, call.ins[1], out=y, dtype=F32)
        np.add(y, call.ins[2], out=y)
    return in_f32(call, compute)


@expression("np.multiply(a, wa, out=y); np.multiply(b, wb, out=t); y += t", "add_weighted")
def _add_weighted(call):
    first, second = F32(call.numbers[0][0]), F32(call.numbers[1][0])
    work = np.empty(call.ins[0].shape, F32)

    def compute(x, y):
        np.multiply(x, first, out=y)
        np.multiply(call.ins[1], second, out=work)
        np.add(y, work, out=y)
        if call.outs[0].dtype == np.uint8:
            np.rint(y, out=y)
    return in_f32(call, compute)


for _name in ("exp", "log", "sqrt"):
    expression(f"np.{_name}(x, out=y)", _name)(
        lambda call, function=getattr(np, _name): lambda: function(call.ins[0], out=call.outs[0]))


@expression("np.subtract(x, m, out=y); y *= s", "normalize/scalar", "normalize/vector")
def _normalize(call):
    x, y = call.ins[0], call.outs[0]

    def compute():
        np.subtract(x, number(call.numbers[0]), out=y)
        np.multiply(y, number(call.numbers[1]), out=y)
    return compute


@expression("np.clip(x, low, high, out=y)", "clip/scalar", "clip/vector")
def _clip(call):
    x, y = call.ins[0], call.outs[0]
    if x.dtype != y.dtype:
        return in_f32(call, lambda x, t: np.clip(x, number(call.numbers[0]),
                                                 number(call.numbers[1]), out=t))

    def bounds(values):
        typed = np.array(np.clip(np.rint(values), 0, 255) if x.dtype == np.uint8 else values)
        return typed.astype(x.dtype)[0 if len(values) == 1 else slice(None)]
    return lambda: np.clip(x, bounds(call.numbers[0]), bounds(call.numbers[1]), out=y)


@expression("np.divide(x, max_value, out=y)", "to_float")
def _to_float(call):
    x, y = call.ins[0], call.outs[0]
    if x.dtype == F32:
        return lambda: np.copyto(y, x)
    return lambda: np.divide(x, F32(call.numbers[0][0]), out=y)


@expression("np.multiply(x, max_value, out=t); np.rint; np.clip; np.copyto", "from_float")
def _from_float(call):
    x, y = call.ins[0], call.outs[0]
    if y.dtype == F32:
        return lambda: np.copyto(y, x)
    work = np.empty(x.shape, F32)

    def compute():
        np.multiply(x, F32(call.numbers[0][0]), out=work)
        np.rint(work, out=work)
        np.clip(work, 0, np.iinfo(y.dtype).max, out=work)
        np.copyto(y, work, casting="unsafe")
    return compute


@expression("np.take(table, x, out=y)", "lut/shared")
def _lut(call):
    x, y = call.ins[0], call.outs[0]
    table = call.ins[1].reshape(-1)
    return lambda: np.take(table, x, out=y, mode="clip")


@expression("np.take of each channel", "lut/per_channel")
def _lut_channels(call):
    x, y = call.ins[0], call.outs[0]
    tables = call.ins[1].reshape(256, -1)

    def compute():
        for c in range(x.shape[-1]):
            y[..., c] = tables[:, c][x[..., c]]
    return compute


# Statistics: axes of X, H, W, C, and eps.

def axes(call):
    dropped = 4 - call.ins[0].ndim
    return tuple(a - dropped for a in call.numbers[0] if a >= dropped)


FORMS = ("global", "per_channel", "per_item", "axes")


def forms(op):
    return [f"{op}/{form}" for form in FORMS]


@expression("x.sum(axes, dtype)", *forms("reduce_sum"))
def _sum(call):
    x, where = call.ins[0], tuple(map(int, axes(call)))
    dtype = np.uint64 if x.dtype == np.uint8 else np.float64
    return lambda: x.sum(where, dtype)


@expression("x.mean(axes, np.float64)", *forms("mean"))
def _mean(call):
    x, where = call.ins[0], tuple(map(int, axes(call)))
    return lambda: x.mean(where, np.float64)


@expression("x.std(axes, np.float64) + eps", *forms("std"))
def _std(call):
    x, where, eps = call.ins[0], tuple(map(int, axes(call))), call.numbers[1][0]
    return lambda: x.std(where, np.float64) + eps


@expression("x.mean(axes, np.float64), x.std(axes, np.float64) + eps", *forms("mean_std"))
def _mean_std(call):
    x, where, eps = call.ins[0], tuple(map(int, axes(call))), call.numbers[1][0]
    return lambda: (x.mean(where, np.float64), x.std(where, np.float64) + eps)


@expression("x.min(axes), x.max(axes)", *forms("min_max"))
def _min_max(call):
    x, where = call.ins[0], tuple(map(int, axes(call)))
    return lambda: (x.min(where), x.max(where))


def moments_axes(call):
    return tuple(range(call.ins[0].ndim - 1)) if call.variant.endswith("per_channel") else None


@expression("np.subtract(x, x.mean(axes), out=y); y /= x.std(axes) + eps",
            "normalize_per_image/image", "normalize_per_image/image_per_channel")
def _normalize_image(call):
    x, y, where = call.ins[0], call.outs[0], moments_axes(call)

    def compute():
        mean = x.mean(where, np.float64).astype(F32)
        deviation = (x.std(where, np.float64) + NORM_EPS).astype(F32)
        np.subtract(x, mean, out=y)
        np.divide(y, deviation, out=y)
    return compute


@expression("np.subtract(x, x.min(axes), out=y); y /= x.max(axes) - x.min(axes)",
            "normalize_per_image/min_max", "normalize_per_image/min_max_per_channel")
def _normalize_range(call):
    x, y, where = call.ins[0], call.outs[0], moments_axes(call)

    def compute():
        low, high = x.min(where).astype(F32), x.max(where).astype(F32)
        np.subtract(x, low, out=y)
        np.divide(y, high - low, out=y)
    return compute


@expression("np.bincount(x.ravel(), minlength=256)", "histogram/together",
            "histogram/together_masked")
def _histogram(call):
    x = call.ins[0]
    if len(call.ins) > 1:
        mask = call.ins[1][..., 0]
        return lambda: np.bincount(x[mask != 0].ravel(), minlength=256)
    return lambda: np.bincount(x.ravel(), minlength=256)


@expression("np.bincount of each channel", "histogram/per_channel",
            "histogram/per_channel_masked")
def _histogram_channels(call):
    x, y = call.ins[0], call.outs[0].reshape(256, -1)
    mask = call.ins[1][..., 0] if len(call.ins) > 1 else None

    def compute():
        for c in range(x.shape[-1]):
            plane = x[..., c] if mask is None else x[..., c][mask != 0]
            y[:, c] = np.bincount(plane.ravel(), minlength=256)
    return compute


@expression("np.bincount(x.ravel(), weights, bins)", "bincount/counts", "bincount/weights")
def _bincount(call):
    x, bins = call.ins[0].ravel(), int(call.numbers[0][0])
    weights = call.ins[1].ravel() if len(call.ins) > 1 else None
    return lambda: np.bincount(x, weights, bins)


def matrix(array):
    return array[..., 0]


@expression("np.matmul(a, b, out=y); u8: in int32", "matmul")
def _matmul(call):
    a, b, y = matrix(call.ins[0]), matrix(call.ins[1]), matrix(call.outs[0])
    if a.dtype == np.uint8:
        return lambda: np.matmul(a, b, out=y, dtype=np.int32, casting="unsafe")
    return lambda: np.matmul(a, b, out=y)


@expression("d = a[:, None] - b; np.einsum('nmd,nmd->nm', d, d, out=y)",
            "pairwise_distances_squared")
def _pairwise(call):
    a, b, y = matrix(call.ins[0]), matrix(call.ins[1]), matrix(call.outs[0])
    if a.ndim != 2 or a.shape[0] * b.shape[0] * a.shape[1] > 1 << 26:
        return None

    def compute():
        difference = a[:, None] - b
        y[...] = np.einsum("nmd,nmd->nm", difference, difference)
    return compute


@expression("np.copyto(y, x[:, ::-1])", "hflip")
def _hflip(call):
    return lambda: np.copyto(call.outs[0], call.ins[0][..., ::-1, :])


@expression("np.copyto(y, x[::-1])", "vflip")
def _vflip(call):
    return lambda: np.copyto(call.outs[0], call.ins[0][..., ::-1, :, :])


@expression("np.copyto(y, x.swapaxes(-3, -2))", "transpose")
def _transpose(call):
    return lambda: np.copyto(call.outs[0], call.ins[0].swapaxes(-3, -2))


@expression("np.copyto(y, np.rot90(x, k, (-3, -2)))", "rot90")
def _rot90(call):
    turns = int(call.numbers[0][0])
    return lambda: np.copyto(call.outs[0], np.rot90(call.ins[0], turns, (-3, -2)))
