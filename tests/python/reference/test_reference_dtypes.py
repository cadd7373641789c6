"""What the dtypes are and can do, compared with the record of PyTorch's answers."""

from support.reference import record_test, value_test

test_value = value_test("dtypes")
test_record = record_test("dtypes")
