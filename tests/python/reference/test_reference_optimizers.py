"""Optimisers beside SGD and Adam, compared with the record of PyTorch's answers."""

from support.reference import record_test, value_test

test_value = value_test("optimizers")
test_record = record_test("optimizers")
