"""Tensors of complex numbers, compared with the record of PyTorch's answers."""

from support.reference import record_test, value_test

test_value = value_test("complex")
test_record = record_test("complex")
