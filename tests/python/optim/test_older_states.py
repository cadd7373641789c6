"""States that were saved before an option existed, or by another optimizer, and Adam as AdamW."""

import pytest

NAMES = [
    "SGD",
    "Adam",
    "AdamW",
    "Adamax",
    "NAdam",
    "RAdam",
    "Adagrad",
    "Adadelta",
    "RMSprop",
    "Rprop",
    "ASGD",
    "LBFGS",
]


def stepped(optimizer):
    param = optimizer.param_groups[0]["params"][0]

    def loss():
        optimizer.zero_grad()
        value = (param**2).sum()
        value.backward()
        return value

    optimizer.step(loss)
    return param


# Options without which PyTorch 2.15's step() raises KeyError: those that were there from the first.
NEEDED = {
    "SGD": "lr momentum dampening weight_decay",
    "Adam": "lr betas eps weight_decay",
    "AdamW": "lr betas eps weight_decay",
    "Adamax": "lr betas eps weight_decay",
    "NAdam": "lr betas eps weight_decay momentum_decay",
    "RAdam": "lr betas eps weight_decay",
    "Adagrad": "lr eps lr_decay weight_decay",
    "Adadelta": "lr eps rho weight_decay",
    "RMSprop": "lr alpha eps weight_decay",
    "Rprop": "etas step_sizes",
    "ASGD": "lr alpha lambd t0 weight_decay",
    "LBFGS": "lr history_size line_search_fn max_eval max_iter tolerance_change tolerance_grad",
    "Adafactor": "lr beta2_decay d eps maximize weight_decay",
    "Muon": "lr adjust_lr_fn eps momentum nesterov ns_coefficients ns_steps weight_decay",
}
# Read by no step after the first.
UNREAD = {"Adagrad": {"initial_accumulator_value"}, "Rprop": {"lr"}}


def _of_ones(ow, name, **options):
    return getattr(ow.optim, name)([ow.nn.Parameter(ow.ones(2, 2))], lr=0.1, **options)


def _loaded_without(ow, name, option, **options):
    """An optimizer with a state whose group lacks an option."""
    first = _of_ones(ow, name, **options)
    stepped(first)
    saved = first.state_dict()
    group = {k: v for k, v in saved["param_groups"][0].items() if k != option}
    again = _of_ones(ow, name, **options)
    again.load_state_dict({"state": saved["state"], "param_groups": [group]})
    return again


def _options(ow, name):
    return set(_of_ones(ow, name).param_groups[0]) - {"params"}


@pytest.mark.parametrize("name", NEEDED)
def test_options_that_a_state_lacks_get_what_was_done_without(ow, name):
    for option in _options(ow, name) - set(NEEDED[name].split()) - UNREAD.get(name, set()):
        again = _loaded_without(ow, name, option)
        assert again.param_groups[0][option] == again._of_older_states[option]
        stepped(again)
    for option in UNREAD.get(name, ()):
        stepped(_loaded_without(ow, name, option))


@pytest.mark.parametrize("options", [{}, {"foreach": False}, {"foreach": True}], ids=str)
@pytest.mark.parametrize("name", NEEDED)
def test_options_that_no_state_may_lack(ow, name, options):
    """A step without weight decay, or by another rate, is not that of the saved run."""
    if name in ("LBFGS", "Muon") and options:
        return  # their steps are of one form
    for option in NEEDED[name].split():
        again = _loaded_without(ow, name, option, **options)
        with pytest.raises(
            KeyError, match=rf"{name}.step\(\): parameter group 0 has no '{option}'"
        ):
            stepped(again)
        again.param_groups[0][option] = again.defaults[option]
        stepped(again)


def test_other_missing_keys_are_told_as_they_are(ow):
    optimizer = _of_ones(ow, "SGD")
    with pytest.raises(KeyError, match=r"^'weight_decay'$"):
        optimizer.step(lambda: {}["weight_decay"])


def test_adam_decouples_weight_decay_as_adamw_does(ow):
    options = {"lr": 0.1, "weight_decay": 0.1}
    ones = lambda: [ow.nn.Parameter(ow.ones(3))]  # noqa: E731
    coupled = stepped(ow.optim.Adam(ones(), **options))
    decoupled = stepped(ow.optim.Adam(ones(), decoupled_weight_decay=True, **options))
    by_adamw = stepped(ow.optim.AdamW(ones(), **options))
    assert decoupled.tolist() == by_adamw.tolist() != coupled.tolist()
    assert ow.optim.Adam(ones()).defaults["decoupled_weight_decay"] is False
    assert ow.optim.AdamW(ones()).defaults["decoupled_weight_decay"] is True


def test_a_state_of_adam_does_not_couple_adamw(ow):
    adam, adamw = (getattr(ow.optim, n)([ow.nn.Parameter(ow.ones(3))]) for n in ("Adam", "AdamW"))
    adamw.load_state_dict(adam.state_dict())
    assert adamw.param_groups[0]["decoupled_weight_decay"] is True
    adam.load_state_dict(ow.optim.AdamW([ow.nn.Parameter(ow.ones(3))]).state_dict())
    assert adam.param_groups[0]["decoupled_weight_decay"] is True  # as PyTorch has it


@pytest.mark.parametrize("name", [*NAMES[1:-1], "Adafactor"])
def test_a_state_without_its_count_is_no_beginning(ow, name):
    """A step of it would count from the start, with the moments of many steps."""
    optimizer = getattr(ow.optim, name)([ow.nn.Parameter(ow.ones(3))], lr=0.1)
    param = stepped(optimizer)
    del optimizer.state[param]["step"]
    with pytest.raises(KeyError, match="step"):
        stepped(optimizer)
