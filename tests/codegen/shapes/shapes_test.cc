// `opweave shapes`: sizes as expressions, and when they hold.
#include <doctest/doctest.h>

#include "codegen/shapes/value.h"
#include "tests/codegen/shapes/answers.h"

namespace opweave::codegen {
namespace {

TEST_CASE("sizes are polynomials") {
  const Size h = Size::named("H"), w = Size::named("W");
  CHECK((h + 1 - 1).text() == "H");
  CHECK((h * w + w * h).text() == "2*H*W");
  CHECK((h - w).text() == "H - W");
  CHECK((Size(3) - h).text() == "-H + 3");
  CHECK(Size(0).text() == "0");
  CHECK((h * 0) == Size(0));
  CHECK((h + 2).least() == 4);
  CHECK_FALSE((h - w).least());
}

TEST_CASE("quotients take out what divides") {
  const Size h = Size::named("H");
  CHECK(Size::floor_div(h * 2, 2) == h);
  CHECK(Size::floor_div(h * 2 + 3, 2) == h + 1);
  CHECK(Size::floor_div(h + 5, 2).text() == "(H + 1)//2 + 2");
  CHECK(Size::floor_div(h - 1, 2).text() == "(H + 1)//2 - 1");
  CHECK(Size::floor_div(-7, 2) == Size(-4));
  CHECK(Size::floor_div(h, h) == Size(1));
}

TEST_CASE("conditions are decided where the least sizes decide") {
  using Kind = Condition::Kind;
  const Size h = Size::named("H"), w = Size::named("W");
  CHECK(equal(h, h).kind == Kind::yes);
  CHECK(equal(h, h + 1).kind == Kind::no);
  CHECK(equal(h, 1).kind == Kind::no);
  CHECK(equal(h, 3).text == "H == 3");
  CHECK(less(Size(0), h).kind == Kind::yes);
  CHECK(less_or_equal(h, w).text == "H <= W");
  CHECK(both(equal(h, 3), less(h, w)).text == "H == 3 && H < W");
  CHECK(negated(equal(h, w)).text == "!(H == W)");
}

TEST_CASE("rules hold for unknown sizes") {
  CHECK(shapes().of("mm([N, 3], [3, M])") == "result: [N, M] float32\n");
  CHECK(shapes().of("mm([N, K], [3, M])") == "result: [N, M] float32\nwhere K == 3\n");
  CHECK(shapes().of("linear(x: [B, T, 8], w: [O, 8], b: [O])") ==
        "result: [B, T, O] float32\nx is 'input'\nw is 'weight'\nb is 'bias'\n");
  CHECK(shapes().of("baddbmm([1, M], [B, N, 3], [B, 3, M])") == "result: [B, N, M] float32\n");
}

TEST_CASE("dimensions and options of rules have to be known, sizes need not") {
  CHECK(shapes().of("sum.dim_IntList([N, 3, H]:int32, [0, -1], true)") ==
        "result: [1, 3, 1] int64\n");
  CHECK(shapes().of("argmax([N, C])") == "result: [] int64\n");
  CHECK(shapes().of("argmax([N, C], 1)") == "result: [N] int64\n");
  CHECK(shapes().of("any.dim([N, C]:uint8, 0)") == "result: [C] uint8\n");
  CHECK(shapes().of("max.dim([N, C], 1)") == "values: [N] float32\nindices: [N] int64\n");
  CHECK(shapes().of("topk([N, C], 3, 1)") ==
        "values: [N, 3] float32\nindices: [N, 3] int64\nwhere 3 <= C\n");
  CHECK(shapes().of("native_layer_norm([N, T, C]:float16, [C], none, none, 0.1)") ==
        "result0: [N, T, C] float16\nresult1: [N, T, 1] float32\nresult2: [N, T, 1] float32\n");
  CHECK(shapes().of("cumsum([N, C], 2)") ==
        "Dimension out of range (expected to be in range of [-2, 1], but got 2)");
  CHECK(shapes().of("amax([N, 0], [-1])") ==
        "amax(): Expected reduction dim 1 to have non-zero size.");
}

TEST_CASE("windows of convolutions and poolings") {
  CHECK(
      shapes().of("convolution([N, 3, H, W], [64, 3, 3, 3], none, [1], [1], [1], false, [0], 1)") ==
      "result: [N, 64, H, W] float32\n");
  CHECK(
      shapes().of("convolution([N, 3, H, 8], [64, 3, 3, 3], none, [2], [1], [1], false, [0], 1)") ==
      "result: [N, 64, (H + 1)//2, 4] float32\n");
  CHECK(shapes().of("avg_pool2d([N, C, H, W], 2)") == "result: [N, C, H//2, W//2] float32\n");
}

TEST_CASE("pointwise operators broadcast") {
  CHECK(shapes().of("add([N, 1, H], [C, H])") == "result: [N, C, H] float32\n");
  CHECK(shapes().of("add([N, H], [M, H])") == "result: [N, H] float32\nwhere N == M\n");
  CHECK(shapes().of("lt([N]:float64, [N]:float64)") == "result: [N] bool\n");
}

TEST_CASE("calls compose") {
  CHECK(shapes().of("mm(mm([N, 3], [3, M]), [M, 5])") == "result: [N, 5] float32\n");
  CHECK(shapes().of("mm(mm([N, 3], [3, M]), [4, 5])") == "result: [N, 5] float32\nwhere M == 4\n");
  CHECK(shapes().of("relu(mm([N, 3]:float64, [3, M]:float64))") == "result: [N, M] float64\n");
}

TEST_CASE("what is refused says why") {
  CHECK(shapes().of("mm([N, 4], [3, M])") ==
        "mm: mat1 and mat2 shapes cannot be multiplied (Nx4 and 3xM)");
  CHECK(shapes().of("mm([N], [3, M])") == "mm: self must be a matrix, got 1-D tensor");
  CHECK(shapes().of("mm([N, 3]:float64, [3, M])") ==
        "expected m1 and m2 to have the same dtype, but got: double != float");
  CHECK(shapes().of("nonzero([N])") == "nonzero(): the elements decide what its results look like");
}

TEST_CASE("calls that cannot be read are errors with a place") {
  CHECK(shapes().of("mmm([N])") == "unknown operator 'mmm'");
  CHECK(shapes().of("mm([N, 3") == "expected ',' or ']'");
  CHECK(shapes().of("mm([N, 3])") == "in the call of 'mm': the argument 'mat2' is missing");
  CHECK(shapes().of("mm([N, 3], 4)") == "in the call of 'mm': 'mat2' has to be Tensor");
  CHECK(shapes().of("mm([N, 3], [3, M], mat3=[1])") ==
        "in the call of 'mm': there is no argument 'mat3'");
  CHECK(shapes().of("[N, 3]") == "expected a call such as 'mm([N, 3], [3, M])'");
  CHECK(shapes().of("") == "expected a size, a list or a call");
}

TEST_CASE("operators that are made of others answer by the rules of those") {
  CHECK(shapes().of("conv2d(x: [N, 3, H, W], w: [64, 3, 3, 3])") ==
        "result: [N, 64, H - 2, W - 2] float32\nwhere 3 <= H && 3 <= W\nx is 'input'\nw is "
        "'weight'\n");
  CHECK(shapes().of("conv2d([3, 8, 8], [64, 3, 3, 3], stride=2, padding=1)") ==
        "result: [64, 4, 4] float32\n");
  CHECK(shapes().of("matmul([B, T, D], [E, D])") == "result: [B, T, D] float32\nwhere D == E\n");
  CHECK(shapes().of("flatten(conv2d([N, 3, 32, 32], [8, 3, 3, 3], stride=2), 1)") ==
        "result: [N, 1800] float32 strides [1800, 1]\n");
  CHECK(shapes().of("einsum('bij,bjk->bik', [[B, N, 3], [B, 3, M]])") ==
        "result: [B, N, M] float32\n");
  CHECK(shapes().of("cross_entropy_loss([N, C], [N]:int64)") == "result: [] float32\n");
  CHECK(shapes().of("cat([[N, 3], [M, 3]], 0)") == "result: [M + N, 3] float32\n");
  CHECK(shapes().of("aminmax([N, C], dim=1)") == "min: [N] float32\nmax: [N] float32\n");
}

TEST_CASE("views say where they lie") {
  CHECK(shapes().of("transpose([N, M, K], 0, 2)") ==
        "result: [K, M, N] float32 strides [1, K, K*M] offset 0\n");
  CHECK(shapes().of("select([N, M], 1, 3)") ==
        "result: [N] float32 strides [M] offset 3\nwhere 3 < M\n");
  CHECK(shapes().of("select([N, M], 1, -1)") == "result: [N] float32 strides [M] offset M - 1\n");
  CHECK(shapes().of("slice([N, 12], 1, 2, 10, 2)") ==
        "result: [N, 4] float32 strides [12, 2] offset 2\n");
  CHECK(shapes().of("slice([N, M], 0, 2)") ==
        "result: [N - 2, M] float32 strides [M, 1] offset 2*M\n");
  CHECK(shapes().of("view([N, 4, H], [N, -1])") ==
        "result: [N, 4*H] float32 strides [4*H, 1] offset 0\n");
  CHECK(shapes().of("view(transpose([N, M], 0, 1), [-1])") ==
        "view size is not compatible with input tensor's size and stride");
  CHECK(shapes().of("reshape(transpose([N, M], 0, 1), [-1])") ==
        "result: [M*N] float32 strides [1]\n");
  CHECK(shapes().of("expand([N, 1], [-1, 5])") ==
        "result: [N, 5] float32 strides [1, 0] offset 0\n");
  CHECK(shapes().of("diagonal([N, 4, 4], 1, 1, 2)") ==
        "result: [N, 3] float32 strides [16, 5] offset 1\n");
  CHECK(shapes().of("split([N, 10], 4, 1)") ==
        "result[0]: [N, 4] float32 strides [10, 1] offset 0\n"
        "result[1]: [N, 4] float32 strides [10, 1] offset 4\n"
        "result[2]: [N, 2] float32 strides [10, 1] offset 8\n");
  CHECK(shapes().of("as_strided([N], [2, 2], [1, 1], 1)") ==
        "result: [2, 2] float32 strides [1, 1] offset 1\n");
}

TEST_CASE("sizes times factors") {
  CHECK(shapes().of("upsample_nearest2d.vec([N, C, 4, 5], none, [2.0, 1.5])") ==
        "result: [N, C, 8, 7] float32\n");
  CHECK(shapes().of("upsample_bilinear2d.vec([N, C, H, W], none, true, [2, 3])") ==
        "result: [N, C, 2*H, 3*W] float32\n");
  CHECK(shapes().of("upsample_bilinear2d.vec([N, C, H, W], [7, 8], true, none)") ==
        "result: [N, C, 7, 8] float32\n");
  CHECK(shapes().of("upsample_nearest1d.vec([N, C, W], none, [0.5])") ==
        "a size that is not known, times a number, is not known");
  CHECK(shapes().of("upsample_nearest1d.vec([N, C, 4], none, [1e300])") ==
        "a size of 4e+300 is out of the range of 64-bit integers");
}

TEST_CASE("conditions about all sizes but one") {
  CHECK(shapes().of("gather([N, M], 1, [K, 2]:int64)") == "result: [K, 2] float32\nwhere K <= N\n");
  CHECK(shapes().of("index_add([N, M], 0, [2]:int64, [2, K])") == "result: [N, M] float32\n");
  CHECK(shapes().of("flip([N, M], [0, 0])") ==
        "flip(): dim 0 appears multiple times in the list of dims [0, 0]");
  CHECK(shapes().of("flip([N, M], [0, -1])") == "result: [N, M] float32\n");
  CHECK(shapes().of("conv_transpose2d([N, 3, 8, 8], [3, 4, 3, 3], stride=2, output_padding=1)") ==
        "result: [N, 4, 18, 18] float32\n");
  CHECK(shapes().of("conv_transpose2d([N, 3, 8, 8], [3, 4, 3, 3], output_padding=1)") ==
        "output padding must be smaller than either stride or dilation, but got output_padding: "
        "[1, 1] stride: [1, 1] dilation: [1, 1]");
}

}  // namespace
}  // namespace opweave::codegen
