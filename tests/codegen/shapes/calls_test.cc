// `opweave shapes`: what a call may say, and what is wrong with it.
#include <doctest/doctest.h>

#include <chrono>

#include "tests/codegen/shapes/answers.h"

namespace opweave::codegen {
namespace {

TEST_CASE("dtypes are those of the runtime") {
  CHECK(shapes().of("exp([N]:int64)") == "result: [N] float32\n");
  // A number has a dimension 0 that can be named.
  CHECK(shapes().of("movedim([], [0], [-1])") == "result: [] float32 strides [] offset 0\n");
  CHECK(shapes().of("div([N]:int64, [N]:int64)") == "result: [N] float32\n");
  CHECK(shapes().of("mul([N]:int8, 2.5)") == "result: [N] float32\n");
  CHECK(shapes().of("add([N]:int8, [N]:float16)") == "result: [N] float16\n");
  CHECK(shapes().of("cumsum([N, M]:uint16, 0)") == "result: [N, M] int64\n");
  CHECK(shapes().of("sum([N], [0], dtype=long)") == "result: [] int64\n");
}

TEST_CASE("tensors of more elements than an int counts are refused, as arguments and as results") {
  CHECK(shapes().of("add([9223372036854775807, 2], [1])") ==
        "numel: the product of sizes [9223372036854775807, 2] overflows int64");
  CHECK(shapes().of("add([9223372036854775807, 1], [1, 2])") ==
        "numel: the product of sizes [9223372036854775807, 2] overflows int64");
  CHECK(shapes().of("reshape([4611686018427387904, 4], [-1])") ==
        "numel: the product of sizes [4611686018427387904, 4] overflows int64");
  CHECK(shapes().of("add([9223372036854775807, 0, 2], [1])") ==
        "numel: the product of sizes [9223372036854775807, 0, 2] overflows int64");
  CHECK(shapes().of("split([4611686018427387904], 1)") ==
        "working out the sizes takes more than 1000000 steps or list elements");
}

TEST_CASE("dtypes that an operator does not take are refused as it does") {
  CHECK(shapes().of("exp([N]:float8_e5m2)") == "\"exp\" not implemented for 'Float8_e5m2'");
  CHECK(shapes().of("bitwise_and([N], [N])") == "\"bitwise_and\" not implemented for 'Float'");
  CHECK(shapes().of("where([N]:int8, [N], [N])") ==
        "where(): expected argument 'condition' to be a boolean tensor, but got a tensor with "
        "dtype Char");
  CHECK(shapes().of("add([N]:uint16, [N]:uint32)") ==
        "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote UInt16 "
        "and UInt32");
  CHECK(shapes().of("add([N]:int32, [N]:int32, alpha=2.5)") ==
        "For integral input tensors, argument alpha must not be a floating point number.");
  CHECK(shapes().of("add([N]:int32, 2, alpha=2.5)") ==
        "For integral input tensors, argument alpha must not be a floating point number.");
  CHECK(shapes().of("addcmul([N]:int32, [N]:int32, [N]:int32, value=2.5)") ==
        "result: [N] int32\n");
  CHECK(shapes().of("mean([N]:float8_e5m2)") == "\"mean\" not implemented for 'Float8_e5m2'");
  CHECK(shapes().of("relu([N]:nosuch)") == "unknown dtype 'nosuch'");
}

TEST_CASE("what functions for all targets require is refused as they do") {
  CHECK(shapes().of("bilinear([2, 3], [2, 4], [5, 9, 9])") ==
        "bilinear(): input1 size does not match weight size: got 3 but expected 9");
  CHECK(shapes().of("bilinear([2, 3], [7, 4], [5, 3, 4])") ==
        "bilinear(): input batch dimensions do not match: got [2] and [7]");
  CHECK(shapes().of("bilinear([N, A], [M, B], [O, A, B], [O])") ==
        "result: [N, O] float32\nwhere N == M\n");
  CHECK(shapes().of("addmv([2, 3], [3, 4], [4])") ==
        "size mismatch, got input (6), mat (3x4), vec (4)");
  CHECK(shapes().of("fliplr([3])") == "Input must be >= 2-d.");
  CHECK(shapes().of("roll([3, 4], [1, 2], [0])") ==
        "roll(): shifts and dimensions must align. shifts: 2, dims: 1");
  CHECK(shapes().of("glu([N, 3])") == "Halving dimension must be even, but dimension 1 is size 3");
  CHECK(shapes().of("pad([N, 3]:bool, [1, 2], 'reflect')") ==
        "\"reflection_pad1d\" not implemented for 'Bool'");
  CHECK(shapes().of("take_along_dim([N, 3], [2]:int32, 0)") ==
        "take_along_dim(): dtype of indices should be Long but got Int");
}

TEST_CASE("losses and masks broadcast to one of their tensors, and no further") {
  CHECK(shapes().of("huber_loss([3], [4])") ==
        "the size 3 does not broadcast with 4 at dimension 0");
  CHECK(shapes().of("binary_cross_entropy([3], [4])") ==
        "the size 3 does not broadcast with 4 at dimension 0");
  CHECK(shapes().of("binary_cross_entropy([3], [2, 3])") ==
        "output with shape [3] doesn't match the broadcast shape [2, 3]");
  CHECK(shapes().of("binary_cross_entropy_with_logits([N, M], [M], none, none, 0)") ==
        "output with shape [M] doesn't match the broadcast shape [N, M]");
  CHECK(shapes().of("huber_loss([N, M]:float64, [M], 0)") == "result: [N, M] float64\n");
  CHECK(shapes().of("smooth_l1_loss([N], [N], 3)") == "Invalid reduction type encountered: 3");
  CHECK(
      shapes().of("scaled_dot_product_attention([N, L, E], [N, S, E], [N, S, V], [2, N, L, S])") ==
      "output with shape [N, L, S] doesn't match the broadcast shape [2, N, L, S]");
  CHECK(shapes().of("scaled_dot_product_attention([4, L, E], [2, S, E], [2, S, V], [L, S], "
                    "enable_gqa=true)") == "result: [4, L, V] float32\n");
}

TEST_CASE("what is written keeps its sizes and its dtype") {
  CHECK(shapes().of("add_([N, M], [M]:int64)") == "result: [N, M] float32\n");
  CHECK(shapes().of("add_([N], [M])") == "result: [N] float32\nwhere N == M\n");
  CHECK(shapes().of("add_([3], [2, 3])") ==
        "output with shape [3] doesn't match the broadcast shape [2, 3]");
  CHECK(shapes().of("add_([N]:int64, [N])") ==
        "result type Float can't be cast to the desired output type Long");
}

TEST_CASE("conditions about numbers and elements stay open") {
  CHECK(shapes().of("fill_([N], 3.5)") == "result: [N] float32\n");
}

TEST_CASE("names are those of arguments where one of them is") {
  CHECK(shapes().of("mm(mat2: [A, 3], self: [C, A])") == "result: [C, 3] float32\n");
  CHECK(shapes().of("linear(x: [B, 8], weight: [O, 8])") ==
        "in the call of 'linear': there is no argument 'x'");
  CHECK(shapes().of("sum([N, M], nosuch: 3)") ==
        "in the call of 'sum': there is no argument 'nosuch'");
  CHECK(shapes().of("mm(x: [N, 3], x: [3, M])") ==
        "in the call of 'mm': the name 'x' is given twice");
  CHECK(shapes().of("mm(a: [N, 3], b: [3, M])") ==
        "result: [N, M] float32\na is 'self'\nb is 'mat2'\n");
  CHECK(shapes().of("mse_loss([N], [N], reduction: Sum)") == "result: [] float32\n");
}

TEST_CASE("sizes are whole numbers of 64 bits, at least 0, or names") {
  CHECK(shapes().of("mm([-1, 3], [3, M])") ==
        "in the call of 'mm': '-1' is not a size, which is at least 0");
  for (const char* wrong : {"true", "none", "float32", "9223372036854775808", "1.5"}) {
    CAPTURE(wrong);
    CHECK(shapes().of(std::string("relu([") + wrong + "])") ==
          std::string("in the call of 'relu': '") + wrong +
              "' is not a whole number of 64 bits, or a name for one");
  }
  CHECK(shapes().of("convolution([N, 3, H, W], [64, 3, 3, 3], none, [1], [9223372036854775807], "
                    "[1], false, [0], 1)") == "a size is out of the range of 64-bit integers");
  CHECK(shapes().of("sum([N, M], [0, 0])") == "dim 0 appears multiple times in the list of dims");
  CHECK(shapes().of("as_strided([N], [2, 2], [1], 1)") == "as_strided(): 1 strides for 2 sizes");
}

TEST_CASE("what is long has a name, and nested calls stay short") {
  CHECK(shapes().of("max_pool2d([N, C, H, 8], 3, 2, 1, 1, true)") ==
        "result: [N, C, $1, 5] float32\n"
        "with $1 = (H + 1 <= 2*(H//2) ? H//2 : H//2 + 1)\n");
  std::string call = "[N, C, H, W]";
  for (int i = 0; i < 14; ++i) call = "max_pool2d(" + call + ", 3, 2, 1, 1, true)";
  const auto begin = std::chrono::steady_clock::now();
  CHECK(shapes().of(call).size() < 5000);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(1));
}

}  // namespace
}  // namespace opweave::codegen
