"""Layers, functions and packed sequences as plain data, beside what calls take (tests/opinfos/plain.py)."""

from plain import NoPlainFormError, Reader, Writer


def keep_arguments(module):
    """From now on layers know what they were made with: that is what they are written down as."""

    def new(cls, *args, **kwargs):
        made = object.__new__(cls)
        vars(made)["_made_with"] = (args, kwargs)
        return made

    module.nn.Module.__new__ = staticmethod(new)


class ObjectWriter(Writer):
    """Also writes layers that `keep_arguments` has seen being made, and public functions."""

    def write(self, value):
        nn = self.module.nn
        if isinstance(value, nn.utils.rnn.PackedSequence):
            return ("packed", [self.write(each) for each in value])
        if isinstance(value, nn.Module):
            return ("layer", type(value).__name__, *map(self.write, vars(value)["_made_with"]))
        name = getattr(value, "__name__", None)
        if name and getattr(nn.functional, name, None) is value:
            return ("function", name)
        return super().write(value)


class ObjectReader(Reader):
    def _packed(self, parts):
        return self.module.nn.utils.rnn.PackedSequence(*map(self.read, parts))

    def _layer(self, name, args, kwargs):
        return self.layer(name)(*self.read(args), **self.read(kwargs))

    def layer(self, name):
        found = getattr(self.module.nn, name, None)
        if found is None:
            raise NoPlainFormError(f"nn.{name} is lacking")
        return found

    def _function(self, name):
        return getattr(self.module.nn.functional, name)
