"""What the tests of a library tell its author beside values: what an entry lacks, what was not compared."""

from types import SimpleNamespace

import pytest
from operator_table import Argument
from opweave.build import pytest_library
from references import of_one_value
from test_batches import _advised

_ENTRY = SimpleNamespace(returns=["Tensor"], views=[])
_VIEW = SimpleNamespace(returns=["Tensor"], views=[(0, "self")])


def test_sizes_that_depend_on_elements():
    error = RuntimeError(
        "vmap: the results of a::f differ in shape between the examples: [5] and [6]"
    )
    told = str(_advised(_ENTRY, error))
    assert told.startswith(str(error))
    assert told.endswith(
        "'tags: [data_dependent]' says so: the entry lacks it if the sizes depend on elements"
    )


def test_a_view_without_dimensions():
    error = RuntimeError(
        "a batched tensor of shape [6, 2] has no memory of its own to make a view of"
    )
    assert "say by 'batching' how a batch is run" in str(_advised(_VIEW, error))
    assert _advised(_ENTRY, error) is error


def test_other_errors_are_as_they_are():
    error = RuntimeError("f(): expected a matrix")
    assert _advised(_VIEW, error) is error


def _of_mode(*samples):
    mode = Argument("mode", "str", keyword_only=True, default="a", sample=None)
    return SimpleNamespace(
        by_hand=True,
        functional=None,
        formula=None,
        numpy="self",
        fold=None,
        reference=None,
        arguments=[mode],
        samples=list(samples),
    )


def test_texts_that_are_compared_alone():
    assert of_one_value(_of_mode({"mode": "a"})) == {"mode": "a"}
    assert of_one_value(_of_mode({"mode": "a"}, {"mode": "b"})) == {}
    assert of_one_value(_of_mode({})) == {}, "its default is told of already"
    assert of_one_value(_of_mode({}, {"mode": "a"})) == {"mode": "a"}, "the default is a value"
    assert of_one_value(_of_mode({}, {"mode": "b"})) == {}


@pytest.mark.parametrize(
    ("threads", "by_hand", "lines"), [(1, True, 1), (2, True, 0), (1, False, 0)]
)
def test_one_thread(monkeypatch, threads, by_hand, lines):
    told = []
    monkeypatch.setattr(pytest_library._C, "get_num_threads", lambda: threads)
    reporter = SimpleNamespace(write_line=told.append)
    operators = [SimpleNamespace(by_hand=by_hand)] * 3
    pytest_library._tell_of_one_thread(reporter, operators)
    assert len(told) == lines
    assert not told or told[0].startswith("kernels ran on one thread: ")
