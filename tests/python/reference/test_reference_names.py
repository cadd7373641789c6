"""Names that few programs use, compared with the record of PyTorch's answers."""

from support.reference import derivative_test, record_test, value_test

test_nn_value = value_test("names_nn")
test_nn_derivative = derivative_test("names_nn")
test_top_value = value_test("names_top")
test_top_derivative = derivative_test("names_top")
test_module_value = value_test("names_modules")
test_record = record_test("names_nn", "names_top", "names_modules")
