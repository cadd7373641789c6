"""The order of PyTorch's `randperm` on the host, of a generator with a seed.

M. Matsumoto and T. Nishimura, Mersenne Twister (ACM TOMACS 1998): Python has it, with another way from a seed
to its first state.
"""

import random

_WORDS, _WORD = 624, 2**32 - 1


def _twister(seed):
    state = [seed & _WORD]
    for i in range(1, _WORDS):
        state.append((1812433253 * (state[-1] ^ (state[-1] >> 30)) + i) & _WORD)
    twister = random.Random()
    twister.setstate((3, (*state, _WORDS), None))
    return twister


def permutation(n, seed):
    """The numbers from 0 to n - 1 in an order that depends on the lower 32 bits of `seed`."""
    bits = _twister(seed).getrandbits
    order = list(range(n))
    for i in range(n - 1):
        j = i + bits(32) % (n - i)
        order[i], order[j] = order[j], order[i]
    return order
