// gradient: differences of neighbouring elements by their distance, along dimensions of a grid:
// central ones, and at the ends one-sided, of two elements or of three.
// Formulas: Lagrange's interpolation at unequal distances (Quarteroni, Sacco, Saleri, "Numerical
// Mathematics", 10.10).
#include <algorithm>
#include <numeric>

#include "opweave/kernels/composite/gradient.h"
#include "opweave/ops/add.h"
#include "opweave/ops/cat.h"
#include "opweave/ops/diff.h"
#include "opweave/ops/div.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/narrow.h"
#include "opweave/ops/neg.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/select.h"
#include "opweave/ops/sub.h"
#include "runtime/core/tensor/dim_vector.h"

namespace opweave::composite {
namespace {

Tensor operator+(const Tensor& a, const Tensor& b) { return opweave::add(a, b); }
Tensor operator-(const Tensor& a, const Tensor& b) { return opweave::sub(a, b); }
Tensor operator*(const Tensor& a, const Tensor& b) { return opweave::mul(a, b); }
Tensor operator/(const Tensor& a, const Tensor& b) { return opweave::div(a, b); }
Tensor operator-(const Tensor& a) { return opweave::neg(a); }
Tensor operator*(double a, const Tensor& b) { return opweave::mul(b, Scalar(a)); }
Tensor operator/(const Tensor& a, double b) { return opweave::div(a, Scalar(b)); }

// --- what is differentiated ------------------------------------------------------------------
// A tensor along one of its dimensions.
struct Line {
  const Tensor& self;
  int64_t dim;

  int64_t size() const { return self.size(dim); }
  Tensor part(int64_t start, int64_t length) const {
    return opweave::narrow(self, dim, start, length);
  }
  // The i-th element from one of the two ends.
  Tensor from_end(bool last, int64_t i) const { return part(last ? size() - 1 - i : i, 1); }
};

// As many numbers as the line is long, so that they broadcast along its dimension.
Tensor along(const Line& line, const Tensor& numbers) {
  DimVector shape(static_cast<size_t>(line.self.dim() - line.dim), 1);
  shape[0] = numbers.numel();
  return opweave::reshape(numbers, shape);
}

// The difference at an end, of `a` to the next element and `b` from there to the one after it.
template <class Step>
Tensor one_sided(const Line& line, bool last, const Step& a, const Step& b, int64_t order) {
  const Tensor x0 = line.from_end(last, 0), x1 = line.from_end(last, 1);
  if (order == 1) return (last ? x0 - x1 : x1 - x0) / a;
  const Tensor x2 = line.from_end(last, 2);
  const Tensor far = a / (b * (a + b)) * x2, near = (a + b) / (a * b) * x1;
  if (last) return (2.0 * a + b) / (a * (a + b)) * x0 - near + far;
  return -(2.0 * a + b) / (a * (a + b)) * x0 + near - far;
}

Tensor joined(const Line& line, const Tensor& first, const Tensor& inner, const Tensor& last) {
  const Tensor parts[] = {first, inner, last};
  return opweave::cat(parts, line.dim);
}

// --- elements at one distance ----------------------------------------------------------------
Tensor differentiated(const Line& line, double step, int64_t order) {
  const int64_t n = line.size();
  const Tensor inner = (line.part(2, n - 2) - line.part(0, n - 2)) / (2 * step);
  return joined(line, one_sided(line, false, step, step, order), inner,
                one_sided(line, true, step, step, order));
}

// --- elements at coordinates -----------------------------------------------------------------
Tensor central(const Line& line, const Tensor& steps) {
  const int64_t n = line.size();
  const Tensor a = opweave::narrow(steps, 0, 0, n - 2), b = opweave::narrow(steps, 0, 1, n - 2);
  const Tensor before = along(line, -b / (a * (a + b))) * line.part(0, n - 2);
  const Tensor here = along(line, (b - a) / (a * b)) * line.part(1, n - 2);
  return before + here + along(line, a / (b * (a + b))) * line.part(2, n - 2);
}

Tensor differentiated(const Line& line, const Tensor& coordinates, int64_t order) {
  OW_CHECK(coordinates.numel() == line.size(), "gradient(): expected ", line.size(),
           " coordinates for dimension ", line.dim, ", got ", coordinates.numel());
  const Tensor steps = opweave::diff(coordinates);
  const auto step = [&](int64_t i) { return opweave::select(steps, 0, i); };
  const int64_t next = order == 1 ? 0 : 1;
  return joined(line, one_sided(line, false, step(0), step(next), order), central(line, steps),
                one_sided(line, true, step(-1), step(-1 - next), order));
}

// --- arguments -------------------------------------------------------------------------------
DimVector all_dims(const Tensor& self) {
  DimVector dims(static_cast<size_t>(self.dim()));
  std::iota(dims.begin(), dims.end(), int64_t{0});
  return dims;
}

DimVector wrapped(const Tensor& self, IntList dim) {
  DimVector dims;
  for (const int64_t d : dim) dims.push_back(wrap_dim(d, self.dim()));
  for (const int64_t d : dims)
    OW_CHECK(std::ranges::count(dims, d) == 1, "dim ", d,
             " appears multiple times in the list of dims");
  return dims;
}

DimVector one_or_all(const Tensor& self, std::optional<int64_t> dim) {
  return dim ? wrapped(self, IntList{*dim}) : all_dims(self);
}

void check_count(const Tensor& self, size_t spacings, size_t dims, bool all) {
  OW_CHECK(spacings == dims || !all,
           "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal "
           "to 'self.dim() = ",
           self.dim(), "', since dim argument was not given, but got a list of length ", spacings);
  OW_CHECK(spacings == dims,
           "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim "
           "arguments to have the same length, but got a spacing argument of length ",
           spacings, " and a dim argument of length ", dims, ".");
}

void check_vectors(TensorList spacing) {
  for (const Tensor& s : spacing)
    OW_CHECK(s.dim() == 1,
             "torch.gradient expected each element of spacing to have one dimension, but got an "
             "element with ",
             s.dim(), " dimensions!");
}

// A tensor for each dimension; `spacing(i)` is the distance, or the coordinates, along the i-th.
std::vector<Tensor> along_each(const Tensor& self, const DimVector& dims, const auto& spacing,
                               int64_t edge_order) {
  OW_CHECK_NOT_IMPLEMENTED(self.dtype() != kByte, "torch.gradient does not support uint8 input.");
  OW_CHECK(edge_order == 1 || edge_order == 2,
           "torch.gradient only supports edge_order=1 and edge_order=2.");
  for (const int64_t d : dims)
    OW_CHECK(self.size(d) > edge_order,
             "torch.gradient expected each dimension size to be at least edge_order+1");
  std::vector<Tensor> found;
  for (size_t i = 0; i < dims.size(); ++i)
    found.push_back(differentiated(Line{self, dims[i]}, spacing(i), edge_order));
  return found;
}

std::vector<Tensor> by_number(const Tensor& self, const DimVector& dims, const Scalar& spacing,
                              int64_t edge_order) {
  const double step = spacing.to_double();
  return along_each(
      self, dims, [&](size_t) { return step; }, edge_order);
}

std::vector<Tensor> by_numbers(const Tensor& self, const DimVector& dims, DoubleList spacing,
                               bool all, int64_t edge_order) {
  check_count(self, spacing.size(), dims.size(), all);
  return along_each(
      self, dims, [&](size_t i) { return spacing[i]; }, edge_order);
}

std::vector<Tensor> by_coordinates(const Tensor& self, const DimVector& dims, TensorList spacing,
                                   bool all, int64_t edge_order) {
  check_count(self, spacing.size(), dims.size(), all);
  check_vectors(spacing);
  return along_each(
      self, dims, [&](size_t i) -> const Tensor& { return spacing[i]; }, edge_order);
}

}  // namespace

std::vector<Tensor> gradient_scalarint(const Tensor& self, const std::optional<Scalar>& spacing,
                                       std::optional<int64_t> dim, int64_t edge_order) {
  return by_number(self, one_or_all(self, dim), spacing.value_or(Scalar(1)), edge_order);
}

std::vector<Tensor> gradient_scalararray(const Tensor& self, const Scalar& spacing, IntList dim,
                                         int64_t edge_order) {
  return by_number(self, wrapped(self, dim), spacing, edge_order);
}

std::vector<Tensor> gradient_array(const Tensor& self, IntList dim, int64_t edge_order) {
  return by_number(self, wrapped(self, dim), Scalar(1), edge_order);
}

std::vector<Tensor> gradient_scalarrayint(const Tensor& self, DoubleList spacing,
                                          std::optional<int64_t> dim, int64_t edge_order) {
  return by_numbers(self, one_or_all(self, dim), spacing, !dim, edge_order);
}

std::vector<Tensor> gradient_scalarrayarray(const Tensor& self, DoubleList spacing, IntList dim,
                                            int64_t edge_order) {
  return by_numbers(self, wrapped(self, dim), spacing, false, edge_order);
}

std::vector<Tensor> gradient_tensorarrayint(const Tensor& self, TensorList spacing,
                                            std::optional<int64_t> dim, int64_t edge_order) {
  return by_coordinates(self, one_or_all(self, dim), spacing, !dim, edge_order);
}

std::vector<Tensor> gradient_tensorarray(const Tensor& self, TensorList spacing, IntList dim,
                                         int64_t edge_order) {
  return by_coordinates(self, wrapped(self, dim), spacing, false, edge_order);
}

}  // namespace opweave::composite
