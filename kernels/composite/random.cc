// Random tensors: made here, filled by the in-place operators.
#include "kernels/composite/every_example.h"
#include "kernels/composite/new_tensor.h"
#include "opweave/kernels/composite/bernoulli.h"
#include "opweave/kernels/composite/normal.h"
#include "opweave/kernels/composite/rand.h"
#include "opweave/kernels/composite/rand_like.h"
#include "opweave/kernels/composite/randint.h"
#include "opweave/kernels/composite/randint_like.h"
#include "opweave/kernels/composite/randn.h"
#include "opweave/kernels/composite/randn_like.h"
#include "opweave/kernels/composite/random_.h"
#include "opweave/kernels/composite/randperm.h"
#include "opweave/ops/add.h"
#include "opweave/ops/bernoulli_.h"
#include "opweave/ops/ge.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/new_empty.h"
#include "opweave/ops/normal_.h"
#include "opweave/ops/random_.h"
#include "opweave/ops/to.h"
#include "opweave/ops/uniform_.h"
#include "runtime/batching/batched_tensor.h"
#include "runtime/core/random/mt19937.h"
#include "runtime/core/random/random_numbers.h"
#include "runtime/rules/broadcast.h"

namespace opweave::composite {
namespace {

using OptionalGenerator = std::optional<Generator>;

Tensor uniform(Tensor t, const OptionalGenerator& generator) {
  return opweave::uniform_(t, 0, 1, generator);
}

Tensor normal(Tensor t, double mean, double std, const OptionalGenerator& generator) {
  return opweave::normal_(t, mean, std, generator);
}

Tensor integers(Tensor t, int64_t low, int64_t high, const OptionalGenerator& generator) {
  return opweave::random_(t, low, high, generator);
}

void check_deviations(const Tensor& std) {
  if (std.is_meta() || std.numel() == 0) return;
  OW_CHECK(holds_everywhere(opweave::ge(std, 0)), "normal expects all elements of std >= 0.0");
}

// The numbers 0 to n - 1 in an order drawn by Fisher and Yates: position i is exchanged with
// position i + below(wide draw i, n - i). One after the other by nature, so made on the CPU for
// every device.
template <class T>
void shuffle(T* out, int64_t n, const PhiloxSlice& slice) {
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(i);
  for (int64_t i = 0; i < n; i += 2) {
    const auto words = philox_block(slice, static_cast<uint64_t>(i / 2));
    for (int64_t k = i; k < std::min(n, i + 2); ++k) {
      const size_t w = k == i ? 0 : 2;
      const uint64_t step =
          random::below(random::wide_word(words[w], words[w + 1]), static_cast<uint64_t>(n - k));
      std::swap(out[k], out[k + static_cast<int64_t>(step)]);
    }
  }
}

// The same as PyTorch's CPU does it.
void shuffle(int64_t* out, int64_t n, Mt19937& words) {
  for (int64_t i = 0; i < n; ++i) out[i] = i;
  for (int64_t i = 0; i < n - 1; ++i) {
    const uint64_t step = words.word() % static_cast<uint64_t>(n - i);
    std::swap(out[i], out[i + static_cast<int64_t>(step)]);
  }
}

}  // namespace

Tensor& random__to(Tensor& self, int64_t to, OptionalGenerator generator) {
  return opweave::random_(self, 0, to, generator);
}

Tensor& random_(Tensor& self, OptionalGenerator generator) {
  return opweave::random_(self, 0, std::nullopt, generator);
}

Tensor rand(IntList size, OptionalGenerator generator, std::optional<ScalarType> dtype,
            std::optional<Layout>, std::optional<Device> device, std::optional<bool> pin_memory) {
  return uniform(new_tensor(size, {dtype, device, pin_memory}), generator);
}

Tensor rand_like(const Tensor& self, OptionalGenerator generator, std::optional<ScalarType> dtype,
                 std::optional<Layout>, std::optional<Device> device,
                 std::optional<bool> pin_memory, std::optional<MemoryFormat> memory_format) {
  return uniform(new_tensor_like(self, {dtype, device, pin_memory}, memory_format), generator);
}

Tensor randn(IntList size, OptionalGenerator generator, std::optional<ScalarType> dtype,
             std::optional<Layout>, std::optional<Device> device, std::optional<bool> pin_memory) {
  return normal(new_tensor(size, {dtype, device, pin_memory}), 0, 1, generator);
}

Tensor randn_like(const Tensor& self, OptionalGenerator generator, std::optional<ScalarType> dtype,
                  std::optional<Layout>, std::optional<Device> device,
                  std::optional<bool> pin_memory, std::optional<MemoryFormat> memory_format) {
  return normal(new_tensor_like(self, {dtype, device, pin_memory}, memory_format), 0, 1, generator);
}

Tensor randint_low(int64_t low, int64_t high, IntList size, OptionalGenerator generator,
                   std::optional<ScalarType> dtype, std::optional<Layout>,
                   std::optional<Device> device, std::optional<bool> pin_memory) {
  return integers(new_tensor(size, {dtype.value_or(kLong), device, pin_memory}), low, high,
                  generator);
}

Tensor randint_like_low_dtype(const Tensor& self, int64_t low, int64_t high,
                              OptionalGenerator generator, std::optional<ScalarType> dtype,
                              std::optional<Layout>, std::optional<Device> device,
                              std::optional<bool> pin_memory,
                              std::optional<MemoryFormat> memory_format) {
  return integers(new_tensor_like(self, {dtype, device, pin_memory}, memory_format), low, high,
                  generator);
}

Tensor randperm(int64_t n, OptionalGenerator generator, std::optional<ScalarType> dtype,
                std::optional<Layout>, std::optional<Device> device,
                std::optional<bool> pin_memory) {
  OW_CHECK(n >= 0, "n must be non-negative, got ", n);
  const ScalarType kind = dtype.value_or(kLong);
  OW_CHECK(n - 1 <= largest_counted(kind), "n is too large for dtype ", kind, ": ", n);
  const Device where = device.value_or(default_device());
  const Generator& source = generator && *generator ? *generator : default_generator(where);
  if (where.is_meta()) return new_tensor({n}, {kind, where, pin_memory});
  const Tensor order = make_tensor({n}, kLong, host_device());
  auto* out = static_cast<int64_t*>(order.raw_data());
  if (const LockedMt19937 words(source); words) {
    shuffle(out, n, *words);
  } else {
    shuffle(out, n, source->reserve(static_cast<uint64_t>(random::wide_blocks(n))));
  }
  return opweave::to(order, where, kind);
}

Tensor bernoulli(const Tensor& self, OptionalGenerator generator) {
  OW_CHECK_NOT_IMPLEMENTED(contains(dtypes::kCommonFloating, self.dtype()),
                           "\"bernoulli\" not implemented for '", scalar_type_name(self.dtype()),
                           "'");
  Tensor result = new_tensor_like(self, {}, MemoryFormat::kContiguous);
  return opweave::bernoulli_(result, self, generator);
}

Tensor bernoulli_p(const Tensor& self, double p, OptionalGenerator generator) {
  Tensor result = new_tensor_like(self, {}, MemoryFormat::kContiguous);
  return opweave::bernoulli_(result, p, generator);
}

Tensor normal_Tensor_float(const Tensor& mean, double std, OptionalGenerator generator) {
  Tensor noise = normal(new_tensor_like(mean, {}, MemoryFormat::kContiguous), 0, std, generator);
  return opweave::add(noise, mean);
}

Tensor normal_float_Tensor(double mean, const Tensor& std, OptionalGenerator generator) {
  check_deviations(std);
  Tensor noise = normal(new_tensor_like(std, {}, MemoryFormat::kContiguous), 0, 1, generator);
  return opweave::add(opweave::mul(noise, std), Scalar(mean));
}

Tensor normal_Tensor_Tensor(const Tensor& mean, const Tensor& std, OptionalGenerator generator) {
  check_deviations(std);
  const DimVector sizes = broadcast_sizes(mean.sizes(), std.sizes());
  const Tensor& batch = is_batched(mean) ? mean : std;  // whose examples draw for themselves
  Tensor noise = opweave::new_empty(batch, sizes, mean.dtype(), Layout::kStrided, mean.device());
  noise = normal(noise, 0, 1, generator);
  const Tensor result = opweave::add(opweave::mul(noise, std), mean);
  return result.dtype() == mean.dtype() ? result : opweave::to(result, mean.dtype());
}

Tensor normal_float_float(double mean, double std, IntList size, OptionalGenerator generator,
                          std::optional<ScalarType> dtype, std::optional<Layout>,
                          std::optional<Device> device, std::optional<bool> pin_memory) {
  return normal(new_tensor(size, {dtype, device, pin_memory}), mean, std, generator);
}

}  // namespace opweave::composite
