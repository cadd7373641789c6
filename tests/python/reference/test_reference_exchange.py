"""Tensors of other libraries' objects, compared with the record of PyTorch's answers."""

from support.reference import derivative_test, record_test, value_test

test_value = value_test("exchange")
test_derivative = derivative_test("exchange")
test_record = record_test("exchange")
