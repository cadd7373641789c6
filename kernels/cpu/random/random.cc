// Random in-place operators: arguments, then dense memory filled by kernels/cpu/random.
#include <algorithm>
#include <numeric>

#include "kernels/cpu/copying/copy.h"
#include "kernels/cpu/random/fill.h"
#include "kernels/cpu/random/generators.h"
#include "kernels/cpu/random/sequential.h"
#include "opweave/kernels/cpu/bernoulli_.h"
#include "opweave/kernels/cpu/exponential_.h"
#include "opweave/kernels/cpu/normal_.h"
#include "opweave/kernels/cpu/random_.h"
#include "opweave/kernels/cpu/uniform_.h"
#include "runtime/rules/overlap.h"

namespace opweave::cpu {
namespace {

// Elements are counted in row-major order, so that strides change nothing about the numbers.
template <class Fill>
Tensor& fill_rows(Tensor& self, Fill fill) {
  if (self.is_contiguous()) {
    fill(self.raw_data());
    return self;
  }
  const Tensor dense = make_tensor(self.sizes(), self.dtype(), self.device());
  fill(dense.raw_data());
  copy_elements(self, dense);
  return self;
}

// The order of dimensions from the widest strides to the narrowest.
DimVector memory_order(const Tensor& t) {
  DimVector order(static_cast<size_t>(t.dim()));
  std::iota(order.begin(), order.end(), 0);
  const auto stride = [&](int64_t d) { return t.strides()[static_cast<size_t>(d)]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return stride(a) > stride(b); });
  return order;
}

Tensor permuted(const Tensor& t, const DimVector& order) {
  DimVector sizes(order.size()), strides(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    sizes[i] = t.sizes()[static_cast<size_t>(order[i])];
    strides[i] = t.strides()[static_cast<size_t>(order[i])];
  }
  return make_alias(t, IntList(sizes), IntList(strides), t.storage_offset());
}

// The numbers of a twister come in the order of memory, as PyTorch's do.
template <class Draw>
Tensor& draw_in_order(Tensor& self, Draw draw) {
  if (self.is_contiguous()) {
    draw(sequential::Memory{self.raw_data(), self.dtype(), self.numel()});
    return self;
  }
  Tensor view = permuted(self, memory_order(self));
  const Tensor dense = make_tensor(view.sizes(), self.dtype(), self.device());
  draw(sequential::Memory{dense.raw_data(), self.dtype(), self.numel()});
  copy_elements(view, dense);
  return self;
}

// `fill(memory, generator)`, or `draw(words, memory)` where the generator is a twister.
template <class Fill, class Draw>
Tensor& fill_tensor(Tensor& self, const std::optional<Generator>& given, Fill fill, Draw draw) {
  check_no_internal_overlap(self);
  const Generator& generator = generator_or_default(given);
  if (const LockedMt19937 words(generator); words) {
    return draw_in_order(self, [&](const sequential::Memory& to) { draw(*words, to); });
  }
  return fill_rows(self, [&](void* out) { fill(out, generator); });
}

Tensor probabilities_of(const Tensor& p, IntList sizes) {
  Tensor values = make_tensor(sizes, kDouble, kCPU);
  copy_elements(values, p);
  const auto* data = static_cast<const double*>(values.raw_data());
  for (int64_t i = 0; i < values.numel(); ++i) {
    OW_CHECK(data[i] >= 0 && data[i] <= 1,
             "bernoulli expects p to be in [0, 1], but got p=", data[i]);
  }
  return values;
}

}  // namespace

Tensor& uniform_(Tensor& self, double from, double to, std::optional<Generator> generator) {
  return fill_tensor(
      self, generator,
      [&](void* out, const Generator& g) {
        fill_uniform(out, self.dtype(), self.numel(), from, to, g);
      },
      [&](Mt19937& words, const auto& memory) { sequential::uniform(words, memory, from, to); });
}

Tensor& normal_(Tensor& self, double mean, double std, std::optional<Generator> generator) {
  const bool blocks = self.is_contiguous();
  return fill_tensor(
      self, generator,
      [&](void* out, const Generator& g) {
        fill_normal(out, self.dtype(), self.numel(), mean, std, g);
      },
      [&](Mt19937& words, const auto& memory) {
        sequential::normal(words, memory, mean, std, blocks);
      });
}

Tensor& exponential_(Tensor& self, double lambd, std::optional<Generator> generator) {
  return fill_tensor(
      self, generator,
      [&](void* out, const Generator& g) {
        fill_exponential(out, self.dtype(), self.numel(), lambd, g);
      },
      [&](Mt19937& words, const auto& memory) { sequential::exponential(words, memory, lambd); });
}

Tensor& bernoulli__float(Tensor& self, double p, std::optional<Generator> generator) {
  return fill_tensor(
      self, generator,
      [&](void* out, const Generator& g) {
        fill_bernoulli(out, self.dtype(), self.numel(), p, nullptr, g);
      },
      [&](Mt19937& words, const auto& memory) { sequential::bernoulli(words, memory, p); });
}

Tensor& bernoulli__Tensor(Tensor& self, const Tensor& p, std::optional<Generator> generator) {
  const Tensor each = probabilities_of(p, self.sizes());
  return fill_tensor(
      self, generator,
      [&](void* out, const Generator& g) {
        fill_bernoulli(out, self.dtype(), self.numel(), 0,
                       static_cast<const double*>(each.raw_data()), g);
      },
      [&](Mt19937& words, const auto& memory) {
        const Tensor in_order = permuted(each, memory_order(self));
        const Dense values(in_order);
        sequential::bernoulli(words, memory, static_cast<const double*>(values->raw_data()),
                              p.dtype() == kDouble);
      });
}

Tensor& random__from(Tensor& self, int64_t from, std::optional<int64_t> to,
                     std::optional<Generator> generator) {
  // How many there are; 0 stands for 2^64.
  const int64_t last = to ? *to - 1 : largest_counted(self.dtype());
  const uint64_t range = static_cast<uint64_t>(last) - static_cast<uint64_t>(from) + 1;
  return fill_tensor(
      self, generator,
      [&](void* out, const Generator& g) {
        fill_integers(out, self.dtype(), self.numel(), from, range, g);
      },
      [&](Mt19937& words, const auto& memory) {
        // All of 64 bits are a word as it comes. Without bounds PyTorch goes by the dtype, with
        // them by the range.
        if (from == INT64_MIN && !to) return sequential::words(words, memory);
        if (from == 0 && !to) return sequential::whole(words, memory, range);
        sequential::integers(words, memory, from, range);
      });
}

}  // namespace opweave::cpu
