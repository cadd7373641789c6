// Rule functions over int64_t.
#include "runtime/rules/functions.h"

#include "rules/views.h"
#include "runtime/rules/arithmetic.h"
#include "runtime/rules/broadcast.h"
#include "runtime/rules/reduction.h"

namespace opweave::rule {
namespace {

size_t checked_index(IntList list, int64_t index, size_t end) {
  OW_CHECK(index >= 0 && static_cast<size_t>(index) < end, "index ", index,
           " is out of range for the list ", list);
  return static_cast<size_t>(index);
}

}  // namespace

// One dimension and all of them are what is mostly asked for: they need no mask.
DimVector reduced(IntList sizes, const std::optional<IntList>& dim, bool keepdim) {
  if (!dim || dim->empty()) return reduced(sizes, std::optional<int64_t>(), keepdim);
  if (dim->size() == 1) return reduced(sizes, std::optional<int64_t>((*dim)[0]), keepdim);
  return reduced_sizes(sizes, reduced_dims(dim, static_cast<int64_t>(sizes.size())), keepdim);
}

[[gnu::hot]] DimVector reduced(IntList sizes, const std::optional<int64_t>& dim, bool keepdim) {
  const auto rank = static_cast<int64_t>(sizes.size());
  check_reducible(rank);
  const auto wrapped = static_cast<size_t>(dim ? wrap(*dim, rank) : 0);
  return generic::reduced<DimVector>(
      sizes, [&](size_t i) { return !dim || i == wrapped; }, keepdim);
}

DimVector broadcast(IntList a, IntList b) { return broadcast_sizes(a, b); }

bool broadcasts_to(IntList from, IntList to) {
  if (from.size() > to.size()) return false;
  const size_t offset = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] != 1 && from[i] != to[offset + i]) return false;
  }
  return true;
}

DimVector expanded(IntList from, IntList to) {
  OW_CHECK(from.size() <= to.size(), "expand(", from, ", size=", to,
           "): the number of sizes provided (", to.size(),
           ") must be greater or equal to the number of dimensions in the tensor (", from.size(),
           ")");
  const size_t offset = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    OW_CHECK(from[i] == 1 || from[i] == to[offset + i], "The expanded size of the tensor (",
             to[offset + i], ") must match the existing size (", from[i],
             ") at non-singleton dimension ", offset + i, ".  Target sizes: ", to,
             ".  Tensor sizes: ", from);
  }
  return to;
}

[[gnu::hot]] DimVector concat(IntList a, IntList b) {
  DimVector out(a);
  for (int64_t element : b) out.push_back(element);
  return out;
}

IntList first(IntList list, int64_t count) {
  return list.first(checked_index(list, count, list.size() + 1));
}

DimVector first(DimVector&& list, int64_t count) { return first(IntList(list), count); }

IntList last(IntList list, int64_t count) {
  const size_t n = checked_index(list, count, list.size() + 1);
  return {list.data() + (list.size() - n), n};
}

DimVector last(DimVector&& list, int64_t count) { return last(IntList(list), count); }

DimVector without(IntList list, int64_t index) {
  return generic::without<DimVector>(list, checked_index(list, index, list.size()));
}
DimVector without(IntList list, int64_t a, int64_t b) {
  return generic::without_two<DimVector>(list, checked_index(list, a, list.size()),
                                         checked_index(list, b, list.size()));
}

DimVector replaced(IntList list, int64_t index, int64_t value) {
  return generic::replaced<DimVector>(list, checked_index(list, index, list.size()), value);
}

DimVector inserted(IntList list, int64_t index, int64_t value) {
  DimVector out(list);
  out.insert(checked_index(list, index, list.size() + 1), value);
  return out;
}

DimVector with_last_ones(IntList sizes, int64_t count) {
  return generic::with_last_ones<DimVector>(sizes, checked_index(sizes, count, sizes.size() + 1));
}

int64_t product(IntList list) { return checked_numel(list); }

int64_t pick(IntList list, int64_t index) {
  OW_CHECK(!list.empty(), "an element of an empty list is asked for");
  return list.size() == 1 ? list[0] : list[checked_index(list, index, list.size())];
}

int64_t first_empty(IntList sizes, IntList dim) {
  for (size_t i = 0; i < dim.size(); ++i) {
    if (size_along(sizes, dim[i]) == 0) return static_cast<int64_t>(i);
  }
  return -1;
}

int64_t smallest(IntList list) {
  OW_CHECK(!list.empty(), "the smallest element of an empty list is asked for");
  return *std::min_element(list.begin(), list.end());
}

int64_t floor_div(int64_t a, int64_t b) { return generic::Arithmetic<int64_t>::floor_div(a, b); }
int64_t mod(int64_t a, int64_t b) { return b == -1 ? 0 : a - floor_div(a, b) * b; }

bool fits_into(IntList a, IntList b) { return fits_into(a, b, -1); }

bool fits_into(IntList a, IntList b, int64_t but) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i] && static_cast<int64_t>(i) != but) return false;
  }
  return true;
}

bool same(IntList a, IntList b, int64_t but) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && static_cast<int64_t>(i) != but) return false;
  }
  return true;
}

bool all_between(IntList list, int64_t low, int64_t high) {
  return std::all_of(list.begin(), list.end(),
                     [=](int64_t value) { return value >= low && value <= high; });
}

bool below_either(IntList list, IntList a, IntList b) {
  const size_t n = std::max({list.size(), a.size(), b.size()});
  for (size_t i = 0; i < n; ++i) {
    const auto at = static_cast<int64_t>(i);
    const int64_t value = pick(list, at);
    if (value >= pick(a, at) && value >= pick(b, at)) return false;
  }
  return true;
}

IntList at_least_1d(IntList sizes) {
  static constexpr int64_t one[] = {1};
  return sizes.empty() ? IntList(one, 1) : sizes;
}

DimVector at_least_1d(DimVector&& sizes) { return at_least_1d(IntList(sizes)); }

int64_t repeated_dim(IntList dim, int64_t rank) {
  DimVector seen;
  for (int64_t d : dim) {
    const int64_t wrapped = wrap_dim(d, rank);
    if (std::find(seen.begin(), seen.end(), wrapped) != seen.end()) return wrapped;
    seen.push_back(wrapped);
  }
  return -1;
}

std::string crossed(IntList list) {
  std::string text;
  for (int64_t value : list) text += (text.empty() ? "" : " x ") + std::to_string(value);
  return text;
}

DimVector strides_like(IntList sizes, const Tensor& tensor) {
  for (MemoryFormat format : {MemoryFormat::kChannelsLast, MemoryFormat::kChannelsLast3d}) {
    const size_t rank = format == MemoryFormat::kChannelsLast ? 4 : 5;
    const bool like = sizes.size() == rank && tensor.sizes().size() == rank &&
                      !tensor.is_contiguous() && tensor.is_contiguous(format);
    if (like) return strides_for(sizes, format);
  }
  return {};
}

DimVector dense_strides(const Tensor& tensor) {
  return tensor.is_contiguous() ? DimVector() : dense_strides_like(tensor);
}

std::string joined(IntList list) {
  std::string text;
  for (int64_t value : list) text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text;
}

}  // namespace opweave::rule
