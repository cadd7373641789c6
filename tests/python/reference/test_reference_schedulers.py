"""Learning rate schedulers, compared with the record of PyTorch's learning rates."""

from support.reference import record_test, value_test

test_value = value_test("schedulers")
test_record = record_test("schedulers")
