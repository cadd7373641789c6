"""Result dtypes of operators over all dtypes, compared with the record of PyTorch's answers."""

from reference import promotion
from support.reference import promotion_test, recorded

test_promotion = promotion_test()


def test_record():
    assert sorted(recorded("promotion")) == sorted(promotion.questions())
