"""Pruned and orthogonal parameters, compared with the record of PyTorch's answers."""

from support.reference import record_test, value_test

test_value = value_test("nn_utils")
test_record = record_test("nn_utils")
