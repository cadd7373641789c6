"""opweave.compile(), which compiles nothing yet."""

import opweave as ow
import pytest
from opweave import _top


def test_functions_come_back_unchanged_with_one_warning():
    def function(x):
        return x + 1

    _top._warn_not_compiled.cache_clear()
    with pytest.warns(UserWarning, match="nothing is compiled yet") as caught:
        compiled = [ow.compile(function), ow.compile(mode="max-autotune")(function)]
    assert compiled == [function, function]
    assert len(caught) == 1
    assert caught[0].filename == __file__
