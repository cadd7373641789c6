"""Functions beside the optimisers' classes, compared with the record of PyTorch's answers."""

from support.reference import record_test, value_test

test_value = value_test("optimizer_forms")
test_record = record_test("optimizer_forms")
