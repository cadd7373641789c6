// Masks to indices, and indices to one shape.
#include "kernels/composite/index_arguments.h"

#include "opweave/ops/clone.h"
#include "opweave/ops/expand.h"
#include "opweave/ops/nonzero.h"
#include "opweave/ops/select.h"
#include "opweave/ops/to.h"

namespace opweave::composite {
namespace {

void check_mask(const Tensor& self, const Tensor& mask, int64_t dim) {
  for (int64_t d = 0; d < mask.dim(); ++d) {
    OW_CHECK_INDEX(dim + d < self.dim() && mask.sizes()[d] == self.sizes()[dim + d],
                   "The shape of the mask ", mask.sizes(), " at index ", d,
                   " does not match the shape of the indexed tensor ", self.sizes(), " at index ",
                   dim + d);
  }
}

// One index vector per dimension of the mask.
void push_mask(std::vector<Tensor>& indices, const Tensor& mask) {
  const Tensor positions = opweave::nonzero(mask);
  for (int64_t d = 0; d < mask.dim(); ++d) {
    const Tensor column = ops::select_int::make_view(positions, 1, d);
    indices.push_back(column.is_contiguous() ? column
                                             : opweave::clone(column, MemoryFormat::kContiguous));
  }
}

Tensor to_int64(const Tensor& index, Device device) {
  OW_CHECK_INDEX(index.dtype() == kLong || index.dtype() == kInt,
                 "tensors used as indices must be long, int, byte or bool tensors, got ",
                 index.dtype());
  return opweave::to(index, device, kLong);
}

DimVector common_sizes(const std::vector<Tensor>& indices) {
  DimVector sizes;
  std::string shapes;
  bool fits = true;
  for (const Tensor& index : indices) {
    if (!index.defined()) continue;
    shapes += str(shapes.empty() ? "" : ", ", index.sizes());
    while (sizes.size() < index.sizes().size()) sizes.insert(0, 1);
    const size_t leading = sizes.size() - index.sizes().size();
    for (size_t d = leading; d < sizes.size(); ++d) {
      const int64_t have = index.sizes()[d - leading];
      fits = fits && (have == 1 || sizes[d] == 1 || have == sizes[d]);
      if (sizes[d] == 1) sizes[d] = have;
    }
  }
  OW_CHECK_INDEX(fits,
                 "shape mismatch: indexing tensors could not be broadcast together with shapes ",
                 shapes);
  return sizes;
}

// The host's indices go with every tensor.
void check_device(const Tensor& self, const Tensor& index) {
  OW_CHECK(index.device() == self.device() || index.in_host_memory(),
           "indices should be either on ", host_device(),
           " or on the same device as the indexed tensor (", self.device(), "), but one is on ",
           index.device());
}

}  // namespace

bool is_mask(const Tensor& index) { return index.dtype() == kBool || index.dtype() == kByte; }

std::vector<Tensor> index_arguments(const Tensor& self, TensorList indices) {
  std::vector<Tensor> result;
  bool any = false;
  for (const Tensor& index : indices) {
    any = any || index.defined();
    if (index.defined()) check_device(self, index);
    if (!index.defined()) {
      result.emplace_back();
    } else if (is_mask(index)) {
      check_mask(self, index, static_cast<int64_t>(result.size()));
      push_mask(result, opweave::to(index, self.device(), index.dtype()));
    } else {
      result.push_back(to_int64(index, self.device()));
    }
  }
  OW_CHECK_INDEX(any, "at least one index must be provided");
  while (!result.empty() && !result.back().defined()) result.pop_back();
  OW_CHECK_INDEX(static_cast<int64_t>(result.size()) <= self.dim(),
                 "too many indices for tensor of dimension ", self.dim(), " (got ", result.size(),
                 ")");
  const DimVector sizes = common_sizes(result);
  for (Tensor& index : result) {
    if (!index.defined()) continue;
    if (!same_sizes(index.sizes(), sizes)) index = ops::expand::make_view(index, sizes, false);
    if (!index.is_contiguous()) index = opweave::clone(index, MemoryFormat::kContiguous);
  }
  return result;
}

OnlyMask only_mask(const Tensor& self, TensorList indices) {
  OnlyMask only;
  for (const Tensor& index : indices) {
    if (!index.defined()) {
      only.at += only.mask == nullptr ? 1 : 0;
      continue;
    }
    if (only.mask != nullptr || index.dtype() != kBool) return {};
    only.mask = &index;
  }
  if (only.mask == nullptr) return {};
  check_mask(self, *only.mask, only.at);
  return only.mask->device() == self.device() ? only : OnlyMask{};
}

}  // namespace opweave::composite
