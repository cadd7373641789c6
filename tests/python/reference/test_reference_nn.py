"""Network operators, layers and losses, compared with the record of PyTorch's answers."""

from support.reference import derivative_test, record_test, value_test

test_value = value_test("nn")
test_derivative = derivative_test("nn")
test_layer_value = value_test("modules")
test_layer_derivative = derivative_test("modules")
test_record = record_test("nn", "modules")
