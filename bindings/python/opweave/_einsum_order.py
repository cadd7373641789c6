"""einsum() of more than two tensors in the order that the package opt_einsum finds (backends.opt_einsum)."""

from opweave import _C
from opweave.backends import opt_einsum


def is_searched():
    """Whether an order is looked for."""
    return opt_einsum.enabled and opt_einsum.is_available()


def einsum(equation, operands):
    """The sum of products, two tensors at a time."""
    package = opt_einsum.get_opt_einsum()
    shapes = [tuple(t.shape) for t in operands]
    # Refuses an equation in the words of einsum() before the package does in its own.
    inputs, result = _parts(equation, operands)
    path, _ = package.contract_path(equation, *shapes, shapes=True, optimize=opt_einsum.strategy)
    terms = list(zip(inputs, operands))
    for places in path[:-1]:
        chosen = [terms.pop(i) for i in sorted(places, reverse=True)][::-1]
        needed = {*result, *(letter for letters, _ in terms for letter in letters)}
        kept = [
            n for n in dict.fromkeys(n for letters, _ in chosen for n in letters) if n in needed
        ]
        terms.append((kept, _product(chosen, kept)))
    chosen = [terms[i] for i in sorted(path[-1])]
    return _product(chosen, result)


def _product(terms, result):
    inputs = ",".join("".join(letters) for letters, _ in terms)
    return _C.einsum(f"{inputs}->{''.join(result)}", [tensor for _, tensor in terms])


def _subscripts(text):
    """The letters of one tensor; "..." is one of them."""
    head, dots, tail = text.partition("...")
    return [*head, *([dots] if dots else []), *tail]


def _parts(equation, operands):
    """The letters of each tensor, and those of the result, which without "->" are those that stand once."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    inputs = [_subscripts(part) for part in left.split(",")]
    if arrow:
        return inputs, _subscripts(right)
    letters = [n for part in inputs for n in part if n != "..."]
    dots = ["..."] if any("..." in part for part in inputs) else []
    return inputs, [*dots, *sorted(n for n in set(letters) if letters.count(n) == 1)]
