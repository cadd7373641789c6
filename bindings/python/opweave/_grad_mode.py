"""Context managers and decorators that switch recording for gradients on and off.

What a decorator needs of the standard library is imported by the first one: it would take a third of the
time of `import opweave`.
"""

from opweave import _C


class _Mode:
    """A `with` block, or a decorator whose function runs inside such a block."""

    def clone(self):
        """Another one with the same setting."""
        return type(self)()

    def __call__(self, function):
        import functools
        import inspect

        if inspect.isclass(function):
            function = self._maker_of(function)
        if inspect.isgeneratorfunction(function):
            return self._wrap_generator(function)

        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            with self.clone():
                return function(*args, **kwargs)

        return wrapped

    @staticmethod
    def _maker_of(cls):
        import warnings

        warnings.warn(
            "Decorating classes is deprecated: objects are made within the block, and their methods run "
            "outside of it. Decorate the methods",
            FutureWarning,
            stacklevel=3,
        )
        return lambda *args, **kwargs: cls(*args, **kwargs)

    def _wrap_generator(self, function):
        """The mode holds while the generator runs, and not while its caller does."""
        import functools

        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            generator = function(*args, **kwargs)
            send, value = generator.send, None
            try:
                while True:
                    with self.clone():
                        try:
                            item = send(value)
                        except StopIteration as stop:
                            return stop.value
                    try:
                        value = yield item
                        send = generator.send
                    except GeneratorExit:
                        raise
                    except BaseException as error:
                        send, value = generator.throw, error
            finally:
                with self.clone():
                    generator.close()

        return wrapped


class _GradMode(_Mode):
    _enabled = True
    _previous = ()  # one for each time that it is entered

    def __new__(cls, function=None):
        self = super().__new__(cls)
        if function is None:
            return self
        self.__init__()
        return self(function)  # `@no_grad` without parentheses

    def __enter__(self):
        self._previous = (*self._previous, _C.is_grad_enabled())
        _C._set_grad_enabled(self._enabled)

    def __exit__(self, *exception):
        previous = self._previous[-1]
        self._previous = self._previous[:-1]
        _C._set_grad_enabled(previous)


class no_grad(_GradMode):  # noqa: N801
    """Operations inside are not recorded."""

    _enabled = False


class enable_grad(_GradMode):  # noqa: N801
    """Operations inside are recorded, also inside of no_grad."""


class set_grad_enabled(_Mode):  # noqa: N801
    """Sets recording at once; as a `with` block, sets it back at the end.

    Raises:
        TypeError: no bool.
    """

    def __init__(self, mode):
        if not isinstance(mode, bool):
            raise TypeError(
                "set_grad_enabled(): argument 'enabled' (position 1) must be bool, not "
                f"{type(mode).__name__}"
            )
        self._mode = mode
        self._previous = _C.is_grad_enabled()
        _C._set_grad_enabled(self._mode)

    def __call__(self, function):
        _C._set_grad_enabled(self._previous)  # a decorator changes nothing but its function
        return super().__call__(function)

    def clone(self):
        """Another one with the same setting, which acts at once."""
        return set_grad_enabled(self._mode)

    def __enter__(self):
        _C._set_grad_enabled(self._mode)

    def __exit__(self, *exception):
        _C._set_grad_enabled(self._previous)


class inference_mode(_Mode):  # noqa: N801
    """Like no_grad; tensors made inside can never take part in recording, and cost less.

    It ends with the block, or with this object where a signal's handler raises between two lines of
    `__enter__` or `__exit__`: an error behind it would otherwise meet tensors that no gradient reaches.
    """

    _guards = ()  # one for each time that it is entered

    def __new__(cls, mode=True):
        self = super().__new__(cls)
        if callable(mode):
            self._mode = True
            return self(mode)
        return self

    def __init__(self, mode=True):
        self._mode = mode

    def clone(self):
        """Another one with the same setting."""
        return inference_mode(self._mode)

    def __enter__(self):
        self._guards = (*self._guards, _C._inference_guard(self._mode))

    def __exit__(self, *exception):
        self._guards = self._guards[:-1]
