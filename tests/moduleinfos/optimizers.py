"""What an optimizer does in a few steps, in PyTorch or in what has its interface, as plain data."""

import math

from calls import described
from objects import ObjectReader

STEPS = 6
SHAPES = ((3, 2), (2, 4), (5,), (), (0,))


class Training:
    """An optimizer by name over a few small parameters, and how it is used."""

    def __init__(self, module, sample):
        self.module, self.sample = module, sample
        self.dtypes = sample["dtypes"]
        shapes = sample.get("shapes", SHAPES)
        self.parameters = [
            module.nn.Parameter(self._numbers(s, i, i)) for i, s in enumerate(shapes)
        ]
        self.targets = [self._numbers(s, i, 20 + i) for i, s in enumerate(shapes)]

    def _numbers(self, shape, i, salt):
        dtype = getattr(self.module, self.dtypes[i % len(self.dtypes)])
        count = math.prod(shape)
        values = [math.sin(0.7 * n + 1.9 * salt + 0.3) for n in range(count)]
        return self.module.tensor(values, dtype=self.module.float64).to(dtype).reshape(shape)

    def made(self):
        reader = ObjectReader(self.module, self.sample["storages"])
        kwargs = reader.read(self.sample["options"])
        return getattr(self.module.optim, self.sample["name"])(self._given(), **kwargs)

    def _given(self):
        way = self.sample.get("given", "list")
        if way == "names":
            return [(f"p{i}", p) for i, p in enumerate(self.parameters)]
        if way == "groups":
            first, *rest = self.parameters
            return [{"params": first}, {"params": rest, **self.sample["group"]}]
        return self.parameters

    def step(self, optimizer, step):
        if self.sample.get("closure"):
            return optimizer.step(lambda: self._loss(optimizer))
        for i, p in enumerate(self.parameters):
            # The first has none at all, where some are lacking, and the next one every other time.
            lacks = self.sample.get("lacking") and (i == 0 or (i == 1 and step % 2))
            p.grad = None if lacks else self._numbers(tuple(p.shape), i, 40 + i + 7 * step)
        return optimizer.step()

    def _loss(self, optimizer):
        optimizer.zero_grad()
        pairs = zip(self.parameters, self.targets, strict=True)
        loss = sum(((p - t) ** 2).sum() + (p**4).sum() / 8 for p, t in pairs)
        # What goes up needs an end as well.
        loss = -loss if optimizer.param_groups[0].get("maximize") else loss
        loss.backward()
        return loss

    def plain(self, value):
        if isinstance(value, dict):
            keys = sorted(value, key=str)  # a state's entries are in no order that counts
            return ("list", keys, [self.plain(value[key]) for key in keys])
        if isinstance(value, (list, tuple)):
            return ("list", None, [self.plain(each) for each in value])
        return described(self.module, value, [])


def steps(module, sample):
    """(what, answer as plain data) of each thing that is looked at."""
    this = Training(module, sample)
    optimizer = this.made()
    yield "repr", repr(optimizer)
    yield "options", sorted(optimizer.param_groups[-1])
    for step in range(STEPS):
        if step == STEPS // 2 and sample.get("reloaded"):
            state, optimizer = optimizer.state_dict(), this.made()
            optimizer.load_state_dict(state)
        yield f"loss {step}", this.plain(this.step(optimizer, step))
        yield f"parameters {step}", this.plain([p.detach() for p in this.parameters])
    yield "state", this.plain(optimizer.state_dict())
