// SavedTensor: keeping, version check, user hooks, and its messages.
#include "runtime/autograd/saved_tensor.h"

#include "runtime/autograd/copy_slices.h"
#include "runtime/autograd/engine_ops.h"
#include "runtime/autograd/view.h"
#include "runtime/core/base/error.h"
#include "runtime/core/tensor/companion.h"
#include "runtime/core/tensor/storage_births.h"
#include "runtime/core/threads/thread_state.h"

namespace opweave {
namespace {

thread_local std::vector<intrusive_ptr<SavedTensorHooks>> hooks_in_force;
// Read for every saved tensor; hooks_in_force is not constant-initialised and would cost more.
constinit thread_local bool any_hooks = false;

// With the companion that `t` has, which may be filled by the call that saves it.
Tensor alias_without_history(const Tensor& t) {
  Tensor alias = engine_ops::alias_of(t);
  if (thread_state().companions) [[unlikely]]
    share_companion(t, alias);
  return alias;
}

// What the value carries, it carries as well after hooks have kept it somewhere else.
Tensor with_companion(const Tensor& unpacked, const std::shared_ptr<Companion>& companion) {
  if (unpacked.impl()->companion() == companion) return unpacked;
  Tensor alias = engine_ops::alias_of(unpacked);
  set_companion(alias, companion);
  return alias;
}

[[noreturn]] void fail_detached() {
  OW_THROW(
      ErrorKind::kRuntime,
      "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_(). This "
      "is not supported, please use out-of-place `.detach()` instead");
}

std::string describe(const Tensor& t) { return str(scalar_type_name(t.dtype()), " ", t.sizes()); }

}  // namespace

// What user hooks made of a tensor, and where the tensor made from it again belongs.
struct SavedTensor::Packed {
  intrusive_ptr<PackedTensor> value;
  Edge history;                          // of an input; an output belongs to the node that saved it
  std::shared_ptr<Companion> companion;  // what hooks do not know of, and might lose
};

void SavedTensor::PackedDeleter::operator()(Packed* packed) const { delete packed; }

void push_saved_tensor_hooks(intrusive_ptr<SavedTensorHooks> hooks) {
  hooks_in_force.push_back(std::move(hooks));
  any_hooks = true;
}

void pop_saved_tensor_hooks() {
  OW_CHECK(!hooks_in_force.empty(), "there are no saved tensor hooks in force");
  hooks_in_force.pop_back();
  any_hooks = !hooks_in_force.empty();
}

SavedTensorHooksGuard::SavedTensorHooksGuard(intrusive_ptr<SavedTensorHooks> hooks) {
  push_saved_tensor_hooks(std::move(hooks));
}
SavedTensorHooksGuard::~SavedTensorHooksGuard() { pop_saved_tensor_hooks(); }

// Of a tensor that was made in inference mode: what a backward pass reads may be saved again.
static Tensor normal_alias(const Tensor& tensor) {
  Tensor alias = alias_without_history(tensor);
  alias.impl()->set_inference(false);
  return alias;
}

SavedTensor::SavedTensor(const Tensor& tensor, bool is_output) {
  if (!tensor.defined()) return;
  // A function that a transform differentiates may capture one: it ends before the caller writes.
  OW_CHECK(!tensor.is_inference() || detail::births != nullptr,
           "Inference tensors cannot be saved for backward. To work around you can make a clone to "
           "get a normal tensor and use it in autograd.");
  is_output_ = is_output && !tensor.is_leaf();
  output_nr_ = tensor.impl()->output_nr();
  requires_grad_ = tensor.requires_grad();
  was_computed_ = requires_grad_ && !tensor.is_leaf();
  if (any_hooks) [[unlikely]] {
    pack(tensor);
    return;
  }
  if (is_output_) {
    data_ = alias_without_history(tensor);
  } else {
    data_ = tensor.is_inference() ? normal_alias(tensor) : tensor;
  }
  version_ = data_.version();
}

void SavedTensor::pack(const Tensor& tensor) {
  NoGradGuard no_grad;
  const intrusive_ptr<SavedTensorHooks> hooks = hooks_in_force.back();
  // Tensors saved while packing are not packed themselves.
  const bool previous = std::exchange(any_hooks, false);
  intrusive_ptr<PackedTensor> value;
  const uint32_t version = tensor.version();
  try {
    value = hooks->pack(alias_without_history(tensor));
    OW_CHECK(tensor.version() == version,
             "A saved tensor pack hook is modifying its input in place. Tensors provided as input "
             "to pack hook cannot be modified by in-place operations as this can lead to "
             "unexpected side-effects: change a clone() of the input.");
  } catch (...) {
    any_hooks = previous;
    throw;
  }
  any_hooks = previous;
  Edge history = is_output_ || !requires_grad_ ? Edge() : gradient_edge(tensor);
  std::shared_ptr<Companion> companion;
  if (thread_state().companions) [[unlikely]]
    companion = companion_of(tensor);
  packed_.reset(new Packed{std::move(value), std::move(history), std::move(companion)});
}

PackedTensor* SavedTensor::packed() const { return packed_ ? packed_->value.get() : nullptr; }

const Node* SavedTensor::packed_history() const {
  return packed_ ? packed_->history.function.get() : nullptr;
}

Tensor SavedTensor::unpack(Node* saved_by) const { return unpack(saved_by, grad_enabled()); }

Tensor SavedTensor::unpack_with_history(Node* saved_by) const { return unpack(saved_by, true); }

Tensor SavedTensor::unpack(Node* saved_by, bool history) const {
  if (packed_) [[unlikely]] {
    Tensor data = packed_->value->unpack();
    if (packed_->companion) [[unlikely]]
      data = with_companion(data, packed_->companion);
    return history && requires_grad_ ? with_history(data, saved_by) : data;
  }
  if (!data_.defined()) return {};
  if (data_.version() != version_) [[unlikely]]
    fail_modified(saved_by);
  if (was_computed_ && !is_output_ && !data_.requires_grad()) [[unlikely]]
    fail_detached();
  if (is_output_ && data_.impl()->companion()) data_.impl()->companion()->refresh(data_);
  return is_output_ && history ? with_history(data_, saved_by) : data_;
}

Tensor SavedTensor::with_history(const Tensor& data, Node* saved_by) const {
  const NodeExtras* extras = saved_by->extras();
  if (is_output_ && extras != nullptr && extras->copy_slices != nullptr) {
    return static_cast<CopySlices*>(extras->copy_slices)->written_view();
  }
  Tensor result = alias_without_history(data);
  if (is_output_) {
    result.impl()->set_grad_fn(intrusive_ptr<RefCounted>(saved_by), output_nr_);
  } else {
    result.impl()->set_grad_fn(packed_->history.function, packed_->history.input_nr);
  }
  return result;
}

void SavedTensor::fail_modified(const Node* saved_by) const {
  std::string text =
      str("one of the variables needed for gradient computation has been modified by an inplace "
          "operation: [",
          describe(data_), "]");
  const Node* made_by =
      is_output_ ? saved_by : static_cast<Node*>(data_.impl()->grad_fn_slot().get());
  if (made_by != nullptr)
    text += str(", which is output ", output_nr_, " of ", made_by->name(), ",");
  text += str(" is at version ", data_.version(), "; expected version ", version_, " instead. ",
              saved_by != nullptr ? saved_by->name() : "A node", " saved it; ");
  const char* writer = data_.impl()->version().last_writer();
  text += writer != nullptr ? str("the last in-place operation on it was '", writer, "'.")
                            : std::string("it was modified in place afterwards.");
  if (!anomaly_mode_enabled()) {
    text +=
        " Hint: enable anomaly detection to find the operation that failed to compute its "
        "gradient, "
        "with opweave.autograd.set_detect_anomaly(True).";
  }
  throw_error(ErrorKind::kRuntime, std::move(text));
}

std::vector<SavedTensor> save_list(TensorList tensors, bool is_output) {
  std::vector<SavedTensor> saved;
  saved.reserve(tensors.size());
  for (const Tensor& t : tensors) saved.emplace_back(t, is_output);
  return saved;
}

std::vector<Tensor> unpack_list(const std::vector<SavedTensor>& saved, Node* saved_by) {
  std::vector<Tensor> tensors;
  tensors.reserve(saved.size());
  for (const SavedTensor& s : saved) tensors.push_back(s.unpack(saved_by));
  return tensors;
}

void fail_released(std::string_view node_name) {
  OW_THROW(ErrorKind::kRuntime,
           "Trying to backward through the graph a second time (or directly access saved tensors "
           "after they have already been freed): what ",
           node_name,
           " saved was freed by the first backward() or autograd.grad(). Specify "
           "retain_graph=True there if you need to backward through the graph a second time or "
           "to access saved tensors afterwards.");
}

}  // namespace opweave
