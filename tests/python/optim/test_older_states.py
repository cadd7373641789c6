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


@pytest.mark.parametrize("name", NAMES)
def test_options_that_a_state_lacks_get_their_defaults(ow, name):
    cls = getattr(ow.optim, name)
    first = cls([ow.nn.Parameter(ow.ones(3))], lr=0.1)
    stepped(first)
    saved = first.state_dict()
    for option in set(saved["param_groups"][0]) - {"params"}:
        group = {k: v for k, v in saved["param_groups"][0].items() if k != option}
        again = cls([ow.nn.Parameter(ow.ones(3))], lr=0.1)
        again.load_state_dict({"state": saved["state"], "param_groups": [group]})
        wanted = again._of_older_states.get(option, again.defaults[option])
        assert again.param_groups[0][option] == wanted
        stepped(again)


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
