// Views of parts: ranges, splitting, any strides.
#include <numeric>

#include "kernels/composite/geometry.h"
#include "opweave/kernels/composite/as_strided.h"
#include "opweave/kernels/composite/as_strided_of_each.h"
#include "opweave/kernels/composite/chunk.h"
#include "opweave/kernels/composite/narrow.h"
#include "opweave/kernels/composite/split.h"
#include "opweave/kernels/composite/split_with_sizes.h"
#include "opweave/kernels/composite/squeeze_of_each.h"
#include "opweave/kernels/composite/tensor_split.h"
#include "opweave/kernels/composite/unbind.h"
#include "opweave/ops/as_strided.h"
#include "opweave/ops/item.h"
#include "opweave/ops/narrow.h"
#include "opweave/ops/select.h"
#include "opweave/ops/slice.h"
#include "opweave/ops/split.h"
#include "opweave/ops/split_with_sizes.h"
#include "opweave/ops/squeeze.h"
#include "opweave/ops/tensor_split.h"

namespace opweave::composite {
namespace {

// For so many parts, of which each takes memory, whatever it shows.
std::vector<Tensor> room_for(int64_t count, std::string_view op) {
  constexpr int64_t kMost = int64_t{1} << 24;
  OW_CHECK(count <= kMost, op, "(): ", count, " parts are more than the ", kMost,
           " that there can be");
  std::vector<Tensor> parts;
  parts.reserve(static_cast<size_t>(count));
  return parts;
}

// Where the elements of a geometry end in memory; 0 for an empty one, nothing if it is beyond
// counting.
std::optional<int64_t> end_of(IntList size, IntList stride, int64_t offset) {
  int64_t last = offset, step = 0;
  bool overflows = false;
  for (size_t d = 0; d < size.size(); ++d) {
    if (size[d] == 0) return 0;
    overflows |= __builtin_mul_overflow(size[d] - 1, stride[d], &step);
    overflows |= __builtin_add_overflow(last, step, &last);
  }
  overflows |= __builtin_add_overflow(last, 1, &last);
  return overflows ? std::nullopt : std::optional(last);
}

// The bytes of storage that it reaches.
std::optional<size_t> reach(IntList size, IntList stride, int64_t offset, size_t item) {
  const std::optional<int64_t> end = end_of(size, stride, offset);
  int64_t bytes = 0;
  if (!end || __builtin_mul_overflow(*end, static_cast<int64_t>(item), &bytes)) return std::nullopt;
  return static_cast<size_t>(bytes);
}

void check_geometry(IntList size, IntList stride, int64_t offset) {
  OW_CHECK(size.size() == stride.size(), "mismatch in length of strides and shape: as_strided got ",
           stride.size(), " strides for ", size.size(), " sizes");
  for (int64_t s : stride) {
    OW_CHECK(s >= 0,
             "as_strided: Negative strides are not supported at the moment, got strides: ", stride);
  }
  OW_CHECK(offset >= 0, "as_strided: invalid storage offset ", offset);
  checked_numel(size);
}

void check_as_strided(const Tensor& self, IntList size, IntList stride, int64_t offset) {
  check_geometry(size, stride, offset);
  const std::optional<size_t> needed = reach(size, stride, offset, self.element_size());
  OW_CHECK(needed && *needed <= self.storage()->nbytes(), "as_strided: sizes ", size, ", strides ",
           stride, ", storage offset ", offset, ", and itemsize ", self.element_size(),
           " requiring a storage size of ", needed ? std::to_string(*needed) : "more than 2^63",
           " are out of bounds for storage of size ", self.storage()->nbytes());
}

// An example may not see the others, which lie in the same memory.
void check_within_example(const Tensor& self, IntList size, IntList stride, int64_t offset) {
  check_geometry(size, stride, offset);
  const std::optional<int64_t> end = end_of(size, stride, offset);
  if (end == 0) return;
  const IntList sizes = self.sizes().subspan(1);
  const int64_t first = self.storage_offset();
  const std::optional<int64_t> last = end_of(sizes, self.strides().subspan(1), first);
  OW_CHECK(end && last && *end <= *last && offset >= first, "as_strided: sizes ", size,
           ", strides ", stride, " and storage offset ", offset,
           " reach beyond the memory of an example of shape ", sizes, ", strides ",
           self.strides().subspan(1), " and storage offset ", first,
           ", which is not supported under vmap");
}

DimVector with_first(int64_t first, IntList rest) {
  DimVector all{first};
  for (int64_t value : rest) all.push_back(value);
  return all;
}

int64_t dim_of_parts(const Tensor& self, int64_t dim, std::string_view op) {
  OW_CHECK(self.dim() > 0, op, " expects at least a 1-dimensional tensor");
  return wrap_dim(dim, self.dim());
}

int64_t dim_of_tensor_split(const Tensor& self, int64_t dim) {
  OW_CHECK(self.dim() > 0,
           "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
  return wrap_dim(dim, self.dim());
}

}  // namespace

Tensor narrow(const Tensor& self, int64_t dim, int64_t start, int64_t length) {
  OW_CHECK(self.dim() > 0, "narrow() cannot be applied to a 0-dim tensor.");
  OW_CHECK(length >= 0, "narrow(): length must be non-negative.");
  const int64_t d = wrap_dim(dim, self.dim());
  const int64_t size = self.sizes()[d];
  OW_CHECK_INDEX(start >= -size && start <= size,
                 "start out of range (expected to be in range of [", -size, ", ", size,
                 "], but got ", start, ")");
  const int64_t first = start < 0 ? start + size : start;
  OW_CHECK(first <= size - length, "start (", first, ") + length (", length,
           ") exceeds dimension size (", size, ").");
  return opweave::slice(self, d, first, first + length, 1);
}

Tensor narrow_Tensor(const Tensor& self, int64_t dim, const Tensor& start, int64_t length) {
  OW_CHECK(start.dim() == 0 && is_integral(start.dtype(), /*include_bool=*/false),
           "start must be an 0-dim integral Tensor.");
  return opweave::narrow(self, dim, opweave::item(start).to_long(), length);
}

Tensor as_strided(const Tensor& self, IntList size, IntList stride,
                  std::optional<int64_t> storage_offset) {
  const int64_t offset = storage_offset.value_or(self.storage_offset());
  check_as_strided(self, size, stride, offset);
  return make_alias(self, size, stride, offset);
}

Tensor as_strided_of_each(const Tensor& self, IntList size, IntList stride,
                          std::optional<int64_t> storage_offset) {
  const int64_t offset = storage_offset.value_or(self.storage_offset());
  check_within_example(self, size, stride, offset);
  return opweave::as_strided(self, with_first(self.sizes()[0], size),
                             with_first(self.strides()[0], stride), offset);
}

Tensor squeeze_of_each(const Tensor& self) {
  DimVector dims(static_cast<size_t>(self.dim() - 1));
  std::iota(dims.begin(), dims.end(), 1);
  return opweave::squeeze(self, dims);
}

std::vector<Tensor> split_Tensor(const Tensor& self, int64_t split_size, int64_t dim) {
  const int64_t d = dim_of_parts(self, dim, "split");
  const int64_t length = self.sizes()[d];
  OW_CHECK(split_size >= 0,
           "split expects split_size be non-negative, but got split_size=", split_size);
  OW_CHECK(split_size > 0 || length == 0,
           "split_size can only be 0 if dimension size is 0, but got dimension size of ", length);
  if (length == 0) return {part_of(self, d, 0, 0)};
  std::vector<Tensor> parts = room_for((length - 1) / split_size + 1, "split");
  for (int64_t start = 0; start < length; start += split_size) {
    parts.push_back(part_of(self, d, start, std::min(split_size, length - start)));
  }
  return parts;
}

std::vector<Tensor> split_with_sizes(const Tensor& self, IntList split_sizes, int64_t dim) {
  const int64_t d = dim_of_parts(self, dim, "split");
  const int64_t length = self.sizes()[d];
  std::vector<Tensor> parts;
  parts.reserve(split_sizes.size());
  int64_t start = 0;
  for (int64_t size : split_sizes) {
    OW_CHECK(size >= 0,
             "split_with_sizes expects split_sizes have only non-negative entries, but got "
             "split_sizes=",
             split_sizes);
    OW_CHECK(!__builtin_add_overflow(start, size, &start), "split_with_sizes: the sum of ",
             split_sizes, " is out of the range of 64-bit integers");
  }
  OW_CHECK(start == length, "split_with_sizes expects split_sizes to sum exactly to ", length,
           " (input tensor's size at dimension ", d, "), but got split_sizes=", split_sizes);
  start = 0;
  for (int64_t size : split_sizes) {
    parts.push_back(part_of(self, d, start, size));
    start += size;
  }
  return parts;
}

std::vector<Tensor> chunk(const Tensor& self, int64_t chunks, int64_t dim) {
  const int64_t d = dim_of_parts(self, dim, "chunk");
  OW_CHECK(chunks > 0, "chunk expects `chunks` to be greater than 0, got: ", chunks);
  const int64_t length = self.sizes()[d];
  if (length == 0) {  // as many empty parts as were asked for
    room_for(chunks, "chunk");
    const DimVector sizes(static_cast<size_t>(chunks), 0);
    return opweave::split_with_sizes(self, sizes, d);
  }
  return opweave::split(self, (length - 1) / chunks + 1, d);
}

std::vector<Tensor> tensor_split_sections(const Tensor& self, int64_t sections, int64_t dim) {
  const int64_t d = dim_of_tensor_split(self, dim);
  OW_CHECK(sections > 0, "number of sections must be larger than 0, got ", sections);
  const int64_t length = self.sizes()[d];
  std::vector<Tensor> parts = room_for(sections, "tensor_split");
  int64_t start = 0;
  for (int64_t i = 0; i < sections; ++i) {
    const int64_t end = start + length / sections + (i < length % sections);
    parts.push_back(opweave::slice(self, d, start, end, 1));
    start = end;
  }
  return parts;
}

std::vector<Tensor> tensor_split_indices(const Tensor& self, IntList indices, int64_t dim) {
  const int64_t d = dim_of_tensor_split(self, dim);
  std::vector<Tensor> parts;
  int64_t start = 0;
  for (int64_t end : indices) {
    parts.push_back(opweave::slice(self, d, start, end, 1));
    start = end;
  }
  parts.push_back(opweave::slice(self, d, start, self.sizes()[d], 1));
  return parts;
}

std::vector<Tensor> tensor_split_tensor_indices_or_sections(
    const Tensor& self, const Tensor& tensor_indices_or_sections, int64_t dim) {
  const Tensor& given = tensor_indices_or_sections;
  dim_of_tensor_split(self, dim);
  OW_CHECK(given.in_host_memory() && !given.is_meta(),
           "tensor_split expected tensor_indices_or_sections to be on cpu, but it's on ",
           given.device());
  OW_CHECK(given.dtype() == kLong,
           "tensor_split expected tensor_indices_or_sections to have dtype of long, but got ",
           scalar_type_name(given.dtype()));
  OW_CHECK(given.dim() <= 1,
           "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or "
           "one-dimensional tensor, but got a tensor with ",
           given.dim(), " dims");
  const auto number = [](const Tensor& t) { return opweave::item(t).to_long(); };
  if (given.dim() == 0) return opweave::tensor_split(self, number(given), dim);
  DimVector indices;
  for (int64_t i = 0; i < given.sizes()[0]; ++i)
    indices.push_back(number(opweave::select(given, 0, i)));
  return opweave::tensor_split(self, indices, dim);
}

std::vector<Tensor> unbind_int(const Tensor& self, int64_t dim) {
  OW_CHECK_INDEX(self.dim() > 0, "Dimension specified as ", dim, " but tensor has no dimensions");
  const int64_t d = wrap_dim(dim, self.dim());
  std::vector<Tensor> parts = room_for(self.sizes()[d], "unbind");
  Geometry g = geometry_of(self);
  const int64_t count = g.sizes[d], stride = g.strides[d], first = g.offset;
  g.sizes.erase(d);
  g.strides.erase(d);
  for (int64_t i = 0; i < count; ++i) {
    g.offset = first + stride_product(stride, i);
    parts.push_back(view_of(self, g));
  }
  return parts;
}

}  // namespace opweave::composite
