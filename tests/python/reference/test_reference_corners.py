"""Corners of functions that call several operators, compared with the record of PyTorch's answers."""

from support.reference import derivative_test, record_test, value_test

test_value = value_test("corners")
test_derivative = derivative_test("corners")
test_record = record_test("corners")
