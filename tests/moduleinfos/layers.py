"""What a layer does with one sample, in PyTorch or in what has its interface, as plain data."""

import copy
import math

from calls import described
from objects import ObjectReader


class Layer:
    """A sample: a class of `nn` by name, arguments, inputs, a dtype and whether it trains."""

    def __init__(self, module, sample):
        self.module, self.sample = module, sample
        self.reader = ObjectReader(module, sample["storages"])

    def _of(self, name):
        args, kwargs = self.sample[name]
        return self.reader.read(args), self.reader.read(kwargs)

    def made(self):
        self.module.manual_seed(7)
        args, kwargs = self._of("made with")
        layer = self.reader.layer(self.sample["name"])(*args, **kwargs)
        return layer.to(getattr(self.module, self.sample["dtype"])).train(self.sample["trains"])

    def inputs(self):
        """The arguments of a call, and the tensors among them."""
        before = len(self.reader.tensors)
        args, kwargs = self._of("inputs")
        return args, kwargs, self.reader.tensors[before:]

    def called(self, layer, args, kwargs):
        self.module.manual_seed(8)
        return layer(*args, **kwargs)

    def plain(self, value):
        if isinstance(value, dict):
            return ("list", list(value), [self.plain(each) for each in value.values()])
        return described(self.module, value, [])

    def gradients(self, value, leaves):
        """Of all outputs, weighted with fixed numbers, and in float64 again of those."""
        for order in (0, 1) if self.sample["twice"] else (0,):
            outputs = [t for t in _tensors(self.module, value) if t.requires_grad]
            if not outputs or not leaves:
                return
            starts = [_weights(self.module, each, order) for each in outputs]
            more = {"allow_unused": True, "create_graph": self.sample["twice"] and not order}
            value = list(self.module.autograd.grad(outputs, leaves, starts, **more))
            yield value


def _tensors(module, value):
    if isinstance(value, module.Tensor):
        return [value]
    return (
        [t for v in value for t in _tensors(module, v)] if isinstance(value, (list, tuple)) else []
    )


def _weights(module, output, salt):
    numbers = [math.cos(1.0 + salt + 0.7 * i) for i in range(output.numel())]
    return module.tensor(numbers, dtype=output.dtype).reshape(output.shape)


def _names(layer):
    return [[n for n, _ in layer.named_parameters()], [n for n, _ in layer.named_buffers()]]


def steps(module, sample):
    """(what, answer as plain data) of each thing that is looked at."""
    this = Layer(module, sample)
    layer = this.made()
    yield "repr", repr(layer)
    lazy = "Lazy" in sample["name"]
    if not lazy:
        yield "state", this.plain(dict(layer.state_dict()))
    yield "names", _names(layer)
    args, kwargs, given = this.inputs()
    other = copy.deepcopy(layer)
    output = this.called(layer, args, kwargs)
    yield "output", this.plain(output)
    yield "state after", this.plain(dict(layer.state_dict()))
    again, more, _ = this.inputs()
    yield "output of a copy", this.plain(this.called(other, again, more))
    leaves = [t for t in (*given, *layer.parameters()) if t.requires_grad]
    for order, found in enumerate(this.gradients(output, leaves), start=1):
        for i, each in enumerate(found):
            # A copy fills in what PyTorch keeps as a zero without storage.
            value = None if each is None else this.plain(each.detach().clone())
            yield f"gradient {order} of {i}", value
