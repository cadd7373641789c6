"""Indexing, selecting and scattering, compared with the record of PyTorch's answers."""

from support.reference import derivative_test, record_test, value_test

test_value = value_test("indexing")
test_derivative = derivative_test("indexing")
test_record = record_test("indexing")
