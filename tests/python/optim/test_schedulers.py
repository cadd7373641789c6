"""Schedulers as objects: warnings, copies, subclasses, and optimisers of every kind around them."""

import copy
import gc
import math
import pickle
import warnings
import weakref

import opweave
import pytest

S = opweave.optim.lr_scheduler
U = opweave.optim.swa_utils


def make(kind="SGD", **options):
    p = opweave.nn.Parameter(opweave.ones(2))
    return getattr(opweave.optim, kind)([p], lr=0.1, **options)


def rate(optimizer):
    return optimizer.param_groups[0]["lr"]


def caught(code, **names):
    """The warnings of a program, which name its own line."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        exec(compile(code, "program.py", "exec"), names)
    assert all(w.category is UserWarning for w in seen)
    assert {w.filename for w in seen} <= {"program.py"}
    return [str(w.message) for w in seen]


# --- warnings
def test_a_step_before_the_optimizer_warns_once():
    optimizer = make()
    scheduler = S.StepLR(optimizer, 3)
    (text,) = caught("for _ in range(3): s.step()", s=scheduler)
    assert text.startswith("Detected call of `lr_scheduler.step()` before `optimizer.step()`")
    assert len(caught("s.step()", s=S.StepLR(optimizer, 3))) == 1


def test_a_step_after_the_optimizer_is_silent():
    optimizer = make()
    schedulers = [S.StepLR(optimizer, 3), S.ExponentialLR(optimizer, 0.9)]
    optimizer.step()
    assert caught("for s in schedulers: s.step()", schedulers=schedulers) == []


def test_a_step_that_is_replaced_warns():
    optimizer = make()
    scheduler = S.StepLR(optimizer, 3)
    optimizer.step = lambda closure=None: None
    (text,) = caught("s.step()", s=scheduler)
    assert text.startswith("Seems like `optimizer.step()` has been overridden")


def test_epochs_warn():
    optimizer = make()
    scheduler = S.StepLR(optimizer, 3)
    optimizer.step()
    assert caught("s.step(5)", s=scheduler) == [S.EPOCH_DEPRECATION_WARNING]
    plateau = S.ReduceLROnPlateau(optimizer)
    assert caught("s.step(1.0, 3)", s=plateau) == [S.EPOCH_DEPRECATION_WARNING]
    restarts = S.CosineAnnealingWarmRestarts(optimizer, 5)
    assert caught("s.step(0.5)", s=restarts) == [], "fractions are what it is for"


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        *((kind, [lambda epoch: 1.0]) for kind in (S.LambdaLR, S.MultiplicativeLR)),
        *((kind, [3]) for kind in (S.StepLR, S.CosineAnnealingLR, S.CosineAnnealingWarmRestarts)),
        *((kind, []) for kind in (S.ConstantLR, S.LinearLR, S.PolynomialLR)),
        (S.MultiStepLR, [[3]]),
        *((kind, [0.5]) for kind in (S.ExponentialLR, U.SWALR)),
        (S.CyclicLR, [0.1, 0.2]),
        (S.OneCycleLR, [0.1, 20]),
    ],
)
def test_get_lr_warns_whom_step_does_not_call(kind, arguments):
    optimizer = make(momentum=0.9)
    scheduler = kind(optimizer, *arguments)
    optimizer.step()
    assert caught("s.step()", s=scheduler) == []
    (text,) = caught("s.get_lr()", s=scheduler)
    assert text.startswith("To get the last learning rate computed by the scheduler, please use")


# --- what a scheduler does to its optimizer
def test_the_optimizer_steps_as_before():
    optimizer = make(momentum=0.9)
    S.StepLR(optimizer, 3)
    before = optimizer.step
    S.ExponentialLR(optimizer, 0.9)
    assert optimizer.step is before, "it is wrapped once"
    p = optimizer.param_groups[0]["params"][0]
    p.grad = opweave.ones(2)
    assert optimizer.step(lambda: 7) == 7
    assert p.tolist() == pytest.approx([0.9, 0.9])
    assert optimizer.step.__name__ == "step"


def test_a_step_that_is_no_method():
    """As a program leaves it that counts steps."""
    optimizer, calls = make(), []
    optimizer.step = lambda closure=None: calls.append(closure)
    scheduler = S.StepLR(optimizer, 1)
    optimizer.step()
    assert caught("s.step()", s=scheduler) == []
    assert calls == [None]


def test_an_optimizer_is_not_kept_alive():
    optimizer = make()
    S.StepLR(optimizer, 3)
    gone = weakref.ref(optimizer)
    gc.disable()
    try:
        del optimizer
        assert gone() is None, "the optimizer holds itself"
    finally:
        gc.enable()


@pytest.mark.parametrize("take", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_go_on_apart(take):
    optimizer = make(momentum=0.9)
    for scheduler in (
        S.CyclicLR(optimizer, 0.1, 0.2, 3),
        S.OneCycleLR(optimizer, 0.2, 20),
        S.MultiStepLR(optimizer, [2, 4]),
        S.SequentialLR(optimizer, [S.StepLR(optimizer, 1), S.ConstantLR(optimizer)], [3]),
        U.SWALR(optimizer, 0.05),
    ):
        other = take(scheduler)
        assert type(other) is type(scheduler)
        assert other.optimizer is not optimizer
        other.optimizer.step()
        before = rate(optimizer)
        for _ in range(3):
            other.step()
        assert rate(optimizer) == before
        assert rate(other.optimizer) != before


def test_names_are_those_of_the_module():
    for module in (S, U):
        for name in module.__all__:
            assert getattr(module, name).__module__ == module.__name__


# --- classes of programs
class Halves(S._LRScheduler):
    """As programs write them, with the base class's old name."""

    def get_lr(self):
        S._warn_get_lr_called_within_step(self)
        return [base * 0.5**self.last_epoch for base in self.base_lrs]


class Warmup(S.CosineAnnealingLR):
    def get_lr(self):
        if self.last_epoch < 3:
            return [base * (self.last_epoch + 1) / 3 for base in self.base_lrs]
        return super().get_lr()

    _get_closed_form_lr = None


def test_subclasses():
    optimizer = make()
    scheduler = Halves(optimizer)
    optimizer.step()
    scheduler.step()
    assert rate(optimizer) == 0.05
    assert scheduler.get_last_lr() == [0.05]
    assert list(scheduler.state_dict()) == [
        *("base_lrs", "last_epoch", "_step_count", "_is_initial"),
        *("_get_lr_called_within_step", "_last_lr"),
    ]
    optimizer = make()
    scheduler = Warmup(optimizer, 10)
    optimizer.step()
    seen = [rate(optimizer)]
    for _ in range(4):
        scheduler.step()
        seen.append(rate(optimizer))
    assert seen[:3] == pytest.approx([0.1 / 3, 0.2 / 3, 0.1])
    assert seen[3] < 0.1


class Gentle:
    """A factor with a state."""

    def __init__(self, by):
        self.by = by

    def __call__(self, epoch):
        return self.by**epoch


@pytest.mark.parametrize("kind", [S.LambdaLR, S.MultiplicativeLR])
def test_objects_as_functions_are_saved(kind):
    first = kind(make(), Gentle(0.9))
    saved = first.state_dict()
    assert saved["lr_lambdas"] == [{"by": 0.9}]
    other = kind(make(), Gentle(0.1))
    keys = list(saved)
    other.load_state_dict(saved)
    assert list(saved) == keys, "what is loaded stays as it is"
    assert other.lr_lambdas[0].by == 0.9
    assert kind(make(), abs).state_dict()["lr_lambdas"] == [None]


def test_scale_functions_are_saved():
    first = S.CyclicLR(make(momentum=0.5), 0.1, 0.2, scale_fn=Gentle(0.9))
    saved = first.state_dict()
    assert saved["_scale_fn_custom"] == {"by": 0.9}
    other = S.CyclicLR(make(momentum=0.5), 0.1, 0.2, scale_fn=Gentle(0.1))
    other.load_state_dict(saved)
    assert other.scale_fn(2) == pytest.approx(0.81)


# --- optimisers
@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW"])
def test_a_tensor_stays_the_same_tensor(kind):
    p = opweave.nn.Parameter(opweave.ones(2))
    lr = opweave.tensor(0.1)
    optimizer = getattr(opweave.optim, kind)([p], lr=lr)
    scheduler = S.ExponentialLR(optimizer, 0.5)
    p.grad = opweave.ones(2)
    optimizer.step()
    scheduler.step()
    assert rate(optimizer) is lr
    assert lr.item() == pytest.approx(0.05)
    first = scheduler.get_last_lr()[0]
    scheduler.step()
    assert first.item() == pytest.approx(0.05), "what was returned is a copy"
    assert scheduler.base_lrs[0].item() == pytest.approx(0.1)


@pytest.mark.parametrize("kind", ["Adam", "AdamW"])
def test_cycling_of_betas_reaches_the_step(kind):
    """The parameters of a run whose first beta cycles, against one that sets it by hand."""
    paths = []
    for cycles in (True, False):
        optimizer = make(kind, betas=(0.9, 0.99))
        p = optimizer.param_groups[0]["params"][0]
        scheduler = S.CyclicLR(
            optimizer, 0.1, 0.1, 3, cycle_momentum=cycles, base_momentum=0.5, max_momentum=0.8
        )
        path = []
        for step in range(6):
            if not cycles:
                beta = 0.8 - 0.3 * (1 - abs(step % 6 - 3) / 3)
                optimizer.param_groups[0]["betas"] = (beta, 0.99)
            p.grad = p.detach() * (step + 1)
            optimizer.step()
            scheduler.step()
            path += p.tolist()
        paths.append(path)
    assert paths[0] == pytest.approx(paths[1])


@pytest.mark.parametrize("steps", [math.nan, math.inf, "x"])
def test_cycles_are_of_a_number_of_steps(steps):
    with pytest.raises(
        ValueError, match=r"^CyclicLR: step_size_up: expected a number of steps, got"
    ):
        S.CyclicLR(make(momentum=0.9), 0.1, 0.2, step_size_up=steps)
