"""Infinities, NaN and huge numbers, compared with the record of PyTorch's answers."""

from support.reference import derivative_test, record_test, value_test

test_value = value_test("extremes")
test_derivative = derivative_test("extremes")
test_record = record_test("extremes")
