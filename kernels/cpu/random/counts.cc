// poisson and binomial: counts, each of as many uniform numbers as it takes.
#include <cmath>

#include "kernels/cpu/copying/copy.h"
#include "kernels/cpu/random/generators.h"
#include "kernels/plans/count_draws.h"
#include "opweave/kernels/cpu/binomial.h"
#include "opweave/kernels/cpu/poisson.h"
#include "runtime/core/random/mt19937.h"
#include "runtime/core/random/random_numbers.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

// In row-major order, whatever the strides.
Tensor doubles_of(const Tensor& t, IntList sizes) {
  Tensor values = make_tensor(sizes, kDouble, kCPU);
  copy_elements(values, t);
  return values;
}

// The numbers of one element: a stream of its own, whose seed and beginning are a block of the
// call's stream. How many it takes moves no other's.
class OwnUniform {
 public:
  OwnUniform(const PhiloxSlice& of_call, int64_t element) {
    const auto words = philox_block(of_call, static_cast<uint64_t>(element));
    stream_ = {random::wide_word(words[0], words[1]), random::wide_word(words[2], words[3])};
  }
  double operator()() {
    const size_t half = next_ % 2 * 2;
    if (half == 0) block_ = philox_block(stream_, next_ / 2);
    ++next_;
    return random::unit(random::wide_word(block_[half], block_[half + 1]), 53);
  }

 private:
  PhiloxSlice stream_{};
  std::array<uint32_t, 4> block_{};
  uint64_t next_ = 0;
};

// `draw(i, uniform)` is the count of element i, in row-major order.
template <class Draw>
void draw_counts(Tensor& out, const std::optional<Generator>& given, Draw draw) {
  constexpr int64_t kGrain = 1024;  // a count takes some tens of nanoseconds
  const Generator& generator = generator_or_default(given);
  const Tensor counts = make_tensor(out.sizes(), kDouble, kCPU);
  auto* to = static_cast<double*>(counts.raw_data());
  const int64_t n = counts.numel();
  if (const LockedMt19937 words(generator); words) {
    // As PyTorch's CPU: 53 bits of two words, one element after the other.
    const auto uniform = [&] { return random::unit(words->wide_word() << 11, 53); };
    for (int64_t i = 0; i < n; ++i) to[i] = draw(i, uniform);
  } else {
    const PhiloxSlice slice = generator->reserve(static_cast<uint64_t>(n));
    parallel_for(0, n, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = draw(i, OwnUniform(slice, i));
    });
  }
  copy_elements(out, counts);
}

}  // namespace

void poisson(const Tensor& self, std::optional<Generator> generator, Tensor& result) {
  const Tensor rates = doubles_of(self, self.sizes());
  const auto* rate = static_cast<const double*>(rates.raw_data());
  for (int64_t i = 0; i < rates.numel(); ++i) {
    OW_CHECK(rate[i] >= 0 && std::isfinite(rate[i]),
             "invalid Poisson rate, expected rate to be non-negative and finite, got ", rate[i]);
  }
  draw_counts(result, generator,
              [&](int64_t i, auto&& uniform) { return plans::drawn_poisson(rate[i], uniform); });
}

void binomial(const Tensor& count, const Tensor& prob, std::optional<Generator> generator,
              Tensor& result) {
  const Tensor trials = doubles_of(count, result.sizes()),
               shares = doubles_of(prob, result.sizes());
  const auto* of = static_cast<const double*>(trials.raw_data());
  const auto* share = static_cast<const double*>(shares.raw_data());
  for (int64_t i = 0; i < trials.numel(); ++i) {
    OW_CHECK(!std::isinf(of[i]) || of[i] < 0 || share[i] <= 0 || std::isnan(share[i]),
             "binomial(): expected finite counts, got ", of[i]);
  }
  draw_counts(result, generator, [&](int64_t i, auto&& uniform) {
    return plans::drawn_binomial(of[i], share[i], uniform);
  });
}

}  // namespace opweave::cpu
