"""Examples that leave their vmap otherwise than as results: in lists, in gradients of what is outside."""

import copy
import pickle

import opweave as ow
import pytest
from opweave.func import grad, vmap

X = ow.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
LEFT = (
    r"^vmap: {} got an example of a vmap that has ended\. What a function under vmap returns stands for all "
    r"examples afterwards; what it keeps elsewhere, such as in a list or a global variable, does not\.$"
)


def _left():
    kept = []
    vmap(lambda x: (kept.append(x * 2), x)[1])(X)
    return kept[0]


def test_an_example_is_of_no_use_outside_of_its_vmap():
    example = _left()
    with pytest.raises(RuntimeError, match=LEFT.format(r"add\.Tensor")):
        _ = example + 1
    with pytest.raises(RuntimeError, match=r"got an example of a vmap that has ended"):
        grad(lambda x: (x * example).sum())(X[0])
    assert repr(example).startswith("BatchedTensor(level=1")


def test_what_is_returned_is():
    assert (vmap(lambda x: x * 2)(X) + 1).tolist() == (X * 2 + 1).tolist()


def test_gradients_of_examples_in_tensors_from_outside():
    w = ow.ones(3, requires_grad=True)
    y = w * 2
    vmap(lambda seed: (y.backward(seed, retain_graph=True), seed)[1])(X)
    words = (
        r"^vmap: the gradient of this tensor is one for each example of a vmap that has ended: backward\(\) "
        r"in a function under vmap was given gradients that differ between them\. Use autograd\.grad\(\) "
        r"and return what it gives\.$"
    )
    with pytest.raises(RuntimeError, match=words):
        _ = w.grad
    w.grad = None
    assert w.grad is None
    found = vmap(lambda seed: ow.autograd.grad(y, w, seed, retain_graph=True)[0])(X)
    assert found.tolist() == (2 * X).tolist()


def test_gradients_of_examples_in_tensors_of_the_function():
    def gradient(seed):
        w = ow.ones(3, requires_grad=True)
        (w * 2).backward(seed)
        return w.grad

    assert vmap(gradient)(X).tolist() == (2 * X).tolist()


def test_examples_have_no_storage_to_be_written_into_files(tmp_path):
    words = r"^vmap: untyped_storage\(\) works on memory, and a batched tensor of shape \[3\] has no memory"
    with pytest.raises(RuntimeError, match=words):
        vmap(lambda x: (ow.save(x, tmp_path / "x.pt"), x)[1])(X)
    with pytest.raises(RuntimeError, match=words):
        vmap(lambda x: (pickle.dumps(x), x)[1])(X)


def test_copies_of_examples():
    copied = vmap(lambda x: copy.deepcopy([x, {"x": x}])[1]["x"].mul_(2))(X)
    assert copied.tolist() == (2 * X).tolist()


def test_writes_to_what_is_saved_of_examples():
    def value(x):
        with ow.autograd.graph.allow_mutation_on_saved_tensors():
            y = x * 1
            z = (y * y).sum()
            y.mul_(0)
            return ow.autograd.grad(z, x)[0]

    assert vmap(lambda x: value(x.detach().requires_grad_()))(X).tolist() == (2 * X).tolist()
