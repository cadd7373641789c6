"""Linear maps with a transpose of their own: what tangents go through, and gradients go back through.

JAX turns forward mode around by itself where a tangent is made of its own operators. Where kernels or
formulas of gradients are part of it, both directions are given: a map and its transpose.
"""

import jax
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

linear_p = Primitive("opweave_linear")
linear_p.multiple_results = True


def linear(forward, backward, residuals, values, results):
    """`forward(residuals, values)`, whose transpose is `backward(residuals, cotangents of the results)`.

    Args:
        forward, backward: functions of two lists of arrays that give a list, linear in the second.
        residuals: arrays that both read.
        values: arrays in which it is linear.
        results: what `forward` gives, as arrays or `jax.ShapeDtypeStruct`.
    """
    avals = tuple(jax.core.ShapedArray(result.shape, result.dtype) for result in results)
    return linear_p.bind(
        *residuals,
        *values,
        forward=forward,
        backward=backward,
        kept=len(residuals),
        results=avals,
    )


@linear_p.def_impl
def _run(*arguments, forward, backward, kept, results):
    return list(forward(list(arguments[:kept]), list(arguments[kept:])))


@linear_p.def_abstract_eval
def _results(*arguments, forward, backward, kept, results):
    return results


def _added(a, b):
    if isinstance(a, ad.Zero):
        return b
    return a if isinstance(b, ad.Zero) else a + b


def _jvp(primals, tangents, *, forward, backward, kept, results):
    words = {"forward": forward, "backward": backward, "kept": kept, "results": results}
    residuals, values = list(primals[:kept]), list(primals[kept:])
    found = linear_p.bind(*primals, **words)
    moved = [ad.Zero(aval.to_tangent_aval()) for aval in results]
    if any(not isinstance(t, ad.Zero) for t in tangents[kept:]):
        given = [ad.instantiate_zeros(t) for t in tangents[kept:]]
        moved = linear_p.bind(*residuals, *given, **words)
    places = [i for i, t in enumerate(tangents[:kept]) if not isinstance(t, ad.Zero)]
    if places:

        def of_residuals(*some):
            all_ = list(residuals)
            for i, value in zip(places, some, strict=True):
                all_[i] = value
            return list(forward(all_, values))

        _, more = jax.jvp(
            of_residuals, [residuals[i] for i in places], [tangents[i] for i in places]
        )
        moved = [_added(a, b) for a, b in zip(moved, more, strict=True)]
    return found, moved


def _transpose(cotangents, *arguments, forward, backward, kept, results):
    residuals, values = list(arguments[:kept]), arguments[kept:]
    unknown = [i for i, value in enumerate(values) if ad.is_undefined_primal(value)]
    # Of values that are known the map is no part of what is turned around: they are zero, or added elsewhere.
    back = linear_p.bind(
        *residuals,
        *(ad.instantiate_zeros(ct) for ct in cotangents),
        forward=backward,
        backward=forward,
        kept=kept,
        results=tuple(_aval(value) for value in values),
    )
    return [None] * kept + [back[i] if i in unknown else None for i in range(len(values))]


def _aval(value):
    if ad.is_undefined_primal(value):
        return value.aval
    return jax.core.ShapedArray(value.shape, value.dtype)


def _in_front(value, dim, size):
    """With the examples in front, also where all have the same."""
    if dim is None:
        return jax.numpy.broadcast_to(value, (size, *value.shape))
    return jax.numpy.moveaxis(value, dim, 0)


def _batch(arguments, dims, *, forward, backward, kept, results):
    size = next(a.shape[d] for a, d in zip(arguments, dims, strict=True) if d is not None)
    axes = list(dims[:kept])
    values = [_in_front(a, d, size) for a, d in zip(arguments[kept:], dims[kept:], strict=True)]

    def of_batch(function):
        def batched(residuals, given):
            return jax.vmap(function, in_axes=(axes, 0), axis_size=size)(residuals, given)

        return batched

    found = linear_p.bind(
        *arguments[:kept],
        *values,
        forward=of_batch(forward),
        backward=of_batch(backward),
        kept=kept,
        results=tuple(jax.core.ShapedArray((size, *r.shape), r.dtype) for r in results),
    )
    return found, [0] * len(found)


ad.primitive_jvps[linear_p] = _jvp
ad.primitive_transposes[linear_p] = _transpose
batching.primitive_batchers[linear_p] = _batch
mlir.register_lowering(linear_p, mlir.lower_fun(_run, multiple_results=True))
