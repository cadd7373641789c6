"""Calls that are right (tests/reference/cases), with one tensor of another rank or size, or empty: whatever
they are told, it is not what Python says when a line of ours cannot go on."""

import warnings

import opweave as ow
import pytest
import worker
from reference import runner, samples, table

# Tables of what several operators are called for: functions and layers that are written in Python.
TABLES = (
    *("nn", "modules", "layers", "layers_of_volumes", "composites", "composites_more", "corners"),
    *("recurrent", "transformers", "nn_utils", "names_nn", "names_top"),
)


def changes(t):
    """What a tensor may have been instead."""
    yield "a number", t.reshape(-1)[0] if t.numel() else t.new_zeros(())
    yield "a dimension more", t.unsqueeze(0)
    if t.dim():
        yield "a dimension less", t[0] if t.size(0) else t.new_zeros(t.shape[1:])
    for d in range(t.dim()):
        yield f"nothing along {d}", t.narrow(d, 0, 0)
        yield f"one more along {d}", ow.cat([t, t.narrow(d, 0, 1)], d) if t.size(d) else t


def cases():
    for name in TABLES:
        for case in table.load(name).values():
            if case.inputs and not case.raises:
                yield pytest.param(case, id=f"{name}: {case.id}")


def told(case, inputs):
    """What Python says of a call, if it does."""
    try:
        runner.execute(case.code, {**runner._namespace(ow, case.dtypes[0]), **inputs})
    except Exception as error:  # noqa: BLE001: any that is ours is an answer
        return worker.pythons_own(error)
    finally:
        runner.restore(ow)
    return None


@pytest.mark.parametrize("case", cases())
def test_wrong_ranks_and_sizes_are_told_in_words_of_ours(case):
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, sample in case.inputs.items():
            right = samples.build(ow, sample, name, case.dtypes[0])
            for change, wrong in changes(right.detach()):
                inputs = {
                    n: samples.build(ow, s, n, case.dtypes[0]) for n, s in case.inputs.items()
                }
                if text := told(case, {**inputs, name: wrong}):
                    found.append(f"{name} with {change}, {list(wrong.shape)}: {text}")
    assert not found, "\n".join([case.code, *found])


def test_words_of_python_are_found():
    def divides(x):
        return 1 // x.size(0)

    divides.__code__ = divides.__code__.replace(co_filename=worker.os.sep + "opweave/x.py")
    with pytest.raises(ZeroDivisionError) as raised:
        divides(ow.ones(0))
    assert "division" in worker.pythons_own(raised.value)
    with pytest.raises(RuntimeError) as raised:
        ow.nn.functional.interpolate(ow.ones(1, 1, 2), size=0)
    assert worker.pythons_own(raised.value) is None
