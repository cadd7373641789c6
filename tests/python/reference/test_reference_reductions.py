"""Reductions, scans and sorting, compared with the record of PyTorch's answers."""

from support.reference import derivative_test, record_test, value_test

test_value = value_test("reductions")
test_derivative = derivative_test("reductions")
test_record = record_test("reductions")
