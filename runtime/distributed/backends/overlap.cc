// Of inputs and outputs, by their addresses.
#include "runtime/distributed/backends/overlap.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace opweave::distributed {
namespace {

const char* begin(const Tensor& t) { return static_cast<const char*>(t.raw_data()); }
const char* end(const Tensor& t) { return begin(t) + t.nbytes(); }

}  // namespace

bool overlap(const Tensor& a, const Tensor& b) { return begin(a) < end(b) && begin(b) < end(a); }

bool writes_inputs(const Collective& c, int rank) {
  const auto is_own = [&](size_t i, size_t count) {
    return count == 1 || i == static_cast<size_t>(rank);
  };
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    for (size_t o = 0; o < c.outputs.size(); ++o) {
      const Tensor &in = c.inputs[i], &out = c.outputs[o];
      const bool same = begin(in) == begin(out) && in.nbytes() == out.nbytes() &&
                        is_own(i, c.inputs.size()) && is_own(o, c.outputs.size());
      if (!same && overlap(in, out)) return true;
    }
  }
  return false;
}

bool overlap_shifted(const Collective& c) {
  for (const Tensor& in : c.inputs) {
    for (const Tensor& out : c.outputs) {
      if (begin(in) != begin(out) && overlap(in, out)) return true;
    }
  }
  return false;
}

Collective with_copied_inputs(const Collective& c) {
  Collective own = c;
  for (Tensor& in : own.inputs) {
    const Tensor copy = make_tensor(in.sizes(), in.dtype(), in.device());
    std::memcpy(copy.raw_data(), in.raw_data(), in.nbytes());
    in = copy;
  }
  return own;
}

bool cover(const std::vector<Tensor>& tensors, const Storage& storage) {
  const auto* begin = static_cast<const char*>(storage->data());
  std::vector<std::pair<size_t, size_t>> parts;
  for (const Tensor& t : tensors) {
    if (t.storage() != storage) continue;
    const auto from = static_cast<size_t>(static_cast<const char*>(t.raw_data()) - begin);
    parts.emplace_back(from, from + t.nbytes());
  }
  std::sort(parts.begin(), parts.end());
  size_t covered = 0;
  for (const auto& [from, to] : parts)
    if (from <= covered) covered = std::max(covered, to);
  return covered >= storage->nbytes();
}

}  // namespace opweave::distributed
