"""Operators whose results lie in memory otherwise than in PyTorch, and why."""


def _names(text):
    return frozenset(text.split())


# The copy of the first tensor that is changed keeps its order in memory, as `clone` does; PyTorch's is
# contiguous. So do pointwise operators without an exception.
KEPT = _names("""
    log_sigmoid rot90 rrelu slice_scatter
""")
# A batch of one looks like images whose channels lie together when a dimension of size 1 is put between.
ONE_IMAGE = _names("""
    adaptive_avg_pool1d adaptive_max_pool1d avg_pool1d max_pool1d max_pool1d_with_indices
""")
# An algorithm of PyTorch shows: the indices are found a dimension at a time, or the function is one of
# Python that returns only what is asked for, or a step writes `out`, whose size is then another one; zeros
# that stand for vectors nobody asked for lie in columns but in `out`.
ALGORITHM = _names("""
    argwhere binary_cross_entropy kron nanquantile nonzero quantile svd take unique_consecutive
""")

TABLES = (KEPT, ONE_IMAGE, ALGORITHM)


def excused(operator):
    return any(operator.full_name in table for table in TABLES)
