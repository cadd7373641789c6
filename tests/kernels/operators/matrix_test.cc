// Products of matrices over dtypes and layouts, against plain loops.
#include "kernels/cpu/linear_algebra/gemm.h"
#include "opweave/ops/addmm.h"
#include "opweave/ops/bmm.h"
#include "opweave/ops/dot.h"
#include "opweave/ops/einsum.h"
#include "opweave/ops/linear.h"
#include "opweave/ops/matmul.h"
#include "opweave/ops/mm.h"
#include "opweave/ops/mv.h"
#include "tests/kernels/operators/support.h"

using namespace opweave;
using namespace opweave::test;

namespace {

std::vector<double> product(const Tensor& a, const Tensor& b) {
  std::vector<double> result;
  for (int64_t i = 0; i < a.size(0); ++i) {
    for (int64_t j = 0; j < b.size(1); ++j) {
      double sum = 0;
      for (int64_t k = 0; k < a.size(1); ++k) {
        sum += get(a, DimVector{i, k}) * get(b, DimVector{k, j});
      }
      result.push_back(sum);
    }
  }
  return result;
}

struct Shape {
  int64_t m, k, n;
};
constexpr Shape kShapes[] = {{1, 1, 1},   {2, 3, 4},     {5, 1, 7},     {1, 9, 5}, {6, 8, 1},
                             {9, 17, 33}, {70, 130, 40}, {65, 257, 31}, {3, 0, 2}};

}  // namespace

TEST_CASE("mm for every dtype and layout") {
  for (const Shape& s : kShapes) {
    for (ScalarType dtype : kAllTypes) {
      if (dtype == kBool || (s.m > 60 && !is_floating(dtype))) continue;
      for (Order left : kOrders) {
        for (Order right : kOrders) {
          INFO(s.m, "x", s.k, "x", s.n, " ", str(dtype), " ", name_of(left), " ", name_of(right));
          const Tensor a = random_tensor(IntList{s.m, s.k}, dtype, left);
          const Tensor b = random_tensor(IntList{s.k, s.n}, dtype, right, 2);
          std::vector<double> wanted = product(a, b);
          if (dtype == kByte || dtype == kChar) {  // which wrap
            for (double& v : wanted) v = dtype == kByte ? uint8_t(int64_t(v)) : int8_t(int64_t(v));
          }
          check_near(opweave::mm(a, b), wanted, tolerance(dtype));
        }
      }
    }
  }
}

TEST_CASE("addmm scales, broadcasts, and leaves out what does not count") {
  for (ScalarType dtype : {kFloat, kDouble, kLong}) {
    const Tensor a = random_tensor(IntList{4, 5}, dtype), b = random_tensor(IntList{5, 3}, dtype);
    const Tensor row = random_tensor(IntList{3}, dtype, Order::kContiguous, 3);
    const std::vector<double> p = product(a, b);
    std::vector<double> wanted;
    for (size_t i = 0; i < p.size(); ++i) wanted.push_back(2 * get(row, int64_t(i % 3)) + 3 * p[i]);
    check_near(opweave::addmm(row, a, b, 2, 3), wanted, tolerance(dtype));
    if (dtype == kLong) continue;
    Tensor nan = make_ordered(IntList{4, 3}, dtype, Order::kContiguous);
    for (int64_t i = 0; i < 12; ++i) set(nan, i, std::nan(""));
    check_near(opweave::addmm(nan, a, b, 0, 1), p, tolerance(dtype));
  }
}

TEST_CASE("vectors and batches") {
  for (ScalarType dtype : {kFloat, kDouble, kHalf, kInt}) {
    const Tensor a = random_tensor(IntList{6, 7}, dtype, Order::kReversed);
    const Tensor v = random_tensor(IntList{7}, dtype, Order::kSpaced, 4);
    const Tensor column = make_alias(v, IntList{7, 1}, IntList{v.strides()[0], 1}, 0);
    check_near(opweave::mv(a, v), product(a, column), tolerance(dtype));
    const Tensor row = make_alias(v, IntList{1, 7}, IntList{7, v.strides()[0]}, 0);
    check_near(opweave::dot(v, v), product(row, column), tolerance(dtype));
    const Tensor x = random_tensor(IntList{3, 4, 5}, dtype);
    const Tensor y = random_tensor(IntList{3, 5, 2}, dtype, Order::kExpanded, 5);
    std::vector<double> wanted;
    for (int64_t i = 0; i < 3; ++i) {
      const Tensor xi = make_alias(x, IntList{4, 5}, IntList{5, 1}, i * 20);
      const Tensor yi = make_alias(y, IntList{5, 2}, IntList{2, 1}, 0);
      for (double p : product(xi, yi)) wanted.push_back(p);
    }
    check_near(opweave::bmm(x, y), wanted, tolerance(dtype));
    check_near(opweave::matmul(x, y), wanted, tolerance(dtype));
    const Tensor operands[] = {x, y};
    check_near(opweave::einsum("bij,bjk->bik", operands), wanted, tolerance(dtype));
  }
}

TEST_CASE("linear over leading dimensions, with and without bias") {
  const Tensor x = random_tensor(IntList{2, 3, 5}, kFloat, Order::kReversed);
  const Tensor w = random_tensor(IntList{4, 5}, kFloat, Order::kContiguous, 2);
  const Tensor b = random_tensor(IntList{4}, kFloat, Order::kContiguous, 3);
  std::vector<double> wanted, with_bias;
  for (int64_t i = 0; i < 6; ++i) {
    for (int64_t o = 0; o < 4; ++o) {
      double sum = 0;
      for (int64_t k = 0; k < 5; ++k) sum += get(x, {i / 3, i % 3, k}) * get(w, {o, k});
      wanted.push_back(sum);
      with_bias.push_back(sum + get(b, o));
    }
  }
  check_near(opweave::linear(x, w, Tensor()), wanted, 1e-5);
  check_near(opweave::linear(x, w, b), with_bias, 1e-5);
}

TEST_CASE("errors of products") {
  const Tensor a = random_tensor(IntList{2, 3}, kFloat), v = random_tensor(IntList{3}, kFloat);
  CHECK_THROWS_WITH(opweave::mm(a, a),
                    "mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)");
  CHECK_THROWS_WITH(opweave::mm(a, v), "mm: mat2 must be a matrix, got 1-D tensor");
  CHECK_THROWS_WITH(opweave::mm(a, random_tensor(IntList{3, 2}, kLong)),
                    "expected m1 and m2 to have the same dtype, but got: float != long int");
  CHECK_THROWS_WITH(opweave::dot(v, random_tensor(IntList{4}, kFloat)),
                    "inconsistent tensor size, expected tensor [3] and src [4] to have the same "
                    "number of elements, but got 3 and 4 elements respectively");
  const Tensor one[] = {a};
  CHECK_THROWS_WITH(opweave::einsum("ij->ik", one),
                    "einsum(): output subscript k does not appear in the equation for any input "
                    "operand");
}
