"""Full backward hooks of modules: what they see and may change is as in PyTorch."""

import pytest


class _Watched:
    """A module of a function, with hooks that note what they get and return what `replace` says."""

    def __init__(self, ow, function, *, hook=None, pre_hook=None):
        self.seen, self.came = [], []
        self.module = type(
            "Watched", (ow.nn.Module,), {"forward": lambda _, *args: function(*args)}
        )()
        if hook:
            self.module.register_full_backward_hook(
                lambda module, gi, go: (self.seen.append((gi, go)), hook(gi))[1]
            )
        if pre_hook:
            self.module.register_full_backward_pre_hook(
                lambda module, go: (self.came.append(go), pre_hook(go))[1]
            )

    def __call__(self, *args):
        return self.module(*args)


def _nothing(grads):
    return None


def _lists(grads):
    return [None if g is None else g.tolist() for g in grads]


def test_inputs_without_gradient_have_zeros(ow):
    watched = _Watched(ow, lambda a, i, b, n: a * 2 + b, hook=_nothing)
    x = ow.ones(2, requires_grad=True)
    watched(x, ow.tensor([1, 2]), ow.ones(2), 3).sum().backward()
    ((grad_input, grad_output),) = watched.seen
    assert _lists(grad_input) == [[2.0, 2.0], [0, 0], [0.0, 0.0], None]
    assert [g.dtype for g in grad_input[:3]] == [ow.float32, ow.int64, ow.float32]
    assert _lists(grad_output) == [[1.0, 1.0]]
    assert x.grad.tolist() == [2.0, 2.0]


def test_outputs_that_nobody_used_have_none(ow):
    watched = _Watched(
        ow,
        lambda a: (a * 2, ow.tensor([1, 2]), a.detach(), 5, a * 3),
        hook=_nothing,
        pre_hook=lambda grads: (grads[0] * 2, *grads[1:]),
    )
    x = ow.ones(2, requires_grad=True)
    watched(x)[0].sum().backward()
    assert [_lists(g) for g in watched.came] == [[[1.0, 1.0], None, None, None, None]]
    assert [_lists(g) for g in watched.seen[0]] == [
        [[4.0, 4.0]],
        [[2.0, 2.0], None, None, None, None],
    ]
    assert x.grad.tolist() == [4.0, 4.0]


def test_a_hook_replaces_gradients_of_inputs_that_have_one(ow):
    watched = _Watched(
        ow,
        lambda a, i, b: a * 2 + b,
        hook=lambda grads: (grads[0] * 5, None, grads[2] + 7),
    )
    x = ow.ones(2, requires_grad=True)
    watched(x, ow.tensor([1, 2]), ow.ones(2)).sum().backward()
    assert x.grad.tolist() == [10.0, 10.0]


CHANGES = {
    "type": (lambda g: (g[0].double(),), r"^hook 'hook' has changed the type of value"),
    "size": (lambda g: (g[0][:1],), r"^hook 'hook' has changed the size of value \(was \[2\], got"),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("which", ["hook", "pre_hook"])
def test_a_hook_keeps_what_kind_of_tensor_a_gradient_is(ow, which, change):
    replace, text = CHANGES[change]
    watched = _Watched(ow, lambda a: a * 2, **{which: replace})
    with pytest.raises(RuntimeError, match=text):
        watched(ow.ones(2, requires_grad=True)).sum().backward()


def test_the_number_of_gradients_is_checked(ow):
    def run(**hooks):
        watched = _Watched(ow, lambda a, b: a * b, **hooks)
        watched(ow.ones(2, requires_grad=True), ow.ones(2)).sum().backward()

    with pytest.raises(
        RuntimeError,
        match=r"^Backward hook returned an invalid number of grad_input, got 1, but expected 2$",
    ):
        run(hook=lambda grads: grads[:1])
    with pytest.raises(
        RuntimeError,
        match=r"^Backward pre hook returned an invalid number of grad_output, got 2, but expected 1$",
    ):
        run(pre_hook=lambda grads: grads * 2)


def test_without_inputs_that_require_gradients_a_hook_only_looks(ow):
    layer = ow.nn.Linear(2, 2)
    layer.register_full_backward_hook(lambda module, gi, go: (ow.ones(1, 2),))
    with (
        pytest.warns(UserWarning, match="since no inputs require gradients"),
        pytest.raises(RuntimeError, match="should always return None or None for all gradients"),
    ):
        layer(ow.ones(1, 2)).sum().backward()


def test_a_module_that_returns_no_tensors_has_no_gradient_to_show(ow):
    watched = _Watched(ow, lambda a: {"a": a * 2}, hook=_nothing)
    x = ow.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match="should be a Tensor or a tuple of Tensors but received"):
        result = watched(x)
    result["a"].sum().backward()
    assert watched.seen == []
    assert x.grad.tolist() == [2.0, 2.0]


def test_a_text_has_no_node_for_the_old_kind_of_hooks(ow):
    watched = _Watched(ow, lambda a: "x")
    watched.module.register_backward_hook(lambda module, gi, go: None)
    if ow.__name__ == "torch":
        pytest.skip("PyTorch looks for a tensor in the elements of a text for ever")
    text = r"^register_backward_hook: the result of a module has to be or to begin with a tensor, got 'x'$"
    with pytest.raises(TypeError, match=text):
        watched(ow.ones(2, requires_grad=True))
