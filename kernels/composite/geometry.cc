// Shapes, strides and offsets of views.
#include "kernels/composite/geometry.h"

namespace opweave::composite {
namespace {

int64_t product(IntList sizes) {
  int64_t n = 1;
  for (int64_t size : sizes) n *= size;
  return n;
}

// The position of the -1, if there is one.
std::optional<size_t> find_inferred(IntList shape) {
  std::optional<size_t> inferred;
  for (size_t i = 0; i < shape.size(); ++i) {
    OW_CHECK(shape[i] >= -1, "invalid shape dimension ", shape[i]);
    if (shape[i] != -1) continue;
    OW_CHECK(!inferred, "only one dimension can be inferred");
    inferred = i;
  }
  return inferred;
}

void check_expandable(const Tensor& self, IntList sizes, size_t d, int64_t have) {
  const bool leading = d + self.sizes().size() < sizes.size();
  OW_CHECK(sizes[d] >= -1 && !(leading && sizes[d] == -1), "The expanded size of the tensor (",
           sizes[d], ") isn't allowed in a ", leading ? "leading, non-existing" : "existing",
           " dimension ", d);
  OW_CHECK(sizes[d] == -1 || have == 1 || have == sizes[d], "The expanded size of the tensor (",
           sizes[d], ") must match the existing size (", have, ") at non-singleton dimension ", d,
           ".  Target sizes: ", sizes, ".  Tensor sizes: ", self.sizes());
}

// A slice's end of a dimension, as Python counts it.
int64_t clamp_index(int64_t index, int64_t size) {
  if (index < 0) index += size;
  return std::clamp<int64_t>(index, 0, size);
}

}  // namespace

DimVector infer_shape(std::string_view op, IntList shape, int64_t numel) {
  const std::optional<size_t> inferred = find_inferred(shape);
  DimVector result(shape);
  if (!inferred) {
    // Overflowing products cannot be a shape of anything that exists.
    OW_CHECK(checked_numel(shape) == numel, op, "(): shape '", shape,
             "' is invalid for input of size ", numel);
    return result;
  }
  result[*inferred] = 1;
  const int64_t rest = checked_numel(result);
  OW_CHECK(rest != 0 || numel != 0, "cannot reshape tensor of 0 elements into shape ", shape,
           " because the unspecified dimension size -1 can be any value and is ambiguous");
  OW_CHECK(rest != 0 && numel % rest == 0, op, "(): shape '", shape,
           "' is invalid for input of size ", numel);
  result[*inferred] = numel / rest;
  return result;
}

std::optional<DimVector> view_strides(IntList sizes, IntList strides, IntList shape) {
  if (product(sizes) == 0) {
    return same_sizes(sizes, shape) ? DimVector(strides) : contiguous_strides(shape);
  }
  DimVector result(shape.size(), 1);
  if (sizes.empty()) return result;
  // Old dimensions that continue one another form a block; new dimensions have to fill whole
  // blocks.
  size_t next = shape.size();
  int64_t step = strides.back(), block = 1, filled = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    block *= sizes[d];
    if (d > 0 && (sizes[d - 1] == 1 || strides[d - 1] == block * step)) continue;
    for (; next > 0 && (filled < block || shape[next - 1] == 1); --next) {
      result[next - 1] = filled * step;
      filled *= shape[next - 1];
    }
    if (filled != block) return {};
    if (d > 0) step = strides[d - 1];
    block = filled = 1;
  }
  return result;
}

Geometry transposed(const Tensor& self, int64_t dim0, int64_t dim1) {
  const auto a = static_cast<size_t>(wrap_dim(dim0, self.dim()));
  const auto b = static_cast<size_t>(wrap_dim(dim1, self.dim()));
  Geometry g = geometry_of(self);
  if (self.dim() == 0) return g;
  std::swap(g.sizes[a], g.sizes[b]);
  std::swap(g.strides[a], g.strides[b]);
  return g;
}

Geometry matrix_transposed(const Tensor& self, std::string_view op) {
  OW_CHECK(self.dim() <= 2, op, "() expects a tensor with <= 2 dimensions, but self is ",
           self.dim(), "D");
  return self.dim() < 2 ? geometry_of(self) : transposed(self, 0, 1);
}

Geometry permuted(const Tensor& self, IntList dims) {
  OW_CHECK(static_cast<int64_t>(dims.size()) == self.dim(),
           "permute(): number of dimensions in the tensor input does not match the length "
           "of the desired ordering of dimensions i.e. input.dim() = ",
           self.dim(), " is not equal to len(dims) = ", dims.size());
  const DimVector order = wrap_dims("permute", dims, self.dim());
  Geometry g{DimVector(order.size()), DimVector(order.size()), self.storage_offset()};
  for (size_t i = 0; i < order.size(); ++i) {
    g.sizes[i] = self.sizes()[order[i]];
    g.strides[i] = self.strides()[order[i]];
  }
  return g;
}

Geometry expanded(const Tensor& self, IntList sizes) {
  const size_t ndim = self.sizes().size();
  OW_CHECK(sizes.size() >= ndim, "expand(", scalar_type_name(self.dtype()), "Tensor of size ",
           self.sizes(), ", size=", sizes, "): the number of sizes provided (", sizes.size(),
           ") must be greater or equal to the number of dimensions in the tensor (", ndim, ")");
  Geometry g{DimVector(sizes), DimVector(sizes.size()), self.storage_offset()};
  const size_t leading = sizes.size() - ndim;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t have = d < leading ? 1 : self.sizes()[d - leading];
    check_expandable(self, sizes, d, have);
    if (sizes[d] == -1) g.sizes[d] = have;
    const bool kept = d >= leading && have == g.sizes[d];
    g.strides[d] = kept ? self.strides()[d - leading] : 0;
  }
  return g;
}

Geometry squeezed(const Tensor& self) {
  Geometry g{{}, {}, self.storage_offset()};
  for (size_t d = 0; d < self.sizes().size(); ++d) {
    if (self.sizes()[d] == 1) continue;
    g.sizes.push_back(self.sizes()[d]);
    g.strides.push_back(self.strides()[d]);
  }
  return g;
}

Geometry squeezed(const Tensor& self, IntList dims) {
  const DimVector wrapped = wrap_dims("squeeze", dims, self.dim());
  Geometry g{{}, {}, self.storage_offset()};
  for (size_t d = 0; d < self.sizes().size(); ++d) {
    const bool named =
        std::find(wrapped.begin(), wrapped.end(), static_cast<int64_t>(d)) != wrapped.end();
    if (named && self.sizes()[d] == 1) continue;
    g.sizes.push_back(self.sizes()[d]);
    g.strides.push_back(self.strides()[d]);
  }
  return g;
}

Geometry unsqueezed(const Tensor& self, int64_t dim) {
  const auto d = static_cast<size_t>(wrap_dim(dim, self.dim() + 1));
  Geometry g = geometry_of(self);
  const bool last = d == g.sizes.size();
  const int64_t stride = last ? 1 : g.sizes[d] * g.strides[d];
  g.sizes.insert(d, 1);
  g.strides.insert(d, stride);
  return g;
}

Geometry selected(const Tensor& self, int64_t dim, int64_t index) {
  OW_CHECK_INDEX(self.dim() > 0, "select() cannot be applied to a 0-dim tensor.");
  const auto d = static_cast<size_t>(wrap_dim(dim, self.dim()));
  const int64_t size = self.sizes()[d];
  OW_CHECK_INDEX(index >= -size && index < size, "select(): index ", index,
                 " out of range for tensor of size ", self.sizes(), " at dimension ", d);
  Geometry g = geometry_of(self);
  g.offset += (index < 0 ? index + size : index) * g.strides[d];
  g.sizes.erase(d);
  g.strides.erase(d);
  return g;
}

Geometry sliced(const Tensor& self, int64_t dim, std::optional<int64_t> start,
                std::optional<int64_t> end, int64_t step) {
  OW_CHECK(self.dim() > 0, "slice() cannot be applied to a 0-dim tensor.");
  OW_CHECK(step > 0, "slice step must be positive");
  const auto d = static_cast<size_t>(wrap_dim(dim, self.dim()));
  Geometry g = geometry_of(self);
  const int64_t size = g.sizes[d];
  const int64_t first = clamp_index(start.value_or(0), size);
  const int64_t past = std::max(first, clamp_index(end.value_or(size), size));
  g.offset += first * g.strides[d];
  g.sizes[d] = (past - first) / step + ((past - first) % step != 0);
  g.strides[d] *= step;
  return g;
}

Geometry diagonal_of(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
  const int64_t a = wrap_dim(dim1, self.dim()), b = wrap_dim(dim2, self.dim());
  OW_CHECK(a != b, "diagonal dimensions cannot be identical ", dim1, ", ", dim2);
  Geometry g = geometry_of(self);
  const int64_t rows = g.sizes[a] + std::min<int64_t>(offset, 0);
  const int64_t columns = g.sizes[b] - std::max<int64_t>(offset, 0);
  const int64_t length = std::max<int64_t>(std::min(rows, columns), 0);
  const int64_t stride = g.strides[a] + g.strides[b];
  if (length > 0) g.offset += offset >= 0 ? offset * g.strides[b] : -offset * g.strides[a];
  for (int64_t d : {std::max(a, b), std::min(a, b)}) {
    g.sizes.erase(d);
    g.strides.erase(d);
  }
  g.sizes.push_back(length);
  g.strides.push_back(stride);
  return g;
}

Tensor part_of(const Tensor& self, int64_t dim, int64_t start, int64_t length) {
  Geometry g = geometry_of(self);
  g.offset += start * g.strides[dim];
  g.sizes[dim] = length;
  return view_of(self, g);
}

}  // namespace opweave::composite
