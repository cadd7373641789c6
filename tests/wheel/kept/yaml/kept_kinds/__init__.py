"""The operators of kept_kinds: functions of this module, of `opweave` and methods of tensors."""

from opweave._libraries import load_package

load_package(__name__, __file__)
del load_package
