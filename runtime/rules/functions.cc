// Rule functions over int64_t.
#include "runtime/rules/functions.h"

#include "runtime/rules/arithmetic.h"
#include "runtime/rules/broadcast.h"
#include "runtime/rules/over/lists.h"
#include "runtime/rules/reduction.h"

namespace opweave::rule {

// One dimension and all of them are what is mostly asked for: they need no mask.
DimVector reduced(IntList sizes, const std::optional<IntList>& dim, bool keepdim) {
  if (!dim || dim->empty()) return reduced(sizes, std::optional<int64_t>(), keepdim);
  if (dim->size() == 1) return reduced(sizes, std::optional<int64_t>((*dim)[0]), keepdim);
  return reduced_sizes(sizes, reduced_dims(dim, static_cast<int64_t>(sizes.size())), keepdim);
}

[[gnu::hot]] DimVector reduced(IntList sizes, const std::optional<int64_t>& dim, bool keepdim) {
  check_reducible(static_cast<int64_t>(sizes.size()));
  return over::reduced<int64_t>(sizes, dim, keepdim);
}

DimVector broadcast(IntList a, IntList b) { return broadcast_sizes(a, b); }

bool broadcasts_to(IntList from, IntList to) { return over::broadcasts_to<int64_t>(from, to); }

DimVector expanded(IntList from, IntList to) { return over::expanded<int64_t>(from, to); }

[[gnu::hot]] DimVector concat(IntList a, IntList b) { return over::concat<int64_t>(a, b); }

IntList first(IntList list, int64_t count) { return over::first<int64_t>(list, count); }

DimVector first(DimVector&& list, int64_t count) { return first(IntList(list), count); }

IntList last(IntList list, int64_t count) { return over::last<int64_t>(list, count); }

DimVector last(DimVector&& list, int64_t count) { return last(IntList(list), count); }

DimVector without(IntList list, int64_t index) { return over::without<int64_t>(list, index); }
DimVector without(IntList list, int64_t a, int64_t b) { return over::without<int64_t>(list, a, b); }

DimVector replaced(IntList list, int64_t index, int64_t value) {
  return over::replaced<int64_t>(list, index, value);
}

DimVector inserted(IntList list, int64_t index, int64_t value) {
  return over::inserted<int64_t>(list, index, value);
}

DimVector with_last_ones(IntList sizes, int64_t count) {
  return over::with_last_ones<int64_t>(sizes, count);
}

int64_t product(IntList list) { return checked_numel(list); }

int64_t pick(IntList list, int64_t index) { return over::pick<int64_t>(list, index); }

int64_t first_empty(IntList sizes, IntList dim) { return over::first_empty<int64_t>(sizes, dim); }

int64_t smallest(IntList list) { return over::smallest<int64_t>(list); }

int64_t floor_div(int64_t a, int64_t b) { return generic::Arithmetic<int64_t>::floor_div(a, b); }
int64_t mod(int64_t a, int64_t b) { return b == -1 ? 0 : a - floor_div(a, b) * b; }

bool fits_into(IntList a, IntList b) { return fits_into(a, b, -1); }

bool fits_into(IntList a, IntList b, int64_t but) { return over::fits_into<int64_t>(a, b, but); }

bool same(IntList a, IntList b, int64_t but) { return over::same<int64_t>(a, b, but); }

bool all_between(IntList list, int64_t low, int64_t high) {
  return over::all_between<int64_t>(list, low, high);
}

bool below_either(IntList list, IntList a, IntList b) {
  return over::below_either<int64_t>(list, a, b);
}

IntList at_least_1d(IntList sizes) {
  static constexpr int64_t one[] = {1};
  return sizes.empty() ? IntList(one, 1) : sizes;
}

DimVector at_least_1d(DimVector&& sizes) { return at_least_1d(IntList(sizes)); }

int64_t repeated_dim(IntList dim, int64_t rank) { return over::repeated_dim(dim, rank); }

std::string crossed(IntList list) { return over::joined<int64_t>(list, " x "); }

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

std::string joined(IntList list) { return over::joined<int64_t>(list, ", "); }

}  // namespace opweave::rule
