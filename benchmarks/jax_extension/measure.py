"""What calls of emitted operators cost beside the same formulas in jax.numpy.

Run where JAX and the package of examples/torch_library are: `python measure.py`. Contenders take turns;
the best time of each counts. One thread.
"""

import os
import timeit

os.environ.setdefault(
    "XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
)

import jax
import jax.numpy as jnp
import my_ops_jax as my_ops


def formula(x):
    return 0.5 * (x + jnp.sqrt(x * x + 4))


def mean_of_three(x):
    return (x[:-2] + x[1:-1] + x[2:]) / 3


def gradient(function):
    return jax.jit(jax.grad(lambda x: function(x).sum()))


ROWS = {
    "squareplus": (my_ops.squareplus, jax.jit(my_ops.squareplus), jax.jit(formula)),
    "its gradient": (gradient(my_ops.squareplus), gradient(formula)),
    "among others": (
        jax.jit(lambda x: 2 * my_ops.squareplus(x) + 1),
        jax.jit(lambda x: 2 * formula(x) + 1),
    ),
    "moving_mean": (jax.jit(lambda x: my_ops.moving_mean(x, 3)), jax.jit(mean_of_three)),
}


def best(functions, x, rounds, calls):
    """The best seconds of one call, for each."""
    times = [float("inf")] * len(functions)
    for _ in range(rounds):
        for i, function in enumerate(functions):
            function(x).block_until_ready()
            seconds = timeit.timeit(lambda f=function: f(x).block_until_ready(), number=calls)
            times[i] = min(times[i], seconds / calls)
    return times


for name, functions in ROWS.items():
    calls = best(functions, jnp.ones(8), 15, 500)
    passes = best(functions, jnp.ones(30_000_000), 6, 1)
    print(
        f"{name:14}",
        *(f"{t * 1e6:8.1f} us" for t in calls),
        *(f"{t * 1e3:8.0f} ms" for t in passes),
    )
