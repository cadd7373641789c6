// Gradients of views and movements: where the elements of a gradient belong in the input.
#include "kernels/composite/new_tensor.h"
#include "kernels/composite/writing.h"
#include "opweave/kernels/composite/cat_backward.h"
#include "opweave/kernels/composite/diagonal_backward.h"
#include "opweave/kernels/composite/repeat_backward.h"
#include "opweave/kernels/composite/roll_backward.h"
#include "opweave/kernels/composite/select_backward.h"
#include "opweave/kernels/composite/slice_backward.h"
#include "opweave/kernels/composite/split_backward.h"
#include "opweave/kernels/composite/split_with_sizes_backward.h"
#include "opweave/kernels/composite/unbind_backward.h"
#include "opweave/kernels/composite/unfold_backward.h"
#include "opweave/ops/add.h"
#include "opweave/ops/cat.h"
#include "opweave/ops/diagonal.h"
#include "opweave/ops/narrow.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/roll.h"
#include "opweave/ops/select.h"
#include "opweave/ops/slice.h"
#include "opweave/ops/stack.h"
#include "opweave/ops/sum.h"
#include "runtime/rules/functions.h"

namespace opweave::composite {
namespace {

// Zeros, with `grad` in a part of them. What does not fit together is refused before memory is
// written, of which there may be much.
template <class Part>
Tensor embedded(std::string_view op, const Tensor& grad, IntList sizes, Part part) {
  const Tensor result = make_tensor(sizes, grad.dtype(), grad.device());
  const Tensor place = part(result);
  OW_CHECK(rule::broadcasts_to(grad.sizes(), place.sizes()), op, "(): a gradient of shape ",
           grad.sizes(), " does not fit into the part of shape ", place.sizes(),
           " of an input of shape ", sizes);
  Tensor written = place;
  zeroed(result);
  copy_into(written, grad);
  return result;
}

const Tensor& any_defined(std::string_view op, TensorList grads) {
  for (const Tensor& grad : grads) {
    if (grad.defined()) return grad;
  }
  OW_THROW(ErrorKind::kRuntime, op, "(): there is no gradient among ", grads.size());
}

// One of the dimensions that sizes have; a number has none.
int64_t dim_of(IntList sizes, int64_t dim) {
  return wrap_dim(dim, static_cast<int64_t>(sizes.size()), /*scalar_as_1d=*/false);
}

DimVector with_size(IntList sizes, int64_t dim, int64_t size) {
  DimVector changed(sizes);
  changed[dim_of(sizes, dim)] = size;
  return changed;
}

}  // namespace

Tensor select_backward(const Tensor& grad, IntList sizes, int64_t dim, int64_t index) {
  return embedded("select_backward", grad, sizes,
                  [&](const Tensor& t) { return ops::select_int::make_view(t, dim, index); });
}

Tensor slice_backward(const Tensor& grad, IntList sizes, int64_t dim, std::optional<int64_t> start,
                      std::optional<int64_t> end, int64_t step) {
  return embedded("slice_backward", grad, sizes, [&](const Tensor& t) {
    return ops::slice_Tensor::make_view(t, dim, start, end, step);
  });
}

Tensor diagonal_backward(const Tensor& grad, IntList sizes, int64_t offset, int64_t dim1,
                         int64_t dim2) {
  return embedded("diagonal_backward", grad, sizes,
                  [&](const Tensor& t) { return ops::diagonal::make_view(t, offset, dim1, dim2); });
}

Tensor unfold_backward(const Tensor& grad, IntList sizes, int64_t dim, int64_t size, int64_t step) {
  const Tensor result = zeros_of(sizes, grad);
  if (sizes.empty()) return size == 0 ? result : opweave::reshape(grad, {});
  const int64_t d = wrap_dim(dim, result.dim());
  const int64_t windows = grad.sizes()[d];
  OW_CHECK(
      size <= sizes[d] && windows == (sizes[d] - size) / step + 1 && grad.sizes().back() == size,
      "unfold_backward(): a gradient of shape ", grad.sizes(), " does not belong to windows of ",
      size, " at steps of ", step, " over an input of shape ", sizes);
  for (int64_t k = 0; k < size; ++k) {
    const int64_t end = k + (windows - 1) * step + 1;
    Tensor positions = ops::slice_Tensor::make_view(result, d, k, end, step);
    opweave::add_(positions, opweave::select(grad, -1, k));
  }
  return result;
}

Tensor split_with_sizes_backward(TensorList grads, IntList split_sizes, int64_t dim,
                                 IntList sizes) {
  const Tensor& like = any_defined("split_with_sizes_backward", grads);
  std::vector<Tensor> parts(grads.begin(), grads.end());
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].defined()) parts[i] = zeros_of(with_size(sizes, dim, split_sizes[i]), like);
  }
  return opweave::cat(parts, dim);
}

Tensor split_backward(TensorList grads, int64_t split_size, int64_t dim, IntList sizes) {
  const int64_t length = sizes[dim_of(sizes, dim)];
  const int64_t parts = length == 0 ? 1 : (length - 1) / split_size + 1;
  OW_CHECK(parts == static_cast<int64_t>(grads.size()), "split_backward(): ", grads.size(),
           " gradients do not belong to ", parts, " parts");
  DimVector split_sizes;
  for (int64_t left = length; left > 0; left -= split_size) {
    split_sizes.push_back(std::min(split_size, left));
  }
  if (length == 0) split_sizes.push_back(0);
  return split_with_sizes_backward(grads, split_sizes, dim, sizes);
}

Tensor unbind_backward(TensorList grads, int64_t dim, IntList sizes) {
  const Tensor& like = any_defined("unbind_backward", grads);
  const int64_t d = dim_of(sizes, dim);
  DimVector rest(sizes);
  rest.erase(d);
  std::vector<Tensor> parts(grads.begin(), grads.end());
  for (Tensor& part : parts) {
    if (!part.defined()) part = zeros_of(rest, like);
  }
  return opweave::stack(parts, d);
}

std::vector<Tensor> cat_backward(const Tensor& grad, IntList lengths, int64_t dim) {
  std::vector<Tensor> grads;
  grads.reserve(lengths.size());
  int64_t start = 0;
  for (int64_t length : lengths) {
    // Of a one-dimensional empty tensor, whatever dimensions the others have.
    const bool skipped = length < 0;
    const Tensor part = opweave::narrow(grad, dim, start, skipped ? 0 : length);
    grads.push_back(skipped ? opweave::reshape(part, {0}) : part);
    start += skipped ? 0 : length;
  }
  return grads;
}

Tensor repeat_backward(const Tensor& grad, IntList repeats, IntList sizes) {
  if (grad.numel() == 0) return zeros_of(sizes, grad);
  const size_t leading = repeats.size() - sizes.size();
  DimVector shape, repeated;
  for (size_t i = 0; i < repeats.size(); ++i) {
    if (repeats[i] != 1) {
      repeated.push_back(static_cast<int64_t>(shape.size()));
      shape.push_back(repeats[i]);
    }
    shape.push_back(i < leading ? 1 : sizes[i - leading]);
  }
  if (repeated.empty()) return opweave::reshape(grad, sizes);
  const Tensor sum = opweave::sum(opweave::reshape(grad, shape), repeated);
  return opweave::reshape(sum, sizes);
}

Tensor roll_backward(const Tensor& grad, IntList shifts, IntList dims) {
  DimVector back(shifts);
  for (int64_t& shift : back) shift = -shift;
  return opweave::roll(grad, back, dims);
}

}  // namespace opweave::composite
