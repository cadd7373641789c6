"""Network operators, layers and losses, compared with the record of PyTorch's answers."""

from support.reference import derivative_test, record_test, value_test

test_value = value_test("nn")
test_derivative = derivative_test("nn")
test_layer_value = value_test("modules")
test_layer_derivative = derivative_test("modules")
test_recurrent_value = value_test("recurrent")
test_recurrent_derivative = derivative_test("recurrent")
test_transformer_value = value_test("transformers")
test_transformer_derivative = derivative_test("transformers")
test_flex_attention_value = value_test("flex_attention")
test_more_layers_value = value_test("layers")
test_more_layers_derivative = derivative_test("layers")
test_composite_value = value_test("composites")
test_composite_derivative = derivative_test("composites")
test_volume_value = value_test("layers_of_volumes")
test_volume_derivative = derivative_test("layers_of_volumes")
test_more_composite_value = value_test("composites_more")
test_more_composite_derivative = derivative_test("composites_more")
test_record = record_test(
    "nn",
    "modules",
    "recurrent",
    "transformers",
    "flex_attention",
    "layers",
    "layers_of_volumes",
    "composites",
    "composites_more",
)
