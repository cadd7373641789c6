// nll_loss_forward and nll_loss_backward, for any number of dimensions after the classes.
#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/copying/copy.h"
#include "opweave/kernels/cpu/nll_loss_backward.h"
#include "opweave/kernels/cpu/nll_loss_forward.h"
#include "runtime/rules/loss_reduction.h"

namespace opweave::cpu {
namespace {

namespace loss_reduction = rule::loss_reduction;

// Samples × classes × positions.
class Layout {
 public:
  Layout(const Tensor& self, const Tensor& target, int64_t ignore_index)
      : target_(target), ignore_(ignore_index) {
    samples_ = self.dim() == 1 ? 1 : self.sizes()[0];
    classes_ = self.dim() == 1 ? self.sizes()[0] : self.sizes()[1];
    positions_ = 1;
    for (int64_t d = 2; d < self.dim(); ++d) positions_ *= self.sizes()[d];
  }

  // Calls body(i, class, offset of the element of that class) for each target that counts, and
  // ignored(i) for the others. IndexError for a target that is no class.
  template <class Body, class Ignored>
  void visit(Body&& body, Ignored&& ignored) const {
    const bool bytes = target_->dtype() == kByte;
    const void* data = target_->raw_data();
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
  Dense target_;
  int64_t ignore_, samples_, classes_, positions_;
};

template <class T>
double weight_of(const Tensor& weight, int64_t c) {
  if (!weight.defined()) return 1;
  return static_cast<double>(static_cast<const T*>(weight.raw_data())[c * weight.strides()[0]]);
}

}  // namespace

void nll_loss_forward(const Tensor& self, const Tensor& target, const Tensor& weight,
                      int64_t reduction, int64_t ignore_index, Tensor& output,
                      Tensor& total_weight) {
  const Dense dense(self);
  const Tensor& in = dense;
  const Layout layout(in, target, ignore_index);
  visit_floating("nll_loss_out_frame", in.dtype(), [&]<class T>(TypeTag<T>) {
    const T* data = static_cast<const T*>(in.raw_data());
    T* out = static_cast<T*>(output.raw_data());
    const bool each = reduction == loss_reduction::kNone;
    double loss = 0, total = 0;
    layout.visit(
        [&](int64_t i, int64_t c, int64_t offset) {
          const double w = weight_of<T>(weight, c);
          const double term = -w * static_cast<double>(data[offset]);
          if (each) out[i] = static_cast<T>(term);
          loss += term;
          total += w;
        },
        [&](int64_t i) {
          if (each) out[i] = T(0.0);
        });
    if (!each) *out = static_cast<T>(reduction == loss_reduction::kMean ? loss / total : loss);
    // Where losses are kept apart there is no total, but of the one loss of a vector.
    const bool adds = !each || in.dim() == 1;
    *static_cast<T*>(total_weight.raw_data()) = static_cast<T>(adds ? total : 0);
  });
}

void nll_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                       const Tensor& weight, int64_t reduction, int64_t ignore_index,
                       const Tensor& total_weight, Tensor& grad) {
  std::fill_n(static_cast<char*>(grad.raw_data()), grad.nbytes(), 0);
  const Dense gradient(grad_output);
  const Tensor& g = gradient;
  const Layout layout(self, target, ignore_index);
  visit_floating("nll_loss_backward_out_frame", self.dtype(), [&]<class T>(TypeTag<T>) {
    const T* upstream = static_cast<const T*>(g.raw_data());
    T* out = static_cast<T*>(grad.raw_data());
    const double total = static_cast<double>(*static_cast<const T*>(total_weight.raw_data()));
    const double scale = reduction == loss_reduction::kMean ? 1 / total : 1;
    layout.visit(
        [&](int64_t i, int64_t c, int64_t offset) {
          const double u =
              static_cast<double>(upstream[reduction == loss_reduction::kNone ? i : 0]);
          out[offset] = static_cast<T>(-weight_of<T>(weight, c) * u * scale);
        },
        [](int64_t) {});
  });
}

}  // namespace opweave::cpu
