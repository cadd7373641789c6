// Shapes of indexing.
#include "runtime/rules/index.h"

namespace opweave {
namespace {

bool is_adjacent(IntList dims) {
  return dims.empty() || dims.back() - dims.front() == static_cast<int64_t>(dims.size()) - 1;
}

// A number counts as a vector of one element.
DimVector sizes_as_1d(const Tensor& t) {
  return t.dim() == 0 ? DimVector{1} : DimVector(t.sizes());
}

void check_index_vector(std::string_view op, const Tensor& index) {
  OW_CHECK_INDEX(index.dim() <= 1, op,
                 "(): Index is supposed to be a vector, but got dim: ", index.dim());
  OW_CHECK(index.dtype() == kLong || index.dtype() == kInt, op,
           "(): Expected dtype int32 or int64 for index, but got ", index.dtype());
}

}  // namespace

IndexShape index_shape(const Tensor& self, TensorList indices) {
  IndexShape shape;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (!indices[i].defined()) continue;
    shape.indexed.push_back(static_cast<int64_t>(i));
    shape.index_sizes = indices[i].sizes();
  }
  const bool adjacent = is_adjacent(shape.indexed);
  for (int64_t d = 0; d < self.dim(); ++d) {
    const bool whole =
        std::find(shape.indexed.begin(), shape.indexed.end(), d) == shape.indexed.end();
    if (!whole) continue;
    const bool in_front = adjacent && !shape.indexed.empty() && d < shape.indexed[0];
    (in_front ? shape.before : shape.after).push_back(d);
  }
  for (int64_t d : shape.before) shape.sizes.push_back(self.sizes()[d]);
  for (int64_t size : shape.index_sizes) shape.sizes.push_back(size);
  for (int64_t d : shape.after) shape.sizes.push_back(self.sizes()[d]);
  return shape;
}

DimVector index_select_sizes(const Tensor& self, int64_t dim, const Tensor& index) {
  check_index_vector("index_select", index);
  DimVector sizes(self.sizes());
  const int64_t d = wrap_dim(dim, self.dim());
  if (!sizes.empty()) {
    sizes[d] = index.numel();
  } else {
    OW_CHECK_INDEX(index.numel() == 1,
                   "index_select(): Index to scalar can have only 1 value, got ", index.numel());
  }
  return sizes;
}

void check_index_source(std::string_view op, const Tensor& self, int64_t dim, const Tensor& index,
                        const Tensor& source) {
  check_index_vector(op, index);
  OW_CHECK(self.dtype() == source.dtype(), op,
           "(): self and source expected to have the same dtype, but got (self) ",
           scalar_type_name(self.dtype()), " and (source) ", scalar_type_name(source.dtype()));
  const DimVector target = sizes_as_1d(self), given = sizes_as_1d(source);
  const int64_t d = wrap_dim(dim, self.dim());
  OW_CHECK(
      target.size() == given.size(), op,
      "(): When source and destination are not scalars, their dimensionality must match. Source "
      "dimensionality (",
      source.dim(), "), destination dimensionality (", self.dim(), ")");
  OW_CHECK(given[d] == index.numel(), op, "(): Number of indices (", index.numel(),
           ") should be equal to source.size(dim): (", given[d], "), for dim: ", d);
  for (size_t i = 0; i < target.size(); ++i) {
    OW_CHECK(static_cast<int64_t>(i) == d || target[i] == given[i], op,
             "(): Source/destination tensor must have same slice shapes. Destination ",
             self.sizes(), ", source ", source.sizes(), ", dim ", d);
  }
}

}  // namespace opweave
