"""What is said of numbers and tensors that assert_close() finds to be different."""


def heading(what, tolerances):
    return f"{what} are not {'close' if any(tolerances) else 'equal'}!\n\n"


def line(kind, difference, tolerances, allowed, index=None):
    """`Greatest absolute difference: 1.0 at index (0,) (up to 1e-05 allowed)`"""
    text = f"{kind} difference: {difference}"
    if index is not None:
        text += f" at index {index}"
    return text + (f" (up to {allowed} allowed)" if any(tolerances) else "")


def scalars_message(actual, expected, tolerances):
    difference = abs(actual - expected)
    relative = difference / abs(expected) if expected != 0 else float("inf")
    return (
        f"{heading('Scalars', tolerances)}Expected {expected} but got {actual}.\n"
        f"{line('Absolute', difference, tolerances, tolerances[1])}\n"
        f"{line('Relative', relative, tolerances, tolerances[0])}"
    )
