// native_dropout: a mask from the default generator, and the elements that it keeps.
#include <algorithm>
#include <cstring>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/copying/copy.h"
#include "kernels/cpu/random/fill.h"
#include "kernels/cpu/random/sequential.h"
#include "opweave/kernels/cpu/native_dropout.h"
#include "runtime/core/random/generator.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

void draw_mask(uint8_t* keep, int64_t n, double p) {
  const Generator& generator = default_generator();
  if (const LockedMt19937 words(generator); words)
    return sequential::bernoulli(*words, {keep, kBool, n}, p);
  fill_bernoulli(keep, kBool, n, p, nullptr, generator);
}

}  // namespace

void native_dropout(const Tensor& input, double p, std::optional<bool> train, Tensor& out,
                    Tensor& mask) {
  // All three are walked as they lie in memory: alike and densely.
  const bool alike = same_sizes(input.strides(), out.strides());
  if (!alike) copy_elements(out, input);
  const Tensor& in = alike ? input : out;
  auto* keep = static_cast<uint8_t*>(mask.raw_data());
  const int64_t n = in.numel();
  const bool drops = train.value_or(true);  // of nothing as well, as PyTorch draws
  if (drops) {
    draw_mask(keep, n, 1 - p);
  } else {
    std::fill(keep, keep + n, 1);
    if (alike) std::memcpy(out.raw_data(), in.raw_data(), in.nbytes());
    return;
  }
  visit_floating("native_dropout", in.dtype(), [&]<class T>(TypeTag<T>) {
    using C = compute_type<T>;
    const C scale = p == 1 ? C(0) : static_cast<C>(1 / (1 - p));
    const T* from = static_cast<const T*>(in.raw_data());
    T* to = static_cast<T*>(out.raw_data());
    parallel_for(0, n, kGrainSize, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        to[i] = static_cast<T>(C(from[i]) * (C(keep[i]) * scale));
      }
    });
  });
}

}  // namespace opweave::cpu
