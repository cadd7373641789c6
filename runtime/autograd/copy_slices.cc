// CopySlices: the gradient of a write to a part of a tensor.
#include "runtime/autograd/copy_slices.h"

#include "runtime/autograd/engine_ops.h"
#include "runtime/autograd/saved_tensor.h"
#include "runtime/autograd/view.h"
#include "runtime/core/tensor/companion.h"

namespace opweave {

CopySlices::CopySlices(const Tensor& base, const Tensor& view, intrusive_ptr<Node> written_by)
    : base_(base),
      view_(view),
      storage_(base.storage()),
      dtype_(base.dtype()),
      device_(base.device()),
      written_by_(std::move(written_by)) {
  add_input_metadata(base);
  // The first edge of written_by leads to the view's old history. What flows there has to reach the
  // base's old history together with the rest of the base's gradient.
  Edge to_base = gradient_edge(base);
  if (written_by_->has_edge(0)) written_by_->set_next_edge(0, to_base);
  add_next_edge(std::move(to_base));
  for (const Edge& edge : written_by_->next_edges().subspan(1)) add_next_edge(edge);
  written_by_->make_extras().copy_slices = this;
  if (thread_state().companions) [[unlikely]]
    companion_ = companion_of(base);
}

CopySlices::~CopySlices() {
  if (written_by_) written_by_->make_extras().copy_slices = nullptr;
}

TensorVec CopySlices::apply(TensorVec&& grads) {
  TensorVec inputs(next_edges().size());
  if (!grads[0].defined()) return inputs;
  if (!written_by_) fail_released(name());

  const Tensor memory =
      engine_ops::memory_for(grads[0], base_.sizes, base_.strides, dtype_, device_);
  Tensor whole = engine_ops::laid_out(memory, base_.sizes, base_.strides);
  engine_ops::copy_(whole, grads[0], /*non_blocking=*/false);
  Tensor part =
      engine_ops::as_strided(memory, view_.sizes, view_.strides, view_.offset - base_.offset);
  TensorVec part_grads;
  part_grads.push_back(engine_ops::convert(part, part.dtype(), part.device()));
  TensorVec results = written_by_->apply(std::move(part_grads));

  for (size_t i = 0; i < results.size() && i < inputs.size(); ++i) {
    if (!should_compute_output(i)) continue;
    if (i > 0) {
      inputs[i] = std::move(results[i]);
    } else if (results[0].defined()) {
      engine_ops::copy_(part, results[0], /*non_blocking=*/false);
    } else {
      engine_ops::fill_(part, 0);
    }
  }
  if (should_compute_output(0)) {
    if (results.empty()) engine_ops::fill_(part, 0);
    inputs[0] = engine_ops::laid_out(memory, base_.sizes, base_.strides);
  }
  return inputs;
}

void CopySlices::release_saved() {
  if (written_by_) written_by_->make_extras().copy_slices = nullptr;
  written_by_.reset();
  storage_.reset();
}

void CopySlices::visit_saved(SavedVisitor& visit) const {
  if (written_by_) visit.visit_node(*written_by_);
}

Tensor CopySlices::written_view() {
  Tensor base(make_intrusive<TensorImpl>(storage_, dtype_, device_, base_.sizes, base_.strides,
                                         base_.offset));
  base.impl()->set_grad_fn(intrusive_ptr<RefCounted>(this), 0);
  set_companion(base, companion_);
  return engine_ops::as_strided(base, view_.sizes, view_.strides, view_.offset);
}

}  // namespace opweave
