"""Errors, compared with the record of PyTorch's answers."""

from support.reference import record_test, value_test

test_arguments = value_test("errors_arguments")
test_indices = value_test("errors_indices")
test_shapes = value_test("errors_shapes")
test_state = value_test("errors_state")
test_record = record_test("errors_arguments", "errors_indices", "errors_shapes", "errors_state")
