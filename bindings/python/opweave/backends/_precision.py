"""How float32 operands may be rounded before products, convolutions and recurrent layers: a permission.

    generic ─┬─ mkldnn ── matmul, conv, rnn
             └─ cuda ──── matmul, conv, rnn

Where one says "none", the one above it decides. PyTorch's programs say it by many names: `fp32_precision` of
eight modules and objects, `allow_tf32` of two, and set_float32_matmul_precision(). All read and write this
tree. Kernels compute in float32 whatever it permits.
"""

from opweave.backends._settings import Setting, Settings

_ALL = ("ieee", "tf32", "bf16", "none")
_OF_CUDA = ("ieee", "tf32", "none")


class Precision(Setting):
    """`fp32_precision` of one place in the tree.

    Args:
        above: who decides where it says "none".
        first: what it says until it is assigned.
        known: what it may say.
    """

    def __init__(self, above=None, first="none", known=_ALL):
        self._above = above
        super().__init__(first, kind=str, known=known)

    @property
    def value(self):
        """What holds."""
        if self._own != "none" or self._above is None:
            return self._own
        decided = self._above.value
        return decided if decided in self.known else "none"

    @value.setter
    def value(self, value):
        self._own = value

    def state(self):
        """What it says itself."""
        return self._own


class AllowTF32(Setting):
    """`allow_tf32`: whether the precision of one or several places is "tf32".

    Args:
        precisions: of those places.
        otherwise: what they say where it is False.
    """

    def __init__(self, precisions, otherwise):
        self._precisions, self._otherwise = precisions, otherwise
        self.refused, self.kind, self.known = {}, bool, None

    @property
    def value(self):
        """Whether all are.

        Raises:
            RuntimeError: some are.
        """
        found = {precision.value == "tf32" for precision in self._precisions}
        if len(found) > 1:
            raise RuntimeError(
                "allow_tf32 is asked of places that differ: their fp32_precision was set one by one"
            )
        return found.pop()

    @value.setter
    def value(self, value):
        for precision in self._precisions:
            precision.value = "tf32" if value else self._otherwise

    def state(self):
        """That of each place."""
        return [precision.state() for precision in self._precisions]

    def restore(self, state):
        """Has each place be what it was."""
        for precision, of_place in zip(self._precisions, state, strict=True):
            precision.restore(of_place)


generic = Precision()
mkldnn = Precision(generic)
mkldnn_of = {op: Precision(mkldnn) for op in ("matmul", "conv", "rnn")}
cuda = Precision(generic, known=_OF_CUDA)
cuda_of = {
    "matmul": Precision(cuda, known=_OF_CUDA),
    "conv": Precision(cuda, first="tf32", known=_OF_CUDA),
    "rnn": Precision(cuda, first="tf32", known=_OF_CUDA),
}


def of_operator(name, precision):
    """The object with one `fp32_precision`, as backends.cudnn.conv is."""
    return Settings(name, {"fp32_precision": precision})


# What set_float32_matmul_precision() permits to products: on CUDA devices, and on the host.
_OF_MATMUL = {"highest": ("ieee", "ieee"), "high": ("tf32", "tf32"), "medium": ("tf32", "bf16")}


def set_float32_matmul(precision):
    """Permits what "highest", "high" or "medium" means; False for another word."""
    if precision not in _OF_MATMUL:
        return False
    cuda_of["matmul"].value, mkldnn_of["matmul"].value = _OF_MATMUL[precision]
    return True


def float32_matmul():
    """The word for what is permitted to products of float32 matrices, the coarsest on any device."""
    permitted = {cuda_of["matmul"].value, mkldnn_of["matmul"].value}
    return "medium" if "bf16" in permitted else "high" if "tf32" in permitted else "highest"
