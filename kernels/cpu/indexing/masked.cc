// Elements chosen by a mask or by not being zero.
#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/common/words.h"
#include "kernels/cpu/copying/copy.h"
#include "kernels/cpu/indexing/compaction.h"
#include "opweave/kernels/cpu/masked_scatter_.h"
#include "opweave/kernels/cpu/masked_select.h"
#include "opweave/kernels/cpu/nonzero.h"
#include "runtime/rules/broadcast.h"
#include "runtime/rules/overlap.h"

namespace opweave::cpu {
namespace {

// Broadcast to a shape, and dense.
Tensor dense_in(const Tensor& t, IntList sizes) {
  if (t.is_contiguous() && same_sizes(t.sizes(), sizes)) return t;
  Tensor copy = make_tensor(sizes, t.dtype(), t.device());
  copy_elements(copy, t);
  return copy;
}

int64_t count_true(const uint8_t* mask, int64_t begin, int64_t end) {
  int64_t n = 0;
  for (int64_t i = begin; i < end; ++i) n += mask[i];
  return n;
}

Compaction compact(const uint8_t* mask, int64_t n) {
  return Compaction(n, [mask](int64_t begin, int64_t end) { return count_true(mask, begin, end); });
}

// Without a branch per element: each is written, and overwritten by the next if it was not chosen.
template <class W>
W* select_part(const uint8_t* mask, const W* from, W* to, int64_t n) {
  constexpr int64_t kBatch = 512;
  W batch[kBatch + 1];
  for (int64_t start = 0; start < n; start += kBatch) {
    const int64_t end = std::min(n, start + kBatch);
    int64_t chosen = 0;
    for (int64_t i = start; i < end; ++i) {
      batch[chosen] = from[i];
      chosen += mask[i];
    }
    to = std::copy(batch, batch + chosen, to);
  }
  return to;
}

const uint8_t* bytes(const Tensor& mask) { return static_cast<const uint8_t*>(mask.raw_data()); }

// Row-major coordinates of position `linear`.
void write_position(int64_t linear, IntList sizes, int64_t* out) {
  for (size_t d = sizes.size(); d-- > 0;) {
    out[d] = linear % sizes[d];
    linear /= sizes[d];
  }
}

template <class T>
Tensor nonzero_of(const T* data, int64_t n, IntList sizes) {
  const auto is_set = [data](int64_t i) { return data[i] != T(0); };
  const Compaction compaction(n, [&](int64_t begin, int64_t end) {
    int64_t count = 0;
    for (int64_t i = begin; i < end; ++i) count += is_set(i);
    return count;
  });
  const auto ndim = static_cast<int64_t>(sizes.size());
  Tensor result = make_tensor({compaction.total(), ndim}, kLong, kCPU);
  auto* out = static_cast<int64_t*>(result.raw_data());
  compaction.run([&](int64_t begin, int64_t end, int64_t row) {
    for (int64_t i = begin; i < end; ++i) {
      if (!is_set(i)) continue;
      int64_t* position = out + row++ * ndim;
      if (ndim == 1) {
        *position = i;
      } else {
        write_position(i, sizes, position);
      }
    }
  });
  return result;
}

}  // namespace

Tensor masked_select(const Tensor& self, const Tensor& mask) {
  const DimVector sizes = broadcast_sizes(self.sizes(), mask.sizes());
  const Tensor source = dense_in(self, sizes), chosen = dense_in(mask, sizes);
  const Compaction compaction = compact(bytes(chosen), chosen.numel());
  Tensor result = make_tensor({compaction.total()}, self.dtype(), self.device());
  with_word(self.element_size(), [&]<class W>(W) {
    const W* from = static_cast<const W*>(source.raw_data());
    W* to = static_cast<W*>(result.raw_data());
    compaction.run([&](int64_t begin, int64_t end, int64_t before) {
      select_part(bytes(chosen) + begin, from + begin, to + before, end - begin);
    });
  });
  return result;
}

Tensor& masked_scatter_(Tensor& self, const Tensor& mask, const Tensor& source) {
  check_no_internal_overlap(self);
  check_no_partial_overlap(self, source);
  const Tensor chosen = dense_in(mask, self.sizes());
  const Tensor values = dense_in(source, source.sizes());
  Tensor target = dense_in(self, self.sizes());
  const Compaction compaction = compact(bytes(chosen), chosen.numel());
  OW_CHECK(compaction.total() <= source.numel(),
           "masked_scatter_: expected self and source to have enough elements: the mask selects ",
           compaction.total(), ", source has ", source.numel());
  with_word(self.element_size(), [&]<class W>(W) {
    const W* from = static_cast<const W*>(values.raw_data());
    W* to = static_cast<W*>(target.raw_data());
    compaction.run([&](int64_t begin, int64_t end, int64_t next) {
      for (int64_t i = begin; i < end; ++i) {
        if (bytes(chosen)[i]) to[i] = from[next++];
      }
    });
  });
  if (!target.is_same(self)) copy_elements(self, target);
  return self;
}

Tensor nonzero(const Tensor& self) {
  const Tensor dense = dense_in(self, self.sizes());
  return visit_dtype("nonzero", self.dtype(), [&]<class T>(TypeTag<T>) {
    using Word = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
    return nonzero_of(static_cast<const Word*>(dense.raw_data()), dense.numel(), self.sizes());
  });
}

}  // namespace opweave::cpu
