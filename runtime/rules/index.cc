// Shapes of indexing.
#include "runtime/rules/index.h"

namespace opweave {
namespace {

bool is_adjacent(IntList dims) {
  return dims.empty() || dims.back() - dims.front() == static_cast<int64_t>(dims.size()) - 1;
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

namespace rule {

DimVector indexed_sizes(const Tensor& self, TensorList indices) {
  OW_CHECK(indices.size() <= static_cast<size_t>(self.dim()), "_index(): ", indices.size(),
           " indices for a tensor of dimension ", self.dim());
  const Tensor* first = nullptr;
  for (const Tensor& index : indices) {
    if (!index.defined()) continue;
    OW_CHECK(index.dtype() == kLong && index.is_contiguous(),
             "_index(): indices have to be contiguous and of int64");
    OW_CHECK(index.device() == self.device(), "_index(): indices have to be on ", self.device(),
             ", got one on ", index.device());
    OW_CHECK(first == nullptr || same_sizes(first->sizes(), index.sizes()),
             "_index(): indices have to be of one shape");
    if (first == nullptr) first = &index;
  }
  return index_shape(self, indices).sizes;
}

}  // namespace rule

}  // namespace opweave
