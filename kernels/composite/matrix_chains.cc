// chain_matmul: products of many matrices.
#include <limits>
#include <vector>

#include "opweave/kernels/composite/chain_matmul.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/mm.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave::composite {
namespace {

// The product of a run of matrices in the order of the fewest multiplications.
class Chain {
 public:
  explicit Chain(TensorList matrices) : matrices_(matrices) {
    for (const Tensor& m : matrices) sizes_.push_back(m.size(0));
    sizes_.push_back(matrices[matrices.size() - 1].size(1));
    const size_t n = matrices.size();
    costs_.resize(n * n);
    for (size_t length = 1; length < n; ++length)
      for (size_t i = 0; i + length < n; ++i) at(i, i + length) = cheapest(i, i + length);
  }

  // From matrix i to matrix j, both included.
  Tensor product(size_t i, size_t j) const {
    if (i == j) return matrices_[i];
    const size_t last = costs_[i * matrices_.size() + j].last;
    return opweave::mm(product(i, last), product(last + 1, j));
  }

 private:
  struct Cost {
    double multiplications = 0;
    size_t last = 0;  // of the first of the two parts
  };
  Cost& at(size_t i, size_t j) { return costs_[i * matrices_.size() + j]; }

  Cost cheapest(size_t i, size_t j) {
    Cost found{std::numeric_limits<double>::infinity(), i};
    for (size_t k = i; k < j; ++k) {
      const double here = static_cast<double>(sizes_[i]) * static_cast<double>(sizes_[k + 1]) *
                          static_cast<double>(sizes_[j + 1]);
      const double cost = at(i, k).multiplications + at(k + 1, j).multiplications + here;
      if (cost < found.multiplications) found = {cost, k};
    }
    return found;
  }

  TensorList matrices_;
  std::vector<int64_t> sizes_;  // rows of each, and the columns of the last one
  std::vector<Cost> costs_;     // of each run, by its first and last matrix
};

}  // namespace

Tensor chain_matmul(TensorList matrices) {
  OW_CHECK(!matrices.empty(), "chain_matmul(): Expected one or more matrices");
  for (const Tensor& m : matrices)
    OW_CHECK(m.dim() == 2, "Tensor dimension is ", m.dim(), ", expected 2 instead.");
  if (matrices.size() == 1) return opweave::clone(matrices[0]);
  for (size_t i = 1; i < matrices.size(); ++i) {
    const Tensor &before = matrices[i - 1], &m = matrices[i];
    OW_CHECK(before.dtype() == m.dtype(), "multi_dot(): all tensors must have be the same dtype ",
             "but tensor ", i - 1, " is ", before.dtype(), " and tensor ", i, " ", m.dtype());
    OW_CHECK(before.size(1) == m.size(0), "multi_dot(): tensors ", i - 1, " and ", i,
             " with shapes ", before.sizes(), " and ", m.sizes(), " cannot be multiplied");
  }
  return Chain(matrices).product(0, matrices.size() - 1);
}

}  // namespace opweave::composite
