"""The operators of kept: functions of this module, of `opweave` and methods of tensors, as entries say."""

from opweave._libraries import load_package

load_package(__name__, __file__)
del load_package
