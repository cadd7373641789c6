"""Views and movement, compared with the record of PyTorch's answers."""

from support.reference import derivative_test, record_test, value_test

test_value = value_test("views")
test_derivative = derivative_test("views")
test_record = record_test("views")
