// gather and the scatter family.
#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/common/words.h"
#include "kernels/cpu/copying/copy.h"
#include "kernels/cpu/indexing/gather_walk.h"
#include "opweave/kernels/cpu/gather.h"
#include "opweave/kernels/cpu/scatter_.h"
#include "opweave/kernels/cpu/scatter_add_.h"
#include "runtime/rules/overlap.h"

namespace opweave::cpu {

GatherWalk::GatherWalk(const Tensor& self, int64_t dim, const Tensor& index, const Tensor* other)
    : dim_(dim),
      inner_dim_(dim == index.dim() - 1 || index.dim() == 0 ? -1 : index.dim() - 1),
      size_(self.dim() == 0 ? 1 : self.sizes()[dim]),
      along_(index.dim() == 0 ? 1 : index.sizes()[dim]),
      inner_size_(inner_dim_ < 0 ? 1 : index.sizes()[inner_dim_]) {
  for (int64_t d = index.dim() - 1; d >= 0; --d) {
    if (d == dim_ || d == inner_dim_) continue;
    outer_sizes_.push_back(index.sizes()[d]);
    outer_count_ *= index.sizes()[d];
  }
  self_ = operand(self);
  index_ = operand(index);
  if (other != nullptr) {
    other_ = operand(*other);
  } else {
    other_.outer.resize(outer_sizes_.size());
  }
}

GatherWalk::Operand GatherWalk::operand(const Tensor& t) const {
  const auto item = static_cast<int64_t>(t.element_size());
  Operand o;
  o.data = static_cast<char*>(t.raw_data());
  for (int64_t d = t.dim() - 1; d >= 0; --d) {
    const int64_t stride = t.strides()[d] * item;
    if (d == dim_) {
      o.along = stride;
    } else if (d == inner_dim_) {
      o.inner = stride;
    } else {
      o.outer.push_back(stride);
    }
  }
  return o;
}

void GatherWalk::fail(int64_t index) const {
  OW_THROW(ErrorKind::kRuntime, "index ", index, " is out of bounds for dimension ", dim_,
           " with size ", size_);
}

namespace {

Tensor int64_index(const Tensor& index) {
  if (index.dtype() == kLong) return index;
  Tensor wide = make_tensor(index.sizes(), kLong, kCPU);
  copy_elements(wide, index);
  return wide;
}

// What can be written in place, with an int64 index.
struct Target {
  int64_t dim;
  Tensor index;

  Target(Tensor& self, int64_t dim_arg, const Tensor& index_arg, const Tensor* src)
      : dim(wrap_dim(dim_arg, self.dim())), index(int64_index(index_arg)) {
    check_no_internal_overlap(self);
    if (src != nullptr) check_no_partial_overlap(self, *src);
    check_no_partial_overlap(self, index_arg);
  }
  bool empty() const { return index.numel() == 0; }
};

// Whole numbers wrap, in the widest unsigned type: narrower ones would be computed as signed ints.
template <class T>
using wrapping_type = std::conditional_t<std::is_integral_v<T>, uint64_t, compute_type<T>>;

template <class T>
T sum_of(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a || b;
  } else {
    using C = wrapping_type<T>;
    return static_cast<T>(static_cast<C>(a) + static_cast<C>(b));
  }
}

template <class T>
T product_of(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a && b;
  } else {
    using C = wrapping_type<T>;
    return static_cast<T>(static_cast<C>(a) * static_cast<C>(b));
  }
}

}  // namespace

void gather(const Tensor& self, int64_t dim, const Tensor& index, bool /*sparse_grad*/,
            Tensor& result) {
  if (result.numel() == 0) return;
  const Tensor wide_index = int64_index(index);  // the walk keeps pointers only
  const GatherWalk walk(self, wrap_dim(dim, self.dim()), wide_index, &result);
  with_word(self.element_size(),
            [&]<class W>(W) { walk.run<W>([](const W* from, W* to) { *to = *from; }); });
}

Tensor& scatter__src(Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  const Target target(self, dim, index, &src);
  if (target.empty()) return self;
  const GatherWalk walk(self, target.dim, target.index, &src);
  with_word(self.element_size(),
            [&]<class W>(W) { walk.run<W>([](W* to, const W* from) { *to = *from; }); });
  return self;
}

Tensor& scatter__value(Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
  const Target target(self, dim, index, nullptr);
  if (target.empty()) return self;
  const GatherWalk walk(self, target.dim, target.index, nullptr);
  Tensor number = make_tensor({}, self.dtype(), kCPU);
  fill_elements(number, value);
  with_word(self.element_size(), [&]<class W>(W) {
    const W word = *static_cast<const W*>(number.raw_data());
    walk.run<W>([word](W* to, const W*) { *to = word; });
  });
  return self;
}

Tensor& scatter_add_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  const Target target(self, dim, index, &src);
  if (target.empty()) return self;
  const GatherWalk walk(self, target.dim, target.index, &src);
  visit_dtype<dtypes::kCommon | dtypes::kWideUnsigned>(
      "scatter_add", self.dtype(), [&]<class T>(TypeTag<T>) {
        walk.run<T>([](T* to, const T* from) { *to = sum_of(*to, *from); });
      });
  return self;
}

Tensor& scatter__reduce(Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                        std::string_view reduce) {
  if (reduce == "add") return scatter_add_(self, dim, index, src);
  const Target target(self, dim, index, &src);
  if (target.empty()) return self;
  const GatherWalk walk(self, target.dim, target.index, &src);
  visit_dtype<dtypes::kCommon | dtypes::kWideUnsigned>(
      "scatter", self.dtype(), [&]<class T>(TypeTag<T>) {
        walk.run<T>([](T* to, const T* from) { *to = product_of(*to, *from); });
      });
  return self;
}

}  // namespace opweave::cpu
