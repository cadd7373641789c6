"""Learning rate schedulers and averages of weights, compared with the record of PyTorch's answers."""

from support.reference import record_test, value_test

test_rates = value_test("schedulers")
test_averages = value_test("averages")
test_refusals = value_test("scheduler_errors")
test_record = record_test("schedulers", "scheduler_errors", "averages")
