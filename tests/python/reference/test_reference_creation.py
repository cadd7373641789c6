"""Creation of tensors, dtypes and conversion, compared with the record of PyTorch's answers."""

from support.reference import derivative_test, record_test, value_test

test_value = value_test("creation")
test_derivative = derivative_test("creation")
test_record = record_test("creation")
