# Types of opweave.return_types. Those of operators are generated, one for all that have the same names.
from typing import Any, NamedTuple

from opweave._C import Tensor
from opweave._generated import _U_S_V, _hist_bin_edges, _min_max, _values_indices

class frexp(NamedTuple):
    mantissa: Tensor
    exponent: Tensor

class linalg_svd(NamedTuple):
    U: Tensor
    S: Tensor
    Vh: Tensor

aminmax = _min_max
cummax = _values_indices
cummin = _values_indices
histogram = _hist_bin_edges
kthvalue = _values_indices
max = _values_indices
median = _values_indices
min = _values_indices
mode = _values_indices
nanmedian = _values_indices
sort = _values_indices
svd = _U_S_V
topk = _values_indices
aminmax_out = _min_max
cummax_out = _values_indices
cummin_out = _values_indices
frexp_out = frexp
histogram_out = _hist_bin_edges
kthvalue_out = _values_indices
linalg_svd_out = linalg_svd
max_out = _values_indices
median_out = _values_indices
min_out = _values_indices
mode_out = _values_indices
nanmedian_out = _values_indices
sort_out = _values_indices
svd_out = _U_S_V
topk_out = _values_indices
all_return_types: list[type[Any]]
