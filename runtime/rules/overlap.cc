// Overlap by extents: exact for dense tensors, and no false alarm for others.
#include "runtime/rules/overlap.h"

#include <algorithm>

#include "runtime/core/base/str.h"
#include "runtime/rules/out_size.h"

namespace opweave {
namespace {

const char* begin_of(const Tensor& t) { return static_cast<const char*>(t.raw_data()); }

enum class Overlap { kNone, kPartial, kFull };

Overlap overlap_of(const Tensor& a, const Tensor& b) {
  if (a.numel() == 0 || b.numel() == 0) return Overlap::kNone;
  if (a.impl() == b.impl()) return Overlap::kFull;
  if (a.storage() != b.storage() || a.is_meta()) return Overlap::kNone;
  const bool dense =
      a.impl()->is_non_overlapping_and_dense() && b.impl()->is_non_overlapping_and_dense();
  if (!dense)
    return Overlap::kNone;  // slices may interleave without meeting; telling would cost too much
  const char* a_begin = begin_of(a);
  const char* b_begin = begin_of(b);
  const char* a_end = a_begin + a.nbytes();
  const char* b_end = b_begin + b.nbytes();
  if (a_begin == b_begin && a_end == b_end)
    return same_sizes(a.strides(), b.strides()) ? Overlap::kFull : Overlap::kPartial;
  return a_begin < b_end && b_begin < a_end ? Overlap::kPartial : Overlap::kNone;
}

[[noreturn]] void fail_overlap() {
  OW_THROW(ErrorKind::kRuntime,
           "unsupported operation: some elements of the input tensor and the written-to tensor "
           "refer to a single memory location. Please clone() the tensor before performing the "
           "operation.");
}

}  // namespace

bool repeats_elements(const Tensor& t) {
  if (t.impl()->is_non_overlapping_and_dense()) return false;
  for (size_t i = 0; i < t.sizes().size(); ++i) {
    if (t.strides()[i] == 0 && t.sizes()[i] > 1) return true;
  }
  return false;
}

bool may_overlap(const Tensor& t) {
  if (t.numel() <= 1 || t.impl()->is_non_overlapping_and_dense()) return false;
  DimVector dims;
  for (size_t d = 0; d < t.sizes().size(); ++d) {
    if (t.sizes()[d] > 1) dims.push_back(static_cast<int64_t>(d));
  }
  std::ranges::sort(dims, {}, [&](int64_t d) { return t.strides()[d]; });
  int64_t reach = 0;  // of the dimensions before, from the first element to the last
  for (const int64_t d : dims) {
    if (t.strides()[d] <= reach) return true;
    reach += (t.sizes()[d] - 1) * t.strides()[d];
  }
  return false;
}

void warn_of_repeated_elements(const Tensor& written, std::string_view name,
                               std::string_view also) {
  if (!repeats_elements(written)) return;
  warn_program(str("Use of ", name,
                   " on expanded tensors is deprecated. Please clone() the tensor before "
                   "performing this operation. This also applies to advanced indexing e.g. ",
                   also));
}

void check_no_internal_overlap(const Tensor& written) {
  OW_CHECK(!repeats_elements(written),
           "unsupported operation: more than one element of the written-to tensor refers to a "
           "single memory location, as expand() makes them. Please clone() the tensor before "
           "performing the operation.");
}

void check_no_partial_overlap(const Tensor& written, const Tensor& input) {
  if (overlap_of(written, input) == Overlap::kPartial) fail_overlap();
}

void check_apart(const Tensor& written, const Tensor& other) {
  if (other.defined() && overlap_of(written, other) != Overlap::kNone) fail_overlap();
}

}  // namespace opweave
