// nll_loss_forward and nll_loss_backward, for any number of dimensions after the classes.
#include "kernels/cpu/common/visit_dtype.h"
#include "opweave/kernels/cpu/nll_loss_backward.h"
#include "opweave/kernels/cpu/nll_loss_forward.h"
#include "opweave/ops/contiguous.h"

namespace opweave::cpu {
namespace {

enum Reduction : int64_t { kNone = 0, kMean = 1, kSum = 2 };

void check_target(const Tensor& self, const Tensor& target) {
  const IntList input = self.sizes(), wanted = target.sizes();
  OW_CHECK(self.dim() > 0, "input tensor should be 1D or 2D");
  if (input.size() <= 2) {
    OW_CHECK(wanted.size() <= 1, "0D or 1D target tensor expected, multi-target not supported");
    const bool fits =
        input.size() == 1 ? target.numel() == 1 : wanted.size() == 1 && wanted[0] == input[0];
    OW_CHECK(fits, "size mismatch (got input: ", input, ", target: ", wanted, ")");
  } else {
    OW_CHECK(wanted.size() + 1 == input.size(), "only batches of spatial targets supported (",
             input.size() - 1, "D tensors) but got targets of dimension: ", wanted.size());
    bool fits = wanted[0] == input[0];
    for (size_t d = 1; d < wanted.size(); ++d) fits &= wanted[d] == input[d + 1];
    OW_CHECK(fits, "size mismatch (got input: ", input, " , target: ", wanted);
  }
  OW_CHECK(target.dtype() == kLong || target.dtype() == kByte,
           "expected target dtype to be Long or Byte, but got ", scalar_type_name(target.dtype()));
}

void check_weight(const Tensor& self, const Tensor& weight) {
  if (!weight.defined()) return;
  const int64_t classes = self.dim() == 1 ? self.sizes()[0] : self.sizes()[1];
  OW_CHECK(weight.dim() == 1 && weight.numel() == classes,
           "weight tensor should be defined either for all ", classes,
           " classes or no classes but got weight tensor of shape: ", weight.sizes());
  OW_CHECK(weight.dtype() == self.dtype(), "expected scalar type ", scalar_type_name(self.dtype()),
           " but found ", scalar_type_name(weight.dtype()));
}

// Samples × classes × positions.
class Layout {
 public:
  Layout(const Tensor& self, const Tensor& target, int64_t ignore_index)
      : target_(opweave::contiguous(target)), ignore_(ignore_index) {
    samples_ = self.dim() == 1 ? 1 : self.sizes()[0];
    classes_ = self.dim() == 1 ? self.sizes()[0] : self.sizes()[1];
    positions_ = 1;
    for (int64_t d = 2; d < self.dim(); ++d) positions_ *= self.sizes()[d];
  }

  // Calls body(i, class, offset of the element of that class) for each target that counts, and
  // ignored(i) for the others. IndexError for a target that is no class.
  template <class Body, class Ignored>
  void visit(Body&& body, Ignored&& ignored) const {
    const bool bytes = target_.dtype() == kByte;
    const void* data = target_.raw_data();
    for (int64_t i = 0; i < samples_ * positions_; ++i) {
      const int64_t t = bytes ? int64_t{static_cast<const uint8_t*>(data)[i]}
                              : static_cast<const int64_t*>(data)[i];
      if (t == ignore_) {
        ignored(i);
        continue;
      }
      OW_CHECK_INDEX(t >= 0 && t < classes_, "Target ", t, " is out of bounds.");
      body(i, t, (i / positions_ * classes_ + t) * positions_ + i % positions_);
    }
  }

 private:
  Tensor target_;
  int64_t ignore_, samples_, classes_, positions_;
};

Tensor scalar_tensor(double value, ScalarType dtype) {
  Tensor t = make_tensor({}, dtype, kCPU);
  visit_floating("nll_loss", dtype, [&]<class T>(TypeTag<T>) {
    *static_cast<T*>(t.raw_data()) = static_cast<T>(value);
  });
  return t;
}

template <class T>
double weight_of(const Tensor& weight, int64_t c) {
  if (!weight.defined()) return 1;
  return static_cast<double>(static_cast<const T*>(weight.raw_data())[c * weight.strides()[0]]);
}

}  // namespace

std::tuple<Tensor, Tensor> nll_loss_forward(const Tensor& self, const Tensor& target,
                                            const Tensor& weight, int64_t reduction,
                                            int64_t ignore_index) {
  check_target(self, target);
  check_weight(self, weight);
  const Tensor in = opweave::contiguous(self);
  const Layout layout(in, target, ignore_index);
  return visit_floating("nll_loss_out_frame", in.dtype(), [&]<class T>(TypeTag<T>) {
    const T* data = static_cast<const T*>(in.raw_data());
    Tensor each;
    T* out = nullptr;
    if (reduction == kNone) {
      each = make_tensor(target.sizes(), in.dtype(), in.device());
      out = static_cast<T*>(each.raw_data());
    }
    double loss = 0, total = 0;
    layout.visit(
        [&](int64_t i, int64_t c, int64_t offset) {
          const double w = weight_of<T>(weight, c);
          const double term = -w * static_cast<double>(data[offset]);
          if (out != nullptr) out[i] = static_cast<T>(term);
          loss += term;
          total += w;
        },
        [&](int64_t i) {
          if (out != nullptr) out[i] = T(0.0);
        });
    if (reduction == kNone) return std::make_tuple(each, scalar_tensor(0, in.dtype()));
    if (reduction == kMean) loss /= total;
    return std::make_tuple(scalar_tensor(loss, in.dtype()), scalar_tensor(total, in.dtype()));
  });
}

Tensor nll_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                         const Tensor& weight, int64_t reduction, int64_t ignore_index,
                         const Tensor& total_weight) {
  Tensor grad = make_tensor(self.sizes(), self.dtype(), self.device());
  std::fill_n(static_cast<char*>(grad.raw_data()), grad.nbytes(), 0);
  const Tensor g = opweave::contiguous(grad_output);
  const Layout layout(self, target, ignore_index);
  visit_floating("nll_loss_backward_out_frame", self.dtype(), [&]<class T>(TypeTag<T>) {
    const T* upstream = static_cast<const T*>(g.raw_data());
    T* out = static_cast<T*>(grad.raw_data());
    const double total = static_cast<double>(*static_cast<const T*>(total_weight.raw_data()));
    const double scale = reduction == kMean ? 1 / total : 1;
    layout.visit(
        [&](int64_t i, int64_t c, int64_t offset) {
          const double u = static_cast<double>(upstream[reduction == kNone ? i : 0]);
          out[offset] = static_cast<T>(-weight_of<T>(weight, c) * u * scale);
        },
        [](int64_t) {});
  });
  return grad;
}

}  // namespace opweave::cpu
