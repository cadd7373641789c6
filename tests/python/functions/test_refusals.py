"""Operators that only other operators call refuse arguments that do not belong together: whoever calls
them, no kernel reads or writes beside its tensors."""

import pytest

HUGE = 2**62


def refused(ow, name, *args, **kwargs):
    operator = ow.ops
    for part in name.split("."):
        operator = getattr(operator, part)
    with pytest.raises((RuntimeError, IndexError, NotImplementedError)) as error:
        operator(*args, **kwargs)
    return str(error.value)


def test_pooling_gradients_of_other_shapes(ow):
    x = ow.ones(1, 2, 4, 4)
    window = ([2, 2], [2, 2], [0, 0])
    right, wrong = ow.ones(1, 2, 2, 2), ow.ones(1, 2, 3, 3)
    assert ow.ops.avg_pool2d_backward(right, x, *window, False, True, None).shape == x.shape
    message = refused(ow, "avg_pool2d_backward", wrong, x, *window, False, True, None)
    assert "does not belong to an input of shape [1, 2, 4, 4]" in message
    refused(ow, "avg_pool2d_backward", right, ow.ones(1, 1, 4, 4), *window, False, True, None)
    refused(ow, "avg_pool2d_backward", right, x, [0, 0], [2, 2], [0, 0], False, True, None)
    refused(ow, "avg_pool2d_backward", right, x, [2, 2, 2], [2, 2], [0, 0], False, True, None)
    refused(ow, "_adaptive_avg_pool2d_backward", right, ow.ones(2, 2, 4, 4))
    refused(ow, "_adaptive_avg_pool2d_backward", ow.ones(2), ow.ones(2))


def test_optimizers_ask_nothing_of_state_that_they_do_not_read(ow):
    x, strided = [ow.ones(2)], [ow.ones(4)[::2]]
    sgd = {"weight_decay": 0.0, "lr": 0.5, "dampening": 0.0, "nesterov": False, "maximize": False}
    ow.ops._fused_sgd_(x, [ow.ones(2)], strided, momentum=0.0, is_first_step=True, **sgd)
    assert x[0].tolist() == [0.5, 0.5]
    adam = {"lr": 0.5, "beta1": 0.5, "beta2": 0.5, "weight_decay": 0.0, "eps": 0.0}
    options = {"amsgrad": False, "maximize": False, "decoupled": False}
    state = [[ow.zeros(2)], [ow.zeros(2)], strided, [ow.tensor(0.0)]]
    ow.ops._fused_adam_(x, [ow.ones(2)], *state, **adam, **options)
    assert x[0].abs().max().item() < 1e-6
    text = "expected contiguous parameters, gradients and state"
    options["amsgrad"] = True
    assert text in refused(ow, "_fused_adam_", x, [ow.ones(2)], *state, **adam, **options)


def test_gradients_of_no_result(ow):
    """Windows that fit nowhere: where a result would have no rows, no gradient belongs to it."""
    for empty, kernel in (((1, 0, 2), [4, 2]), ((1, 2, 0), [2, 4])):
        window = (kernel, [1, 1], [0, 0])
        refused(
            ow, "avg_pool2d_backward", ow.ones(empty), ow.ones(1, 3, 3), *window, False, True, None
        )
    one_by_one = ([1], [0], [1], False, [0], 1, [True, True, False])
    x, w = ow.ones(1, 1, 3), ow.ones(1, 1, 4)
    message = refused(ow, "convolution_backward", ow.ones(1, 1, 0), x, w, None, *one_by_one)
    assert "does not belong to a result of size [1, 1, 0]" in message


@pytest.mark.parametrize("rank", [2, 6])
def test_convolutions_have_one_to_three_dimensions(ow, rank):
    ones = ow.ones((1,) * rank)
    window = ([1], [0], [1], False, [0], 1, [True, True, False])
    for name in ("convolution_backward", "convolution_gradients"):
        message = refused(ow, name, ones, ones, ones, None, *window)
        assert "does not go with an input of size" in message or "do not belong together" in message


def test_indices_of_pooling_lie_in_the_plane(ow):
    x, grad = ow.ones(1, 1, 4, 4), ow.ones(1, 1, 2, 2)
    rest = ([2, 2], [2, 2], [0, 0], [1, 1], False)
    inside = ow.tensor([[[[0, 2], [8, 15]]]])
    total = ow.ops.max_pool2d_with_indices_backward(grad, x, *rest, inside).sum().item()
    assert total == 4
    for outside in (16, -1, HUGE):
        indices = ow.tensor([[[[0, 2], [8, outside]]]])
        message = refused(ow, "max_pool2d_with_indices_backward", grad, x, *rest, indices)
        assert f"index {outside} is out of range for planes of 16 elements" in message
    name = "max_pool2d_with_indices_backward"
    refused(ow, name, grad, x, *rest, inside.to(ow.int32))
    refused(ow, name, grad, x, *rest, inside[:, :, :1])
    refused(ow, name, grad, ow.ones(2, 1, 4, 4), *rest, inside)


def test_windows_that_do_not_fit_in_numbers(ow):
    x = ow.ones(1, 1, 4, 4)
    for call in (("avg_pool2d", x, HUGE), ("max_pool2d_with_indices", x, 2, 2, 0, HUGE)):
        text = refused(ow, *call)
        assert "_pool2d(): integer out of range: kernel_size=" in text
        assert f"=[{HUGE}, {HUGE}]" in text
    with pytest.raises(RuntimeError, match=rf"^max_pool1d\(\): .*stride=\[{2**63 - 1}\]"):
        ow.nn.functional.max_pool1d(ow.ones(1, 1, 4), 1, 2**63 - 1)
    w = ow.ones(1, 1, 2, 2)
    out_of_range = "a size is out of the range of 64-bit integers"
    assert refused(ow, "conv2d", x, w, None, 1, 2 * HUGE - 1) == "conv2d(): " + out_of_range
    assert refused(ow, "conv2d", x, w, None, 1, 0, 2 * HUGE - 1) != ""
    refused(ow, "conv_transpose2d", x, w, None, HUGE)


def test_gradients_of_other_convolutions(ow):
    x, w, grad = ow.ones(1, 2, 5, 5), ow.ones(3, 2, 3, 3), ow.ones(1, 3, 3, 3)
    options = ([1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True, True, True])
    shapes = [g.shape for g in ow.ops.convolution_backward(grad, x, w, [3], *options)]
    assert shapes == [x.shape, w.shape, (3,)]
    message = refused(ow, "convolution_backward", ow.ones(1, 3, 5, 5), x, w, [3], *options)
    assert "does not belong to a result of size [1, 3, 3, 3]" in message
    for at, value in ((0, [0, 0]), (1, [-1, -1]), (2, [0, 1]), (0, [1, 1, 1]), (5, 0), (5, 2)):
        changed = [*options[:at], value, *options[at + 1 :]]
        refused(ow, "convolution_backward", grad, x, w, [3], *changed)
    refused(ow, "convolution_backward", grad, x, w.double(), [3], *options)


def test_losses(ow):
    scores, target = ow.ones(2, 3), ow.tensor([0, 2])
    total = ow.tensor(2.0)
    loss = (None, 1, -100, total)
    assert ow.ops.nll_loss_backward(ow.tensor(1.0), scores, target, *loss).shape == (2, 3)
    refused(ow, "nll_loss_backward", ow.ones(2), scores, target, *loss)
    refused(ow, "nll_loss_backward", ow.tensor(1.0), scores, target[:1], *loss)
    refused(ow, "nll_loss_backward", ow.tensor(1.0), scores, target, ow.ones(2), *loss[1:])
    refused(ow, "nll_loss_backward", ow.tensor(1.0), scores, target, None, 1, -100, ow.ones(0))
    refused(ow, "nll_loss_backward", ow.tensor(1.0), scores, target, None, 0, -100, total)
    refused(ow, "nll_loss_backward", ow.tensor(1.0).double(), scores, target, *loss)


def test_gradients_of_tables(ow):
    indices, grad = ow.tensor([0, 1]), ow.ones(2, 3)
    assert ow.ops.embedding_dense_backward(grad, indices, 4, -1, False).shape == (4, 3)
    refused(ow, "embedding_dense_backward", ow.ones(1, 3), indices, 4, -1, False)
    refused(ow, "embedding_dense_backward", grad, indices, -4, -1, False)
    refused(ow, "embedding_dense_backward", grad, indices, 1, -1, False)
    refused(ow, "embedding_dense_backward", ow.tensor(1.0), indices, 4, -1, False)


def test_prepared_indices(ow):
    x, index = ow.ones(3, 4), ow.tensor([0, 2])
    assert ow.ops._index(x, [index]).shape == (2, 4)
    assert "indices for a tensor of dimension 2" in refused(ow, "_index", x, [index] * 3)
    refused(ow, "_index", x, [index, ow.tensor([0, 1, 2])])
    refused(ow, "_index", x, [index.to(ow.int32)])
    refused(ow, "_index", x, [ow.arange(6)[::2]])
    put = (ow.ones(3, 4), [index])
    message = refused(ow, "_index_put_", *put, ow.ones(2, 3), False)
    assert message == "_index_put_(): expected values of shape [2, 4], but got [2, 3]"
    refused(ow, "_index_put_", *put, ow.ones(2, 4).double(), False)


def test_ranges_need_a_line(ow):
    for name in ("_fill_range_", "_fill_linspace_"):
        refused(ow, name, ow.ones(2, 3), 0, 1)
        refused(ow, name, ow.ones(6)[::2], 0, 1)


def test_optimizers(ow):
    def step(parameters, grads, momenta):
        ow.ops._fused_sgd_(
            parameters, grads, momenta, weight_decay=0.5, momentum=0.5, lr=0.5, dampening=0.5,
            nesterov=False, maximize=False, is_first_step=False,
        )  # fmt: skip

    def refused_step(*lists):
        with pytest.raises(RuntimeError) as error:
            step(*lists)
        return str(error.value)

    one = [ow.ones(3)]
    step(one, [ow.ones(3)], [ow.ones(3)])
    assert "as many gradients as parameters (1), got 0" in refused_step(one, [], one)
    assert "gradients[0] has not" in refused_step(one, [ow.ones(2)], one)
    assert "contiguous" in refused_step(one, [ow.ones(6)[::2]], one)
    assert "momentum_buffers[0] has not" in refused_step(one, one, [ow.ones(2)])
    whole = [ow.ones(3, dtype=ow.int64)]
    assert "floating-point dtype, got int64" in refused_step(whole, whole, whole)


def test_gradients_of_parts_belong_to_the_whole(ow):
    grads = [ow.ones(2), ow.ones(2)]
    assert ow.ops.unbind_backward(grads, 0, [2, 2]).shape == (2, 2)
    assert "no dimensions" in refused(ow, "unbind_backward", grads[:1], 0, [])
    assert "2 gradients do not belong to 7 parts" in refused(
        ow, "unbind_backward", grads, 0, [7, 2]
    )
    assert "there is no tensor among" in refused(ow, "unbind_backward", [None, None], 0, [2, 2])
    assert ow.ops.split_with_sizes_backward([None, ow.ones(2)], [1, 2], 0, [3]).tolist() == [
        0,
        1,
        1,
    ]
    text = "1 gradients do not belong to 2 parts"
    assert text in refused(ow, "split_with_sizes_backward", grads[:1], [2, 2], 0, [4])
    assert ow.ops.split_backward([ow.ones(2), None], 2, 0, [3]).tolist() == [1, 1, 0]
    assert "no dimensions" in refused(ow, "split_backward", grads, 2, 0, [])
    assert "has to be positive, got 0" in refused(ow, "split_backward", grads, 0, 0, [3])
    assert text in refused(ow, "split_backward", grads[:1], 1, 0, [2])
    assert text in refused(ow, "split_backward", grads[:1], HUGE, 0, [2 * HUGE - 1])


def test_gradients_of_windows_and_repetitions(ow):
    assert ow.ops.unfold_backward(ow.ones(2, 2), [3], 0, 2, 1).tolist() == [1, 2, 1]
    for grad, step in (
        (ow.ones(2), 1),
        (ow.ones(3, 3), HUGE),
        (ow.ones(2, 2), 0),
        (ow.ones(2, 3), 1),
    ):
        assert "does not belong" in refused(ow, "unfold_backward", grad, [3], 0, 2, step)
    assert "1 repetitions" in refused(ow, "repeat_backward", ow.ones(2), [2], [1, 1])


def test_gradients_of_what_was_scattered(ow):
    grad, index = ow.ones(2, 3), ow.zeros(2, 3, dtype=ow.int64)
    text = "an index of shape [2, 3] does not belong to a source of shape"
    for sizes in ([2], [2, 3, 1, 1, 1, 1, 1]):
        assert text in refused(ow, "scatter_src_backward", grad, 0, index, sizes)
    # A number belongs to a line of one, and an index without elements to anything.
    for at, source in ((0, ow.ones(1)), ([0], ow.tensor(1.0)), ([], ow.ones(2, 2))):
        source.requires_grad_()
        ow.zeros(3).scatter(0, ow.tensor(at, dtype=ow.int64), source).sum().backward()
        assert source.grad.shape == source.shape
        assert source.grad.sum().item() == (0 if at == [] else 1)


def test_gradients_of_normalizations(ow):
    x, ones, mask = ow.ones(2, 3, requires_grad=True), ow.ones(1), [True] * 3
    rest = (ones, ones, None, None, 1e-5, mask)
    text = "does not end with normalized_shape"
    assert text in refused(ow, "layer_norm_gradients", x, x, [1, 2, 3], *rest)
    statistics = (None, None, None, None, None, False, 1e-5, mask)
    assert "in evaluation mode" in refused(ow, "batch_norm_gradients", x, x, *statistics)
    line = ow.ones(4, requires_grad=True)
    for n, c, group, text in (
        (1, 4, 1, "at least 2 dimensions"),
        (1, 4, 3, "4 channels do not make 3 groups"),
        (1, 4, 0, "greater than 0, got 0"),
    ):
        options = (ones, ones, ow.ones(4), n, c, 1, group, 1e-5, mask)
        assert text in refused(ow, "group_norm_gradients", line, None, None, line, *options)
    options = (ones, ones, None, 2, HUGE, HUGE, 1, 1e-5, mask)
    refused(ow, "group_norm_gradients", x, None, None, x, *options)


def test_gradients_along_dimensions(ow):
    refused(ow, "roll_backward", ow.ones(3), [-2 * HUGE], [0])
    refused(ow, "unfold_backward", ow.ones(2, 3), [4], 0, -2 * HUGE, 1)
    index = ow.zeros(2, dtype=ow.int64)
    text = "does not belong to indices of shape [2]"
    assert text in refused(ow, "index_along_backward", ow.ones(5), 0, index, [], False)
    for name, more in (("var_mean_backward", ()), ("std_mean_backward", (ow.ones(()),))):
        rest = (None, None, False)
        assert "no gradient" in refused(ow, name, None, None, ow.ones(3), *more, *rest)


def test_gradients_of_strided_views_lie_in_memory(ow):
    grad = ow.ones(2)
    assert ow.ops.as_strided_backward(grad, [3], [1], 0, [2], [1], 1).tolist() == [0, 1, 1]
    for geometry in (
        ([3], [], 0, [2], [1], 0),
        ([3], [1], 0, [2], [], 0),
        ([3], [1], -1, [2], [1], 0),
        ([3], [1], 0, [2], [1], -5),
        ([3], [HUGE], 0, [2], [1], 0),
        ([3], [1], 0, [2], [-1], 0),
    ):
        assert "no tensor has sizes" in refused(ow, "as_strided_backward", grad, *geometry)
    text = "a gradient of shape [2] does not belong to a view of shape [3]"
    assert text in refused(ow, "as_strided_backward", grad, [3], [1], 0, [3], [1], 0)


def test_memory_of_strided_tensors_is_counted(ow):
    for size, stride in (((5,), (HUGE,)), ((3, 3), (HUGE, HUGE)), ((2,), (2 * HUGE - 1,))):
        assert "Storage size calculation overflowed" in refused(ow, "empty_strided", size, stride)
        with pytest.raises(RuntimeError, match="Storage size calculation overflowed"):
            ow.ones(1).new_empty_strided(size, stride)
    assert ow.empty_strided((0, 5), (HUGE, HUGE)).numel() == 0


def test_second_gradients_of_convolutions(ow):
    grad, x, w = ow.ones(2, 3, 2), ow.ones(2, 1, 5), ow.ones(3, 1, 3, requires_grad=True)

    def gradients(stride=(2,), padding=(1,), dilation=(1,), groups=1, x=x):
        options = (list(stride), list(padding), list(dilation), False, [0], groups, [True] * 3)
        return refused(ow, "convolution_gradients", grad, x, w, None, *options)

    for name in ("stride", "padding", "dilation"):
        assert "expected 1 or 1 numbers, but got []" in gradients(**{name: ()})
        assert "is out of range" in gradients(**{name: (HUGE,)})
    for groups in (0, -1, HUGE):
        assert "groups are none of a weight" in gradients(groups=groups)
    assert "do not belong together" in gradients(x=ow.ones(5))


def test_heads_that_are_not_shared_evenly(ow):
    q, k = ow.ones(1, 4, 2, 3), ow.ones(1, 3, 2, 3)
    for keys in (k, ow.ones(1, 0, 2, 3)):
        text = refused(ow, "scaled_dot_product_attention", q, keys, keys, enable_gqa=True)
        assert "must divide the number of heads in query" in text


def test_a_number_before_a_tensor_does_not_give_the_result_its_shape(ow):
    x = ow.arange(1.0, 43.0).reshape(2, 7, 3)
    for f in (ow.add, ow.xlogy, ow.remainder):
        out = ow.ones(())
        with pytest.warns(UserWarning, match="was resized"):
            assert f(2.0, x, out=out) is out
        assert ow.equal(out, f(ow.tensor(2.0), x))
        assert f(2.0, x, out=ow.ones(2, 7, 3)).tolist() == out.tolist()


def test_views_lie_in_their_memory(ow):
    assert ow.ops._unsafe_view(ow.ones(6), [2, 3]).shape == (2, 3)
    assert "as many elements" in refused(ow, "_unsafe_view", ow.ones(5), [1, 3, 20])
    assert "as many elements" in refused(ow, "_unsafe_view", ow.ones(1).expand(6), [2, 3])


def test_sizes_and_counts_beyond_64_bits(ow):
    x = ow.ones(2, 3)

    def product(name, a, b):
        return f"{name}(): {a} * {b} is out of the range of 64-bit integers"

    assert refused(ow, "repeat", x, [2, HUGE]) == product("repeat", HUGE, 3)
    text = refused(ow, "repeat_interleave.self_int", x, HUGE)
    assert text == product("repeat_interleave", 6, HUGE)
    text = refused(ow, "mean_backward", ow.ones(()), [4, HUGE], None, False)
    assert text == product("mean_backward", 4, HUGE)
    w, d = ow.ones(1, 1, 3, 3), 2 * HUGE - 1
    text = refused(ow, "conv2d.padding", ow.ones(1, 1, 4, 4), w, padding="same", dilation=d)
    assert text == product("conv2d", d, 2)
    for offset in (2 * HUGE - 1, -2 * HUGE):
        assert "is out of range" in refused(ow, "diag_embed", x, offset)
    assert "out of range" in refused(ow, "constant_pad_nd_backward", x, [-2 * HUGE, 0])
    for padding in ([2 * HUGE - 1, 2 * HUGE - 1], [-2 * HUGE, 0], [0, -2 * HUGE]):
        for mode in ("constant", "replicate"):
            assert "is out of range" in refused(ow, "pad", x, padding, mode)
    sizes = [2 * HUGE - 1, 2 * HUGE - 1, 2, 4]
    assert "out of the range of 64-bit" in refused(ow, "split_with_sizes", ow.ones(4), sizes)
    for parts in (lambda: ow.ones(3).tensor_split(HUGE), lambda: ow.ones(1).expand(HUGE).unbind()):
        with pytest.raises(
            RuntimeError, match="parts are more than the 16777216 that there can be"
        ):
            parts()


def test_truth_values_that_were_never_set_are_truth_values(ow):
    bytes_ = ow.tensor([0, 1, 190, 255], dtype=ow.uint8)
    assert bytes_.view(ow.bool).tolist() == [False, True, True, True]


def test_index_fill_names_itself(ow):
    x = ow.zeros(3)
    assert x.index_fill(0, ow.tensor([-1]), 2.0).tolist() == [0, 0, 2]
    with pytest.raises(IndexError, match=r"index_fill_\(\): index 3 is out of bounds for dim.* 0"):
        x.index_fill(0, ow.tensor([3]), 2.0)
    with pytest.raises(RuntimeError, match=r"index_fill_\(\): Index has to be a vector/scalar"):
        x.index_fill(0, ow.tensor([[0]]), 2.0)
    number = ow.tensor(1.0)
    assert number.index_fill(0, ow.tensor([], dtype=ow.int64), 2.0).item() == 1
    with pytest.raises(IndexError, match=r"index_fill_\(\): index 1 is out of bounds"):
        number.index_fill_(0, ow.tensor([0, 1]), 2.0)
    assert number.item() == 1


def test_pools_of_one_dimension_name_themselves(ow):
    for kind in ("avg", "max"):
        pool = getattr(ow, f"adaptive_{kind}_pool1d")
        name = f"^adaptive_{kind}_pool1d"
        for x, size in ((ow.ones(2, 3, 0), 2), (ow.ones(2, 3, 4), -2), (ow.ones(3), 2)):
            with pytest.raises(RuntimeError, match=name):
                pool(x, size)
        with pytest.raises(NotImplementedError, match=f'"adaptive_{kind}_pool1d" not implemented'):
            pool(ow.ones(2, 3, 4, dtype=ow.int64), 2)


def test_numbers_suit_the_dtype_where_they_have_to(ow):
    x = ow.tensor([1, 2])
    for call in (ow.add, ow.sub, ow.rsub):
        with pytest.raises(RuntimeError, match="alpha must not be a floating point number"):
            call(x, 1, alpha=1.5)
        with pytest.raises(RuntimeError, match="Boolean alpha only supported for Boolean results"):
            call(x, x, alpha=True)
    assert ow.addcmul(x, x, x, value=True).tolist() == [2, 6]
    assert ow.addcmul(x, x, x, value=1.5).tolist() == [2, 6]


def test_planes_that_nothing_turns_in(ow):
    x = ow.arange(6).view(2, 3)
    with pytest.raises(
        RuntimeError, match="expected rotation dims to be different, but got dim0 = 0 and dim1 = 0"
    ):
        x.rot90(1, [0, 0])
    with pytest.raises(RuntimeError, match="to be different, but got dim0 = 1 and dim1 = -1"):
        x.rot90(2, [1, -1])
    with pytest.raises(RuntimeError, match="expected total dims >= 2, but got total dims = 1"):
        ow.arange(3).rot90()
    with pytest.raises(RuntimeError, match="expected total rotation dims == 2, but got dims = 3"):
        x.rot90(1, [0, 1, 0])
    with pytest.raises(IndexError, match=r"expected to be in range of \[-2, 1\], but got 3"):
        x.rot90(1, [0, 3])
    assert x.rot90(1, [-2, -1]).tolist() == [[2, 5], [1, 4], [0, 3]]


def test_numbers_that_an_old_type_does_not_hold(ow):
    assert ow.LongTensor([1.5, -1.5]).tolist() == [1, -1]
    with pytest.raises(
        RuntimeError, match="value cannot be converted to type uint8 without overflow"
    ):
        ow.ByteTensor([300])


def test_bounds_of_uniform_numbers(ow):
    for dtype, low, high, said in (
        (ow.float32, -1e39, 1, r"from is out of bounds for float32: -1e\+39"),
        (ow.float16, 0, 1e5, "to is out of bounds for float16: "),
        (ow.float32, -3e38, 3e38, "expects to-from to be a number of float32"),
    ):
        with pytest.raises(RuntimeError, match=said):
            ow.zeros(3, dtype=dtype).uniform_(low, high)
    assert ow.zeros(3, dtype=ow.float64).uniform_(-3e38, 3e38).isfinite().all()


def test_bounds_that_a_dtype_does_not_hold(ow):
    for low, high, said in (
        (0, 2**17, "to - 1 is out of bounds for float16: 131071"),
        (-(2**17), 0, "from is out of bounds for float16: -131072"),
    ):
        with pytest.raises(RuntimeError, match=said):
            ow.zeros(3, dtype=ow.float16).random_(low, high)
