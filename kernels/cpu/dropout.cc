// native_dropout: a mask from the default generator, and the elements that it keeps.
#include <algorithm>

#include "kernels/cpu/visit_dtype.h"
#include "opweave/kernels/cpu.h"
#include "opweave/ops/contiguous.h"
#include "runtime/core/generator.h"
#include "runtime/core/parallel.h"

namespace opweave::cpu {
namespace {

constexpr int64_t kPerBlock = 4;  // numbers of a Philox block

// mask[i] says whether number i of the slice lies above p.
void fill_mask(bool* mask, int64_t n, const PhiloxSlice& slice, double p) {
  const double limit = p * 4294967296.0;
  const auto threshold = static_cast<uint64_t>(limit);
  parallel_for(0, (n + kPerBlock - 1) / kPerBlock, kGrainSize / kPerBlock,
               [&](int64_t from, int64_t to) {
                 for (int64_t b = from; b < to; ++b) {
                   const auto numbers = philox_block(slice, static_cast<uint64_t>(b));
                   const int64_t count = std::min(kPerBlock, n - b * kPerBlock);
                   for (int64_t i = 0; i < count; ++i) {
                     mask[b * kPerBlock + i] = numbers[static_cast<size_t>(i)] >= threshold;
                   }
                 }
               });
}

}  // namespace

std::tuple<Tensor, Tensor> native_dropout(const Tensor& input, double p,
                                          std::optional<bool> train) {
  const Tensor in = opweave::contiguous(input);
  Tensor mask = make_tensor(in.sizes(), kBool, in.device());
  bool* keep = mask.data<bool>();
  const int64_t n = in.numel();
  const bool drops = train.value_or(true) && p > 0;
  if (drops) {
    const auto blocks = static_cast<uint64_t>((n + kPerBlock - 1) / kPerBlock);
    fill_mask(keep, n, default_generator()->reserve(blocks), p);
  } else {
    std::fill(keep, keep + n, true);
  }
  Tensor out = make_tensor(in.sizes(), in.dtype(), in.device());
  visit_floating("native_dropout", in.dtype(), [&]<class T>(TypeTag<T>) {
    using C = compute_type<T>;
    const C scale = !drops ? C(1) : p == 1 ? C(0) : static_cast<C>(1 / (1 - p));
    const T* from = static_cast<const T*>(in.raw_data());
    T* to = static_cast<T*>(out.raw_data());
    parallel_for(0, n, kGrainSize, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        to[i] = static_cast<T>(C(from[i]) * (keep[i] ? scale : C(0)));
      }
    });
  });
  return {out, mask};
}

}  // namespace opweave::cpu
