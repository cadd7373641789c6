// Distances between the rows of matrices: cdist, pdist.
#include <algorithm>
#include <cmath>

#include "kernels/composite/recording.h"
#include "opweave/kernels/composite/cdist.h"
#include "opweave/kernels/composite/euclidean_distances.h"
#include "opweave/kernels/composite/pdist.h"
#include "opweave/ops/_pair_distances.h"
#include "opweave/ops/abs.h"
#include "opweave/ops/any.h"
#include "opweave/ops/cat.h"
#include "opweave/ops/clamp_min.h"
#include "opweave/ops/euclidean_distances.h"
#include "opweave/ops/index_select.h"
#include "opweave/ops/linalg_vector_norm.h"
#include "opweave/ops/matmul.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/narrow.h"
#include "opweave/ops/ne.h"
#include "opweave/ops/ones_like.h"
#include "opweave/ops/select.h"
#include "opweave/ops/sqrt.h"
#include "opweave/ops/squeeze.h"
#include "opweave/ops/sub.h"
#include "opweave/ops/sum.h"
#include "opweave/ops/to.h"
#include "opweave/ops/transpose.h"
#include "opweave/ops/triu_indices.h"
#include "opweave/ops/unsqueeze.h"
#include "opweave/ops/where.h"
#include "opweave/ops/with_gradient_of.h"

namespace opweave::composite {
namespace {

constexpr int64_t kDifferences = int64_t{1} << 18;  // in memory at a time: a cache holds them

Tensor norm_of_rows(const Tensor& rows, double p, bool keepdim = false) {
  return ops::linalg_vector_norm::call(rows, p, IntList{-1}, keepdim, {});
}

Tensor squares_of_rows(const Tensor& rows) {
  return ops::sum_dim_IntList::call(opweave::mul(rows, rows), IntList{-1}, true, {});
}

// `of_rows(start, count)` for rows enough to fill memory with differences, all put together.
template <class Part>
Tensor by_parts(int64_t rows, int64_t differences_of_one, int64_t dim, Part of_rows) {
  const int64_t at_once =
      std::max<int64_t>(kDifferences / std::max<int64_t>(differences_of_one, 1), 1);
  if (rows <= at_once) return of_rows(0, rows);
  std::vector<Tensor> parts;
  for (int64_t start = 0; start < rows; start += at_once)
    parts.push_back(of_rows(start, std::min(at_once, rows - start)));
  return opweave::cat(parts, dim);
}

// The p-norms of rows. Where all of a row is zero its gradient is, too.
Tensor lengths(const Tensor& difference, double p) {
  const Tensor size = opweave::abs(difference);
  if (size.size(-1) == 0) return ops::sum_dim_IntList::call(size, IntList{-1}, false, {});
  const Tensor there = opweave::ne(size, 0);
  if (p == 0) {  // how many there are; of NaN nothing is known
    const Tensor one_each =
        opweave::where(opweave::ne(size, size), size, opweave::to(there, size.dtype()));
    const Tensor count = ops::sum_dim_IntList::call(one_each, IntList{-1}, false, {});
    const Tensor zero =
        ops::sum_dim_IntList::call(opweave::mul(difference, 0), IntList{-1}, false, {});
    return opweave::with_gradient_of(count, zero);
  }
  const Tensor any = ops::any_dim::call(there, -1, true);
  const Tensor norm = norm_of_rows(opweave::where(any, size, opweave::ones_like(size)), p);
  return opweave::mul(norm, opweave::to(opweave::squeeze(any, -1), size.dtype()));
}

constexpr std::string_view kByProducts = "use_mm_for_euclid_dist",
                           kByProductsOfMany = "use_mm_for_euclid_dist_if_necessary";
constexpr int64_t kManyRows = 25;  // from one more on PyTorch computes by products

bool is_by_products(const Tensor& x1, const Tensor& x2, double p, std::string_view mode) {
  if (p != 2) return false;
  const bool many = x1.size(-2) > kManyRows || x2.size(-2) > kManyRows;
  return mode == kByProducts || (mode == kByProductsOfMany && many);
}

}  // namespace

// |a - b|^2 = |a|^2 - 2ab + |b|^2, as one product of matrices. Digits of small distances between
// far rows are lost.
Tensor euclidean_distances(const Tensor& x1, const Tensor& x2) {
  const Tensor squares1 = squares_of_rows(x1), squares2 = squares_of_rows(x2);
  const Tensor left = opweave::cat(
      std::vector<Tensor>{opweave::mul(x1, -2), squares1, opweave::ones_like(squares1)}, -1);
  const Tensor right =
      opweave::cat(std::vector<Tensor>{x2, opweave::ones_like(squares2), squares2}, -1);
  const Tensor squares = opweave::matmul(left, opweave::transpose(right, -2, -1));
  return opweave::sqrt(opweave::clamp_min(squares, 0));
}

Tensor cdist(const Tensor& x1, const Tensor& x2, double p, std::string_view compute_mode) {
  if (is_by_products(x1, x2, p, compute_mode)) return opweave::euclidean_distances(x1, x2);
  const int64_t rows = x1.size(-2);
  const int64_t of_one_row =
      std::max(x2.size(-2) * x1.numel() / std::max<int64_t>(rows, 1), x2.numel());
  const Tensor others = opweave::unsqueeze(x2, -3);
  return by_parts(rows, of_one_row, -2, [&](int64_t start, int64_t count) {
    const Tensor part = opweave::narrow(x1, -2, start, count);
    const Tensor difference = opweave::sub(opweave::unsqueeze(part, -2), others);
    return p == 0 ? lengths(difference, p) : norm_of_rows(difference, p);
  });
}

Tensor pdist(const Tensor& self, double p) {
  const int64_t n = self.size(0);
  const bool by_kernel = p == 0 || p == 1 || p == 2 || std::isinf(p);
  if (by_kernel && !recording(self)) return opweave::_pair_distances(self, p);
  const Tensor pairs = opweave::triu_indices(n, n, 1, kLong, {}, self.device());
  return by_parts(pairs.size(1), self.size(1), 0, [&](int64_t start, int64_t count) {
    const Tensor part = opweave::narrow(pairs, 1, start, count);
    const Tensor first = opweave::index_select(self, 0, opweave::select(part, 0, 0));
    const Tensor second = opweave::index_select(self, 0, opweave::select(part, 0, 1));
    return lengths(opweave::sub(first, second), p);
  });
}

}  // namespace opweave::composite
