"""Averages of weights: what they keep, refuse and leave as it was. (Values: test_reference_schedulers.py.)"""

import opweave
import pytest

U = opweave.optim.swa_utils
ONE = opweave.ones(1)


def test_averages_keep_buffers_of_the_last_model():
    model = opweave.nn.BatchNorm1d(2)
    average = U.AveragedModel(model)
    for _ in range(2):
        model(opweave.randn(4, 2))
        average.update_parameters(model)
    assert average.module.running_mean.tolist() == model.running_mean.tolist()
    assert average.module is not model
    assert average.n_averaged == 2


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda m: U.AveragedModel(m, avg_fn=1, multi_avg_fn=2), AssertionError, "multi_avg_fn"),
        (lambda m: U.get_ema_avg_fn(-1), ValueError, "get_ema_avg_fn: .*-1.*between 0 and 1"),
        (lambda m: U.get_ema_multi_avg_fn(1.5), ValueError, "1.5.*between 0 and 1"),
        (lambda m: U.get_ema_multi_avg_fn("x"), TypeError, "decay: expected a number, got 'x'"),
        (
            lambda m: U.AveragedModel(m).update_parameters(
                opweave.nn.BatchNorm1d(2, track_running_stats=False)
            ),
            ValueError,
            "model: expected one with 3 buffers.*got 0",
        ),
        (lambda m: U.AveragedModel(3), AttributeError, "model: expected a Module, got 3"),
        (lambda m: U.AveragedModel(m, avg_fn=3), TypeError, "avg_fn: expected a function, got 3"),
        (lambda m: U.get_swa_avg_fn()(1, 2, "x"), TypeError, "num_averaged: .* number, got 'x'"),
        (lambda m: U.get_swa_multi_avg_fn()([ONE], [ONE], "x"), TypeError, "num_averaged.*got 'x'"),
        (lambda m: U.get_swa_multi_avg_fn()([ONE], 3, 1), TypeError, "current_param_list.*got 3"),
        (lambda m: U.get_ema_multi_avg_fn()([ONE], [3], 1), TypeError, r"list\[0\].*Tensor, got 3"),
        (lambda m: U.get_ema_multi_avg_fn()([], [], 1), IndexError, "ema_param_list.*got none"),
        (lambda m: U.get_swa_multi_avg_fn()([ONE], [], 1), RuntimeError, "got 1 and 0"),
        (lambda m: U.update_bn([[]], m), IndexError, "loader"),
        (lambda m: U.update_bn(3, m), TypeError, "loader.*got 3"),
        (lambda m: U.update_bn([], 3), AttributeError, "model: expected a Module, got 3"),
        (
            lambda m: U.get_swa_multi_avg_fn()([opweave.tensor([1])], [opweave.tensor([2])], 1),
            RuntimeError,
            "averaged_param_list.*int64",
        ),
    ],
)
def test_averages_refuse(call, error, words):
    with pytest.raises(error, match=words):
        call(opweave.nn.BatchNorm1d(2))


def test_update_bn_that_fails_leaves_the_model_as_it_was():
    model = opweave.nn.BatchNorm1d(2, momentum=0.3).eval()
    with pytest.raises(ValueError, match="2D"):
        U.update_bn([opweave.ones(2)], model)
    assert not model.training
    assert model.momentum == 0.3


def test_update_bn_takes_inputs_to_the_device():
    class Batch:
        def to(self, device):
            seen.append(device)
            return opweave.ones(3, 2)

    seen = []
    U.update_bn([Batch(), (Batch(), 1)], opweave.nn.BatchNorm1d(2), "cpu")
    assert seen == ["cpu", "cpu"]


def test_a_model_with_fewer_parameters_leaves_the_rest():
    """As PyTorch has it: pairs are those that there are."""
    average = U.AveragedModel(opweave.nn.Linear(2, 1))
    bias = average.module.bias.item()
    model = opweave.nn.Linear(2, 1, bias=False)
    average.update_parameters(model)
    assert average.module.weight.tolist() == model.weight.tolist()
    assert average.module.bias.item() == bias
